#include "engine/backends/cuda/vendor_products.h"

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
