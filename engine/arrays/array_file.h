// Arrays and texts that somebody else wrote, as they lie in a file: .npy, .npz, .safetensors, JSON with nested lists, or a page
// that Headlight exported. What
// they mean is the business of reading.h. Files are mapped: only what is looked at is read, and widened while it is read. Nothing
// in a file is executed, and every statement of a header is checked against the file before it is used.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight::arrays {

enum class Element : std::uint8_t { f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean };
const char* name_of(Element element);  // "float16"
std::size_t size_of(Element element);  // bytes

// An array of numbers in a file, or of a file's part in memory.
struct Array {
  std::string name;
  Element element = Element::f32;
  bool swapped = false;  // the other byte order
  Shape shape;
  Shape strides;  // in elements: Fortran order has the first axis as the fastest
  const std::byte* bytes = nullptr;
  std::shared_ptr<const void> storage;  // keeps the bytes

  std::int64_t count() const { return element_count(shape); }
};
// The type that holds the array's numbers exactly, or nearly: float64 of float64, 32 and 64-bit integers, else float32.
DType real_of(Element element);
// The numbers at `begin`, begin + stride, ... (in elements), as float or double.
void read_run(const Array& array, std::int64_t begin, std::int64_t stride, std::int64_t count, float* out);
void read_run(const Array& array, std::int64_t begin, std::int64_t stride, std::int64_t count, double* out);

// The whole array in row-major order, as real_of() says; JSON's null is minus infinity. Error: the machine has not enough memory.
Result<Tensor> whole(const Array& array);

// JSON's null, which stands for minus infinity among scores: a NaN of its own, as double and as float.
inline constexpr double kNull = std::bit_cast<double>(std::uint64_t{0x7ffa110000000000});
inline bool is_null(double number) { return std::bit_cast<std::uint64_t>(number) == std::bit_cast<std::uint64_t>(kNull); }

// Lists of texts: of one sentence, or of several.
struct Texts {
  std::string name;
  bool alone = false;  // a text that is no list: a whole sentence, perhaps
  std::vector<std::vector<std::string>> lists;
};

struct File {
  std::string where;           // the file's path, for errors
  std::string kind;            // ".npz", ".npy", ".safetensors", ".json", ".html"
  std::uint64_t bytes = 0;     // of the file
  std::uint64_t unpacked = 0;  // of what had to be unpacked into memory
  std::vector<Array> arrays;   // in the file's order; a .npy's one array has the file's name
  std::vector<Texts> texts;
  std::vector<Message> left_out;  // "'stats' holds lists of different lengths": what of it is not read
  std::shared_ptr<const void> storage;
  std::function<bool()> intact = [] { return true; };

  const Texts* text(std::string_view name) const;
};

// Errors: the file's; another format, with what it is; a damaged archive, header or JSON; pickled objects, which are not
// unpickled; an array of more than kMostUnpacked bytes that would have to be unpacked; a file without arrays of numbers.
// open("attn.npz")
inline constexpr std::uint64_t kMostUnpacked = std::uint64_t{4} << 30;
inline constexpr std::uint64_t kMostJson = std::uint64_t{1} << 30;
Result<std::shared_ptr<const File>> open(const std::filesystem::path& path);
// The same of a file's bytes, which a session keeps.
Result<std::shared_ptr<const File>> open(std::shared_ptr<const std::string> bytes, const std::string& where);

// Of the whole file up to 16 MiB; of a larger one, of its size and of 256 blocks of 64 KiB that are spread over it.
// "sha256:…", "sha256-of-blocks:…"
Result<std::string> checksum(const std::filesystem::path& path);

}  // namespace headlight::arrays
