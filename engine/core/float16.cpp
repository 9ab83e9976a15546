#include "engine/core/float16.h"

#include <bit>
#include <cmath>

namespace headlight {

float from_float16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = bits >> 10 & 31u, fraction = bits & 1023u;
  if (exponent == 0) {  // zero and subnormal numbers: fraction * 2^-24
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13 | (fraction ? 0x400000u : 0u));
  return std::bit_cast<float>(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

float from_bfloat16(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

std::uint16_t to_float16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);  // NaN
  if (magnitude >= std::bit_cast<std::uint32_t>(65520.0f)) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < std::bit_cast<std::uint32_t>(0x1p-14f)) {  // below the normal numbers: a whole number of 2^-24
    const float steps = std::nearbyint(std::bit_cast<float>(magnitude) * 0x1p24f);
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(steps));
  }
  // 13 bits go: half of the last bit that stays is added, without its last unit where that bit is 0, so that ties go to even.
  const std::uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
  return static_cast<std::uint16_t>(sign | ((rounded >> 13) - ((127u - 15u) << 10)));
}

}  // namespace headlight
