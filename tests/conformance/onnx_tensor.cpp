#include "conformance/onnx_tensor.h"

#include <cmath>
#include <cstring>

namespace headlight::conformance {
namespace {

struct Reader {
  std::string_view bytes;
  bool broken = false;

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (bytes.empty()) break;
      const auto byte = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (!(byte & 0x80)) return value;
    }
    broken = true;
    return 0;
  }
  std::string_view take(std::uint64_t count) {
    if (count > bytes.size()) {
      broken = true;
      bytes = {};
      return {};
    }
    const std::string_view taken = bytes.substr(0, count);
    bytes.remove_prefix(count);
    return taken;
  }
};

double from_half(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const double fraction = bits & 0x3ff;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 0x1f) return fraction != 0 ? std::nan("") : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
}

template <class T>
T little_endian(std::string_view bytes, std::int64_t i) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

Result<Tensor> read_tensor_proto(std::string_view bytes) {
  Reader reader{bytes};
  Shape shape;
  std::uint64_t type = 0;
  std::string_view raw;
  std::vector<std::uint64_t> integers;  // int32_data and int64_data; bools and float16 bits are stored there, too
  while (!reader.bytes.empty() && !reader.broken) {
    const std::uint64_t tag = reader.varint();
    const auto field = tag >> 3;
    switch (tag & 7) {
      case 0: {
        const std::uint64_t value = reader.varint();
        if (field == 1) shape.push_back(static_cast<std::int64_t>(value));
        if (field == 2) type = value;
        if (field == 5 || field == 7) integers.push_back(value);
        break;
      }
      case 1: reader.take(8); break;
      case 2: {
        const std::string_view value = reader.take(reader.varint());
        Reader packed{value};
        if (field == 1) {
          while (!packed.bytes.empty() && !packed.broken) shape.push_back(static_cast<std::int64_t>(packed.varint()));
        }
        if (field == 5 || field == 7) {
          while (!packed.bytes.empty() && !packed.broken) integers.push_back(packed.varint());
        }
        if (field == 4 || field == 9 || field == 10)
          raw = value;  // float_data and double_data are packed little-endian, as raw_data is
        break;
      }
      case 5: reader.take(4); break;
      default: reader.broken = true;
    }
  }
  const bool is_real = type == 1 || type == 10 || type == 11;
  if (reader.broken || !(is_real || type == 6 || type == 7 || type == 9)) return invalid("not a TensorProto this test can read");
  Tensor t(is_real ? DType::f64 : (type == 9 ? DType::u8 : DType::i32), shape);
  const std::size_t item = type == 9 ? 1 : (type == 10 ? 2 : (type == 7 || type == 11 ? 8 : 4));
  if (integers.empty() && raw.size() != item * static_cast<std::size_t>(t.count())) return invalid("sizes and data differ");
  if (!integers.empty() && integers.size() != static_cast<std::size_t>(t.count())) return invalid("sizes and data differ");
  for (std::int64_t i = 0; i < t.count(); ++i) {
    const std::uint64_t integer = integers.empty() ? 0 : integers[static_cast<std::size_t>(i)];
    const bool typed = !integers.empty();
    if (type == 1) t.data<double>()[i] = little_endian<float>(raw, i);
    if (type == 11) t.data<double>()[i] = little_endian<double>(raw, i);
    if (type == 10)
      t.data<double>()[i] = from_half(typed ? static_cast<std::uint16_t>(integer) : little_endian<std::uint16_t>(raw, i));
    if (type == 9) t.data<std::uint8_t>()[i] = typed ? integer != 0 : little_endian<std::uint8_t>(raw, i) != 0;
    if (type == 6) t.data<std::int32_t>()[i] = typed ? static_cast<std::int32_t>(integer) : little_endian<std::int32_t>(raw, i);
    if (type == 7) {
      t.data<std::int32_t>()[i] =
          static_cast<std::int32_t>(typed ? static_cast<std::int64_t>(integer) : little_endian<std::int64_t>(raw, i));
    }
  }
  return t;
}

}  // namespace headlight::conformance
