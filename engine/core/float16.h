// The two 16-bit floating-point formats of stored weights, as bits; the program computes in float32.
#pragma once

#include <cstdint>

namespace headlight {

// IEEE 754 binary16: 1 sign, 5 exponent and 10 fraction bits. Exact, also for subnormal numbers, infinities and NaN.
float from_float16(std::uint16_t bits);
// bfloat16: the upper half of a float32. Exact.
float from_bfloat16(std::uint16_t bits);
// The nearest binary16 number, ties to the one whose last bit is 0. From 65,520 on (half a step beyond the largest number,
// 65,504) it is infinity; NaN stays NaN.
std::uint16_t to_float16(float value);

}  // namespace headlight
