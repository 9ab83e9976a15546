// What fails on a GPU, over the emulated module (tests/gpu/emulation): every call of CUDA in turn, a device that is lost, memory
// that is full. What happens then is the same host code as on a GPU.
#include <cmath>
#include <map>

#include "engine/backends/cuda/load_module.h"
#include "engine/operations/add.h"
#include "engine/operations/attention.h"
#include "engine/operations/cross_entropy.h"
#include "engine/operations/gather.h"
#include "engine/operations/gradient.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/layer_norm.h"
#include "engine/operations/linear.h"
#include "engine/operations/merge_heads.h"
#include "engine/operations/rotary.h"
#include "engine/pipeline/step_cache.h"
#include "gpu/emulation/with_library.h"
#include "unit/cuda_backend_fixture.h"

namespace headlight {
namespace {

using backends::Backend;
using backends::Buffer;
namespace cuda = backends::cuda;

// Every call in turn; with slow fibers every seventh.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long kTurn = 7;
#else
constexpr long kTurn = 1;
#endif

// A whole run of the program's pipeline with the n-th CUDA call failing, for every n: the CPU computes instead and says why, and
// nothing is leaked. Once as a temporary error, once as a lost device.
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
      // Between runs the program keeps weights on the device by seed; another seed makes every run upload its own.
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
      // Looking up free memory for a message may fail without harm; after any other failure the CPU computes.
      if ((*trace)->remark().empty()) continue;
      ++failed;
      EXPECT_EQ((*trace)->remark().english().find('\n'), std::string::npos);
      EXPECT_EQ((*trace)->backend_label().substr(0, 3), "CPU") << "call " << n;
      const auto logits = (*trace)->values("layer.0.attention_output", {});
      ASSERT_TRUE(logits.ok());
    }
    EXPECT_GT(failed, 20 / kTurn);
  }
}

// Every kind of work once, on a device opened for it; returns the first error, or none.
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
  const std::size_t maps = made.size() - 2;  // its context and weights
  // Of a training: operations of one launch and of several, with memory between them.
  HL_TRY(apply(backends::Gradient{attention, {}}, {heads, heads, heads, made[maps], made[maps + 1], heads}));
  HL_TRY(apply(backends::Gradient{backends::Linear{6, 8, 8}, {}}, {x, w, x, x}));
  HL_TRY(apply(backends::Rotary{6, 3, 8}, {x}));
  HL_TRY(apply(backends::CrossEntropy{6, 8}, {x, line}));
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

// The n-th CUDA call fails, for every n: the outcome is a reported error or a result, and never a leak.
void every_call_fails_in_turn(std::int64_t allocations) {
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
      if (status.ok()) continue;  // if pinned memory is refused, ordinary memory replaces it
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

// The same on a real GPU, if there is one: afterwards its memory is as free as before.
TEST(CudaFailures, OnTheGpuEveryFailingCallLeavesNothingBehind) {
  const auto loaded = cuda::loaded_module();
  if (!loaded) GTEST_SKIP() << loaded.error().sentence();
  const cuda::Module& module = **loaded;
  if (module.count() < 1) GTEST_SKIP() << said_by(module);
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
  EXPECT_NE(again.error().what.english().find("the GPU stopped working"), std::string::npos) << again.error().what;
  EXPECT_FALSE((*backend)->device().available);
  EXPECT_FALSE((*backend)->upload(numbers("y", {4})).ok());
}

TEST_F(CudaBackend, FullMemoryInTheMiddleOfARunIsTheCpusTurn) {
  emulation::set_memory(6000);
  const auto trace = run_anywhere(small_document(), {}, {}, emulated());
  ASSERT_TRUE(trace.ok()) << trace.error().sentence();
  EXPECT_NE((*trace)->remark().english().find("the GPU's memory is full"), std::string::npos) << (*trace)->remark();
  EXPECT_EQ((*trace)->backend_label().substr(0, 3), "CPU");
}

// Steps that are not kept are computed on demand: by the CPU if the run's GPU no longer can.
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
        if (step.kept || step.shape.size() < 3) continue;
        ++asked;
        const bool one_row = step.shape[step.shape.size() - 2] == 1;
        const Trace::Tile wanted{0, step.shape.size() == 4 ? 1 : 0, 0, one_row ? 1 : 2, 1, 3};
        if (trouble == Trouble::full) {
          emulation::set_memory(0);
        } else {
          emulation::module().fail_call(n, trouble == Trouble::lost);
        }
        const long before = emulation::module().calls();
        const auto values = (*trace)->values(step.name, {});
        const auto tile = (*trace)->tile(step.name, wanted);
        reached = reached || (trouble != Trouble::full && emulation::module().calls() - before >= n);
        restore();
        ASSERT_TRUE(values.ok()) << step.name << ", call " << n << ": " << values.error().sentence();
        ASSERT_TRUE(tile.ok()) << step.name << ", call " << n << ": " << tile.error().sentence();
        const auto whole = (*expected)->values(step.name, {});
        const auto part = (*expected)->tile(step.name, wanted);
        ASSERT_TRUE(whole.ok() && part.ok());
        EXPECT_LE(difference(*values, *whole).max_abs, 2e-5) << step.name;
        EXPECT_LE(difference(*tile, *part).max_abs, 2e-5) << step.name;
      }
      EXPECT_GT(asked, 2);
    }
  }
}

// The GPU's memory is full from the n-th allocation on, for every n: the pool first releases its blocks and tries again, then the
// CPU computes; nothing is leaked.
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
      EXPECT_NE((*trace)->remark().english().find("the GPU's memory is full"), std::string::npos) << (*trace)->remark();
    }
    restore();
    EXPECT_TRUE(full || n > 20);
  }
}
// The same over several runs on one GPU, as a window makes them, including what it keeps of them: lengths repeat and change.
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

}  // namespace
}  // namespace headlight
