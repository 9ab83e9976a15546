#include "engine/models/plan.h"

#include "engine/models/of_rows.h"
#include "engine/operations/attention.h"
#include "engine/operations/linear.h"
#include "engine/operations/soft_cap.h"
#include "engine/operations/softmax.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::models {

HeldAttention::HeldAttention() : held_(std::make_unique<operations::Attention>()) {}
HeldAttention::HeldAttention(const HeldAttention& other)
    : held_(other.held_ ? std::make_unique<operations::Attention>(*other.held_) : nullptr) {}
HeldAttention::HeldAttention(HeldAttention&& other) noexcept = default;
HeldAttention& HeldAttention::operator=(const HeldAttention& other) { return *this = HeldAttention(other); }
HeldAttention& HeldAttention::operator=(HeldAttention&& other) noexcept = default;
HeldAttention::~HeldAttention() = default;

ModelPlan::ModelPlan() = default;
ModelPlan::ModelPlan(const ModelPlan& other) = default;
ModelPlan::ModelPlan(ModelPlan&& other) noexcept = default;
ModelPlan& ModelPlan::operator=(const ModelPlan& other) = default;
ModelPlan& ModelPlan::operator=(ModelPlan&& other) noexcept = default;
ModelPlan::~ModelPlan() = default;

Sizes::Tokens tokens_of(const tokenizers::Tokenizer& tokenizer) {
  return {tokenizer.vocabulary_size(), tokenizer.special(tokenizers::Role::pad), tokenizer.label()};
}

void take_tables(Sizes& sizes, const StoredModel& model) {
  sizes.target_table = model.target_vocabulary > 0;
  sizes.output = {model.predicts, model.tied};
  if (is_published(model)) {
    sizes.text_tokens.vocabulary = model.vocabulary;
    sizes.text_tokens.pad_id = -1;  // the row of its padding token is a row like any other
  }
  sizes.trained_positions = model.document.position == "learned" ? model.length : 0;
}

Status check_positions(const ModelPlan& plan) {
  for (const Node& node : plan.nodes) {
    if (node.source != Node::Source::position || node.parameters.empty()) continue;
    const std::int64_t tokens = node.step.shape[0], rows = plan.parameters[static_cast<std::size_t>(node.parameters[0])].shape[0];
    if (tokens > rows && node.step.role != Role::position)
      return usage_error("the text has {} tokens, and the table of a location-based score has {} rows, one for each place",
                         tokens, rows)
          .at(Message::name(node.of_targets ? "--target" : "--text"))
          .mend("give a shorter text, or take another score");
    if (tokens > rows)
      return usage_error("the text has {} tokens, and the model's table of learned positions has {} rows", tokens, rows)
          .at(Message::name(node.of_targets ? "--target" : "--text"))
          .mend("give a shorter text, or train a model of this length");
  }
  return {};
}

std::vector<NamedParameter> named(const std::vector<ParameterSpec>& specs, const Weights& weights) {
  std::vector<NamedParameter> list;
  list.reserve(specs.size());
  for (const ParameterSpec& p : specs) {
    const Origin origin = weights.origin_of(p, {});
    list.push_back({p.name, p.shape, p.axes,
                    origin != Origin::random || p.fill == ParameterSpec::Fill::normal ? origin : Origin::computed, p.deviation,
                    p.zero_row});
  }
  return list;
}

void keep_weights_of(ModelPlan& plan, SitePlan& s) {
  s.attention->keep_weights = true;
  plan.nodes[static_cast<std::size_t>(s.weights)].step.kept = true;
  Node& context = plan.nodes[static_cast<std::size_t>(s.context)];
  context.ops = {*s.attention};
  context.gives = {{1, s.weights}};
}

void keep_weights(ModelPlan& plan, DType real, std::uint64_t most) {
  double bytes = 0;
  for (const SitePlan& s : plan.sites)
    bytes += static_cast<double>(s.attention->batch * s.attention->heads) * static_cast<double>(s.attention->queries) *
             static_cast<double>(s.attention->keys) * static_cast<double>(size_of(real));
  for (SitePlan& s : plan.sites) {
    if (bytes > static_cast<double>(most) && s.used_weights == s.weights && s.site.relative_values.empty()) continue;
    keep_weights_of(plan, s);
  }
}

operations::Operation of_rows(const operations::Operation& op, std::int64_t rows) {
  operations::Operation made = op;
  operations::visit<operations::Linear, operations::SoftCap, operations::Softmax>(op, [&](auto some) {
    some.rows = rows;
    made = some;
  });
  return made;
}

void fix_weights(ModelPlan& plan) {
  for (Node& node : plan.nodes) {
    for (operations::Operation& op : node.ops) {
      const auto* linear = op.get_if<operations::Linear>();
      if (!linear) continue;
      operations::Linear fixed = *linear;
      fixed.fixed_weights = true;
      op = fixed;
    }
  }
}

}  // namespace headlight::models
