// Matrix products by NVIDIA's cuBLASLt, which is loaded if it is installed: the module needs no CUDA library besides the driver.
#pragma once

#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {

struct VendorProducts;
// Null where cuBLASLt is not found; `version` is then 0.
VendorProducts* new_vendor_products(int* version);
void delete_vendor_products(VendorProducts* vendor);
// `fits` becomes false where our own kernels are faster for this call, or where the library refuses it. The output may then be
// partly written and must be computed anew.
cudaError_t vendor_product(VendorProducts* vendor, const ProductCall& call, const Place& place, bool* fits);

}  // namespace headlight::backends::cuda
