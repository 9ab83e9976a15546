// Threads that give way to others: those of background work to all, those that compute a window's numbers to the window's own.
#pragma once

namespace headlight {

// Makes the calling thread a background thread for good: on Linux it has a nice value of at least kBackgroundNice, and its calls
// of parallel_for use a pool whose threads have it, too, instead of the pool of all other threads. Elsewhere only the pool is
// another.
void become_background_thread();
inline constexpr int kBackgroundNice = 10;

// Makes the calling thread one that computes what a window shows: on Linux it has a nice value of at least kComputingNice, and so
// have the threads that help its calls of parallel_for from then on. The window's thread, which draws each letter as it is typed,
// then gets a processor first, also where other programs keep all of them busy.
void become_computing_thread();
inline constexpr int kComputingNice = 3;

}  // namespace headlight
