// The parts that models are composed of. Each part adds its steps to a plan, under the names that scripts rely on, and returns
// the node of its result. Shapes: B sentences, N queries, M keys, h heads of width d_k.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/attention/combiners/combiner.h"
#include "engine/attention/positions/position.h"
#include "engine/attention/scores/score.h"
#include "engine/models/plan.h"
#include "engine/operations/ablate.h"
#include "engine/operations/activation.h"

namespace headlight::models {

// A sequence of vectors on its way through the layers.
struct Stream {
  int node = -1;
  std::int64_t length = 0;
  bool of_targets = false;
};

struct NormPart {
  bool rms = false;  // RMSNorm; otherwise LayerNorm
  bool bias = true;  // of LayerNorm
  double epsilon = 1e-5;
  std::string parameters = {};  // the name of gamma and beta; empty: the step's
  std::string note = {};        // what a reader should know of gamma
};

// What happens to embeddings besides the positions of a sandbox.
struct EmbeddingPart {
  double scale = 1;                   // of the looked-up rows
  std::int64_t token_types = 0;       // rows of a table of types; that of each token's type is added. 0: no table
  std::optional<NormPart> norm = {};  // of the sum
};

// How rotary positions turn a head, where it is not by 10000^(-2 i / d_k).
struct TurnPart {
  std::int64_t turned = 0;          // the first dimensions, which turn
  std::vector<double> frequencies;  // by pair
  double magnitude = 1;
  std::string words;  // "500000, scaled as Llama 3": of the formula
};

struct AttentionPart {
  masks::Site site = masks::Site::decoder_self;
  std::int64_t layer = 0;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 0;  // heads of k and v, a divisor of `heads`; 0: the number of `heads`
  std::int64_t d_k = 0;
  bool projected = true;                       // false: q, k and v are the vectors themselves
  bool values_are_keys = false;                // K = V: one projection serves as both
  bool keys_are_queries = false;               // Q = K: one projection serves as both
  std::int64_t stack_hidden = 0;               // n_hidden of the 2-D stack; 0: heads side by side, then W_O
  bool bias = true;                            // of the projections of q, k and v
  bool output_bias = true;                     // of the output projection
  std::optional<NormPart> row_norm = {};       // of each row of q and k, before it turns
  std::optional<TurnPart> turn = {};           // of a position that rotates
  double score_cap = 0;                        // c of c tanh(x / c); 0: none
  std::vector<Choice> masks;                   // of the document; the masks that apply at this site are used
  const positions::Entry* position = nullptr;  // a position that works inside the attention, not of Where::input; null: none
  std::int64_t relative_clip = 0;              // of Where::relative
  const scores::Entry* score = nullptr;
  double scale = 1;
  std::string scale_words;  // "scores / sqrt(32) = scores * 0.1768"
  double temperature = 1;
  operations::MaskFill fill = operations::MaskFill::minus_infinity;
};

struct FeedForwardPart {
  std::int64_t d_ff = 0;
  bool bias = true;
  operations::ActivationKind activation = operations::ActivationKind::relu;
  bool gated = false;  // hidden = f(x W_gate) * (x W_up)
};

class PlanBuilder {
 public:
  // `origin`: of the weights that will be computed with. `interventions` must outlive the builder.
  PlanBuilder(const Sizes& sizes, std::int64_t d_model, DType real, Origin origin,
              std::span<const Intervention> interventions = {})
      : sizes_(sizes), d_(d_model), real_(real), origin_(origin), interventions_(interventions) {}
  ModelPlan plan;

  // Adds a parameter to the plan and returns its number. `name` stands without "parameters.".
  // parameter("layer.0.wq", {64, 64}, {"d_model", "d_model"}, ParameterSpec::Fill::normal, 0.125).
  int parameter(const std::string& name, Shape shape, Axes axes, ParameterSpec::Fill fill, double deviation);
  // Adds a table [vocabulary, d_model] of which only the rows in use are made.
  // embedding_table("embedding", sizes.text_tokens) adds "parameters.embedding", with the row of [PAD] zero.
  int embedding_table(const std::string& name, const Sizes::Tokens& tokens);

  // Adds the steps tokens, embedding, position (where `position` adds a table; null: none) and input. A trained table of
  // positions is the parameter "position" behind the prefix, [Sizes::trained_positions, d_model].
  // embed("", false, table, nullptr): the texts' vectors without positions.
  Stream embed(const std::string& prefix, bool of_targets, int table, const positions::Entry* position,
               const EmbeddingPart& part = {});
  // norm("layer.0.mlp_norm", Role::mlp_norm, {}, x, x.node): LayerNorm of the stream's vectors.
  int norm(const std::string& name, Role role, const NormPart& part, const Stream& stream, int from);
  // residual("layer.0.mlp_residual", Role::mlp_residual, x, part): the sum of the stream's vectors and the node `part`.
  int residual(const std::string& name, Role role, const Stream& stream, int part);
  // Adds q, k and v from the nodes `from_queries` and `from_keys` (normed or plain vectors), the steps from scores to context,
  // the heads side by side, and the output projection.
  // attention("layer.0.", part, x, x.node, x, x.node): self-attention of the stream x.
  int attention(const std::string& prefix, const AttentionPart& part, const Stream& queries, int from_queries, const Stream& keys,
                int from_keys);
  // feed_forward("layer.0.", part, x, normed): the steps mlp_hidden and mlp_output from the node `normed`.
  int feed_forward(const std::string& prefix, const FeedForwardPart& part, const Stream& stream, int from);
  // Adds logits and probabilities over the tokens of `table`, the embedding table whose transpose a tied output multiplies by.
  // With a `cap` c they are c tanh(logits / c).
  // output(x, table, true): logits = x E^T.
  void output(const Stream& stream, int table, bool tied, double cap = 0);
  // Compares the logits, as the rows of all sentences, with the token at each position (loss) and with the token behind it
  // (loss_shifted). Padding is ignored. Labels are of `classes` kinds.
  // losses(x, 500): both losses of a vocabulary of 500 tokens.
  void losses(const Stream& stream, std::int64_t classes);

 private:
  std::int64_t rows(const Stream& s) const { return sizes_.batch * s.length; }
  Shape vectors(const Stream& s, std::int64_t width) const { return {sizes_.batch, s.length, width}; }
  const std::string& name_of(int node) const { return plan.nodes[static_cast<std::size_t>(node)].step.name; }

  // The next step of the plan. The caller sets the operations, inputs and parameters on the result.
  Node node(std::string name, Role role, std::string operation, std::string formula, Shape shape, Axes axes) const;
  int add(Node n);
  Node view(std::string name, Role role, std::string formula, int from, Shape shape, Axes axes) const;
  // x W + b with parameters `weight` and `bias` (empty: none).
  Node linear(Node n, const Stream& stream, int from, std::int64_t inner, std::int64_t columns, const std::string& weight,
              const std::string& bias, Axes weight_axes);

  Node aside(std::string name, Role role, Node::Aside which, bool of_targets, std::string formula, Shape shape, Axes axes) const;
  // Cross-entropy of `rows` [rows, classes] by `labels`, and its mean, as steps NAME_by_row and NAME.
  void loss(const std::string& name, Role role, int rows, int labels);
  // The steps places, div_term and their product, angles: a table of sines is made from them.
  void angles(const std::string& prefix, bool of_targets, std::int64_t length);
  int position_rows(const std::string& prefix, bool of_targets, std::int64_t length, const positions::Entry& entry);
  // `from` with its axes in another order and in another shape. `inputs` are the steps that the trace names as the step's inputs.
  int rearranged(Node n, int from, std::vector<int> order, std::vector<std::string> inputs);
  // The rows of a norm's input: [B, L, d], or the rows of q and k in their heads.
  Node norm_node(const std::string& name, Role role, const NormPart& part, std::int64_t rows, std::int64_t width, Shape shape,
                 Axes axes, int from);
  // The embeddings times a factor, with the row of the token type, normed: what stands between "embedding" and "input".
  int scaled_rows(const std::string& prefix, const Stream& stream, int from, double factor);
  int with_token_type(const std::string& prefix, const Stream& stream, int from);
  int with_types_of_pair(const std::string& prefix, const Stream& stream, int from, std::int64_t types);
  int projection(const std::string& prefix, const char* which, const AttentionPart& part, const Stream& stream, int from,
                 std::int64_t heads);
  int scored(const std::string& prefix, const char* which, const AttentionPart& part, const Stream& stream, int from,
             std::int64_t heads);
  // The steps of scored(), one after another.
  int normed_rows(const std::string& prefix, const char* which, const AttentionPart& part, const Stream& stream, int from,
                  std::int64_t heads);
  int turned_rows(const std::string& prefix, const char* which, const AttentionPart& part, const Stream& stream, int from,
                  std::int64_t heads);
  // k of a location-based score: rows of a table in its heads, the same for every sentence.
  int located_keys(const std::string& prefix, const AttentionPart& part, const Stream& keys, std::int64_t heads);
  int attention_steps(const std::string& prefix, const AttentionPart& part, const Stream& queries, SitePlan& site);
  void mask_steps(const std::string& prefix, SitePlan& site);
  // The rows of a table are added to the scores as the site's bias.
  void relative_bias(const std::string& prefix, const AttentionPart& part, SitePlan& site);
  // The step `sum` adds the weighted values `values` and the weighted rows of a table; returns its node.
  int relative_sum(const std::string& prefix, SitePlan& site, int values, const std::string& sum);
  // --- interventions (interventions.cpp); without an intervention at their place the functions add no step
  bool pattern_is_changed(const std::string& prefix) const;
  // The step of the weights from `weights_own`, and the step of the sum that they make; returns the node of the sum.
  struct WeightedSum {
    std::string name;
    Role role;
  };
  int changed_pattern(const std::string& prefix, SitePlan& site, const WeightedSum& sum);
  // The change of an attention's heads' sums, or of a part's output; `words` are empty where there is no change.
  struct OutputChange {
    operations::Ablate ablate;
    std::string words;
  };
  OutputChange change_of_heads(const std::string& prefix, const AttentionPart& part, const Stream& queries) const;
  OutputChange change_of_part(const std::string& prefix, Role role, const Stream& stream) const;
  // The step called `name`, made from the node `own` with the model's own result.
  int changed_output(const std::string& name, Role role, const OutputChange& change, int own);
  int concatenation(const std::string& prefix, const AttentionPart& part, const Stream& queries, int context);
  // k or v as the rows of another projection.
  int same_rows(const std::string& prefix, const char* which, const AttentionPart& part, const Stream& stream, const char* as,
                int from);
  // tanh(tanh(Stack(head_1 .. head_h) W_H) W_O) as the steps heads_stacked, stack_hidden and `output` (heads_combined.cpp).
  int stacked(const std::string& prefix, const AttentionPart& part, const Stream& queries, int context, Node output);
  int hidden(const std::string& prefix, const FeedForwardPart& part, const Stream& stream, int from);

  const Sizes& sizes_;
  std::int64_t d_;
  DType real_;
  Origin origin_;
  std::span<const Intervention> interventions_;
};

// The end of the name of a step that an intervention replaces: the step that the model computes itself.
inline constexpr const char* kOwn = "_own";

// The deviation of random biases: small beside projections of unit variance.
inline constexpr double kBiasDeviation = 0.1;

}  // namespace headlight::models
