// Multi-head attention as steps of a plan.
#include "engine/models/blocks.h"
#include "engine/models/formula_numbers.h"
#include "engine/operations/linear.h"
#include "engine/operations/merge_heads.h"
#include "engine/operations/rotary.h"
#include "engine/operations/split_heads.h"
#include "engine/operations/unit_rows.h"

namespace headlight::models {

using Source = Node::Source;
using Stage = Node::Stage;
namespace ops = operations;

namespace {

Role role_of(const std::string& which) { return which == "q" ? Role::q : which == "k" ? Role::k : Role::v; }
std::int64_t key_heads(const AttentionPart& part) { return part.kv_heads > 0 ? part.kv_heads : part.heads; }

}  // namespace

// q, k or v: [B, L, d] -> [B, heads, L, d_k].
int PlanBuilder::projection(const std::string& prefix, const char* which, const AttentionPart& part, const Stream& stream,
                            int from, std::int64_t heads) {
  const Shape shape{sizes_.batch, heads, stream.length, part.d_k};
  const Axes axes{"batch", "head", "position", "d_k"};
  const std::string w = which;
  if (!part.projected)
    return add(view(prefix + w, role_of(w), w + " = x: no projection, one head of width " + number(d_), from, shape, axes));
  const std::string d_k = number(part.d_k), bias = part.bias ? " + b_" + w : "";
  Node n = node(prefix + w, role_of(w), heads > 1 ? "project, split into heads" : "project",
                w + " = x W_" + w + bias + " -> view [B, L, " + number(heads) + ", " + d_k + "] -> transpose [B, " +
                    number(heads) + ", L, " + d_k + "]: head i owns columns " + d_k + " i .. " + d_k + " (i + 1)",
                shape, axes);
  if (heads > 1) n.ops = {ops::SplitHeads{sizes_.batch, stream.length, heads, part.d_k}};
  return add(linear(std::move(n), stream, from, d_, heads * part.d_k, prefix + "w" + w,
                    part.bias ? prefix + "b" + w : std::string(), {"d_model", "head d_k"}));
}

// q or k as the scores multiply it: turned by its position and divided by its length, where the model does so.
int PlanBuilder::scored(const std::string& prefix, const char* which, const AttentionPart& part, const Stream& stream, int from,
                        std::int64_t heads) {
  const std::string w = which;
  const Role role = w == "q" ? Role::q_scored : Role::k_scored;
  const Shape shape{sizes_.batch, heads, stream.length, part.d_k};
  const Axes axes{"batch", "head", "position", "d_k"};
  const std::int64_t all = sizes_.batch * heads * stream.length;
  int at = from;
  if (part.rotary) {
    Node n =
        node(prefix + w + "_rotated", role, "rotate pairs",
             w + "_rotated[.., t, (2i, 2i+1)] = " + w + " turned by t / 10000^(2 i / " + number(part.d_k) + ")", shape, axes);
    n.ops = {ops::Rotary{all, stream.length, part.d_k}};
    n.inputs = {at};
    at = add(std::move(n));
  }
  if (part.score && part.score->unit_rows) {
    Node n =
        node(prefix + w + "_unit", role, "divide by length", name_of(at) + " / |" + name_of(at) + "|, row by row", shape, axes);
    n.ops = {ops::UnitRows{all, part.d_k}};
    n.inputs = {at};
    at = add(std::move(n));
  }
  return at;
}

// scores, scaled_scores, mask, masked_scores, weights, context; returns the context's node.
int PlanBuilder::attention_steps(const std::string& prefix, const AttentionPart& part, SitePlan& s) {
  const int index = static_cast<int>(plan.sites.size());
  const ops::Attention& a = s.attention;
  const Shape square{a.batch, a.heads, a.queries, a.keys};
  const Axes axes{"batch", "head", "query", "key"};
  const auto stage = [&](Node n, Stage which, const char* computed_by, std::vector<int> inputs) {
    n.source = Source::attention;
    n.stage = which;
    n.site = index;
    n.inputs = std::move(inputs);
    n.step.kept = false;
    n.step.computed_by = computed_by;
    return add(std::move(n));
  };
  const std::string q = part.rotary || (part.score && part.score->unit_rows) ? s.site.q.substr(prefix.size()) : "q";
  const std::string k = q == "q" ? "k" : s.site.k.substr(prefix.size());
  const int scores = stage(
      node(prefix + "scores", Role::scores, "q k^T",
           "scores[b, h, i, j] = sum over " + number(part.d_k) + " dimensions of " + q + "[b, h, i, :] " + k + "[b, h, j, :]",
           square, axes),
      Stage::scores, "attention.scores", {s.q, s.k});
  const int scaled =
      stage(node(prefix + "scaled_scores", Role::scaled_scores, "scale", "scaled = " + part.scale_words, square, axes),
            Stage::scaled, "attention.scaled", {scores});

  Node mask = node(prefix + "mask", Role::mask, "combine masks", "no mask: 1 everywhere", {a.batch, 1, a.queries, a.keys}, axes);
  mask.source = Source::mask;
  mask.of_targets = s.site.rows_are_targets;
  mask.site = index;
  mask.step.computed_by = "mask";
  mask.step.dtype = DType::u8;
  mask.step.kept = false;
  mask.step.origin = Origin::computed;
  s.mask = add(std::move(mask));

  const bool infinite = part.fill == ops::MaskFill::minus_infinity;
  const int masked = stage(
      node(prefix + "masked_scores", Role::masked_scores, "replace where the mask is 0",
           std::string("masked = mask ? scaled : ") + (infinite ? "-inf" : "-1e9") + " (replaced, not added)", square, axes),
      Stage::masked, "attention.masked", {scaled, s.mask});
  const std::string t = part.temperature == 1 ? "" : " / " + number(part.temperature);
  Node weights = node(prefix + "weights", Role::weights, "softmax over keys",
                      "weights[b, h, i, j] = exp(masked[b, h, i, j]" + t + ") / sum over " + number(a.keys) +
                          " keys of exp(masked[b, h, i, :]" + t + ")",
                      square, axes);
  weights.step.note = infinite ? "a fully masked row is all zeros under -inf (defined so; naive code gives NaN)"
                               : "a fully masked row is uniform, 1/" + number(a.keys) + ", under -1e9";
  s.weights = stage(std::move(weights), Stage::weights, "attention.weights", {masked});

  Node context = node(prefix + "context", Role::context, "weights v",
                      "context[b, h, i, :] = sum over j of weights[b, h, i, j] v[b, h, j, :]",
                      {a.batch, a.heads, a.queries, a.d_v}, {"batch", "head", "position", "d_k"});
  context.ops = {a};
  context.site = index;
  context.inputs = {s.q, s.k, s.v};
  context.step.computed_by = "attention.context";
  s.context = add(std::move(context));
  plan.nodes[static_cast<std::size_t>(s.context)].step.inputs = {prefix + "weights", s.site.v};
  return s.context;
}

int PlanBuilder::attention(const std::string& prefix, const AttentionPart& part, const Stream& queries, int from_queries,
                           const Stream& keys, int from_keys) {
  const std::int64_t kv = key_heads(part), width = part.heads * part.d_k;
  SitePlan s;
  s.site.prefix = prefix;
  s.site.site = part.site;
  s.site.layer = part.layer;
  s.site.heads = part.heads;
  s.site.kv_heads = kv;
  s.site.queries = queries.length;
  s.site.keys = keys.length;
  s.site.d_k = part.d_k;
  s.site.rows_are_targets = queries.of_targets;
  s.site.columns_are_targets = keys.of_targets;
  s.site.scale = part.scale;
  s.attention.batch = sizes_.batch;
  s.attention.heads = part.heads;
  s.attention.kv_heads = kv == part.heads ? 0 : kv;
  s.attention.queries = queries.length;
  s.attention.keys = keys.length;
  s.attention.d_k = s.attention.d_v = part.d_k;
  s.attention.scale = part.scale;
  s.attention.temperature = part.temperature;
  s.attention.fill = part.fill;
  const int q = projection(prefix, "q", part, queries, from_queries, part.heads);
  const int k = projection(prefix, "k", part, keys, from_keys, kv);
  s.v = projection(prefix, "v", part, keys, from_keys, kv);
  s.q = scored(prefix, "q", part, queries, q, part.heads);
  s.k = scored(prefix, "k", part, keys, k, kv);
  s.site.q = name_of(s.q);
  s.site.k = name_of(s.k);
  s.site.v = name_of(s.v);
  const int context = attention_steps(prefix, part, s);
  plan.sites.push_back(std::move(s));

  Node concat = node(prefix + "concat", Role::concat, "heads side by side",
                     "transpose [B, N, " + number(part.heads) + ", " + number(part.d_k) +
                         "] (no longer contiguous: copied), view [B, N, " + number(width) + "]",
                     vectors(queries, width), {"batch", "position", "d_model"});
  concat.inputs = {context};
  concat.step.computed_by = "merge_heads";
  if (part.heads > 1) {
    concat.ops = {ops::MergeHeads{sizes_.batch, queries.length, part.heads, part.d_k}};
  } else {
    concat.source = Source::view;
  }
  const int merged = add(std::move(concat));
  if (!part.projected) return merged;
  return add(linear(
      node(prefix + "attention_output", Role::attention_output, "project",
           std::string("concat W_o") + (part.bias ? " + b_o" : ""), vectors(queries, d_), {"batch", "position", "d_model"}),
      queries, merged, width, d_, prefix + "wo", part.bias ? prefix + "bo" : std::string(), {"head d_k", "d_model"}));
}

}  // namespace headlight::models
