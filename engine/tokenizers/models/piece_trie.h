// PieceTrie: all pieces of a vocabulary and their ids as a double array, for the question which of them a text begins with. It is
// made once, is small and takes one read of memory a byte.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace headlight::tokenizers {

class PieceTrie {
 public:
  PieceTrie() : units_(256) {}
  // The texts must stay where they are. Of two equal ones the later counts. Empty ones are ignored.
  explicit PieceTrie(std::vector<std::pair<std::string_view, std::int32_t>> texts);

  // Calls visit(length, id) for every text that `text` begins with, the shortest first.
  // Returns how many bytes of `text` some text begins with. With "a" 3 and "ab" 5, each_prefix("abc", visit) calls visit(1, 3)
  // and visit(2, 5) and returns 2.
  template <class Visit>
  std::size_t each_prefix(std::string_view text, Visit&& visit) const {
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::uint32_t next = units_[node].base ^ static_cast<unsigned char>(text[i]);
      const Unit& unit = units_[next];
      if (unit.parent != node) return i;
      if (unit.id >= 0) visit(i + 1, unit.id);
      if (unit.base >= kRest) {
        const Rest& rest = rests_[unit.base - kRest];
        const std::size_t fits = common(text.substr(i + 1), rest.text);
        if (fits == rest.text.size()) visit(i + 1 + fits, rest.id);
        return i + 1 + fits;
      }
      node = next;
    }
    return text.size();
  }
  // The longest of them: its length, and its id; 0 and -1: there is none.
  struct Found {
    std::size_t length = 0;
    std::int32_t id = -1;
  };
  Found longest(std::string_view text) const {
    Found found;
    each_prefix(text, [&](std::size_t length, std::int32_t id) { found = {length, id}; });
    return found;
  }

 private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0}, kRest = std::uint32_t{1} << 31;
  // The children of a node lie at its base with the last eight bits changed by their bytes. A base of kRest or more: one text
  // alone goes on here, and its rest is in rests_.
  struct Unit {
    std::uint32_t base = 0, parent = kNobody;  // a parent of nobody: the place is free, or the root
    std::int32_t id = -1;                      // -1: no text ends here
  };
  struct Rest {
    std::string_view text;
    std::int32_t id;
  };

  // How many bytes both begin with. Eight are looked at together.
  static std::size_t common(std::string_view a, std::string_view b) {
    const std::size_t size = std::min(a.size(), b.size());
    std::size_t at = 0;
    for (; at + 8 <= size; at += 8) {
      std::uint64_t left = 0, right = 0;
      std::memcpy(&left, a.data() + at, 8);
      std::memcpy(&right, b.data() + at, 8);
      if (left != right) return at + static_cast<std::size_t>(std::countr_zero(left ^ right)) / 8;
    }
    while (at < size && a[at] == b[at]) ++at;
    return at;
  }

  std::vector<Unit> units_;  // the root is the first; whole blocks of 256
  std::vector<Rest> rests_;
};

}  // namespace headlight::tokenizers
