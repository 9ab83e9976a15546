// One array as the bytes of a .npy member. npy.cpp uses this, and the .npz writer, which writes header and values separately.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/tensor.h"

namespace headlight::npy {

std::string header(const Tensor& tensor);
// The elements of a contiguous tensor in little-endian order. The program runs on little-endian machines only (checked at build
// time).
std::string_view elements(const Tensor& contiguous);

}  // namespace headlight::npy
