// One array as the bytes of a .npy member; shared by npy.cpp and the .npz writer, which streams header and values.
#pragma once

#include <string>
#include <string_view>

#include "engine/core/tensor.h"

namespace headlight::npy {

std::string header(const Tensor& tensor);
// The elements of a contiguous tensor in little-endian order; the program runs on such machines only (checked at build time).
std::string_view elements(const Tensor& contiguous);

}  // namespace headlight::npy
