// The CUDA backend over the emulated module (tests/gpu/emulation): devices, memory, the clock, transfers, whole traces.
#include <cmath>

#include "engine/backends/backends.h"
#include "engine/backends/cuda/load_module.h"
#include "engine/backends/cuda/runtime/gate.h"
#include "engine/backends/cuda/runtime/memory_pool.h"
#include "engine/operations/add.h"
#include "engine/operations/gather.h"
#include "engine/pipeline/step_cache.h"
#include "gpu/emulation/with_library.h"
#include "unit/cuda_backend_fixture.h"

namespace headlight {
namespace {

using backends::Backend;
using backends::Buffer;
namespace cuda = backends::cuda;

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
  EXPECT_NE(open().error().what.english().find("this machine has no NVIDIA driver"), std::string::npos);
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
  { const auto waiting = (*backend)->allocate(DType::f32, {150'000'000}, {}); }  // 600 MB wait in the pool
  const auto other = (*backend)->allocate(DType::f32, {170'000'000}, {});        // 680 MB: fits only if the pool releases them
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

// The clock starts behind a gate. If the host takes longer than the gate is closed, the work is run once more behind a gate that
// is closed for longer, up to a limit.
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

// On a GPU a small model waits mostly for launches: norm, three projections and three splits, attention, merge, output, sum;
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

// The same document on both devices: the same trace up to float32's rounding.
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

// The library's products are recorded and replayed with the rest; what it refuses while a run is recorded, our own kernel
// computes.
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
