#include "engine/core/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <new>
#include <optional>
#include <set>
#include <vector>

#include "engine/core/byte_words.h"
#include "engine/core/files.h"
#include "engine/core/float16.h"
#include "engine/core/json.h"
#include "engine/core/text_file.h"
#include "engine/core/whole_file.h"

namespace headlight {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are read and written as they lie in memory");

constexpr std::size_t kSafetensorsMostAxes = 32;
constexpr const char* kMetadata = "__metadata__";
constexpr Phrase<0> kMend = "copy or download the whole file again";

// How the elements of a type lie in the file, and what they become where they are read.
struct ElementType {
  const char* name;
  std::uint64_t bits;
  std::optional<DType> as;
};
constexpr std::array kTypes = {
    ElementType{"F16", 16, DType::f32}, ElementType{"BF16", 16, DType::f32}, ElementType{"F32", 32, DType::f32},
    ElementType{"F64", 64, DType::f64}, ElementType{"I32", 32, DType::i32},  ElementType{"I64", 64, DType::i32},
    ElementType{"U8", 8, DType::u8},    ElementType{"BOOL", 8, DType::u8},   ElementType{"I8", 8, {}},
    ElementType{"I16", 16, {}},         ElementType{"U16", 16, {}},          ElementType{"U32", 32, {}},
    ElementType{"U64", 64, {}},         ElementType{"C64", 64, {}},          ElementType{"F8_E4M3", 8, {}},
    ElementType{"F8_E5M2", 8, {}},      ElementType{"F8_E8M0", 8, {}},       ElementType{"F4", 4, {}}};

Error of_tensor(const std::string& name, const Message& what, const std::string& where, const Message& mend = Message(kMend)) {
  return invalid("the tensor '{}' {}", name, what).at(where).mend(mend);
}

const ElementType* find_type(std::string_view name) {
  const auto at = std::find_if(kTypes.begin(), kTypes.end(), [&](const ElementType& type) { return name == type.name; });
  return at == kTypes.end() ? nullptr : &*at;
}

Error not_read(const std::string& name, const std::string& type, const std::string& where) {
  return of_tensor(name, Message("holds numbers of type '{}', which is not read here", type), where,
                   Message("save it as F32, F16, BF16, F64, I32, I64, U8 or BOOL"));
}

// The shape, whose element count times 8 fits into 63 bits; a size of 0 counts as 1, since strides are products of the others.
Result<Shape> shape_of(const std::string& name, const Json& json, const std::string& where) {
  const Json& sizes = json["shape"];
  if (!sizes.is_array()) return of_tensor(name, Message("has no \"shape\""), where);
  if (sizes.size() > kSafetensorsMostAxes) return of_tensor(name, Message("has more than 32 axes"), where);
  Shape shape;
  std::int64_t product = 8;
  for (const Json& size : sizes.elements()) {
    const std::int64_t n = size.integer();
    if (!size.is_integer() || n < 0) return of_tensor(name, Message("has {} in its shape, which is no size", size.dump()), where);
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(n, 1), &product))
      return of_tensor(name, Message("has the shape {}, larger than any file", sizes.dump()), where);
    shape.push_back(n);
  }
  return shape;
}

// `begin` and `end` count from the end of the header, behind which `data` bytes follow.
Result<DescribedTensor> describe(const std::string& name, const Json& json, std::uint64_t data, const std::string& where) {
  if (!json.is_object()) return of_tensor(name, Message("is not described by an object"), where);
  DescribedTensor out;
  out.name = name;
  const Json& dtype = json["dtype"];
  if (!dtype.is_string()) return of_tensor(name, Message("has no \"dtype\""), where);
  out.type = dtype.string();
  const ElementType* const type = find_type(out.type);
  if (!type) return not_read(name, out.type, where);
  HL_ASSIGN(out.shape, shape_of(name, json, where));
  const Json& offsets = json["data_offsets"];
  const Json &begin = offsets[std::size_t{0}], &end = offsets[std::size_t{1}];
  if (!offsets.is_array() || offsets.size() != 2 || begin.kind() != Json::Kind::integer || end.kind() != Json::Kind::integer ||
      begin.integer() < 0 || end.integer() < begin.integer())
    return of_tensor(name, Message("has no \"data_offsets\" of a beginning and an end behind it"), where);
  out.begin = static_cast<std::uint64_t>(begin.integer());
  out.end = static_cast<std::uint64_t>(end.integer());
  if (out.end > data) return of_tensor(name, Message("is said to end at byte {} of {}", out.end, data), where);
  const auto count = static_cast<std::uint64_t>(element_count(out.shape));  // below 2^60: shape_of() sees to it
  const std::uint64_t needed = type->bits < 8 ? (count * type->bits + 7) / 8 : count * (type->bits / 8);
  if (out.end - out.begin != needed)
    return of_tensor(
        name,
        Message("takes {} bytes, and its shape {} of {} needs {}", out.end - out.begin, to_string(out.shape), out.type, needed),
        where);
  return out;
}

// Every byte belongs to one tensor.
Status check_places(const std::vector<DescribedTensor>& sorted, std::uint64_t data, const std::string& where) {
  std::uint64_t at = 0;
  for (const DescribedTensor& one : sorted) {
    if (one.begin < at) return of_tensor(one.name, Message("overlaps the one before it"), where);
    if (one.begin > at)
      return of_tensor(one.name, Message("leaves {} bytes before it that belong to no tensor", one.begin - at), where);
    at = one.end;
  }
  if (at != data) return invalid("{} bytes behind the last tensor belong to none", data - at).at(where).mend(kMend);
  return {};
}

Result<std::map<std::string, std::string>> metadata_of(const Json& json, const std::string& where) {
  const Error wrong = invalid("\"__metadata__\" is not an object of texts").at(where).mend(kMend);
  if (!json.is_object()) return wrong;
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : json.members()) {
    if (!value.is_string()) return wrong;
    metadata[key] = value.string();
  }
  return metadata;
}

template <class Bits, class Value, class Make>
void convert_each(std::string_view bytes, Value* to, Make make) {
  for (std::size_t i = 0; i < bytes.size() / sizeof(Bits); ++i) {
    Bits bits;
    std::memcpy(&bits, bytes.data() + i * sizeof bits, sizeof bits);
    to[i] = make(bits);
  }
}

Result<Tensor> tensor_of(const DescribedTensor& from, std::string_view bytes, const std::string& where) {
  const std::string_view type = from.type;
  const std::optional<DType> as = find_type(type)->as;
  if (!as) return not_read(from.name, from.type, where);
  Tensor t(*as, from.shape, {}, true);
  if (type == "F16") {
    convert_each<std::uint16_t>(bytes, t.data<float>(), from_float16);
  } else if (type == "BF16") {
    convert_each<std::uint16_t>(bytes, t.data<float>(), from_bfloat16);
  } else if (type == "BOOL") {
    convert_each<std::uint8_t>(bytes, t.data<std::uint8_t>(), [](std::uint8_t b) { return std::uint8_t{b != 0}; });
  } else if (type == "I64") {
    std::int64_t wrong = 0;
    convert_each<std::int64_t>(bytes, t.data<std::int32_t>(), [&](std::int64_t n) {
      if (!std::in_range<std::int32_t>(n)) wrong = n;
      return static_cast<std::int32_t>(n);
    });
    if (wrong != 0)
      return of_tensor(from.name, Message("holds {}, which does not fit into 32 bits", wrong), where,
                       Message("keep integers between -2147483648 and 2147483647"));
  } else {
    std::memcpy(t.raw(), bytes.data(), bytes.size());
  }
  return t;
}

Result<std::string_view> header_text(std::string_view bytes, const std::string& where, std::uint64_t longest) {
  HL_TRY(refuse_pointer(bytes, where));
  if (bytes.size() < 8)
    return invalid("is no safetensors file: it has {} bytes, and a header's length takes 8", bytes.size()).at(where).mend(kMend);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  if (length > longest)
    return invalid("is no safetensors file: its header would take {}, and {} are the most",
                   byte_words(static_cast<double>(length)), byte_words(static_cast<double>(longest)))
        .at(where)
        .mend(kMend);
  if (length > bytes.size() - 8)
    return invalid("is cut off: its header takes {} bytes, and {} follow", length, bytes.size() - 8).at(where).mend(kMend);
  const std::string_view text = bytes.substr(8, static_cast<std::size_t>(length));
  if (text.empty() || text.front() != '{')
    return invalid("is no safetensors file: its header is no JSON object").at(where).mend(kMend);
  return text;
}

Result<SafetensorsHeader> read_header(std::string_view bytes, const std::string& where, std::uint64_t longest) {
  HL_ASSIGN(const std::string_view text, header_text(bytes, where, longest));
  HL_ASSIGN(const Json header, Json::parse_unique(text, where, Message(kMend)));
  const std::uint64_t before = 8 + text.size(), data = bytes.size() - before;
  SafetensorsHeader out;
  for (const auto& [name, json] : header.members()) {
    if (name == kMetadata) {
      HL_ASSIGN(out.metadata, metadata_of(json, where));
      continue;
    }
    HL_ASSIGN(DescribedTensor one, describe(name, json, data, where));
    out.tensors.push_back(std::move(one));
  }
  std::stable_sort(out.tensors.begin(), out.tensors.end(), [](const DescribedTensor& a, const DescribedTensor& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  HL_TRY(check_places(out.tensors, data, where));
  for (DescribedTensor& one : out.tensors) {
    one.begin += before;
    one.end += before;
  }
  return out;
}

Result<Safetensors> read(std::string_view bytes, const std::string& where) {
  HL_ASSIGN(SafetensorsHeader header, read_header(bytes, where, kLongestSafetensorsHeader));
  Safetensors out;
  out.metadata = std::move(header.metadata);
  for (const DescribedTensor& one : header.tensors) {
    const std::string_view own = bytes.substr(static_cast<std::size_t>(one.begin), static_cast<std::size_t>(one.end - one.begin));
    HL_ASSIGN(Tensor t, tensor_of(one, own, where));
    out.tensors.emplace_back(one.name, std::move(t));
  }
  return out;
}

// Runs `body`, whose memory may not suffice.
template <class Body>
auto in_memory(const std::string& where, Body body) -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "does not fit in memory").at(where).mend("give a smaller one");
  }
}

const ElementType& stored_type(const Tensor& tensor, StoredReal real) {
  if (tensor.dtype() == DType::i32) return kTypes[4];
  if (tensor.dtype() == DType::u8) return kTypes[6];
  return real == StoredReal::f16 ? kTypes[0] : kTypes[2];
}

// The tensor's bytes as they are stored.
Result<std::string> stored_bytes(const std::string& name, const Tensor& tensor, StoredReal real, const std::string& where) {
  const bool is_real = tensor.dtype() == DType::f32 || tensor.dtype() == DType::f64;
  const Tensor flat = (is_real ? tensor.as(DType::f32) : tensor).compact();
  if (!is_real || real == StoredReal::f32) return std::string(reinterpret_cast<const char*>(flat.raw()), flat.bytes());
  std::string bytes(static_cast<std::size_t>(flat.count()) * 2, '\0');
  const auto values = flat.values<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint16_t bits = to_float16(values[i]);
    if (std::isfinite(values[i]) && (bits & 0x7fffu) == 0x7c00u)
      return of_tensor(name, Message("holds {} at place {}, beyond float16's 65504", std::to_string(values[i]), i), where,
                       Message("store it as float32"));
    std::memcpy(bytes.data() + 2 * i, &bits, 2);
  }
  return bytes;
}

// The header's length and the header, filled up with spaces so that the tensors begin at a multiple of 8.
Result<std::string> header_of(const Safetensors& file, const std::vector<std::size_t>& order, StoredReal real,
                              const std::string& where) {
  std::vector<Json::Member> members;
  if (!file.metadata.empty()) members.push_back({kMetadata, Json(file.metadata)});
  std::set<std::string> names;
  std::uint64_t at = 0;
  for (const std::size_t i : order) {
    const auto& [name, tensor] = file.tensors[i];
    if (name.empty() || name == kMetadata || !Json::can_hold(name) || !names.insert(name).second)
      return invalid("a tensor cannot be named '{}'", name).at(where).mend("give each a name of its own, in UTF-8");
    const ElementType& type = stored_type(tensor, real);
    const std::uint64_t end = at + static_cast<std::uint64_t>(tensor.count()) * type.bits / 8;
    Json shape = Json::array();
    for (const std::int64_t size : tensor.shape()) shape.push_back(size);
    members.push_back(
        {name, Json::object({{"dtype", type.name}, {"shape", std::move(shape)}, {"data_offsets", Json::array({at, end})}})});
    at = end;
  }
  std::string text = Json::object_of(std::move(members)).dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + text;
}

}  // namespace

Result<Safetensors> read_safetensors(std::string_view bytes, const std::string& where) {
  return in_memory(where, [&] { return read(bytes, where); });
}

Result<SafetensorsHeader> read_safetensors_header(std::string_view bytes, const std::string& where, std::uint64_t longest) {
  return in_memory(where, [&] { return read_header(bytes, where, longest); });
}

Result<Safetensors> read_safetensors_file(const std::filesystem::path& path) {
  HL_ASSIGN(const std::string bytes, read_file(path));
  return read_safetensors(bytes, path.string());
}

Status write_safetensors(const std::filesystem::path& path, const Safetensors& file, StoredReal real) {
  // Wide elements first, so that each tensor begins at a multiple of its elements' size.
  std::vector<std::size_t> order(file.tensors.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return stored_type(file.tensors[a].second, real).bits > stored_type(file.tensors[b].second, real).bits;
  });
  HL_ASSIGN(const std::string header, header_of(file, order, real, path.string()));
  HL_ASSIGN(WholeFile out, WholeFile::create(path));
  HL_TRY(out.write(header));
  for (const std::size_t i : order) {
    HL_ASSIGN(const std::string bytes, stored_bytes(file.tensors[i].first, file.tensors[i].second, real, path.string()));
    HL_TRY(out.write(bytes));
  }
  return out.finish();
}

}  // namespace headlight
