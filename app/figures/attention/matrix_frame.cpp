#include "app/figures/attention/matrix_frame.h"

#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kMargin = 16, kTightMargin = 4, kLabelGap = 10, kTitle = 18, kAxis = 13, kToken = 15, kTick = 13, kMark = 12;
constexpr float kMostOpenCell = 44;  // side of a cell along an axis without tokens
constexpr float kTurn = 40;          // rotation of the column labels, in degrees
constexpr float kTight = 0.85f;      // rotated lines may be this close, because letters are lower than the line
// Measuring thousands of labels would take longer than the picture, so of more than this many only a sample is measured.
constexpr std::int64_t kMeasured = 192;

void measure_axis(MatrixAxis& axis, const TextMeasure& measure) {
  axis.line = measure.line_height(axis.size, Font::mono);
  axis.widest = 0;
  const std::int64_t step = std::max<std::int64_t>(1, axis.count / kMeasured);
  if (axis.tokens)
    for (std::int64_t i = axis.first; i < axis.first + axis.count; i += step)
      axis.widest = std::max(axis.widest, measure.width(axis.label(i), axis.size, Font::mono));
  else if (axis.count > 0)
    axis.widest = measure.width(std::to_string(axis.first + axis.count - 1), axis.size, Font::mono);
  // The sample may have missed the widest label: adds some room; longer labels get an ellipsis.
  if (step > 1 && axis.tokens) axis.widest *= 1.25f;
}

// On the screen, where the legend is separate, the window has its own margins.
float margin_of(const MatrixInput& input) { return input.legend ? kMargin : kTightMargin; }

float title_room(const MatrixInput& input, const TextMeasure& measure) {
  return input.title.empty() ? 0 : measure.line_height(kTitle, Font::words_bold) + 10;
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

Color label_color(const MatrixAxis& axis, std::int64_t i, const Theme& theme) {
  return i == axis.hot ? theme.selected : axis.tokens ? theme.text : theme.faint;
}

// The labels left of the rows.
void add_row_labels(Figure& figure, const MatrixInput& input, const MatrixFrame& f, const Theme& theme) {
  for (const std::int64_t i : ticks(f.rows.first, f.rows.count, f.cell_h, f.rows.line, f.rows.hot)) {
    const float y = f.cells.y + (static_cast<float>(i - f.rows.first) + 0.5f) * f.cell_h;
    Text t = text_at(f.rows.label(i), {f.cells.x - kLabelGap, y}, f.rows.size, Font::mono, label_color(f.rows, i, theme));
    t.horizontal = Align::end;
    t.max_width = f.rows.widest + 1;
    t.tag = {Tag::row, i, 0};
    figure.add(std::move(t));
    if (f.cell_h >= 6) {
      const float tall = std::min(f.cell_h - 2, 18.0f);
      add_hue(figure, input.row_hues, i, {f.cells.x - 6, y - tall / 2, 3, tall}, theme);
    }
  }
}

// The labels above the columns, rotated if they are wider than the columns; returns how far right they extend.
float add_column_labels(Figure& figure, const MatrixInput& input, const MatrixFrame& f, const Theme& theme,
                        const TextMeasure& measure) {
  const float sine = std::sin(f.turn * 3.14159265f / 180), cosine = std::cos(f.turn * 3.14159265f / 180);
  float reach = 0;
  const float need = f.turn > 0 ? f.columns.line * kTight / sine : f.columns.widest + 8;
  for (const std::int64_t i : ticks(f.columns.first, f.columns.count, f.cell_w, need, f.columns.hot)) {
    const float x = f.cells.x + (static_cast<float>(i - f.columns.first) + 0.5f) * f.cell_w;
    Text t = text_at(f.columns.label(i), {x, f.cells.y - 5}, f.columns.size, Font::mono, label_color(f.columns, i, theme));
    if (f.turn > 0) {
      t.rotation = f.turn;
      // The lower corner of the line is 6 points above the cells.
      t.at = {x - 4, f.cells.y - 6 - f.columns.line / 2 * cosine};
      t.max_width = f.columns.widest + 1;
      reach = std::max(
          reach, t.at.x + std::min(f.columns.widest, measure.width(t.text, t.size, t.font)) * cosine + f.columns.line / 2 * sine);
    } else {
      t.horizontal = Align::middle;
      t.vertical = Align::end;
      if (f.columns.tokens) t.max_width = f.cell_w;
      reach = std::max(reach, x + measure.width(t.text, t.size, t.font) / 2);
    }
    t.tag = {Tag::column, i, 0};
    figure.add(std::move(t));
    if (f.cell_w >= 6) {
      const float wide = std::min(f.cell_w - 2, 18.0f);
      add_hue(figure, input.column_hues, i, {x - wide / 2, f.cells.y - 4, wide, 2.5f}, theme);
    }
  }
  return reach;
}

void add_lit(Figure& figure, const MatrixFrame& f, const Theme& theme) {
  const std::int64_t r = f.rows.hot - f.rows.first, c = f.columns.hot - f.columns.first;
  const bool row_hot = f.rows.hot >= 0 && r >= 0 && r < f.rows.count,
             column_hot = f.columns.hot >= 0 && c >= 0 && c < f.columns.count;
  Color quiet = theme.selected;
  quiet.a = 0.55f;
  const Box cell = f.cell(r, c);
  if (row_hot) add_outline(figure, {f.cells.x, cell.y, f.cells.w, cell.h}, quiet, 1);
  if (column_hot) add_outline(figure, {cell.x, f.cells.y, cell.w, f.cells.h}, quiet, 1);
  if (row_hot && column_hot) add_outline(figure, cell, theme.selected, 3);
}

}  // namespace

std::string brief_axis(const std::string& axis, float room, const TextMeasure& measure) {
  if (measure.width(axis, kAxis, Font::words) <= room) return axis;
  for (const char* open : {" (", "(", "（"})
    if (const std::size_t at = axis.find(open); at != std::string::npos && at > 0) return axis.substr(0, at);
  return axis;
}

bool has_masked(const Tensor& mask) {
  if (mask.empty()) return false;
  const auto values = mask.values<std::uint8_t>();
  return std::find(values.begin(), values.end(), std::uint8_t{0}) != values.end();
}

MatrixFrame frame_matrix(const MatrixInput& input, std::int64_t row_count, std::int64_t column_count, Legend& legend,
                         float box_width, float box_height, const TextMeasure& measure) {
  MatrixFrame f;
  const float margin = margin_of(input);
  const auto set = [](MatrixAxis& axis, std::int64_t size, std::int64_t first, std::int64_t count,
                      const std::vector<std::string>& labels, std::int64_t hot) {
    axis.first = std::clamp<std::int64_t>(first, 0, size - 1);
    axis.count = count > 0 ? std::min(count, size - axis.first) : size - axis.first;
    axis.labels = &labels;
    axis.tokens = static_cast<std::int64_t>(labels.size()) == size;
    axis.size = axis.tokens ? kToken : kTick;
    axis.hot = hot;
  };
  set(f.rows, row_count, input.first_row, input.row_count, input.row_labels, input.hot_row);
  set(f.columns, column_count, input.first_column, input.column_count, input.column_labels, input.hot_column);
  const bool square = f.rows.tokens && f.columns.tokens;
  const float axis_line = measure.line_height(kAxis, Font::words), title = title_room(input, measure);
  const float inner = box_width - 2 * margin;
  const bool has_row_axis = input.names_rows && !input.row_axis.empty(), has_column_axis = !input.column_axis.empty();
  const float sine = std::sin(kTurn * 3.14159265f / 180);

  // The labels shrink to 13 pt if the cells are small. Their size and the cells' size depend on each other; two rounds suffice.
  bool noted = false;
  float measured_rows = 0, measured_columns = 0;
  for (int round = 0; round < 3; ++round) {
    if (measured_rows != f.rows.size) measure_axis(f.rows, measure);
    if (measured_columns != f.columns.size) measure_axis(f.columns, measure);
    if (!input.names_rows) f.rows.widest = 0;
    measured_rows = f.rows.size;
    measured_columns = f.columns.size;
    f.rows.widest = std::min(f.rows.widest, std::min(0.26f * box_width, 220.0f));
    f.columns.widest = std::min(f.columns.widest, std::min((input.most_cell > 88 ? 0.19f : 0.24f) * box_height, 170.0f));
    f.cells.x = margin + (has_row_axis ? axis_line + 6 : 0) + f.rows.widest + (input.names_rows ? kLabelGap : 0);
    if (f.reduced && !noted && input.legend) {
      noted = true;
      legend.notes.push_back(tr(input.reduction == Reduction::mean ? "each pixel shows the mean of its cells"
                                                                   : "each pixel shows the largest of its cells"));
    }
    // The legend begins below the cells if it fits there, else as far to the left as it must.
    f.legend_left = std::max(margin, std::min(f.cells.x, box_width - margin - legend_width(legend, inner, measure)));
    const float below = (has_column_axis ? axis_line + (input.legend ? 20.0f : 8.0f) : 12) +
                        (input.legend ? legend_height(legend, box_width - margin - f.legend_left, measure) : 0) + margin;

    const auto fit = [&](float turn) {
      f.turn = turn;
      const Extent label = turned(f.columns.widest, f.columns.line, turn);
      f.cells.y = margin + title + (turn > 0 ? label.h + 4 : f.columns.line + 8);
      // A rotated label begins over the middle of its column and extends to the right of the cells.
      const float lean = turn > 0 ? std::max(0.0f, label.w - 4 - input.lean) : 0;
      const float room_w = std::max(8.0f, box_width - margin - f.cells.x);
      const float room_h = std::max(8.0f, box_height - below - f.cells.y);
      const auto columns_n = static_cast<float>(f.columns.count), rows_n = static_cast<float>(f.rows.count);
      // The last column's middle plus the lean must be inside: room = n c and room = (n - 1/2) c + lean.
      f.cell_w = std::min(room_w / columns_n, std::max(8.0f, room_w - lean) / std::max(0.5f, columns_n - 0.5f));
      f.cell_h = room_h / rows_n;
      f.cell_w = std::min(f.cell_w, f.columns.tokens ? input.most_cell : kMostOpenCell);
      f.cell_h = std::min(f.cell_h, f.rows.tokens && !square ? kMostOpenCell : input.most_cell);
      if (square) f.cell_w = f.cell_h = std::min(f.cell_w, f.cell_h);
      // Rounds down to whole multiples of the grain (pixels), if that costs little, so that cells and labels are aligned with
      // pixels.
      if (f.cell_w > 8) f.cell_w = std::floor(f.cell_w / input.grain) * input.grain;
      if (f.cell_h > 8) f.cell_h = std::floor(f.cell_h / input.grain) * input.grain;
    };
    fit(0);
    const bool upright = f.columns.tokens ? f.columns.widest + 8 <= f.cell_w : true;
    if (!upright) fit(kTurn);
    f.rows.size = f.rows.tokens && f.cell_h >= 20 ? kToken : kTick;
    f.columns.size =
        f.columns.tokens && (f.turn == 0 || f.cell_w >= measure.line_height(kToken, Font::mono) * kTight / sine) ? kToken : kTick;
    f.reduced = std::min(f.cell_w, f.cell_h) < 1;
  }
  f.rows.line = measure.line_height(f.rows.size, Font::mono);
  f.columns.line = measure.line_height(f.columns.size, Font::mono);
  f.cells.w = f.cell_w * static_cast<float>(f.columns.count);
  f.cells.h = f.cell_h * static_cast<float>(f.rows.count);
  return f;
}

void add_title(Figure& figure, const MatrixInput& input, const Theme& theme) {
  if (input.title.empty()) return;
  const float margin = margin_of(input);
  const float mark = input.title_hue >= 0 ? kMark + 8 : 0;
  if (input.title_hue >= 0) {
    Rectangle square;
    square.box = {margin, margin + 5, kMark, kMark};
    square.fill = theme.hues[static_cast<std::size_t>(input.title_hue) % theme.hues.size()];
    square.radius = 3;
    figure.add(square);
  }
  Text t = text_at(input.title, {margin + mark, margin}, kTitle, Font::words_bold, theme.text);
  t.vertical = Align::start;
  t.max_width = figure.width - 2 * margin - mark;
  figure.add(std::move(t));
}

void add_frame(Figure& figure, const MatrixInput& input, const MatrixFrame& f, const Legend& legend, float box_width,
               float box_height, const Theme& theme, const TextMeasure& measure) {
  const float margin = margin_of(input);
  const float right = f.cells.x + f.cells.w, bottom = f.cells.y + f.cells.h;
  const float axis_line = measure.line_height(kAxis, Font::words), inner = box_width - 2 * margin;
  if (input.names_rows) add_row_labels(figure, input, f, theme);
  float reach = std::max(right, add_column_labels(figure, input, f, theme, measure));  // of the item furthest to the right
  add_lit(figure, f, theme);

  if (input.names_rows && !input.row_axis.empty()) {
    // Beside the cells, ending at their lower edge at the latest, so that it does not overlap what is below.
    const float room = bottom - margin - title_room(input, measure);
    const std::string words = brief_axis(input.row_axis, room, measure);
    const float wide = std::min(measure.width(words, kAxis, Font::words), room);
    Text t = text_at(words, {margin + axis_line / 2, std::min(f.cells.y + f.cells.h / 2, bottom - wide / 2)}, kAxis, Font::words,
                     theme.secondary);
    t.horizontal = Align::middle;
    t.rotation = 90;
    t.max_width = room;
    figure.add(std::move(t));
  }
  float next = bottom + 8;
  if (!input.column_axis.empty()) {
    const std::string words = brief_axis(input.column_axis, inner, measure);
    const float wide = std::min(measure.width(words, kAxis, Font::words), inner);
    const float centre =
        std::clamp(f.cells.x + f.cells.w / 2, margin + wide / 2, std::max(margin + wide / 2, box_width - margin - wide / 2));
    Text t = text_at(words, {centre, next}, kAxis, Font::words, theme.secondary);
    t.horizontal = Align::middle;
    t.vertical = Align::start;
    t.max_width = inner;
    figure.add(std::move(t));
    next += axis_line + 12;
    reach = std::max(reach, centre + wide / 2);
  } else {
    next += 4;
  }
  if (input.legend) {
    const float legend_room = box_width - margin - f.legend_left;
    add_legend(figure, legend, f.legend_left, next, legend_room, f.cells.w, theme, measure);
    next += legend_height(legend, legend_room, measure);
  } else {
    next -= 12;
  }

  if (!input.title.empty())
    reach =
        std::max(reach, margin + (input.title_hue >= 0 ? kMark + 8 : 0) + measure.width(input.title, kTitle, Font::words_bold));
  for (const Item& item : figure.items) {
    const auto* t = std::get_if<Text>(&item);
    if (t && t->rotation == 0 && t->horizontal == Align::start && t->at.y > bottom)
      reach = std::max(reach, t->at.x + measure.width(t->text, t->size, t->font));
    if (const auto* bar = std::get_if<ColorBar>(&item)) reach = std::max(reach, bar->box.x + bar->box.w);
  }
  figure.width = std::min(box_width, std::ceil(reach + margin));
  figure.height = std::min(box_height, std::ceil(next + margin - 4));
}

void set_window(Cells& cells, const MatrixFrame& frame, const Tensor& values, const Tensor& mask) {
  cells.box = frame.cells;
  cells.rows = frame.rows.count;
  cells.columns = frame.columns.count;
  cells.from_row = frame.rows.first;
  cells.from_column = frame.columns.first;
  cells.values = values.as(DType::f32).compact();
  cells.mask = mask.empty() ? mask : mask.as(DType::u8).compact();
  cells.tag = {Tag::cell_area, frame.rows.first, frame.columns.first};
}

Data matrix_data(const MatrixInput& input, const Tensor& values) {
  const auto labels = [](const std::vector<std::string>& list, std::int64_t size) {
    return static_cast<std::int64_t>(list.size()) == size ? list : std::vector<std::string>{};
  };
  return {input.data_name,
          values,
          {input.row_name, input.column_name},
          {labels(input.row_labels, values.dim(0)), labels(input.column_labels, values.dim(1))}};
}

}  // namespace headlight::figures
