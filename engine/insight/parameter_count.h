// Counting from sizes alone (S20): the numbers in a transformer's matrices, their places, their memory, and the operations of one
// more word. Nothing is loaded, so that models too large for any machine are counted as well.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"
#include "engine/document/stored_model.h"

namespace headlight {

// The sizes of a model. Each stack of layers has attention and, if neurons > 0, a feed-forward part.
struct ModelSizes {
  std::string id, label, source;
  std::int64_t d_model = 0, heads = 0, d_k = 0;
  std::int64_t key_heads = 0;                          // heads of keys and values; 0: the number of query heads
  std::int64_t layers = 0;                             // of the only stack, or of an encoder-decoder's decoder
  std::int64_t encoder_layers = 0;                     // of an encoder-decoder, whose decoder layers have cross-attention too
  std::int64_t neurons = 0;                            // the width d_ff inside the feed-forward part; 0: no feed-forward part
  bool gated = false;                                  // the feed-forward part has a third matrix, the gate
  std::int64_t vocabulary = 0, target_vocabulary = 0;  // rows of the tables of source and target; 0: one table serves both
  std::int64_t context = 0;                            // tokens of the longest text; rows of a learned table of positions
  bool shared = false;                                 // the output matrix is the embedding table, transposed
  // Above 0: a 2-D stack with this many hidden numbers combines the heads, each of full width d_k = d_model, in place of the
  // output matrix: tanh(tanh(stack W_H) W_O), W_H [heads, stack_hidden], W_O [stack_hidden, 1] (S4).
  std::int64_t stack_hidden = 0;
  bool full_rank_values = false;  // each head's value map is d_model x d_model, and there is no output matrix
  bool causal = true;             // the model reads from left to right, so that keys and values are kept for the next word
  // Parts that the count of matrices leaves out.
  bool biases = true, norm_biases = true, learned_positions = true;
  // Of a model with biases: which of its matrices have one.
  bool attention_biases = true, output_biases = true, feed_forward_biases = true;
  bool query_key_norms = false;                     // a norm of each head's queries, and one of its keys, without biases
  std::int64_t norms_a_layer = 2, norms_after = 1;  // ... and at the end of each stack
  std::int64_t missing_norms = 0;                   // norms that single layers lack (ModernBERT's first)
  std::int64_t segments = 0;                        // rows of BERT's table of sentence A and B
  bool embedding_norm = false, pooler = false;      // BERT's
  std::int64_t score = 0;  // numbers of one attention's score function: a matrix, or an additive one's two and its vector
  bool operator==(const ModelSizes&) const = default;
};

// GPT-3 as the lecture counts it, GPT-2 and BERT (base).
const std::vector<ModelSizes>& counted_presets();
ModelSizes sizes_of(const StoredModel& model);
// Sizes from a config.json, either Headlight's own or with the keys of GPT-2, BERT and Llama as the library transformers writes
// them. Errors (invalid), naming `where`: not JSON; a size that is missing, no integer or out of range.
// sizes_from_config(text, "gpt2/config.json") of GPT-2's file: d_model is 768, layers is 12.
Result<ModelSizes> sizes_from_config(std::string_view json, const std::string& where);
// Errors (usage), naming the size: a size outside 1 .. 2^40 (layers and heads: 2^20), or a count that does not fit 63 bits.
Status check(const ModelSizes& sizes);

// A line of the table: matrices of one kind.
struct CountedMatrix {
  enum class Part { embedding, attention, feed_forward };
  std::string id, label;
  Part part = Part::attention;
  std::int64_t rows = 0, columns = 0;      // of one matrix, as it multiplies a column vector from the left
  std::int64_t a_head = 0, a_layer = 0;    // numbers in one head, in one layer; 0: the line has no such share
  std::int64_t numbers = 0, matrices = 0;  // of the whole model
  std::vector<std::string> sizes;          // ids of the sizes that the line depends on: "d_model", "heads", ...
};

struct ParameterCount {
  std::vector<CountedMatrix> lines;
  std::int64_t total = 0, matrices = 0;  // of the lines
  std::int64_t attention = 0, feed_forward = 0, embedding = 0;
  std::int64_t biases = 0, norms = 0, positions = 0, others = 0;  // left out of the total
  std::int64_t left_out() const { return biases + norms + positions + others; }
};
// For sizes that check() accepts. Q, K and V are counted per head, as in the lecture. The output matrix is counted once per
// layer, with its heads side by side; it contains the value's second map, "value up".
ParameterCount count_parameters(const ModelSizes& sizes);

// Bytes for `tokens` tokens at `bytes` bytes a number (2: float16). cache_bytes(): keys and values of every layer; 0 if the model
// keeps none. map_bytes(): the weights of one layer's heads, tokens x tokens each.
// cache_bytes(gpt3, 2048, 2) gives 9 GiB, map_bytes(gpt3, 2048, 2) gives 0.75 GiB.
double cache_bytes(const ModelSizes& sizes, double tokens, double bytes);
double map_bytes(const ModelSizes& sizes, double tokens, double bytes);
// The number of tokens at which cache_bytes() and map_bytes() are equal, 24576 for GPT-3; 0: the model keeps no cache.
double equal_length(const ModelSizes& sizes);

// Operations of one more word behind `tokens` other words; a multiplication with an addition counts as two. matrix_flops() counts
// the products with matrices (the embedding is looked up), look_back_flops() counts scores and the sum of values.
// look_back_flops(gpt3, 2048) gives 9.66e9.
double matrix_flops(const ModelSizes& sizes);
double look_back_flops(const ModelSizes& sizes, double tokens);

}  // namespace headlight
