// Interventions as steps of a plan: the step NAME_own keeps the model's own numbers, and the step NAME has the replacement.
#include <algorithm>

#include "engine/models/blocks.h"
#include "engine/models/formula_numbers.h"
#include "engine/operations/ablate.h"
#include "engine/operations/attention.h"
#include "engine/operations/replace_pattern.h"
#include "engine/operations/weigh_values.h"

namespace headlight::models {

using Kind = Intervention::Kind;
namespace ops = operations;

namespace {

std::string head_words(std::int64_t head) { return "head " + number(head); }

void join(std::string& words, const std::string& more) { words += (words.empty() ? "" : "; ") + more; }

std::string output_words(const Intervention& one) {
  switch (one.kind) {
    case Kind::mean: return "its mean over the text's positions";
    case Kind::scale: return "times " + number(one.factor);
    default: return "0";
  }
}

std::string pattern_words(const Intervention& one) {
  if (one.kind == Kind::uniform) return "equal weights over the allowed keys";
  if (one.kind == Kind::pattern) return "the weights of '" + one.sentence + "'";
  return number(static_cast<std::int64_t>(one.cells.size())) + (one.cells.size() == 1 ? " cell" : " cells") +
         " masked by hand, rows divided by what is left";
}

void put_into(ops::ReplacePattern::Change& change, const Intervention& one) {
  change.uniform |= one.kind == Kind::uniform;
  change.awaits_given |= one.kind == Kind::pattern;
  for (const Intervention::Cell& cell : one.cells) {
    const std::pair at(cell.query, cell.key);
    if (std::find(change.removed.begin(), change.removed.end(), at) == change.removed.end()) change.removed.push_back(at);
  }
}

}  // namespace

bool PlanBuilder::pattern_is_changed(const std::string& prefix) const {
  return std::any_of(interventions_.begin(), interventions_.end(),
                     [&](const Intervention& one) { return changes_pattern(one) && one.at.prefix() == prefix; });
}

int PlanBuilder::changed_pattern(const std::string& prefix, SitePlan& s, const WeightedSum& sum) {
  const ops::Attention& a = *s.attention;
  ops::ReplacePattern replace{a.batch, a.heads, a.queries, a.keys, false, {}};
  std::string words;
  for (std::int64_t head = 0; head < a.heads; ++head) {
    ops::ReplacePattern::Change change;
    change.head = head;
    std::string of_head;
    for (const Intervention& one : interventions_) {
      if (!changes_pattern(one) || !one.at.covers_head(prefix, head)) continue;
      put_into(change, one);
      of_head += (of_head.empty() ? "" : ", ") + pattern_words(one);
    }
    if (of_head.empty()) continue;
    replace.changes.push_back(std::move(change));
    join(words, head_words(head) + ": " + of_head);
  }
  // The weights are computed, kept and then changed, so they are another output of the attention.
  keep_weights_of(plan, s);

  Node weights = node(prefix + "weights", Role::weights, "replace patterns", "weights = weights_own, but " + words,
                      {a.batch, a.heads, a.queries, a.keys}, {"batch", "head", "query", "key"});
  weights.step.note = "intervention: " + words;
  weights.ops = {std::move(replace)};
  weights.site = static_cast<int>(plan.sites.size());
  weights.inputs = {s.weights};
  s.used_weights = add(std::move(weights));
  Node context = node(sum.name, sum.role, "weights v", "context[b, h, i, :] = sum over j of weights[b, h, i, j] v[b, h, j, :]",
                      {a.batch, a.heads, a.queries, a.d_v}, {"batch", "head", "position", "d_k"});
  context.ops = {ops::WeighValues{a.batch, a.heads, a.key_heads(), a.queries, a.keys, a.d_v}};
  context.inputs = {s.used_weights, s.v};
  context.step.computed_by = Computation::attention_context;
  return add(std::move(context));
}

PlanBuilder::OutputChange PlanBuilder::change_of_heads(const std::string& prefix, const AttentionPart& part,
                                                       const Stream& queries) const {
  OutputChange change;
  const auto heads = static_cast<std::size_t>(part.heads);
  change.ablate = {sizes_.batch,
                   part.heads,
                   queries.length,
                   part.d_k,
                   std::vector<double>(heads, 1.0),
                   std::vector<char>(heads, 0),
                   queries.of_targets ? sizes_.target_lengths : sizes_.text_lengths};
  for (std::int64_t head = 0; head < part.heads; ++head)
    for (const Intervention& one : interventions_) {
      const bool named = one.at.part == ModelAddress::Part::head || one.kind == Kind::scale;
      if (changes_pattern(one) || !named || !one.at.covers_head(prefix, head)) continue;
      const auto at = static_cast<std::size_t>(head);
      if (one.kind == Kind::zero) change.ablate.factors[at] = 0;
      if (one.kind == Kind::scale) change.ablate.factors[at] *= one.factor;
      change.ablate.averaged[at] |= one.kind == Kind::mean ? 1 : 0;
      join(change.words, head_words(head) + ": " + output_words(one));
    }
  return change;
}

PlanBuilder::OutputChange PlanBuilder::change_of_part(const std::string& prefix, Role role, const Stream& stream) const {
  OutputChange change;
  change.ablate = {sizes_.batch, 1, stream.length, d_, {1}, {0}, stream.of_targets ? sizes_.target_lengths : sizes_.text_lengths};
  for (const Intervention& one : interventions_) {
    const bool covers = role == Role::mlp_output ? one.at.covers_feed_forward(prefix) : one.at.covers_attention(prefix);
    if (!covers || (one.kind != Kind::zero && one.kind != Kind::mean)) continue;
    // A layer may be named, and a part of it besides: 0 is stronger.
    if (one.kind == Kind::zero) change.ablate.factors = {0};
    if (one.kind == Kind::mean) change.ablate.averaged = {1};
    change.words = change.ablate.factors.front() == 0 ? "0" : output_words(one);
  }
  return change;
}

int PlanBuilder::changed_output(const std::string& name, Role role, const OutputChange& change, int own) {
  const Step& from = plan.nodes[static_cast<std::size_t>(own)].step;
  const std::string plain(own_name(name));
  const bool of_heads = role == Role::context;
  Node n = node(name, role, "intervene",
                plain + " = " + (of_heads ? own_name(from.name) + ", but " + change.words : change.words), from.shape, from.axes);
  n.step.note = "intervention: " + change.words;
  n.ops = {change.ablate};
  n.inputs = {own};
  return add(std::move(n));
}

void tell_mask(ModelPlan& plan, const SitePlan& site) {
  if (site.used_weights == site.weights) return;
  Node& node = plan.nodes[static_cast<std::size_t>(site.used_weights)];
  ops::ReplacePattern replace = *node.ops.front().get_if<ops::ReplacePattern>();
  replace.has_mask = site.attention->has_mask;
  node.ops = {std::move(replace)};
}

bool reads_mask(const ModelPlan& plan, const Node& node) {
  if (node.site < 0 || node.ops.empty()) return false;
  if (const auto* replace = node.ops.front().get_if<ops::ReplacePattern>()) return replace->has_mask;
  return node.ops.front().get_if<ops::Attention>() && plan.sites[static_cast<std::size_t>(node.site)].attention->has_mask;
}
bool reads_bias(const ModelPlan& plan, const Node& node) {
  return node.site >= 0 && !node.ops.empty() && node.ops.front().get_if<ops::Attention>() &&
         plan.sites[static_cast<std::size_t>(node.site)].attention->has_bias;
}

Status set_pattern(ModelPlan& plan, const Intervention& intervention, std::int64_t head, const Tensor& weights) {
  for (const SitePlan& site : plan.sites) {
    if (!intervention.at.covers_head(site.site.prefix, head)) continue;
    const ops::Attention& a = *site.attention;
    if (weights.dim(0) != a.queries || weights.dim(1) != a.keys)
      return usage_error("'{}' has length {} in tokens, and what it replaces has length {}", intervention.sentence,
                         number(weights.dim(1)), number(a.keys))
          .at(to_text(intervention.at))
          .mend("give a sentence of as many tokens");
    const Tensor wide = weights.as(DType::f64).compact();
    const auto numbers = wide.values<double>();
    Node& node = plan.nodes[static_cast<std::size_t>(site.used_weights)];
    ops::ReplacePattern replace = *node.ops.front().get_if<ops::ReplacePattern>();
    for (ops::ReplacePattern::Change& change : replace.changes)
      if (change.head == head) change.given = std::make_shared<const std::vector<double>>(numbers.begin(), numbers.end());
    node.ops = {std::move(replace)};
  }
  return {};
}

}  // namespace headlight::models
