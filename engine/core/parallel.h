// parallel_for over a small pool of threads that is created once.
#pragma once

#include <cstdint>
#include <span>

#include "engine/core/cancel.h"
#include "engine/core/function_ref.h"

namespace headlight {

// The number of threads that parallel_for uses: HEADLIGHT_THREADS if it is 1 to 1024, else the cores of the affinity mask.
int thread_count();

// Calls body(begin, end) for disjoint ranges that cover [0, count), each at least `grain` long except the last. The calling
// thread takes part. Once `cancel` is set, ranges that have not begun are skipped, and the function returns false. Nested calls
// run on the calling thread alone. parallel_for(1000, 100, body) may call body(0, 250), body(250, 437), ..., on several threads.
bool parallel_for(std::int64_t count, std::int64_t grain, FunctionRef<void(std::int64_t, std::int64_t)> body,
                  const CancelToken& cancel = {});

// Calls body(which, begin, end) for ranges of at most `grain` elements, which cover [0, counts[which]) for every array `which`.
// Many small arrays are so handed to the threads at once, not one by one. The ranges are the same for any number of threads.
// parallel_for_all({{5, 3}}, 4, body) calls body(0, 0, 4), body(0, 4, 5) and body(1, 0, 3).
void parallel_for_all(std::span<const std::int64_t> counts, std::int64_t grain,
                      FunctionRef<void(std::size_t, std::int64_t, std::int64_t)> body);

}  // namespace headlight
