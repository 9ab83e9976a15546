// Reading messages of Protocol Buffers: the fields of a message, one after the other, without a description of what they mean.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/core/status.h"

namespace headlight {

struct ProtobufField {
  std::uint32_t number = 0;
  enum class Kind { whole, bytes, fixed32, fixed64 } kind = Kind::whole;
  std::uint64_t whole = 0;  // also the bits of fixed32 and fixed64
  std::string_view bytes;   // a text or another message

  float real() const;  // of fixed32
  bool is_bytes() const { return kind == Kind::bytes; }
};

// Calls visit(field) for every field in order. Errors (invalid), naming `where`: the message is cut off or no message, and those
// of `visit`.
Status read_protobuf(std::string_view message, const std::string& where,
                     const std::function<Status(const ProtobufField&)>& visit);

}  // namespace headlight
