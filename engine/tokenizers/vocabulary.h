// Vocabulary: pieces and their ids, which are 0, 1, 2, ... in order; and what the four kinds of tokenizer share around it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/status.h"
#include "engine/tokenizers/tokenizer.h"

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
  // Errors: a piece twice, an empty piece, a piece that is no UTF-8 (with `where` and the piece's id).
  static Result<Vocabulary> of(std::vector<std::string> pieces, const std::string& where);
  // The four special tokens.
  static Vocabulary with_specials();

  std::int32_t size() const { return static_cast<std::int32_t>(pieces_.size()); }
  const std::string& piece(std::int32_t id) const;  // "" if out of range
  std::int32_t find(std::string_view piece) const;  // -1 if unknown
  // Like find, but never a special token: what text may become.
  std::int32_t find_text(std::string_view piece) const;
  std::int32_t add(const std::string& piece);  // the id, old or new
  const std::vector<std::string>& pieces() const { return pieces_; }
  std::int32_t special(Special special) const { return specials_[special]; }  // its id or -1
  bool is_special(std::int32_t id) const;

 private:
  std::vector<std::string> pieces_;
  StringMap<std::int32_t> ids_;
  std::int32_t specials_[4] = {-1, -1, -1, -1};
};

bool is_special_name(std::string_view piece);

class VocabularyTokenizer : public Tokenizer {
 public:
  explicit VocabularyTokenizer(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}

  std::int32_t vocabulary_size() const override { return vocabulary_.size(); }
  std::string piece(std::int32_t id) const override { return vocabulary_.piece(id); }
  std::string display_text(std::int32_t id) const override;
  std::int32_t unknown_id() const override { return vocabulary_.special(kUnknown); }
  std::int32_t pad_id() const override { return vocabulary_.special(kPad); }
  std::string label() const override;

 protected:
  virtual const char* name() const = 0;  // "BPE"
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  Vocabulary vocabulary_;
};

// Words and punctuation joined for reading: single spaces, none before closing and after opening punctuation, none around an
// apostrophe between letters. Cannot bring back what pre-tokenization left out.
std::string join_words(const std::vector<std::string>& words);

}  // namespace headlight::tokenizers
