// ByteTrie: texts and their ids as a tree of bytes, for the question which of them a text begins with.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace headlight::tokenizers {

class ByteTrie {
 public:
  ByteTrie();

  // Of two equal texts the later id counts. An empty text is ignored.
  void add(std::string_view text, std::int32_t id);
  // Calls visit(length, id) for every text that `text` begins with, the shortest first.
  // Returns how many bytes of `text` some text begins with. With "a" 3 and "ab" 5, each_prefix("abc", visit) calls visit(1, 3)
  // and visit(2, 5) and returns 2.
  template <class Visit>
  std::size_t each_prefix(std::string_view text, Visit&& visit) const {
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      node = child(node, static_cast<unsigned char>(text[i]));
      if (node == 0) return i;
      if (ids_[node] >= 0) visit(i + 1, ids_[node]);
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
  // The edges out of all nodes but the root lie in one table with open addressing, keyed by node and byte.
  struct Edge {
    std::uint64_t key = 0;  // node << 8 | byte; 0: free (no edge leads out of the root here)
    std::uint32_t to = 0;
  };
  static std::size_t place(std::uint64_t key) { return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 24); }
  std::uint32_t child(std::uint32_t node, unsigned char byte) const {
    if (node == 0) return roots_[byte];
    const std::uint64_t key = static_cast<std::uint64_t>(node) << 8 | byte;
    for (std::size_t at = place(key) & mask_;; at = (at + 1) & mask_) {
      if (edges_[at].key == key) return edges_[at].to;
      if (edges_[at].key == 0) return 0;
    }
  }
  std::uint32_t add_child(std::uint32_t node, unsigned char byte);
  void grow();

  std::vector<std::uint32_t> roots_;
  std::vector<Edge> edges_;
  std::size_t mask_ = 0, count_ = 0;
  std::vector<std::int32_t> ids_;  // by node; -1: no text ends there
};

}  // namespace headlight::tokenizers
