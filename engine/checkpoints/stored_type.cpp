#include "engine/checkpoints/stored_type.h"

#include <algorithm>
#include <array>

namespace headlight::checkpoints {
namespace {

using T = StoredType;

// In the order of StoredType, so that entry_of() is an index.
constexpr std::array kTypes = {
    StoredTypeEntry{T::f32, "F32", 1, 4, 0, true},
    StoredTypeEntry{T::f16, "F16", 1, 2, 1, true},
    StoredTypeEntry{T::bf16, "BF16", 1, 2, 30, true},
    StoredTypeEntry{T::q4_0, "Q4_0", 32, 18, 2, false},
    StoredTypeEntry{T::q4_1, "Q4_1", 32, 20, 3, false},
    StoredTypeEntry{T::q5_0, "Q5_0", 32, 22, 6, false},
    StoredTypeEntry{T::q5_1, "Q5_1", 32, 24, 7, false},
    StoredTypeEntry{T::q8_0, "Q8_0", 32, 34, 8, false},
    StoredTypeEntry{T::q2_k, "Q2_K", 256, 84, 10, false},
    StoredTypeEntry{T::q3_k, "Q3_K", 256, 110, 11, false},
    StoredTypeEntry{T::q4_k, "Q4_K", 256, 144, 12, false},
    StoredTypeEntry{T::q5_k, "Q5_K", 256, 176, 13, false},
    StoredTypeEntry{T::q6_k, "Q6_K", 256, 210, 14, false},
    StoredTypeEntry{T::f64, "F64", 1, 8, 28, true},
    StoredTypeEntry{T::i64, "I64", 1, 8, 27, true},
    StoredTypeEntry{T::i32, "I32", 1, 4, 26, true},
    StoredTypeEntry{T::i16, "I16", 1, 2, 25, true},
    StoredTypeEntry{T::i8, "I8", 1, 1, 24, true},
    StoredTypeEntry{T::u64, "U64", 1, 8, -1, true},
    StoredTypeEntry{T::u32, "U32", 1, 4, -1, true},
    StoredTypeEntry{T::u16, "U16", 1, 2, -1, true},
    StoredTypeEntry{T::u8, "U8", 1, 1, -1, true},
    StoredTypeEntry{T::boolean, "BOOL", 1, 1, -1, true},
    StoredTypeEntry{T::c64, "C64", 1, 8, -1, true},
    StoredTypeEntry{T::f8_e4m3, "F8_E4M3", 1, 1, -1, true},
    StoredTypeEntry{T::f8_e5m2, "F8_E5M2", 1, 1, -1, true},
    StoredTypeEntry{T::f8_e8m0, "F8_E8M0", 1, 1, -1, true},
    StoredTypeEntry{T::f4, "F4", 2, 1, -1, true},
    StoredTypeEntry{T::q8_1, "Q8_1", 32, 40, 9, false},
    StoredTypeEntry{T::q8_k, "Q8_K", 256, 292, 15, false},
    StoredTypeEntry{T::iq1_s, "IQ1_S", 256, 50, 19, false},
    StoredTypeEntry{T::iq1_m, "IQ1_M", 256, 56, 29, false},
    StoredTypeEntry{T::iq2_xxs, "IQ2_XXS", 256, 66, 16, false},
    StoredTypeEntry{T::iq2_xs, "IQ2_XS", 256, 74, 17, false},
    StoredTypeEntry{T::iq2_s, "IQ2_S", 256, 82, 22, false},
    StoredTypeEntry{T::iq3_xxs, "IQ3_XXS", 256, 98, 18, false},
    StoredTypeEntry{T::iq3_s, "IQ3_S", 256, 110, 21, false},
    StoredTypeEntry{T::iq4_nl, "IQ4_NL", 32, 18, 20, false},
    StoredTypeEntry{T::iq4_xs, "IQ4_XS", 256, 136, 23, false},
    StoredTypeEntry{T::tq1_0, "TQ1_0", 256, 54, 34, false},
    StoredTypeEntry{T::tq2_0, "TQ2_0", 256, 66, 35, false},
    StoredTypeEntry{T::mxfp4, "MXFP4", 32, 17, 39, false},
    StoredTypeEntry{T::nvfp4, "NVFP4", 64, 36, 40, false},
    StoredTypeEntry{T::q1_0, "Q1_0", 128, 18, 41, false},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTypes.size(); ++i)
    if (static_cast<std::size_t>(kTypes[i].type) != i) return false;
  return true;
}
static_assert(in_order() && kTypes.back().type == T::q1_0, "one entry a type, in its order");

}  // namespace

std::span<const StoredTypeEntry> stored_types() { return kTypes; }

const StoredTypeEntry& entry_of(StoredType type) { return kTypes[static_cast<std::size_t>(type)]; }

std::string widened_names() {
  std::string names;
  for (const StoredTypeEntry& entry : kTypes)
    if (can_widen(entry.type)) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

const StoredTypeEntry* gguf_type(std::uint32_t number) {
  const auto at = std::find_if(kTypes.begin(), kTypes.end(),
                               [&](const auto& one) { return one.gguf >= 0 && static_cast<std::uint32_t>(one.gguf) == number; });
  return at == kTypes.end() ? nullptr : &*at;
}

const StoredTypeEntry* safetensors_type(std::string_view name) {
  const auto at =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& one) { return one.safetensors && name == one.name; });
  return at == kTypes.end() ? nullptr : &*at;
}

}  // namespace headlight::checkpoints
