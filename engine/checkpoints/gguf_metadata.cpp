#include "engine/checkpoints/gguf_metadata.h"

#include <algorithm>

#include "engine/checkpoints/byte_cursor.h"
#include "engine/core/sorting.h"

namespace headlight::checkpoints {
namespace {

bool is_integer(GgufType type) {
  return type != GgufType::f32 && type != GgufType::f64 && type != GgufType::boolean && type != GgufType::text &&
         type != GgufType::array;
}
bool is_real(GgufType type) { return type == GgufType::f32 || type == GgufType::f64; }

template <class T>
bool read_as_integer(ByteCursor& from, GgufValue& value) {
  T number{};
  if (!from.read(number)) return false;
  value.integer = static_cast<std::int64_t>(number);
  return true;
}

template <class T>
bool read_as_real(ByteCursor& from, GgufValue& value) {
  T number{};
  if (!from.read(number)) return false;
  value.real = static_cast<double>(number);
  return true;
}

double as_real(const GgufValue& value) {
  if (is_real(value.type)) return value.real;
  return value.type == GgufType::u64 ? static_cast<double>(static_cast<std::uint64_t>(value.integer))
                                     : static_cast<double>(value.integer);
}

// Hands the elements of an array (or the value itself) to `take` while the file has them: it may have changed since it was
// checked.
template <class Take>
void for_each(const GgufValue* value, Take take) {
  if (!value) return;
  if (value->type != GgufType::array) return take(*value);
  ByteCursor from(value->bytes);
  GgufValue element;
  element.type = value->element;
  for (std::uint64_t i = 0; i < value->count && read_gguf_scalar(from, element); ++i) take(element);
}

}  // namespace

bool read_gguf_scalar(ByteCursor& from, GgufValue& value) {
  switch (value.type) {
    case GgufType::u8:
    case GgufType::boolean: return read_as_integer<std::uint8_t>(from, value);
    case GgufType::i8: return read_as_integer<std::int8_t>(from, value);
    case GgufType::u16: return read_as_integer<std::uint16_t>(from, value);
    case GgufType::i16: return read_as_integer<std::int16_t>(from, value);
    case GgufType::u32: return read_as_integer<std::uint32_t>(from, value);
    case GgufType::i32: return read_as_integer<std::int32_t>(from, value);
    case GgufType::u64: return read_as_integer<std::uint64_t>(from, value);
    case GgufType::i64: return read_as_integer<std::int64_t>(from, value);
    case GgufType::f32: return read_as_real<float>(from, value);
    case GgufType::f64: return read_as_real<double>(from, value);
    case GgufType::text: return from.read_text(value.bytes);
    case GgufType::array: return false;
  }
  return false;
}

const GgufValue* GgufMetadata::find(std::string_view key) const {
  const auto at = std::lower_bound(values_.begin(), values_.end(), key,
                                   [](const auto& one, std::string_view wanted) { return one.first < wanted; });
  return at != values_.end() && at->first == key ? &at->second : nullptr;
}

std::optional<std::int64_t> GgufMetadata::integer(std::string_view key) const {
  const GgufValue* value = find(key);
  if (!value || !is_integer(value->type)) return {};
  return value->integer;
}

std::optional<double> GgufMetadata::real(std::string_view key) const {
  const GgufValue* value = find(key);
  if (!value || (!is_real(value->type) && !is_integer(value->type))) return {};
  return as_real(*value);
}

std::optional<bool> GgufMetadata::boolean(std::string_view key) const {
  const GgufValue* value = find(key);
  if (!value || value->type != GgufType::boolean) return {};
  return value->integer != 0;
}

std::optional<std::string> GgufMetadata::text(std::string_view key) const {
  const GgufValue* value = find(key);
  if (!value || value->type != GgufType::text) return {};
  return std::string(value->bytes);
}

std::vector<std::int64_t> GgufMetadata::integers(std::string_view key) const {
  std::vector<std::int64_t> out;
  for_each(find(key), [&](const GgufValue& one) {
    if (is_integer(one.type) || one.type == GgufType::boolean) out.push_back(one.integer);
  });
  return out;
}

std::vector<double> GgufMetadata::reals(std::string_view key) const {
  std::vector<double> out;
  for_each(find(key), [&](const GgufValue& one) {
    if (is_real(one.type) || is_integer(one.type)) out.push_back(as_real(one));
  });
  return out;
}

std::vector<std::string> GgufMetadata::texts(std::string_view key) const {
  std::vector<std::string> out;
  for_each(find(key), [&](const GgufValue& one) {
    if (one.type == GgufType::text) out.emplace_back(one.bytes);
  });
  return out;
}

bool GgufMetadata::finish() {
  sort_stably(values_, [](const auto& a, const auto& b) { return a.first < b.first; });
  return std::adjacent_find(values_.begin(), values_.end(), [](const auto& a, const auto& b) { return a.first == b.first; }) ==
         values_.end();
}

}  // namespace headlight::checkpoints
