// The metadata of a GGUF file: keys with typed values. Arrays stay in the file and are decoded when someone asks for them, since
// a vocabulary has a quarter of a million texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headlight::checkpoints {

// The types of values, by their numbers in the file.
enum class GgufType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64 };

struct GgufValue {
  GgufType type = GgufType::u8;
  std::int64_t integer = 0;         // of integers and booleans; a u64 beyond int64 wraps around
  double real = 0;                  // of f32 and f64
  GgufType element = GgufType::u8;  // of an array
  std::uint64_t count = 0;          // elements of an array
  std::string_view bytes;           // a text, or an array's elements; in the mapped file
};

class ByteCursor;
// Reads a number, boolean or text of value.type into `value`. False: the bytes end before, or it is an array.
bool read_gguf_scalar(ByteCursor& from, GgufValue& value);

// Every function gives nothing (or an empty vector) where the key is absent or its value is of another kind. Metadata belongs to
// the TensorFile it came from and must not outlive it.
class GgufMetadata {
 public:
  const GgufValue* find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key) != nullptr; }

  std::optional<std::int64_t> integer(std::string_view key) const;  // any integer type; not booleans
  std::optional<double> real(std::string_view key) const;           // f32, f64 or any integer type
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<std::string> text(std::string_view key) const;
  // Arrays. integers() takes booleans too; a value that is no array is an array of one element.
  std::vector<std::int64_t> integers(std::string_view key) const;
  std::vector<double> reals(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;

  const std::vector<std::pair<std::string, GgufValue>>& all() const { return values_; }  // in the order of their keys
  // The key must not be there yet: false if it is. Values are added in any order, then sorted by finish().
  void add(std::string key, const GgufValue& value) { values_.emplace_back(std::move(key), value); }
  bool finish();  // sorts; false if a key is there twice

 private:
  std::vector<std::pair<std::string, GgufValue>> values_;
};

}  // namespace headlight::checkpoints
