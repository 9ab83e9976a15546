// Threads that give way to others. A thread of background work gives way to all others; a thread that computes a window's
// numbers gives way to the window's own thread.
#pragma once

namespace headlight {

// Makes the calling thread a background thread for good. Its calls of parallel_for use a pool of background threads instead of
// the pool that all other threads share. On Linux the thread and its pool get a nice value of at least kBackgroundNice.
void become_background_thread();
inline constexpr int kBackgroundNice = 10;

// Makes the calling thread one that computes a window's numbers. On Linux the thread gets a nice value of at least
// kComputingNice, as do the threads that help its calls of parallel_for from then on. The window's thread, which draws each
// letter as it is typed, then gets a processor first, even where other programs keep all processors busy.
void become_computing_thread();
inline constexpr int kComputingNice = 3;

}  // namespace headlight
