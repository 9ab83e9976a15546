// What the Tokens view's pictures are made of.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/views/base/context.h"
#include "app/views/tokens/cost_picture.h"
#include "app/views/tokens/rows_picture.h"
#include "app/views/tokens/state.h"
#include "app/views/tokens/story_picture.h"
#include "app/views/tokens/word_picture.h"
#include "engine/tokenizers/anatomy.h"

namespace headlight::views::tokens {

inline State& state_of(const Context& context) { return context.view.own.of<State>(); }

// --- which tokenizers stand side by side (set.cpp)

struct NamedTokenizer {
  std::string name;                                        // as tokenizers::open() takes it
  std::string label;                                       // "BPE", "gpt2"
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer;  // null: it could not be opened
  std::string error;                                       // why
  bool current = false;                                    // the document's
};
// The names in the view's order: State::rows, else the bundled kinds and the document's own.
std::vector<std::string> token_row_names(const Context& context);
std::string token_row_label(const std::string& name);
// All of them, opened; empty while files are being read in the background.
std::vector<NamedTokenizer> token_set(const Context& context);
// The key of all of them, for what is derived from them.
DerivedKey token_set_key(DerivedKey::Tag tag, const Context& context);
// A tokenizer's anatomy, made in the background; null: not ready yet, or an error.
std::shared_ptr<const tokenizers::Anatomy> anatomy_of(const Context& context, const NamedTokenizer& one);
// Every name that can be added: the chosen ones, the bundled ones, the document's, the one trained last.
std::vector<std::string> offered_names(const Context& context);
// Opens a name as the rows do. Errors: those of tokenizers::open().
Result<std::shared_ptr<const tokenizers::Tokenizer>> open_token_row(const Context& context, const std::string& name);
// The marks of the tokenizers in plots and tables, by their place in the set.
figures::Mark mark_of(const NamedTokenizer& one);

// The sentence that the view shows; null: there is none.
const std::string* token_text(const Context& context);

// --- the rows, and one token written out (rows_data.cpp, story_data.cpp)

struct TokenRowsData {
  std::string text;  // of which the rows are cut: the sentence, or its beginning
  figures::TokenRowsInput input;
  std::vector<NamedTokenizer> set;
  std::vector<std::vector<tokenizers::Token>> tokens;  // of each row
};
using TokenRowsAnswer = Derived::Answer<TokenRowsData>;
TokenRowsAnswer token_rows_data(const Context& context);

// The token of the rows that the mouse points at; kept from frame to frame.
struct PointedToken {
  std::int64_t row = -1, token = -1;  // -1: none
};
// A token of the rows.
struct TokenPlace {
  std::size_t row = 0, token = 0;
};
// The one that the mouse pointed at in the last frame, else the pinned one, else the longest of the document's row. Nothing
// without tokens.
std::optional<TokenPlace> shown_token(const Context& context, const TokenRowsData& rows);
// The stages before the model of the shown token's tokenizer and of a second one.
std::vector<figures::TokenRowsInput::Stage> token_stages(const Context& context, const TokenRowsData& rows, std::size_t row,
                                                         bool all);
figures::TokenStory token_story_of(const Context& context, const TokenRowsData& rows, TokenPlace at);

// --- one word under three algorithms (word_data.cpp)

struct WordData {
  std::string word;                        // as the person reads it
  std::int64_t start = 0, end = 0;         // bytes of the text
  NamedTokenizer unigram, wordpiece, bpe;  // without a tokenizer: there is none among the rows
  figures::LatticeInput lattice;
  figures::TriesInput tries;
  figures::JoinsInput joins;
  std::vector<std::int64_t> lattice_ids;  // of its pieces
  double all_paths = 0;
  bool ready = true;  // false: an anatomy is still being made
};
std::vector<std::pair<std::int64_t, std::int64_t>> words_of(const std::string& text);  // byte ranges between spaces
WordData word_data(const Context& context);
// The joins of `word` as the pictures want them. joins_of(anatomy, word) has a letter for each byte or character.
figures::JoinsInput joins_of(const tokenizers::Anatomy& anatomy, const tokenizers::ModelWord& word);
figures::TriesInput tries_of(const tokenizers::Anatomy& anatomy, const tokenizers::ModelWord& word);
figures::LatticeInput lattice_of(const tokenizers::Anatomy& anatomy, const tokenizers::ModelWord& word, std::size_t most,
                                 const std::vector<std::int64_t>& forbidden, std::vector<std::int64_t>* ids, double* all_paths);
// The word of `anatomy` that holds most of the bytes [start, end) of the text; null: none does.
std::optional<tokenizers::ModelWord> word_at(const tokenizers::Anatomy& anatomy, std::string_view text, std::int64_t start,
                                             std::int64_t end);

}  // namespace headlight::views::tokens
