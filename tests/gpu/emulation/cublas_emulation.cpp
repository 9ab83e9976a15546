#include "gpu/emulation/cublas_emulation.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "gpu/emulation/emulated_module.h"

struct EmulatedLibrary {};
struct EmulatedProduct {
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  std::int32_t operation_of_a = CUBLAS_OP_N;
  std::uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const float* bias = nullptr;
  bool has_bias() const { return (epilogue & CUBLASLT_EPILOGUE_BIAS) != 0; }
};
struct EmulatedLayout {
  std::int64_t rows = 0, columns = 0, step = 0;
  std::int32_t batches = 1;
  std::int64_t batch_step = 0;
};
struct EmulatedPreference {
  std::uint64_t workspace = 0;
  std::uint32_t alignment[4] = {256, 256, 256, 256};  // of a, b, c, d
};

namespace headlight::emulation {
namespace {

std::atomic<bool> is_there{false};
std::atomic<int> choosing{CUBLAS_STATUS_SUCCESS}, multiplying{CUBLAS_STATUS_SUCCESS}, beneath{cudaSuccess};
std::atomic<std::uint64_t> least_alignment{4};
std::atomic<std::int64_t> products{0}, objects{0};

constexpr std::uint64_t kWorkspace = 1 << 14;  // bytes of workspace that an algorithm uses if it may

// The attributes that an algorithm stores.
enum : int { kAlignment = 0, kAlgorithmWorkspace = 4, kMark = 5 };
constexpr std::uint64_t kChosen = 0x43686f73656eu;

template <class T>
cublasStatus_t make(T** made, const T& value) {
  *made = new T(value);
  ++objects;
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t drop(T* object) {
  delete object;
  if (object) --objects;
  return CUBLAS_STATUS_SUCCESS;
}
// Every attribute has its own size; other sizes are refused.
template <class T>
cublasStatus_t set(T* attribute, const void* value, std::size_t bytes) {
  if (bytes != sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(attribute, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

float without_bits(float x, int bits) {  // rounds to the nearest, ties to even
  std::uint32_t pattern = 0;
  std::memcpy(&pattern, &x, sizeof x);
  if ((pattern & 0x7f800000u) == 0x7f800000u) return x;
  const std::uint32_t half = (1u << (bits - 1)) - 1;
  pattern = (pattern + half + (pattern >> bits & 1u)) & ~((1u << bits) - 1);
  std::memcpy(&x, &pattern, sizeof x);
  return x;
}
float operand(float x, cublasComputeType_t compute) {
  if (compute == CUBLAS_COMPUTE_32F_FAST_TF32) return without_bits(x, 13);
  return compute == CUBLAS_COMPUTE_32F_FAST_16BF ? without_bits(x, 16) : x;
}

struct Product {
  EmulatedProduct how;
  EmulatedLayout a, b, d;
  const float *at_a, *at_b;
  float* at_d;
  float alpha;
  unsigned char* workspace;
  std::uint64_t workspace_bytes;
};
// d = epilogue(alpha op(a) b + bias); column j of d begins at j * step.
void compute(const Product& p) {
  if (p.workspace_bytes > 0) std::memset(p.workspace, 0xff, p.workspace_bytes);
  const std::int64_t inner = p.b.rows;
  std::vector<float> left(static_cast<std::size_t>(p.d.rows * inner)), sums(static_cast<std::size_t>(p.d.rows));
  for (std::int64_t batch = 0; batch < p.d.batches; ++batch) {
    const float* const a = p.at_a + batch * p.a.batch_step;
    const float* const b = p.at_b + batch * p.b.batch_step;
    float* const d = p.at_d + batch * p.d.batch_step;
    for (std::int64_t k = 0; k < inner; ++k)
      for (std::int64_t i = 0; i < p.d.rows; ++i)
        left[static_cast<std::size_t>(k * p.d.rows + i)] =
            operand(p.how.operation_of_a == CUBLAS_OP_T ? a[k + i * p.a.step] : a[i + k * p.a.step], p.how.compute);
    for (std::int64_t j = 0; j < p.d.columns; ++j) {
      std::fill(sums.begin(), sums.end(), 0.0f);
      for (std::int64_t k = 0; k < inner; ++k) {
        const float right = operand(b[k + j * p.b.step], p.how.compute);
        const float* const column = left.data() + k * p.d.rows;
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += column[i] * right;
      }
      for (std::int64_t i = 0; i < p.d.rows; ++i) {
        float x = p.alpha * sums[static_cast<std::size_t>(i)];
        if (p.how.has_bias()) x += p.how.bias[i];
        if (p.how.epilogue & CUBLASLT_EPILOGUE_RELU) x = x < 0 ? 0 : x;
        d[i + j * p.d.step] = x;
      }
    }
  }
}

bool agree(const EmulatedProduct& how, const EmulatedLayout& a, const EmulatedLayout& b, const EmulatedLayout& d) {
  const bool turned = how.operation_of_a == CUBLAS_OP_T;
  for (const EmulatedLayout& layout : {a, b, d})
    if (layout.rows < 1 || layout.columns < 1 || layout.step < layout.rows || layout.batches != d.batches || d.batches < 1 ||
        layout.batch_step < 0)
      return false;
  return (turned ? a.columns : a.rows) == d.rows && (turned ? a.rows : a.columns) == b.rows && b.columns == d.columns &&
         (!how.has_bias() || how.bias);
}
bool is_aligned(const void* address, std::uint64_t bytes) { return reinterpret_cast<std::uintptr_t>(address) % bytes == 0; }

}  // namespace

void set_products_library(bool there) {
  is_there = there;
  refuse_products(0, 0, 0);
  set_least_alignment(4);
}
void refuse_products(int choose, int multiply, int cuda) {
  choosing = choose;
  multiplying = multiply;
  beneath = cuda;
}
void set_least_alignment(std::uint64_t bytes) { least_alignment = bytes; }
std::int64_t library_products() { return products; }
std::int64_t live_library_objects() { return objects; }

void* products_library() {
  static int library = 0;
  return is_there ? &library : nullptr;
}
void* products_function(const char* name) {
#define HL_NAMED(function) \
  { #function, reinterpret_cast < void*>(&function) }
  static const std::map<std::string, void*> functions{
      HL_NAMED(cublasLtCreate),
      HL_NAMED(cublasLtDestroy),
      HL_NAMED(cublasLtGetVersion),
      HL_NAMED(cublasLtMatmulDescCreate),
      HL_NAMED(cublasLtMatmulDescDestroy),
      HL_NAMED(cublasLtMatmulDescSetAttribute),
      HL_NAMED(cublasLtMatrixLayoutCreate),
      HL_NAMED(cublasLtMatrixLayoutDestroy),
      HL_NAMED(cublasLtMatrixLayoutSetAttribute),
      HL_NAMED(cublasLtMatmulPreferenceCreate),
      HL_NAMED(cublasLtMatmulPreferenceDestroy),
      HL_NAMED(cublasLtMatmulPreferenceSetAttribute),
      HL_NAMED(cublasLtMatmulAlgoGetHeuristic),
      HL_NAMED(cublasLtMatmul),
  };
#undef HL_NAMED
  const auto at = functions.find(name);
  return at == functions.end() ? nullptr : at->second;
}

}  // namespace headlight::emulation

using namespace headlight::emulation;

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) { return make(handle, EmulatedLibrary{}); }
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) { return drop(handle); }
std::size_t cublasLtGetVersion() { return 130000; }
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* made, cublasComputeType_t compute, cudaDataType_t) {
  EmulatedProduct how;
  how.compute = compute;
  return make(made, how);
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) { return drop(description); }
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t which,
                                              const void* value, std::size_t bytes) {
  switch (which) {
    case CUBLASLT_MATMUL_DESC_TRANSA: return set(&description->operation_of_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE: return set(&description->epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return set(&description->bias, value, bytes);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* made, cudaDataType_t, std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t step) {
  EmulatedLayout layout;
  layout.rows = static_cast<std::int64_t>(rows);
  layout.columns = static_cast<std::int64_t>(columns);
  layout.step = step;
  return make(made, layout);
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) { return drop(layout); }
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t which,
                                                const void* value, std::size_t bytes) {
  if (which == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) return set(&layout->batches, value, bytes);
  return set(&layout->batch_step, value, bytes);
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* made) { return make(made, EmulatedPreference{}); }
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) { return drop(preference); }
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t which, const void* value,
                                                    std::size_t bytes) {
  if (which == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES) return set(&preference->workspace, value, bytes);
  return set(&preference->alignment[which - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES], value, bytes);
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t description, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t* results, int* count) {
  *count = 0;
  if (!handle || wanted < 1 || !agree(*description, *a, *b, *d)) return CUBLAS_STATUS_INVALID_VALUE;
  if (choosing != CUBLAS_STATUS_SUCCESS) return static_cast<cublasStatus_t>(choosing.load());
  results[0] = {};
  for (int i = 0; i < 4; ++i) {
    if (preference->alignment[i] < least_alignment) return CUBLAS_STATUS_NOT_SUPPORTED;
    results[0].algo.data[kAlignment + i] = preference->alignment[i];
  }
  results[0].workspaceSize = preference->workspace >= kWorkspace ? kWorkspace : 0;
  results[0].algo.data[kAlgorithmWorkspace] = results[0].workspaceSize;
  results[0].algo.data[kMark] = kChosen;
  results[0].state = CUBLAS_STATUS_SUCCESS;
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t description, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t a_layout, const void* b, cublasLtMatrixLayout_t b_layout, const void* beta,
                              const void* c, cublasLtMatrixLayout_t, void* d, cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace, std::size_t workspace_bytes,
                              cudaStream_t stream) {
  float factor = 0, of_c = 1;
  std::memcpy(&factor, alpha, sizeof factor);
  std::memcpy(&of_c, beta, sizeof of_c);
  const std::uint64_t needed = algorithm->data[kAlgorithmWorkspace];
  if (!handle || algorithm->data[kMark] != kChosen || of_c != 0 || !agree(*description, *a_layout, *b_layout, *d_layout) ||
      needed > workspace_bytes || (needed > 0 && !workspace))
    return CUBLAS_STATUS_INVALID_VALUE;
  const void* const addresses[] = {a, b, c, d};
  for (int i = 0; i < 4; ++i)
    if (!is_aligned(addresses[i], algorithm->data[kAlignment + i])) return CUBLAS_STATUS_INVALID_VALUE;
  if (multiplying != CUBLAS_STATUS_SUCCESS) {
    if (beneath != cudaSuccess) failed(static_cast<cudaError_t>(beneath.load()));
    return static_cast<cublasStatus_t>(multiplying.load());
  }
  const Product product{*description,
                        *a_layout,
                        *b_layout,
                        *d_layout,
                        static_cast<const float*>(a),
                        static_cast<const float*>(b),
                        static_cast<float*>(d),
                        factor,
                        static_cast<unsigned char*>(workspace),
                        needed};
  if (enqueue(stream, [product] { compute(product); }) != cudaSuccess) return CUBLAS_STATUS_EXECUTION_FAILED;
  ++products;
  return CUBLAS_STATUS_SUCCESS;
}
