// The choice of kernels that depends on the GPU: attention, products and index-based attention on emulated GPUs of other
// architectures are compared with the reference, and each uses the fastest kernel that fits that GPU.
#include <gtest/gtest.h>

#include <cmath>

#include "conformance/cases.h"
#include "engine/backends/backends.h"
#include "engine/backends/cuda/cuda_backend.h"
#include "engine/operations/activation.h"
#include "engine/operations/attention.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/linear.h"
#include "gpu/emulation/emulated_module.h"

namespace headlight::conformance {
namespace {

using namespace backends;
using cuda::Precision;

struct Architecture {
  int code;
  std::size_t kilobytes;  // of shared memory a block may have
};

class OnArchitecture : public testing::TestWithParam<Architecture> {
 protected:
  void SetUp() override { emulation::set_architecture(GetParam().code, GetParam().kilobytes << 10); }
  void TearDown() override { emulation::set_architecture(90, std::size_t{227} << 10); }

  static constexpr Precision kAll[] = {cuda::kFloat32, cuda::kTensorFloat32, cuda::kBrainFloat16};

  // Computes the operation. The relative difference of the first output from the reference must be within what the precision
  // allows; without tensor cores every output must equal float32's, bit by bit. Returns the kernel's name.
  static std::string computed(const OpDesc& desc, Precision precision) {
    const std::vector<Tensor> inputs = inputs_for(desc, "architectures");
    const auto backend = cuda::make_backend(emulation::module(), 0, precision);
    EXPECT_TRUE(backend.ok()) << backend.error().sentence();
    const auto made = compute(**backend, desc, inputs);
    EXPECT_TRUE(made.ok()) << made.error().sentence();
    if (!made.ok()) return {};
    const std::string kernel = cuda::kernel_of(**backend);
    const auto truth = compute(**backends::open("reference"), desc, inputs);
    // In bf16 index-based attention keeps its tables in two bytes a number; that needs no tensor cores.
    const bool has_tables = (desc.get_if<Isdpa>() != nullptr) && precision == cuda::kBrainFloat16;
    const bool is_rounded = precision != cuda::kFloat32 && (GetParam().code >= 80 || has_tables);
    const double limit = !is_rounded ? 1e-5 : (precision == cuda::kTensorFloat32 ? 4e-3 : 3e-2);
    for (std::size_t i = 0; i < truth->size(); ++i) {
      const Difference d = difference((*made)[i], (*truth)[i]);
      EXPECT_LE(std::sqrt(d.nmse), limit) << "output " << i << " by " << kernel << " in precision " << precision;
      EXPECT_FALSE(d.nan_mismatch) << "output " << i;
    }
    if (precision != cuda::kFloat32 && !is_rounded) {
      const auto exact = cuda::make_backend(emulation::module(), 0, cuda::kFloat32);
      const auto same = compute(**exact, desc, inputs);
      for (std::size_t i = 0; i < same->size(); ++i)
        EXPECT_EQ(difference((*made)[i], (*same)[i]).max_abs, 0) << "output " << i << " in precision " << precision;
    }
    if (GetParam().code < 90) {
      EXPECT_EQ(emulation::last_cluster(), 1);
    }
    return kernel;
  }

  static Attention attention(std::int64_t queries, std::int64_t keys, std::int64_t d, bool maps) {
    Attention op;
    op.batch = 1;
    op.heads = 2;
    op.queries = queries;
    op.keys = keys;
    op.d_k = op.d_v = d;
    op.scale = 1 / std::sqrt(static_cast<double>(d));
    op.keep_weights = maps;
    return op;
  }
};

TEST_P(OnArchitecture, AttentionTakesTheKernelThatFits) {
  const auto [code, kilobytes] = GetParam();
  for (const Precision precision : kAll) {
    const bool is_tensor = precision != cuda::kFloat32 && code >= 80;
    const auto by = [&](const char* exact, const char* rounded) { return std::string(is_tensor ? rounded : exact); };
    const char* const narrow = code >= 80 ? "attention_fused" : "attention_tiled";
    EXPECT_EQ(computed(attention(70, 130, 64, false), precision), by(narrow, "attention_rounded"));
    // The tiles take 67.5 KiB.
    EXPECT_EQ(computed(attention(33, 70, 128, false), precision),
              by(kilobytes >= 68 ? "attention_tiled" : "attention_simple", "attention_tensor"));
    EXPECT_EQ(computed(attention(5, 9, 129, false), precision), "attention_simple") << "too wide for every other";
    EXPECT_EQ(computed(attention(37, 300, 32, true), precision), by(narrow, "attention_rounded"));
    EXPECT_EQ(computed(attention(5, 1000, 64, true), precision), by(narrow, "attention_rounded"));
  }
}

TEST_P(OnArchitecture, ProductsAreRight) {
  for (const Precision precision : kAll) {
    EXPECT_NE(computed(Linear{33, 70, 50, true, ActivationKind::gelu}, precision), "");
    EXPECT_NE(computed(Linear{130, 64, 150, false}, precision), "");
    EXPECT_NE(computed(Linear{5, 300, 36, true}, precision), "");
  }
}

// Tables of 42 symbols and positions fit into a block's shared memory on every GPU; those of 216 (182 KiB, or half of it in bf16)
// on some.
TEST_P(OnArchitecture, IndexBasedAttentionIsRight) {
  for (const Precision precision : kAll) {
    for (const std::int64_t vocabulary : {30, 200}) {
      Isdpa op;
      op.words = 9;
      op.length = vocabulary == 30 ? 12 : 16;
      op.vocabulary = vocabulary;
      op.d = 32;
      op.heads = 2;
      op.method = Isdpa::Method::index;
      op.pad_index = 0;
      computed(op, precision);
      op.keep_score = true;
      computed(op, precision);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Code, OnArchitecture,
                         testing::Values(Architecture{75, 64}, Architecture{80, 163}, Architecture{86, 99}, Architecture{89, 99},
                                         Architecture{90, 227}, Architecture{120, 99}),
                         [](const auto& one) { return std::to_string(one.param.code); });

}  // namespace
}  // namespace headlight::conformance
