// Threads that get the processors only where no other thread wants them.
#pragma once

namespace headlight {

// Makes the calling thread a background thread for good: on Linux it has a nice value of at least kBackgroundNice, and its calls
// of parallel_for use a pool whose threads have it, too, instead of the pool of all other threads. Elsewhere only the pool is
// another.
void become_background_thread();
inline constexpr int kBackgroundNice = 10;

}  // namespace headlight
