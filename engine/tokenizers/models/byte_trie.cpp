#include "engine/tokenizers/models/byte_trie.h"

#include <utility>

namespace headlight::tokenizers {

ByteTrie::ByteTrie() : roots_(256, 0), edges_(1024), mask_(1023), ids_(1, -1) {}

void ByteTrie::add(std::string_view text, std::int32_t id) {
  if (text.empty()) return;
  std::uint32_t node = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const std::uint32_t next = child(node, byte);
    node = next != 0 ? next : add_child(node, byte);
  }
  ids_[node] = id;
}

std::uint32_t ByteTrie::add_child(std::uint32_t node, unsigned char byte) {
  const auto made = static_cast<std::uint32_t>(ids_.size());
  ids_.push_back(-1);
  if (node == 0) {
    roots_[byte] = made;
    return made;
  }
  if (2 * ++count_ > edges_.size()) grow();
  const std::uint64_t key = static_cast<std::uint64_t>(node) << 8 | byte;
  std::size_t at = place(key) & mask_;
  while (edges_[at].key != 0) at = (at + 1) & mask_;
  edges_[at] = {key, made};
  return made;
}

void ByteTrie::grow() {
  const std::vector<Edge> old = std::exchange(edges_, std::vector<Edge>(4 * edges_.size()));
  mask_ = edges_.size() - 1;
  for (const Edge& edge : old) {
    if (edge.key == 0) continue;
    std::size_t at = place(edge.key) & mask_;
    while (edges_[at].key != 0) at = (at + 1) & mask_;
    edges_[at] = edge;
  }
}

}  // namespace headlight::tokenizers
