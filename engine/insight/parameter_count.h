// Counting: how many numbers a transformer's matrices have, where they stand, what they weigh and what one more word costs, from
// its sizes alone (S20). Nothing is loaded: models that fit no machine are counted as well.
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
  std::int64_t key_heads = 0;                          // heads of keys and values; 0: as many as queries have
  std::int64_t layers = 0;                             // of the only stack, or of an encoder-decoder's decoder
  std::int64_t encoder_layers = 0;                     // of an encoder-decoder; its decoder's layers have cross-attention besides
  std::int64_t neurons = 0;                            // the width d_ff inside the feed-forward part; 0: there is none
  bool gated = false;                                  // the feed-forward part has a third matrix, the gate
  std::int64_t vocabulary = 0, target_vocabulary = 0;  // the second one's table; 0: there is one table
  std::int64_t context = 0;                            // tokens of the longest text; rows of a learned table of positions
  bool shared = false;                                 // the output matrix is the embedding table, turned
  // Above 0: a 2-D stack with so many hidden numbers combines the heads, each of full width d_k = d_model, in place of the output
  // matrix: tanh(tanh(stack W_H) W_O), W_H [heads, stack_hidden], W_O [stack_hidden, 1] (S4).
  std::int64_t stack_hidden = 0;
  bool full_rank_values = false;  // each head's value map is d_model x d_model, and there is no output matrix
  bool causal = true;             // reads from left to right, so that keys and values are kept for the next word
  // What the count of matrices leaves out.
  bool biases = true, norm_biases = true, learned_positions = true;
  std::int64_t norms_a_layer = 2, norms_after = 1;  // ... and at the end of each stack
  std::int64_t segments = 0;                        // rows of BERT's table of sentence A and B
  bool embedding_norm = false, pooler = false;      // BERT's
  std::int64_t score = 0;  // numbers of one attention's score function: a matrix, or an additive one's two and its vector
  bool operator==(const ModelSizes&) const = default;
};

// GPT-3 as the lecture counts it, GPT-2 and BERT (base).
const std::vector<ModelSizes>& counted_presets();
ModelSizes sizes_of(const StoredModel& model);
// A config.json: Headlight's own, or the keys of GPT-2, BERT and Llama as transformers writes them. Errors (invalid), naming
// `where`: not JSON, a size that is missing, no whole number or out of range.
Result<ModelSizes> sizes_from_config(std::string_view json, const std::string& where);
// Errors (usage), naming the size: out of 1 .. 2^40 (layers and heads: 2^20), or so large that the count does not fit 63 bits.
Status check(const ModelSizes& sizes);

// A line of the table: matrices of one kind.
struct CountedMatrix {
  enum class Part { embedding, attention, feed_forward };
  std::string id, label;
  Part part = Part::attention;
  std::int64_t rows = 0, columns = 0;      // of one matrix, as it multiplies a column vector from the left
  std::int64_t a_head = 0, a_layer = 0;    // numbers; 0: has no such share
  std::int64_t numbers = 0, matrices = 0;  // of the whole model
  std::vector<std::string> sizes;          // ids of the sizes that enter it: "d_model", "heads", ...
};

struct ParameterCount {
  std::vector<CountedMatrix> lines;
  std::int64_t total = 0, matrices = 0;  // of the lines
  std::int64_t attention = 0, feed_forward = 0, embedding = 0;
  std::int64_t biases = 0, norms = 0, positions = 0, others = 0;  // left out of the total
  std::int64_t left_out() const { return biases + norms + positions + others; }
};
// Of sizes that check() takes. Q, K and V are counted a head, as the lecture does; the output matrix is one a layer, its heads
// side by side, and the value's second map, "value up", is inside it.
ParameterCount count_parameters(const ModelSizes& sizes);

// Bytes at `bytes` a number (2: float16) and for `tokens` tokens. Of the cache: keys and values of every layer, 0 if nothing is
// kept; of the maps: the weights of one layer's heads, tokens x tokens each.
double cache_bytes(const ModelSizes& sizes, double tokens, double bytes);
double map_bytes(const ModelSizes& sizes, double tokens, double bytes);
// The length at which both are equal; 0: there is no cache.
double equal_length(const ModelSizes& sizes);

// Operations of one more word behind `tokens` others, a multiply-add as two: through the matrices (the embedding is looked up),
// and to look back (scores, and the sum of values).
double matrix_flops(const ModelSizes& sizes);
double look_back_flops(const ModelSizes& sizes, double tokens);

}  // namespace headlight
