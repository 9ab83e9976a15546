// parallel_for over a small pool of threads that is created once.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/core/cancel.h"

namespace headlight {

// The number of threads that parallel_for uses: the cores of this process's affinity mask, or HEADLIGHT_THREADS.
int thread_count();

// Calls body(begin, end) for disjoint ranges that cover [0, count), each at least `grain` long except the last. The calling
// thread takes part. Once `cancel` is set, ranges that have not begun are skipped, and the function returns false. Nested calls
// run on the calling thread alone.
bool parallel_for(std::int64_t count, std::int64_t grain, const std::function<void(std::int64_t, std::int64_t)>& body,
                  const CancelToken& cancel = {});

}  // namespace headlight
