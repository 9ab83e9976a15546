// A model's embedding table as a space of words: sums and differences of words, and the tokens whose rows are nearest by cosine
// (Mikolov et al. 2013, "Linguistic Regularities in Continuous Space Word Representations").
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/document/stored_model.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct EmbeddingSpace {
  Tensor table;                 // f32 [vocabulary, d_model]
  std::vector<double> lengths;  // of its rows
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer;
  bool random = false;  // drawn by a seed: its distances say nothing about words
  std::int64_t dimensions() const { return table.dim(1); }
  std::uint64_t bytes() const { return table.bytes() + lengths.size() * sizeof(double); }
};
// Of the texts, or of the targets where they have a table of their own. Errors: the trace has no embedding table (not_found); its
// own; cancelled.
Result<EmbeddingSpace> embedding_space(const Trace& trace, bool of_targets, const CancelToken& cancel);
// Whether targets have a table of their own.
bool has_target_embeddings(const Trace& trace);
// Of a folder that `headlight train-embeddings` wrote: its words and kWordVectorFile. Errors: those of the two files; a table
// that does not fit the words.
inline constexpr const char* kWordVectorFile = "vectors.npz";
Result<EmbeddingSpace> embedding_space(const std::filesystem::path& folder);
// Of a table of one's own, f32 [vocabulary, d_model].
EmbeddingSpace embedding_space(const Tensor& table, std::shared_ptr<const tokenizers::Tokenizer> tokenizer);
// Writes such a folder: `tokenizer`, and in kWordVectorFile the arrays embedding and context, each f32 [vocabulary, d_model], and
// `kind`, "skipgram" or "cbow". A folder that is new is there whole or not at all; in one that exists the two files are replaced.
// Errors: the folder cannot be made, a file cannot be written.
Status save_word_vectors(const std::filesystem::path& folder, const tokenizers::Tokenizer& tokenizer, const Tensor& embedding,
                         const Tensor& context, const std::string& kind);
// Of a stored model. Errors: those of its folder.
Result<EmbeddingSpace> embedding_space(const StoredModel& model, bool of_targets);

// One word of a sum, with the vector of its token as it stands within a sentence; of a word of several tokens their mean.
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
// "aunt - uncle + man": words with + and - between them, which stand apart from the words (a hyphen within a word is part of it).
// Errors (usage): no word; a sign without a word behind it; two words without a sign between them; a word that the vocabulary has
// no token for.
Result<EmbeddingSum> embedding_sum(const EmbeddingSpace& space, std::string_view text);

struct EmbeddingNeighbour {
  std::int32_t token = 0;
  double cosine = 0;
};
// The tokens with the largest cosines, best first, without `except`, special tokens and rows of zeros. None for a vector of
// zeros. Error: cancelled.
Result<std::vector<EmbeddingNeighbour>> nearest_tokens(const EmbeddingSpace& space, const std::vector<double>& vector,
                                                       std::size_t count, const std::vector<std::int32_t>& except,
                                                       const CancelToken& cancel);
// Every token of the sum's words: what nearest_tokens() leaves out of its answer, since a sum lies near its own words.
std::vector<std::int32_t> tokens_of(const EmbeddingSum& sum);

// "a - b + c", answered by d: then a - b and d - c are the two differences that are to be alike.
bool is_analogy(const EmbeddingSum& sum);
// The d of a sum that is_analogy(): woman for the lecture's aunt - uncle + man, where the vocabulary has it as one token;
// otherwise the first of `nearest` that is a whole word, which stands in a sentence as this one token; -1: none of them is.
std::int32_t counterpart_of(const EmbeddingSpace& space, const EmbeddingSum& sum, const std::vector<EmbeddingNeighbour>& nearest);
// Two vectors and how alike their directions are.
struct EmbeddingComparison {
  std::string first, second;  // what they are: "aunt - uncle", "woman - man"
  double first_length = 0, second_length = 0;
  double cosine = 0;  // NaN where one is zero
};
EmbeddingComparison compare_vectors(std::string first, const std::vector<double>& a, std::string second,
                                    const std::vector<double>& b);
// Of a sum that is_analogy() and its counterpart_of(): a - b against answer - c.
EmbeddingComparison compare_differences(const EmbeddingSpace& space, const EmbeddingSum& sum, std::int32_t answer);
// A token as a word: without the spaces around it.
std::string word_of(const EmbeddingSpace& space, std::int32_t token);
std::vector<double> row_of_token(const EmbeddingSpace& space, std::int32_t token);  // [d_model]; the token is in the table

}  // namespace headlight
