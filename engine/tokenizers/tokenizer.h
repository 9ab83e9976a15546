// Tokenizer: a chain of stages, normaliser -> splitter -> model -> post-processor -> decoder. Each stage is an interface with a
// registry and one file a kind. Before them added tokens are found. Every token keeps the byte range of the *input* that it
// stands for.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/text/normalizers/normalizer.h"
#include "engine/text/splitters/splitter.h"
#include "engine/tokenizers/added_tokens.h"
#include "engine/tokenizers/decoders/decoder.h"
#include "engine/tokenizers/models/model.h"
#include "engine/tokenizers/models/token.h"
#include "engine/tokenizers/post_processors/post_processor.h"

namespace headlight::tokenizers {

// A tokenizer as data, as it is read from a file or made by a training.
struct TokenizerPlan {
  std::vector<Choice> normalizers, splitters;  // in the order in which they are applied
  Choice model, post_processor;
  std::vector<Choice> decoders;  // in the order in which they are applied; at least one
  Vocabulary vocabulary;
  Merges merges;               // of models with merges
  std::vector<double> scores;  // of models with scores, by id
  std::vector<AddedToken> added;
  std::vector<Message> notes;  // what the file says and is not followed; a saved tokenizer has none
};

struct Explained;
struct Stretches;

class Tokenizer : public std::enable_shared_from_this<Tokenizer> {
 public:
  // Errors (invalid), naming `where`: a stage that does not exist, a parameter out of its range, a vocabulary that lacks a piece
  // that a stage needs. make(plan_of("bpe", vocabulary, merges), "vocab.json") gives the tokenizer.
  static Result<std::shared_ptr<const Tokenizer>> make(const TokenizerPlan& plan, const std::string& where);
  TokenizerPlan plan() const;  // make() gives the same tokenizer again

  // The model's registry id: "characters", "words", "bpe", "wordpiece".
  const std::string& kind() const { return model_.choice.id; }
  std::string label() const;  // "BPE 4,096"
  const Vocabulary& vocabulary() const { return model_->vocabulary(); }
  std::int32_t vocabulary_size() const { return vocabulary().size(); }
  const std::string& piece(std::int32_t id) const { return vocabulary().piece(id); }  // "" if out of range
  // A piece as a person sees it: whitespace as "·", "↵", "⇥"; half a character as hex ("0xE2"), never "?". A special token is
  // shown by its name.
  std::string display_text(std::int32_t id) const;

  std::int32_t special(Role role) const { return vocabulary().special(role); }  // its id; -1: this tokenizer has none
  // The id of the token for everything that the vocabulary lacks; -1 if this tokenizer never needs one.
  std::int32_t unknown_id() const { return model_->uses_unknown() ? special(Role::unknown) : -1; }

  const AddedTokens& added() const { return added_; }
  const std::vector<Message>& notes() const { return notes_; }
  // The same tokenizer, for which special tokens inside a text are text as any other. Other added tokens, such as runs of spaces,
  // are still found. It is this one if there are no such tokens. as_plain()->encode("a[SEP]") has no [SEP].
  std::shared_ptr<const Tokenizer> as_plain() const { return plain_twin_ ? plain_twin_ : shared_from_this(); }

  // Any bytes are accepted. Special tokens are not added; added() are recognised inside the text. Error: cancelled.
  // encode("hugs") may give the tokens hug [0, 3) and s [3, 4).
  Result<std::vector<Token>> encode(std::string_view text, const CancelToken& cancel = {}) const;
  // The same tokens, handed to `take` in parts, in order, so that a long text's tokens are never all held at once. There is only
  // one part if a stage does not allow the text to be cut. An error of `take` ends the work and is returned.
  // encode_parts(text, [&](const std::vector<Token>& part) { count += part.size(); return Status(); }) counts tokens.
  Status encode_parts(std::string_view text, const std::function<Status(const std::vector<Token>&)>& take,
                      const CancelToken& cancel = {}) const;
  // How the text comes to encode()'s tokens, stage by stage (explained.h). Error: encode()'s.
  Result<Explained> explain(std::string_view text, const CancelToken& cancel = {}) const;
  // How the model comes to the pieces of one word, as Explained::Word has it. explain_word("hugs") may give the merges h + ug.
  Result<Explanation> explain_word(std::string_view word, const CancelToken& cancel = {}) const;
  // The ids of encode()'s tokens, much faster: words that this tokenizer has seen before are looked up. From several threads at
  // once, each call has its own memory of words. encode_ids("hugs") may give the ids of hug and s.
  Result<std::vector<std::int32_t>> encode_ids(std::string_view text, const CancelToken& cancel = {}) const;
  // The same of many texts, on all threads.
  Result<std::vector<std::vector<std::int32_t>>> encode_all(const std::vector<std::string_view>& texts,
                                                            const CancelToken& cancel = {}) const;
  void forget_words() const;  // so that the next encode_ids() begins cold
  // The tokens with the special tokens and type ids of the post-processor.
  // encode_pair("a", "b") with BERT's gives [CLS] a [SEP] b [SEP], the last two of type 1.
  Result<Encoding> encode_single(std::string_view text, const CancelToken& cancel = {}) const;
  Result<Encoding> encode_pair(std::string_view a, std::string_view b, const CancelToken& cancel = {}) const;
  // The inverse of encode as far as the stages allow: exact for characters and byte-level BPE on every input. Special tokens are
  // left out unless they are asked for; of a tokenizer that was trained here, the unknown one is not.
  std::string decode(const std::vector<std::int32_t>& ids, bool special = false) const;

 private:
  Tokenizer() = default;
  class Encoder;
  class IdEncoder;
  struct Caches;
  static std::shared_ptr<Caches> make_caches();
  // The text of every piece, made when the first one is asked for.
  struct Decoding {
    std::once_flag once;
    std::vector<std::string> texts;
  };
  const std::vector<std::string>& texts_of_pieces() const;
  bool left_out(std::int32_t id) const;

  text::Normalizers normalizers_;
  text::Splitters splitters_;
  Stage<Model> model_;
  Stage<PostProcessor> post_processor_;
  Decoders decoders_;
  AddedTokens added_;
  std::vector<Message> notes_;
  bool may_cut_ = false;  // normalisers, splitters, model and added tokens all allow it
  bool plain_ = false;    // special tokens in a text are text
  std::shared_ptr<const Tokenizer> plain_twin_;
  std::shared_ptr<Caches> caches_;
  std::shared_ptr<Decoding> decoding_;
  std::shared_ptr<const Stretches> stretches_;
};

// The numbers by which tokenizers are compared, measured on one text (S14). The caller times encode() itself.
struct Measured {
  std::int64_t tokens = 0;
  std::int64_t bytes = 0;                  // of the text
  double bytes_per_token = 0;              // 0 without tokens
  std::int64_t unknown = 0;                // tokens that are the unknown one
  std::vector<std::string> unknown_words;  // the words that unknown tokens stand for, each once, in order of appearance
  std::int64_t partial = 0;                // tokens that begin or end inside a character (UTF-8 sequence)
};
// measure(tokenizer, "the dog", tokens) has 7 bytes, and 3.5 bytes a token if there are two tokens.
Measured measure(const Tokenizer& tokenizer, std::string_view text, const std::vector<Token>& tokens);

}  // namespace headlight::tokenizers
