// What the arrays of a file are: which of them are weights, scores, queries, keys and values, and which of their axes is which.
// It is guessed from names, shapes and a look at the numbers, said in sentences, and may be corrected.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/arrays/array_file.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight::arrays {

enum class What : std::uint8_t { weights, scores, scaled_scores, masked_scores, q, k, v, mask };
// "weights"; as a trace names the step.
const char* name_of(What what);
const char* words_of(What what);  // "masked scores", as a person reads it
std::optional<What> what_from(std::string_view name);
bool is_matrix(What what);  // [query, key], and not [position, d]
bool is_score(What what);

// Arrays that are read together. "blocks.#.attn" stands for blocks.0.attn, blocks.1.attn, ...: their numbers are axes, too.
struct Group {
  std::string pattern;
  std::vector<const Array*> arrays;                // by their numbers, the last one the fastest
  Shape outer;                                     // how many there are of each number
  std::vector<std::string> outer_words;            // the word before each number: "blocks"
  std::vector<std::vector<std::int64_t>> numbers;  // the numbers themselves, by axis

  Shape shape() const;  // outer, then the arrays' own
};
// Arrays of one pattern whose types, shapes or numbers do not fit together stand alone.
std::vector<Group> groups_of(const File& file);

// Axes are called layer, batch (the sentences), head, query, key, and d of the vectors of q, k and v, whose position is query. An
// axis of size 1 without a meaning is "-". Where the heads of q, k or v lie side by side in one axis, as projections write them,
// it is called "12*d": 12 heads, each with as many numbers as are its share.
using AxisNames = std::vector<std::string>;

// The heads of an axis "12*d"; none: it is another axis.
std::optional<std::int64_t> heads_beside(std::string_view axis);
std::string heads_beside_name(std::int64_t heads);  // "12*d"; of one head "d"

struct Use {
  std::string part;  // "encoder", "decoder", "cross", or empty: the only attention of the file
  What what = What::weights;
  std::string pattern;  // of a group
  AxisNames axes;
  bool operator==(const Use&) const = default;
};

struct Reading {
  std::vector<Use> uses;
  // The list of the tokens of the queries, and of the keys where they are others; an array of ids, with a tokenizer; a text, with
  // one. Empty: tokens are numbered.
  std::string tokens, source_tokens, tokenizer;
  bool operator==(const Reading&) const = default;
};
// One line: "weights=attn_#[layer,head,query,key] …".
std::string to_text(const Reading& reading);

struct Asked {
  AxisNames axes;  // of the weights, or of the scores, or of the queries; empty: guessed
};
// "layer,head,query,key" as axes; "sentence" is read as "batch". Errors (usage): an unknown name, one twice, no query and key.
Result<AxisNames> axes_from(std::string_view text, const std::string& option);

struct Guess {
  Reading reading;
  bool causal = false;           // nobody looks ahead: all weights above the diagonal are 0, or all scores there are masked
  std::vector<Message> why;      // what was guessed from what, a sentence each
  std::vector<Message> remarks;  // what of the numbers is unusual: rows that do not sum to 1, NaN, weights below 0
};
// Errors: a file without attention, with what it holds; axes that do not fit.
Result<Guess> guess(const File& file, const Asked& asked = {});
// Looks at the numbers again after a correction: causal, and remarks.
Result<Guess> look_again(const File& file, const Reading& reading);

// --- the arrays of a reading, resolved

// One use of arrays as numbers by layer, sentence, head, row and column. It reads nothing but what is asked for.
struct Cells {
  What what = What::weights;
  std::string name;  // the pattern
  std::int64_t layers = 1, sentences = 1, heads = 1, rows = 0, columns = 0;
  DType real = DType::f32;

  // [rows, columns] from (row, column) on. tile(0, 0, 3, 0, 7, 0, 7)
  Tensor tile(std::int64_t layer, std::int64_t sentence, std::int64_t head, std::int64_t row, std::int64_t row_count,
              std::int64_t column, std::int64_t column_count) const;

  Group group;
  std::vector<std::int64_t> outer_of, inner_of;  // by layer, batch, head, row, column: the axis, or -1
  std::shared_ptr<const File> file;
  bool as_bfloat16 = false;  // raw uint16
  bool beside = false;       // the heads lie side by side in the axis of columns
};

struct Part {
  std::string name;  // as in Use::part
  std::vector<Cells> cells;
  std::int64_t layers = 0, sentences = 1, heads = 1, key_heads = 1, queries = 0, keys = 0, d_k = 0, d_v = 0;
  const Cells* find(What what) const;
};
// Errors: a group that is not there, axes that do not fit its shape, sizes that contradict each other.
Result<std::vector<Part>> parts_of(const std::shared_ptr<const File>& file, const Reading& reading);

// Errors (usage): tokens that do not fit a part, with both numbers. An empty list: tokens are numbered, or tokenized elsewhere.
struct TokenLists {
  std::vector<std::vector<std::string>> queries, keys;  // a list for each sentence; keys is empty where they are the queries
};
TokenLists token_lists(const File& file, const Reading& reading);
// The lists that guess() takes as tokens; no array of numbers is looked at.
TokenLists guessed_tokens(const File& file);

}  // namespace headlight::arrays
