// Texts as .npy arrays, in UTF-32: one str without axes, as numpy.array("...") is stored, or several.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

#include "engine/core/files.h"
#include "engine/core/npy.h"
#include "engine/core/npy_format.h"
#include "engine/core/npy_texts.h"
#include "engine/core/zip.h"

namespace headlight {
namespace {

constexpr char32_t kReplacement = 0xfffd;

struct Point {
  char32_t value = kReplacement;
  std::size_t size = 1;  // bytes of the text
};

// The code point at `at`; U+FFFD of one byte where no valid one begins (RFC 3629).
Point point_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> char32_t { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  const char32_t first = byte(at);
  if (first < 0x80) return {first, 1};
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return {};
  char32_t value = first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xc0u) != 0x80) return {};
    value = value << 6 | (byte(at + i) & 0x3fu);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kLeast[size] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return {};
  return {value, size};
}

void append(std::string& out, char32_t c) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  put((more == 1 ? 0xc0u : more == 2 ? 0xe0u : 0xf0u) | c >> (6 * more));
  for (int i = more; i-- > 0;) put(0x80u | (c >> (6 * i) & 0x3fu));
}

// A str or bytes, without the zeros that fill it up.
std::string text_of_elements(std::string_view elements, bool is_bytes, bool swapped) {
  std::string text;
  if (is_bytes) text = elements;
  for (std::size_t at = 0; !is_bytes && at + 4 <= elements.size(); at += 4) {
    char32_t c = 0;
    for (std::size_t i = 0; i < 4; ++i)
      c |= static_cast<char32_t>(static_cast<unsigned char>(elements[at + (swapped ? 3 - i : i)])) << (8 * i);
    append(text, c > 0x10ffff ? kReplacement : c);
  }
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace

namespace npy {

std::string type_name(std::string_view descr) {
  if (descr == "|O") return "object";
  if (descr.size() == 3 && descr.substr(1) == "V2") return "bfloat16";
  if (descr.size() == 3 && descr.substr(1) == "f1") return "float8_e5m2";
  if (descr.size() == 3 && descr.substr(1) == "V1") return "float8 or another type of one byte of ml_dtypes";
  if (descr.size() < 3 || std::isalnum(static_cast<unsigned char>(descr[0]))) return std::string(descr);
  const char* kind = nullptr;
  switch (descr[1]) {
    case 'U': return "str";
    case 'S': return "bytes";
    case 'b': return "bool";
    case 'f': kind = "float"; break;
    case 'i': kind = "int"; break;
    case 'u': kind = "uint"; break;
    case 'c': kind = "complex"; break;
    default: return std::string(descr);
  }
  std::size_t size = 0;
  std::from_chars(descr.data() + 2, descr.data() + descr.size(), size);
  return kind + std::to_string(8 * size);
}

std::string text_array(std::string_view text) {
  std::u32string points;
  for (std::size_t at = 0; at < text.size();) {
    const Point one = point_at(text, at);
    points += one.value;
    at += one.size;
  }
  if (points.empty()) points += U'\0';  // NumPy has no str of no letters; it reads this one as ""
  std::string bytes = header_of("<U" + std::to_string(points.size()), "");
  for (const char32_t point : points)
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(point >> (8 * i) & 255);
  return bytes;
}

}  // namespace npy

Result<std::string> text_of_npy(std::string_view bytes, const std::string& where) {
  const Error other = invalid("the text in this file is damaged").at(where).mend("open another copy of it");
  const auto found = npy::beginning(bytes);
  if (!found) return other;
  const std::string_view elements = bytes.substr(found->size);
  if (found->descr == "|u1" && found->shape.size() == 1) return std::string(elements);
  const bool swapped = found->descr.starts_with(">U"), is_bytes = found->descr.starts_with("|S");
  if (!found->shape.empty() || !(swapped || is_bytes || found->descr.starts_with("<U"))) return other;
  if (!is_bytes && elements.size() % 4 != 0) return other;
  return text_of_elements(elements, is_bytes, swapped);
}

Result<std::vector<std::string>> texts_of_npy(std::string_view bytes, const std::string& where) {
  const Error other = invalid("the text in this file is damaged").at(where).mend("open another copy of it");
  const auto found = npy::beginning(bytes);
  if (!found) return other;
  const bool is_bytes = found->descr.starts_with("|S"), swapped = found->descr.starts_with(">U");
  std::size_t width = 0;
  if (!(is_bytes || swapped || found->descr.starts_with("<U"))) return other;
  std::from_chars(found->descr.data() + 2, found->descr.data() + found->descr.size(), width);
  if (!is_bytes) width *= 4;
  const std::string_view elements = bytes.substr(found->size);
  std::uint64_t count = 1;
  for (const std::int64_t size : found->shape) {
    if (size < 0 || (size > 0 && count > bytes.size() / static_cast<std::uint64_t>(size) + 1)) return other;
    count *= static_cast<std::uint64_t>(size);
  }
  if (width == 0 ? count > bytes.size() : count > elements.size() / width) return other;
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < count; ++i)
    texts.push_back(text_of_elements(elements.substr(static_cast<std::size_t>(i) * width, width), is_bytes, swapped));
  return texts;
}

Result<NamedTexts> read_npz_texts(const std::filesystem::path& path) {
  const std::string where = path.string();
  HL_ASSIGN(const std::string file, read_file(path, std::uint64_t{64} << 30));
  HL_ASSIGN(const std::vector<zip::Member> members, zip::directory(file, where));
  NamedTexts all;
  for (const zip::Member& member : members) {
    if (!member.name.ends_with(".npy")) continue;
    std::string storage;
    HL_ASSIGN(const std::string_view bytes, zip::unpack(file, member, storage, where));
    const auto begin = npy::beginning(bytes);
    if (!begin || (npy::type_name(begin->descr) != "str" && npy::type_name(begin->descr) != "bytes")) continue;
    HL_ASSIGN(std::vector<std::string> texts, texts_of_npy(bytes, where));
    all.emplace_back(member.name.substr(0, member.name.size() - 4), std::move(texts));
  }
  return all;
}

}  // namespace headlight
