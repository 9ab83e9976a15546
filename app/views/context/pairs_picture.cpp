// How alike the vectors of each pair of sentences are: after every layer as curves, after one as a matrix.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/non_finite.h"
#include "app/figures/charts/curves.h"
#include "app/text/language.h"
#include "app/views/context/pictures.h"
#include "engine/core/sorting.h"

namespace headlight::figures {
namespace {

constexpr float kPairCurvesSmall = 13, kPairCurvesTitle = 14, kEnd = 64, kPairCurvesLeft = 44, kPairCurvesHead = 26;

// "1" in its hue, a quiet "and", "2" in its hue, around a middle line.
void pair_words(const SentencePair& pair, const std::vector<std::size_t>& numbers, float x, float y, bool lit,
                const Composer& pen) {
  const std::size_t one = typed_number(numbers, static_cast<std::size_t>(pair.a)),
                    other = typed_number(numbers, static_cast<std::size_t>(pair.b));
  const std::string a = std::to_string(one + 1), and_words = std::string(" ") + tr("and") + " ", b = std::to_string(other + 1);
  const Font font = lit ? Font::words_bold : Font::words;
  const Tag tag{Tag::cell, pair.a, pair.b};
  pen.text(x, y, a, kPairCurvesSmall, font, sentence_color(one, pen.theme), Align::start, 0, tag);
  x += pen.measure.width(a, kPairCurvesSmall, font);
  pen.text(x, y, and_words, kPairCurvesSmall, Font::words, pen.theme.secondary, Align::start, 0, tag);
  x += pen.measure.width(and_words, kPairCurvesSmall, Font::words);
  pen.text(x, y, b, kPairCurvesSmall, font, sentence_color(other, pen.theme), Align::start, 0, tag);
}

// Both hues in turn.
void two_hued(Point from, Point to, Color one, Color other, float width, float& walked, const Composer& pen) {
  constexpr float kDash = 7;
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  for (float at = 0; at < length;) {
    const float left = kDash - std::fmod(walked, kDash), end = std::min(length, at + left);
    const bool first = static_cast<int>(walked / kDash) % 2 == 0;
    pen.line({from.x + dx * at / length, from.y + dy * at / length}, {from.x + dx * end / length, from.y + dy * end / length},
             first ? one : other, width);
    walked += end - at + 1e-3f;
    at = end + 1e-3f;
  }
}

struct Axes2 {
  Box plot;
  double low = 0, high = 1;
  std::size_t layers = 1;
  float x(std::size_t layer) const {
    return plot.x + (layers > 1 ? plot.w * static_cast<float>(layer) / static_cast<float>(layers - 1) : plot.w / 2);
  }
  float y(double value) const { return plot.y + plot.h * static_cast<float>((high - value) / (high - low)); }
};

Axes2 axes_of(const PairCurvesInput& input, float width, float height) {
  Axes2 axes;
  axes.plot = {kPairCurvesLeft, kPairCurvesHead, std::max(20.0f, width - kPairCurvesLeft - kEnd),
               std::max(20.0f, height - kPairCurvesHead - 28)};
  double low = 0, high = input.cosine ? 1 : 0;
  for (const auto& pair : input.values) {
    axes.layers = std::max(axes.layers, pair.size());
    for (const double v : pair)
      if (std::isfinite(v)) {
        low = std::min(low, v);
        high = std::max(high, v);
      }
  }
  axes.high = input.cosine ? 1.04 : (high > 0 ? high * 1.05 : 1);
  axes.low = low < 0 ? low - 0.05 : 0;
  return axes;
}

void draw_pair_axes(const PairCurvesInput& input, const Axes2& axes, const Composer& pen) {
  const Theme& theme = pen.theme;
  for (const double v : round_ticks(axes.low, axes.high, 5)) {
    pen.line({axes.plot.x, axes.y(v)}, {axes.plot.x + axes.plot.w, axes.y(v)}, theme.line, 1);
    pen.text(axes.plot.x - 8, axes.y(v), range_number(v), kPairCurvesSmall, Font::mono, theme.secondary, Align::end);
  }
  const float pitch = axes.layers > 1 ? axes.plot.w / static_cast<float>(axes.layers - 1) : axes.plot.w;
  const auto count = static_cast<std::int64_t>(axes.layers);
  const std::vector<std::int64_t> named =
      ticks(0, count, pitch, pen.measure.width("00", kPairCurvesSmall, Font::mono) + 4, input.layer);
  for (std::size_t n = 0; n < axes.layers; ++n) {
    const auto layer = static_cast<std::int64_t>(n);
    const bool current = layer == input.layer;
    const float x = axes.x(n), left = n == 0 ? x - std::min(pitch / 2, 16.0f) : x - pitch / 2;
    pen.box({left, axes.plot.y, pitch, axes.plot.h + 26}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, {Tag::column, layer, 0});
    if (current) pen.line({x, axes.plot.y - 4}, {x, axes.plot.y + axes.plot.h}, theme.selected, 1.5f);
    if (std::find(named.begin(), named.end(), layer) != named.end())
      pen.text(x, axes.plot.y + axes.plot.h + 14, std::to_string(n), kPairCurvesSmall, Font::mono,
               current ? theme.selected : theme.secondary, Align::middle, 0, {Tag::column, layer, 0});
  }
}

// Where the names of the curves stand at their ends: in the curves' order, no two on one line.
std::vector<float> end_places(const std::vector<float>& wanted, float low, float high, float apart) {
  std::vector<std::size_t> order(wanted.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  sort_stably(order, [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<float> places(wanted.size());
  float least = low;
  for (const std::size_t i : order) {
    places[i] = std::max(least, wanted[i]);
    least = places[i] + apart;
  }
  float most = high;
  for (std::size_t n = order.size(); n-- > 0;) {
    places[order[n]] = std::min(places[order[n]], most);
    most = places[order[n]] - apart;
  }
  return places;
}

// All pairs at their curves' ends; where they have no room, those of the selected sentence and the lit one.
void name_ends(const PairCurvesInput& input, const std::vector<SentencePair>& pairs, const std::vector<float>& ends, Box plot,
               const Composer& pen) {
  constexpr float kApart = 16;
  const auto fits = [&](std::size_t count) { return static_cast<float>(count - 1) * kApart <= plot.h; };
  std::vector<std::size_t> named;
  for (std::size_t p = 0; p < ends.size(); ++p) named.push_back(p);
  if (!fits(ends.size()))
    std::erase_if(named, [&](std::size_t p) {
      return pairs[p] != input.lit && pairs[p].a != input.sentence && pairs[p].b != input.sentence;
    });
  while (named.size() > 1 && !fits(named.size())) named.pop_back();
  std::vector<float> wanted;
  for (const std::size_t p : named) wanted.push_back(ends[p]);
  const std::vector<float> places = end_places(wanted, plot.y, plot.y + plot.h, kApart);
  for (std::size_t i = 0; i < named.size(); ++i)
    pair_words(pairs[named[i]], input.numbers, plot.x + plot.w + 10, places[i], pairs[named[i]] == input.lit, pen);
}

void add_pair_data(Figure& figure, const PairCurvesInput& input, std::size_t layers) {
  std::vector<float> values;
  std::vector<std::string> names;
  const std::vector<SentencePair> pairs = sentence_pairs(input.sentences);
  for (std::size_t p = 0; p < input.values.size(); ++p) {
    for (std::size_t n = 0; n < layers; ++n)
      values.push_back(n < input.values[p].size() ? static_cast<float>(input.values[p][n]) : std::nanf(""));
    names.push_back(std::to_string(typed_number(input.numbers, static_cast<std::size_t>(pairs[p].a)) + 1) + " " +
                    std::to_string(typed_number(input.numbers, static_cast<std::size_t>(pairs[p].b)) + 1));
  }
  const auto rows = static_cast<std::int64_t>(names.size());
  figure.data.push_back({input.cosine ? "cosine" : "distance",
                         Tensor::of(values, {rows, static_cast<std::int64_t>(layers)}),
                         {"pair", "layer"},
                         {names, {}}});
}

std::uint64_t key_of(const std::vector<float>& values) {
  std::uint64_t key = 0x636f6e74657874;
  for (const float v : values) {
    key = (key ^ std::bit_cast<std::uint32_t>(v)) * 0x9e3779b97f4a7c15ULL;
    key ^= key >> 29;
  }
  return key;
}

}  // namespace

Figure pair_curves(const PairCurvesInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, height, theme);
  const Composer pen{figure, theme, measure};
  pen.text(0, 9, input.title, kPairCurvesTitle, Font::words, theme.secondary, Align::start, width);
  const Axes2 axes = axes_of(input, width, height);
  draw_pair_axes(input, axes, pen);
  const std::vector<SentencePair> pairs = sentence_pairs(input.sentences);
  std::vector<float> ends;
  for (std::size_t p = 0; p < input.values.size() && p < pairs.size(); ++p) {
    const bool lit = pairs[p] == input.lit, dim = input.lit.a >= 0 && !lit;
    const float alpha = dim ? 0.35f : 1.0f;
    const Color one = with_alpha(sentence_color(typed_number(input.numbers, static_cast<std::size_t>(pairs[p].a)), theme), alpha),
                other =
                    with_alpha(sentence_color(typed_number(input.numbers, static_cast<std::size_t>(pairs[p].b)), theme), alpha);
    float walked = 0, last = axes.plot.y + axes.plot.h / 2;
    const std::vector<double>& v = input.values[p];
    for (std::size_t n = 0; n < v.size(); ++n) {
      if (!std::isfinite(v[n])) continue;
      const Point at{axes.x(n), axes.y(v[n])};
      last = at.y;
      if (n > 0 && std::isfinite(v[n - 1])) {
        const Point from{axes.x(n - 1), axes.y(v[n - 1])};
        two_hued(from, at, one, other, lit ? 3.0f : 2.0f, walked, pen);
        const Point a{from.x + (at.x - from.x) / 3, from.y + (at.y - from.y) / 3},
            b{at.x - (at.x - from.x) / 3, at.y - (at.y - from.y) / 3};
        figure.add(Curve{from, a, b, at, with_alpha(theme.text, 0.0f), 7, {Tag::cell, pairs[p].a, pairs[p].b}});
      }
    }
    const float lane = axes.plot.h / static_cast<float>(input.values.size());
    for (std::size_t n = 0; n < v.size(); ++n) {
      if (const NonFinite kind = non_finite(v[n]); kind != NonFinite::none) {
        const Point middle{axes.x(n), axes.plot.y + lane * (static_cast<float>(p) + 0.5f)};
        figure.add(gap_mark(kind, {middle.x - 1, middle.y - lane / 2, 2, lane}));
        figure.add(Disc{middle, 3, one, {Tag::cell, pairs[p].a, pairs[p].b}});
        continue;
      }
      const bool current = static_cast<std::int64_t>(n) == input.layer;
      const Point at{axes.x(n), axes.y(v[n])};
      figure.add(Disc{
          at, lit ? 5.0f : 4.0f, current ? theme.selected : with_alpha(theme.text, alpha), {Tag::cell, pairs[p].a, pairs[p].b}});
      figure.add(Disc{at, 2.2f, theme.background, {Tag::cell, pairs[p].a, pairs[p].b}});
    }
    ends.push_back(last);
  }
  name_ends(input, pairs, ends, axes.plot, pen);
  add_pair_data(figure, input, axes.layers);
  return figure;
}

Figure pair_matrix(const PairMatrixInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  constexpr float kSide = 22, kFoot = 44;
  Figure figure;
  const Composer pen{figure, theme, measure};
  const std::size_t n = input.values.size();
  figure.background = theme.background;
  figure.title = input.title;
  figure.width = width;
  if (n == 0) return figure;
  const auto count = static_cast<std::int64_t>(n);
  const float cell = std::max(12.0f, std::min({(width - kSide - 2) / static_cast<float>(n),
                                               (height - kPairCurvesHead - kFoot) / static_cast<float>(n), 72.0f}));
  const float side = cell * static_cast<float>(n);
  figure.height = kPairCurvesHead + side + kFoot;
  pen.text(0, 9, input.title, kPairCurvesTitle, Font::words, theme.secondary, Align::start, width);
  std::vector<float> values;
  for (const auto& row : input.values)
    for (const double v : row) values.push_back(static_cast<float>(v));
  const Tensor tensor = Tensor::of(values, {count, count});
  Cells cells;
  cells.rows = cells.columns = count;
  cells.values = tensor;
  cells.box = {kSide, kPairCurvesHead, side, side};
  cells.colormap = input.cosine ? "signed" : input.colormap;
  cells.low = input.cosine ? -1.0f : 0.0f;
  cells.high = input.cosine ? 1.0f : static_cast<float>(input.most > 0 ? input.most : 1);
  cells.key = key_of(values);
  cells.tag = {Tag::cell_area, 0, 0};
  const Cells shown = cells;
  add_cells(figure, std::move(cells), theme);
  const Colormap* const map = colormaps().find(shown.colormap);
  const auto written = [&](std::size_t i, std::size_t j) -> std::string {
    const double v = input.values[i][j];
    return i == j && !input.cosine ? "0" : cell_number(v, std::abs(v) >= 10 ? 1 : 2);
  };
  float widest = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) widest = std::max(widest, measure.width(written(i, j), kPairCurvesSmall, Font::mono));
  const bool numbered = cell >= 34 && widest <= cell - 4;  // all of them whole, or none
  for (std::size_t i = 0; i < n; ++i) {
    const float middle = (static_cast<float>(i) + 0.5f) * cell;
    const Color hue = sentence_color(typed_number(input.numbers, i), theme);
    const std::string number = std::to_string(typed_number(input.numbers, i) + 1);
    pen.text(kSide - 8, kPairCurvesHead + middle, number, kPairCurvesTitle, Font::mono, hue, Align::end);
    pen.text(kSide + middle, kPairCurvesHead + side + 12, number, kPairCurvesTitle, Font::mono, hue, Align::middle);
    for (std::size_t j = 0; numbered && j < n; ++j) {
      const double v = input.values[i][j];
      const float share = static_cast<float>((v - shown.low) / (shown.high - shown.low));
      const Color behind = map ? map->at(std::clamp(share, 0.0f, 1.0f), theme) : theme.panel;
      pen.text(kSide + (static_cast<float>(j) + 0.5f) * cell, kPairCurvesHead + middle, written(i, j), kPairCurvesSmall,
               Font::mono, ink_on(behind), Align::middle, cell - 4);
    }
  }
  for (const auto& [a, b] : {std::pair{input.lit.a, input.lit.b}, std::pair{input.lit.b, input.lit.a}})
    if (a >= 0 && b >= 0 && a < count && b < count)
      pen.box({kSide + static_cast<float>(b) * cell, kPairCurvesHead + static_cast<float>(a) * cell, cell, cell}, {0, 0, 0, 0},
              theme.selected, 3, 3);
  const float foot = kPairCurvesHead + side + 28;
  const std::string low = range_number(shown.low), high = range_number(std::round(shown.high * 100) / 100);
  const float left = std::max(kSide, measure.width(low, kPairCurvesSmall, Font::mono) + 6);
  const float bar = std::max(20.0f, std::min(side + kSide, width - measure.width(high, kPairCurvesSmall, Font::mono) - 6) - left);
  pen.text(left - 6, foot + 4, low, kPairCurvesSmall, Font::mono, theme.secondary, Align::end);
  figure.add(ColorBar{{left, foot, bar, 8}, shown.colormap, false});
  pen.text(left + bar + 6, foot + 4, high, kPairCurvesSmall, Font::mono, theme.secondary);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n; ++i) names.push_back(std::to_string(typed_number(input.numbers, i) + 1));
  figure.data.push_back(
      {input.cosine ? "cosine of the layer" : "distance of the layer", tensor, {"sentence", "sentence"}, {names, names}});
  return figure;
}

}  // namespace headlight::figures
