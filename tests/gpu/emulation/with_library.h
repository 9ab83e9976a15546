// While it exists, new sessions use the emulated cuBLASLt and give it every product that it can do.
#pragma once

#include <cstdlib>

#include "gpu/emulation/emulated_module.h"

namespace headlight::emulation {

class WithLibrary {
 public:
  WithLibrary() {
    set_products_library(true);
    ::setenv("HEADLIGHT_CUDA_PRODUCTS", "library", 1);
  }
  ~WithLibrary() {
    set_products_library(false);
    ::unsetenv("HEADLIGHT_CUDA_PRODUCTS");
  }
  WithLibrary(const WithLibrary&) = delete;
  WithLibrary& operator=(const WithLibrary&) = delete;
};

}  // namespace headlight::emulation
