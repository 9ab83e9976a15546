#include <algorithm>
#include <cmath>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/free_labels.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/context/pictures.h"
#include "engine/core/sorting.h"

namespace headlight::figures {
namespace {

constexpr float kQueryKeyPlaneSmall = 13, kQueryKeyPlaneName = 14, kQueryKeyPlaneToken = 13;
constexpr std::size_t kArrows = 5;

std::string query_key_plane_percents(double share) { return std::to_string(static_cast<int>(std::lround(100 * share))); }

// The keys with the largest weights, the strongest first.
std::vector<std::size_t> strongest(const std::vector<double>& weights) {
  std::vector<std::size_t> order;
  for (std::size_t j = 0; j < weights.size(); ++j)
    if (weights[j] >= 0.01) order.push_back(j);
  sort_stably(order, [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  if (order.size() > kArrows) order.resize(kArrows);
  return order;
}

// As thick as its weight, with a head that ends at the key's disc.
void draw_query_arrow(Point from, Point to, double weight, const Composer& pen) {
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  if (length < 18) return;
  const float ux = dx / length, uy = dy / length, thick = 1 + 4 * static_cast<float>(weight);
  const Point begin{from.x + 8 * ux, from.y + 8 * uy}, tip{to.x - 7 * ux, to.y - 7 * uy}, neck{tip.x - 9 * ux, tip.y - 9 * uy};
  const Color color = with_alpha(pen.theme.selected, 0.45f + 0.55f * static_cast<float>(weight));
  pen.line(begin, neck, color, thick);
  const float side = 4 + thick / 2;
  pen.figure.add(Polygon{
      {tip, {neck.x - side * uy, neck.y + side * ux}, {neck.x + side * uy, neck.y - side * ux}}, color, {0, 0, 0, 0}, 0, {}});
}

void draw_query_legend(const QueryKeyInput& input, float width, float y, const Composer& pen) {
  const Color hue = sentence_color(input.sentence, pen.theme);
  std::string share = fill(tr("component 1: {} % of the variance, component 2: {} %, equal axes"),
                           {query_key_plane_percents(input.share[0]), query_key_plane_percents(input.share[1])});
  float x = 20;
  pen.figure.add(Disc{{x, y}, 5, hue, {}});
  pen.figure.add(Disc{{x, y}, 3, pen.theme.panel, {}});
  pen.text(x + 10, y, tr("query"), kQueryKeyPlaneSmall, Font::words, pen.theme.secondary);
  x += 26 + pen.measure.width(tr("query"), kQueryKeyPlaneSmall, Font::words);
  pen.figure.add(Disc{{x, y}, 5, hue, {}});
  pen.text(x + 10, y, tr("key"), kQueryKeyPlaneSmall, Font::words, pen.theme.secondary);
  x += 26 + pen.measure.width(tr("key"), kQueryKeyPlaneSmall, Font::words);
  if (pen.measure.width(share, kQueryKeyPlaneSmall, Font::words) > width - x - 14)
    share = fill(tr("{} % and {} % of the variance"),
                 {query_key_plane_percents(input.share[0]), query_key_plane_percents(input.share[1])});
  pen.text(x, y, share, kQueryKeyPlaneSmall, Font::words, pen.theme.secondary, Align::start, width - x - 8);
}

void add_data_query_key_plane(const QueryKeyInput& input, Figure& figure) {
  const auto tensor = [](const std::vector<std::array<double, 2>>& points) {
    std::vector<float> values;
    for (const auto& point : points)
      for (const double v : point) values.push_back(static_cast<float>(v));
    return Tensor::of(values, {static_cast<std::int64_t>(points.size()), 2});
  };
  figure.data.push_back({"queries", tensor(input.queries), {"query", "component"}, {input.names, {}}});
  figure.data.push_back({"keys", tensor(input.keys), {"key", "component"}, {input.names, {}}});
  const std::vector<float> weights(input.weights.begin(), input.weights.end());
  figure.data.push_back({"weights", Tensor::of(weights, {static_cast<std::int64_t>(weights.size())}), {"key"}, {input.names}});
}

}  // namespace

Figure query_key_plane(const QueryKeyInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, height, theme);
  const Composer pen{figure, theme, measure};
  pen.box({0.5f, 0.5f, width - 1, height - 1}, theme.panel, theme.line, 1, 8);
  pen.text(14, 18, input.title, kQueryKeyPlaneName, Font::words_bold, theme.text, Align::start, width - 28);
  draw_query_legend(input, width, height - 15, pen);
  if (input.queries.empty() || input.keys.empty()) return figure;
  const Plane plane = plane_of({input.queries, input.keys}, {46, 52, width - 92, std::max(20.0f, height - 104)});
  const Color hue = sentence_color(input.sentence, theme);
  FreeLabels labels(pen, {8, 30, width - 16, height - 58});
  std::vector<Point> queries, keys;
  for (const auto& point : input.queries) queries.push_back(plane.at(point));
  for (const auto& point : input.keys) keys.push_back(plane.at(point));
  for (const std::vector<Point>* points : {&queries, &keys})
    for (const Point& p : *points) labels.keep_free({p.x - 5, p.y - 5, 10, 10});
  const auto selected =
      static_cast<std::size_t>(std::clamp<std::int64_t>(input.query, 0, static_cast<std::int64_t>(queries.size()) - 1));
  const std::vector<std::size_t> looked = strongest(input.weights);
  for (const std::size_t j : looked)
    if (j < keys.size()) draw_query_arrow(queries[selected], keys[j], input.weights[j], pen);
  for (std::size_t j = 0; j < keys.size(); ++j) {
    const bool hidden = j < input.hidden.size() && input.hidden[j], hot = static_cast<std::int64_t>(j) == input.hot;
    figure.add(Disc{keys[j],
                    hot ? 7.0f : 5.0f,
                    hot ? theme.selected : with_alpha(hue, hidden ? 0.35f : 1.0f),
                    {Tag::column, static_cast<std::int64_t>(j), 0}});
  }
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Tag tag{Tag::row, static_cast<std::int64_t>(i), 0};
    const bool current = i == selected || static_cast<std::int64_t>(i) == input.hot;
    figure.add(Disc{queries[i], current ? 7.0f : 5.0f, current ? theme.selected : hue, tag});
    figure.add(Disc{queries[i], current ? 4.5f : 3.0f, theme.panel, tag});
  }
  const auto around = [](Point p) {
    return std::vector<Point>{{p.x, p.y - 14}, {p.x, p.y + 14}, {p.x + 40, p.y}, {p.x - 40, p.y}};
  };
  labels.put(input.names[selected], kQueryKeyPlaneToken, Font::mono, theme.selected, around(queries[selected]),
             &queries[selected]);
  for (const std::size_t j : looked)
    if (j < keys.size())
      labels.put(input.names[j] + " " + cell_number(input.weights[j]), kQueryKeyPlaneToken, Font::mono, theme.text,
                 around(keys[j]), &keys[j]);
  for (std::size_t j = 0; j < keys.size() && j < input.names.size(); ++j)
    if (std::find(looked.begin(), looked.end(), j) == looked.end())
      labels.put(input.names[j], kQueryKeyPlaneToken, Font::mono, theme.secondary, around(keys[j]));
  for (std::size_t i = 0; i < queries.size() && i < input.names.size(); ++i)
    if (i != selected) labels.put(input.names[i], kQueryKeyPlaneToken, Font::mono, with_alpha(hue, 0.9f), around(queries[i]));
  add_data_query_key_plane(input, figure);
  return figure;
}

}  // namespace headlight::figures
