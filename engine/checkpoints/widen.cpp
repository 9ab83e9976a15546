// Blocks of quantised numbers become float32, field by field as the layouts are published with llama.cpp. Each value is rounded
// where PyPI's `gguf` rounds it: after every product and after every sum, so that this file must not be compiled with fused
// multiply-add (cmake/HeadlightEngine.cmake sees to it).
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>

#include "engine/checkpoints/tensor_file.h"

namespace headlight::checkpoints {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read as they lie in memory");

using Byte = std::uint8_t;

template <class T>
T load(const Byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// Without a branch, so that rows of float16 are converted eight at a time. Exact; NaN keeps its bits.
float half(std::uint16_t bits) {
  const std::uint32_t magnitude = bits & 0x7fffu;
  const std::uint32_t small = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
  const std::uint32_t normal = (magnitude << 13) + (112u << 23), special = magnitude << 13 | 0x7f800000u;
  const std::uint32_t value = magnitude < 0x400u ? small : magnitude < 0x7c00u ? normal : special;
  return std::bit_cast<float>(value | static_cast<std::uint32_t>(bits & 0x8000u) << 16);
}
float half_at(const Byte* at) { return half(load<std::uint16_t>(at)); }

void f32(const Byte* from, float* out) { std::memcpy(out, from, 4); }
void f16(const Byte* from, float* out) { *out = half_at(from); }
void bf16(const Byte* from, float* out) {
  *out = std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(from)) << 16);
}

void f64(const Byte* from, float* out) { *out = static_cast<float>(load<double>(from)); }

void q4_0(const Byte* b, float* out) {
  const float d = half_at(b);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>((b[2 + i] & 15) - 8);
    out[16 + i] = d * static_cast<float>((b[2 + i] >> 4) - 8);
  }
}

void q4_1(const Byte* b, float* out) {
  const float d = half_at(b), m = half_at(b + 2);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(b[4 + i] & 15) + m;
    out[16 + i] = d * static_cast<float>(b[4 + i] >> 4) + m;
  }
}

// The fifth bit of all 32 numbers lies in one word: bit i is number i's.
void q5_0(const Byte* b, float* out) {
  const float d = half_at(b);
  const std::uint32_t high = load<std::uint32_t>(b + 2);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(static_cast<int>((b[6 + i] & 15u) | (high >> i & 1u) << 4) - 16);
    out[16 + i] = d * static_cast<float>(static_cast<int>((b[6 + i] >> 4) | (high >> (16 + i) & 1u) << 4) - 16);
  }
}

void q5_1(const Byte* b, float* out) {
  const float d = half_at(b), m = half_at(b + 2);
  const std::uint32_t high = load<std::uint32_t>(b + 4);
  for (int i = 0; i < 16; ++i) {
    out[i] = d * static_cast<float>(static_cast<int>((b[8 + i] & 15u) | (high >> i & 1u) << 4)) + m;
    out[16 + i] = d * static_cast<float>(static_cast<int>((b[8 + i] >> 4) | (high >> (16 + i) & 1u) << 4)) + m;
  }
}

void q8_0(const Byte* b, float* out) {
  const float d = half_at(b);
  for (int i = 0; i < 32; ++i) out[i] = static_cast<float>(static_cast<std::int8_t>(b[2 + i])) * d;
}

// 16 scales and minima of 4 bits, one for 16 numbers; a byte of qs holds bits of four numbers that lie 32 apart.
void q2_k(const Byte* b, float* out) {
  const Byte *scales = b, *qs = b + 16;
  const float d = half_at(b + 80), m = half_at(b + 82);
  for (int group = 0; group < 16; ++group) {
    const float scale = d * static_cast<float>(scales[group] & 15), least = m * static_cast<float>(scales[group] >> 4);
    const Byte* q = qs + 32 * (group / 8) + 16 * (group % 2);
    const int shift = 2 * (group % 8 / 2);
    for (int i = 0; i < 16; ++i) out[16 * group + i] = scale * static_cast<float>(q[i] >> shift & 3) - least;
  }
}

// As Q2_K, with a third bit from hm (0 there means minus 4) and signed scales of 6 bits: 4 low bits, then 2 high ones.
void q3_k(const Byte* b, float* out) {
  const Byte *hm = b, *qs = b + 32, *scales = b + 96;
  const float d = half_at(b + 108);
  for (int group = 0; group < 16; ++group) {
    const int low = scales[group % 8] >> (4 * (group / 8)) & 15, high = scales[8 + group % 4] >> (2 * (group / 4)) & 3;
    const float scale = d * static_cast<float>((low | high << 4) - 32);
    const Byte *q = qs + 32 * (group / 8) + 16 * (group % 2), *h = hm + 16 * (group % 2);
    const int shift = 2 * (group % 8 / 2), bit = group / 2;
    for (int i = 0; i < 16; ++i)
      out[16 * group + i] = scale * static_cast<float>((q[i] >> shift & 3) - ((h[i] >> bit & 1) ? 0 : 4));
  }
}

// Eight scales and minima of 6 bits in 12 bytes, as Q4_K and Q5_K have them.
std::array<int, 2> scale_and_least(const Byte* s, int j) {
  if (j < 4) return {s[j] & 63, s[j + 4] & 63};
  return {(s[j + 4] & 15) | (s[j - 4] >> 6) << 4, (s[j + 4] >> 4) | (s[j] >> 6) << 4};
}

void q4_k(const Byte* b, float* out) {
  const float d = half_at(b), m = half_at(b + 2);
  const Byte* qs = b + 16;
  for (int j = 0; j < 8; ++j) {
    const auto [s, t] = scale_and_least(b + 4, j);
    const float scale = d * static_cast<float>(s), least = m * static_cast<float>(t);
    const Byte* q = qs + 32 * (j / 2);
    const int shift = 4 * (j % 2);
    for (int i = 0; i < 32; ++i) out[32 * j + i] = scale * static_cast<float>(q[i] >> shift & 15) - least;
  }
}

void q5_k(const Byte* b, float* out) {
  const float d = half_at(b), m = half_at(b + 2);
  const Byte *high = b + 16, *qs = b + 48;
  for (int j = 0; j < 8; ++j) {
    const auto [s, t] = scale_and_least(b + 4, j);
    const float scale = d * static_cast<float>(s), least = m * static_cast<float>(t);
    const Byte* q = qs + 32 * (j / 2);
    const int shift = 4 * (j % 2);
    for (int i = 0; i < 32; ++i)
      out[32 * j + i] = scale * static_cast<float>((q[i] >> shift & 15) | (high[i] >> j & 1) << 4) - least;
  }
}

// 4 low bits in ql, 2 high ones in qh, one signed scale for 16 numbers.
void q6_k(const Byte* b, float* out) {
  const Byte *ql = b, *qh = b + 128, *scales = b + 192;
  const float d = half_at(b + 208);
  for (int group = 0; group < 16; ++group) {
    const float scale = d * static_cast<float>(static_cast<std::int8_t>(scales[group]));
    const int half_block = group / 8, quarter = group % 8 / 2, first = 16 * (group % 2);
    const Byte *low = ql + 64 * half_block + 32 * (quarter % 2) + first, *high = qh + 32 * half_block + first;
    const int low_shift = 4 * (quarter / 2), high_shift = 2 * quarter;
    for (int i = 0; i < 16; ++i)
      out[16 * group + i] = scale * static_cast<float>(((low[i] >> low_shift & 15) | (high[i] >> high_shift & 3) << 4) - 32);
  }
}

template <int kNumbers, int kBytes, void (*kBlock)(const Byte*, float*)>
void each_block(const Byte* from, std::int64_t blocks, float* out) {
  for (std::int64_t i = 0; i < blocks; ++i) kBlock(from + i * kBytes, out + i * kNumbers);
}

}  // namespace

void widen_blocks(StoredType type, const std::byte* bytes, std::int64_t blocks, float* out) {
  const Byte* const from = reinterpret_cast<const Byte*>(bytes);
  switch (type) {
    case StoredType::f32: return each_block<1, 4, f32>(from, blocks, out);
    case StoredType::f16: return each_block<1, 2, f16>(from, blocks, out);
    case StoredType::bf16: return each_block<1, 2, bf16>(from, blocks, out);
    case StoredType::f64: return each_block<1, 8, f64>(from, blocks, out);
    case StoredType::q4_0: return each_block<32, 18, q4_0>(from, blocks, out);
    case StoredType::q4_1: return each_block<32, 20, q4_1>(from, blocks, out);
    case StoredType::q5_0: return each_block<32, 22, q5_0>(from, blocks, out);
    case StoredType::q5_1: return each_block<32, 24, q5_1>(from, blocks, out);
    case StoredType::q8_0: return each_block<32, 34, q8_0>(from, blocks, out);
    case StoredType::q2_k: return each_block<256, 84, q2_k>(from, blocks, out);
    case StoredType::q3_k: return each_block<256, 110, q3_k>(from, blocks, out);
    case StoredType::q4_k: return each_block<256, 144, q4_k>(from, blocks, out);
    case StoredType::q5_k: return each_block<256, 176, q5_k>(from, blocks, out);
    case StoredType::q6_k: return each_block<256, 210, q6_k>(from, blocks, out);
    default: std::fill_n(out, blocks * entry_of(type).block, 0.0f);
  }
}

Status widen(const StoredTensor& tensor, std::int64_t first, std::int64_t count, float* out) {
  if (!can_widen(tensor.type))
    return invalid("the tensor '{}' holds {} numbers, which are not read here", tensor.name, name_of(tensor.type))
        .mend("take a file with one of {}", widened_names());
  const std::int64_t total = element_count(tensor.shape);
  if (first < 0 || count < 0 || first > total - count)
    return failure(ErrorKind::internal, "the tensor '{}' has {} numbers, and {} from number {} on are asked for", tensor.name,
                   total, count, first);
  const StoredTypeEntry& entry = entry_of(tensor.type);
  const auto block_at = [&](std::int64_t block) { return tensor.bytes.data() + block * entry.bytes; };
  std::array<float, 256> part;
  while (count > 0) {
    const std::int64_t block = first / entry.block, inside = first % entry.block;
    std::int64_t taken;
    if (inside == 0 && count >= entry.block) {
      const std::int64_t blocks = count / entry.block;
      widen_blocks(tensor.type, block_at(block), blocks, out);
      taken = blocks * entry.block;
    } else {
      widen_blocks(tensor.type, block_at(block), 1, part.data());
      taken = std::min<std::int64_t>(count, entry.block - inside);
      std::copy_n(part.data() + inside, taken, out);
    }
    first += taken;
    count -= taken;
    out += taken;
  }
  return {};
}

Result<Tensor> widened(const StoredTensor& tensor) {
  try {
    Tensor out(DType::f32, tensor.shape, {}, true);
    HL_TRY(widen(tensor, 0, out.count(), out.data<float>()));
    return out;
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "the tensor '{}' does not fit in memory as float32", tensor.name)
        .mend("close other programs or take a smaller model");
  }
}

}  // namespace headlight::checkpoints
