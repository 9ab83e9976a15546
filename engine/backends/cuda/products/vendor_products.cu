// Matrix products by cuBLASLt for a ProductCall: y = x W, one or a batch with one stride, bias and ReLU in its epilogue. cuBLASLt
// knows column-major arrays; a row-major array is a transposed column-major one, so c^T = b^T a^T is computed. The algorithm it
// found best for a shape is remembered. If it refuses a product, our own kernel computes it.
#include "engine/backends/cuda/products/vendor_products.h"

#if defined(HEADLIGHT_CUBLAS_EMULATION)  // tests
#include HEADLIGHT_CUBLAS_EMULATION
#define HL_CUBLAS 1
#elif __has_include(<cublasLt.h>)
#include <cublasLt.h>
#include <dlfcn.h>
#define HL_CUBLAS 1
#else
#define HL_CUBLAS 0
#endif

#if !HL_CUBLAS

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

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <string>

namespace headlight::backends::cuda {

struct VendorProducts {
  // The library's functions, looked up by name. No inline code of its headers is used, so nothing links to the library.
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

  using Key = std::array<std::int64_t, 16>;
  struct Way {
    cublasLtMatmulDesc_t description = nullptr;
    cublasLtMatrixLayout_t left = nullptr, right = nullptr, result = nullptr;
    cublasLtMatmulAlgo_t algorithm{};
    bool found = false;
  };

  Functions f{};
  bool always = false;  // use the library whatever the size
  cublasLtHandle_t handle = nullptr;
  void* workspace = nullptr;
  std::map<Key, Way> ways;
};

namespace {

using Key = VendorProducts::Key;
using Way = VendorProducts::Way;

constexpr std::size_t kWorkspace = 32u << 20;
constexpr std::int64_t kMostBatches = 65535;   // the library puts batches into one dimension of its grids
constexpr std::int64_t kWorthwhile = 1 << 20;  // below this many multiplications our own launch is as fast

#if defined(HEADLIGHT_CUBLAS_EMULATION)
void* open_library() { return headlight::emulation::products_library(); }
void* function_of(void*, const char* name) { return headlight::emulation::products_function(name); }
#else
void* open_library() {
  const std::string name = "libcublasLt.so." + std::to_string(CUBLAS_VER_MAJOR);
#if defined(HEADLIGHT_CUDA_LIBRARIES)
  const std::string beside_compiler = std::string(HEADLIGHT_CUDA_LIBRARIES) + "/" + name;
#else
  const std::string beside_compiler = name;
#endif
  for (const std::string& path : {name, beside_compiler})
    if (void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  return nullptr;
}
void* function_of(void* library, const char* name) { return dlsym(library, name); }
#endif

template <class Function>
bool find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(function_of(library, name));
  return *function != nullptr;
}
bool find_all(void* library, VendorProducts::Functions* f) {
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

std::uint32_t alignment_of(const void* address) {
  const auto bits = reinterpret_cast<std::uintptr_t>(address) | 256u;
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

__global__ void activate_all(float* y, std::int64_t count, int activation) {
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += static_cast<std::int64_t>(gridDim.x) * blockDim.x)
    y[i] = activate(activation, y[i]);
}

// Whether the library merely refuses this product, so that our own kernel can compute it; any other status is a failure of the
// GPU.
bool is_refusal(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_NOT_SUPPORTED:
    case CUBLAS_STATUS_INVALID_VALUE:
    case CUBLAS_STATUS_ARCH_MISMATCH:
    case CUBLAS_STATUS_ALLOC_FAILED:
    case CUBLAS_STATUS_INTERNAL_ERROR: return true;
    default: return false;
  }
}

// Calls a function of the library that may reach the GPU. Returns the library's status, and in `under` the CUDA error if it is
// more than a refusal.
template <class Call>
cublasStatus_t asked(cudaError_t* under, Call&& call) {
  *under = called([] { return cudaSuccess; });
  if (*under != cudaSuccess) return CUBLAS_STATUS_EXECUTION_FAILED;
  const cublasStatus_t status = call();
  if (status == CUBLAS_STATUS_SUCCESS) return status;
  *under = cudaGetLastError();
  if (is_refusal(status) && kind_of(*under) != kLost) *under = cudaSuccess;
  if (!is_refusal(status) && *under == cudaSuccess) *under = cudaErrorUnknown;
  return status;
}

}  // namespace

VendorProducts* new_vendor_products(int* version) {
  *version = 0;
  // HEADLIGHT_CUDA_PRODUCTS=own (or plain) turns the library off, so that tests and compute-sanitizer run our own kernels;
  // =library gives it every product it can do, whatever the size.
  constexpr const char* kAsked = "HEADLIGHT_CUDA_PRODUCTS";
  if (asked_for(kAsked, "own") || asked_for(kAsked, "plain")) return nullptr;
  void* const library = open_library();
  VendorProducts* vendor = library ? new (std::nothrow) VendorProducts : nullptr;
  if (!vendor) return nullptr;
  vendor->always = asked_for(kAsked, "library");
  cudaError_t under = cudaSuccess;
  if (!find_all(library, &vendor->f) ||
      asked(&under, [&] { return vendor->f.create(&vendor->handle); }) != CUBLAS_STATUS_SUCCESS) {
    delete vendor;
    return nullptr;
  }
  if (called([&] { return cudaMalloc(&vendor->workspace, kWorkspace); }) != cudaSuccess) {
    cudaGetLastError();
    vendor->workspace = nullptr;  // only algorithms that need no workspace remain
  }
  *version = static_cast<int>(vendor->f.version());
  return vendor;
}

namespace {

void drop(VendorProducts& vendor, const Way& way) {
  if (way.description) vendor.f.delete_description(way.description);
  for (cublasLtMatrixLayout_t layout : {way.left, way.right, way.result})
    if (layout) vendor.f.delete_layout(layout);
}

}  // namespace

void delete_vendor_products(VendorProducts* vendor) {
  if (!vendor) return;
  for (const auto& [key, way] : vendor->ways) drop(*vendor, way);
  vendor->f.destroy(vendor->handle);
  cudaFree(vendor->workspace);
  cudaGetLastError();
  delete vendor;
}

namespace {

// Describes the product and asks for the best algorithm; `found` stays false where there is none. `under` receives the CUDA
// error, if that is the reason.
Way choose(VendorProducts& vendor, const ProductCall& p, int batches, const std::int64_t* step, const float* b, float* c,
           cudaError_t* under) {
  const VendorProducts::Functions& f = vendor.f;
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
  done = done && asked(under, [&] {
                   return f.choose(vendor.handle, way.description, way.left, way.right, way.result, way.result, preference, 1,
                                   &best, &count);
                 }) == CUBLAS_STATUS_SUCCESS;
  if (preference) f.delete_preference(preference);
  way.found = done && count > 0 && best.state == CUBLAS_STATUS_SUCCESS;
  way.algorithm = best.algo;
  return way;
}

bool suits(const VendorProducts& vendor, const ProductCall& p, const Place& place) {
  const std::int64_t batches = p.batch[0] * p.batch[1];
  const bool several = p.matrices > 1;
  const bool two_strides = p.batch[0] > 1 && p.batch[1] > 1;
  // the library has no epilogue for the exact gelu and tanh: they run in a pass of their own
  const bool activates = p.activation > 1;
  if (two_strides || p.a2 || p.skip_zeros || batches > kMostBatches ||
      (activates && (p.c_row != p.columns || several || batches > 1)))
    return false;
  if (vendor.always) return true;
  // Where each product is small, one launch of our own kernel is faster than three of the library's.
  return p.rows * p.inner * p.columns * batches >= kWorthwhile && !(several && p.precision == kFloat32 && p.rows <= 256) &&
         !product_is_of_few_tiles(p, place);
}

}  // namespace

cudaError_t vendor_product(VendorProducts* vendor, const ProductCall& p, const Place& place, bool* fits) {
  *fits = suits(*vendor, p, place);
  if (!*fits) return cudaSuccess;
  const int axis = p.batch[0] > 1 ? 0 : 1;
  const auto batches = static_cast<int>(p.batch[axis]);
  const std::int64_t step[3] = {p.a_step[axis], p.b_step[axis], p.c_step[axis]};
  Way* ways[3] = {};
  for (int matrix = 0; matrix < p.matrices; ++matrix) {  // all algorithms are found before anything is multiplied
    const float* const b = p.b[matrix];
    float* const c = p.c[matrix];
    const Key key{p.rows,         p.inner,           p.columns,
                  p.a_row,        p.b_row,           p.c_row,
                  p.transposed,   p.bias != nullptr, p.activation == 1,
                  batches,        step[0],           step[1],
                  step[2],        p.precision,       static_cast<std::int64_t>(alignment_of(p.a)) << 32 | alignment_of(b),
                  alignment_of(c)};
    auto known = vendor->ways.find(key);
    if (known == vendor->ways.end()) {
      cudaError_t under = cudaSuccess;
      Way way = choose(*vendor, p, batches, step, b, c, &under);
      if (under != cudaSuccess) {
        drop(*vendor, way);
        return under;
      }
      known = vendor->ways.emplace(key, way).first;
    }
    if (!known->second.found) {
      *fits = false;
      return cudaSuccess;
    }
    ways[matrix] = &known->second;
  }
  for (int matrix = 0; matrix < p.matrices; ++matrix) {
    Way& way = *ways[matrix];
    const float one = 1.0f, zero = 0.0f;
    cudaError_t under = cudaSuccess;
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    if (p.bias) status = vendor->f.describe(way.description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &p.bias, sizeof p.bias);
    if (status == CUBLAS_STATUS_SUCCESS) {
      status = asked(&under, [&] {
        return vendor->f.multiply(vendor->handle, way.description, &one, p.b[matrix], way.left, p.a, way.right, &zero,
                                  p.c[matrix], way.result, p.c[matrix], way.result, &way.algorithm, vendor->workspace,
                                  vendor->workspace ? kWorkspace : 0, place.stream);
      });
    }
    if (status == CUBLAS_STATUS_SUCCESS) continue;
    if (under != cudaSuccess) return under;
    way.found = false;  // the library is not asked again; what it already multiplied is computed anew
    *fits = false;
    return cudaSuccess;
  }
  if (p.activation <= 1) return cudaSuccess;
  const std::int64_t count = p.rows * p.columns;
  return launch(activate_all, dim3(blocks_for(count, 256)), dim3(256), 0, place.stream, p.c[0], count, p.activation);
}

}  // namespace headlight::backends::cuda

#endif
