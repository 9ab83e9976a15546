// Relative positions as steps of a plan (Shaw et al. 2018): key j of query i is k_j + a^K and v_j + a^V of their distance. What
// a^K adds to a score is the attention's bias; what a^V adds to the weighted sum is a sum of its own.
#include <cmath>
#include <string>

#include "engine/models/blocks.h"
#include "engine/models/formula_numbers.h"
#include "engine/operations/add.h"
#include "engine/operations/attention.h"
#include "engine/operations/relative_scores.h"
#include "engine/operations/relative_values.h"

namespace headlight::models {

namespace ops = operations;

namespace {

// Of the rows' numbers: the mean square of a sinusoidal table, so that the kinds of positions can be compared.
const double kRowDeviation = std::sqrt(0.5);

std::string row_words(std::int64_t clip) {
  return "[clip(j - i, -" + number(clip) + ", " + number(clip) + ") + " + number(clip) + ", :]";
}

}  // namespace

void PlanBuilder::relative_bias(const std::string& prefix, const AttentionPart& part, SitePlan& s) {
  const ops::Attention& a = *s.attention;
  const std::int64_t clip = part.relative_clip;
  Node bias =
      node(prefix + "position_bias", Role::position_bias, "q times rows by distance",
           "position_bias[b, h, i, j] = " + number(part.scale) + " " + own_name(s.site.q) + "[b, h, i, :] a_k" + row_words(clip),
           {a.batch, a.heads, a.queries, a.keys}, {"batch", "head", "query", "key"});
  bias.ops = {ops::RelativeScores{a.batch, a.heads, a.queries, a.keys, a.d_k, clip, part.scale}};
  bias.inputs = {s.q};
  bias.parameters = {
      parameter(prefix + "a_k", {2 * clip + 1, a.d_k}, {"distance", "d_k"}, ParameterSpec::Fill::normal, kRowDeviation)};
  s.site.relative_keys = plan.parameters[static_cast<std::size_t>(bias.parameters.front())].name;
  s.site.relative_clip = clip;
  s.bias = add(std::move(bias));
  s.site.bias = name_of(s.bias);
}

int PlanBuilder::relative_sum(const std::string& prefix, SitePlan& s, int values, const std::string& sum) {
  const ops::Attention& a = *s.attention;
  const std::int64_t clip = s.site.relative_clip;
  const Shape shape{a.batch, a.heads, a.queries, a.d_v};
  const Axes axes{"batch", "head", "position", "d_k"};
  Node rows = node(prefix + "context_of_positions", Role::context_of_positions, "weights times rows by distance",
                   "context_of_positions[b, h, i, :] = sum over j of weights[b, h, i, j] a_v" + row_words(clip), shape, axes);
  rows.ops = {ops::RelativeValues{a.batch, a.heads, a.queries, a.keys, a.d_v, clip}};
  rows.inputs = {s.used_weights};
  rows.parameters = {
      parameter(prefix + "a_v", {2 * clip + 1, a.d_v}, {"distance", "d_k"}, ParameterSpec::Fill::normal, kRowDeviation)};
  s.site.relative_values = plan.parameters[static_cast<std::size_t>(rows.parameters.front())].name;
  const int of_positions = add(std::move(rows));
  Node both = node(sum, sum == prefix + "context" ? Role::context : Role::other, "add",
                   own_name(sum) + " = context_of_values + context_of_positions", shape, axes);
  both.ops = {ops::Add{a.batch * a.heads * a.queries, a.d_v, false}};
  both.inputs = {values, of_positions};
  return add(std::move(both));
}

}  // namespace headlight::models
