// Vocabulary: pieces, their ids, which are 0, 1, 2, ... in order, and the special tokens among them.
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
  // of({"a", "b"}, "vocab.txt") gives a vocabulary in which "b" has the id 1.
  static Result<Vocabulary> of(std::vector<std::string> pieces, const std::string& where);
  // The special tokens that we train with (kTrainedSpecials) and nothing else.
  static Vocabulary with_specials();

  std::int32_t size() const { return static_cast<std::int32_t>(pieces_.size()); }
  const std::string& piece(std::int32_t id) const;  // "" if out of range
  std::int32_t find(std::string_view piece) const;  // -1 if unknown
  // Like find, but -1 for a special token, because no text is encoded as one.
  std::int32_t find_text(std::string_view piece) const;
  std::int32_t add(const std::string& piece);  // the id, old or new
  const std::vector<std::string>& pieces() const { return pieces_; }

  // Makes `id`, which must be in range, a special token. set_special(Role::pad, 0): the first piece is for padding.
  void set_special(Role role, std::int32_t id) { specials_.add(role, id); }
  // Sets the special tokens that we train with (kTrainedSpecials) by their names, as far as the vocabulary has them.
  void set_specials_by_name();
  const SpecialTokens& specials() const { return specials_; }
  std::int32_t special(Role role) const { return specials_.id(role); }  // its id or -1
  bool is_special(std::int32_t id) const { return specials_.contains(id); }

 private:
  std::vector<std::string> pieces_;
  StringMap<std::int32_t> ids_;
  SpecialTokens specials_;
};

}  // namespace headlight::tokenizers
