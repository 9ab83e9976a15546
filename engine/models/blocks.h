// The parts that models are composed of. Each adds its steps to a plan, under the names that scripts rely on, and returns the
// node of its result. Shapes: B sentences, N queries, M keys, h heads of width d_k.
#pragma once

#include <cstdint>
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
};

struct AttentionPart {
  masks::Site site = masks::Site::decoder_self;
  std::int64_t layer = 0;
  std::int64_t heads = 1;
  std::int64_t kv_heads = 0;  // heads of k and v, a divisor of `heads`; 0: as many
  std::int64_t d_k = 0;
  bool projected = true;                       // false: q, k and v are the vectors themselves
  bool values_are_keys = false;                // K = V: one projection serves as both
  bool keys_are_queries = false;               // Q = K: queries and keys are the same vectors' projection
  std::int64_t stack_hidden = 0;               // n_hidden of the 2-D stack; 0: heads side by side, then W_O
  bool bias = true;                            // of the projections
  std::vector<Choice> masks;                   // those that apply at this site are used
  const positions::Entry* position = nullptr;  // that works inside the attention: not of Where::input; null: none
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
  // `origin`: of the weights that the plan will be computed with.
  // `interventions` must outlive the builder.
  PlanBuilder(const Sizes& sizes, std::int64_t d_model, DType real, Origin origin,
              std::span<const Intervention> interventions = {})
      : sizes_(sizes), d_(d_model), real_(real), origin_(origin), interventions_(interventions) {}
  ModelPlan plan;

  // A parameter of the plan; `name` without "parameters.".
  int parameter(const std::string& name, Shape shape, Axes axes, ParameterSpec::Fill fill, double deviation);
  // A table [vocabulary, d_model] of which only the rows in use are made.
  int embedding_table(const std::string& name, const Sizes::Tokens& tokens);

  // tokens, embedding, position (where the entry adds a table; null: none) and input. A trained table is the parameter
  // "position" behind the prefix, [Sizes::trained_positions, d_model].
  Stream embed(const std::string& prefix, bool of_targets, int table, const positions::Entry* position);
  int norm(const std::string& name, Role role, const NormPart& part, const Stream& stream, int from);
  int residual(const std::string& name, Role role, const Stream& stream, int part);
  // q, k and v from `queries` and `keys` (nodes of normed or plain vectors), scores to context, the heads side by side, and the
  // output projection.
  int attention(const std::string& prefix, const AttentionPart& part, const Stream& queries, int from_queries, const Stream& keys,
                int from_keys);
  int feed_forward(const std::string& prefix, const FeedForwardPart& part, const Stream& stream, int from);
  // logits and probabilities over the tokens of `table`, the embedding table that a tied output shares.
  void output(const Stream& stream, int table, bool tied);
  // What output() says, as the rows of all sentences, against the tokens that stand there (loss) and those behind them
  // (loss_shifted), padding ignored: labels are of `classes` kinds.
  void losses(const Stream& stream, std::int64_t classes);

 private:
  std::int64_t rows(const Stream& s) const { return sizes_.batch * s.length; }
  Shape vectors(const Stream& s, std::int64_t width) const { return {sizes_.batch, s.length, width}; }
  const std::string& name_of(int node) const { return plan.nodes[static_cast<std::size_t>(node)].step.name; }

  // The next step of the plan; what it computes, and with what, is set on the result.
  Node node(std::string name, Role role, std::string operation, std::string formula, Shape shape, Axes axes) const;
  int add(Node n);
  Node view(std::string name, Role role, std::string formula, int from, Shape shape, Axes axes) const;
  // x W + b with parameters `weight` and `bias` (empty: none).
  Node linear(Node n, const Stream& stream, int from, std::int64_t inner, std::int64_t columns, const std::string& weight,
              const std::string& bias, Axes weight_axes);

  Node aside(std::string name, Role role, Node::Aside which, bool of_targets, std::string formula, Shape shape, Axes axes) const;
  // Cross-entropy of `rows` [rows, classes] by `labels`, and its mean, as steps NAME_by_row and NAME.
  void loss(const std::string& name, Role role, int rows, int labels);
  // places, div_term and their product, angles: what a table of sines is made from.
  void angles(const std::string& prefix, bool of_targets, std::int64_t length);
  int position_rows(const std::string& prefix, bool of_targets, std::int64_t length, const positions::Entry& entry);
  // `from` with its axes in another order and in another shape; `inputs` is what the step is said to be made from.
  int rearranged(Node n, int from, std::vector<int> order, std::vector<std::string> inputs);
  int projection(const std::string& prefix, const char* which, const AttentionPart& part, const Stream& stream, int from,
                 std::int64_t heads);
  int scored(const std::string& prefix, const char* which, const AttentionPart& part, const Stream& stream, int from,
             std::int64_t heads);
  // k of a location-based score: rows of a table in its heads, the same for every sentence.
  int located_keys(const std::string& prefix, const AttentionPart& part, const Stream& keys, std::int64_t heads);
  int attention_steps(const std::string& prefix, const AttentionPart& part, const Stream& queries, SitePlan& site);
  void mask_steps(const std::string& prefix, SitePlan& site);
  // --- relative positions (relative_positions.cpp)
  // What the rows of a table add to the scores: the site's bias.
  void relative_bias(const std::string& prefix, const AttentionPart& part, SitePlan& site);
  // The weighted values `values` and what the rows of a table add to them, as the step `sum`; returns its node.
  int relative_sum(const std::string& prefix, SitePlan& site, int values, const std::string& sum);
  // --- interventions (interventions.cpp); without any at their place they add nothing
  bool pattern_is_changed(const std::string& prefix) const;
  // weights from `weights_own`, and the sum of the values that they make; returns the latter's node.
  struct WeightedSum {
    std::string name;
    Role role;
  };
  int changed_pattern(const std::string& prefix, SitePlan& site, const WeightedSum& sum);
  // What is done to the sums of an attention's heads, or to what a part adds; its words are empty where that is nothing.
  struct OutputChange {
    operations::Ablate ablate;
    std::string words;
  };
  OutputChange change_of_heads(const std::string& prefix, const AttentionPart& part, const Stream& queries) const;
  OutputChange change_of_part(const std::string& prefix, Role role, const Stream& stream) const;
  // The step called `name` from the one before it, which holds what the model computes itself.
  int changed_output(const std::string& name, Role role, const OutputChange& change, int own);
  int concatenation(const std::string& prefix, const AttentionPart& part, const Stream& queries, int context);
  // k or v as another projection's rows.
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

// What stands behind the name of a step that an intervention replaces: the step that the model computes itself.
inline constexpr const char* kOwn = "_own";

// The deviation of random biases: small beside projections of unit variance.
inline constexpr double kBiasDeviation = 0.1;

}  // namespace headlight::models
