// The grid of the slides: queries across, keys down, in every cell weight times value, the sums below; and one number written
// out.
#include <algorithm>
#include <cmath>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/legend.h"
#include "app/text/language.h"
#include "app/views/values/ledger_picture.h"
#include "app/views/values/strip_picture.h"
#include "engine/operations/relative_rows.h"

namespace headlight::figures {
namespace {

// What the weight of a key is multiplied by in one dimension.
double paired_value(const WeightedGridInput& input, std::int64_t query, std::int64_t key, std::int64_t dimension) {
  const std::int64_t d = input.values.dim(1);
  const double own = input.values.data<double>()[key * d + dimension];
  if (input.by_distance.empty()) return own;
  return own + input.by_distance.data<double>()[operations::relative_row(query, key, input.clip) * d + dimension];
}

constexpr float kWeightedGridTitle = 26, kWeightedGridHead = 24, kWeightedGridSmall = 13, kToken = 14, kLeast = 46, kMost = 130,
                kSums = 22, kFoot = 26;
constexpr float kWeightedGridNumber = 15;  // the height of a cell's number, above its strip

float labels_width(const WeightedGridInput& input, const TextMeasure& measure) {
  float widest = 0;
  for (const std::string& key : input.keys) widest = std::max(widest, measure.width(key, kToken, Font::mono));
  float words_wide = measure.width(fill(tr("{} others"), {std::to_string(input.keys.size())}), kWeightedGridSmall, Font::words);
  for (const char* words : {tr("+ E"), tr("= E + ΔE"), tr("Σ = ΔE"), tr("ΔE, changed")})
    words_wide = std::max(words_wide, measure.width(words, kWeightedGridSmall, Font::words));
  return std::max(std::min(widest, 110.0f), words_wide) + 16;
}

struct Grid {
  const WeightedGridInput& input;
  const float width;
  const Composer pen;
  float left = 0, cell = kLeast, y = 0;
  std::int64_t d = 0;
  std::vector<std::vector<double>> others{};  // by shown query: what the keys without a row add

  const Theme& theme() const { return pen.theme; }
  std::size_t shown() const { return input.shown_queries.size(); }
  float x_of(std::size_t at) const { return left + static_cast<float>(at) * cell; }
  float right() const { return x_of(shown()); }
  bool allowed(std::int64_t query, std::int64_t key) const {
    return input.mask.empty() || input.mask.data<std::uint8_t>()[query * input.mask.dim(1) + key] != 0;
  }
  double weighted(std::int64_t query, std::int64_t key, std::int64_t dimension) const {
    return input.weights.data<double>()[query * input.weights.dim(1) + key] * paired_value(input, query, key, dimension);
  }

  // A strip for each shown query, in one row of cells; one empty cell between two of them.
  template <class Value>
  void draw_strips(float top, float high, float range, std::int64_t row, Value value) {
    std::vector<float> numbers;
    for (std::size_t at = 0; at < shown(); ++at) {
      for (std::int64_t c = 0; c < d; ++c) numbers.push_back(static_cast<float>(value(at, c)));
      numbers.push_back(0);
    }
    add_strip(pen.figure, {left, top, right() - left, high}, numbers, range, {Tag::cell_area, row, 0});
  }

  void draw_names() {
    for (std::size_t at = 0; at < shown(); ++at) {
      const std::int64_t query = input.shown_queries[at];
      const bool lit = query == input.current || query == input.hot_query;
      const std::string& name = input.queries[static_cast<std::size_t>(query)];
      const float size = pen.measure.width(name, kToken, Font::mono) <= cell - 4 ? kToken : 12;
      pen.text(x_of(at) + cell / 2, y + kWeightedGridHead / 2, name, size, Font::mono, lit ? theme().selected : theme().text,
               Align::middle, cell - 4, {Tag::column, query, 0});
    }
    y += kWeightedGridHead;
  }

  // Runs of keys that the mask hides from their queries.
  void draw_masked(std::int64_t key) {
    for (std::size_t at = 0; at < shown();) {
      std::size_t end = at;
      while (end < shown() && !allowed(input.shown_queries[end], key)) ++end;
      if (end > at) pen.figure.add(hatched({x_of(at), y, static_cast<float>(end - at) * cell - 1, input.row_height}));
      at = std::max(end, at + 1);
    }
  }

  void draw_key(std::int64_t key) {
    const bool lit = key == input.hot_key;
    pen.text(left - 12, y + input.row_height / 2, input.keys[static_cast<std::size_t>(key)], kToken, Font::mono,
             lit ? theme().selected : theme().text, Align::end, left - 14, {Tag::row, key, 0});
    pen.box({left - 8, y + 4, 3, input.row_height - 8}, theme().hues[static_cast<std::size_t>(key) % theme().hues.size()],
            {0, 0, 0, 0}, 0, 1);
    draw_strips(y + kWeightedGridNumber, input.row_height - kWeightedGridNumber - 3, input.part_range, key,
                [&](std::size_t at, std::int64_t c) {
                  const std::int64_t query = input.shown_queries[at];
                  return allowed(query, key) ? weighted(query, key, c) : 0.0;
                });
    for (std::size_t at = 0; at < shown(); ++at) {
      const std::int64_t query = input.shown_queries[at];
      if (!allowed(query, key)) continue;
      const double w = input.weights.at({query, key});
      const bool hot = lit && query == input.hot_query;
      pen.box({x_of(at), y, cell - 1, kWeightedGridNumber}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, {Tag::cell, key, query});
      pen.text(x_of(at) + cell / 2, y + kWeightedGridNumber / 2 + 1, cell_number(w), kWeightedGridSmall, Font::mono,
               hot        ? theme().selected
               : w >= 0.1 ? theme().text
                          : theme().secondary,
               Align::middle, 0, {Tag::cell, key, query});
      if (hot) pen.box({x_of(at), y, cell - 1, input.row_height - 1}, {0, 0, 0, 0}, theme().selected, 2, 3);
    }
    draw_masked(key);
    y += input.row_height;
  }

  void find_others() {
    if (input.shown_keys.size() == input.keys.size()) return;
    std::vector<bool> own(input.keys.size(), false);
    for (const std::int64_t key : input.shown_keys) own[static_cast<std::size_t>(key)] = true;
    for (const std::int64_t query : input.shown_queries) {
      std::vector<double>& sum = others.emplace_back(static_cast<std::size_t>(d), 0.0);
      for (std::size_t key = 0; key < own.size(); ++key)
        for (std::int64_t c = 0; !own[key] && c < d; ++c)
          sum[static_cast<std::size_t>(c)] += weighted(query, static_cast<std::int64_t>(key), c);
    }
  }

  template <class Value>
  void draw_sum(const std::string& name, float range, std::int64_t row, Value value) {
    pen.text(left - 12, y + kSums / 2, name, kWeightedGridSmall, Font::words, theme().text, Align::end, left - 14);
    draw_strips(y + 3, kSums - 6, range, row, value);
    y += kSums;
  }

  void draw_sums() {
    pen.line({0, y + 4}, {right(), y + 4}, theme().line);
    y += 8;
    const auto sum = [&](std::size_t at, std::int64_t c) { return input.sums.at({input.shown_queries[at], c}); };
    const auto before = [&](std::size_t at, std::int64_t c) { return input.before.at({input.shown_queries[at], c}); };
    if (input.changed) {
      draw_sum(tr("Σ"), input.part_range, kSum, [&](std::size_t at, std::int64_t c) {
        double all = 0;
        for (std::int64_t key = 0; key < input.weights.dim(1); ++key) all += weighted(input.shown_queries[at], key, c);
        return all;
      });
      draw_sum(tr("ΔE, changed"), input.part_range, kDelta, sum);
    } else {
      draw_sum(tr("Σ = ΔE"), input.part_range, kDelta, sum);
    }
    draw_sum(tr("+ E"), input.total_range, kBefore, before);
    draw_sum(tr("= E + ΔE"), input.total_range, kBehind,
             [&](std::size_t at, std::int64_t c) { return before(at, c) + sum(at, c); });
  }

  // The column of the token that the ledger shows, and the dimension that is written out.
  void draw_current(float top) {
    const auto found = std::find(input.shown_queries.begin(), input.shown_queries.end(), input.current);
    if (found == input.shown_queries.end()) return;
    const auto at = static_cast<std::size_t>(found - input.shown_queries.begin());
    pen.box({x_of(at) - 1, top, cell + 1, y - top}, {0, 0, 0, 0}, theme().selected, 1.5f, 5);
    if (input.dimension < 0 || input.dimension >= d) return;
    const float step = cell / static_cast<float>(d + 1), x = x_of(at) + (static_cast<float>(input.dimension) + 0.5f) * step;
    Polygon mark;
    mark.points = {{x, y + 2}, {x + 5, y + 9}, {x - 5, y + 9}};
    mark.fill = theme().selected;
    pen.figure.add(std::move(mark));
  }

  void draw_legend() {
    float x = 0;
    const float middle = y + 12 + (kFoot - 12) / 2;
    const auto scale = [&](const char* words, float range) {
      const std::string ends = "± " + range_number(static_cast<double>(range));
      pen.text(x, middle, words, kWeightedGridSmall, Font::words, theme().secondary);
      x += pen.measure.width(words, kWeightedGridSmall, Font::words) + 8;
      pen.figure.add(ColorBar{{x, middle - 4, 60, 8}, "signed", false});
      x += 68;
      pen.text(x, middle, ends, kWeightedGridSmall, Font::mono, theme().secondary);
      x += pen.measure.width(ends, kWeightedGridSmall, Font::mono) + 16;
    };
    scale(tr("weight × v"), input.part_range);
    if (width - x > 190) scale("E", input.total_range);
    y += 12 + kFoot - 12;
  }

  void draw() {
    Figure& figure = pen.figure;
    figure.width = width;
    figure.background = theme().background;
    figure.title = input.title;
    d = input.values.dim(1);
    left = labels_width(input, pen.measure);
    cell = std::clamp(std::floor((width - left - 2) / static_cast<float>(std::max<std::size_t>(1, shown()))), 20.0f, kMost);
    if (!input.title.empty()) {
      pen.text(0, 10, input.title, 17, Font::words_bold, theme().text, Align::start, width);
      y += kWeightedGridTitle;
    }
    for (const std::string& line : wrap(input.note, width, kWeightedGridSmall, Font::words, pen.measure)) {
      pen.text(0, y + 8, line, kWeightedGridSmall, Font::words, theme().secondary, Align::start, width, kNoteTag);
      y += 18;
    }
    const float top = y;
    draw_names();
    find_others();
    for (const std::int64_t key : input.shown_keys) draw_key(key);
    if (!others.empty())
      draw_sum(fill(tr("{} others"), {std::to_string(input.keys.size() - input.shown_keys.size())}), input.part_range, kOthers,
               [&](std::size_t at, std::int64_t c) { return others[at][static_cast<std::size_t>(c)]; });
    draw_sums();
    draw_current(top);
    draw_legend();
    figure.height = y;
  }
};

void add_data_weighted_grid(Figure& figure, const WeightedGridInput& input) {
  if (!input.in_file) return;
  const std::int64_t queries = input.weights.dim(0), keys = input.weights.dim(1), d = input.values.dim(1);
  constexpr std::int64_t kMostNumbers = 1 << 22;
  if (queries * keys * d <= kMostNumbers) {
    Tensor cells(DType::f32, {queries, keys, d});
    float* to = cells.data<float>();
    for (std::int64_t i = 0; i < queries; ++i)
      for (std::int64_t j = 0; j < keys; ++j)
        for (std::int64_t c = 0; c < d; ++c) *to++ = static_cast<float>(input.weights.at({i, j}) * paired_value(input, i, j, c));
    figure.data.push_back({"weighted values", std::move(cells), {"query", "key", "dimension"}, {input.queries, input.keys, {}}});
  }
  figure.data.push_back({"sum", input.sums.as(DType::f32).compact(), {"query", "dimension"}, {input.queries, {}}});
}

}  // namespace

Figure weighted_grid(const WeightedGridInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  Grid{input, width, Composer{figure, theme, measure}}.draw();
  add_data_weighted_grid(figure, input);
  return figure;
}

GridPlace grid_place(std::int64_t column, std::int64_t dimensions) {
  const std::int64_t each = dimensions + 1, at = column % each;
  return {column / each, at < dimensions ? at : -1};
}

float grid_frame_height(const WeightedGridInput& input, float width, const TextMeasure& measure) {
  const float lines = 18 * static_cast<float>(wrap(input.note, width, kWeightedGridSmall, Font::words, measure).size());
  const float sums = kSums * (input.changed ? 5 : 4);
  return (input.title.empty() ? 0 : kWeightedGridTitle) + lines + kWeightedGridHead + 8 + sums + kFoot;
}

GridRoom grid_room(const WeightedGridInput& input, float width, float height, const TextMeasure& measure) {
  const auto whole = [](float share) { return static_cast<std::int64_t>(std::max(1.0f, std::floor(share))); };
  return {whole((width - labels_width(input, measure)) / kLeast),
          std::max<std::int64_t>(3, whole((height - grid_frame_height(input, width, measure)) / input.row_height))};
}

Figure dimension_sum(const DimensionSumInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  constexpr float kLine = 20;
  Figure figure = begin_picture("", width, 0, theme);
  const Composer pen{figure, theme, measure};
  pen.text(0, 12, input.title, 16, Font::words_bold, theme.text, Align::start, width);
  const bool beside = width >= 560;  // else the names would have no room
  const float numbers = 230, list = beside ? width * 0.42f : 0, label = std::max(50.0f, width - list - numbers - 12);
  float y = 28, words = y;
  for (const std::string& one : input.words)
    for (const std::string& line : wrap(one, beside ? list - 16 : width, kWeightedGridSmall, Font::words, measure)) {
      pen.text(0, words + 9, line, kWeightedGridSmall, Font::words, theme.secondary);
      words += 18;
    }
  if (!beside) y = words + 4;
  const auto number = [](double value) { return cell_number(value, 3); };
  const auto line = [&](const std::string& name, int hue, const std::string& product, double result, Color ink) {
    const float middle = y + kLine / 2, end = width - 4;
    if (hue >= 0)
      pen.box({list, middle - 7, 3, 14}, theme.hues[static_cast<std::size_t>(hue) % theme.hues.size()], {0, 0, 0, 0}, 0, 1);
    pen.text(list + 8, middle, name, kWeightedGridSmall, Font::mono, theme.text, Align::start, label - 8);
    pen.text(end - 72, middle, product, kWeightedGridSmall, Font::mono, theme.secondary, Align::end);
    pen.text(end, middle, number(result), kWeightedGridSmall, Font::mono, ink, Align::end);
    y += kLine;
  };
  std::vector<float> data;
  std::vector<std::string> names;
  for (const DimensionSumInput::Row& row : input.rows) {
    const double product = row.weight * row.value;
    line(row.label, row.hue, cell_number(row.weight) + " × " + number(row.value) + " =", product,
         product < 0 ? theme.info : theme.text);
    for (const double v : {row.weight, row.value, product}) data.push_back(static_cast<float>(v));
    names.push_back(row.label);
  }
  if (input.other_keys > 0)
    line(fill(tr("{} others"), {std::to_string(input.other_keys)}), -1, "", input.others, theme.secondary);
  pen.line({list, y + 2}, {width, y + 2}, theme.line);
  y += 4;
  line("Σ", -1, "", input.sum, theme.selected);
  figure.height = std::max(y, words) + 2;
  if (!names.empty())
    figure.data.push_back({"products",
                           Tensor::of(data, {static_cast<std::int64_t>(names.size()), 3}),
                           {"key", "factor"},
                           {names, {"weight", "value", "product"}}});
  return figure;
}

}  // namespace headlight::figures
