#include "engine/text/charsmaps/charsmap.h"

#include <array>
#include <utility>

#include "engine/core/base64.h"

namespace headlight::text {
namespace {

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 4; i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

// The fields of a unit of the double array, as the library darts-clone packs them.
bool has_leaf(std::uint32_t unit) { return (unit >> 8 & 1u) != 0; }
std::uint32_t label(std::uint32_t unit) { return unit & (1u << 31 | 0xFFu); }
std::uint32_t offset(std::uint32_t unit) { return unit >> 10 << ((unit & 1u << 9) >> 6); }
std::uint32_t value(std::uint32_t unit) { return unit & ~(1u << 31); }

Failure cut_off() { return invalid("the map of characters is cut off").mend("fetch the file again"); }

}  // namespace

Result<Charsmap> Charsmap::of(std::string_view bytes) {
  Charsmap map;
  if (bytes.empty()) return map;
  if (bytes.size() < 4) return cut_off();
  const std::size_t size = number_at(bytes, 0);
  if (size % 4 != 0 || size == 0 || size > bytes.size() - 4) return cut_off();
  for (std::size_t at = 4; at < 4 + size; at += 4) map.units_.push_back(number_at(bytes, at));
  map.replacements_ = std::string(bytes.substr(4 + size));
  map.set_beginnings();
  return map;
}

// Whether a text that is replaced is a beginning of `bytes`, or begins with them.
bool Charsmap::begins_any(std::string_view bytes) const {
  std::size_t place = offset(units_[0]);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    place ^= byte;
    if (byte == 0 || place >= units_.size() || label(units_[place]) != byte) return false;
    if (has_leaf(units_[place])) return true;
    place ^= offset(units_[place]);
  }
  return true;
}

void Charsmap::set_beginnings() {
  beginnings_.assign((kPlane + 0x8000) / 64, 0);
  const auto set = [&](std::size_t bit) { beginnings_[bit / 64] |= std::uint64_t{1} << bit % 64; };
  const auto as_char = [](std::size_t byte) { return static_cast<char>(static_cast<unsigned char>(byte)); };
  for (std::size_t c = 0; c < kPlane; ++c) {
    const char two[] = {as_char(0xC0 | c >> 6), as_char(0x80 | (c & 63u))};
    const char three[] = {as_char(0xE0 | c >> 12), as_char(0x80 | (c >> 6 & 63u)), as_char(0x80 | (c & 63u))};
    if ((c < 0x800 && begins_any({two, 2})) || begins_any({three, 3})) set(c);
  }
  for (std::size_t first = 0; first < 0x80; ++first)
    for (std::size_t second = 0; second < 256; ++second) {
      const char both[] = {as_char(first), as_char(second)};
      if (begins_any({both, 2})) set(kPlane + 256 * first + second);
    }
}

Result<Charsmap> Charsmap::of_base64(std::string_view text) {
  const auto bytes = from_base64(text);
  if (!bytes) return invalid("the map of characters is no base64").mend("fetch the file again");
  return of(*bytes);
}

std::optional<std::vector<std::string>> Charsmap::texts_of(std::string_view characters) const {
  constexpr std::size_t kMostTexts = 16;
  constexpr int kMostSteps = 1 << 16;  // a broken table may be a ring
  std::vector<std::string> texts;
  if (units_.empty()) return texts;
  std::vector<std::pair<std::size_t, std::string>> open{{offset(units_[0]), ""}};
  for (int steps = 0; !open.empty(); ++steps) {
    if (steps == kMostSteps || texts.size() > kMostTexts) return std::nullopt;
    const auto [from, text] = open.back();
    open.pop_back();
    for (const char c : characters) {
      const auto byte = static_cast<unsigned char>(c);
      const std::size_t place = from ^ byte;
      if (place >= units_.size() || label(units_[place]) != byte) continue;
      if (has_leaf(units_[place])) texts.push_back(text + c);
      open.emplace_back(place ^ offset(units_[place]), text + c);
    }
  }
  return texts;
}

std::string Charsmap::standing_alone(std::string_view characters) const {
  if (units_.empty()) return std::string(characters);
  // The units as lists: those whose place and label give the same number are the children of one unit.
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::vector<std::uint32_t> first(units_.size() + 256, kNone), next(units_.size(), kNone);
  for (std::uint32_t place = 1; place < units_.size(); ++place) {
    const std::uint32_t byte = label(units_[place]);
    if (byte == 0 || byte > 0xFF || (place ^ byte) >= first.size()) continue;
    next[place] = first[place ^ byte];
    first[place ^ byte] = place;
  }
  std::array<bool, 256> is_in_longer{};
  std::vector<std::uint32_t> open;
  // Each list is emptied when it is read, so that a broken table, which may be a ring, comes to an end.
  const auto read = [&](std::uint32_t parent, bool is_root) {
    if (parent >= first.size()) return;
    for (std::uint32_t place = std::exchange(first[parent], kNone); place != kNone; place = next[place]) {
      const std::uint32_t byte = label(units_[place]), children = place ^ offset(units_[place]);
      if (is_root)
        is_in_longer[byte] = children < first.size() && first[children] != kNone;
      else
        is_in_longer[byte] = true;
      open.push_back(children);
    }
  };
  read(offset(units_[0]), true);
  while (!open.empty()) {
    const std::uint32_t parent = open.back();
    open.pop_back();
    read(parent, false);
  }
  std::string alone;
  for (const char c : characters)
    if (!is_in_longer[static_cast<unsigned char>(c)]) alone += c;
  return alone;
}

std::optional<Charsmap::Found> Charsmap::find(std::string_view text, bool shortest) const {
  if (units_.empty()) return {};
  std::optional<Found> found;
  std::size_t place = offset(units_[0]);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    place ^= byte;
    if (byte == 0 || place >= units_.size() || label(units_[place]) != byte) break;
    const std::uint32_t unit = units_[place];
    place ^= offset(unit);
    if (place >= units_.size()) break;
    if (!has_leaf(unit)) continue;
    const std::size_t begin = value(units_[place]);
    if (begin > replacements_.size()) break;
    const std::string_view rest = std::string_view(replacements_).substr(begin);
    found = Found{static_cast<std::int64_t>(i) + 1, rest.substr(0, rest.find('\0'))};
    if (shortest) break;
  }
  return found;
}

}  // namespace headlight::text
