// The .npy format: magic, version, header length, a Python dictionary literal, elements (numpy.lib.format).
#include "engine/core/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "engine/core/float16.h"
#include "engine/core/foreign_file.h"
#include "engine/core/npy_format.h"

namespace headlight {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie in memory");

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kMostAxes = 32;  // NumPy's own limit

struct Header {
  std::string descr;
  bool fortran = false;
  Shape shape;
  std::size_t size = 0;  // where the elements begin
};

// The dictionary literal {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }: the few Python forms that NumPy writes.
class Literal {
 public:
  explicit Literal(std::string_view text) : text_(text) {}

  bool take(char c) {
    skip();
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool word(std::string_view w) {
    skip();
    if (text_.substr(0, w.size()) != w) return false;
    text_.remove_prefix(w.size());
    return true;
  }
  std::optional<std::string> quoted() {
    skip();
    if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) return {};
    const std::size_t end = text_.find(text_.front(), 1);
    if (end == std::string_view::npos) return {};
    std::string s(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return s;
  }
  std::optional<std::int64_t> integer() {
    skip();
    std::int64_t n = 0;
    const auto [stop, problem] = std::from_chars(text_.data(), text_.data() + text_.size(), n);
    if (problem != std::errc()) return {};
    text_.remove_prefix(static_cast<std::size_t>(stop - text_.data()));
    if (!text_.empty() && text_.front() == 'L') text_.remove_prefix(1);  // a Python 2 integer
    return n;
  }
  bool at_end() {
    skip();
    return text_.empty();
  }
  bool next_is(char c) {
    skip();
    return !text_.empty() && text_.front() == c;
  }
  // A record of one field, [('name', '<u2')]: the name and the type of its elements.
  std::optional<std::pair<std::string, std::string>> only_field() {
    if (!take('[') || !take('(')) return {};
    const auto name = quoted();
    if (!name || !take(',')) return {};
    const auto type = quoted();
    if (!type || !take(')')) return {};
    take(',');
    if (!take(']')) return {};
    return std::pair(*name, *type);
  }

 private:
  void skip() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n' || text_.front() == '\t')) text_.remove_prefix(1);
  }
  std::string_view text_;
};

Error malformed(const std::string& where, const Message& what) {
  return invalid("is not a readable .npy array: {}", what).at(where).mend("write it again with numpy.save");
}

// ONNX's types for NumPy are records of one field whose name is the type: ('bfloat16', '<u2'), ('e4m3fn', '|u1').
std::string type_of_field(const std::string& name, const std::string& type) {
  if (name == "bfloat16") return type.starts_with('>') ? ">V2" : "<V2";
  return name.starts_with("e4m3") || name.starts_with("e5m2") ? "float8_" + name : type;
}

Result<Header> read_header(std::string_view bytes, const std::string& where) {
  if (bytes.size() < 10 || bytes.substr(0, 6) != kMagic) return malformed(where, Message("it does not begin with NumPy's mark"));
  const int major = static_cast<unsigned char>(bytes[6]);
  if (major < 1 || major > 3) return malformed(where, Message("format version {} is not known", major));
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (bytes.size() < 8 + length_bytes) return malformed(where, Message("its header is cut off"));
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes[8 + i]);
  if (length > bytes.size() - 8 - length_bytes) return malformed(where, Message("its header is cut off"));

  Header header;
  header.size = 8 + length_bytes + length;
  Literal text(bytes.substr(8 + length_bytes, length));
  const Error bad = malformed(where, Message("its header is not the dictionary of descr, fortran_order and shape"));
  if (!text.take('{')) return bad;
  bool has_descr = false, has_order = false, has_shape = false;
  while (!text.take('}')) {
    const auto key = text.quoted();
    if (!key || !text.take(':')) return bad;
    if (*key == "descr") {
      if (text.next_is('[')) {
        const auto field = text.only_field();
        if (!field)
          return invalid("holds records with several fields").at(where).mend("save one field of them as an array of its own");
        header.descr = type_of_field(field->first, field->second);
      } else {
        const auto descr = text.quoted();
        if (!descr) return bad;
        header.descr = *descr;
      }
      has_descr = true;
    } else if (*key == "fortran_order") {
      header.fortran = text.word("True");
      if (!header.fortran && !text.word("False")) return bad;
      has_order = true;
    } else if (*key == "shape") {
      if (!text.take('(')) return bad;
      while (!text.take(')')) {
        const auto size = text.integer();
        if (!size) return bad;
        if (*size < 0) return malformed(where, Message("an axis has the negative size {}", *size));
        header.shape.push_back(*size);
        if (header.shape.size() > kMostAxes) return malformed(where, Message("it has more than 32 axes"));
        if (!text.take(',') && !text.next_is(')')) return bad;
      }
      has_shape = true;
    } else {
      return bad;
    }
    if (!text.take(',') && !text.next_is('}')) return bad;
  }
  if (!has_descr || !has_order || !has_shape || !text.at_end()) return bad;
  return header;
}

struct Kind {
  bool swapped = false;
  char letter = 0;  // f, i, u, b; V: bfloat16
  std::size_t size = 0;
};

// ml_dtypes, which gives NumPy the types of neural networks, stores bfloat16 as two bytes of no known type, '<V2' or '|V2'. Of
// its types of one byte only float8_e5m2 can be told from the others: its descr is '<f1'.
bool is_bfloat16(std::string_view descr) { return descr == "bfloat16" || (descr.size() == 3 && descr.substr(1) == "V2"); }

Failure refused_type(const std::string& descr, const std::string& where) {
  const std::string type = npy::type_name(descr);
  if (descr == "|O")
    return invalid("holds Python objects, which are not read because a pickle can run code")
        .at(where)
        .mend("save each array of numbers with a name of its own: numpy.savez(\"arrays.npz\", q=q, k=k)");
  if (type.starts_with("float8") || type.starts_with("float4") || type.starts_with("float6"))
    return invalid("holds {}, which is not read here", type)
        .at(where)
        .mend("save it as .astype(\"float32\"), which keeps every value of it");
  return invalid("holds elements of NumPy type '{}', which is not a number that is read here", descr)
      .at(where)
      .mend("convert it with .astype('float32') or .astype('int32')");
}

Result<Kind> kind_of(const std::string& descr, const std::string& where) {
  Kind kind;
  if (is_bfloat16(descr)) return Kind{descr.front() == '>', 'V', 2};
  if (descr.size() >= 3 && std::strchr("<>|=", descr[0])) {
    kind.swapped = descr[0] == '>';
    kind.letter = descr[1];
    const auto [stop, problem] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), kind.size);
    const bool whole = problem == std::errc() && stop == descr.data() + descr.size();
    const bool power = kind.size == 1 || kind.size == 2 || kind.size == 4 || kind.size == 8;
    if (whole && ((kind.letter == 'f' && power && kind.size > 1) || (kind.letter == 'b' && kind.size == 1) ||
                  ((kind.letter == 'i' || kind.letter == 'u') && power))) {
      return kind;
    }
  }
  return refused_type(descr, where);
}

// Integers of any width as int32, or where one does not fit, as float64. Error: neither holds one of them exactly.
template <class Bits, class Integer>
Status convert_integers(const char* in, bool swapped, Tensor& out, const std::string& where) {
  const auto at = [&](std::int64_t i) {
    return static_cast<Integer>(npy::loaded_bits<Bits>(in + static_cast<std::size_t>(i) * sizeof(Bits), swapped));
  };
  const std::int64_t count = out.count();
  std::int64_t i = 0;
  for (auto* values = out.data<std::int32_t>(); i < count && std::in_range<std::int32_t>(at(i)); ++i)
    values[i] = static_cast<std::int32_t>(at(i));
  if (i == count) return {};
  out = Tensor(DType::f64, out.shape(), {}, true);
  // The first power of two that the type does not hold, beyond which a double must not be converted back.
  const double end = std::ldexp(1.0, std::numeric_limits<Integer>::digits);
  for (i = 0; i < count; ++i) {
    const Integer n = at(i);
    const auto real = static_cast<double>(n);
    if (real >= end || static_cast<Integer>(real) != n)
      return invalid("holds the integer {} at place {}, which float64 does not hold exactly", n, i)
          .at(where)
          .mend("keep integers between -2^53 and 2^53");
    out.data<double>()[i] = real;
  }
  return {};
}

Status convert(const Kind& kind, const char* in, std::int64_t count, Tensor& out, const std::string& where) {
  const auto each = [&](auto bits, auto* values, auto make) {
    using Bits = decltype(bits);
    for (std::int64_t i = 0; i < count; ++i)
      values[i] = make(npy::loaded_bits<Bits>(in + static_cast<std::size_t>(i) * sizeof(Bits), kind.swapped));
  };
  if (kind.letter == 'V') {
    each(std::uint16_t{}, out.data<float>(), from_bfloat16);
    return {};
  }
  if (kind.letter == 'f') {
    if (kind.size == 2) each(std::uint16_t{}, out.data<float>(), from_float16);
    if (kind.size == 4) each(std::uint32_t{}, out.data<float>(), [](std::uint32_t b) { return std::bit_cast<float>(b); });
    if (kind.size == 8) each(std::uint64_t{}, out.data<double>(), [](std::uint64_t b) { return std::bit_cast<double>(b); });
    return {};
  }
  if (kind.size == 1 && kind.letter != 'i') {
    const bool truth = kind.letter == 'b';
    each(std::uint8_t{}, out.data<std::uint8_t>(), [truth](std::uint8_t b) { return truth ? std::uint8_t{b != 0} : b; });
    return {};
  }
  const bool sign = kind.letter == 'i';
  if (kind.size == 1) return convert_integers<std::uint8_t, std::int8_t>(in, false, out, where);
  if (kind.size == 2) {
    return sign ? convert_integers<std::uint16_t, std::int16_t>(in, kind.swapped, out, where)
                : convert_integers<std::uint16_t, std::uint16_t>(in, kind.swapped, out, where);
  }
  if (kind.size == 4) {
    return sign ? convert_integers<std::uint32_t, std::int32_t>(in, kind.swapped, out, where)
                : convert_integers<std::uint32_t, std::uint32_t>(in, kind.swapped, out, where);
  }
  return sign ? convert_integers<std::uint64_t, std::int64_t>(in, kind.swapped, out, where)
              : convert_integers<std::uint64_t, std::uint64_t>(in, kind.swapped, out, where);
}

DType dtype_for(const Kind& kind) {
  if (kind.letter == 'V') return DType::f32;
  if (kind.letter == 'f') return kind.size == 8 ? DType::f64 : DType::f32;
  return kind.size == 1 && kind.letter != 'i' ? DType::u8 : DType::i32;
}

}  // namespace

Result<npy::Described> npy::described(std::string_view bytes, const std::string& where) {
  if (const auto foreign = foreign_file(bytes, where, {})) return foreign->refused(where, ".npy");
  HL_ASSIGN(Header header, read_header(bytes, where));
  HL_ASSIGN(const Kind kind, kind_of(header.descr, where));
  // A size of 0 makes the count 0, but the strides are products of the other sizes, so both products must fit.
  std::int64_t product = 8;
  std::int64_t count = 1;
  for (const std::int64_t size : header.shape) {
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(size, 1), &product)) {
      return malformed(where, Message("its shape {} is larger than any file", to_string(header.shape)));
    }
    count *= size;
  }
  const std::size_t there = bytes.size() - header.size;
  if (static_cast<std::uint64_t>(count) > there / kind.size) {
    return malformed(where, Message("its shape {} needs {} bytes, but {} are there", to_string(header.shape),
                                    static_cast<std::uint64_t>(count) * kind.size, there));
  }
  return Described{kind.letter, kind.size, kind.swapped, header.fortran, std::move(header.shape), header.size};
}

Result<Tensor> read_npy(std::string_view bytes, const std::string& where) {
  HL_ASSIGN(const npy::Described header, npy::described(bytes, where));
  const Kind kind{header.swapped, header.letter, header.size};
  try {
    Shape stored = header.shape;
    if (header.fortran) stored.assign(header.shape.rbegin(), header.shape.rend());
    Tensor tensor(dtype_for(kind), stored, {}, true);
    HL_TRY(convert(kind, bytes.data() + header.begin, tensor.count(), tensor, where));
    if (!header.fortran || stored.size() < 2) return tensor;
    std::vector<int> reversed;
    for (int axis = static_cast<int>(stored.size()); axis-- > 0;) reversed.push_back(axis);
    return tensor.permuted(reversed).compact();
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "an array of shape {} does not fit in memory", to_string(header.shape))
        .at(where)
        .mend("give a smaller one");
  }
}

namespace npy {

std::string header_of(const std::string& descr, const std::string& shape) {
  std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The elements must begin at a multiple of 64 bytes, so the dictionary is padded with spaces and ends with a newline.
  std::size_t prefix = 10;
  if (prefix + text.size() + 64 > 65535) prefix = 12;
  text.append(63 - (prefix + text.size()) % 64, ' ');
  text += '\n';
  std::string bytes(kMagic);
  bytes += prefix == 10 ? '\1' : '\2';
  bytes += '\0';
  for (std::size_t i = 0; i < prefix - 8; ++i) bytes += static_cast<char>(text.size() >> (8 * i) & 255);
  return bytes + text;
}

std::optional<Beginning> beginning(std::string_view bytes) {
  const auto read = read_header(bytes, {});
  if (!read) return {};
  return Beginning{read->descr, read->shape, read->size};
}

std::string header(const Tensor& tensor) {
  const char* descr = "<f4";
  switch (tensor.dtype()) {
    case DType::f32: break;
    case DType::f64: descr = "<f8"; break;
    case DType::i32: descr = "<i4"; break;
    case DType::u8: descr = "|u1"; break;
  }
  std::string shape;
  for (int axis = 0; axis < tensor.rank(); ++axis) {
    shape += (axis ? ", " : "") + std::to_string(tensor.dim(axis));
    if (tensor.rank() == 1) shape += ",";
  }
  return header_of(descr, shape);
}

std::string_view elements(const Tensor& contiguous) {
  return {reinterpret_cast<const char*>(contiguous.raw()), contiguous.bytes()};
}

}  // namespace npy

std::string write_npy(const Tensor& tensor) {
  const Tensor flat = tensor.compact();
  std::string bytes = npy::header(flat);
  bytes += npy::elements(flat);
  return bytes;
}

const Tensor* find(const NamedTensors& tensors, std::string_view name) {
  for (const auto& [n, tensor] : tensors)
    if (n == name) return &tensor;
  return nullptr;
}

}  // namespace headlight
