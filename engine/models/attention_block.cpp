// Multi-head attention as steps of a plan.
#include <algorithm>
#include <cmath>
#include <string>

#include "engine/attention/positions/position_entries.h"
#include "engine/models/blocks.h"
#include "engine/models/formula_numbers.h"
#include "engine/operations/attention.h"
#include "engine/operations/linear.h"
#include "engine/operations/merge_heads.h"
#include "engine/operations/repeat_rows.h"
#include "engine/operations/rotary.h"
#include "engine/operations/split_heads.h"
#include "engine/operations/unit_rows.h"

namespace headlight::models {

using Source = Node::Source;
using Stage = Node::Stage;
namespace ops = operations;

namespace {

// The roles of a projection's steps, in their order.
struct ProjectionRoles {
  Role projected, view, split;
};
ProjectionRoles roles_of(const std::string& which) {
  if (which == "q") return {Role::q_projected, Role::q_view, Role::q};
  if (which == "k") return {Role::k_projected, Role::k_view, Role::k};
  return {Role::v_projected, Role::v_view, Role::v};
}
bool turns(const AttentionPart& part) { return part.position && part.position->where == positions::Where::rotates; }
std::string shape_words(std::initializer_list<std::int64_t> shape) { return to_string(Shape(shape)); }
bool is_relative(const AttentionPart& part) { return part.position && part.position->where == positions::Where::relative; }
std::int64_t key_heads(const AttentionPart& part) { return part.kv_heads > 0 ? part.kv_heads : part.heads; }

}  // namespace

// q, k or v: [B, L, d] -> [B, heads, L, d_k]. The product writes its columns where the heads want them; the two arrays between,
// as PyTorch would have them, are read out of the result.
int PlanBuilder::projection(const std::string& prefix, const char* which, const AttentionPart& part, const Stream& stream,
                            int from, std::int64_t heads) {
  const Shape shape{sizes_.batch, heads, stream.length, part.d_k};
  const Axes axes{"batch", "head", "position", "d_k"};
  const std::string w = which;
  if (!part.projected)
    return add(
        view(prefix + w, roles_of(w).split, w + " = x: no projection, one head of width " + number(d_), from, shape, axes));
  const std::string d_k = number(part.d_k), bias = part.bias ? " + b_" + w : "";
  Node n = node(prefix + w, roles_of(w).split, heads > 1 ? "project, split into heads" : "project",
                w + " = x W_" + w + bias + " -> view [B, L, " + number(heads) + ", " + d_k + "] -> transpose [B, " +
                    number(heads) + ", L, " + d_k + "]: head i owns columns " + d_k + " i .. " + d_k + " (i + 1)",
                shape, axes);
  if (heads > 1) n.ops = {ops::SplitHeads{sizes_.batch, stream.length, heads, part.d_k}};
  n = linear(std::move(n), stream, from, d_, heads * part.d_k, prefix + "w" + w, part.bias ? prefix + "b" + w : std::string(),
             {"d_model", "head d_k"});

  const int split = static_cast<int>(plan.nodes.size()) + 2;
  std::vector<std::string> made_from{name_of(from)};
  for (const int p : n.parameters) made_from.push_back(plan.parameters[static_cast<std::size_t>(p)].name);
  Node flat = node(prefix + w + "_projected", roles_of(w).projected, "project", w + "_projected = x W_" + w + bias,
                   vectors(stream, heads * part.d_k), {"batch", "position", "d_model"});
  flat.step.computed_by = ops::kind_of<ops::Linear>();
  rearranged(std::move(flat), split, {0, 2, 1, 3}, std::move(made_from));
  const Shape viewed{sizes_.batch, stream.length, heads, part.d_k};
  rearranged(node(prefix + w + "_view", roles_of(w).view, "view",
                  w + "_projected as " + to_string(viewed) + ": every row is cut into heads, nothing is copied", viewed,
                  {"batch", "position", "head", "d_k"}),
             split, {0, 2, 1, 3}, {prefix + w + "_projected"});
  return add(std::move(n));
}

int PlanBuilder::normed_rows(const std::string& prefix, const char* which, const AttentionPart& part, const Stream& stream,
                             int from, std::int64_t heads) {
  NormPart norm = *part.row_norm;
  norm.parameters = prefix + which + "_norm";
  const std::int64_t all = sizes_.batch * heads * stream.length;
  return add(norm_node(prefix + which + "_normed", *which == 'q' ? Role::q_scored : Role::k_scored, norm, all, part.d_k,
                       {sizes_.batch, heads, stream.length, part.d_k}, {"batch", "head", "position", "d_k"}, from));
}

int PlanBuilder::turned_rows(const std::string& prefix, const char* which, const AttentionPart& part, const Stream& stream,
                             int from, std::int64_t heads) {
  const std::string w = which;
  const bool halves = part.position->id == positions::kRotarySplit;
  ops::Rotary turn{sizes_.batch * heads * stream.length, stream.length, part.d_k, 10000, halves};
  std::string by = "10000^(2 i / " + number(part.d_k) + ")";
  if (part.turn) {
    turn.turned = part.turn->turned == part.d_k ? 0 : part.turn->turned;
    turn.frequencies = part.turn->frequencies;
    turn.magnitude = part.turn->magnitude;
    by = part.turn->words;
  }
  const std::int64_t turned = 2 * turn.pairs();
  Node n = node(prefix + w + "_rotated", w == "q" ? Role::q_scored : Role::k_scored, "rotate pairs",
                w + "_rotated[.., t, " + (halves ? "(i, i + " + number(turned / 2) + ")" : std::string("(2i, 2i+1)")) + "] = " +
                    (turn.magnitude == 1 ? "" : number(turn.magnitude) + " ") + own_name(name_of(from)) + " turned by t / " + by +
                    (turned == part.d_k ? "" : "; dimensions from " + number(turned) + " on stay as they are"),
                {sizes_.batch, heads, stream.length, part.d_k}, {"batch", "head", "position", "d_k"});
  n.ops = {std::move(turn)};
  n.inputs = {from};
  return add(std::move(n));
}

// q or k as the scores read it: multiplied by the matrix of a general or additive score, turned by its position, divided by its
// length, where the model does so. A general score has one matrix for all heads of a layer: head i already compares x W_q,i with
// x W_k,i, so that a matrix of its own would only be a part of its W_q.
int PlanBuilder::scored(const std::string& prefix, const char* which, const AttentionPart& part, const Stream& stream, int from,
                        std::int64_t heads) {
  const std::string w = which;
  const Role role = w == "q" ? Role::q_scored : Role::k_scored;
  const Shape shape{sizes_.batch, heads, stream.length, part.d_k};
  const Axes axes{"batch", "head", "position", "d_k"};
  const std::int64_t all = sizes_.batch * heads * stream.length;
  int at = from;
  // Before the turning, so that the score of two turned rows still depends on their distance.
  if (part.score && (w == "q" ? part.score->matrix : part.score->key_matrix)) {
    const std::string d_k = number(part.d_k), own = w == "q" ? "W_score" : "U_score";
    Node n = node(prefix + w + "_weighted", role, "times the score's matrix",
                  w + "_weighted[b, h, i, :] = " + w + "[b, h, i, :] " + own + ", " + own + " [" + d_k + ", " + d_k +
                      "]: one for all heads",
                  shape, axes);
    n.ops = {ops::Linear{all, part.d_k, part.d_k, false, ops::ActivationKind::none}};
    n.inputs = {at};
    // A general score's matrix leads from the query's dimensions to the key's, an additive one's both to the hidden layer's.
    const Axes of_matrix = part.score->additive ? Axes{w == "q" ? "query d_k" : "key d_k", "d_k"} : Axes{"query d_k", "key d_k"};
    n.parameters = {parameter(prefix + (w == "q" ? "w_score" : "u_score"), {part.d_k, part.d_k}, of_matrix,
                              ParameterSpec::Fill::normal, 1 / std::sqrt(static_cast<double>(part.d_k)))};
    at = add(std::move(n));
  }
  if (part.row_norm) at = normed_rows(prefix, which, part, stream, at, heads);
  if (turns(part)) at = turned_rows(prefix, which, part, stream, at, heads);
  if (part.score && part.score->unit_rows) {
    Node n =
        node(prefix + w + "_unit", role, "divide by length", name_of(at) + " / |" + name_of(at) + "|, row by row", shape, axes);
    n.ops = {ops::UnitRows{all, part.d_k}};
    n.inputs = {at};
    at = add(std::move(n));
  }
  return at;
}

int PlanBuilder::located_keys(const std::string& prefix, const AttentionPart& part, const Stream& keys, std::int64_t heads) {
  const std::int64_t width = heads * part.d_k;
  Node places = node(prefix + "k_places", Role::k_projected, "look up rows",
                     "k_places[j, :] = W_score[j, :], W_score [" + number(scores::kPlaces) + ", " + number(width) +
                         "]: a row for every place, whatever word stands there",
                     {keys.length, width}, {"position", "d_model"});
  places.source = Source::position;
  places.step.computed_by = Computation::score_places;
  places.of_targets = keys.of_targets;
  places.parameters = {parameter(prefix + "w_score", {scores::kPlaces, width}, {"position", "head d_k"},
                                 ParameterSpec::Fill::normal, 1 / std::sqrt(static_cast<double>(part.d_k)))};
  const int rows = add(std::move(places));
  Node k =
      node(prefix + "k", Role::k, "repeat for every sentence",
           "k[b, h, j, :] = k_places[j, " + number(part.d_k) + " h .. " + number(part.d_k) + " (h + 1)], the same for every b",
           {sizes_.batch, heads, keys.length, part.d_k}, {"batch", "head", "position", "d_k"});
  k.ops = {ops::RepeatRows{sizes_.batch, keys.length * width}};
  if (heads > 1) k.ops.push_back(ops::SplitHeads{sizes_.batch, keys.length, heads, part.d_k});
  k.inputs = {rows};
  return add(std::move(k));
}

// scores, scaled_scores, mask, masked_scores, weights, context; returns the context's node.
int PlanBuilder::attention_steps(const std::string& prefix, const AttentionPart& part, const Stream& queries, SitePlan& s) {
  const int index = static_cast<int>(plan.sites.size());
  const ops::Attention& a = *s.attention;
  const Shape square{a.batch, a.heads, a.queries, a.keys};
  const Axes axes{"batch", "head", "query", "key"};
  const auto stage = [&](Node n, Stage which, Computation computed_by, std::vector<int> inputs) {
    n.source = Source::attention;
    n.stage = which;
    n.site = index;
    n.inputs = std::move(inputs);
    n.step.kept = false;
    n.step.computed_by = computed_by;
    return add(std::move(n));
  };
  const std::string q = own_name(s.site.q) + "[b, h, i, :]", k = own_name(s.site.k) + "[b, h, j, :]";
  if (!a.additive)
    rearranged(
        node(prefix + "k_transposed", Role::k_transposed, "transpose", own_name(s.site.k) + "^T: the last two axes change places",
             {a.batch, a.key_heads(), a.d_k, a.keys}, {"batch", "head", "d_k", "position"}),
        s.k, {0, 1, 3, 2}, {s.site.k});
  Node raw = node(prefix + "scores", Role::scores, a.additive ? "v tanh(q + k)" : "q k^T",
                  "scores[b, h, i, j] = sum over " + number(part.d_k) + " dimensions of " +
                      (a.additive ? "v_score[:] tanh(" + q + " + " + k + ")" : q + " " + k),
                  square, axes);
  if (a.additive) raw.parameters = {s.score_vector};
  const int scores = stage(std::move(raw), Stage::scores, Computation::attention_scores, {s.q, s.k});
  const int scaled =
      stage(node(prefix + "scaled_scores", Role::scaled_scores, "scale", "scaled = " + part.scale_words, square, axes),
            Stage::scaled, Computation::attention_scaled, {scores});

  mask_steps(prefix, s);
  if (is_relative(part)) relative_bias(prefix, part, s);
  std::vector<int> of_masked{scaled, s.mask};
  if (s.bias >= 0) of_masked.push_back(s.bias);
  const bool infinite = part.fill == ops::MaskFill::minus_infinity;
  const int masked =
      stage(node(prefix + "masked_scores", Role::masked_scores, "replace where the mask is 0",
                 std::string(s.bias >= 0 ? "masked = mask ? scaled + position_bias : " : "masked = mask ? scaled : ") +
                     (infinite ? "-inf" : "-1e9") + " (replaced, not added)",
                 square, axes),
            Stage::masked, Computation::attention_masked, std::move(of_masked));
  const std::string t = part.temperature == 1 ? "" : " / " + number(part.temperature);
  const bool replaced = pattern_is_changed(prefix);
  Node weights = node(prefix + "weights" + (replaced ? kOwn : ""), replaced ? Role::other : Role::weights, "softmax over keys",
                      "weights[b, h, i, j] = exp(masked[b, h, i, j]" + t + ") / sum over " + number(a.keys) +
                          " keys of exp(masked[b, h, i, :]" + t + ")",
                      square, axes);
  weights.step.note = infinite ? "a fully masked row is all zeros under -inf (defined so; naive code gives NaN)"
                               : "a fully masked row is uniform, 1/" + number(a.keys) + ", under -1e9";
  s.weights = s.used_weights = stage(std::move(weights), Stage::weights, Computation::attention_weights, {masked});

  // The sum is called "context", unless something is put in its place.
  const OutputChange change = change_of_heads(prefix, part, queries);
  const bool changes_sum = !change.words.empty();
  const std::string sum = prefix + "context" + (changes_sum ? kOwn : "");
  const bool relative = is_relative(part);  // then the weighted values are a part of the sum
  const std::string of_values = relative ? prefix + "context_of_values" : sum;
  const Role role = relative ? Role::context_of_values : changes_sum ? Role::other : Role::context;
  Node context = node(replaced ? prefix + "context_of_weights_own" : of_values, replaced ? Role::other : role, "weights v",
                      "context[b, h, i, :] = sum over j of weights[b, h, i, j] v[b, h, j, :]",
                      {a.batch, a.heads, a.queries, a.d_v}, {"batch", "head", "position", "d_k"});
  context.ops = {a};
  context.site = index;
  context.inputs = {s.q, s.k, s.v};
  if (a.additive) context.parameters = {s.score_vector};
  context.step.computed_by = Computation::attention_context;
  s.context = add(std::move(context));
  plan.nodes[static_cast<std::size_t>(s.context)].step.inputs = {name_of(s.weights), s.site.v};
  if (relative) keep_weights_of(plan, s);
  int summed = replaced ? changed_pattern(prefix, s, {of_values, role}) : s.context;
  if (relative) summed = relative_sum(prefix, s, summed, sum);
  return changes_sum ? changed_output(prefix + "context", Role::context, change, summed) : summed;
}

// The masks at their own shapes, what they are together, and the position's bias.
void PlanBuilder::mask_steps(const std::string& prefix, SitePlan& s) {
  const int index = static_cast<int>(plan.sites.size());
  const ops::Attention& a = *s.attention;
  const Axes axes{"batch", "head", "query", "key"};
  const auto mask_node = [&](Node n, Source source, Computation computed_by) {
    n.source = source;
    n.of_targets = s.site.rows_are_targets;
    n.site = index;
    n.step.computed_by = computed_by;
    n.step.dtype = DType::u8;
    n.step.kept = false;
    n.step.origin = Origin::computed;
    return n;
  };
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < s.masks.size(); ++i) {
    const masks::Entry& entry = *masks::registry().find(s.masks[i].id);
    const auto before = std::count_if(s.masks.begin(), s.masks.begin() + static_cast<std::ptrdiff_t>(i),
                                      [&](const Choice& other) { return other.id == entry.id; });
    const std::string name = prefix + entry.id + "_mask" + (before > 0 ? "_" + std::to_string(before + 1) : "");
    const Shape flat = entry.by_sentence ? Shape{a.batch, a.keys} : Shape{a.queries, a.keys};
    const Shape between = entry.by_sentence ? Shape{a.batch, 1, a.keys} : Shape{1, a.queries, a.keys};
    const Shape own = entry.by_sentence ? Shape{a.batch, 1, 1, a.keys} : Shape{1, 1, a.queries, a.keys};
    Node squeezed = mask_node(node(name, Role::mask_part_squeezed, "make a mask", "1 = may attend: " + entry.formula, flat,
                                   entry.by_sentence ? Axes{"batch", "key"} : Axes{"query", "key"}),
                              Source::mask_part, Computation::mask_part);
    squeezed.part = i;
    add(std::move(squeezed));
    Node once = mask_node(
        node(name + "_unsqueezed_once", Role::mask_part_squeezed, "unsqueeze",
             std::string(entry.by_sentence ? "unsqueeze(1): " : "unsqueeze(0): ") + to_string(flat) + " -> " + to_string(between),
             between, {"batch", "query", "key"}),
        Source::mask_part, Computation::mask_part);
    once.part = i;
    once.step.inputs = {name};
    add(std::move(once));
    Node unsqueezed = mask_node(
        node(name + "_unsqueezed", Role::mask_part, "unsqueeze",
             std::string(entry.by_sentence ? "unsqueeze(1), unsqueeze(2): " : "unsqueeze(0), unsqueeze(0): ") + to_string(flat) +
                 " -> " + to_string(between) + " -> " + to_string(own) + ", broadcast over the axes of size 1",
             own, axes),
        Source::mask_part, Computation::mask_part);
    unsqueezed.part = i;
    unsqueezed.step.inputs = {name};
    parts.push_back(name + "_unsqueezed");
    add(std::move(unsqueezed));
  }
  Node mask = mask_node(
      node(prefix + "mask", Role::mask, "combine masks", "no mask: 1 everywhere", {a.batch, 1, a.queries, a.keys}, axes),
      Source::mask, Computation::mask);
  mask.step.inputs = std::move(parts);
  s.mask = add(std::move(mask));

  if (!s.position || s.position->where != positions::Where::scores) return;
  Node bias = node(prefix + "position_bias", Role::position_bias, s.position->label, s.position->formula,
                   {1, a.heads, a.queries, a.keys}, axes);
  bias.source = Source::bias;
  bias.of_targets = s.site.rows_are_targets;
  bias.site = index;
  bias.step.computed_by = Computation::position_bias;
  bias.step.kept = false;
  bias.step.origin = Origin::computed;
  s.bias = add(std::move(bias));
  s.site.bias = name_of(s.bias);
}

// The heads side by side: [B, h, N, d_k] -> [B, N, h, d_k] -> [B, N, h d_k].
int PlanBuilder::concatenation(const std::string& prefix, const AttentionPart& part, const Stream& queries, int context) {
  const std::int64_t n = queries.length, h = part.heads, width = h * part.d_k;
  const Shape exchanged{sizes_.batch, n, h, part.d_k};
  const Axes exchanged_axes{"batch", "position", "head", "d_k"};
  if (part.projected) {
    rearranged(node(prefix + "context_transposed", Role::context_transposed, "transpose",
                    "axes 1 and 2 of context change places: strides " +
                        shape_words({h * n * part.d_k, part.d_k, n * part.d_k, 1}) + ", not contiguous, nothing is copied",
                    exchanged, exchanged_axes),
               context, {0, 2, 1, 3}, {name_of(context)});
    rearranged(node(prefix + "context_copied", Role::context_copied, "copy",
                    "context_transposed copied in C order: strides " + shape_words({n * width, width, part.d_k, 1}) +
                        ", so that it can be viewed as rows",
                    exchanged, exchanged_axes),
               context, {0, 2, 1, 3}, {prefix + "context_transposed"});
  }
  Node concat = node(prefix + "concat", Role::concat, "heads side by side",
                     "transpose [B, N, " + number(h) + ", " + number(part.d_k) +
                         "] (no longer contiguous: copied), view [B, N, " + number(width) + "]",
                     vectors(queries, width), {"batch", "position", "d_model"});
  concat.inputs = {context};
  concat.step.computed_by = ops::kind_of<ops::MergeHeads>();
  if (h > 1) {
    concat.ops = {ops::MergeHeads{sizes_.batch, n, h, part.d_k}};
  } else {
    concat.source = Source::view;
  }
  return add(std::move(concat));
}

int PlanBuilder::attention(const std::string& prefix, const AttentionPart& part, const Stream& queries, int from_queries,
                           const Stream& keys, int from_keys) {
  const std::int64_t kv = key_heads(part), width = part.heads * part.d_k;
  SitePlan s;
  for (const Choice& choice : part.masks)
    if (const masks::Entry* entry = masks::registry().find(choice.id); entry && masks::applies(*entry, part.site))
      s.masks.push_back(choice);
  s.position = part.position;
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
  s.attention->batch = sizes_.batch;
  s.attention->heads = part.heads;
  s.attention->kv_heads = kv == part.heads ? 0 : kv;
  s.attention->queries = queries.length;
  s.attention->keys = keys.length;
  s.attention->d_k = s.attention->d_v = part.d_k;
  s.attention->scale = part.scale;
  s.attention->temperature = part.temperature;
  s.attention->fill = part.fill;
  s.attention->score_cap = part.score_cap;
  s.site.score_cap = part.score_cap;
  s.attention->has_bias = part.position && part.position->where != positions::Where::rotates;
  const int q = projection(prefix, "q", part, queries, from_queries, part.heads);
  const bool located = part.score && part.score->located;
  // Queries of another text are projected by themselves: there only keys and values can be one.
  const bool one = part.projected && part.keys_are_queries && part.site != masks::Site::cross;
  const int k = located ? located_keys(prefix, part, keys, kv)
                : one   ? same_rows(prefix, "k", part, keys, "q", q)
                        : projection(prefix, "k", part, keys, from_keys, kv);
  s.v = part.projected && part.values_are_keys ? same_rows(prefix, "v", part, keys, one ? "k = q" : "k", k)
                                               : projection(prefix, "v", part, keys, from_keys, kv);
  s.q = scored(prefix, "q", part, queries, q, part.heads);
  s.k = scored(prefix, "k", part, keys, k, kv);
  s.site.q = name_of(s.q);
  s.site.k = name_of(s.k);
  s.site.v = name_of(s.v);
  if (part.score && part.score->additive) {
    s.attention->additive = true;
    s.score_vector = parameter(prefix + "v_score", {part.d_k}, {"d_k"}, ParameterSpec::Fill::normal,
                               1 / std::sqrt(static_cast<double>(part.d_k)));
    s.site.score_vector = plan.parameters[static_cast<std::size_t>(s.score_vector)].name;
  }
  const int context = attention_steps(prefix, part, queries, s);
  plan.sites.push_back(std::move(s));

  const OutputChange change = change_of_part(prefix, Role::attention_output, queries);
  const bool own = !change.words.empty();
  if (part.stack_hidden > 0) {
    const int made = stacked(prefix, part, queries, context,
                             node(prefix + "attention_output" + (own ? kOwn : ""), own ? Role::other : Role::attention_output, {},
                                  {}, vectors(queries, d_), {"batch", "position", "d_model"}));
    return own ? changed_output(prefix + "attention_output", Role::attention_output, change, made) : made;
  }
  const int merged = concatenation(prefix, part, queries, context);
  if (!part.projected) return own ? changed_output(prefix + "attention_output", Role::attention_output, change, merged) : merged;
  const int projected = add(linear(
      node(prefix + "attention_output" + (own ? kOwn : ""), own ? Role::other : Role::attention_output, "project",
           std::string("concat W_o") + (part.output_bias ? " + b_o" : ""), vectors(queries, d_),
           {"batch", "position", "d_model"}),
      queries, merged, width, d_, prefix + "wo", part.output_bias ? prefix + "bo" : std::string(), {"head d_k", "d_model"}));
  return own ? changed_output(prefix + "attention_output", Role::attention_output, change, projected) : projected;
}

}  // namespace headlight::models
