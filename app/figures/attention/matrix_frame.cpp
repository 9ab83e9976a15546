#include "app/figures/attention/matrix_frame.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kMatrixFrameMargin = 16, kTightMargin = 4, kLabelGap = 10, kMatrixFrameTitle = 18, kMatrixFrameAxis = 13,
                kMatrixFrameMark = 12;
constexpr float kMostOpenCell = 44;  // side of a cell along an axis without tokens
constexpr float kMatrixFrameWidest = 2.5f,
                kMatrixFrameTallest = 1.6f;        // width to height of a cell between two tokens, and height to width
constexpr float kLeastMap = 0.6f;                  // of a file's width: the map
constexpr float kLeastNames = 24, kLastLean = 10;  // the rows' names, in points; beside the last column, of labels upright
constexpr float kLeastUncut = 7;                   // in a file labels are this small before long ones are cut
constexpr float kMostMatrixStretch = 1.35f;        // how much wider than `most_cell` a cell may be, unless the input says so

// On the screen, where the legend is separate, the window has its own margins.
float margin_of(const MatrixInput& input) { return input.legend ? kMatrixFrameMargin : kTightMargin; }

float title_room(const MatrixInput& input, const TextMeasure& measure) {
  return input.title.empty() ? 0 : measure.line_height(kMatrixFrameTitle, Font::words_bold) + 10;
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

LabelColor label_color(const LabelAxis& axis, const Theme& theme) {
  return [&axis, &theme](std::int64_t i) { return i == axis.hot ? theme.selected : axis.tokens ? theme.text : theme.faint; };
}

// The labels left of the rows and above the columns, and the marks of their hues; returns how far right they extend.
float add_labels(Figure& figure, const MatrixInput& input, const MatrixFrame& f, const Theme& theme, const TextMeasure& measure) {
  if (input.names_rows) {
    add_row_labels(figure, f.rows, f.cells.x - kLabelGap, f.cells.y, f.cell_h, label_color(f.rows, theme), theme.line);
    if (f.cell_h >= 6)
      for (const std::int64_t i : shown_labels(f.rows, f.cell_h, true)) {
        const float tall = std::min(f.cell_h - 2, 18.0f), y = f.cell(i - f.rows.first, 0).y + f.cell_h / 2;
        add_hue(figure, input.row_hues, i, {f.cells.x - 6, y - tall / 2, 3, tall}, theme);
      }
  }
  if (f.cell_w >= 6)
    for (const std::int64_t i : shown_labels(f.columns, f.cell_w, false)) {
      const float wide = std::min(f.cell_w - 2, 18.0f), x = f.cell(0, i - f.columns.first).x + f.cell_w / 2;
      add_hue(figure, input.column_hues, i, {x - wide / 2, f.cells.y - 4, wide, 2.5f}, theme);
    }
  return add_column_labels(figure, f.columns, f.cells.x, f.cells.y, f.cell_w, label_color(f.columns, theme), theme.line, measure);
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

// Of one axis: how many labels of tokens are left out, and every which label is shown.
struct Hidden {
  std::int64_t count = 0, step = 1;
};
Hidden hidden_of(const LabelAxis& axis, float pitch, bool are_rows) {
  if (!axis.tokens) return {};
  const std::vector<std::int64_t> shown = shown_labels(axis, pitch, are_rows);
  const std::int64_t count = axis.count - static_cast<std::int64_t>(shown.size());
  return {count, count == 0 ? 1 : shown.size() < 2 ? axis.count : shown[1] - shown[0]};
}

// How many shown labels of tokens get an ellipsis.
std::int64_t cut_of(const LabelAxis& axis, float pitch, bool are_rows, const TextMeasure& measure) {
  if (!axis.tokens || !axis.measured.cut) return 0;
  const std::vector<std::int64_t> shown = shown_labels(axis, pitch, are_rows);
  return std::count_if(shown.begin(), shown.end(), [&](std::int64_t i) {
    return measure.width(axis.label(i), axis.style.size, Font::mono) > axis.measured.widest + 1.5f;
  });
}

void count_hidden(MatrixFrame& f, const MatrixInput& input) {
  const Hidden rows = input.names_rows ? hidden_of(f.rows, f.cell_h, true) : Hidden{},
               columns = hidden_of(f.columns, f.cell_w, false);
  f.hidden = rows.count + columns.count;
  if (f.hidden == 0) {
    f.hidden_words.clear();
    return;
  }
  std::string words = rows.step == columns.step ? shown_words(rows.step)
                      : rows.count == 0         ? fill(tr("of the columns {}"), {shown_words(columns.step)})
                      : columns.count == 0
                          ? fill(tr("of the rows {}"), {shown_words(rows.step)})
                          : fill(tr("of the rows {0}, of the columns {1}"), {shown_words(rows.step), shown_words(columns.step)});
  if (!input.all_labels.empty()) words += "; " + input.all_labels;
  f.hidden_words = std::move(words);
}

}  // namespace

std::string brief_axis(const std::string& axis, float room, const TextMeasure& measure) {
  if (measure.width(axis, kMatrixFrameAxis, Font::words) <= room) return axis;
  for (const char* open : {" (", "(", "（"})
    if (const std::size_t at = axis.find(open); at != std::string::npos && at > 0) return axis.substr(0, at);
  return axis;
}

bool has_masked(const Tensor& mask) {
  if (mask.empty()) return false;
  const auto values = mask.values<std::uint8_t>();
  return std::find(values.begin(), values.end(), std::uint8_t{0}) != values.end();
}

void set_special_cells(Legend& legend, const MatrixInput& input, const std::function<void(NonFiniteCount&)>& count) {
  legend.masked = has_masked(input.mask);
  legend.masked_words = input.masked_words;
  if (input.non_finite)
    legend.non_finite = *input.non_finite;
  else
    count(legend.non_finite);
}

MatrixFrame frame_matrix(const MatrixInput& input, std::int64_t row_count, std::int64_t column_count, Legend& legend,
                         float box_width, float box_height, const TextMeasure& measure) {
  MatrixFrame f;
  const auto set = [](LabelAxis& axis, std::int64_t size, std::int64_t first, std::int64_t count,
                      const std::vector<std::string>& labels, std::int64_t hot, float most) {
    axis.first = std::clamp<std::int64_t>(first, 0, size - 1);
    axis.count = count > 0 ? std::min(count, size - axis.first) : size - axis.first;
    axis.labels = &labels;
    axis.tokens = static_cast<std::int64_t>(labels.size()) == size;
    axis.hot = hot;
    axis.most = most;
  };
  set(f.rows, row_count, input.first_row, input.row_count, input.row_labels, input.hot_row,
      input.names_rows ? std::min(0.26f * box_width, 220.0f) : 0);
  set(f.columns, column_count, input.first_column, input.column_count, input.column_labels, input.hot_column, 170);
  const bool file = input.legend;  // else the screen, where nothing is smaller than can be read
  if (file && f.rows.tokens && input.names_rows) {
    const float axis = input.row_axis.empty() ? 0 : measure.line_height(kMatrixFrameAxis, Font::words) + 6;
    const float around = 2 * margin_of(input) + axis + kLabelGap + kLastLean;
    f.rows.most = std::min(f.rows.most, std::max(kLeastNames, (1 - kLeastMap) * box_width - around));
  }
  f.columns.most_tilted = (input.most_cell > 88 ? 0.19f : 0.24f) * box_height;

  const float margin = margin_of(input);
  const float axis_line = measure.line_height(kMatrixFrameAxis, Font::words), title = title_room(input, measure);
  const bool has_row_axis = input.names_rows && !input.row_axis.empty(), has_column_axis = !input.column_axis.empty();
  float legend_wide = 0;
  float known_left = -1, known_height = 0;  // the legend's height, where it begins at known_left
  bool whole = file, roomy = file;          // no label is cut; the map has its share of the width
  // With the styles that the axes have now. Whether all labels fit.
  const auto lay_out = [&] {
    f.cells.x = margin + (has_row_axis ? axis_line + 6 : 0) + (input.names_rows ? row_label_room(f.rows) + kLabelGap : 0);
    // The legend begins below the cells if it fits there, else as far to the left as it must.
    f.legend_left = std::max(margin, std::min(f.cells.x, box_width - margin - legend_wide));
    if (input.legend && known_left != f.legend_left) {
      known_left = f.legend_left;
      known_height = legend_height(legend, box_width - margin - f.legend_left, measure);
    }
    const float below = (has_column_axis ? axis_line + (input.legend ? 20.0f : 8.0f) : 12) + known_height + margin;
    f.cells.y = margin + title + column_label_room(f.columns);
    // The last label begins over the middle of its column and extends to the right of the cells.
    const float lean = std::max(0.0f, column_label_lean(f.columns) - input.lean);
    const float room_w = std::max(8.0f, box_width - margin - f.cells.x);
    const float room_h = std::max(8.0f, box_height - below - f.cells.y);
    const auto columns_n = static_cast<float>(f.columns.count), rows_n = static_cast<float>(f.rows.count);
    // The last column's middle plus the lean must be inside: room = n c and room = (n - 1/2) c + lean.
    f.cell_w = std::min(room_w / columns_n, std::max(8.0f, room_w - lean) / std::max(0.5f, columns_n - 0.5f));
    f.cell_h = room_h / rows_n;
    const float widest_cell = f.cell_w;
    if (input.cell_side > 0) {  // an export's own cells
      f.cell_w = f.cell_h = input.cell_side;
    } else if (input.fit == CellFit::square) {               // an export's own size
      const bool open = f.rows.tokens && !f.columns.tokens;  // many dimensions: square cells would be too low for their tokens
      f.cell_h = std::min(f.cell_h, open ? std::clamp(f.cell_w, 20.0f, kMostOpenCell) : f.cell_w);
      if (!open) f.cell_w = std::min(f.cell_w, f.cell_h);
    } else if (input.fit == CellFit::limited) {
      const bool tokens = f.rows.tokens && f.columns.tokens;
      const bool square = tokens && !(f.rows.all_named() && f.columns.all_named());
      const float most_width = input.most_width > 0 ? input.most_width : (square ? 1 : kMostMatrixStretch) * input.most_cell;
      f.cell_w = std::min(f.cell_w, f.columns.tokens ? most_width : kMostOpenCell);
      f.cell_h = std::min(f.cell_h, f.rows.tokens && !tokens ? kMostOpenCell : input.most_cell);
      if (square) {
        f.cell_w = f.cell_h = std::min(f.cell_w, f.cell_h);
      } else if (tokens) {
        f.cell_w = std::min(f.cell_w, kMatrixFrameWidest * f.cell_h);
        f.cell_h = std::min(f.cell_h, kMatrixFrameTallest * f.cell_w);
      }
      // Rounds down to whole multiples of the grain (pixels), if that costs little, so that cells and labels are aligned with
      // pixels.
      if (f.cell_w > 8) f.cell_w = std::floor(f.cell_w / input.grain) * input.grain;
      if (f.cell_h > 8) f.cell_h = std::floor(f.cell_h / input.grain) * input.grain;
    }
    const float first = f.columns.measured.widths.empty() ? 0 : f.columns.measured.widths.front();
    const bool begins = f.columns.style.kind == LabelStyle::tilted || !f.columns.all_named() ||
                        f.cells.x + (f.cell_w - first) / 2 >= (input.names_rows ? margin : 0);
    const bool narrow = f.rows.style.kind == LabelStyle::staggered && row_label_room(f.rows) > 0.34f * box_width;
    const bool skips = f.columns.style.may_skip || f.rows.style.may_skip;
    if (!skips && whole && (f.columns.measured.cut || (input.names_rows && f.rows.measured.cut))) return false;
    // A map that is as wide as the names beside it allow must have its share of the width.
    if (!skips && roomy && f.rows.tokens && f.cell_w > 0.98f * widest_cell && f.cell_w * columns_n < kLeastMap * box_width)
      return false;
    return ((begins && !narrow) || (f.columns.style.may_skip && f.rows.style.may_skip)) &&
           (!input.names_rows || rows_fit(f.rows, f.cell_h)) && columns_fit(f.columns, f.cell_w);
  };
  const auto choose = [&] {
    legend_wide = input.legend ? legend_width(legend, box_width - 2 * margin, measure) : 0;
    known_left = -1;
    // In a file labels get smaller before one is cut or the map becomes narrow, and either of these before one is left out.
    const auto skips = [&] { return f.rows.style.may_skip || f.columns.style.may_skip; };
    for (const auto& [uncut, wide, least] : {std::tuple(true, true, kLeastUncut), std::tuple(true, true, kLeastInFiles),
                                             std::tuple(false, true, kLeastInFiles), std::tuple(false, false, kLeastInFiles)}) {
      whole = file && uncut;
      roomy = file && wide;
      f.rows.least = f.columns.least = file ? std::max(least, input.least_label) : kLeastOnScreen;
      choose_label_styles(f.rows, f.columns, measure, lay_out);
      if (!file || !skips()) break;
    }
    f.reduced = std::min(f.cell_w, f.cell_h) < 1;
  };
  choose();
  if (f.reduced && input.legend) {
    legend.notes.push_back(tr(input.reduction == Reduction::mean ? "each pixel shows the mean of its cells"
                                                                 : "each pixel shows the largest of its cells"));
    choose();
  }
  count_hidden(f, input);
  std::string hidden_note;
  // The sentences about labels take room themselves.
  if (f.hidden > 0 && input.legend) {
    hidden_note = f.hidden_words;
    legend.notes.push_back(hidden_note);
    choose();
    count_hidden(f, input);
    legend.notes.back() = f.hidden_words;
  }
  const auto count_cut = [&] {
    const std::int64_t cut =
        (input.names_rows ? cut_of(f.rows, f.cell_h, true, measure) : 0) + cut_of(f.columns, f.cell_w, false, measure);
    return cut == 0 ? std::string() : shortened_words(cut);
  };
  if (file) f.cut_words = count_cut();
  if (!f.cut_words.empty()) {
    legend.notes.push_back(f.cut_words);
    choose();
    count_hidden(f, input);
    if (!hidden_note.empty()) legend.notes[legend.notes.size() - 2] = f.hidden_words;
    f.cut_words = count_cut();
    legend.notes.back() = f.cut_words;
  }
  f.cells.w = f.cell_w * static_cast<float>(f.columns.count);
  f.cells.h = f.cell_h * static_cast<float>(f.rows.count);
  return f;
}

void add_title(Figure& figure, const MatrixInput& input, const Theme& theme) {
  if (input.title.empty()) return;
  const float margin = margin_of(input);
  const float mark = input.title_hue >= 0 ? kMatrixFrameMark + 8 : 0;
  if (input.title_hue >= 0) {
    Rectangle square;
    square.box = {margin, margin + 5, kMatrixFrameMark, kMatrixFrameMark};
    square.fill = theme.hues[static_cast<std::size_t>(input.title_hue) % theme.hues.size()];
    square.radius = 3;
    square.tag.part = Part::title;
    figure.add(square);
  }
  Text t = text_at(input.title, {margin + mark, margin}, kMatrixFrameTitle, Font::words_bold, theme.text);
  t.vertical = Align::start;
  t.max_width = figure.width - 2 * margin - mark;
  t.tag.part = Part::title;
  figure.add(std::move(t));
}

void add_frame(Figure& figure, const MatrixInput& input, const MatrixFrame& f, const Legend& legend, float box_width,
               float box_height, const Theme& theme, const TextMeasure& measure) {
  const float margin = margin_of(input);
  const float right = f.cells.x + f.cells.w, bottom = f.cells.y + f.cells.h;
  const float axis_line = measure.line_height(kMatrixFrameAxis, Font::words), inner = box_width - 2 * margin;
  float reach = std::max(right, add_labels(figure, input, f, theme, measure));  // of the item furthest to the right
  add_lit(figure, f, theme);

  if (input.names_rows && !input.row_axis.empty()) {
    // Beside the cells, ending at their lower edge at the latest, so that it does not overlap what is below.
    const float room = bottom - margin - title_room(input, measure);
    const std::string words = brief_axis(input.row_axis, room, measure);
    const float wide = std::min(measure.width(words, kMatrixFrameAxis, Font::words), room);
    Text t = text_at(words, {margin + axis_line / 2, std::min(f.cells.y + f.cells.h / 2, bottom - wide / 2)}, kMatrixFrameAxis,
                     Font::words, theme.secondary);
    t.horizontal = Align::middle;
    t.rotation = 90;
    t.max_width = room;
    t.tag.part = Part::axis;
    figure.add(std::move(t));
  }
  figure.hidden_labels += f.hidden;
  if (input.legend) {
    if (f.hidden > 0) figure.remarks.push_back(f.hidden_words);
    if (!f.cut_words.empty()) figure.remarks.push_back(f.cut_words);
    add_remarks(figure, legend.non_finite);
  }
  float next = bottom + 8;
  if (!input.column_axis.empty()) {
    const std::string words = brief_axis(input.column_axis, inner, measure);
    const float wide = std::min(measure.width(words, kMatrixFrameAxis, Font::words), inner);
    const float centre =
        std::clamp(f.cells.x + f.cells.w / 2, margin + wide / 2, std::max(margin + wide / 2, box_width - margin - wide / 2));
    Text t = text_at(words, {centre, next}, kMatrixFrameAxis, Font::words, theme.secondary);
    t.horizontal = Align::middle;
    t.vertical = Align::start;
    t.max_width = inner;
    t.tag.part = Part::axis;
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
    reach = std::max(reach, margin + (input.title_hue >= 0 ? kMatrixFrameMark + 8 : 0) +
                                measure.width(input.title, kMatrixFrameTitle, Font::words_bold));
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
