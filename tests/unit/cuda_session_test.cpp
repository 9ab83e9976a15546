// The module's session alone, on the emulated runtime: recordings that fail, copies and their memory, kernels that cannot be
// loaded, and the end of the process.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/backends/backends.h"
#include "engine/backends/cuda/cuda_backend.h"
#include "engine/bench/benches.h"
#include "engine/pipeline/run_anywhere.h"
#include "gpu/emulation/emulated_module.h"

namespace headlight {
namespace {

namespace cuda = backends::cuda;

class CudaSession : public testing::Test {
 protected:
  void SetUp() override {
    restore();
    before_ = emulation::live_allocations();
  }
  void TearDown() override {
    restore();
    EXPECT_EQ(emulation::live_allocations(), before_) << "leaked";
  }
  static void restore() {
    emulation::set_devices(1);
    emulation::set_memory(std::uint64_t{1} << 30);
    emulation::set_load_status(0);
    module().fail_call(0, false);
  }
  static const cuda::Module& module() { return emulation::module(); }

  // A session with an array of four numbers and an array for their doubles.
  struct Opened {
    Opened() : session(module().open(0, &info)) {
      EXPECT_NE(session, nullptr) << said_by(module());
      x = static_cast<float*>(module().allocate(session, kBytes));
      y = static_cast<float*>(module().allocate(session, kBytes));
      EXPECT_TRUE(x && y);
    }
    ~Opened() {
      module().release(session, x);
      module().release(session, y);
      module().close(session);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    bool put(const float* from) const { return module().to_device(session, x, from, kBytes); }
    bool add() const {
      cuda::AddCall c{};
      c.rows = 1;
      c.d = 4;
      c.input = c.addend = x;
      c.output = y;
      return module().add(session, c);
    }
    std::vector<float> sums() const {
      std::vector<float> all(4);
      EXPECT_TRUE(module().to_host(session, all.data(), y, kBytes) && module().wait(session)) << said_by(module());
      return all;
    }
    static constexpr std::size_t kBytes = 4 * sizeof(float);
    cuda::Info info{};
    cuda::Session* session;
    float *x = nullptr, *y = nullptr;
  };
  std::int64_t before_ = 0;
};

const std::vector<float> kTwice{2, 4, 6, 8};

// Whichever call fails during a recording, temporarily or for good, the stream stops recording and everything is released.
TEST_F(CudaSession, AFailureInARecordingEndsIt) {
  const float numbers[] = {1, 2, 3, 4};
  for (const bool lost : {false, true}) {
    bool reached = true;
    for (long n = 1; reached; ++n) {
      ASSERT_LT(n, 50);
      const Opened o;
      ASSERT_TRUE(o.put(numbers));
      module().fail_call(n, lost);
      const long before = module().calls();
      const bool begun = module().begin_graph(o.session);
      const bool added = begun && o.add();
      cuda::Graph* const graph = begun ? module().end_graph(o.session) : nullptr;
      reached = module().calls() - before >= n;
      EXPECT_EQ(reached, !begun || !added || !graph) << "call " << n;
      module().fail_call(0, false);
      // This is not recorded, so it runs.
      ASSERT_TRUE(o.add()) << said_by(module());
      EXPECT_EQ(o.sums(), kTwice) << "after call " << n;
      if (graph) module().release_graph(o.session, graph);
    }
  }
}

// A recording that was begun and never ended does not prevent memory from being released.
TEST_F(CudaSession, ARecordingThatNobodyEndsIsEndedBeforeMemoryIsFreed) {
  const Opened o;
  ASSERT_TRUE(module().begin_graph(o.session));
  ASSERT_TRUE(o.add());
}

// As in CUDA: allocating and waiting are refused during a recording and invalidate it; afterwards everything works again.
TEST_F(CudaSession, WhatARecordingDoesNotAllowSpoilsItAndNoMore) {
  const float numbers[] = {1, 2, 3, 4};
  for (const bool allocates : {true, false}) {
    const Opened o;
    ASSERT_TRUE(o.put(numbers));
    ASSERT_TRUE(module().begin_graph(o.session));
    if (allocates) {
      EXPECT_EQ(module().allocate(o.session, 64), nullptr);
    } else {
      EXPECT_FALSE(module().wait(o.session));
    }
    EXPECT_NE(said_by(module()).english().find("not permitted when stream is capturing"), std::string::npos) << said_by(module());
    EXPECT_FALSE(o.add());
    EXPECT_EQ(module().end_graph(o.session), nullptr);
    EXPECT_EQ(module().failure(), cuda::kOther);
    ASSERT_TRUE(o.add()) << said_by(module());
    EXPECT_EQ(o.sums(), kTwice);
  }
}

TEST_F(CudaSession, WhatIsReplayedReadsTheArraysAnew) {
  const Opened o;
  std::vector<float> numbers{0, 0, 0, 0};
  ASSERT_TRUE(o.put(numbers.data()) && module().begin_graph(o.session) && o.add());
  cuda::Graph* const graph = module().end_graph(o.session);
  ASSERT_NE(graph, nullptr);
  numbers = {1, 2, 3, 4};
  ASSERT_TRUE(o.put(numbers.data()) && module().replay(o.session, graph));
  module().release_graph(o.session, graph);  // while it is still queued
  EXPECT_EQ(o.sums(), kTwice);
}

// The runtime makes its own copy of pageable memory; pinned memory is read when the copy's turn comes.
TEST_F(CudaSession, WhatACopyReadsMayBeChangedOnceItHasReturned) {
  const Opened o;
  std::vector<float> pageable(4);
  auto* const pinned = static_cast<float*>(module().allocate_pinned(o.session, 3 * Opened::kBytes));
  ASSERT_NE(pinned, nullptr);
  for (float* const from : {pageable.data(), pinned, pinned + 8}) {
    for (int i = 0; i < 4; ++i) from[i] = static_cast<float>(i + 1);
    ASSERT_TRUE(o.put(from));
    std::fill_n(from, 4, 9.0f);
    ASSERT_TRUE(o.add());
    EXPECT_EQ(o.sums(), kTwice);
  }
  module().release_pinned(o.session, pinned);
}

// Every reason why kernels cannot be loaded has its own sentence.
TEST_F(CudaSession, KernelsThatCannotBeLoadedSayWhy) {
  struct Reason {
    int status;
    const char* sentence;
  };
  for (const Reason& reason :
       {Reason{209,
               "the GPU cannot be used: this program has no kernels for compute 9.0; build it with "
               "HEADLIGHT_CUDA_ARCHITECTURES=90; everything works on the CPU"},
        Reason{222,
               "the GPU cannot be used: the NVIDIA driver, for CUDA 13.0, cannot read kernels of CUDA 13.0; install a newer "
               "one; everything works on the CPU"},
        Reason{2, "the GPU cannot be used: loading the kernels: out of memory; everything works on the CPU"},
        Reason{218,
               "the GPU cannot be used: the NVIDIA driver cannot compile this program's kernels; everything works on the CPU"},
        Reason{221,
               "the GPU cannot be used: the NVIDIA driver is not installed whole: its compiler libnvidia-ptxjitcompiler is "
               "missing; everything works on the CPU"},
        Reason{46,
               "the GPU cannot be used: another program has the GPU to itself (exclusive compute mode); everything works on "
               "the CPU"},
        Reason{802,
               "the GPU cannot be used: the GPUs are not ready; where NVSwitch joins them, NVIDIA's fabric manager must run; "
               "everything works on the CPU"},
        Reason{803,
               "the GPU cannot be used: parts of the NVIDIA driver are of different versions; restart the machine; "
               "everything works on the CPU"},
        Reason{100,
               "the GPU cannot be used: loading the kernels: no CUDA-capable device is detected; everything works on the "
               "CPU"}}) {
    emulation::set_load_status(reason.status);
    const auto backend = cuda::make_backend(module(), 0, cuda::kFloat32);
    ASSERT_FALSE(backend.ok());
    EXPECT_EQ(backend.error().kind, ErrorKind::unavailable);
    EXPECT_EQ(backend.error().sentence(), reason.sentence);
  }
}

// Sizes are checked against the device's memory.
TEST_F(CudaSession, ABenchmarkThatTheGpuCannotHoldIsRefusedBeforeItBegins) {
  emulation::set_memory(std::uint64_t{96} << 20);
  const auto gpu = cuda::make_backend(module(), 0, cuda::kFloat32);
  const auto cpu = backends::open("cpu");
  ASSERT_TRUE(gpu.ok() && cpu.ok());
  bench::Request request;
  request.backend = *gpu;
  EXPECT_TRUE(bench::check_fits(request, {{1024, 1024}, {1024, 1024}}).ok());
  const std::vector<Shape> larger{{4096, 4096}, {4096, 4096}};
  const Status status = bench::check_fits(request, larger);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().sentence(), "these sizes take 128 MiB and the GPU has 96 MiB; use smaller sizes");
  request.backend = *cpu;
  EXPECT_TRUE(bench::check_fits(request, larger).ok());
}

// CUDA ends before the program's caches, which were created earlier, are destroyed: these must not call it.
TEST(CudaSessionDeathTest, NothingIsCalledWhenTheProcessEnds) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        emulation::set_devices(1);
        emulation::set_memory(std::uint64_t{1} << 30);
        Document document;
        document.texts = {"a blue one"};
        document.tokenizer = "characters";
        document.d_model = 16;
        document.heads = 2;
        document.layers = 1;
        document.backend = "cuda";
        {
          std::shared_ptr<backends::Backend> gpu;
          const auto trace = run_anywhere(document, {}, {}, [&](std::string_view id) {
            auto backend = id == "cuda" ? cuda::make_backend(emulation::module(), 0, cuda::kFloat32) : backends::open(id);
            if (backend) gpu = *backend;
            return backend;
          });
          if (!trace || !(*trace)->remark().empty()) std::_Exit(1);
        }
        std::atexit(emulation::end_runtime);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace headlight
