// parallel_for over a small pool of threads that is created once.
#pragma once

#include <cstdint>
#include <span>

#include "engine/core/cancel.h"
#include "engine/core/function_ref.h"

namespace headlight {

// The number of threads that parallel_for uses: the cores of this process's affinity mask, or HEADLIGHT_THREADS.
int thread_count();

// Calls body(begin, end) for disjoint ranges that cover [0, count), each at least `grain` long except the last. The calling
// thread takes part. Once `cancel` is set, ranges that have not begun are skipped, and the function returns false. Nested calls
// run on the calling thread alone.
bool parallel_for(std::int64_t count, std::int64_t grain, FunctionRef<void(std::int64_t, std::int64_t)> body,
                  const CancelToken& cancel = {});

// Calls body(which, begin, end) for ranges of at most `grain` that cover [0, counts[which]) of every array: many small arrays are
// worth one handing-over of work, not one each. The ranges are the same for any number of threads.
void parallel_for_all(std::span<const std::int64_t> counts, std::int64_t grain,
                      FunctionRef<void(std::size_t, std::int64_t, std::int64_t)> body);

}  // namespace headlight
