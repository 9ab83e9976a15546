// What a model's plan and a trace say of each step, each attention and each parameter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/attention/masks/mask.h"
#include "engine/core/tensor.h"
#include "engine/models/computation.h"

namespace headlight {

// What a step is in its model. Words and pictures go by it; a step of a role that they do not know is shown by its name.
enum class Role {
  other,
  tokens,
  embedding,
  position_part,  // what the table of positions is made from: places, frequencies, angles
  position,
  position_unsqueezed,  // the same with an axis for the sentences
  input,
  attention_norm,
  q_projected,  // [B, L, h d_k], before it is split into heads
  k_projected,
  v_projected,
  q_view,  // [B, L, h, d_k], before the axes change places
  k_view,
  v_view,
  q,
  k,
  v,
  q_scored,  // q and k as the scores multiply them, where that is not q and k themselves: turned, or of length 1
  k_scored,
  k_transposed,  // [B, h, d_k, M]
  scores,
  scaled_scores,
  position_bias,       // added to the scaled scores
  mask_part,           // one mask before they are combined
  mask_part_squeezed,  // the same before its axes of size 1 are put in, or with one of two of them
  mask,
  masked_scores,
  weights,
  context,
  context_of_values,  // with relative positions the context is this, weights v, and the next, weights times a table's rows
  context_of_positions,
  context_transposed,  // [B, N, h, d_k], not contiguous
  context_copied,      // the same in C order
  concat,
  heads_stacked,  // [B, N, d, h], of the combiner stack2d: heads of full width, stacked on a new last axis
  stack_hidden,   // [B, N, d, n_hidden]
  attention_output,
  attention_residual,
  mlp_norm,
  mlp_gate,
  mlp_up,
  mlp_hidden,
  mlp_output,
  mlp_residual,
  final_norm,
  logits,         // [B, N, V], a score for every token of the vocabulary
  probabilities,  // of the token that follows
  loss_part,      // the logits as rows, their labels, each row's loss
  loss,           // mean over the rows, each place against its own token
  loss_shifted,   // each place against the token behind it
};

// Where the numbers come from that a step depends on.
enum class Origin {
  computed,  // no weights are behind it
  random,    // seeded, untrained weights
  trained,   // weights of our own training
  file,      // weights read from a checkpoint
  given,     // numbers that the document gives
};

struct Step {
  std::string name;       // "layer.0.weights", "decoder.layer.1.cross.q", ...: DESIGN.md's contract
  std::string operation;  // "softmax over keys"
  Role role = Role::other;
  Computation computed_by;
  std::string activation;           // applied behind it: an id of operations::activations(); empty: none
  std::string formula;              // "weights[h, i, j] = exp(masked[h, i, j] / T) / sum_j exp(...)"
  std::vector<std::string> inputs;  // names of steps, or "parameters.…"
  Shape shape;
  Axes axes;
  DType dtype = DType::f32;
  bool kept = false;  // false: made again from its inputs, by tile, when someone looks
  Origin origin = Origin::computed;
  bool from_cache = false;  // this run found it in the step cache
  bool on_host = false;     // the backend has no way of its own for it: computed by plain loops on the host
  bool of_targets = false;  // its rows are tokens of the second sentence; of an attention's scores: its queries are
  std::string note;         // what a reader should know besides, e.g. what a fully masked row is; may be empty
};

// A step's name is its place in the model and its own name: "decoder.layer.0.cross." and "weights". An attention's place is
// AttentionSite::prefix; the place of a model's first steps is "", "encoder." or "decoder.". What a step is says its role.
inline std::string_view place_of(std::string_view name) { return name.substr(0, name.rfind('.') + 1); }
inline std::string own_name(std::string_view name) { return std::string(name.substr(name.rfind('.') + 1)); }

// One attention of the model: where its steps are and whose tokens are its rows and columns.
struct AttentionSite {
  // Defined in the source: written out wherever one is copied they would cost the build seconds.
  AttentionSite();
  AttentionSite(const AttentionSite& other);
  AttentionSite(AttentionSite&& other) noexcept;
  AttentionSite& operator=(const AttentionSite& other);
  AttentionSite& operator=(AttentionSite&& other) noexcept;
  ~AttentionSite();

  std::string prefix;  // "layer.0.", "encoder.layer.0.", "decoder.layer.0.", "decoder.layer.0.cross."
  masks::Site site = masks::Site::decoder_self;
  std::int64_t layer = 0;
  std::int64_t heads = 1, queries = 0, keys = 0, d_k = 0;
  bool rows_are_targets = false, columns_are_targets = false;
  std::int64_t kv_heads = 1;  // heads of k and v; query head i reads key head i / (heads / kv_heads)
  std::string q, k, v;        // the steps whose rows the scores multiply and whose rows the weights add
  std::string score_vector;   // the parameter [d_k] of an additive score, a tanh(q + k); empty: the score is q k
  std::string bias;           // the step [1 or B, h, N, M] that is added to the scaled scores; empty: nothing is added
  // Of relative positions: the parameters [2 clip + 1, d_k] whose rows join keys and values; empty: there are none.
  std::string relative_keys, relative_values;
  std::int64_t relative_clip = 0;
  double scale = 1.0;    // the number the scores were multiplied by
  double score_cap = 0;  // c where they were bent, too, c tanh(x / c); 0: they were not
  masks::Combined mask;  // its parts at their broadcast shapes
};

struct NamedParameter {
  std::string name;  // "parameters.layer.0.wq"
  Shape shape;
  Axes axes;
  Origin origin = Origin::random;
  double deviation = 0;        // of the normal numbers it was drawn from, if random; 0: zeros or ones
  std::int64_t zero_row = -1;  // this row was set to zero: the [PAD] row of an embedding table
};

}  // namespace headlight
