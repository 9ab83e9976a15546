// The neuron view: one query and its keys, dimension by dimension, down to the weight.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>

#include "app/figures/attention/layouts.h"
#include "app/figures/attention/matrix_frame.h"
#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/legend.h"
#include "app/text/language.h"
#include "engine/core/one_nan.h"

namespace headlight::figures {
namespace {

constexpr float kNeuronMargin = 16, kNeuronTitle = 18, kNeuronAxis = 13, kNeuronToken = 15, kNumber = 13;
constexpr float kNeuronRow = 22, kMostRow = 38, kNeuronGap = 14, kMostNeuronCell = 22;

float largest_of(const Tensor& values) {
  float most = 0;
  for (const float v : values.values<float>())
    if (std::isfinite(v)) most = std::max(most, std::abs(v));
  return most > 0 ? most : 1;
}

// A row of dimensions as coloured cells, on a scale symmetric about 0.
Cells strip(Box box, const Tensor& values, float range, std::uint64_t key) {
  Cells cells;
  cells.box = box;
  cells.rows = 1;
  cells.columns = values.count();
  cells.values = values.reshaped({1, values.count()});
  cells.colormap = "signed";
  cells.low = -range;
  cells.high = range;
  cells.key = key;
  return cells;
}

std::uint64_t mixed(std::uint64_t key, std::uint64_t with) {
  key = (key ^ with) * 0x9e3779b97f4a7c15ULL;
  return key ^ key >> 29;
}

std::string signed_number(double value) {
  if (std::isnan(value)) return "nan";  // not "+nan"
  if (std::isinf(value)) return value < 0 ? "-\u221e" : "\u221e";
  char text[32];
  std::snprintf(text, sizeof text, std::abs(value) < 1e5 ? "%+.2f" : "%+.1e", value);
  return text;
}

}  // namespace

std::int64_t neuron_rows(float box_height, const TextMeasure& measure, bool titled) {
  const float line = measure.line_height(kNeuronAxis, Font::words) + 4;
  const float title = titled ? measure.line_height(kNeuronTitle, Font::words_bold) + 10 : 0;
  const float room = box_height - 2 * kNeuronMargin - title - kNeuronRow - 2 * line - 12 - 2 * line;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(room / kNeuronRow));
}

Figure neuron(const NeuronInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, box_width, box_height, theme);
  const Composer pen{figure, theme, measure};
  if (input.query.empty() || input.keys.empty() || input.rows.empty()) return figure;

  const std::int64_t d = input.query.count(), n = static_cast<std::int64_t>(input.rows.size());
  const float* q = input.query.data<float>();
  const float* k = input.keys.data<float>();
  Tensor products(DType::f32, {n, d}, {"key", "dimension"}, true);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t x = 0; x < d; ++x) products.data<float>()[j * d + x] = q[x] * k[j * d + x];
  const float range = std::max(largest_of(input.query), largest_of(input.keys));
  const float product_range = largest_of(products);

  // With few keys the rows are taller.
  const float needed = kNeuronRow * static_cast<float>(neuron_rows(box_height, measure, !input.title.empty()));
  const float high = std::clamp(std::floor(needed / static_cast<float>(n + 1)), kNeuronRow, kMostRow);
  const float strip_high = high - 8;  // of the colours in a row

  // The columns' widths, and where they stand.
  const float inner = box_width - 2 * kNeuronMargin;
  float label = measure.width(input.query_label, kNeuronToken, Font::mono);
  for (const auto& row : input.rows) label = std::max(label, measure.width(row.label, kNeuronToken, Font::mono));
  label = std::min(label, std::min(0.22f * box_width, 180.0f));
  for (const char* head : {tr("query"), tr("key")}) label = std::max(label, measure.width(head, kNeuronAxis, Font::words) + 1);
  const float number = measure.width("+000.00", kNumber, Font::mono);
  const float weight =
      std::max(measure.width("1.000", kNumber, Font::mono), measure.width(tr("weight"), kNeuronAxis, Font::words));
  // If there is little room, the weights' bars are left out first, then the scaled scores.
  const float most_strip = kMostNeuronCell * static_cast<float>(d);
  const bool has_scaled = inner - label - 2 * number - weight - 5 * kNeuronGap >= 120;
  const float fixed = label + number * (has_scaled ? 2 : 1) + weight + (has_scaled ? 5.0f : 4.0f) * kNeuronGap;
  const float bar = std::clamp(inner - fixed - 2 * std::min(most_strip, 150.0f), 0.0f, 110.0f);
  const float wide = std::max(8.0f, std::min(most_strip, (inner - fixed - bar) / 2));
  const float x_k = kNeuronMargin + label + kNeuronGap, x_p = x_k + wide + kNeuronGap, x_sum = x_p + wide + kNeuronGap + number;
  const float x_scaled = has_scaled ? x_sum + kNeuronGap + number : x_sum;
  const float x_bar = x_scaled + kNeuronGap, right = x_bar + bar + weight;

  float y = kNeuronMargin;
  if (!input.title.empty()) {
    pen.text(kNeuronMargin, y + measure.line_height(kNeuronTitle, Font::words_bold) / 2, input.title, kNeuronTitle,
             Font::words_bold, theme.text, Align::start, inner);
    y += measure.line_height(kNeuronTitle, Font::words_bold) + 10;
  }
  const float line = measure.line_height(kNeuronAxis, Font::words) + 4;
  const Color hue = theme.hues[static_cast<std::size_t>(((input.hue % 12) + 12) % 12)];
  // The name of a column; `brief` where that has no room.
  const auto head = [&](float x, float at, const char* words, Align align, float most, const char* brief = nullptr) {
    if (brief && measure.width(words, kNeuronAxis, Font::words) > most) words = brief;
    pen.text(x, at + line / 2, words, kNeuronAxis, Font::words, theme.secondary, align, most);
  };
  head(kNeuronMargin, y, tr("query"), Align::start, label);
  head(x_k, y, input.additive ? tr("v, per dimension") : tr("q, per dimension"), Align::start, wide, input.additive ? "v" : "q");
  y += line;
  pen.text(kNeuronMargin, y + high / 2, input.query_label, kNeuronToken, Font::mono, theme.selected, Align::start, label + 1);
  figure.add(strip({x_k, y + (high - strip_high) / 2, wide, strip_high}, input.query.as(DType::f32).compact(), range,
                   input.key ? mixed(input.key, 1) : 0));
  y += high + 6;

  head(kNeuronMargin, y, tr("key"), Align::start, label);
  head(x_k, y, input.additive ? tr("tanh(q + k), per dimension") : tr("k, per dimension"), Align::start, wide,
       input.additive ? "tanh" : "k");
  head(x_p, y, input.additive ? tr("v × tanh, per dimension") : tr("q × k, per dimension"), Align::start, wide,
       input.additive ? "v × tanh" : "q × k");
  head(x_sum, y, input.additive ? tr("sum") : tr("sum q·k"), Align::end, number);
  if (has_scaled) head(x_scaled, y, tr("scaled"), Align::end, number);
  head(right, y, tr("weight"), Align::end, bar + weight);
  y += line;

  const Tensor keys = input.keys.as(DType::f32).compact();
  for (std::int64_t j = 0; j < n && y + high <= box_height; ++j, y += high) {
    const NeuronInput::Key& row = input.rows[static_cast<std::size_t>(j)];
    const bool hot = row.number == input.hot_key;
    const Color ink = hot ? theme.selected : row.visible ? theme.text : theme.faint;
    const Tag tag{Tag::column, row.number, 0};
    pen.box({kNeuronMargin - 6, y, right - kNeuronMargin + 12, high - 1},
            hot ? with_alpha(theme.selected, 0.12f) : Color{0, 0, 0, 0}, {0, 0, 0, 0}, 0, 4, tag);
    pen.text(kNeuronMargin, y + high / 2, row.label, kNeuronToken, Font::mono, ink, Align::start, label + 1, tag);
    const auto at = static_cast<std::uint64_t>(row.number);
    Cells ks = strip({x_k, y + (high - strip_high) / 2, wide, strip_high}, keys.select(0, j).compact(), range,
                     input.key ? mixed(input.key, 2 * at + 2) : 0);
    ks.tag = tag;
    figure.add(std::move(ks));
    Cells ps = strip({x_p, y + (high - strip_high) / 2, wide, strip_high}, products.select(0, j).compact(), product_range,
                     input.key ? mixed(input.key, 2 * at + 3) : 0);
    ps.tag = tag;
    figure.add(std::move(ps));
    const float middle = y + high / 2;
    pen.text(x_sum, middle, signed_number(row.score), kNumber, Font::mono, ink, Align::end, 0);
    if (has_scaled) pen.text(x_scaled, middle, signed_number(row.scaled), kNumber, Font::mono, ink, Align::end, 0);
    if (row.visible) {
      if (bar >= 24) pen.bar({x_bar, middle - 4, bar - 6, 8}, row.weight, hot ? theme.selected : hue);
      char text[16];
      std::snprintf(text, sizeof text, "%.3f", one_nan(row.weight));
      pen.text(right, middle, text, kNumber, Font::mono, ink, Align::end, 0);
    } else {
      figure.add(hatched({right - weight, middle - 7, weight, 14}));
    }
  }

  // The legend, and how large the figure is with it.
  y += 10;
  Legend legend;
  char ends[96];
  std::snprintf(ends, sizeof ends, "%.3g", static_cast<double>(range));
  const std::string q_range = ends;
  std::snprintf(ends, sizeof ends, "%.3g", static_cast<double>(product_range));
  legend.notes = {fill(input.additive ? tr("blue below 0, orange above: v and tanh to ±{}, v × tanh to ±{}")
                                      : tr("blue below 0, orange above: q and k to ±{}, q × k to ±{}"),
                       {q_range, ends})};
  if (n < input.total) {
    std::snprintf(ends, sizeof ends, "%.0f", 100 * input.held);
    legend.notes.push_back(
        fill(tr("the {} strongest of {} keys, {} % of the weight"), {std::to_string(n), std::to_string(input.total), ends}));
  }
  for (const Tensor& shown : {input.query, keys, products}) legend.non_finite.add(shown, {});
  legend.masked = std::any_of(input.rows.begin(), input.rows.end(), [](const auto& row) { return !row.visible; });
  legend.notes.push_back(input.note);
  // If the keys leave too little room for the notes, the last ones are left out.
  while (!legend.notes.empty() && y + legend_height(legend, inner, measure) > box_height) legend.notes.pop_back();
  add_remarks(figure, legend.non_finite);
  const std::size_t first = figure.items.size();
  add_legend(figure, legend, kNeuronMargin, y, inner, 0, theme, measure);
  figure.height = std::min(box_height, std::ceil(y + legend_height(legend, inner, measure) + kNeuronMargin - 4));
  float reach = std::max(right, kNeuronMargin + std::min(inner, legend_width(legend, inner, measure)));
  if (!input.title.empty()) reach = std::max(reach, kNeuronMargin + measure.width(input.title, kNeuronTitle, Font::words_bold));
  for (std::size_t i = first; i < figure.items.size(); ++i)
    if (const auto* t = std::get_if<Text>(&figure.items[i]))
      reach = std::max(reach, t->at.x + measure.width(t->text, t->size, t->font));
  figure.width = std::min(box_width, std::ceil(reach + kNeuronMargin));

  std::vector<std::string> names;
  std::vector<float> scores, scaled, weights;
  for (const auto& row : input.rows) {
    names.push_back(row.label);
    scores.push_back(static_cast<float>(row.score));
    scaled.push_back(static_cast<float>(row.scaled));
    weights.push_back(static_cast<float>(row.weight));
  }
  figure.data.push_back({"q", input.query, {"dimension"}, {{}}});
  figure.data.push_back({"k", keys, {"key", "dimension"}, {names, {}}});
  figure.data.push_back({"products", products, {"key", "dimension"}, {names, {}}});
  figure.data.push_back({"scores", Tensor::of(scores, {n}), {"key"}, {names}});
  figure.data.push_back({"scaled_scores", Tensor::of(scaled, {n}), {"key"}, {names}});
  figure.data.push_back({"weights", Tensor::of(weights, {n}), {"key"}, {names}});
  return figure;
}

}  // namespace headlight::figures
