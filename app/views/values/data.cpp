#include "app/views/values/data.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "engine/core/sorting.h"
#include "engine/insight/explain.h"
#include "engine/insight/residual_stream.h"

namespace headlight::views::values {
namespace {

constexpr std::int64_t kFiguresAtOnce = 1 << 18;  // numbers read within a frame; more are read in the background

DerivedKey key_of(DerivedKey::Tag tag, const Context& context, const AttentionChoice& choice, std::int64_t query) {
  return DerivedKey(tag, {context.trace->generation(), choice.prefix(), choice.batch, choice.head, query});
}

std::string name_at(const std::vector<std::string>& names, std::int64_t index) {
  return index >= 0 && index < static_cast<std::int64_t>(names.size()) ? names[static_cast<std::size_t>(index)] : std::string();
}

float largest(const std::vector<float>& values, float so_far) {
  for (const float v : values) so_far = std::max(so_far, std::abs(v));
  return so_far;
}

std::vector<float> floats(const std::vector<double>& values) {
  std::vector<float> out;
  out.reserve(values.size());
  for (const double v : values) out.push_back(static_cast<float>(v));
  return out;
}

std::vector<float> row_at(const Tensor& matrix, std::size_t row) {
  const auto columns = static_cast<std::size_t>(matrix.dim(1));
  const float* from = matrix.data<float>() + row * columns;
  return {from, from + columns};
}

// A weight or cosine as the cells have it: ".42", "-.07".
std::string share(double value) { return std::isnan(value) ? "-" : figures::cell_number(value); }

}  // namespace

std::string query_name(const Context& context, const AttentionChoice& choice, std::int64_t query) {
  return name_at(row_labels(context, choice), query);
}

void pin_row(const Context& context, const RowSum& row) {
  context.view.pinned_row = row.query;
  context.view.pinned_column = -1;
  double best = -1;
  for (const RowSum::Part& part : row.parts)
    if (part.weight > best) {
      best = part.weight;
      context.view.pinned_column = part.key;
    }
}

std::int64_t hot_key(const Context& context) {
  const Hot& hot = context.hover.now;
  return hot.column >= 0 ? hot.column : hot.byte_start < 0 ? context.view.pinned_column : -1;
}

std::shared_ptr<const RowSum> row_of(const Context& context, const AttentionChoice& choice, std::int64_t query,
                                     const Error** error) {
  const auto trace = context.trace;
  const std::function<Result<RowSum>(const CancelToken&)> make = [trace, prefix = choice.prefix(), batch = choice.batch,
                                                                  head = choice.head, query](const CancelToken& cancel) {
    return row_sum(*trace, prefix, batch, head, query, cancel);
  };
  const std::int64_t d_model = trace->document().d_model;
  const std::int64_t work = choice.site->keys * choice.site->d_k + choice.site->d_k * d_model +
                            std::min<std::int64_t>(choice.site->queries * choice.site->keys, 1 << 16) * 2;
  const DerivedKey key = key_of("values/row", context, choice, query);
  const auto row = work > kFiguresAtOnce ? context.derived.later<RowSum>(key, make) : context.derived.now<RowSum>(key, make);
  if (error) *error = row.error;
  return row.value;
}

std::shared_ptr<const Movement> movement_of(const Context& context, const AttentionChoice& choice, std::int64_t query) {
  const auto trace = context.trace;
  const std::string kind = choice.kind == "decoder.cross." ? "decoder." : choice.kind;
  return context.derived
      .later<Movement>(key_of("values/movement", context, choice, query),
                       [trace, kind, batch = choice.batch, query](const CancelToken& cancel) {
                         return movement(*trace, kind, batch, query, cancel);
                       })
      .value;
}

figures::StackedBarInput bar_input(const Context& context, const AttentionChoice& choice, const RowSum& row) {
  figures::StackedBarInput input;
  const std::vector<std::string> names = column_labels(context, choice);
  input.title = fill(tr("What {} gathers"), {query_name(context, choice, row.query)});
  input.rest_words = tr("{} others");
  figures::StackedBarInput::Bar weights, lengths, along;
  double sum_of_weights = 0, sum_of_lengths = 0;
  for (const RowSum::Part& part : row.parts) {
    input.parts.push_back({name_at(names, part.key), static_cast<int>(part.key % 12), part.key});
    weights.values.push_back(part.weight);
    lengths.values.push_back(part.length);
    along.values.push_back(part.along);
    sum_of_weights += part.weight;
    sum_of_lengths += part.length;
  }
  weights.label = tr("weight");
  weights.total = "Σ = " + short_number(sum_of_weights);
  lengths.label = tr("weight × length of v");
  lengths.total = "Σ = " + short_number(sum_of_lengths);
  along.label = tr("weight × v along the sum");
  along.total = fill(tr("|sum| = {}"), {short_number(row.sum_length)});
  input.bars = {std::move(weights), std::move(lengths), std::move(along)};
  return input;
}

std::vector<std::size_t> strongest_parts(const RowSum& row, std::size_t most) {
  std::vector<std::size_t> order(row.parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= most) return order;
  // One line is kept for all the others together.
  const auto keep = static_cast<std::ptrdiff_t>(most > 1 ? most - 1 : 1);
  std::partial_sort(order.begin(), order.begin() + keep, order.end(), [&](std::size_t a, std::size_t b) {
    return row.parts[a].weight != row.parts[b].weight ? row.parts[a].weight > row.parts[b].weight : a < b;
  });
  order.resize(static_cast<std::size_t>(keep));
  sort_stably(order);
  return order;
}

figures::StripsInput sum_input(const Context& context, const AttentionChoice& choice, const RowSum& row, std::size_t most) {
  figures::StripsInput input;
  const std::vector<std::string> names = column_labels(context, choice);
  input.title = tr("The sum, vector by vector");
  input.data_name = "values";
  input.left_title = tr("value v of each key");
  input.right_title = tr("weight × v");
  const auto shown = strongest_parts(row, most);
  std::vector<bool> own(row.parts.size(), false);
  float left = 0, right = largest(floats(row.sum), 0);
  for (const std::size_t p : shown) {
    own[p] = true;
    figures::StripsInput::Row line;
    line.label = name_at(names, row.parts[p].key);
    line.token = true;
    line.hue = static_cast<int>(row.parts[p].key % 12);
    line.index = row.parts[p].key;
    line.left = row_at(row.values, p);
    line.middle = "× " + share(row.parts[p].weight) + " =";
    line.right = row_at(row.weighted, p);
    left = largest(line.left, left);
    right = largest(line.right, right);
    input.rows.push_back(std::move(line));
  }
  if (shown.size() < row.parts.size()) {
    figures::StripsInput::Row others;
    std::vector<double> sum(row.sum.size(), 0.0);
    double weight = 0;
    for (std::size_t p = 0; p < row.parts.size(); ++p) {
      if (own[p]) continue;
      weight += row.parts[p].weight;
      const float* from = row.weighted.data<float>() + p * sum.size();
      for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += static_cast<double>(from[c]);
    }
    others.label = fill(tr("{} others"), {std::to_string(row.parts.size() - shown.size())});
    others.middle = "Σ " + share(weight) + "  ";
    others.right = floats(sum);
    input.rows.push_back(std::move(others));
  }
  figures::StripsInput::Row sum;
  sum.sum = true;
  sum.middle = tr("sum = context");
  sum.right = floats(row.sum);
  input.rows.push_back(std::move(sum));
  input.left_range = left;
  input.right_range = right;
  input.left_words = tr("v, ± the largest");
  input.right_words = tr("weight × v, ± the largest");
  if (const AttentionSite* site = find_site(*context.trace, row.prefix); site && !site->relative_values.empty()) {
    input.left_words = tr("v + a^V, ± the largest");
    input.right_words = tr("weight × (v + a^V), ± the largest");
  }
  input.axis = fill(tr("dimension of the head, 0..{}"), {std::to_string(static_cast<std::int64_t>(row.sum.size()) - 1)});
  input.note = random_note(*context.trace, context.trace->name_at(row.prefix, Role::v));
  input.row_height = kStrip;
  return input;
}

figures::StripsInput vectors_input(const Context& context, const AttentionChoice& choice, const RowSum& row) {
  figures::StripsInput input;
  const std::string name = query_name(context, choice, row.query);
  input.title = fill(tr("What it does to the vector E of {}"), {name});
  input.row_height = kStrip;
  input.data_name = "residual stream";
  const auto add = [&](std::string label, const std::vector<double>& vector, std::string end, bool sum) {
    if (vector.empty()) return;
    figures::StripsInput::Row line;
    line.label = std::move(label);
    line.left = floats(vector);
    line.end = std::move(end);
    line.sum = sum;
    input.left_range = largest(line.left, input.rows.empty() ? 0 : input.left_range);
    input.rows.push_back(std::move(line));
  };
  const auto adds = [&](const std::vector<double>& vector) {
    return "|ΔE| = " + short_number(length_of(vector)) + "  cos " + share(cosine_of(vector, row.before));
  };
  add(tr("E, before"), row.before, "|E| = " + short_number(length_of(row.before)), false);
  add(choice.site->heads > 1 ? tr("ΔE of this head") : tr("ΔE"), row.head_adds, adds(row.head_adds), false);
  if (choice.site->heads > 1)
    add(fill(tr("ΔE of all {} heads"), {std::to_string(choice.site->heads)}), row.all_add, adds(row.all_add), false);
  if (row.replaces)
    add(tr("E', after"), row.all_add, "|E'| = " + short_number(length_of(row.all_add)), true);
  else
    add("E + ΔE", row.after,
        "|E+ΔE| = " + short_number(length_of(row.after)) + "  cos " + share(cosine_of(row.after, row.before)), true);
  input.left_words = tr("all on one scale, ± the largest");
  input.axis = fill(tr("dimension of the model, 0..{}; cos: with E"),
                    {std::to_string(static_cast<std::int64_t>(row.before.empty() ? row.all_add.size() : row.before.size()) - 1)});
  input.note = row.replaces ? tr("no residual connection: ΔE takes E's place")
               : context.trace->document().norm == "post"
                   ? fill(tr("{} follows behind the sum"),
                          {context.trace->document().norm_kind == "rms" ? tr("RMSNorm") : tr("LayerNorm")})
                   : "";
  return input;
}

figures::CurvesInput scale_input(const Context& context, const AttentionChoice& choice, const RowSum& row) {
  figures::CurvesInput input;
  const double root = 1 / std::sqrt(static_cast<double>(std::max<std::int64_t>(1, row.d_k)));
  const Document& document = context.trace->document();
  input.title = tr("Softmax of this row");
  input.x_axis = tr("key (is attended to)");
  input.y_axis = tr("weight");
  input.y_low = 0;
  if (row.parts.size() <= 24) {
    const std::vector<std::string> names = column_labels(context, choice);
    for (const auto& part : row.parts) input.x_words.push_back(name_at(names, part.key));
  } else {
    for (const auto& part : row.parts) input.x.push_back(static_cast<double>(part.key));
  }
  input.points = row.parts.size() <= 64;
  input.margin = 0;
  const std::string d = std::to_string(row.d_k);
  input.curves.push_back({tr("scores × 1"), softmax_at(row, 1, 1), 3, true});
  input.curves.push_back({"× 1/√" + d, softmax_at(row, root, 1), 1, true});
  const double scale = choice.site->scale;
  const std::string by = std::abs(scale - root) < 1e-9 ? "1/√" + d : short_number(scale);
  input.curves.push_back({fill(tr("chosen: × {}, T = {}"), {by, short_number(document.temperature)}),
                          softmax_at(row, scale, document.temperature), 2, false});
  return input;
}

figures::CurvesInput movement_input(const Context& context, const AttentionChoice& choice, std::int64_t query,
                                    const Movement& movement) {
  figures::CurvesInput input;
  input.title = fill(tr("How far the vector of {} moves"), {query_name(context, choice, query)});
  input.x_axis = tr("layer");
  input.y_axis = tr("distance");
  input.y_from_zero = true;
  input.points = true;
  input.margin = 0;
  figures::CurvesInput::Curve attention{tr("by attention"), {}, 1, false}, fed{tr("by feed-forward"), {}, 2, false},
      start{tr("from its start"), {}, 4, true};
  for (const auto& layer : movement.layers) {
    attention.y.push_back(layer.by_attention);
    fed.y.push_back(layer.by_feed_forward);
    start.y.push_back(layer.from_start);
  }
  input.curves.push_back(std::move(attention));
  // Layers without a feed-forward block have NaN there; broken numbers do in the way from the start, too.
  const auto is_finite = [](double y) { return std::isfinite(y); };
  if (std::any_of(fed.y.begin(), fed.y.end(), is_finite) || !std::all_of(start.y.begin(), start.y.end(), is_finite))
    input.curves.push_back(std::move(fed));
  input.curves.push_back(std::move(start));
  input.hot = choice.site->layer;
  return input;
}

}  // namespace headlight::views::values
