// AddedTokens: tokens that a text names itself, such as "[MASK]" or a run of spaces. They are found before anything else is done
// with the text, as the library `tokenizers` does it, and what stands between them is encoded.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/text/normalizers/normalizer.h"

namespace headlight::tokenizers {

struct AddedToken {
  std::string content;       // "[MASK]"
  std::int32_t id = -1;      // in the vocabulary
  bool special = false;      // stands for no text: decoding leaves it out, and it may be read as plain text
  bool single_word = false;  // not inside a word: "cat", but not in "concat"
  bool lstrip = false;       // takes the whitespace before it along
  bool rstrip = false;       // and that behind it
  bool normalized = false;   // looked for in the normalised text, and normalised itself
  bool operator==(const AddedToken&) const = default;
};

class AddedTokens {
 public:
  AddedTokens() = default;
  // The normalisers are those of the tokenizer. Of two tokens with one content the first counts.
  AddedTokens(std::vector<AddedToken> tokens, const text::Normalizers& normalizers);

  const std::vector<AddedToken>& all() const { return all_; }
  bool any(bool normalized) const { return !tries_[normalized].nodes.empty(); }
  bool any_special() const;
  const AddedToken* find(std::int32_t id) const;  // null: this is no added token
  // What decoding reads for a token: its content, normalised if the token is, and whether it is left out with the special ones.
  // As in the library tokenizers 0.23, a special token that normalising changes is no special one any more.
  struct Decoded {
    std::string text;
    bool left_out = false;
  };
  const Decoded* decoded(std::int32_t id) const;  // null: this is no added token
  // Whether a long text may be cut where text::part_end() does before normalised tokens are looked for.
  bool may_cut() const { return may_cut_; }

  // A token of the text, or (id -1) what stands between two. Where a token takes whitespace along that the next one is made of,
  // the two overlap.
  struct Piece {
    std::int32_t id = -1;
    std::int64_t start = 0, end = 0;  // bytes
  };
  // The pieces of a text, by the tokens that are normalised, or by those that are not. Of several tokens at one place the longest
  // counts. plain: special tokens are text. The pieces of "a[MASK]" are [0, 1) and the token [1, 7).
  std::vector<Piece> pieces(std::string_view text, bool normalized, bool plain) const;

 private:
  // A tree of bytes.
  struct Trie {
    struct Node {
      unsigned char byte = 0;                 // by which it is reached
      std::int32_t child = -1, sibling = -1;  // its first child, and the next one of its parent; -1: none
      std::int32_t token = -1;                // of all_
    };
    std::int32_t child(std::size_t node, char c) const {
      std::int32_t next = nodes[node].child;
      while (next >= 0 && nodes[static_cast<std::size_t>(next)].byte != static_cast<unsigned char>(c))
        next = nodes[static_cast<std::size_t>(next)].sibling;
      return next;
    }
    std::vector<Node> nodes;
    std::vector<bool> begins;  // by the first byte
    void add(std::string_view text, std::int32_t token);
  };

  std::vector<AddedToken> all_;
  std::vector<Decoded> decoded_;                             // of all_
  std::vector<std::pair<std::int32_t, std::size_t>> by_id_;  // id and place in all_, ascending
  std::array<Trie, 2> tries_;                                // by `normalized`
  bool may_cut_ = true;
};

}  // namespace headlight::tokenizers
