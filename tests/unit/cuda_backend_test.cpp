// The CUDA backend's memory, recordings and failures, over the emulated module (tests/gpu/emulation): what happens at each call
// of CUDA that fails is the same host code as on a GPU.
#include "engine/backends/cuda/cuda_backend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "engine/backends/backends.h"
#include "engine/backends/cuda/load_module.h"
#include "engine/backends/cuda/runtime/gate.h"
#include "engine/backends/cuda/runtime/memory_pool.h"
#include "engine/core/rng.h"
#include "engine/pipeline/run_anywhere.h"
#include "engine/pipeline/step_cache.h"
#include "gpu/emulation/with_library.h"

namespace headlight {
namespace {

using backends::Backend;
using backends::Buffer;
namespace cuda = backends::cuda;

// Each test starts and ends with a whole device and nothing allocated.
class CudaBackend : public testing::Test {
 protected:
  void SetUp() override {
    restore();
    before_ = emulation::live_allocations();
  }
  void TearDown() override {
    restore();
    opened_.clear();
    if (runs_models_) return;
    EXPECT_EQ(emulation::live_allocations(), before_) << "leaked";
  }
  static void restore() {
    emulation::set_backwards(false);
    emulation::set_devices(1);
    emulation::set_memory(std::uint64_t{1} << 30);
    emulation::module().fail_call(0, false);
  }
  static void every_call_fails_in_turn(std::int64_t allocations);
  static Result<std::shared_ptr<Backend>> open(int device = 0) {
    return cuda::make_backend(emulation::module(), device, cuda::kFloat32);
  }
  // Opens "cuda" on the emulated module anew, everything else as always. Traces need their backends: they live to the test's end.
  OpenBackend emulated() {
    runs_models_ = true;  // a model's weights stay on the device, in the program's cache of them
    return [this](std::string_view id) -> Result<std::shared_ptr<Backend>> {
      if (id != "cuda") return backends::open(id);
      auto backend = open();
      if (backend) opened_.push_back(*backend);
      return backend;
    };
  }
  std::int64_t before_ = 0;
  bool runs_models_ = false;
  std::vector<std::shared_ptr<Backend>> opened_;
};

Tensor numbers(const char* name, Shape shape) {
  const Rng rng(3, name);
  Tensor t(DType::f32, std::move(shape), {}, true);
  for (std::int64_t i = 0; i < t.count(); ++i)
    t.data<float>()[i] = static_cast<float>(rng.normal(0, static_cast<std::uint64_t>(i)));
  return t;
}

Document small_document() {
  Document d;
  d.texts = {"a blue one"};
  d.tokenizer = "characters";
  d.d_model = 16;
  d.heads = 2;
  d.layers = 1;
  d.backend = "cuda";
  d.masks = {Choice{"causal", {}}};
  return d;
}

// Every call in turn; every seventh where fibers are slow.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long kTurn = 7;
#else
constexpr long kTurn = 1;
#endif

TEST_F(CudaBackend, KernelsReallyRun) {
  const std::int64_t launches = emulation::launches();
  const auto backend = open();
  ASSERT_TRUE(backend.ok());
  const Tensor a = numbers("a", {3, 5}), b = numbers("b", {3, 5});
  const std::vector<Buffer> in{*(*backend)->upload(a), *(*backend)->upload(b)};
  const auto out = (*backend)->apply(backends::Add{3, 5, false}, in);
  ASSERT_TRUE(out.ok());
  const auto sum = (*backend)->download((*out)[0]);
  ASSERT_TRUE(sum.ok());
  EXPECT_GT(emulation::launches(), launches);
  for (int i = 0; i < 15; ++i) EXPECT_EQ(sum->data<float>()[i], a.data<float>()[i] + b.data<float>()[i]);
}

TEST_F(CudaBackend, SaysWhatTheDeviceIs) {
  const auto backend = open();
  ASSERT_TRUE(backend.ok());
  const backends::Device device = (*backend)->device();
  EXPECT_EQ(device.id, "cuda");
  EXPECT_EQ(device.label, "Emulated GPU 0, 1.1 GB, compute 9.0, CUDA 13.0, driver for 13.0");
}

TEST_F(CudaBackend, WithoutDriverOrGpuItSaysWhy) {
  emulation::set_devices(0);
  EXPECT_EQ(open().error().sentence(), "no GPU: the NVIDIA driver sees none on this machine; everything works on the CPU");
  emulation::set_devices(-1);
  EXPECT_EQ(open().error().kind, ErrorKind::unavailable);
  EXPECT_NE(open().error().what.find("this machine has no NVIDIA driver"), std::string::npos);
  emulation::set_devices(2);
  EXPECT_EQ(open(2).error().sentence(), "there is no GPU 2; this machine has 2, numbered from 0");
  EXPECT_EQ((*open(1))->device().id, "cuda:1");
}

TEST_F(CudaBackend, IdsNameDeviceAndPrecision) {
  for (const char* id : {"cuda", "cuda:1", "cuda:tf32", "cuda:3:bf16"}) {
    const auto choice = cuda::parse(id);
    ASSERT_TRUE(choice.ok()) << id;
    EXPECT_EQ(cuda::id_of(*choice), id);
  }
  for (const char* id : {"cuda:", "cuda:fp8", "cuda:1:2", "cuda:tf32:1", "cuda:-1", "cuda:tf32:bf16", "cudax"})
    EXPECT_EQ(cuda::parse(id).error().kind, ErrorKind::usage) << id;
}

TEST_F(CudaBackend, MemoryIsUsedAgain) {
  const auto backend = open();
  ASSERT_TRUE(backend.ok());
  { const auto first = (*backend)->allocate(DType::f32, {1000}, {}); }
  const cuda::PoolCounts one = cuda::memory_counts(**backend);
  { const auto again = (*backend)->allocate(DType::f32, {990}, {}); }  // the same size class
  const cuda::PoolCounts two = cuda::memory_counts(**backend);
  EXPECT_EQ(one.asked, 1U);
  EXPECT_EQ(two.asked, 1U);
  EXPECT_EQ(two.reused, 1U);
  EXPECT_EQ(two.live_blocks, 0U);
  EXPECT_EQ(two.waiting_bytes, cuda::MemoryPool::class_of(4000));
}

TEST_F(CudaBackend, FullMemoryIsOneSentenceAndWhatWaitsIsReleasedFirst) {
  const auto backend = open();
  ASSERT_TRUE(backend.ok());
  { const auto waiting = (*backend)->allocate(DType::f32, {150'000'000}, {}); }  // 600 MB that wait in the pool
  const auto other = (*backend)->allocate(DType::f32, {170'000'000}, {});        // 680 MB: fits only without them
  EXPECT_TRUE(other.ok());
  const auto more = (*backend)->allocate(DType::f32, {170'000'000}, {});
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.error().kind, ErrorKind::too_large);
  EXPECT_EQ(more.error().sentence(),
            "Emulated GPU 0: the GPU's memory is full: 0.7 GB more wanted, 0.4 GB of 1.1 GB are free; use smaller sizes or "
            "--backend cpu");
}

TEST(CudaMemoryPool, SizeClassesGrowGently) {
  for (std::size_t bytes = 1; bytes < (std::size_t{1} << 26); bytes = bytes * 5 / 4 + 1) {
    const std::size_t size = cuda::MemoryPool::class_of(bytes);
    EXPECT_GE(size, bytes);
    EXPECT_EQ(size % 512, 0U);
    EXPECT_LE(size, std::max<std::size_t>(bytes + bytes / 4 + 512, bytes + (2 << 20)));
    EXPECT_EQ(cuda::MemoryPool::class_of(size), size);
  }
}

// The same arrays again and again: run, recorded, replayed; and other arrays in between.
TEST_F(CudaBackend, RecordedWorkFollowsItsArrays) {
  const auto backend = open();
  ASSERT_TRUE(backend.ok());
  backends::Isdpa op;
  op.words = 5;
  op.length = 4;
  op.vocabulary = 6;
  op.d = 8;
  const auto plan = (*backend)->prepare(op);
  ASSERT_TRUE(plan.ok());
  const auto inputs = [&](const char* name) {
    std::vector<Buffer> in;
    in.push_back(*(*backend)->upload(numbers((std::string(name) + "F").c_str(), {6, 8})));
    in.push_back(*(*backend)->upload(numbers((std::string(name) + "P").c_str(), {4, 8})));
    for (const char* w : {"Q", "K", "V"}) in.push_back(*(*backend)->upload(numbers((std::string(name) + w).c_str(), {8, 8})));
    Tensor ids(DType::i32, {5, 4});
    for (int i = 0; i < 20; ++i) ids.data<std::int32_t>()[i] = i * 7 % 6;
    in.push_back(*(*backend)->upload(ids));
    return in;
  };
  const auto a = inputs("a"), b = inputs("b");
  std::vector<Buffer> out{*(*backend)->allocate(DType::f32, {5, 8}, {"word", "d_model"})};
  for (const bool first : {true, true, false, true, false, false, true}) {
    const auto& in = first ? a : b;
    ASSERT_TRUE((*backend)->execute(**plan, in, out, {}).ok());
    const auto expected = (*backend)->apply(op, in);
    ASSERT_TRUE(expected.ok());
    EXPECT_EQ(difference(*(*backend)->download(out[0]), *(*backend)->download((*expected)[0])).max_abs, 0);
  }
}

TEST_F(CudaBackend, CachedTablesFollowTheirInputs) {
  const auto backend = open();
  ASSERT_TRUE(backend.ok());
  backends::Isdpa op;
  op.words = 3;
  op.length = 4;
  op.vocabulary = 5;
  op.d = 8;
  op.cached = true;
  const auto plan = (*backend)->prepare(op);
  ASSERT_TRUE(plan.ok());
  std::vector<Buffer> in;
  in.push_back(*(*backend)->upload(numbers("F", {5, 8})));
  in.push_back(*(*backend)->upload(numbers("P", {4, 8})));
  for (const char* w : {"WQ", "WK", "WV"}) in.push_back(*(*backend)->upload(numbers(w, {8, 8})));
  const auto words = [&](int step) {
    Tensor ids(DType::i32, {3, 4});
    for (int i = 0; i < 12; ++i) ids.data<std::int32_t>()[i] = i * step % 5;
    return *(*backend)->upload(ids);
  };
  in.push_back(words(2));
  std::vector<Buffer> out{*(*backend)->allocate(DType::f32, {3, 8}, {"word", "d_model"})};
  const auto agrees = [&] {
    ASSERT_TRUE((*backend)->execute(**plan, in, out, {}).ok());
    backends::Isdpa fresh = op;
    fresh.cached = false;
    const auto expected = (*backend)->apply(fresh, in);
    ASSERT_TRUE(expected.ok());
    ASSERT_LE(difference(*(*backend)->download(out[0]), *(*backend)->download((*expected)[0])).max_abs, 1e-6);
  };
  for (int turn = 0; turn < 4; ++turn) agrees();  // the first makes the tables, the last ones are replayed
  in.back() = words(3);
  agrees();
  in[3] = *(*backend)->upload(numbers("another WK", {8, 8}));
  agrees();
  in[0] = *(*backend)->upload(numbers("another F", {5, 8}));
  agrees();
}

// Every way of index-based attention, with weights that change and that stay, words in turns: run, recorded, replayed. What the
// words decide (symbols that occur, distinct rows, padding) belongs to them and not to where they lie.
TEST_F(CudaBackend, EveryWayOfTheIndexIsRecordedAndFollowsItsWords) {
  using Method = backends::Isdpa::Method;
  const auto backend = open();
  ASSERT_TRUE(backend.ok());
  for (const Method method : {Method::index, Method::direct, Method::direct_pooled, Method::direct_folded,
                              Method::direct_distinct, Method::direct_distinct_folded, Method::direct_attention}) {
    for (const bool cached : {false, true}) {
      for (const std::int64_t vocabulary : {6, 2500}) {
        SCOPED_TRACE(std::to_string(static_cast<int>(method)) + (cached ? " cached " : " ") + std::to_string(vocabulary));
        backends::Isdpa op;
        op.words = 3;
        op.length = 4;
        op.vocabulary = vocabulary;
        op.d = 8;
        op.pad_index = 1;
        op.method = method;
        op.cached = cached;
        const auto plan = (*backend)->prepare(op);
        ASSERT_TRUE(plan.ok());
        std::vector<Buffer> in{*(*backend)->upload(numbers("F", {vocabulary, 8})), *(*backend)->upload(numbers("P", {4, 8}))};
        for (const char* w : {"Q", "K", "V"}) in.push_back(*(*backend)->upload(numbers(w, {8, 8})));
        const auto words = [&](int step) {
          Tensor ids(DType::i32, {3, 4});
          for (int i = 0; i < 12; ++i) ids.data<std::int32_t>()[i] = static_cast<std::int32_t>(i * step % vocabulary);
          return *(*backend)->upload(ids);
        };
        // The fewest symbols first: later words need larger workspaces, and what was recorded must not use those it had.
        std::vector<Buffer> sets{words(0), words(1), words(7)};
        in.push_back(sets[0]);
        std::vector<Buffer> out{*(*backend)->allocate(DType::f32, {3, 8}, {"word", "d_model"})};
        const std::uint64_t before = (*backend)->replays();
        const auto agrees = [&] {
          ASSERT_TRUE((*backend)->execute(**plan, in, out, {}).ok());
          backends::Isdpa written = op;
          written.cached = false;
          written.method = Method::direct;
          const auto expected = (*backend)->apply(written, in);
          ASSERT_TRUE(expected.ok());
          ASSERT_LE(difference(*(*backend)->download(out[0]), *(*backend)->download((*expected)[0])).max_abs, 1e-4);
        };
        constexpr int kRounds = 5;
        for (int turn = 0; turn < 3 * kRounds; ++turn) {
          in.back() = sets[static_cast<std::size_t>(turn % 3)];
          agrees();
        }
        // At the latest from the fourth round on: run, perhaps once more as workspaces have grown, recorded.
        EXPECT_GE((*backend)->replays() - before, 6U);
        // Other words where words lay before.
        for (int turn = 0; turn < 4; ++turn) {
          in.back() = {};
          sets.clear();
          sets.push_back(words(11 + turn));
          in.back() = sets[0];
          agrees();
        }
      }
    }
  }
}

// With fixed weights the baselines keep what can be kept, as the index does, and a call launches that much less.
TEST_F(CudaBackend, WhatCanBeKeptIsKept) {
  using Method = backends::Isdpa::Method;
  const auto backend = open();
  ASSERT_TRUE(backend.ok());
  std::vector<Buffer> in{*(*backend)->upload(numbers("F", {6, 8})), *(*backend)->upload(numbers("P", {4, 8}))};
  for (const char* w : {"Q", "K", "V"}) in.push_back(*(*backend)->upload(numbers(w, {8, 8})));
  Tensor ids(DType::i32, {4, 4});
  for (int i = 0; i < 16; ++i) ids.data<std::int32_t>()[i] = i % 6;
  in.push_back(*(*backend)->upload(ids));
  std::vector<Buffer> out{*(*backend)->allocate(DType::f32, {4, 8}, {"word", "d_model"})};
  const std::map<Method, std::int64_t> saved{
      {Method::index, 2},                   // projections, table
      {Method::direct_folded, 1},           // WQ WK^T
      {Method::direct_distinct, 2},         // the rows, their projections
      {Method::direct_distinct_folded, 3},  // both
  };
  for (const auto& [method, fewer] : saved) {
    std::int64_t launches[2][2] = {};
    for (const bool cached : {false, true}) {
      backends::Isdpa op;
      op.words = 4;
      op.length = 4;
      op.vocabulary = 6;
      op.d = 8;
      op.method = method;
      op.cached = cached;
      const auto plan = (*backend)->prepare(op);
      ASSERT_TRUE(plan.ok());
      for (auto& counted : launches[cached ? 1 : 0]) {
        const std::int64_t before = emulation::launches();
        ASSERT_TRUE((*backend)->execute(**plan, in, out, {}).ok());
        ASSERT_TRUE((*backend)->finish().ok());
        counted = emulation::launches() - before;
      }
    }
    EXPECT_EQ(launches[0][0], launches[0][1]);
    EXPECT_EQ(launches[0][0], launches[1][0]);
    EXPECT_EQ(launches[1][0] - launches[1][1], fewer) << static_cast<int>(method);
  }
}

// The clock starts behind a gate. Where the host takes longer than the gate holds, the work is asked for once more and the gate
// is closed for longer, but never for more than its most.
TEST_F(CudaBackend, WorkIsTimedBehindAGate) {
  const auto backend = open();
  ASSERT_TRUE(backend.ok());
  const std::int64_t before = emulation::launches();
  int asked = 0;
  const auto work = [&] {
    ++asked;
    return Status{};
  };
  ASSERT_TRUE((*backend)->timed(work).ok());
  EXPECT_GE(asked, 1);
  EXPECT_EQ(emulation::launches() - before, asked) << "one gate a try";
  cuda::Gate gate;
  EXPECT_EQ(gate.seconds(), 20e-6);
  EXPECT_TRUE(gate.held(10e-6));
  EXPECT_EQ(gate.seconds(), 20e-6);
  EXPECT_FALSE(gate.held(100e-6));
  EXPECT_NEAR(gate.seconds(), 150e-6, 1e-9);
  EXPECT_TRUE(gate.held(1e-6));
  EXPECT_NEAR(gate.seconds(), 148.5e-6, 1e-9) << "other work may take its turn";
  EXPECT_FALSE(gate.held(1.0));
  EXPECT_EQ(gate.seconds(), 2e-3);
  EXPECT_TRUE(gate.held(1.0)) << "it cannot be closed for longer";
}

TEST_F(CudaBackend, WrongIndicesAreNamedBeforeAnythingRuns) {
  const auto backend = open();
  ASSERT_TRUE(backend.ok());
  const std::vector<Buffer> in{*(*backend)->upload(numbers("table", {3, 4})),
                               *(*backend)->upload(Tensor::of<std::int32_t>({1, 3}, {2}))};
  const std::int64_t launches = emulation::launches();
  const auto out = (*backend)->apply(backends::Gather{2, 3, 4}, in);
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().sentence(), "gather: index 3 at [1] is outside the table of 3 rows; indices run from 0 to 2");
  EXPECT_EQ(emulation::launches(), launches);
}

TEST_F(CudaBackend, AllResultsComeInOneTransfer) {
  const auto backend = open();
  ASSERT_TRUE(backend.ok());
  std::vector<Buffer> buffers;
  std::vector<Tensor> tensors;
  for (const std::int64_t count : {1, 63, 64, 1000}) {
    tensors.push_back(numbers("part", {count}));
    buffers.push_back(*(*backend)->upload(tensors.back()));
  }
  const auto all = (*backend)->download_all(buffers);
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) EXPECT_EQ(difference((*all)[i], tensors[i]).max_abs, 0);
}

// A whole run of the program's pipeline with the n-th call of CUDA failing, for every n: the CPU computes instead, says why, and
// nothing is leaked. Once as an error that passes, once as a device that stays lost.
TEST_F(CudaBackend, AnyFailingCallEndsInAResultOfTheCpu) {
  const Document document = small_document();
  const auto expected = run_anywhere(document, {}, {}, emulated());
  ASSERT_TRUE(expected.ok()) << expected.error().sentence();
  EXPECT_EQ((*expected)->remark(), "");
  EXPECT_EQ((*expected)->backend_label().substr(0, 12), "Emulated GPU");
  for (const bool lost : {false, true}) {
    long failed = 0;
    for (long n = 1;; n += kTurn) {
      ASSERT_LT(n, 5000);
      // The program keeps weights on the device between runs under the seed: another seed, so that every run uploads its own.
      Document fresh = document;
      fresh.seed = 1000 + static_cast<std::uint64_t>(n) + (lost ? 5000 : 0);
      emulation::module().fail_call(n, lost);
      const long before = emulation::module().calls();
      const auto trace = run_anywhere(fresh, {}, {}, emulated());
      const long made = emulation::module().calls() - before;
      emulation::module().fail_call(0, false);
      ASSERT_TRUE(trace.ok()) << "call " << n << ": " << trace.error().sentence();
      if (made < n) {
        EXPECT_EQ((*trace)->remark(), "") << "no call failed";
        break;
      }
      // Looking up free memory for a message may fail without harm; all else is the CPU's turn.
      if ((*trace)->remark().empty()) continue;
      ++failed;
      EXPECT_EQ((*trace)->remark().find('\n'), std::string::npos);
      EXPECT_EQ((*trace)->backend_label().substr(0, 3), "CPU") << "call " << n;
      const auto logits = (*trace)->values("layer.0.attention_output", {});
      ASSERT_TRUE(logits.ok());
    }
    EXPECT_GT(failed, 20 / kTurn);
  }
}

// Every kind of work once, on a device opened for it; the first error, or none.
Status everything(const cuda::Module& module = emulation::module()) {
  HL_ASSIGN(const std::shared_ptr<Backend> backend, cuda::make_backend(module, 0, cuda::kFloat32));
  const auto up = [&](const char* name, Shape shape) { return backend->upload(numbers(name, std::move(shape))); };
  HL_ASSIGN(const Buffer x, up("x", {6, 8}));
  HL_ASSIGN(const Buffer w, up("w", {8, 8}));
  HL_ASSIGN(const Buffer row, up("row", {8}));
  HL_ASSIGN(const Buffer heads, up("heads", {1, 2, 6, 4}));
  HL_ASSIGN(const Buffer places, up("places", {3, 8}));
  Tensor words(DType::i32, {2, 3});
  for (int i = 0; i < 6; ++i) words.data<std::int32_t>()[i] = i % 5;
  HL_ASSIGN(const Buffer ids, backend->upload(words));
  HL_ASSIGN(const Buffer line, backend->upload(words.reshaped({6})));
  std::vector<Buffer> made;
  const auto apply = [&](const backends::OpDesc& desc, const std::vector<Buffer>& in) -> Status {
    HL_ASSIGN(const std::vector<Buffer> out, backend->apply(desc, in));
    made.insert(made.end(), out.begin(), out.end());
    return {};
  };
  HL_TRY(apply(backends::Linear{6, 8, 8, true, backends::ActivationKind::gelu}, {x, w, row}));
  HL_TRY(apply(backends::Gather{6, 6, 8}, {x, line}));
  HL_TRY(apply(backends::Add{6, 8, true}, {x, row}));
  HL_TRY(apply(backends::LayerNorm{6, 8}, {x, row, row}));
  HL_TRY(apply(backends::MergeHeads{1, 6, 2, 4}, {heads}));
  backends::Attention attention{1, 2, 6, 6, 4, 4};
  attention.keep_weights = true;
  HL_TRY(apply(attention, {heads, heads, heads}));
  backends::Isdpa isdpa;
  isdpa.words = 2;
  isdpa.length = 3;
  isdpa.vocabulary = 6;
  isdpa.d = 8;
  isdpa.method = backends::Isdpa::Method::direct_distinct;
  HL_TRY(apply(isdpa, {x, places, w, w, w, ids}));
  isdpa.method = backends::Isdpa::Method::index;
  HL_ASSIGN(const std::unique_ptr<backends::Plan> plan, backend->prepare(isdpa));
  HL_ASSIGN(Buffer result, backend->allocate(DType::f32, {2, 8}, {"word", "d_model"}));
  std::vector<Buffer> in{x, places, w, w, w, ids}, out{result};
  for (int turn = 0; turn < 3; ++turn) HL_TRY(backend->execute(*plan, in, out, {}));  // run, recorded, replayed
  HL_ASSIGN([[maybe_unused]] const double seconds, backend->timed([&] { return backend->execute(*plan, in, out, {}); }));
  made.push_back(result);
  HL_ASSIGN([[maybe_unused]] const std::vector<Tensor> all, backend->download_all(made));
  return {};
}

// The n-th call of CUDA fails, for every n: an error that says so, or a result; never a leak.
void CudaBackend::every_call_fails_in_turn(std::int64_t allocations) {
  ASSERT_TRUE(everything().ok());
  ASSERT_EQ(emulation::live_allocations(), allocations);
  for (const bool lost : {false, true}) {
    long failed = 0;
    for (long n = 1;; n += kTurn) {
      ASSERT_LT(n, 2000);
      emulation::module().fail_call(n, lost);
      const long before = emulation::module().calls();
      const Status status = everything();
      const bool reached = emulation::module().calls() - before >= n;
      emulation::module().fail_call(0, false);
      ASSERT_EQ(emulation::live_allocations(), allocations) << "after call " << n << (lost ? ", lost" : "");
      if (!reached) {
        EXPECT_TRUE(status.ok());
        break;
      }
      if (status.ok()) continue;  // pinned memory that is refused is replaced by ordinary memory
      ++failed;
      EXPECT_EQ(status.error().kind, ErrorKind::unavailable) << status.error().sentence();
      EXPECT_FALSE(status.error().what.empty());
    }
    EXPECT_GT(failed, 80 / kTurn);
  }
}
TEST_F(CudaBackend, EveryFailingCallLeavesNothingBehind) { every_call_fails_in_turn(before_); }
TEST_F(CudaBackend, EveryFailingCallLeavesNothingBehindWithTheLibraryOfProducts) {
  const emulation::WithLibrary library;
  every_call_fails_in_turn(before_);
  EXPECT_EQ(emulation::live_library_objects(), 0);
}

// The same on a GPU, where one is: its memory is as free afterwards as before.
TEST(CudaFailures, OnTheGpuEveryFailingCallLeavesNothingBehind) {
  const auto loaded = cuda::loaded_module();
  if (!loaded) GTEST_SKIP() << loaded.error().sentence();
  const cuda::Module& module = **loaded;
  if (module.count() < 1) GTEST_SKIP() << module.error();
  if (!module.fail_call) GTEST_SKIP() << "the module was built without HEADLIGHT_TESTS";
  ASSERT_TRUE(everything(module).ok());
  const auto left = [&] {
    cuda::Info info{};
    cuda::Session* const session = module.open(0, &info);
    std::uint64_t bytes = 0;
    EXPECT_TRUE(session && module.memory_left(session, &bytes));
    module.close(session);
    return static_cast<double>(bytes);
  };
  const double before = left();
  for (const bool lost : {false, true}) {
    long failed = 0;
    for (long n = 1;; n += kTurn) {
      ASSERT_LT(n, 2000);
      module.fail_call(n, lost);
      const long calls = module.calls();
      const Status status = everything(module);
      const bool reached = module.calls() - calls >= n;
      module.fail_call(0, false);
      if (!reached) {
        EXPECT_TRUE(status.ok()) << status.error().sentence();
        break;
      }
      if (!status.ok()) ++failed;
    }
    EXPECT_GT(failed, 80 / kTurn);
  }
  EXPECT_LT(std::abs(left() - before), 64e6) << "bytes of GPU memory leaked";  // less than one workspace per failed call
}

TEST_F(CudaBackend, ALostDeviceStaysLostAndSaysSo) {
  const auto backend = open();
  ASSERT_TRUE(backend.ok());
  const auto buffer = (*backend)->upload(numbers("x", {4}));
  ASSERT_TRUE(buffer.ok());
  emulation::module().fail_call(1, true);
  ASSERT_FALSE((*backend)->download(*buffer).ok());
  emulation::module().fail_call(0, false);
  const auto again = (*backend)->download(*buffer);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().kind, ErrorKind::unavailable);
  EXPECT_NE(again.error().what.find("the GPU stopped working"), std::string::npos) << again.error().what;
  EXPECT_FALSE((*backend)->device().available);
  EXPECT_FALSE((*backend)->upload(numbers("y", {4})).ok());
}

TEST_F(CudaBackend, FullMemoryInTheMiddleOfARunIsTheCpusTurn) {
  emulation::set_memory(6000);
  const auto trace = run_anywhere(small_document(), {}, {}, emulated());
  ASSERT_TRUE(trace.ok()) << trace.error().sentence();
  EXPECT_NE((*trace)->remark().find("the GPU's memory is full"), std::string::npos) << (*trace)->remark();
  EXPECT_EQ((*trace)->backend_label().substr(0, 3), "CPU");
}

// Steps that are not kept are computed when they are asked for: by the CPU where the GPU of the run can no longer.
TEST_F(CudaBackend, AFinishedTraceNeedsItsDeviceNoMore) {
  Document document = small_document();
  document.backend = "cpu";
  const auto expected = run_anywhere(document, {}, {}, emulated());
  ASSERT_TRUE(expected.ok());
  document.backend = "cuda";
  enum class Trouble { passing, lost, full };
  for (const Trouble trouble : {Trouble::passing, Trouble::lost, Trouble::full}) {
    bool reached = true;
    for (long n = 1; reached; n += kTurn) {
      ASSERT_LT(n, 200);
      const auto trace = run_anywhere(document, {}, {}, emulated());
      ASSERT_TRUE(trace.ok() && (*trace)->remark().empty());
      long asked = 0;
      reached = false;
      for (const Step& step : (*trace)->steps()) {
        if (step.kept) continue;
        ++asked;
        if (trouble == Trouble::full) {
          emulation::set_memory(0);
        } else {
          emulation::module().fail_call(n, trouble == Trouble::lost);
        }
        const long before = emulation::module().calls();
        const auto values = (*trace)->values(step.name, {});
        const auto tile = (*trace)->tile(step.name, {0, 1, 0, 2, 1, 3});
        reached = reached || (trouble != Trouble::full && emulation::module().calls() - before >= n);
        restore();
        ASSERT_TRUE(values.ok()) << step.name << ", call " << n << ": " << values.error().sentence();
        ASSERT_TRUE(tile.ok()) << step.name << ", call " << n << ": " << tile.error().sentence();
        const auto whole = (*expected)->values(step.name, {});
        const auto part = (*expected)->tile(step.name, {0, 1, 0, 2, 1, 3});
        ASSERT_TRUE(whole.ok() && part.ok());
        EXPECT_LE(difference(*values, *whole).max_abs, 2e-5) << step.name;
        EXPECT_LE(difference(*tile, *part).max_abs, 2e-5) << step.name;
      }
      EXPECT_GT(asked, 2);
    }
  }
}

// The GPU's memory is full from the n-th allocation on, for every n: what waits in the pool is released and asked for again, then
// it is the CPU's turn; nothing is leaked.
TEST_F(CudaBackend, MemoryThatRunsOutAtAnyAllocationIsTheCpusTurn) {
  bool full = true;
  for (long n = 1; full; ++n) {
    ASSERT_LT(n, 500);
    Document fresh = small_document();
    fresh.seed = 20000 + static_cast<std::uint64_t>(n);
    emulation::set_full_from(n);
    const auto trace = run_anywhere(fresh, {}, {}, emulated());
    ASSERT_TRUE(trace.ok()) << trace.error().sentence();
    full = !(*trace)->remark().empty();
    EXPECT_EQ((*trace)->backend_label().substr(0, 3) == "CPU", full) << "allocation " << n;
    if (full) {
      EXPECT_NE((*trace)->remark().find("the GPU's memory is full"), std::string::npos) << (*trace)->remark();
    }
    restore();
    EXPECT_TRUE(full || n > 20);
  }
}
// The same over several runs on one GPU, as a window makes them, with what it keeps of them: lengths come again, and change.
TEST_F(CudaBackend, MemoryThatRunsOutInAnyOfSeveralRunsEndsInRightTraces) {
  const char* const texts[] = {"a blue one",         "a blue ink", "a blue ice", "a blue egg",
                               "a blue sky tonight", "a blue ice", "a red egg"};
  bool full = true;
  for (long n = 1; full; n += kTurn) {
    ASSERT_LT(n, 500);
    full = false;
    StepCache on_gpu, on_cpu;
    RunOptions with_gpu, with_cpu;
    with_gpu.cache = &on_gpu;
    with_cpu.cache = &on_cpu;
    auto backend = open();
    ASSERT_TRUE(backend.ok());
    opened_.push_back(*backend);
    runs_models_ = true;
    emulation::set_full_from(n);
    for (const char* text : texts) {
      Document document = small_document();
      document.seed = 30000 + static_cast<std::uint64_t>(n);
      document.texts = {text};
      const auto trace = run_anywhere(document, {}, with_gpu, [&](std::string_view id) -> Result<std::shared_ptr<Backend>> {
        return id == "cuda" ? *backend : backends::open(id);
      });
      ASSERT_TRUE(trace.ok()) << "allocation " << n << ": " << trace.error().sentence();
      full = full || !(*trace)->remark().empty();
      document.backend = "cpu";
      const auto expected = run_anywhere(document, {}, with_cpu);
      ASSERT_TRUE(expected.ok());
      for (const Step& step : (*expected)->steps()) {
        const auto a = (*trace)->values(step.name, {}), b = (*expected)->values(step.name, {});
        ASSERT_TRUE(a.ok() && b.ok()) << "allocation " << n << ", " << text << ", " << step.name;
        ASSERT_LE(difference(*a, *b).max_abs, 2e-5) << "allocation " << n << ", " << text << ", " << step.name;
      }
    }
    restore();
    EXPECT_TRUE(full || n > 20);
  }
}
TEST_F(CudaBackend, MemoryThatRunsOutAtAnyAllocationLeavesNothingBehind) {
  bool reached = true;
  for (long n = 1; reached; ++n) {
    ASSERT_LT(n, 500);
    emulation::set_full_from(n);
    const Status status = everything();
    reached = !status.ok();
    if (reached) {
      EXPECT_EQ(status.error().kind, ErrorKind::too_large) << status.error().sentence();
    }
    restore();
    ASSERT_EQ(emulation::live_allocations(), before_) << "after allocation " << n;
  }
}

// Launches are what a small model waits for on a GPU: norm, three projections and three splits, attention, merge, output, sum;
// norm, two products, sum.
TEST_F(CudaBackend, ALayerIsFifteenLaunches) {
  std::int64_t launches[2];
  for (int layers = 1; layers <= 2; ++layers) {
    Document document = small_document();
    document.layers = layers;
    const std::int64_t before = emulation::launches();
    ASSERT_TRUE(run_anywhere(document, {}, {}, emulated()).ok());
    launches[layers - 1] = emulation::launches() - before;
  }
  EXPECT_EQ(launches[1] - launches[0], 15);
}

// The same document on both: the same trace, to float32's rounding.
void agree_with_the_cpus(const OpenBackend& open) {
  Document document = small_document();
  const auto on_gpu = run_anywhere(document, {}, {}, open);
  document.backend = "cpu";
  const auto on_cpu = run_anywhere(document, {}, {}, open);
  ASSERT_TRUE(on_gpu.ok() && on_cpu.ok());
  ASSERT_EQ((*on_gpu)->steps().size(), (*on_cpu)->steps().size());
  for (const Step& step : (*on_cpu)->steps()) {
    const auto a = (*on_gpu)->values(step.name, {}), b = (*on_cpu)->values(step.name, {});
    ASSERT_TRUE(a.ok() && b.ok()) << step.name;
    const Difference d = difference(*a, *b);
    EXPECT_TRUE(d.same_shape) << step.name;
    EXPECT_FALSE(d.nan_mismatch) << step.name;
    EXPECT_LE(d.max_abs, 2e-5) << step.name;
  }
}

TEST_F(CudaBackend, TracesAgreeWithTheCpus) { agree_with_the_cpus(emulated()); }
TEST_F(CudaBackend, TracesByTheLibraryOfProductsAgreeWithTheCpus) {
  const emulation::WithLibrary library;
  const std::int64_t before = emulation::library_products();
  agree_with_the_cpus(emulated());
  EXPECT_GT(emulation::library_products() - before, 5);
}

// Its products are recorded and replayed with the rest; what it refuses while a run is recorded, the own kernel does there.
TEST_F(CudaBackend, ProductsOfTheLibraryAreRecordedAndItsRefusalsToo) {
  const emulation::WithLibrary library;
  Document document = small_document();
  document.backend = "cpu";
  const auto expected = run_anywhere(document, {}, {}, emulated());
  ASSERT_TRUE(expected.ok());
  document.backend = "cuda";
  constexpr int kInternalError = 14, kNever = 10;
  for (int refused_from = 0; refused_from <= kNever; refused_from += refused_from < 4 ? 1 : kNever - 4) {
    emulation::refuse_products(0, 0, 0);
    auto backend = open();
    ASSERT_TRUE(backend.ok());
    opened_.push_back(*backend);
    const std::int64_t before = emulation::library_products();
    for (int turn = 0; turn < 5; ++turn) {
      if (turn == refused_from) emulation::refuse_products(0, kInternalError, 0);
      const auto trace = run_anywhere(document, {}, {}, [&](std::string_view id) -> Result<std::shared_ptr<Backend>> {
        return id == "cuda" ? *backend : backends::open(id);
      });
      ASSERT_TRUE(trace.ok()) << trace.error().sentence();
      EXPECT_EQ((*trace)->remark(), "") << "run " << turn << ", refused from " << refused_from;
      for (const Step& step : (*expected)->steps()) {
        const auto a = (*trace)->values(step.name, {}), b = (*expected)->values(step.name, {});
        ASSERT_TRUE(a.ok() && b.ok()) << step.name;
        ASSERT_LE(difference(*a, *b).max_abs, 2e-5) << "run " << turn << ", refused from " << refused_from << ": " << step.name;
      }
    }
    EXPECT_GT(cuda::recording_counts(**backend).replayed, 0U);
    EXPECT_EQ(emulation::library_products() > before, refused_from > 0);
  }
}

}  // namespace
}  // namespace headlight
