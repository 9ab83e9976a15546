#include "engine/checkpoints/finite.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace headlight::checkpoints {
namespace {

// A number whose exponent has only ones is NaN or infinite. One more in the exponent's last place then carries into the sign's
// place, which is masked out before: several numbers are tested in one word.
struct Lanes {
  std::uint64_t exponents, ones;
};
constexpr Lanes kF32 = {0x7f8000007f800000, 0x0080000000800000};
constexpr Lanes kF16 = {0x7c007c007c007c00, 0x0400040004000400};
constexpr Lanes kBf16 = {0x7f807f807f807f80, 0x0080008000800080};

bool is_finite(std::uint64_t word, Lanes lanes) {
  return (((word & lanes.exponents) + lanes.ones) & (lanes.exponents + lanes.ones)) == 0;
}

bool numbers_are_finite(const std::byte* from, std::int64_t bytes, Lanes lanes) {
  for (std::int64_t at = 0; at < bytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + at, static_cast<std::size_t>(std::min<std::int64_t>(8, bytes - at)));
    if (!is_finite(word, lanes)) return false;
  }
  return true;
}

// float64 numbers, which become float32: a number beyond its range becomes infinite.
bool rounded_are_finite(const std::byte* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    double number = 0;
    std::memcpy(&number, from + 8 * i, 8);
    if (!std::isfinite(static_cast<float>(number))) return false;
  }
  return true;
}

// `count` float16 numbers stand at `place` in each block: its scale, and its least number where it has one.
bool scales_are_finite(const std::byte* from, std::int64_t blocks, std::int64_t size, std::int64_t place, std::size_t count) {
  for (std::int64_t i = 0; i < blocks; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + i * size + place, 2 * count);
    if (!is_finite(word, kF16)) return false;
  }
  return true;
}

}  // namespace

bool are_finite(StoredType type, const std::byte* from, std::int64_t blocks) {
  const std::int64_t size = entry_of(type).bytes;
  switch (type) {
    case StoredType::f32: return numbers_are_finite(from, blocks * size, kF32);
    case StoredType::f16: return numbers_are_finite(from, blocks * size, kF16);
    case StoredType::bf16: return numbers_are_finite(from, blocks * size, kBf16);
    case StoredType::f64: return rounded_are_finite(from, blocks);
    case StoredType::q4_0:
    case StoredType::q5_0:
    case StoredType::q8_0: return scales_are_finite(from, blocks, size, 0, 1);
    case StoredType::q4_1:
    case StoredType::q5_1:
    case StoredType::q4_k:
    case StoredType::q5_k: return scales_are_finite(from, blocks, size, 0, 2);
    case StoredType::q2_k: return scales_are_finite(from, blocks, size, 80, 2);
    case StoredType::q3_k: return scales_are_finite(from, blocks, size, 108, 1);
    case StoredType::q6_k: return scales_are_finite(from, blocks, size, 208, 1);
    default: return true;  // numbers that are not widened
  }
}

}  // namespace headlight::checkpoints
