// Matrix products by NVIDIA's cuBLASLt. The library is loaded only if it is installed, so that the module needs no CUDA library
// besides the driver.
#pragma once

#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {

struct VendorProducts;
// Loads cuBLASLt and sets *version to its version. Null if the library is not found; *version is then 0.
VendorProducts* new_vendor_products(int* version);
void delete_vendor_products(VendorProducts* vendor);
// Computes a product by the library. Sets *fits to false if our own kernels are faster for this call, or if the library refuses
// it; the output may then be partly written and must be computed anew. vendor_product(vendor, call, place, &fits)
cudaError_t vendor_product(VendorProducts* vendor, const ProductCall& call, const Place& place, bool* fits);

}  // namespace headlight::backends::cuda
