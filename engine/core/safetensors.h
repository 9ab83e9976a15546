// The safetensors format: a header's length (8 bytes, little-endian), a JSON header of names with type, shape and place, and the
// tensors' bytes, one behind the other (https://github.com/huggingface/safetensors). Nothing in it can be executed, and every
// statement of a header is checked against the file before it is used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/npy.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight {

struct Safetensors {
  NamedTensors tensors;                         // a read file's: in the order of their bytes
  std::map<std::string, std::string> metadata;  // the header's "__metadata__"
};

// Reads F16, BF16 and F32 (as f32), F64 (f64), I32 and I64 (i32, range-checked), U8 and BOOL (u8), C order. Errors, naming
// `where` and the tensor: a header longer than the file or than 100 MB, one that is no JSON object or has a name twice, a type
// that is not read, a negative or overflowing shape, places outside the file, a size that is not shape times type, tensors that
// overlap or leave bytes between or behind them. read_safetensors(bytes, "model.safetensors"): the name is for the errors alone.
Result<Safetensors> read_safetensors(std::string_view bytes, const std::string& where);
Result<Safetensors> read_safetensors_file(const std::filesystem::path& path);  // also read_file's errors

// A tensor as a header describes it, and its bytes [begin, end) in the file.
struct DescribedTensor {
  std::string name, type;  // "BF16"
  Shape shape;
  std::uint64_t begin = 0, end = 0;
};
struct SafetensorsHeader {
  std::vector<DescribedTensor> tensors;  // in the order of their bytes
  std::map<std::string, std::string> metadata;
};
// The header alone, of a file whose bytes are `bytes`; nothing behind it is read. Every type of the format is described, read
// here or not. Errors: those of read_safetensors() that concern the header; one longer than `longest` bytes.
// read_safetensors_header(mapped, "model.safetensors") tells where each tensor lies.
inline constexpr std::uint64_t kLongestSafetensorsHeader = 100'000'000;  // the reference implementation's limit
Result<SafetensorsHeader> read_safetensors_header(std::string_view bytes, const std::string& where,
                                                  std::uint64_t longest = kLongestSafetensorsHeader);

// How f32 and f64 tensors are written.
enum class StoredReal { f16, f32 };
// Writes the file whole or not at all; i32 as I32, u8 as U8. Errors: a name that is empty, no UTF-8 or there twice; with f16 a
// finite number that rounds beyond 65,504, named with its tensor and place; write_file's.
// write_safetensors("model.safetensors", {{{"wq", wq}}, {}}, StoredReal::f16) writes the tensor wq as F16.
Status write_safetensors(const std::filesystem::path& path, const Safetensors& file, StoredReal real);

}  // namespace headlight
