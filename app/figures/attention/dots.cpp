// The slides' picture of attention: a grid with a disc in each cell, whose area is the weight.
#include <algorithm>
#include <cmath>

#include "app/figures/attention/layouts.h"
#include "app/figures/attention/matrix_frame.h"
#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "engine/core/sorting.h"

namespace headlight::figures {
namespace {

constexpr float kFull = 0.92f;  // diameter of the largest disc, in cells
constexpr float kSeen = 0.3f;   // in points; discs of a smaller radius are invisible
constexpr float kLargestLegend = 26;

Color dot_color(const Theme& theme, int hue) {
  const auto count = static_cast<int>(theme.hues.size());
  return theme.hues[static_cast<std::size_t>(((hue % count) + count) % count)];
}

// The background of the cells: plain where a query may see the key, hatched otherwise, with thin lines between.
void add_ground(Figure& figure, const DotsInput& input, const MatrixFrame& frame, std::int64_t rows, std::int64_t columns,
                const Theme& theme) {
  Rectangle lines;
  lines.box = frame.cells;
  lines.fill = theme.line;
  if (std::min(frame.cell_w, frame.cell_h) > 4) figure.add(lines);
  Cells cells;
  // Empty, but for the highest kind of no finite number that one of the heads has there.
  Tensor ground(DType::f32, {rows, columns});
  for (const HeadMatrix& head : input.heads) {
    const Tensor values = head.values.as(DType::f32).compact();
    for (std::int64_t i = 0; i < ground.count(); ++i)
      if (const float v = values.data<float>()[i]; !std::isfinite(v) && non_finite(v) > non_finite(ground.data<float>()[i]))
        ground.data<float>()[i] = v;
  }
  set_window(cells, frame, ground, input.mask);
  cells.colormap = "signed";  // its middle colour is the background
  cells.low = -1;
  cells.high = 1;
  cells.key = input.key ? input.key ^ 0x646f7473 : 0;
  figure.add(std::move(cells));
}

struct Mark {
  float radius;
  Color color;
};

}  // namespace

Legend legend_of(const DotsInput& input, const Theme& theme, float cell) {
  Legend legend;
  if (input.heads.empty()) return legend;
  const bool several = input.heads.size() > 1;
  legend.range_words = input.range_words;
  legend.discs = input.legend_discs;
  legend.disc_color = input.is_signed ? theme.signed_high : several ? theme.secondary : dot_color(theme, input.heads[0].hue);
  legend.disc_room = std::clamp(kFull * cell, 6.0f, kLargestLegend);
  set_special_cells(legend, input, [&](NonFiniteCount& count) {
    for (const HeadMatrix& head : input.heads) count.add(head.values, input.mask);
  });
  if (several)
    for (const HeadMatrix& head : input.heads) legend.heads.push_back({head.name, head.hue});
  legend.notes = {input.note};
  legend.origin = input.note;
  return legend;
}

Figure dots(const DotsInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, box_width, box_height, theme);
  if (input.heads.empty() || input.heads[0].values.empty() || input.heads[0].values.count() == 0) return figure;
  const std::int64_t rows = input.heads[0].values.dim(0), columns = input.heads[0].values.dim(1);

  const bool several = input.heads.size() > 1;
  Legend legend = input.legend ? legend_of(input, theme, 20) : Legend();
  MatrixFrame frame = frame_matrix(input, rows, columns, legend, box_width, box_height, measure);
  if (input.legend) {  // the legend's discs have the size of the cells' discs, so its room is computed again
    legend = legend_of(input, theme, std::min(frame.cell_w, frame.cell_h));
    frame = frame_matrix(input, rows, columns, legend, box_width, box_height, measure);
  }

  add_title(figure, input, theme);
  add_ground(figure, input, frame, rows, columns, theme);
  const float full = kFull * std::min(frame.cell_w, frame.cell_h) / 2;
  const float strength = several ? 0.7f : 1.0f;
  std::vector<Tensor> shares, values;
  for (const HeadMatrix& head : input.heads) {
    shares.push_back(head.shares.as(DType::f32).compact());
    values.push_back(head.values.as(DType::f32).compact());
  }
  const Tensor mask = input.mask.empty() ? input.mask : input.mask.compact();
  std::vector<Mark> marks;
  for (std::int64_t r = 0; r < frame.rows.count; ++r)
    for (std::int64_t c = 0; c < frame.columns.count; ++c) {
      const std::int64_t row = frame.rows.first + r, column = frame.columns.first + c, at = row * columns + column;
      if (!mask.empty() && !mask.data<std::uint8_t>()[at]) continue;
      marks.clear();
      for (std::size_t h = 0; h < shares.size(); ++h) {
        const float share = shares[h].data<float>()[at];
        if (!std::isfinite(values[h].data<float>()[at])) continue;  // its cell is coloured
        // The area is the share, so the radius is its square root.
        const float radius = full * std::sqrt(std::min(1.0f, std::abs(share)));
        if (!(radius >= kSeen)) continue;
        const Color color =
            input.is_signed ? (share < 0 ? theme.signed_low : theme.signed_high) : dot_color(theme, input.heads[h].hue);
        marks.push_back({radius, with_alpha(color, strength)});
      }
      // The largest are drawn first, so that smaller ones stay visible.
      sort_stably(marks, [](const Mark& a, const Mark& b) { return a.radius > b.radius; });
      const Box cell = frame.cell(r, c);
      for (const Mark& mark : marks) figure.add(Disc{{cell.x + cell.w / 2, cell.y + cell.h / 2}, mark.radius, mark.color, {}});
    }
  add_frame(figure, input, frame, legend, box_width, box_height, theme, measure);
  for (const HeadMatrix& head : input.heads) {
    Data data = matrix_data(input, head.values);
    if (several) data.name += " " + head.name;
    figure.data.push_back(std::move(data));
  }
  return figure;
}

}  // namespace headlight::figures
