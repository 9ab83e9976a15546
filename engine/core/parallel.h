// parallel_for over a small pool of threads that is made once.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/core/cancel.h"

namespace headlight {

// Number of threads that parallel_for uses (the cores of this process's affinity mask, or HEADLIGHT_THREADS).
int thread_count();

// Calls body(begin, end) for disjoint ranges that cover [0, count), each at least `grain` long except the last. The caller
// takes part. Ranges not yet begun are skipped once `cancel` is set; returns false then. Nested calls run on the caller alone.
bool parallel_for(std::int64_t count, std::int64_t grain, const std::function<void(std::int64_t, std::int64_t)>& body,
                  const CancelToken& cancel = {});

}  // namespace headlight
