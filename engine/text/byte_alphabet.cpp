#include "engine/text/byte_alphabet.h"

#include <array>

#include "engine/text/utf8.h"

namespace headlight::text {
namespace {

struct Table {
  std::array<std::string, 256> pieces;
  std::array<int, 0x144> bytes;  // by character; -1: outside the alphabet
};

const Table& table() {
  static const Table made = [] {
    Table t;
    t.bytes.fill(-1);
    char32_t next = 0x100;
    for (int byte = 0; byte < 256; ++byte) {
      const bool printable = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      const char32_t c = printable ? static_cast<char32_t>(byte) : next++;
      t.pieces[static_cast<std::size_t>(byte)] = to_utf8(c);
      t.bytes[c] = byte;
    }
    return t;
  }();
  return made;
}

}  // namespace

const std::string& byte_piece(unsigned char byte) { return table().pieces[byte]; }

std::string to_byte_pieces(std::string_view bytes) {
  std::string pieces;
  pieces.reserve(bytes.size() + bytes.size() / 4);
  for (const char c : bytes) pieces += byte_piece(static_cast<unsigned char>(c));
  return pieces;
}

bool is_byte_pieces(std::string_view pieces) {
  bool all = true;
  for_each_code_point(pieces, [&](std::int64_t, const CodePoint& point) {
    all = all && point.valid && point.value < table().bytes.size() && table().bytes[point.value] >= 0;
  });
  return all;
}

std::string from_byte_pieces(std::string_view pieces) {
  std::string bytes;
  bytes.reserve(pieces.size());
  for_each_code_point(pieces, [&](std::int64_t at, const CodePoint& point) {
    const int byte = point.valid && point.value < table().bytes.size() ? table().bytes[point.value] : -1;
    if (byte >= 0) {
      bytes.push_back(static_cast<char>(static_cast<unsigned char>(byte)));
    } else {
      bytes.append(pieces.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(point.length)));
    }
  });
  return bytes;
}

}  // namespace headlight::text
