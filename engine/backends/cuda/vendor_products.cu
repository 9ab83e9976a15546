// cuBLASLt behind ProductCall: y = x W with bias and ReLU in its epilogue, one or many of one stride. Row-major arrays are the
// transposed column-major ones it knows, so c^T = b^T a^T. What it found best for a shape is remembered.
#include "engine/backends/cuda/vendor_products.h"

#if defined(HEADLIGHT_CUDA_EMULATION) || !__has_include(<cublasLt.h>)

namespace headlight::backends::cuda {

struct VendorProducts {};
VendorProducts* new_vendor_products(int* version) {
  *version = 0;
  return nullptr;
}
void delete_vendor_products(VendorProducts* vendor) { delete vendor; }
cudaError_t vendor_product(VendorProducts*, const ProductCall&, const Place&, bool* fits) {
  *fits = false;
  return cudaSuccess;
}

}  // namespace headlight::backends::cuda

#else

#include <cublasLt.h>
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <string>

namespace headlight::backends::cuda {
namespace {

constexpr std::size_t kWorkspace = 32u << 20;
constexpr std::int64_t kWorthwhile = 1 << 20;  // multiplications below which an own launch is as quick as the library's

// The functions used, by name; no header's inline code, so that nothing links to the library.
struct Functions {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtDestroy) destroy;
  decltype(&cublasLtGetVersion) version;
  decltype(&cublasLtMatmulDescCreate) new_description;
  decltype(&cublasLtMatmulDescDestroy) delete_description;
  decltype(&cublasLtMatmulDescSetAttribute) describe;
  decltype(&cublasLtMatrixLayoutCreate) new_layout;
  decltype(&cublasLtMatrixLayoutDestroy) delete_layout;
  decltype(&cublasLtMatrixLayoutSetAttribute) lay_out;
  decltype(&cublasLtMatmulPreferenceCreate) new_preference;
  decltype(&cublasLtMatmulPreferenceDestroy) delete_preference;
  decltype(&cublasLtMatmulPreferenceSetAttribute) prefer;
  decltype(&cublasLtMatmulAlgoGetHeuristic) choose;
  decltype(&cublasLtMatmul) multiply;
};

template <class Function>
bool find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}
bool find_all(void* library, Functions* f) {
  return find(library, "cublasLtCreate", &f->create) && find(library, "cublasLtDestroy", &f->destroy) &&
         find(library, "cublasLtGetVersion", &f->version) && find(library, "cublasLtMatmulDescCreate", &f->new_description) &&
         find(library, "cublasLtMatmulDescDestroy", &f->delete_description) &&
         find(library, "cublasLtMatmulDescSetAttribute", &f->describe) &&
         find(library, "cublasLtMatrixLayoutCreate", &f->new_layout) &&
         find(library, "cublasLtMatrixLayoutDestroy", &f->delete_layout) &&
         find(library, "cublasLtMatrixLayoutSetAttribute", &f->lay_out) &&
         find(library, "cublasLtMatmulPreferenceCreate", &f->new_preference) &&
         find(library, "cublasLtMatmulPreferenceDestroy", &f->delete_preference) &&
         find(library, "cublasLtMatmulPreferenceSetAttribute", &f->prefer) &&
         find(library, "cublasLtMatmulAlgoGetHeuristic", &f->choose) && find(library, "cublasLtMatmul", &f->multiply);
}

using Key = std::array<std::int64_t, 16>;
struct Way {
  cublasLtMatmulDesc_t description = nullptr;
  cublasLtMatrixLayout_t left = nullptr, right = nullptr, result = nullptr;
  cublasLtMatmulAlgo_t algorithm{};
  bool found = false;
};

std::uint32_t alignment_of(const void* address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address) | 256u;
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

__global__ void activate_all(float* y, std::int64_t count, int activation) {
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x)
    y[i] = activate(activation, y[i]);
}

}  // namespace

struct VendorProducts {
  Functions f{};
  cublasLtHandle_t handle = nullptr;
  void* workspace = nullptr;
  std::map<Key, Way> ways;
};

VendorProducts* new_vendor_products(int* version) {
  *version = 0;
  // HEADLIGHT_CUDA_PRODUCTS=own (or plain): the library is left alone, so that tests and compute-sanitizer meet the own kernels.
  const char* const asked = std::getenv("HEADLIGHT_CUDA_PRODUCTS");
  if (asked && (std::strcmp(asked, "own") == 0 || std::strcmp(asked, "plain") == 0)) return nullptr;
  void* library = nullptr;
  const std::string name = "libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR);
#if defined(HEADLIGHT_CUDA_LIBRARIES)
  const std::string beside_compiler = std::string(HEADLIGHT_CUDA_LIBRARIES) + "/" + name;
#else
  const std::string beside_compiler = name;
#endif
  for (const std::string& path : {name, beside_compiler}) {
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library) break;
  }
  VendorProducts* vendor = library ? new (std::nothrow) VendorProducts : nullptr;
  if (!vendor) return nullptr;
  if (!find_all(library, &vendor->f) || vendor->f.create(&vendor->handle) != CUBLAS_STATUS_SUCCESS) {
    delete vendor;
    return nullptr;
  }
  if (cudaMalloc(&vendor->workspace, kWorkspace) != cudaSuccess) {
    cudaGetLastError();
    vendor->workspace = nullptr;  // algorithms that need none remain
  }
  *version = static_cast<int>(vendor->f.version());
  return vendor;
}

void delete_vendor_products(VendorProducts* vendor) {
  if (!vendor) return;
  for (auto& [key, way] : vendor->ways) {
    if (way.description) vendor->f.delete_description(way.description);
    for (cublasLtMatrixLayout_t layout : {way.left, way.right, way.result})
      if (layout) vendor->f.delete_layout(layout);
  }
  vendor->f.destroy(vendor->handle);
  cudaFree(vendor->workspace);
  delete vendor;
}

namespace {

// Describes the product and asks for the best algorithm; `found` stays false where there is none.
Way choose(VendorProducts& vendor, const ProductCall& p, int batches, const std::int64_t* step, const float* b, float* c) {
  const Functions& f = vendor.f;
  Way way;
  const cublasComputeType_t compute = p.precision == kTensorFloat32  ? CUBLAS_COMPUTE_32F_FAST_TF32
                                      : p.precision == kBrainFloat16 ? CUBLAS_COMPUTE_32F_FAST_16BF
                                                                     : CUBLAS_COMPUTE_32F;
  bool done = f.new_description(&way.description, compute, CUDA_R_32F) == CUBLAS_STATUS_SUCCESS;
  const auto describe = [&](cublasLtMatmulDescAttributes_t which, const auto& value) {
    done = done && f.describe(way.description, which, &value, sizeof value) == CUBLAS_STATUS_SUCCESS;
  };
  describe(CUBLASLT_MATMUL_DESC_TRANSA, p.transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
  const bool relu = p.activation == 1;
  describe(CUBLASLT_MATMUL_DESC_EPILOGUE, p.bias ? (relu ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_BIAS)
                                                 : (relu ? CUBLASLT_EPILOGUE_RELU : CUBLASLT_EPILOGUE_DEFAULT));
  if (p.bias) describe(CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
  const auto layout = [&](cublasLtMatrixLayout_t* to, std::int64_t rows, std::int64_t columns, std::int64_t row_step,
                          std::int64_t batch_step) {
    const std::int32_t count = batches;
    done = done && f.new_layout(to, CUDA_R_32F, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns),
                                row_step) == CUBLAS_STATUS_SUCCESS;
    done = done && f.lay_out(*to, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count) == CUBLAS_STATUS_SUCCESS;
    done = done &&
           f.lay_out(*to, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &batch_step, sizeof batch_step) == CUBLAS_STATUS_SUCCESS;
  };
  layout(&way.left, p.transposed ? p.inner : p.columns, p.transposed ? p.columns : p.inner, p.b_row, step[1]);
  layout(&way.right, p.inner, p.rows, p.a_row, step[0]);
  layout(&way.result, p.columns, p.rows, p.c_row, step[2]);
  cublasLtMatmulPreference_t preference = nullptr;
  done = done && f.new_preference(&preference) == CUBLAS_STATUS_SUCCESS;
  const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t which, const auto& value) {
    done = done && f.prefer(preference, which, &value, sizeof value) == CUBLAS_STATUS_SUCCESS;
  };
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, vendor.workspace ? kWorkspace : std::size_t{0});
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(b));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(p.a));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(c));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(c));
  cublasLtMatmulHeuristicResult_t best{};
  int count = 0;
  done = done && f.choose(vendor.handle, way.description, way.left, way.right, way.result, way.result, preference, 1, &best,
                          &count) == CUBLAS_STATUS_SUCCESS;
  if (preference) f.delete_preference(preference);
  way.found = done && count > 0 && best.state == CUBLAS_STATUS_SUCCESS;
  way.algorithm = best.algo;
  return way;
}

}  // namespace

cudaError_t vendor_product(VendorProducts* vendor, const ProductCall& p, const Place& place, bool* fits) {
  const bool several = p.matrices > 1;
  // One launch of the own kernel beats three of the library's where each of them is small.
  const bool small = p.rows * p.inner * p.columns * p.batch[0] * p.batch[1] < kWorthwhile ||
                     (several && p.precision == kFloat32 && p.rows <= 256);
  const bool two_strides = p.batch[0] > 1 && p.batch[1] > 1;
  const bool activates = p.activation > 1;  // no epilogue for the exact gelu and tanh: a pass of its own
  *fits = !small && !two_strides && !p.a2 && !p.skip_zeros &&
          !(activates && (p.c_row != p.columns || several || p.batch[0] * p.batch[1] > 1));
  if (!*fits) return cudaSuccess;
  const int axis = p.batch[0] > 1 ? 0 : 1;
  const auto batches = static_cast<int>(p.batch[axis]);
  const std::int64_t step[3] = {p.a_step[axis], p.b_step[axis], p.c_step[axis]};
  for (int matrix = 0; matrix < p.matrices; ++matrix) {
    const float* const b = p.b[matrix];
    float* const c = p.c[matrix];
    const Key key{p.rows,         p.inner,           p.columns,
                  p.a_row,        p.b_row,           p.c_row,
                  p.transposed,   p.bias != nullptr, p.activation == 1,
                  batches,        step[0],           step[1],
                  step[2],        p.precision,       static_cast<std::int64_t>(alignment_of(p.a)) << 32 | alignment_of(b),
                  alignment_of(c)};
    auto known = vendor->ways.find(key);
    if (known == vendor->ways.end()) known = vendor->ways.emplace(key, choose(*vendor, p, batches, step, b, c)).first;
    const Way& way = known->second;
    if (!way.found) {
      *fits = matrix > 0;  // all alike: the first decides
      return cudaSuccess;
    }
    const float one = 1.0f, zero = 0.0f;
    if (p.bias &&
        vendor->f.describe(way.description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &p.bias, sizeof p.bias) != CUBLAS_STATUS_SUCCESS)
      return cudaErrorUnknown;
    const cublasStatus_t status =
        vendor->f.multiply(vendor->handle, way.description, &one, b, way.left, p.a, way.right, &zero, c, way.result, c,
                           way.result, &way.algorithm, vendor->workspace, vendor->workspace ? kWorkspace : 0, place.stream);
    if (status != CUBLAS_STATUS_SUCCESS) {
      const cudaError_t under = cudaGetLastError();
      return under == cudaSuccess ? cudaErrorUnknown : under;
    }
  }
  if (!activates) return cudaSuccess;
  const std::int64_t count = p.rows * p.columns;
  return launch(activate_all, dim3(blocks_for(count, 256)), dim3(256), 0, place.stream, p.c[0], count, p.activation);
}

}  // namespace headlight::backends::cuda

#endif
