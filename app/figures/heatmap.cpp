// The heatmap of one matrix: named axes, labels, cells, numbers, legend. Everything is measured first; the cells get what the
// words leave, and the figure is cut to its content.
#include <algorithm>
#include <cmath>

#include "app/figures/labels.h"
#include "app/figures/layouts.h"
#include "app/figures/legend.h"

namespace headlight::figures {
namespace {

constexpr float kMargin = 16, kLabelGap = 10, kTitle = 18, kAxis = 13, kToken = 15, kTick = 13;
constexpr float kMostCell = 88, kMostOpenCell = 44;  // a cell between two tokens; a cell along an axis without
constexpr float kTurn = 40;                          // degrees of the column labels
constexpr float kTight = 0.85f;                      // turned lines may stand this close: their letters are lower than the line

// One axis of the matrix: the labels that are shown and the room they take.
struct Axis {
  std::int64_t first = 0, count = 0, hot = -1;
  const std::vector<std::string>* labels = nullptr;
  bool tokens = false;
  float size = kToken, line = 0;
  float most = 0;    // longest label allowed
  float widest = 0;  // of all labels in the window, not more than `most`
  Font font = Font::mono;

  std::string label(std::int64_t i) const { return tokens ? (*labels)[static_cast<std::size_t>(i)] : std::to_string(i); }
};

// Measuring thousands of labels would cost more than the picture: beyond this many, a sample.
constexpr std::int64_t kMeasured = 512;

void measure_axis(Axis& axis, float most, const TextMeasure& measure) {
  axis.line = measure.line_height(axis.size, axis.font);
  axis.most = most;
  axis.widest = 0;
  const std::int64_t step = std::max<std::int64_t>(1, axis.count / kMeasured);
  for (std::int64_t i = axis.first; i < axis.first + axis.count; i += step)
    axis.widest = std::max(axis.widest, measure.width(axis.label(i), axis.size, axis.font));
  if (!axis.tokens && axis.count > 0) {
    axis.widest = std::max(axis.widest, measure.width(std::to_string(axis.first + axis.count - 1), axis.size, axis.font));
  }
  // The sample may have missed the widest: leave it room, the ellipsis does the rest.
  if (step > 1 && axis.tokens) axis.widest *= 1.25f;
  axis.widest = std::min(axis.widest, most);
}

struct Plan {
  float cell_w = 0, cell_h = 0;
  float left = 0, top = 0;      // of the cells
  float turn = 0;               // of the column labels
  float column_room = 0;        // above the cells
  float width = 0, height = 0;  // of the cells
};

Text text_at(std::string s, Point at, float size, Font font, Color color) {
  Text t;
  t.text = std::move(s);
  t.at = at;
  t.size = size;
  t.font = font;
  t.color = color;
  return t;
}

std::uint64_t mixed(std::uint64_t key, std::uint64_t with) {
  key = (key ^ with) * 0x9e3779b97f4a7c15ULL;
  return key ^ key >> 29;
}

// The window into a matrix, contiguous as Cells wants it.
Tensor window(const Tensor& matrix, const Axis& rows, const Axis& columns, DType dtype) {
  if (matrix.empty()) return matrix;
  const bool whole = rows.count == matrix.dim(0) && columns.count == matrix.dim(1);
  const Tensor part =
      whole ? matrix
            : matrix.slice(0, rows.first, rows.first + rows.count).slice(1, columns.first, columns.first + columns.count);
  return part.as(dtype).compact();
}

bool has_masked(const Tensor& mask) {
  if (mask.empty()) return false;
  const auto values = mask.values<std::uint8_t>();
  return std::find(values.begin(), values.end(), std::uint8_t{0}) != values.end();
}

// How the numbers of all visible cells are written: the same for each, so that a missing one never looks like a value.
struct NumberStyle {
  float size = 0;  // 0: they do not fit
  int decimals = 2;
};
NumberStyle number_style(const Cells& cells, const Plan& plan, const TextMeasure& measure) {
  const auto values = cells.values.values<float>();
  for (const NumberStyle style : {NumberStyle{15, 2}, {13, 2}, {12, 2}, {13, 1}, {12, 1}, {12, 0}}) {
    if (style.size == 15 && plan.cell_w < 56) continue;
    // Digits of the monospaced font are of one width: the longest text is the widest.
    std::string longest;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!cells.mask.empty() && cells.mask.values<std::uint8_t>()[i] == 0) continue;
      const std::string number = cell_number(static_cast<double>(values[i]), style.decimals);
      if (number.size() > longest.size()) longest = number;
    }
    if (measure.width(longest, style.size, Font::mono) <= plan.cell_w - 4) return style;
  }
  return {0, 0};
}

void add_numbers(Figure& figure, const Cells& cells, const Plan& plan, const Theme& theme, const TextMeasure& measure) {
  const Colormap* map = colormaps().find(cells.colormap);
  if (!map || std::min(plan.cell_w, plan.cell_h) < 40) return;
  const NumberStyle style = number_style(cells, plan, measure);
  if (style.size <= 0) return;
  const auto values = cells.values.values<float>();
  const float range = cells.high > cells.low ? cells.high - cells.low : 1;
  for (std::int64_t r = 0; r < cells.rows; ++r) {
    for (std::int64_t c = 0; c < cells.columns; ++c) {
      const auto at = static_cast<std::size_t>(r * cells.columns + c);
      if (!cells.mask.empty() && cells.mask.values<std::uint8_t>()[at] == 0) continue;
      Text t = text_at(cell_number(static_cast<double>(values[at]), style.decimals),
                       {cells.box.x + (static_cast<float>(c) + 0.5f) * plan.cell_w,
                        cells.box.y + (static_cast<float>(r) + 0.5f) * plan.cell_h},
                       style.size, Font::mono, ink_on(map->at((values[at] - cells.low) / range, theme)));
      t.horizontal = Align::middle;
      figure.add(std::move(t));
    }
  }
}

void add_outline(Figure& figure, Box box, Color color, float line) {
  Rectangle r;
  r.box = box;
  r.stroke = color;
  r.line = line;
  r.radius = 2;
  figure.add(r);
}

// A mark in the token's own hue beside its label.
void add_hue(Figure& figure, const std::vector<int>& hues, std::int64_t i, Box box, const Theme& theme) {
  if (hues.empty() || static_cast<std::size_t>(i) >= hues.size() || std::min(box.w, box.h) <= 0) return;
  const auto count = static_cast<int>(theme.hues.size());
  Rectangle r;
  r.box = box;
  r.fill = theme.hues[static_cast<std::size_t>(((hues[static_cast<std::size_t>(i)] % count) + count) % count)];
  r.radius = 1;
  figure.add(r);
}

}  // namespace

Figure heatmap(const HeatmapInput& input, float box_width, float box_height, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.background = theme.background;
  figure.title = input.title;
  figure.width = box_width;
  figure.height = box_height;
  if (input.values.empty() || input.values.rank() != 2 || input.values.dim(0) < 1 || input.values.dim(1) < 1) return figure;

  Axis rows, columns;
  const auto set = [](Axis& axis, std::int64_t size, std::int64_t first, std::int64_t count,
                      const std::vector<std::string>& labels, std::int64_t hot) {
    axis.first = std::clamp<std::int64_t>(first, 0, size - 1);
    axis.count = count > 0 ? std::min(count, size - axis.first) : size - axis.first;
    axis.labels = &labels;
    axis.tokens = static_cast<std::int64_t>(labels.size()) == size;
    axis.size = axis.tokens ? kToken : kTick;
    axis.hot = hot;
  };
  set(rows, input.values.dim(0), input.first_row, input.row_count, input.row_labels, input.hot_row);
  set(columns, input.values.dim(1), input.first_column, input.column_count, input.column_labels, input.hot_column);
  const bool square = rows.tokens && columns.tokens;

  Cells cells;
  cells.rows = rows.count;
  cells.columns = columns.count;
  cells.values = window(input.values, rows, columns, DType::f32);
  cells.mask = window(input.mask, rows, columns, DType::u8);
  cells.colormap = input.colormap;
  cells.low = input.low;
  cells.high = input.high;
  cells.key = input.key;
  const bool part = rows.count != input.values.dim(0) || columns.count != input.values.dim(1);
  if (part && input.key)
    cells.key = mixed(mixed(input.key, static_cast<std::uint64_t>(rows.first)), static_cast<std::uint64_t>(columns.first));
  cells.tag = {Tag::cell_area, rows.first, columns.first};

  Legend legend;
  legend.colormap = input.colormap;
  legend.low = input.low;
  legend.high = input.high;
  legend.range_words = input.range_words;
  legend.masked = has_masked(cells.mask);
  legend.notes = {input.note};

  const float axis_line = measure.line_height(kAxis, Font::words);
  const float title_room = input.title.empty() ? 0 : measure.line_height(kTitle, Font::words_bold) + 10;
  const float inner = box_width - 2 * kMargin;
  const bool has_row_axis = !input.row_axis.empty(), has_column_axis = !input.column_axis.empty();

  const float sine = std::sin(kTurn * 3.14159265f / 180), cosine = std::cos(kTurn * 3.14159265f / 180);
  // The labels shrink to 13 pt where the cells do; two rounds settle which size goes with which cell.
  Plan plan;
  bool reduced = false;
  float legend_left = kMargin;
  for (int round = 0; round < 3; ++round) {
    measure_axis(rows, std::min(0.26f * box_width, 220.0f), measure);
    measure_axis(columns, std::min(0.24f * box_height, 170.0f), measure);
    plan.left = kMargin + (has_row_axis ? axis_line + 6 : 0) + rows.widest + kLabelGap;
    if (reduced && legend.notes.size() == 1) legend.notes.push_back(tr("each pixel shows the largest of its cells"));
    // The legend begins under the cells if it fits there, else as far left as it must.
    legend_left = std::max(kMargin, std::min(plan.left, box_width - kMargin - legend_width(legend, inner, measure)));
    const float below =
        (has_column_axis ? axis_line + 20 : 12) + legend_height(legend, box_width - kMargin - legend_left, measure) + kMargin;

    const auto fit = [&](float turn) {
      plan.turn = turn;
      const Extent label = turned(columns.widest, columns.line, turn);
      plan.column_room = (turn > 0 ? label.h + 4 : columns.line + 8);
      plan.top = kMargin + title_room + plan.column_room;
      // A turned label begins over the middle of its column and leans to the right of the cells.
      const float lean = turn > 0 ? std::max(0.0f, label.w - 4) : 0;
      const float room_w = std::max(8.0f, box_width - kMargin - plan.left);
      const float room_h = std::max(8.0f, box_height - below - plan.top);
      const auto columns_n = static_cast<float>(columns.count), rows_n = static_cast<float>(rows.count);
      // Where the last column's middle plus the lean must end inside: room = n c and room = (n - 1/2) c + lean.
      plan.cell_w = std::min(room_w / columns_n, std::max(8.0f, room_w - lean) / std::max(0.5f, columns_n - 0.5f));
      plan.cell_h = room_h / rows_n;
      plan.cell_w = std::min(plan.cell_w, columns.tokens ? kMostCell : kMostOpenCell);
      plan.cell_h = std::min(plan.cell_h, rows.tokens && !square ? kMostOpenCell : kMostCell);
      if (square) plan.cell_w = plan.cell_h = std::min(plan.cell_w, plan.cell_h);
      // Whole points, while that costs little: cells and labels line up with the pixels.
      if (plan.cell_w > 8) plan.cell_w = std::floor(plan.cell_w);
      if (plan.cell_h > 8) plan.cell_h = std::floor(plan.cell_h);
    };
    fit(0);
    const bool upright = columns.tokens ? columns.widest + 8 <= plan.cell_w : true;
    if (!upright) fit(kTurn);
    rows.size = rows.tokens && plan.cell_h >= 20 ? kToken : kTick;
    columns.size = columns.tokens && (plan.turn == 0 || plan.cell_w >= measure.line_height(kToken, columns.font) * kTight / sine)
                       ? kToken
                       : kTick;
    reduced = std::min(plan.cell_w, plan.cell_h) < 1;
  }
  rows.line = measure.line_height(rows.size, rows.font);
  columns.line = measure.line_height(columns.size, columns.font);
  plan.width = plan.cell_w * static_cast<float>(columns.count);
  plan.height = plan.cell_h * static_cast<float>(rows.count);
  cells.box = {plan.left, plan.top, plan.width, plan.height};
  const float right = plan.left + plan.width, bottom = plan.top + plan.height;

  if (!input.title.empty()) {
    Text t = text_at(input.title, {kMargin, kMargin}, kTitle, Font::words_bold, theme.text);
    t.vertical = Align::start;
    t.max_width = inner;
    figure.add(std::move(t));
  }
  figure.add(cells);
  add_numbers(figure, cells, plan, theme, measure);

  for (const std::int64_t i : ticks(rows.first, rows.count, plan.cell_h, rows.line, rows.hot)) {
    const float y = plan.top + (static_cast<float>(i - rows.first) + 0.5f) * plan.cell_h;
    Text t = text_at(rows.label(i), {plan.left - kLabelGap, y}, rows.size, rows.font,
                     i == rows.hot ? theme.selected
                     : rows.tokens ? theme.text
                                   : theme.faint);
    t.horizontal = Align::end;
    t.max_width = rows.widest + 1;
    t.tag = {Tag::row, i, 0};
    figure.add(std::move(t));
    if (plan.cell_h >= 6) {
      const float tall = std::min(plan.cell_h - 2, 18.0f);
      add_hue(figure, input.row_hues, i, {plan.left - 6, y - tall / 2, 3, tall}, theme);
    }
  }
  float reach = right;  // of what stands furthest right
  const float column_need = plan.turn > 0 ? columns.line * kTight / sine : columns.widest + 8;
  for (const std::int64_t i : ticks(columns.first, columns.count, plan.cell_w, column_need, columns.hot)) {
    const float x = plan.left + (static_cast<float>(i - columns.first) + 0.5f) * plan.cell_w;
    Text t = text_at(columns.label(i), {x, plan.top - 5}, columns.size, columns.font,
                     i == columns.hot ? theme.selected
                     : columns.tokens ? theme.text
                                      : theme.faint);
    if (plan.turn > 0) {
      t.rotation = plan.turn;
      // The lower corner of the line stands 6 points above the cells.
      t.at = {x - 4, plan.top - 6 - columns.line / 2 * cosine};
      t.max_width = columns.widest + 1;
      reach = std::max(reach, t.at.x + std::min(columns.widest, measure.width(t.text, columns.size, columns.font)) * cosine +
                                  columns.line / 2 * sine);
    } else {
      t.horizontal = Align::middle;
      t.vertical = Align::end;
      if (columns.tokens) t.max_width = plan.cell_w;
      reach = std::max(reach, x + measure.width(t.text, columns.size, columns.font) / 2);
    }
    t.tag = {Tag::column, i, 0};
    figure.add(std::move(t));
    if (plan.cell_w >= 6) {
      const float wide = std::min(plan.cell_w - 2, 18.0f);
      add_hue(figure, input.column_hues, i, {x - wide / 2, plan.top - 4, wide, 2.5f}, theme);
    }
  }

  const std::int64_t hot_r = rows.hot - rows.first, hot_c = columns.hot - columns.first;
  const bool row_hot = rows.hot >= 0 && hot_r >= 0 && hot_r < rows.count,
             column_hot = columns.hot >= 0 && hot_c >= 0 && hot_c < columns.count;
  Color quiet = theme.selected;
  quiet.a = 0.55f;
  const float y = plan.top + static_cast<float>(hot_r) * plan.cell_h, x = plan.left + static_cast<float>(hot_c) * plan.cell_w;
  if (row_hot) add_outline(figure, {plan.left, y, plan.width, plan.cell_h}, quiet, 1);
  if (column_hot) add_outline(figure, {x, plan.top, plan.cell_w, plan.height}, quiet, 1);
  if (row_hot && column_hot) add_outline(figure, {x, y, plan.cell_w, plan.cell_h}, theme.selected, 3);

  if (has_row_axis) {
    // Beside the cells, ending at their lower edge at the latest, so that it never runs into what stands below.
    const float room = bottom - kMargin - title_room, wide = std::min(measure.width(input.row_axis, kAxis, Font::words), room);
    Text t = text_at(input.row_axis, {kMargin + axis_line / 2, std::min(plan.top + plan.height / 2, bottom - wide / 2)}, kAxis,
                     Font::words, theme.secondary);
    t.horizontal = Align::middle;
    t.rotation = 90;
    t.max_width = room;
    figure.add(std::move(t));
  }
  float next = bottom + 8;
  if (has_column_axis) {
    const float wide = std::min(measure.width(input.column_axis, kAxis, Font::words), inner);
    const float centre =
        std::clamp(plan.left + plan.width / 2, kMargin + wide / 2, std::max(kMargin + wide / 2, box_width - kMargin - wide / 2));
    Text t = text_at(input.column_axis, {centre, next}, kAxis, Font::words, theme.secondary);
    t.horizontal = Align::middle;
    t.vertical = Align::start;
    t.max_width = inner;
    figure.add(std::move(t));
    next += axis_line + 12;
    reach = std::max(reach, centre + wide / 2);
  }
  next += has_column_axis ? 0.0f : 4.0f;
  const float legend_room = box_width - kMargin - legend_left;
  add_legend(figure, legend, legend_left, next, legend_room, plan.width, theme, measure);
  next += legend_height(legend, legend_room, measure);

  float wide_title = input.title.empty() ? 0 : kMargin + measure.width(input.title, kTitle, Font::words_bold);
  for (const Item& item : figure.items) {
    const auto* t = std::get_if<Text>(&item);
    if (t && t->rotation == 0 && t->horizontal == Align::start && t->at.y > bottom) {
      wide_title = std::max(wide_title, t->at.x + measure.width(t->text, t->size, t->font));
    }
    if (const auto* bar = std::get_if<ColorBar>(&item)) wide_title = std::max(wide_title, bar->box.x + bar->box.w);
  }
  figure.width = std::min(box_width, std::ceil(std::max(reach, wide_title) + kMargin));
  figure.height = std::min(box_height, std::ceil(next + kMargin - 4));
  return figure;
}

}  // namespace headlight::figures
