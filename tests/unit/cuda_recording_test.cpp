// Whole runs recorded as CUDA graphs and replayed, over the emulated module: when this happens, that the results equal those of
// single launches, and what happens to held work when a run is cancelled, fails, or runs out of memory.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

#include "engine/backends/backends.h"
#include "engine/backends/cuda/cuda_backend.h"
#include "engine/backends/cuda/load_module.h"
#include "engine/core/rng.h"
#include "engine/operations/add.h"
#include "engine/pipeline/run_anywhere.h"
#include "gpu/emulation/emulated_module.h"

namespace headlight {
namespace {

using backends::Backend;
using backends::Buffer;
namespace cuda = backends::cuda;

Tensor cuda_recording_numbers(const char* name, Shape shape) {
  const Rng rng(3, name);
  Tensor t(DType::f32, std::move(shape), {}, true);
  for (std::int64_t i = 0; i < t.count(); ++i)
    t.data<float>()[i] = static_cast<float>(rng.normal(0, static_cast<std::uint64_t>(i)));
  return t;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::memcmp(a.compact().raw(), b.compact().raw(), a.bytes()) == 0;
}

// Stops the run at its n-th operation.
class Cancelling : public Backend {
 public:
  explicit Cancelling(Backend& inner) : inner_(inner) {}
  int left = -1;  // operations until it cancels; below 0: never
  CancelSource source;

  backends::Device device() const override { return inner_.device(); }
  DType dtype() const override { return inner_.dtype(); }
  bool supports(const backends::OpDesc& desc) const override { return inner_.supports(desc); }
  Result<Buffer> allocate(DType dtype, Shape shape, Axes axes) override {
    return inner_.allocate(dtype, std::move(shape), std::move(axes));
  }
  Result<Buffer> upload(const Tensor& tensor) override { return inner_.upload(tensor); }
  Result<Tensor> download(const Buffer& buffer) override { return inner_.download(buffer); }
  Result<std::vector<Tensor>> download_all(std::span<const Buffer> buffers) override { return inner_.download_all(buffers); }
  Result<std::unique_ptr<backends::Plan>> prepare(const backends::OpDesc& desc) override { return inner_.prepare(desc); }
  Status execute(backends::Plan& plan, std::span<const Buffer> in, std::span<Buffer> out, const CancelToken& cancel) override {
    if (left >= 0 && left-- == 0) source.cancel();
    return inner_.execute(plan, in, out, cancel);
  }
  bool computes_later() const override { return inner_.computes_later(); }
  void drop_unused() override { inner_.drop_unused(); }

 private:
  Backend& inner_;
};

class CudaRecording : public testing::Test {
 protected:
  void SetUp() override { restore(); }
  void TearDown() override {
    restore();
    shown_.reset();
    opened_.clear();
  }
  static void restore() {
    emulation::set_memory(std::uint64_t{1} << 30);
    emulation::module().fail_call(0, false);
    unsetenv("HEADLIGHT_CUDA_GRAPHS");
  }
  // Traces need their backends, so they live until the test ends.
  Backend& open() {
    auto backend = cuda::make_backend(emulation::module(), 0, cuda::kFloat32);
    EXPECT_TRUE(backend.ok()) << backend.error().sentence();
    opened_.push_back(std::move(backend).value());
    return *opened_.back();
  }
  Backend& without_graphs() {
    setenv("HEADLIGHT_CUDA_GRAPHS", "off", 1);
    Backend& backend = open();
    unsetenv("HEADLIGHT_CUDA_GRAPHS");
    return backend;
  }
  static Document document(int edit, std::int64_t tokens = 9) {
    Document d;
    d.tokenizer = "characters";
    d.d_model = 16;
    d.heads = 2;
    d.layers = 2;
    d.backend = "cuda";
    d.masks = {Choice{"causal", {}}};
    std::string text;
    for (std::int64_t i = 0; i < tokens; ++i) text += static_cast<char>('a' + (i * 7 + (i < 8 ? edit >> i & 1 : 0)) % 26);
    d.texts = {text};
    return d;
  }
  std::shared_ptr<const Trace> shown(const Document& d, Backend& backend, StepCache* cache = nullptr) {
    RunOptions options;
    options.cache = cache;
    auto trace = run(d, backend, {}, options);
    EXPECT_TRUE(trace.ok()) << trace.error().sentence();
    if (trace.ok()) shown_ = *trace;
    return shown_;
  }
  // Memory of the emulated GPU used by everything open; the weights of earlier tests stay there.
  static std::uint64_t used_memory() {
    cuda::Info info{};
    cuda::Session* const session = emulation::module().open(0, &info);
    std::uint64_t left = 0;
    EXPECT_TRUE(session && emulation::module().memory_left(session, &left));
    emulation::module().close(session);
    return info.memory - left;
  }
  static void expect_same(const Trace& a, const Trace& b) {
    ASSERT_EQ(a.steps().size(), b.steps().size());
    for (const Step& step : a.steps()) {
      if (!step.kept) continue;
      const auto x = a.values(step.name, {}), y = b.values(step.name, {});
      ASSERT_TRUE(x.ok() && y.ok()) << step.name;
      EXPECT_TRUE(same_bits(*x, *y)) << step.name;
    }
  }
  std::vector<std::shared_ptr<Backend>> opened_;
  std::shared_ptr<const Trace> shown_;
};

TEST_F(CudaRecording, EditsOfOneLengthAreReplayedFromTheFifthOn) {
  Backend& backend = open();
  Backend& plain = without_graphs();
  StepCache cache;
  for (int edit = 0; edit < 12; ++edit) {
    const cuda::RecordingCounts before = cuda::recording_counts(backend);
    const auto trace = shown(document(edit), backend, &cache);
    const cuda::RecordingCounts after = cuda::recording_counts(backend);
    if (edit >= 4) {
      EXPECT_EQ(after.replayed - before.replayed, 1U) << "edit " << edit;
      EXPECT_EQ(after.recorded, before.recorded) << "edit " << edit;
      EXPECT_EQ(after.direct, before.direct) << "edit " << edit;
    }
    EXPECT_EQ(after.held, 0U);
    const auto expected = run(document(edit), plain, {});
    ASSERT_TRUE(expected.ok());
    expect_same(*trace, **expected);
  }
  EXPECT_EQ(cuda::recording_counts(backend).recorded, 2U) << "two sets of arrays take turns";
  EXPECT_EQ(cuda::recording_counts(plain).replayed, 0U);
  EXPECT_EQ(cuda::recording_counts(plain).recorded, 0U);
}

TEST_F(CudaRecording, OtherLengthsMasksAndWeightsInBetweenChangeNoResult) {
  Backend& backend = open();
  Backend& plain = without_graphs();
  StepCache cache;
  const auto check = [&](const Document& d) {
    const auto trace = shown(d, backend, &cache);
    const auto expected = run(d, plain, {});
    ASSERT_TRUE(expected.ok());
    expect_same(*trace, **expected);
  };
  for (int edit = 0; edit < 30; ++edit) {
    Document d = document(edit, edit % 7 == 3 ? 12 : 9);
    if (edit % 11 == 5) d.masks = {Choice{"window", {}}};  // other values in the same shape
    if (edit >= 20) d.seed = 77;                           // other weights
    check(d);
  }
  const std::uint64_t before = cuda::recording_counts(backend).replayed;
  for (int edit = 30; edit < 36; ++edit) {
    Document d = document(edit);
    d.seed = 77;
    check(d);
  }
  EXPECT_GE(cuda::recording_counts(backend).replayed - before, 2U) << "it settles again";
}

TEST_F(CudaRecording, WithoutACacheTheThirdRunReplays) {
  Backend& backend = open();
  for (int edit = 0; edit < 6; ++edit) shown(document(edit), backend);
  const cuda::RecordingCounts counts = cuda::recording_counts(backend);
  EXPECT_EQ(counts.direct, 1U);
  EXPECT_EQ(counts.recorded, 1U);
  EXPECT_EQ(counts.replayed, 5U);
}

TEST_F(CudaRecording, EditsUseNoMoreMemoryThanTwoRuns) {
  Backend& backend = open();
  StepCache cache;
  std::uint64_t asked = 0;
  for (int edit = 0; edit < 20; ++edit) {
    shown(document(edit), backend, &cache);
    const cuda::PoolCounts counts = cuda::memory_counts(backend);
    if (edit == 2) asked = counts.asked;
    if (edit > 2) {
      EXPECT_EQ(counts.asked, asked) << "edit " << edit;
    }
  }
}

TEST_F(CudaRecording, ACancelledRunLeavesNothingHeldAndNothingIsLaunched) {
  Cancelling backend(open());
  StepCache cache;
  for (int edit = 0; edit < 6; ++edit) shown(document(edit), backend, &cache);
  const cuda::PoolCounts memory = cuda::memory_counts(*opened_[0]);
  const std::int64_t launches = emulation::launches();
  backend.left = 9;
  RunOptions options;
  options.cache = &cache;
  const auto trace = run(document(6), backend, backend.source.token(), options);
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().kind, ErrorKind::cancelled);
  EXPECT_EQ(cuda::recording_counts(*opened_[0]).held, 0U);
  EXPECT_EQ(emulation::launches(), launches);
  EXPECT_EQ(cuda::memory_counts(*opened_[0]).live_blocks, memory.live_blocks);
  // The next run is complete, and a replay.
  const std::uint64_t replayed = cuda::recording_counts(*opened_[0]).replayed;
  const auto next = shown(document(7), backend, &cache);
  EXPECT_EQ(cuda::recording_counts(*opened_[0]).replayed, replayed + 1);
  const auto expected = run(document(7), without_graphs(), {});
  ASSERT_TRUE(expected.ok());
  expect_same(*next, **expected);
}

// The same sum twenty times in a row: each is the last one plus x. `keep` holds all of them to the end.
struct Chain {
  static constexpr std::int64_t kRows = 64, kColumns = 64;
  static constexpr std::uint64_t kBytes = std::uint64_t{kRows} * kColumns * 4;
  Backend& backend;
  Buffer x;
  explicit Chain(Backend& on) : backend(on), x(*on.upload(cuda_recording_numbers("x", {kRows, kColumns}))) {}
  Result<std::vector<Buffer>> sums(int count, bool keep) const {
    std::vector<Buffer> made{x};
    for (int i = 0; i < count; ++i) {
      HL_ASSIGN(std::vector<Buffer> out, backend.apply(backends::Add{kRows, kColumns, false}, std::vector{made.back(), x}));
      if (!keep) made.clear();
      made.push_back(std::move(out[0]));
    }
    return made;
  }
  void expect_last(const Result<Tensor>& last, int count) const {
    ASSERT_TRUE(last.ok()) << last.error().sentence();
    Tensor expected = cuda_recording_numbers("x", {kRows, kColumns});
    const Tensor added = expected.compact();
    std::vector<float> sum(static_cast<std::size_t>(added.count()));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = added.data<float>()[i];
    for (int turn = 0; turn < count; ++turn)
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += added.data<float>()[i];
    EXPECT_EQ(std::memcmp(last->compact().raw(), sum.data(), last->bytes()), 0);
  }
};

TEST_F(CudaRecording, FullMemoryWithHeldWorkIsNoError) {
  Backend& backend = open();
  const Chain chain(backend);
  const auto turn = [&] {
    const auto made = chain.sums(20, false);
    ASSERT_TRUE(made.ok()) << made.error().sentence();
    chain.expect_last(backend.download(made->back()), 20);
  };
  emulation::set_memory(used_memory() + 9 * Chain::kBytes);
  for (int again = 0; again < 4; ++again) turn();
  EXPECT_EQ(cuda::recording_counts(backend).held, 0U);
  emulation::set_memory(std::uint64_t{1} << 30);
  turn();
}

TEST_F(CudaRecording, NoMoreIsHeldThanAQuarterOfTheMemory) {
  const std::uint64_t memory = 2 * used_memory() + 64 * Chain::kBytes, quarter = memory / 4 / Chain::kBytes;
  emulation::set_memory(memory);
  Backend& backend = open();
  const Chain chain(backend);
  const int count = static_cast<int>(quarter) + 12;
  for (int turn = 0; turn < 4; ++turn) {
    const auto made = chain.sums(count, false);
    ASSERT_TRUE(made.ok()) << made.error().sentence();
    EXPECT_EQ(cuda::recording_counts(backend).held, 0U);
    EXPECT_LE(cuda::memory_counts(backend).asked, quarter + 4) << "the last sums need no more than two arrays";
    chain.expect_last(backend.download(made->back()), count);
  }
  EXPECT_EQ(cuda::recording_counts(backend).replayed, 0U);
  EXPECT_EQ(cuda::recording_counts(backend).direct, 0U) << "nothing is noted";
}

TEST_F(CudaRecording, HeldWorkIsDoneForWhoeverNeedsIt) {
  Backend& backend = open();
  const Chain chain(backend);
  for (int turn = 0; turn < 2; ++turn) {
    const auto made = chain.sums(20, true);
    ASSERT_TRUE(made.ok());
    chain.expect_last(backend.download(made->back()), 20);
  }
  auto held = chain.sums(20, true);
  ASSERT_TRUE(held.ok());
  EXPECT_EQ(cuda::recording_counts(backend).held, 20U);
  std::thread([&] { chain.expect_last(backend.download(held->back()), 20); }).join();
  EXPECT_EQ(cuda::recording_counts(backend).held, 0U);

  held->clear();
  ASSERT_TRUE(backend.download(chain.x).ok());  // ends the run on this thread
  held = chain.sums(20, true);
  ASSERT_TRUE(held.ok());
  EXPECT_EQ(cuda::recording_counts(backend).held, 20U);
  std::thread([&] {
    const auto more = backend.apply(backends::Add{Chain::kRows, Chain::kColumns, false}, std::vector{held->back(), chain.x});
    ASSERT_TRUE(more.ok());
    chain.expect_last(backend.download((*more)[0]), 21);
  }).join();
  chain.expect_last(backend.download((*held)[10]), 10);

  // Work that overwrites what held work reads must run after it.
  held->clear();
  held = chain.sums(20, true);
  ASSERT_TRUE(held.ok());
  EXPECT_EQ(cuda::recording_counts(backend).held, 20U);
  std::thread([&] {
    std::vector<Buffer> out{(*held)[5]};
    const auto plan = backend.prepare(backends::Add{Chain::kRows, Chain::kColumns, false});
    ASSERT_TRUE(plan.ok());
    ASSERT_TRUE(backend.execute(**plan, std::vector{chain.x, chain.x}, out, {}).ok());
  }).join();
  chain.expect_last(backend.download(held->back()), 20);
  chain.expect_last(backend.download((*held)[5]), 1);
}

TEST_F(CudaRecording, TheClockSeesOnlyItsOwnWork) {
  Backend& backend = open();
  const Chain chain(backend);
  for (int turn = 0; turn < 2; ++turn) {
    const auto made = chain.sums(20, true);
    ASSERT_TRUE(made.ok());
    ASSERT_TRUE(backend.download(made->back()).ok());
  }
  const auto held = chain.sums(20, true);
  ASSERT_TRUE(held.ok());
  ASSERT_EQ(cuda::recording_counts(backend).held, 20U);
  std::uint64_t waiting = 1;
  const auto seconds = backend.timed([&]() -> Status {
    waiting = cuda::recording_counts(backend).held;
    return {};
  });
  ASSERT_TRUE(seconds.ok());
  EXPECT_EQ(waiting, 0U) << "what was asked for before is on its way";
  chain.expect_last(backend.download(held->back()), 20);

  // A known run is also replayed under the clock, and one launch is one launch.
  std::vector<Buffer> made;
  std::vector<std::uint64_t> replays;
  for (int turn = 0; turn < 4; ++turn) {
    made.clear();
    const std::uint64_t before = cuda::recording_counts(backend).replayed;
    ASSERT_TRUE(backend
                    .timed([&]() -> Status {
                      HL_ASSIGN(made, chain.sums(20, true));
                      return {};
                    })
                    .ok());
    replays.push_back(cuda::recording_counts(backend).replayed - before);
    EXPECT_EQ(cuda::recording_counts(backend).held, 0U);
  }
  EXPECT_GE(replays.back(), 1U);  // once more if the gate was closed for less than the host needed
  chain.expect_last(backend.download(made.back()), 20);
  const std::int64_t launches = emulation::launches();
  ASSERT_TRUE(backend
                  .timed([&]() -> Status {
                    HL_ASSIGN(made, chain.sums(1, true));
                    return {};
                  })
                  .ok());
  const std::int64_t made_now = emulation::launches() - launches;
  EXPECT_TRUE(made_now == 2 || made_now == 4) << made_now << ": the gate and the launch, or both once more";
}

TEST_F(CudaRecording, AFailureOfHeldWorkIsSaidByEveryResult) {
  Backend& backend = open();
  const Chain chain(backend);
  for (int turn = 0; turn < 3; ++turn) {
    const auto made = chain.sums(20, true);
    ASSERT_TRUE(made.ok());
    ASSERT_TRUE(backend.download(made->back()).ok());
  }
  auto held = chain.sums(20, true);
  ASSERT_TRUE(held.ok());
  ASSERT_EQ(cuda::recording_counts(backend).held, 20U);
  emulation::module().fail_call(1, false);
  const auto failed = backend.download(held->back());
  emulation::module().fail_call(0, false);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind, ErrorKind::unavailable);
  const auto another = backend.download((*held)[3]);
  ASSERT_FALSE(another.ok()) << "it was never computed";
  EXPECT_EQ(another.error().sentence(), failed.error().sentence());
  EXPECT_FALSE(backend.apply(backends::Add{Chain::kRows, Chain::kColumns, false}, std::vector{(*held)[3], chain.x}).ok());
  // After being written again they hold values again.
  std::vector<Buffer> out{(*held)[3]};
  const auto plan = backend.prepare(backends::Add{Chain::kRows, Chain::kColumns, false});
  ASSERT_TRUE(plan.ok());
  ASSERT_TRUE(backend.execute(**plan, std::vector{chain.x, chain.x}, out, {}).ok());
  chain.expect_last(backend.download(out[0]), 1);
  held->clear();
  held = chain.sums(20, true);
  ASSERT_TRUE(held.ok());
  chain.expect_last(backend.download(held->back()), 20);
}

TEST_F(CudaRecording, WhatIsHeldAtTheEndIsDone) {
  const std::int64_t before = emulation::live_allocations();
  {
    Backend& backend = open();
    const Chain chain(backend);
    for (int turn = 0; turn < 2; ++turn) {
      const auto made = chain.sums(20, true);
      ASSERT_TRUE(made.ok());
      ASSERT_TRUE(backend.download(made->back()).ok());
    }
    const auto held = chain.sums(20, true);
    ASSERT_TRUE(held.ok());
    const std::int64_t launches = emulation::launches();
    opened_.clear();
    EXPECT_EQ(emulation::launches() - launches, 20) << "somebody holds the results";
  }
  EXPECT_EQ(emulation::live_allocations(), before);
}

// Each CUDA call in turn fails, during edits that are launched, recorded and replayed: every trace is right, whichever device
// computed it.
TEST_F(CudaRecording, AnyFailingCallEndsInARightTrace) {
  constexpr int kEdits = 6;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr long kTurn = 41;
#else
  constexpr long kTurn = 7;
#endif
  std::vector<Tensor> expected;
  Backend& plain = without_graphs();
  const auto cpu = *backends::open("cpu");
  std::vector<Tensor> of_cpu;
  const auto small = [](int edit) {
    Document d = document(edit, 5);
    d.layers = 1;
    return d;
  };
  for (int edit = 0; edit < kEdits; ++edit) {
    expected.push_back(*(*run(small(edit), plain, {}))->values("layer.0.mlp_residual", {}));
    of_cpu.push_back(*(*run(small(edit), *cpu, {}))->values("layer.0.mlp_residual", {}));
  }
  for (const bool lost : {false, true}) {
    long by_cpu = 0;
    for (long n = 1;; n += kTurn) {
      ASSERT_LT(n, 5000);
      const std::int64_t before = emulation::live_allocations();
      emulation::module().fail_call(n, lost);
      const long calls = emulation::module().calls();
      {
        StepCache cache;
        RunOptions options;
        options.cache = &cache;
        std::vector<std::shared_ptr<const Trace>> traces;
        auto backend = cuda::make_backend(emulation::module(), 0, cuda::kFloat32);
        const OpenBackend opener = [&](std::string_view id) -> Result<std::shared_ptr<Backend>> {
          if (id == "cuda") return backend;
          return backends::open(id);
        };
        for (int edit = 0; edit < kEdits; ++edit) {
          const auto trace = run_anywhere(small(edit), {}, options, opener);
          ASSERT_TRUE(trace.ok()) << "call " << n << ": " << trace.error().sentence();
          traces.push_back(*trace);
          const bool here = (*trace)->remark().empty();
          if (!here) ++by_cpu;
          const auto at = static_cast<std::size_t>(edit);
          const auto made = (*trace)->values("layer.0.mlp_residual", {});
          ASSERT_TRUE(made.ok());
          EXPECT_TRUE(same_bits(*made, here ? expected[at] : of_cpu[at])) << "call " << n << ", edit " << edit;
        }
        if (backend.ok()) {
          EXPECT_EQ(cuda::recording_counts(**backend).held, 0U) << "call " << n;
        }
      }
      const bool reached = emulation::module().calls() - calls >= n;
      emulation::module().fail_call(0, false);
      EXPECT_EQ(emulation::live_allocations(), before) << "call " << n;
      if (!reached) break;
    }
    EXPECT_GT(by_cpu, (lost ? 200 : 60) / kTurn);
  }
}

TEST_F(CudaRecording, ThreadsDoNotMix) {
  Backend& backend = open();
  Backend& plain = without_graphs();
  constexpr int kThreads = 3, kEdits = 10;
  std::vector<std::vector<Tensor>> expected(kThreads);
  for (int t = 0; t < kThreads; ++t)
    for (int edit = 0; edit < kEdits; ++edit)
      expected[static_cast<std::size_t>(t)].push_back(
          *(*run(document(edit, 6 + t), plain, {}))->values("layer.1.mlp_residual", {}));
  std::vector<int> wrong(kThreads, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      StepCache cache;
      RunOptions options;
      options.cache = &cache;
      for (int edit = 0; edit < kEdits; ++edit) {
        const auto trace = run(document(edit, 6 + t), backend, {}, options);
        const auto made = trace.ok() ? (*trace)->values("layer.1.mlp_residual", {}) : Result<Tensor>(trace.error());
        // A step is computed again on this thread, in the middle of other threads' runs.
        const auto scores = trace.ok() ? (*trace)->values("layer.0.scores", {}) : Result<Tensor>(trace.error());
        const auto at = static_cast<std::size_t>(t);
        if (!made.ok() || !scores.ok() || !same_bits(*made, expected[at][static_cast<std::size_t>(edit)])) ++wrong[at];
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(kThreads, 0));
  EXPECT_EQ(cuda::recording_counts(backend).held, 0U);
}

TEST_F(CudaRecording, RecordingsAreFew) {
  Backend& backend = open();
  const std::int64_t before = emulation::live_allocations();
  for (std::int64_t tokens = 3; tokens < 23; ++tokens)
    for (int edit = 0; edit < 3; ++edit) {
      Document d = document(edit, tokens);
      d.layers = 1;
      d.seed = 5;
      shown(d, backend);
    }
  const cuda::RecordingCounts counts = cuda::recording_counts(backend);
  EXPECT_EQ(counts.recorded, 20U);
  const cuda::PoolCounts memory = cuda::memory_counts(backend);
  const auto blocks = static_cast<std::int64_t>(memory.live_blocks + memory.waiting_blocks);
  // Besides memory blocks, which include pinned ones of the last traces, only graphs are counted.
  EXPECT_GE(emulation::live_allocations() - before, 8);
  EXPECT_LE(emulation::live_allocations() - before, blocks + 8 + 20);
}

// The same on a real GPU, if there is one.
TEST_F(CudaRecording, OnTheGpuEditsAreReplayedWithTheSameResults) {
  const auto loaded = cuda::loaded_module();
  if (!loaded) GTEST_SKIP() << loaded.error().sentence();
  const cuda::Module& module = **loaded;
  if (module.count() < 1) GTEST_SKIP() << said_by(module);
  for (const cuda::Precision precision : {cuda::kFloat32, cuda::kTensorFloat32, cuda::kBrainFloat16}) {
    const auto make = [&]() -> Backend& {
      auto backend = cuda::make_backend(module, 0, precision);
      EXPECT_TRUE(backend.ok()) << backend.error().sentence();
      opened_.push_back(std::move(backend).value());
      return *opened_.back();
    };
    Backend& backend = make();
    setenv("HEADLIGHT_CUDA_GRAPHS", "off", 1);
    Backend& plain = make();
    unsetenv("HEADLIGHT_CUDA_GRAPHS");
    StepCache cache;
    for (int edit = 0; edit < 12; ++edit) {
      Document d = document(edit, 70);
      d.d_model = 256;
      d.heads = 8;
      d.seed = 4242;  // weights of its own: those of the emulated GPU have the same name in the program's cache
      const std::uint64_t before = cuda::recording_counts(backend).replayed;
      const auto trace = shown(d, backend, &cache);
      ASSERT_TRUE(trace);
      if (edit >= 4) {
        EXPECT_EQ(cuda::recording_counts(backend).replayed - before, 1U) << "edit " << edit;
      }
      const auto expected = run(d, plain, {});
      ASSERT_TRUE(expected.ok()) << expected.error().sentence();
      expect_same(*trace, **expected);
    }
  }
}

}  // namespace
}  // namespace headlight
