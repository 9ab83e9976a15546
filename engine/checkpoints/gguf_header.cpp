#include "engine/checkpoints/gguf_header.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/checkpoints/byte_cursor.h"
#include "engine/checkpoints/mends.h"
#include "engine/core/sorting.h"

namespace headlight::checkpoints {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read as they lie in memory");

constexpr std::uint64_t kMostTensors = 1'000'000, kMostKeys = 100'000, kMostElements = std::uint64_t{1} << 26;
constexpr std::uint64_t kLongestName = 65'535;  // the format's limit for keys
constexpr int kMostAxes = 4, kDeepestArray = 4;

// The bytes that a value of a type takes; of a text the fewest: its length.
std::uint64_t fewest_bytes(GgufType type) {
  switch (type) {
    case GgufType::u8:
    case GgufType::i8:
    case GgufType::boolean: return 1;
    case GgufType::u16:
    case GgufType::i16: return 2;
    case GgufType::u32:
    case GgufType::i32:
    case GgufType::f32: return 4;
    case GgufType::text:
    case GgufType::u64:
    case GgufType::i64:
    case GgufType::f64: return 8;
    case GgufType::array: return 12;
  }
  return 1;
}

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& where) : from_(bytes), bytes_(bytes), where_(where) {}

  Result<GgufMetadata> metadata(std::string_view until);
  Result<std::vector<StoredTensor>> tensors(const GgufMetadata& metadata);

 private:
  struct Placed {
    StoredTensor tensor;
    std::uint64_t begin = 0, size = 0;  // from the beginning of the data
  };

  Status beginning();
  Status value(const std::string& key, GgufValue& out);
  Status array(const std::string& key, GgufValue& out, int depth);
  Result<Placed> tensor(std::uint64_t number);
  Status place(std::vector<Placed>& placed, std::uint64_t alignment);

  Failure cut_off(const Message& in) const { return invalid("is cut off in {}", in).at(where_).mend(kCopyFile); }
  Failure of_key(const std::string& key, const Message& what) const {
    return invalid("the key '{}' {}", key, what).at(where_).mend(kCopyFile);
  }
  Failure of_tensor(const std::string& name, const Message& what) const {
    return invalid("the tensor '{}' {}", name, what).at(where_).mend(kCopyFile);
  }

  ByteCursor from_;
  std::string_view bytes_;
  const std::string& where_;
  std::uint64_t tensor_count_ = 0, key_count_ = 0;
  std::uint64_t elements_ = 0;  // of all arrays so far
};

Status Reader::beginning() {
  std::uint32_t magic = 0, version = 0;
  if (!from_.read(magic) || !looks_like_gguf(bytes_)) return invalid("is no GGUF file").at(where_).mend(kCopyFile);
  if (!from_.read(version)) return cut_off(Message("its first bytes"));
  if (version != 2 && version != 3) {
    const bool turned = (version & 0xffffu) == 0;
    if (turned)
      return invalid("is a GGUF file of a big-endian machine")
          .at(where_)
          .mend("convert it with gguf_convert_endian.py of llama.cpp");
    return invalid("is a GGUF file of version {}, and versions 2 and 3 are read", version)
        .at(where_)
        .mend("convert the model again with today's llama.cpp");
  }
  if (!from_.read(tensor_count_) || !from_.read(key_count_)) return cut_off(Message("its first bytes"));
  // A key takes at least its length, a type and a byte; a tensor its name's length, a number of axes, a type and a place.
  if (tensor_count_ > kMostTensors || tensor_count_ > from_.left() / 24)
    return invalid("claims {} tensors, more than a file of {} bytes can have", tensor_count_, bytes_.size())
        .at(where_)
        .mend(kCopyFile);
  if (key_count_ > kMostKeys || key_count_ > from_.left() / 13)
    return invalid("claims {} keys, more than a file of {} bytes can have", key_count_, bytes_.size()).at(where_).mend(kCopyFile);
  return {};
}

Status Reader::array(const std::string& key, GgufValue& out, int depth) {
  std::uint32_t element = 0;
  if (!from_.read(element) || !from_.read(out.count)) return cut_off(Message("the array '{}'", key));
  if (element > static_cast<std::uint32_t>(GgufType::f64))
    return of_key(key, Message("is an array of the unknown type {}", element));
  out.element = static_cast<GgufType>(element);
  if (out.count > kMostElements - elements_ || out.count > from_.left() / fewest_bytes(out.element))
    return of_key(key, Message("claims {} elements, more than the file can have", out.count));
  elements_ += out.count;
  const std::uint64_t begin = from_.at();
  if (out.element == GgufType::array) {
    if (depth == kDeepestArray) return of_key(key, Message("is nested more than {} deep", kDeepestArray));
    GgufValue inner;
    for (std::uint64_t i = 0; i < out.count; ++i) HL_TRY(array(key, inner, depth + 1));
  } else if (out.element == GgufType::text) {
    std::string_view text;
    for (std::uint64_t i = 0; i < out.count; ++i)
      if (!from_.read_text(text)) return cut_off(Message("element {} of the array '{}'", i, key));
  } else {
    std::string_view taken;
    if (!from_.take(out.count * fewest_bytes(out.element), taken)) return cut_off(Message("the array '{}'", key));
  }
  out.bytes = bytes_.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(from_.at() - begin));
  return {};
}

Status Reader::value(const std::string& key, GgufValue& out) {
  std::uint32_t type = 0;
  if (!from_.read(type)) return cut_off(Message("the key '{}'", key));
  if (type > static_cast<std::uint32_t>(GgufType::f64)) return of_key(key, Message("has the unknown type {}", type));
  out.type = static_cast<GgufType>(type);
  if (out.type == GgufType::array) return array(key, out, 1);
  if (!read_gguf_scalar(from_, out)) return cut_off(Message("the key '{}'", key));
  return {};
}

Result<GgufMetadata> Reader::metadata(std::string_view until) {
  HL_TRY(beginning());
  GgufMetadata out;
  for (std::uint64_t i = 0; i < key_count_; ++i) {
    std::string_view key;
    if (!from_.read_text(key)) return cut_off(Message("key number {}", i));
    if (key.size() > kLongestName) return invalid("key number {} has {} bytes", i, key.size()).at(where_).mend(kCopyFile);
    if (!until.empty() && key.starts_with(until)) break;
    GgufValue one;
    HL_TRY(value(std::string(key), one));
    out.add(std::string(key), one);
  }
  if (!out.finish()) return invalid("has a key twice").at(where_).mend(kCopyFile);
  return out;
}

Result<Reader::Placed> Reader::tensor(std::uint64_t number) {
  Placed out;
  std::string_view name;
  std::uint32_t axes = 0, type = 0;
  if (!from_.read_text(name)) return cut_off(Message("tensor number {}", number));
  if (name.empty() || name.size() > kLongestName)
    return invalid("the name of tensor number {} has {} bytes", number, name.size()).at(where_).mend(kCopyFile);
  out.tensor.name = name;
  if (!from_.read(axes)) return cut_off(Message("the tensor '{}'", out.tensor.name));
  if (axes > kMostAxes) return of_tensor(out.tensor.name, Message("has {} axes, and {} are the most", axes, kMostAxes));
  std::uint64_t count = 1, padded = 8;  // the second with sizes of 0 counted as 1, since strides are products of the others
  out.tensor.shape.resize(axes);
  for (std::uint32_t i = 0; i < axes; ++i) {
    std::uint64_t size = 0;
    if (!from_.read(size)) return cut_off(Message("the tensor '{}'", out.tensor.name));
    if (__builtin_mul_overflow(padded, std::max<std::uint64_t>(size, 1), &padded) || padded > std::uint64_t{1} << 62)
      return of_tensor(out.tensor.name, Message("has a shape larger than any file"));
    count *= size;
    out.tensor.shape[axes - 1 - i] = static_cast<std::int64_t>(size);
  }
  if (!from_.read(type) || !from_.read(out.begin)) return cut_off(Message("the tensor '{}'", out.tensor.name));
  const StoredTypeEntry* const entry = gguf_type(type);
  if (!entry)
    return invalid("the tensor '{}' is stored as type {} of GGUF, which is not known here", out.tensor.name, type)
        .at(where_)
        .mend("take a file with one of {}", widened_names());
  out.tensor.type = entry->type;
  const std::uint64_t row = axes == 0 ? 1 : static_cast<std::uint64_t>(out.tensor.shape.back());
  if (row % entry->block != 0)
    return of_tensor(out.tensor.name, Message("has rows of {} numbers, which {} does not divide into blocks of {}", row,
                                              entry->name, entry->block));
  out.size = count / entry->block * entry->bytes;
  return out;
}

// Gives each tensor its bytes, in the order of their places.
Status Reader::place(std::vector<Placed>& placed, std::uint64_t alignment) {
  const std::uint64_t data = (from_.at() + alignment - 1) / alignment * alignment;
  const std::uint64_t room = data > bytes_.size() ? 0 : bytes_.size() - data;
  sort_stably(placed, [](const Placed& a, const Placed& b) { return std::pair(a.begin, a.size) < std::pair(b.begin, b.size); });
  std::uint64_t end = 0;
  for (Placed& one : placed) {
    const std::string& name = one.tensor.name;
    if (one.begin % alignment != 0) return of_tensor(name, Message("begins at byte {}, no multiple of {}", one.begin, alignment));
    if (one.begin > room || one.size > room - one.begin)
      return of_tensor(
          name, Message("takes {} bytes from byte {} on, and the file has {} bytes of tensors", one.size, one.begin, room));
    if (one.begin < end) return of_tensor(name, Message("overlaps the one before it"));
    end = one.begin + one.size;
    if (one.size == 0) continue;
    const std::string_view own = bytes_.substr(static_cast<std::size_t>(data + one.begin), static_cast<std::size_t>(one.size));
    one.tensor.bytes = {reinterpret_cast<const std::byte*>(own.data()), own.size()};
  }
  return {};
}

Result<std::vector<StoredTensor>> Reader::tensors(const GgufMetadata& metadata) {
  const std::int64_t alignment = metadata.contains("general.alignment") ? metadata.integer("general.alignment").value_or(0) : 32;
  if (alignment < 1 || alignment > (1 << 20) || !std::has_single_bit(static_cast<std::uint64_t>(alignment)))
    return of_key("general.alignment", Message("is no power of two up to 1048576"));
  std::vector<Placed> placed;
  placed.reserve(static_cast<std::size_t>(tensor_count_));
  for (std::uint64_t i = 0; i < tensor_count_; ++i) {
    HL_ASSIGN(Placed one, tensor(i));
    placed.push_back(std::move(one));
  }
  HL_TRY(place(placed, static_cast<std::uint64_t>(alignment)));
  std::vector<StoredTensor> out;
  out.reserve(placed.size());
  for (Placed& one : placed) out.push_back(std::move(one.tensor));
  return out;
}

}  // namespace

bool looks_like_gguf(std::string_view bytes) { return bytes.starts_with("GGUF"); }

Result<GgufHeader> read_gguf_header(std::string_view bytes, const std::string& where) {
  Reader reader(bytes, where);
  GgufHeader out;
  HL_ASSIGN(out.metadata, reader.metadata({}));
  HL_ASSIGN(out.tensors, reader.tensors(out.metadata));
  return out;
}

Result<GgufMetadata> read_gguf_metadata(std::string_view bytes, const std::string& where, std::string_view until) {
  return Reader(bytes, where).metadata(until);
}

}  // namespace headlight::checkpoints
