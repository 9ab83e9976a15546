#include "gpu/emulation/cuda_emulation.h"

#include <setjmp.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define HL_FIBERS_ANNOTATED 1
#endif

namespace headlight::emulation {

dim3 thread_index, block_index, block_size, grid_size;

namespace {

#if defined(HL_FIBERS_ANNOTATED)
constexpr std::size_t kStack = 48 << 10;  // AddressSanitizer checks all of it at every switch
#else
constexpr std::size_t kStack = 128 << 10;
#endif
constexpr int kMostThreads = 1024, kMostBlocks = 8;  // of a block, of a cluster

struct Barrier {
  int arrived = 0;
  unsigned generation = 0;
  int line = 0;
};

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
};

struct Fiber {
  ucontext_t entry{};
  jmp_buf state;
  std::unique_ptr<unsigned char[]> stack;
  bool started = false, done = false;
  const Barrier* waits = nullptr;
  unsigned until = 0;
  void* fake_stack = nullptr;
  std::vector<Copy> begun;                // begun by copy_later, not yet in a group
  std::vector<std::vector<Copy>> groups;  // not waited for yet
};

// Runs one block or cluster of blocks at a time; launches from several host threads wait for each other.
constexpr int kMostFibers = kMostThreads * kMostBlocks;
std::mutex running;
std::vector<Fiber> fibers(kMostFibers);
Barrier cluster_barrier, block_barriers[kMostBlocks], warp_barriers[kMostFibers / 32];
alignas(16) unsigned char slots[kMostFibers][kSlot];
std::vector<unsigned char> shared_memory;  // of a cluster's blocks, one after another
std::size_t shared_step = 0;
jmp_buf scheduler;
int current = 0, threads = 0, blocks = 1;  // `threads` per block, `blocks` per cluster
unsigned first_block = 0;
const std::function<void()>* body = nullptr;
bool is_backwards = false;
std::int64_t launch_count = 0;
std::size_t launched_shared = 0;

#if defined(HL_FIBERS_ANNOTATED)
void* scheduler_fake_stack = nullptr;
const void* scheduler_bottom = nullptr;
std::size_t scheduler_size = 0;
#endif

[[noreturn]] void broken(const char* what, int line) {
  std::fprintf(stderr, "CUDA emulation: %s (line %d)\n", what, line);
  std::abort();
}

void to_scheduler() {
  Fiber& fiber = fibers[static_cast<std::size_t>(current)];
#if defined(HL_FIBERS_ANNOTATED)
  __sanitizer_start_switch_fiber(&fiber.fake_stack, scheduler_bottom, scheduler_size);
#endif
  if (_setjmp(fiber.state) == 0) _longjmp(scheduler, 1);
#if defined(HL_FIBERS_ANNOTATED)
  __sanitizer_finish_switch_fiber(fiber.fake_stack, &scheduler_bottom, &scheduler_size);
#endif
}

void fiber_main() {
#if defined(HL_FIBERS_ANNOTATED)
  __sanitizer_finish_switch_fiber(nullptr, &scheduler_bottom, &scheduler_size);
#endif
  for (;;) {  // a fiber is reused for block after block
    (*body)();
    fibers[static_cast<std::size_t>(current)].done = true;
    to_scheduler();
  }
}

void resume(int index) {
  Fiber& fiber = fibers[static_cast<std::size_t>(index)];
  current = index;
  const auto at = static_cast<unsigned>(index % threads);
  block_index.x = first_block + static_cast<unsigned>(index / threads);
  thread_index = {at % block_size.x, at / block_size.x % block_size.y, at / block_size.x / block_size.y};
#if defined(HL_FIBERS_ANNOTATED)
  __sanitizer_start_switch_fiber(&scheduler_fake_stack, fiber.stack.get(), kStack);
#endif
  if (_setjmp(scheduler) == 0) {
    if (fiber.started) _longjmp(fiber.state, 1);
    fiber.started = true;
    setcontext(&fiber.entry);
  }
#if defined(HL_FIBERS_ANNOTATED)
  __sanitizer_finish_switch_fiber(scheduler_fake_stack, nullptr, nullptr);
#endif
}

void arrive(Barrier& barrier, int expected) {
  Fiber& fiber = fibers[static_cast<std::size_t>(current)];
  if (++barrier.arrived == expected) {
    barrier.arrived = 0;
    ++barrier.generation;
    return;
  }
  fiber.waits = &barrier;
  fiber.until = barrier.generation + 1;
  to_scheduler();
}

void run_cluster() {
  const int all = threads * blocks;
  for (int i = 0; i < all; ++i) {
    Fiber& fiber = fibers[static_cast<std::size_t>(i)];
    if (!fiber.stack) {
      fiber.stack = std::unique_ptr<unsigned char[]>(new unsigned char[kStack]);
      getcontext(&fiber.entry);
      fiber.entry.uc_stack.ss_sp = fiber.stack.get();
      fiber.entry.uc_stack.ss_size = kStack;
      fiber.entry.uc_link = nullptr;
      makecontext(&fiber.entry, fiber_main, 0);
    }
    fiber.done = false;
    fiber.waits = nullptr;
    fiber.begun.clear();
    fiber.groups.clear();
  }
  cluster_barrier = {};
  for (Barrier& barrier : block_barriers) barrier = {};
  for (Barrier& barrier : warp_barriers) barrier = {};
  if (!shared_memory.empty()) std::memset(shared_memory.data(), 0xff, shared_memory.size());  // NaN
  for (int left = all; left > 0;) {
    bool moved = false;
    for (int turn = 0; turn < all; ++turn) {
      const int index = is_backwards ? all - 1 - turn : turn;
      Fiber& fiber = fibers[static_cast<std::size_t>(index)];
      if (fiber.done || (fiber.waits && fiber.waits->generation != fiber.until)) continue;
      fiber.waits = nullptr;
      resume(index);
      moved = true;
      if (fiber.done) --left;
    }
    if (!moved) broken("threads wait at a barrier that others do not reach", block_barriers[0].line);
  }
}

}  // namespace

int lane() { return current % threads % 32; }

void sync_threads(int line) {
  Barrier& barrier = block_barriers[current / threads];
  if (barrier.arrived > 0 && barrier.line != line) broken("threads of a block wait at different barriers", line);
  barrier.line = line;
  arrive(barrier, threads);
}
void sync_cluster() { arrive(cluster_barrier, threads * blocks); }
void sync_warp() { arrive(warp_barriers[current / 32], std::min(32, threads * blocks - current / 32 * 32)); }

int cluster_rank() { return current / threads; }
unsigned char* shared_of_rank(const void* own, int rank) {
  const auto offset = static_cast<const unsigned char*>(own) - dynamic_shared();
  if (rank < 0 || rank >= blocks || offset < 0 || static_cast<std::size_t>(offset) >= shared_step)
    broken("shared memory of a block that is not in the cluster", 0);
  return shared_memory.data() + static_cast<std::size_t>(rank) * shared_step + offset;
}

std::uint64_t exchange(std::uint64_t bits, int from) {
  std::memcpy(slots[current], &bits, sizeof bits);
  sync_warp();
  std::memcpy(&bits, slots[current / 32 * 32 + from], sizeof bits);
  sync_warp();
  return bits;
}

const void* exchange_all(const void* value, std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(kSlot)) broken("more bytes in an exchange than a slot has", 0);
  std::memcpy(slots[current], value, bytes);
  sync_warp();
  return slots[current / 32 * 32];
}

void copy_later(void* to, const void* from, std::size_t bytes) {  // null `from`: zeros
  fibers[static_cast<std::size_t>(current)].begun.push_back({to, from, bytes});
}
void commit_copies() {
  Fiber& fiber = fibers[static_cast<std::size_t>(current)];
  fiber.groups.push_back(std::move(fiber.begun));
  fiber.begun.clear();
}
void wait_copies(int left) {
  auto& groups = fibers[static_cast<std::size_t>(current)].groups;
  while (static_cast<int>(groups.size()) > left) {
    for (const Copy& copy : groups.front()) {
      if (copy.from) {
        std::memcpy(copy.to, copy.from, copy.bytes);
      } else {
        std::memset(copy.to, 0, copy.bytes);
      }
    }
    groups.erase(groups.begin());
  }
}

unsigned char* dynamic_shared() { return shared_memory.data() + static_cast<std::size_t>(current / threads) * shared_step; }

void run(dim3 grid, dim3 block, int cluster, std::size_t shared_bytes, const std::function<void()>& kernel) {
  const std::lock_guard lock(running);
  ++launch_count;
  launched_shared = shared_bytes;
  block_size = block;
  grid_size = grid;
  threads = static_cast<int>(block.x * block.y * block.z);
  blocks = cluster;
  if (blocks < 1 || blocks > kMostBlocks || grid.x % static_cast<unsigned>(blocks) != 0 || (blocks > 1 && threads % 32 != 0))
    broken("a cluster of a size that cannot be", 0);
  body = &kernel;
  current = 0;
  shared_step = (shared_bytes + 15) / 16 * 16;
  shared_memory.assign(shared_step * static_cast<std::size_t>(blocks), 0xff);
  for (unsigned z = 0; z < grid.z; ++z)
    for (unsigned y = 0; y < grid.y; ++y)
      for (first_block = 0; first_block < grid.x; first_block += static_cast<unsigned>(blocks)) {
        block_index = {first_block, y, z};
        run_cluster();
      }
}

std::int64_t kernels_run() {
  const std::lock_guard lock(running);
  return launch_count;
}
std::size_t shared_of_last_kernel() {
  const std::lock_guard lock(running);
  return launched_shared;
}
int cluster_of_last_kernel() {
  const std::lock_guard lock(running);
  return blocks;
}
void turn_round(bool backwards) {
  const std::lock_guard lock(running);
  is_backwards = backwards;
}

}  // namespace headlight::emulation
