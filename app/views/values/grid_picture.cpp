// The grid of one head: a row for each query, a column for each key, in every cell weight times value, and at the right what the
// row adds up to; and one number written out.
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

constexpr float kWeightedGridTitle = 26, kWeightedGridHead = 24, kWeightedGridAxis = 18, kWeightedGridSmall = 13,
                kWeightedGridToken = 14, kLeastGridColumn = 46, kMostGridColumn = 130, kSumGap = 10, kWeightedGridFoot = 26;
constexpr float kWeightedGridNumber = 15;  // the height of a cell's number, above its strip
constexpr std::int64_t kWholeSum = 6;      // columns of keys beside which E and the sum with it have room

struct Sum {
  GridColumn column;
  std::string name;
};
// The sums at the right: what the head adds, and where there is room what it is added to and what that makes.
std::vector<Sum> sums_of(const WeightedGridInput& input, bool whole) {
  std::vector<Sum> all;
  if (input.changed) all.push_back({kSum, tr("Σ")});
  all.push_back({kDelta, input.changed ? tr("ΔE, changed") : tr("Σ = ΔE")});
  if (!whole) return all;
  all.push_back({kBefore, tr("+ E")});
  all.push_back({kBehind, tr("= E + ΔE")});
  return all;
}
float grid_sum_width(const Sum& sum, const TextMeasure& measure) {
  return std::max(kLeastGridColumn, std::ceil(measure.width(sum.name, kWeightedGridSmall, Font::words)) + 6);
}
float sums_width(const WeightedGridInput& input, bool whole, const TextMeasure& measure) {
  float all = kSumGap;
  for (const Sum& sum : sums_of(input, whole)) all += grid_sum_width(sum, measure);
  return all;
}

float labels_width(const WeightedGridInput& input, const TextMeasure& measure) {
  float widest = measure.width(input.query_axis, kWeightedGridSmall, Font::words) - 4;
  for (const std::string& query : input.queries) widest = std::max(widest, measure.width(query, kWeightedGridToken, Font::mono));
  return std::min(widest, 120.0f) + 16;
}

// Whether all three sums stand beside the keys.
bool has_whole_sum(const WeightedGridInput& input, float width, const TextMeasure& measure) {
  const auto keys = std::min<std::int64_t>(kWholeSum, static_cast<std::int64_t>(input.keys.size()));
  return width - labels_width(input, measure) - sums_width(input, true, measure) >= kLeastGridColumn * static_cast<float>(keys);
}

struct Grid {
  const WeightedGridInput& input;
  const float width;
  const Composer pen;
  float left = 0, cell = kLeastGridColumn, y = 0;
  std::int64_t d = 0;
  std::vector<Sum> sums{};

  const Theme& theme() const { return pen.theme; }
  // Columns of keys, with the one that adds up the others.
  std::size_t columns() const { return input.shown_keys.size() + (has_others() ? 1 : 0); }
  bool has_others() const { return input.shown_keys.size() < input.keys.size(); }
  float x_of(std::size_t at) const { return left + static_cast<float>(at) * cell; }
  float right() const { return x_of(columns()); }
  float end() const {
    float x = right() + kSumGap;
    for (const Sum& sum : sums) x += grid_sum_width(sum, pen.measure);
    return x;
  }
  bool allowed(std::int64_t query, std::int64_t key) const {
    return input.mask.empty() || input.mask.data<std::uint8_t>()[query * input.mask.dim(1) + key] != 0;
  }
  double weighted(std::int64_t query, std::int64_t key, std::int64_t dimension) const {
    return input.weights.data<double>()[query * input.weights.dim(1) + key] * paired_value(input, query, key, dimension);
  }

  void draw_names() {
    pen.text(left + (right() - left) / 2, y + kWeightedGridAxis / 2, input.key_axis, kWeightedGridSmall, Font::words,
             theme().secondary, Align::middle, right() - left, kAxisTag);
    y += kWeightedGridAxis;
    const float middle = y + kWeightedGridHead / 2;
    pen.text(left - 12, middle, input.query_axis, kWeightedGridSmall, Font::words, theme().secondary, Align::end, left - 14,
             kAxisTag);
    for (std::size_t at = 0; at < input.shown_keys.size(); ++at) {
      const std::int64_t key = input.shown_keys[at];
      const std::string& name = input.keys[static_cast<std::size_t>(key)];
      const float size = pen.measure.width(name, kWeightedGridToken, Font::mono) <= cell - 4 ? kWeightedGridToken : 12;
      pen.text(x_of(at) + cell / 2, middle - 1, name, size, Font::mono, key == input.hot_key ? theme().selected : theme().text,
               Align::middle, cell - 4, {Tag::column, key, 0});
      pen.box({x_of(at) + 4, y + kWeightedGridHead - 4, cell - 9, 3},
              theme().hues[static_cast<std::size_t>(key) % theme().hues.size()], {0, 0, 0, 0}, 0, 1);
    }
    if (has_others())
      pen.text(right() - cell / 2, middle,
               first_that_fits({fill(tr("{} others"), {others_count()}), "+" + others_count()}, cell - 2, kWeightedGridSmall,
                               Font::words, pen.measure),
               kWeightedGridSmall, Font::words, theme().text, Align::middle);
    float x = right() + kSumGap;
    for (const Sum& sum : sums) {
      const float wide = grid_sum_width(sum, pen.measure);
      pen.text(x + wide / 2, middle, sum.name, kWeightedGridSmall, Font::words, theme().text, Align::middle);
      x += wide;
    }
    y += kWeightedGridHead;
  }
  std::string others_count() const { return std::to_string(input.keys.size() - input.shown_keys.size()); }

  // Runs of keys that the mask hides from the query.
  void draw_masked(std::int64_t query) {
    const std::size_t count = input.shown_keys.size();
    for (std::size_t at = 0; at < count;) {
      std::size_t last = at;
      while (last < count && !allowed(query, input.shown_keys[last])) ++last;
      if (last > at) pen.figure.add(hatched({x_of(at), y, static_cast<float>(last - at) * cell - 1, input.row_height}));
      at = std::max(last, at + 1);
    }
  }

  // The strips of one query, one empty cell between two of them; last what the keys without a column add together.
  void draw_strips(std::int64_t query) {
    std::vector<bool> own(input.keys.size(), false);
    std::vector<float> numbers;
    for (const std::int64_t key : input.shown_keys) {
      own[static_cast<std::size_t>(key)] = true;
      for (std::int64_t c = 0; c < d; ++c)
        numbers.push_back(allowed(query, key) ? static_cast<float>(weighted(query, key, c)) : 0);
      numbers.push_back(0);
    }
    if (has_others()) {
      for (std::int64_t c = 0; c < d; ++c) {
        double sum = 0;
        for (std::size_t key = 0; key < own.size(); ++key)
          if (!own[key]) sum += weighted(query, static_cast<std::int64_t>(key), c);
        numbers.push_back(static_cast<float>(sum));
      }
      numbers.push_back(0);
    }
    add_strip(pen.figure, {left, y + kWeightedGridNumber, right() - left, input.row_height - kWeightedGridNumber - 3}, numbers,
              input.part_range, {Tag::cell_area, query, 0});
  }

  double in_sum(GridColumn column, std::int64_t query, std::int64_t c) const {
    if (column == kDelta) return input.sums.at({query, c});
    if (column == kBefore) return input.before.at({query, c});
    if (column == kBehind) return input.before.at({query, c}) + input.sums.at({query, c});
    double all = 0;
    for (std::int64_t key = 0; key < input.weights.dim(1); ++key) all += weighted(query, key, c);
    return all;
  }

  void draw_sums(std::int64_t query) {
    float x = right() + kSumGap;
    for (const Sum& sum : sums) {
      const float wide = grid_sum_width(sum, pen.measure);
      std::vector<float> numbers;
      for (std::int64_t c = 0; c < d; ++c) numbers.push_back(static_cast<float>(in_sum(sum.column, query, c)));
      const bool part = sum.column == kSum || sum.column == kDelta;
      add_strip(pen.figure, {x, y + 4, wide - 6, input.row_height - 12}, numbers, part ? input.part_range : input.total_range,
                {Tag::cell_area, sum.column + query, 0});
      if (sum.column == kDelta && query == input.current) draw_mark(x, wide - 6);
      x += wide;
    }
  }

  // The dimension that is written out, below its cell of the sum.
  void draw_mark(float from, float wide) {
    if (input.dimension < 0 || input.dimension >= d) return;
    const float x = from + (static_cast<float>(input.dimension) + 0.5f) * wide / static_cast<float>(d),
                top = y + input.row_height - 8;
    Polygon mark;
    mark.points = {{x, top}, {x + 4, top + 6}, {x - 4, top + 6}};
    mark.fill = theme().selected;
    pen.figure.add(std::move(mark));
  }

  void draw_query(std::int64_t query) {
    const bool current = query == input.current, lit = query == input.hot_query;
    pen.text(left - 12, y + input.row_height / 2, input.queries[static_cast<std::size_t>(query)], kWeightedGridToken, Font::mono,
             lit || current ? theme().selected : theme().text, Align::end, left - 14, {Tag::row, query, 0});
    draw_strips(query);
    for (std::size_t at = 0; at < input.shown_keys.size(); ++at) {
      const std::int64_t key = input.shown_keys[at];
      if (!allowed(query, key)) continue;
      const double w = input.weights.at({query, key});
      const bool hot = lit && key == input.hot_key;
      pen.box({x_of(at), y, cell - 1, kWeightedGridNumber}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, {Tag::cell, key, query});
      pen.text(x_of(at) + cell / 2, y + kWeightedGridNumber / 2 + 1, cell_number(w), kWeightedGridSmall, Font::mono,
               hot        ? theme().selected
               : w >= 0.1 ? theme().text
                          : theme().secondary,
               Align::middle, 0, {Tag::cell, key, query});
      if (hot) pen.box({x_of(at), y, cell - 1, input.row_height - 1}, {0, 0, 0, 0}, theme().selected, 2, 3);
    }
    draw_masked(query);
    draw_sums(query);
    // The row of the token that the ledger shows.
    if (current) pen.box({1, y - 1, end() - 2, input.row_height + 1}, {0, 0, 0, 0}, theme().selected, 1.5f, 5);
    y += input.row_height;
  }

  void draw_legend() {
    float x = 0;
    const float middle = y + 12 + (kWeightedGridFoot - 12) / 2;
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
    if (sums.size() > 2 && width - x > 190) scale("E", input.total_range);
    y += kWeightedGridFoot;
  }

  void draw() {
    Figure& figure = pen.figure;
    figure.width = width;
    figure.background = theme().background;
    figure.title = input.title;
    d = input.values.dim(1);
    left = labels_width(input, pen.measure);
    const bool whole = has_whole_sum(input, width, pen.measure);
    sums = sums_of(input, whole);
    const float room = width - left - sums_width(input, whole, pen.measure) - 2;
    cell = std::clamp(std::floor(room / static_cast<float>(std::max<std::size_t>(1, columns()))), 20.0f, kMostGridColumn);
    if (!input.title.empty()) {
      pen.text(0, 10, input.title, 17, Font::words_bold, theme().text, Align::start, width);
      y += kWeightedGridTitle;
    }
    for (const std::string& line : wrap(input.note, width, kWeightedGridSmall, Font::words, pen.measure)) {
      pen.text(0, y + 8, line, kWeightedGridSmall, Font::words, theme().secondary, Align::start, width, kNoteTag);
      y += 18;
    }
    draw_names();
    const float top = y;
    for (const std::int64_t query : input.shown_queries) draw_query(query);
    pen.line({right() + kSumGap / 2 - 2, top}, {right() + kSumGap / 2 - 2, y}, theme().line);
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
  return (input.title.empty() ? 0 : kWeightedGridTitle) + lines + kWeightedGridAxis + kWeightedGridHead + kWeightedGridFoot;
}

GridRoom grid_room(const WeightedGridInput& input, float width, float height, const TextMeasure& measure) {
  const auto whole = [](float share) { return static_cast<std::int64_t>(std::max(1.0f, std::floor(share))); };
  const float sums = sums_width(input, has_whole_sum(input, width, measure), measure);
  return {std::max<std::int64_t>(2, whole((width - labels_width(input, measure) - sums - 2) / kLeastGridColumn)),
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
