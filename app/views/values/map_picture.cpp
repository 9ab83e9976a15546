#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/values/map_picture.h"
#include "engine/text/grouped_number.h"

namespace headlight::figures {
namespace {

constexpr float kMapTop = 58, kBottom = 46, kBetweenMapColumns = 8, kThinnestMapColumn = 10, kColumns = 28, kMapAxisLeft = 44;

// Where everything stands. The thin matrices lie along the product: V_down at its left, V_up above it, so that a row and a column
// meet in their cell.
struct MapFrame {
  Box down, up, map, plot;
};
MapFrame map_frame(const ValueMapInput& input, float width, float height) {
  MapFrame f;
  const float room = std::max(40.0f, std::min(height - kMapTop - kBottom, 0.52f * width));
  const auto ratio =
      static_cast<float>(input.d_v) / static_cast<float>(std::max<std::int64_t>(1, std::max(input.d_in, input.d_out)));
  const float side =
      std::max(20.0f, std::min((room - kBetweenMapColumns) / (1 + ratio), room - kBetweenMapColumns - kThinnestMapColumn));
  const float thin = std::max(kThinnestMapColumn, side * ratio);
  f.down = {0, kMapTop + thin + kBetweenMapColumns, thin, side};
  f.up = {thin + kBetweenMapColumns, kMapTop, side, thin};
  f.map = {thin + kBetweenMapColumns, kMapTop + thin + kBetweenMapColumns, side, side};
  const float left = f.map.x + side + kColumns + kMapAxisLeft;
  f.plot = {left, kMapTop + 44, std::max(40.0f, width - left - 8), std::max(30.0f, height - kMapTop - 44 - kBottom)};
  return f;
}

float largest_in(const Tensor& values) {
  float most = 0;
  for (const float v : values.values<float>())
    if (std::isfinite(v)) most = std::max(most, std::abs(v));
  return most > 0 ? most : 1;
}

class MapDrawing {
 public:
  MapDrawing(const ValueMapInput& input, float width, float height, const Composer& pen)
      : input_(input), width_(width), pen_(pen), frame_(map_frame(input, width, height)) {}

  void draw() {
    const Theme& theme = pen_.theme;
    const float room = frame_.plot.x - kMapAxisLeft - 16;
    pen_.text(0, 10, first_that_fits({input_.title, tr("Value map")}, room, 16, Font::words_bold, pen_.measure), 16,
              Font::words_bold, theme.text, Align::start, 0, kTitleTag);
    pen_.text(0, 31, first_that_fits({tr("a token hands on: its vector × V_down × V_up")}, room, 13, Font::words, pen_.measure),
              13, Font::words, theme.secondary);
    matrices();
    names();
    spectrum();
  }

 private:
  void matrices() {
    matrix(input_.down, frame_.down, ValueMapPlace::down);
    matrix(input_.up, frame_.up, ValueMapPlace::up);
    if (!input_.map.empty()) {
      matrix(input_.map, frame_.map, ValueMapPlace::map);
    } else {
      pen_.box(frame_.map, pen_.theme.raised, pen_.theme.line, 1, 4);
      pen_.text(frame_.map.x + frame_.map.w / 2, frame_.map.y + frame_.map.h / 2, text::grouped_number(input_.full_numbers), 15,
                Font::words, pen_.theme.secondary, Align::middle, frame_.map.w);
    }
    light();
  }

  void matrix(const Tensor& values, Box box, ValueMapPlace::Matrix which) {
    if (values.empty()) return;
    Cells cells;
    cells.rows = values.dim(0);
    cells.columns = values.dim(1);
    cells.box = box;
    cells.values = values;
    cells.colormap = "signed";
    cells.high = largest_in(values);
    cells.low = -cells.high;
    cells.gap = 0;
    cells.key = input_.key * 4 + static_cast<std::uint64_t>(which);
    cells.tag = {Tag::cell_area, static_cast<std::int64_t>(which) << 24, 0};
    add_cells(pen_.figure, std::move(cells), pen_.theme);
  }

  // The row and the column that meet in the cell under the mouse.
  void light() {
    const ValueMapPlace& hot = input_.hot;
    if (hot.matrix == ValueMapPlace::nothing) return;
    const Color ink = pen_.theme.selected;
    if (hot.matrix != ValueMapPlace::up) {
      const float one = frame_.map.h / static_cast<float>(input_.d_in), high = std::max(2.0f, one);
      const float y = frame_.map.y + (static_cast<float>(hot.row) + 0.5f) * one - high / 2;
      pen_.box({frame_.down.x, y, frame_.down.w, high}, {0, 0, 0, 0}, ink, 1.5f);
      if (hot.matrix == ValueMapPlace::map) pen_.line({frame_.map.x, y + high / 2}, {across(hot.column), y + high / 2}, ink, 1);
    }
    if (hot.matrix != ValueMapPlace::down) {
      const float one = frame_.map.w / static_cast<float>(input_.d_out), wide = std::max(2.0f, one), x = across(hot.column);
      pen_.box({x - wide / 2, frame_.up.y, wide, frame_.up.h}, {0, 0, 0, 0}, ink, 1.5f);
      if (hot.matrix == ValueMapPlace::map)
        pen_.line({x, frame_.map.y},
                  {x, frame_.map.y + (static_cast<float>(hot.row) + 0.5f) * frame_.map.h / static_cast<float>(input_.d_in)}, ink,
                  1);
    }
  }
  float across(std::int64_t column) const {
    return frame_.map.x + (static_cast<float>(column) + 0.5f) * frame_.map.w / static_cast<float>(input_.d_out);
  }

  static std::string sizes(std::int64_t rows, std::int64_t columns) {
    return std::to_string(rows) + " × " + std::to_string(columns);
  }

  void names() {
    const Theme& theme = pen_.theme;
    const float right = frame_.plot.x - kMapAxisLeft - frame_.up.x;
    pen_.text(frame_.up.x, frame_.up.y - 9, "V_up  " + sizes(input_.d_v, input_.d_out), 13, Font::mono, theme.text, Align::start,
              right, kAxisTag);
    const float below = frame_.map.y + frame_.map.h + 13;
    const std::string down = "V_down  " + sizes(input_.d_in, input_.d_v),
                      map = tr("map") + std::string("  ") + sizes(input_.d_in, input_.d_out);
    const float room = frame_.map.x + frame_.map.w;
    const bool one_line = pen_.measure.width(down, 13, Font::mono) + pen_.measure.width(map, 13, Font::mono) + 16 <= room;
    pen_.text(0, below, down, 13, Font::mono, theme.text, Align::start, 0, kAxisTag);
    if (one_line) pen_.text(room, below, map, 13, Font::mono, theme.text, Align::end, 0, kAxisTag);
    const std::string axes = tr("row = dimension in, column = dimension out");
    const float beside = frame_.plot.x - kMapAxisLeft - 8;
    const std::string& second = one_line || pen_.measure.width(axes, 13, Font::words) <= beside ? axes : map;
    if (pen_.measure.width(second, 13, Font::words) <= beside)
      pen_.text(0, below + 18, second, 13, Font::words, theme.secondary, Align::start, 0, kAxisTag);
  }

  // The plot of singular values.
  double most() const {
    double most = 0;
    const auto take = [&](const std::vector<double>& values) {
      if (!values.empty()) most = std::max(most, values.front());
    };
    take(input_.values);
    take(input_.full);
    for (const auto& other : input_.others) take(other);
    return most > 0 ? most : 1;
  }
  Point at(std::size_t i, double value) const {
    const auto count = static_cast<float>(std::max<std::int64_t>(2, std::min(input_.d_in, input_.d_out)));
    return {frame_.plot.x + static_cast<float>(i) / (count - 1) * frame_.plot.w,
            frame_.plot.y + frame_.plot.h - static_cast<float>(value / most()) * frame_.plot.h};
  }
  // A curve that falls to 0 behind its last value, since the map is as large as a full-rank one.
  void curve(const std::vector<double>& values, Color color, float line) {
    const auto count = static_cast<std::size_t>(std::min(input_.d_in, input_.d_out));
    Point from{};
    for (std::size_t i = 0; i <= values.size() && i < count; ++i) {
      const Point to = at(i, i < values.size() ? values[i] : 0);
      if (i > 0) pen_.line(from, to, color, line);
      from = to;
    }
    if (values.size() + 1 < count) pen_.line(from, at(count - 1, 0), color, line);
  }

  void spectrum() {
    const Theme& theme = pen_.theme;
    const Box& p = frame_.plot;
    const float left = p.x - kMapAxisLeft;
    pen_.text(left, 10, tr("Singular values"), 16, Font::words_bold, theme.text, Align::start, width_ - left);
    char effective[32];
    std::snprintf(effective, sizeof effective, "%.1f", input_.effective_rank);
    const auto d = std::min(input_.d_in, input_.d_out);
    pen_.text(left, 31, fill(tr("rank {} of {}, effective rank {}"), {std::to_string(input_.rank), std::to_string(d), effective}),
              15, Font::words, theme.text, Align::start, width_ - left);
    const double times =
        static_cast<double>(input_.full_numbers) / static_cast<double>(std::max<std::int64_t>(1, input_.numbers));
    char written[32];
    std::snprintf(written, sizeof written, "%.3g", times);
    pen_.text(left, 52,
              fill(tr("{} numbers; a full-rank map has {}, {} times as many"),
                   {text::grouped_number(input_.numbers), text::grouped_number(input_.full_numbers), written}),
              13, Font::words, theme.secondary, Align::start, width_ - left);
    legend(left, 73);
    for (int i = 0; i <= 4; ++i) {
      const double value = most() * 0.25 * i;
      const float y = at(0, value).y;
      pen_.line({p.x, y}, {p.x + p.w, y}, theme.line, 1);
      pen_.text(p.x - 6, y, i == 0 ? "0" : cell_number(value), 13, Font::mono, theme.secondary, Align::end, 0, kAxisTag);
    }
    const float below = p.y + p.h + 12;
    pen_.text(p.x, below, "1", 13, Font::mono, theme.secondary, Align::start, 0, kAxisTag);
    pen_.text(p.x + p.w, below, std::to_string(d), 13, Font::mono, theme.secondary, Align::end, 0, kAxisTag);
    pen_.text(p.x + p.w / 2, below + 18, tr("number, from the largest"), 13, Font::words, theme.secondary, Align::middle, p.w,
              kAxisTag);
    if (input_.d_v < d) {
      const float x = at(static_cast<std::size_t>(input_.d_v), 0).x;
      for (float y = p.y; y < p.y + p.h; y += 6) pen_.line({x, y}, {x, std::min(p.y + p.h, y + 2)}, theme.secondary, 1);
      pen_.text(x, below, std::to_string(input_.d_v), 13, Font::mono, theme.text, Align::middle, 0, kAxisTag);
      const std::string words = fill(tr("from {} on all are 0"), {std::to_string(input_.d_v + 1)});
      if (x + 8 + pen_.measure.width(words, 13, Font::words) <= p.x + p.w)
        pen_.text(x + 8, p.y + p.h - 12, words, 13, Font::words, theme.secondary);
    }
    for (const auto& other : input_.others) curve(other, with_alpha(theme.secondary, 0.45f), 1);
    curve(input_.full, theme.hues[4], 1.5f);
    curve(input_.values, theme.info, 2.5f);
    pen_.box(p, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, {Tag::column, 0, 0});
  }

  void legend(float x, float y) {
    const Theme& theme = pen_.theme;
    std::vector<std::pair<std::string, Color>> entries{{tr("this head"), theme.info}};
    if (!input_.others.empty()) entries.emplace_back(tr("the others"), with_alpha(theme.secondary, 0.7f));
    if (!input_.full.empty()) {
      float taken = x + 22;
      for (const auto& [words, color] : entries) taken += pen_.measure.width(words, 13, Font::words) + 40;
      entries.emplace_back(first_that_fits({tr("a random full-rank map of the same norm"), tr("random, full rank")},
                                           width_ - taken, 13, Font::words, pen_.measure),
                           theme.hues[4]);
    }
    for (const auto& [words, color] : entries) {
      if (words.empty()) return;
      const float wide = pen_.measure.width(words, 13, Font::words);
      pen_.box({x, y - 2, 16, 4}, color, {0, 0, 0, 0}, 0, 2);
      pen_.text(x + 22, y, words, 13, Font::words, theme.text);
      x += 22 + wide + 18;
    }
  }

  const ValueMapInput& input_;
  float width_;
  const Composer& pen_;
  MapFrame frame_;
};

std::int64_t cell_of(float at, float from, float size, std::int64_t count) {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>((at - from) / size * static_cast<float>(count)), 0, count - 1);
}

}  // namespace

ValueMapPlace value_map_place(const ValueMapInput& input, float width, float height, Point at) {
  const MapFrame f = map_frame(input, width, height);
  const auto in = [&](const Box& box, ValueMapPlace::Matrix which, std::int64_t rows, std::int64_t columns) {
    return ValueMapPlace{which, cell_of(at.y, box.y, box.h, rows), cell_of(at.x, box.x, box.w, columns)};
  };
  if (f.down.contains(at)) return in(f.down, ValueMapPlace::down, input.d_in, input.d_v);
  if (f.up.contains(at)) return in(f.up, ValueMapPlace::up, input.d_v, input.d_out);
  if (f.map.contains(at)) return in(f.map, ValueMapPlace::map, input.d_in, input.d_out);
  return {};
}

std::int64_t singular_value_at(const ValueMapInput& input, float width, float height, Point at) {
  const MapFrame f = map_frame(input, width, height);
  if (!f.plot.contains(at)) return -1;
  const auto last = std::min(input.d_in, input.d_out) - 1;
  return std::clamp<std::int64_t>(std::llround((at.x - f.plot.x) / f.plot.w * static_cast<float>(last)), 0, last);
}

Figure value_map_picture(const ValueMapInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, height, theme);
  const Composer pen{figure, theme, measure};
  MapDrawing(input, width, height, pen).draw();
  if (!input.note.empty())
    pen.text(width, height - 8, input.note, 13, Font::words, theme.secondary, Align::end, width / 2, kNoteTag);
  figure.data.push_back({"value down", input.down, {"dimension in", "value dimension"}});
  figure.data.push_back({"value up", input.up, {"value dimension", "dimension out"}});
  if (!input.map.empty()) figure.data.push_back({"value map", input.map, {"dimension in", "dimension out"}});
  figure.data.push_back(
      {"singular values", Tensor::of(input.values, {static_cast<std::int64_t>(input.values.size())}), {"number"}});
  return figure;
}

}  // namespace headlight::figures
