// Matrix products by NVIDIA's cuBLASLt, loaded if the machine has it: the module needs no library of CUDA beyond the driver.
#pragma once

#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {

struct VendorProducts;
// Null where cuBLASLt is not found; `version` is then 0.
VendorProducts* new_vendor_products(int* version);
void delete_vendor_products(VendorProducts* vendor);
// `fits` is false where this call is better done by own kernels, or where the library refuses it; what it may have written then
// is to be written anew.
cudaError_t vendor_product(VendorProducts* vendor, const ProductCall& call, const Place& place, bool* fits);

}  // namespace headlight::backends::cuda
