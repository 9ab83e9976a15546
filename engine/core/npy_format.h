// One array as the bytes of a .npy member. npy.cpp uses this header, as does the .npz writer, which writes the .npy header and
// the elements separately.
#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight::npy {

// Everything before the elements of this tensor.
std::string header(const Tensor& tensor);
// The elements of a contiguous tensor in little-endian order. The program runs on little-endian machines only (checked at build
// time).
std::string_view elements(const Tensor& contiguous);

// The same for a type of elements and for sizes as a Python tuple has them ("2, 3", "4,", "").
// header_of("<f4", "2, 3"): the header of a float32 array [2, 3].
std::string header_of(const std::string& descr, const std::string& shape);

struct Beginning {
  std::string descr;  // the type and size of the elements: "<U12", "<f8"
  Shape shape;
  std::size_t size = 0;  // bytes before the elements
};
// None where the bytes do not begin as a .npy array does.
std::optional<Beginning> beginning(std::string_view bytes);

// An array of numbers as its header describes it; its elements are all there.
struct Described {
  char letter = 'f';     // f, i, u, b; V: bfloat16
  std::size_t size = 4;  // bytes of an element
  bool swapped = false;  // the other byte order
  bool fortran = false;  // the first axis is the fastest
  Shape shape;
  std::size_t begin = 0;  // where the elements begin
};
// Errors, as read_npy() says them: another format, a damaged header, elements that are no numbers read here or that the bytes do
// not hold. described(bytes, "q.npy")
Result<Described> described(std::string_view bytes, const std::string& where);
// One element as its bits, from bytes of this machine's order or, `swapped`, of the other one.
// loaded_bits<std::uint16_t>("\x01\x02", true) is 0x0102.
template <class Bits>
Bits loaded_bits(const void* at, bool swapped) {
  Bits bits;
  std::memcpy(&bits, at, sizeof bits);
  if (swapped) {
    if constexpr (sizeof bits == 2) bits = static_cast<Bits>(__builtin_bswap16(bits));
    if constexpr (sizeof bits == 4) bits = __builtin_bswap32(bits);
    if constexpr (sizeof bits == 8) bits = __builtin_bswap64(bits);
  }
  return bits;
}
// NumPy's name of an element type: "float64" for "<f8", "str" for "<U12".
std::string type_name(std::string_view descr);
// An array of one str, without axes.
std::string text_array(std::string_view text);

}  // namespace headlight::npy
