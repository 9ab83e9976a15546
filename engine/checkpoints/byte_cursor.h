// A place in bytes that come from outside: every read is checked against their end.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace headlight::checkpoints {

class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t left() const { return bytes_.size() - at_; }
  std::uint64_t at() const { return at_; }
  // Each gives false, and stays where it is, if the bytes end before.
  template <class T>
  bool read(T& value) {
    if (left() < sizeof value) return false;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return true;
  }
  bool take(std::uint64_t count, std::string_view& taken) {
    if (left() < count) return false;
    taken = bytes_.substr(static_cast<std::size_t>(at_), static_cast<std::size_t>(count));
    at_ += count;
    return true;
  }
  // A text behind its length (u64).
  bool read_text(std::string_view& text) {
    const std::uint64_t begin = at_;
    std::uint64_t length = 0;
    if (read(length) && take(length, text)) return true;
    at_ = begin;
    return false;
  }

 private:
  std::string_view bytes_;
  std::uint64_t at_ = 0;
};

}  // namespace headlight::checkpoints
