// Vocabulary: pieces, their ids, which are 0, 1, 2, ... in order, and the special tokens among them. An id that a published
// vocabulary leaves out has an empty piece.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/status.h"
#include "engine/tokenizers/models/special_tokens.h"

namespace headlight::tokenizers {

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
template <class Value>
using StringMap = std::unordered_map<std::string, Value, StringHash, std::equal_to<>>;

class Vocabulary {
 public:
  Vocabulary() = default;
  // Errors, naming `where` and the id: a piece twice, an empty piece, a piece that is no UTF-8.
  // `gaps`: an empty piece is an id that stands for nothing. of({"a", "b"}, "vocab.txt") gives a vocabulary in which "b" has
  // id 1.
  static Result<Vocabulary> of(std::vector<std::string> pieces, const std::string& where, bool gaps = false);
  // The special tokens that we train with (kTrainedSpecials) and nothing else.
  static Vocabulary with_specials();

  std::int32_t size() const { return static_cast<std::int32_t>(pieces_.size()); }
  const std::string& piece(std::int32_t id) const;  // "" if out of range
  std::int32_t find(std::string_view piece) const;  // -1 if unknown
  // Like find, but -1 for a token that no text is encoded as: a special one, or, as_published(), one that the model does not
  // know.
  std::int32_t find_text(std::string_view piece) const;
  bool is_text(std::int32_t id) const;
  std::int32_t add(const std::string& piece);  // the id, old or new
  // Gives the piece this id, which stands for nothing so far or is behind all others; the ids between then stand for nothing.
  // Does nothing if the piece has an id.
  void add_at(const std::string& piece, std::int32_t id);
  const std::vector<std::string>& pieces() const { return pieces_; }

  // Makes `id`, which must be in range, a special token. set_special(Role::pad, 0): the first piece is for padding.
  void set_special(Role role, std::int32_t id) { specials_.add(role, id); }
  // Sets the special tokens that we train with (kTrainedSpecials) by their names, as far as the vocabulary has them.
  void set_specials_by_name();
  const SpecialTokens& specials() const { return specials_; }
  std::int32_t special(Role role) const { return specials_.id(role); }  // its id or -1
  bool is_special(std::int32_t id) const { return specials_.contains(id); }
  // The files of published tokenizers mean it so: pieces of the model are texts even if they are special tokens, and tokens that
  // were added to the model, `added`, are none. as_published({32000}) of Phi-3's 32,000 pieces and one token more.
  void as_published(std::vector<std::int32_t> added);
  bool is_published() const { return published_; }
  const std::vector<std::int32_t>& no_texts() const { return no_texts_; }  // as_published()'s, ascending

 private:
  void reserve(std::size_t pieces);
  void insert(std::string_view piece, std::int32_t id);  // a piece that is not there yet

  std::vector<std::string> pieces_;
  // The pieces by their hashes, with open addressing, at most half full: the hash's upper half and the id + 1; 0: free.
  std::vector<std::uint64_t> slots_;
  std::size_t used_ = 0;
  SpecialTokens specials_;
  std::vector<std::int32_t> no_texts_;
  bool published_ = false;
};

}  // namespace headlight::tokenizers
