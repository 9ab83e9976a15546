// How the numbers of a published checkpoint lie in its file: one by one, or in blocks of 32 or 256 that share scales.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace headlight::checkpoints {

enum class StoredType : std::uint8_t {
  f32,
  f16,
  bf16,
  q4_0,
  q4_1,
  q5_0,
  q5_1,
  q8_0,
  q2_k,
  q3_k,
  q4_k,
  q5_k,
  q6_k,
  f64,
  // Known, so that a file that has them is described; widen() refuses them.
  i64,
  i32,
  i16,
  i8,
  u64,
  u32,
  u16,
  u8,
  boolean,
  c64,
  f8_e4m3,
  f8_e5m2,
  f8_e8m0,
  f4,
  q8_1,
  q8_k,
  iq1_s,
  iq1_m,
  iq2_xxs,
  iq2_xs,
  iq2_s,
  iq3_xxs,
  iq3_s,
  iq4_nl,
  iq4_xs,
  tq1_0,
  tq2_0,
  mxfp4,
  nvfp4,
  q1_0,
};

struct StoredTypeEntry {
  StoredType type;
  const char* name;            // "Q4_1", as the formats write it
  std::uint32_t block, bytes;  // a block of so many numbers takes so many bytes
  int gguf;                    // its number in GGUF; -1: no type of GGUF
  bool safetensors;            // a type of safetensors, under its name
};

std::span<const StoredTypeEntry> stored_types();
const StoredTypeEntry& entry_of(StoredType type);
inline const char* name_of(StoredType type) { return entry_of(type).name; }
// Whether widen() reads it: F32, F16, BF16, the block types up to Q6_K, and F64, which is rounded.
constexpr bool can_widen(StoredType type) { return type <= StoredType::f64; }
// Whether the CPU's products read it as it is stored. F64 is widened and packed before.
constexpr bool can_multiply(StoredType type) { return type <= StoredType::q6_k; }
constexpr bool is_quantised(StoredType type) { return type > StoredType::bf16 && type <= StoredType::q6_k; }
std::string widened_names();  // "F32, F16, BF16, Q4_0, …"

const StoredTypeEntry* gguf_type(std::uint32_t number);          // null: unknown
const StoredTypeEntry* safetensors_type(std::string_view name);  // null: unknown

}  // namespace headlight::checkpoints
