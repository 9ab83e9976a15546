#include "engine/core/protobuf.h"

#include <bit>

namespace headlight {

float ProtobufField::real() const { return std::bit_cast<float>(static_cast<std::uint32_t>(whole)); }

Status read_protobuf(std::string_view message, const std::string& where,
                     const std::function<Status(const ProtobufField&)>& visit) {
  std::size_t at = 0;
  bool is_whole = true;
  const auto varint = [&] {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at >= message.size()) break;
      const auto byte = static_cast<unsigned char>(message[at++]);
      value |= static_cast<std::uint64_t>(byte & 0x7Fu) << shift;
      if (byte < 0x80) return value;
    }
    is_whole = false;
    return value;
  };
  const auto fixed = [&](std::size_t size) {
    std::uint64_t value = 0;
    if (message.size() - at < size) {
      is_whole = false;
      return value;
    }
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(message[at + i]);
    at += size;
    return value;
  };
  while (at < message.size()) {
    ProtobufField field;
    const std::uint64_t tag = varint();
    field.number = static_cast<std::uint32_t>(tag >> 3);
    switch (tag & 7u) {
      case 0: field.whole = varint(); break;
      case 1:
        field.kind = ProtobufField::Kind::fixed64;
        field.whole = fixed(8);
        break;
      case 2: {
        field.kind = ProtobufField::Kind::bytes;
        const std::uint64_t size = varint();
        if (size > message.size() - at) {
          is_whole = false;
          break;
        }
        field.bytes = message.substr(at, static_cast<std::size_t>(size));
        at += static_cast<std::size_t>(size);
        break;
      }
      case 5:
        field.kind = ProtobufField::Kind::fixed32;
        field.whole = fixed(4);
        break;
      default: is_whole = false;
    }
    if (!is_whole || field.number == 0)
      return invalid("the file is cut off, or no file of this format").at(where).mend("fetch the file again");
    HL_TRY(visit(field));
  }
  return {};
}

}  // namespace headlight
