// A model's embedding table as a space of words: sums and differences of words, and the tokens whose rows are nearest by cosine
// (Mikolov et al. 2013, "Linguistic Regularities in Continuous Space Word Representations").
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backends/base/stored_matrix.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/document/stored_model.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct EmbeddingSpace {
  Tensor table;  // f32 [vocabulary, d_model]; empty where the table stays as its file stores it
  std::shared_ptr<const backends::StoredMatrix> stored;  // a column for each token
  std::vector<double> lengths;                           // [vocabulary], Euclidean lengths of the rows
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer;
  bool random = false;  // drawn by a seed: distances mean nothing
  std::int64_t tokens() const { return static_cast<std::int64_t>(lengths.size()); }
  std::int64_t dimensions() const { return stored ? stored->inner() : table.dim(1); }
  // Rows first .. first + count - 1 as float32, one after another, in `room` if the table is stored otherwise. Null: there are
  // none.
  const float* rows(std::int64_t first, std::int64_t count, std::vector<float>& room) const;
  std::uint64_t bytes() const { return table.bytes() + lengths.size() * sizeof(double); }
};
// The table of the texts, or of the targets if `of_targets` and the targets have a table of their own. Errors: the trace has no
// embedding table (not_found); the trace's own errors; cancelled.
// embedding_space(*trace, false, {}): the table of the model that the trace ran.
Result<EmbeddingSpace> embedding_space(const Trace& trace, bool of_targets, const CancelToken& cancel);
// Whether targets have a table of their own.
bool has_target_embeddings(const Trace& trace);
// The table of a folder that `headlight train-embeddings` wrote, from its words and kWordVectorFile. Errors: those of the two
// files; a table that does not fit the words.
inline constexpr const char* kWordVectorFile = "vectors.npz";
Result<EmbeddingSpace> embedding_space(const std::filesystem::path& folder);
// A table of one's own, f32 [vocabulary, d_model].
EmbeddingSpace embedding_space(const Tensor& table, std::shared_ptr<const tokenizers::Tokenizer> tokenizer);
// Writes a folder of word vectors: `tokenizer`, and in kWordVectorFile the arrays `embedding` and `context`, each f32
// [vocabulary, d_model], and `kind`, "skipgram" or "cbow". A new folder is written whole or not at all; in an existing folder the
// two files are replaced. Errors: the folder cannot be made, a file cannot be written.
// save_word_vectors("vectors", *tokenizer, embedding, context, "cbow"): embedding_space("vectors") reads them again.
Status save_word_vectors(const std::filesystem::path& folder, const tokenizers::Tokenizer& tokenizer, const Tensor& embedding,
                         const Tensor& context, const std::string& kind);
// The table of a stored model. Errors: those of the model's folder; the model has no embedding table (not_found).
Result<EmbeddingSpace> embedding_space(const StoredModel& model, bool of_targets);

// One word of a sum. Its vector is the row of its token as the token stands within a sentence, or the mean of its tokens' rows.
struct EmbeddingTerm {
  int sign = 1;
  std::string word;
  std::vector<std::int32_t> tokens;
  std::vector<double> vector;  // [d_model], without the sign
};
struct EmbeddingSum {
  std::vector<EmbeddingTerm> terms;
  std::vector<double> vector;
};
// The sum of the words of `text`, which has + and - between them. A sign has spaces around it; a hyphen belongs to its word.
// Errors (usage): no word; a sign without a word behind it; two words without a sign between them; a word that the vocabulary has
// no token for.
// embedding_sum(space, "aunt - uncle + man"): three terms with the signs 1, -1, 1.
Result<EmbeddingSum> embedding_sum(const EmbeddingSpace& space, std::string_view text);

struct EmbeddingNeighbour {
  std::int32_t token = 0;
  double cosine = 0;
};
// The `count` tokens with the largest cosines, best first, without `except`, special tokens and rows of zeros. A vector of zeros
// has no neighbours. Error: cancelled.
// nearest_tokens(space, sum.vector, 10, tokens_of(sum), {}): at most ten tokens, none of them a token of the sum's words.
Result<std::vector<EmbeddingNeighbour>> nearest_tokens(const EmbeddingSpace& space, const std::vector<double>& vector,
                                                       std::size_t count, const std::vector<std::int32_t>& except,
                                                       const CancelToken& cancel);
// Every token of the sum's words. nearest_tokens() leaves them out, since a sum lies near its own words.
std::vector<std::int32_t> tokens_of(const EmbeddingSum& sum);

// Whether the sum is "a - b + c". A word d answers such a sum: the differences a - b and d - c should be alike.
bool is_analogy(const EmbeddingSum& sum);
// The answer d to a sum that is_analogy(). For the lecture's aunt - uncle + man it is "woman" where the vocabulary has this word
// as one token. Otherwise it is the first token of `nearest` that is a whole word within a sentence; -1: none is.
// counterpart_of(space, sum, nearest): the token of "woman" for "aunt - uncle + man" in a vocabulary of whole words.
std::int32_t counterpart_of(const EmbeddingSpace& space, const EmbeddingSum& sum, const std::vector<EmbeddingNeighbour>& nearest);
// Two vectors and the cosine of the angle between them.
struct EmbeddingComparison {
  std::string first, second;  // names: "aunt - uncle", "woman - man"
  double first_length = 0, second_length = 0;
  double cosine = 0;  // NaN where one is zero
};
// compare_vectors("x", {1, 0}, "y", {0, 2}): the lengths are 1 and 2, and the cosine is 0.
EmbeddingComparison compare_vectors(std::string first, const std::vector<double>& a, std::string second,
                                    const std::vector<double>& b);
// a - b against answer - c, for a sum that is_analogy() and the answer of counterpart_of().
// compare_differences(space, sum, woman) for "aunt - uncle + man" compares "aunt - uncle" with "woman - man".
EmbeddingComparison compare_differences(const EmbeddingSpace& space, const EmbeddingSum& sum, std::int32_t answer);
// A token's text without the spaces around it.
// word_of(space, id) gives "blue" for the token " blue".
std::string word_of(const EmbeddingSpace& space, std::int32_t token);
// The row [d_model] of a token that the table has. row_of_token(space, 3) is the table's fourth row.
std::vector<double> row_of_token(const EmbeddingSpace& space, std::int32_t token);

}  // namespace headlight
