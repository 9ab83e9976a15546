#include "app/figures/masks/mask_pictures.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "app/figures/base/axis_labels.h"
#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/legend.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kPicturesMargin = 12, kBetweenPictures = 28, kPicturesTitle = 18, kPicturesName = 15, kPicturesAxis = 13,
                kPicturesTick = 13;
constexpr float kLeastPicturePitch = 132, kNarrowPitch = 96;
constexpr float kSide = 240, kBesideBar = kSide - 40;  // room for a legend beside the picture, and for its bar
constexpr float kPicturesBar = 10;
constexpr float kPicturesWidest = 2.5f, kPicturesTallest = 1.6f;  // width to height of a cell, and height to width
constexpr std::int64_t kMostNamed = 20;       // of so many tokens all are named, even if the pictures then take more rows
constexpr float kLeastRows = 240;             // a lower place has the pictures side by side in any case
constexpr float kMostPictureStretch = 1.35f;  // how much wider than `most_cell` a cell may be

struct Plan {
  std::int64_t first_row = 0, rows = 0, first_column = 0, columns = 0;
  float cell_w = 0, cell_h = 0, left = 0, top = 0, width = 0, height = 0;  // of the first picture
  float pitch = 0;                                                         // from one picture to the next
  LabelAxis down, across;                                                  // the labels of the rows and of the columns
  float column_room = 0;
  float lean = 0;       // how far labels extend beyond the last column's middle
  bool beside = false;  // the legend is beside the picture instead of below it

  float cell() const { return std::min(cell_w, cell_h); }
  bool names_all() const { return !down.style.may_skip && !across.style.may_skip; }
};

LabelAxis axis_of(const std::vector<std::string>& labels, std::int64_t size, std::int64_t first, std::int64_t count,
                  std::int64_t hot, float most) {
  LabelAxis axis;
  axis.first = first;
  axis.count = count;
  axis.hot = hot;
  axis.labels = &labels;
  axis.tokens = static_cast<std::int64_t>(labels.size()) >= size;
  axis.most = most;
  return axis;
}

// Cells between few tokens may be wider than high, so that their labels have room; of more they are square.
void limit_cells(Plan& plan, float most_cell, float most_width) {
  const bool square = !(plan.down.all_named() && plan.across.all_named());
  plan.cell_w = std::min(plan.cell_w, most_width > 0 ? most_width : (square ? 1 : kMostPictureStretch) * most_cell);
  plan.cell_h = std::min(plan.cell_h, most_cell);
  if (square) {
    plan.cell_w = plan.cell_h = std::min(plan.cell_w, plan.cell_h);
  } else {
    plan.cell_w = std::min(plan.cell_w, kPicturesWidest * plan.cell_h);
    plan.cell_h = std::min(plan.cell_h, kPicturesTallest * plan.cell_w);
  }
  if (plan.cell_w > 8) plan.cell_w = std::floor(plan.cell_w);
  if (plan.cell_h > 8) plan.cell_h = std::floor(plan.cell_h);
  if (!square && std::min(plan.cell_w, plan.cell_h) > 8) {  // the rounded one limits the other
    plan.cell_w = std::min(plan.cell_w, std::floor(kPicturesWidest * plan.cell_h));
    plan.cell_h = std::min(plan.cell_h, std::floor(kPicturesTallest * plan.cell_w));
  }
}

Plan plan_of(const MaskPicturesInput& input, float width, float height, bool beside, const TextMeasure& measure) {
  Plan plan;
  plan.beside = beside;
  plan.first_row = std::clamp<std::int64_t>(input.first_row, 0, input.rows - 1);
  plan.rows = input.row_count > 0 ? std::min(input.row_count, input.rows - plan.first_row) : input.rows - plan.first_row;
  plan.first_column = std::clamp<std::int64_t>(input.first_column, 0, input.columns - 1);
  plan.columns = input.column_count > 0 ? std::min(input.column_count, input.columns - plan.first_column)
                                        : input.columns - plan.first_column;
  const auto count = static_cast<float>(input.pictures.size());
  const float axis = measure.line_height(kPicturesAxis, Font::words);
  const float words = measure.line_height(kPicturesTick, Font::words) + 4;
  const float title = input.title.empty() ? 0 : measure.line_height(kPicturesTitle, Font::words_bold) + 8;
  const bool named = std::any_of(input.pictures.begin(), input.pictures.end(), [](const auto& p) { return !p.title.empty(); });
  const float names = named ? measure.line_height(kPicturesName, Font::words_bold) + 4 : 0;
  const float below =
      axis + 10 +
      (beside || !input.legend ? 0 : kPicturesBar + 4 + words + (input.notes.empty() ? words : 2 * words) + kPicturesMargin);
  plan.down = axis_of(input.row_labels, input.rows, plan.first_row, plan.rows, input.hot_row, std::min(150.0f, 0.22f * width));
  plan.across = axis_of(input.column_labels, input.columns, plan.first_column, plan.columns, input.hot_column, 130);
  plan.across.most_tilted = 0.22f * height;
  choose_label_styles(plan.down, plan.across, measure, [&] {
    plan.left = kPicturesMargin + axis + 6 + row_label_room(plan.down) + 8;
    plan.column_room = column_label_room(plan.across) + names;
    plan.top = kPicturesMargin + title + plan.column_room;
    plan.lean = column_label_lean(plan.across);
    const float inside = width - plan.left - (count - 1) * kBetweenPictures, cells = count * static_cast<float>(plan.columns);
    // The last label extends from the middle of its column.
    const float across =
        std::min((inside - kPicturesMargin - (beside ? kSide : 0.0f)) / cells, (inside - plan.lean) / (cells - 0.5f));
    plan.cell_w = std::max(8.0f / static_cast<float>(plan.columns), across);
    plan.cell_h = std::max(8.0f, height - plan.top - below) / static_cast<float>(plan.rows);
    limit_cells(plan, input.most_cell, input.most_width);
    // The last label of one picture and the first one of the next have the room between the two.
    const std::vector<float>& wide = plan.across.measured.widths;
    const bool apart = count < 2 || wide.empty() || plan.across.style.kind == LabelStyle::tilted ||
                       (wide.front() + wide.back()) / 2 <= plan.cell_w + kBetweenPictures - 6;
    return (apart || plan.across.style.may_skip) && rows_fit(plan.down, plan.cell_h) && columns_fit(plan.across, plan.cell_w);
  });
  plan.width = plan.cell_w * static_cast<float>(plan.columns);
  plan.height = plan.cell_h * static_cast<float>(plan.rows);
  // Narrow pictures are as far apart as their names and the ends of their colour bars need, if there is room.
  float most = (width - plan.left - kPicturesMargin + kBetweenPictures) / count;
  if (count > 1) most = std::min(most, (width - plan.left - plan.width - plan.lean) / (count - 1));
  plan.pitch = std::max(plan.width + kBetweenPictures, std::min(kLeastPicturePitch, most));
  return plan;
}

class Painter {
 public:
  Painter(Figure& figure, const MaskPicturesInput& input, const Plan& plan, const Theme& theme, const TextMeasure& measure)
      : pen_{figure, theme, measure}, input_(input), plan_(plan), theme_(theme), measure_(measure) {}

  void picture(const MaskPicture& picture, float left) {
    if (!picture.title.empty())
      pen_.text(left, plan_.top - plan_.column_room + 8, fits_name(picture.title) ? picture.title : picture.brief, kPicturesName,
                Font::words_bold, theme_.text, Align::start, plan_.pitch - 8);
    if (picture.values.empty()) {
      pen_.box({left, plan_.top, plan_.width, plan_.height}, theme_.panel, theme_.line, 1, 4);
      pen_.text(left + plan_.width / 2, plan_.top + plan_.height / 2, input_.waiting, kPicturesTick, Font::words,
                theme_.secondary, Align::middle, plan_.width - 8);
      return;
    }
    Cells cells;
    cells.box = {left, plan_.top, plan_.width, plan_.height};
    cells.rows = plan_.rows;
    cells.columns = plan_.columns;
    cells.values = picture.values;
    cells.mask = picture.mask;
    cells.from_row = plan_.first_row;
    cells.from_column = plan_.first_column;
    cells.colormap = picture.colormap;
    cells.low = picture.low;
    cells.high = picture.high;
    cells.reduction = input_.reduction;
    cells.key = picture.key;
    cells.tag = {Tag::cell_area, plan_.first_row, plan_.first_column};
    add_cells(pen_.figure, cells, theme_);
    if (picture.edges) edges(left);
    numbers(cells);
    marks(left);
    legend(picture, left);
  }

  void labels(float left, bool rows) {
    const auto color = [this](std::int64_t hot, bool columns) {
      return [this, hot, columns](std::int64_t i) {
        return i == hot ? theme_.selected : hidden(i, columns) ? theme_.faint : theme_.text;
      };
    };
    if (rows)
      add_row_labels(pen_.figure, plan_.down, plan_.left - 8, plan_.top, plan_.cell_h, color(input_.hot_row, false), theme_.line);
    (void)add_column_labels(pen_.figure, plan_.across, left, plan_.top, plan_.cell_w, color(input_.hot_column, true), theme_.line,
                            measure_);
  }

  // Where the legend begins if it is beside the picture.
  float beside() const { return plan_.left + plan_.width + 24; }
  float legend_top() const {
    return std::max(plan_.top,
                    plan_.top + plan_.height - kPicturesBar - 4 - words_high() * static_cast<float>(2 + input_.notes.size()));
  }

 private:
  bool hidden(std::int64_t i, bool column) const {
    return input_.revealed >= 0 && input_.reveal_columns == column && i >= input_.revealed;
  }
  Box box_of(const CellArea& area, float left) const {  // the part in the shown window; height 0: it is outside
    const std::int64_t r0 = std::max(area.row, plan_.first_row), c0 = std::max(area.column, plan_.first_column),
                       r1 = std::min(area.row + area.rows, plan_.first_row + plan_.rows),
                       c1 = std::min(area.column + area.columns, plan_.first_column + plan_.columns);
    if (r1 <= r0 || c1 <= c0) return {};
    return {left + static_cast<float>(c0 - plan_.first_column) * plan_.cell_w,
            plan_.top + static_cast<float>(r0 - plan_.first_row) * plan_.cell_h, static_cast<float>(c1 - c0) * plan_.cell_w,
            static_cast<float>(r1 - r0) * plan_.cell_h};
  }
  void edges(float left) const {
    const auto inside = [](float at, std::int64_t first, std::int64_t count) {
      return std::clamp(at - static_cast<float>(first), 0.0f, static_cast<float>(count));
    };
    for (const CellEdge& e : input_.edges) {
      const float x0 = inside(e.from_column, plan_.first_column, plan_.columns),
                  x1 = inside(e.to_column, plan_.first_column, plan_.columns),
                  y0 = inside(e.from_row, plan_.first_row, plan_.rows), y1 = inside(e.to_row, plan_.first_row, plan_.rows);
      if (x0 == x1 && y0 == y1) continue;
      // A light and a dark line together, because it is drawn over every colour of the map.
      const Point from{left + x0 * plan_.cell_w, plan_.top + y0 * plan_.cell_h},
          to{left + x1 * plan_.cell_w, plan_.top + y1 * plan_.cell_h};
      pen_.line(from, to, with_alpha(theme_.background, 0.8f), 3);
      pen_.line(from, to, with_alpha(theme_.text, 0.85f), 1.5f);
    }
  }
  void numbers(const Cells& cells) const {
    const Colormap* map = colormaps().find(cells.colormap);
    const bool tight = input_.tight_numbers;
    if (!map || plan_.cell_w < (tight ? 34.0f : 40.0f) || plan_.cell_h < (tight ? 18.0f : 26.0f)) return;
    const float size = plan_.cell_w >= 56 ? 15 : plan_.cell_w >= 44 ? 13 : 12;
    const float range = cells.high > cells.low ? cells.high - cells.low : 1;
    const auto values = cells.values.values<float>();
    for (std::int64_t r = 0; r < cells.rows; ++r)
      for (std::int64_t c = 0; c < cells.columns; ++c) {
        const auto at = static_cast<std::size_t>((cells.from_row + r) * input_.columns + cells.from_column + c);
        if (!cells.mask.empty() && cells.mask.values<std::uint8_t>()[at] == 0) continue;
        pen_.text(cells.box.x + (static_cast<float>(c) + 0.5f) * plan_.cell_w,
                  cells.box.y + (static_cast<float>(r) + 0.5f) * plan_.cell_h, cell_number(static_cast<double>(values[at]), 2),
                  size, Font::mono, ink_on(map->at((values[at] - cells.low) / range, theme_)), Align::middle);
      }
  }
  // What is drawn over the cells: rows not yet reached, lit rows and columns, the stroke, the cursor.
  void marks(float left) const {
    const CellArea all{0, 0, input_.rows, input_.columns};
    if (input_.revealed >= 0) {
      CellArea rest = all, current = all;
      (input_.reveal_columns ? rest.column : rest.row) = input_.revealed;
      (input_.reveal_columns ? current.column : current.row) = std::max<std::int64_t>(0, input_.revealed - 1);
      (input_.reveal_columns ? current.columns : current.rows) = input_.revealed > 0 ? 1 : 0;
      if (const Box box = box_of(rest, left); box.h > 0) pen_.box(box, with_alpha(theme_.background, 0.9f));
      if (const Box box = box_of(current, left); box.h > 0) pen_.box(box, {0, 0, 0, 0}, theme_.selected, 2, 2);
    }
    const Color quiet = with_alpha(theme_.selected, 0.55f);
    const Box row = input_.hot_row < 0 ? Box{} : box_of({input_.hot_row, 0, 1, input_.columns}, left);
    const Box column = input_.hot_column < 0 ? Box{} : box_of({0, input_.hot_column, input_.rows, 1}, left);
    const float thin = plan_.cell() >= 4 ? 1.0f : 0.5f;
    if (row.h > 0) pen_.box(row, {0, 0, 0, 0}, quiet, thin, 2);
    if (column.h > 0) pen_.box(column, {0, 0, 0, 0}, quiet, thin, 2);
    if (row.h > 0 && column.h > 0 && input_.stroke.empty())
      pen_.box({column.x, row.y, column.w, row.h}, {0, 0, 0, 0}, theme_.selected, plan_.cell() >= 8 ? 3.0f : 1.0f, 2);
    for (const CellArea& area : input_.stroke) {
      const Box box = box_of(area, left);
      if (box.h <= 0) continue;
      // The future colour of the cells: masked or visible.
      pen_.box(box, input_.stroke_allows ? with_alpha(theme_.text, 0.25f) : with_alpha(theme_.masked, 0.8f), theme_.selected,
               input_.stroke.size() == 1 ? 2.0f : 1.0f, 2);
    }
    if (input_.cursor_row >= 0 && input_.cursor_column >= 0)
      if (const Box box = box_of({input_.cursor_row, input_.cursor_column, 1, 1}, left); box.h > 0) {
        // A cell smaller than a few points gets a larger marker.
        const float grow = std::max(0.0f, (10 - box.w) / 2);
        pen_.box({box.x - grow, box.y - grow, box.w + 2 * grow, box.h + 2 * grow}, {0, 0, 0, 0}, theme_.selected, 3, 2);
      }
  }
  void legend(const MaskPicture& picture, float left) const {
    const float axis = measure_.line_height(kPicturesAxis, Font::words);
    const float words = measure_.line_height(kPicturesTick, Font::words) + 4;
    float y = plan_.top + plan_.height + 6;
    const float room = std::max(plan_.width, 90.0f);
    // "key (is attended to)", or "key".
    const float wide = plan_.pitch - 6;
    std::string axis_words = input_.column_axis;
    if (measure_.width(axis_words, kPicturesAxis, Font::words) > wide) axis_words = without_brackets(axis_words);
    pen_.text(left + plan_.width / 2, y + axis / 2, axis_words, kPicturesAxis, Font::words, theme_.secondary, Align::middle,
              wide);
    y += axis + 4;
    if (!input_.legend) return;
    float bar = std::min({room, 320.0f, plan_.pitch - 10});
    if (plan_.beside) {
      left = beside();
      y = legend_top();
      bar = kBesideBar;
    }
    ColorBar colours;
    colours.box = {left, y, bar, kPicturesBar};
    colours.colormap = picture.colormap;
    pen_.figure.add(colours);
    y += kPicturesBar + 4 + words / 2;
    const std::string low = range_number(static_cast<double>(picture.low)),
                      high = range_number(static_cast<double>(picture.high));
    const float ends = measure_.width(low, kPicturesTick, Font::mono) + measure_.width(high, kPicturesTick, Font::mono) + 16;
    if (ends > bar + 8 && picture.low == -picture.high) {
      pen_.text(left + bar / 2, y, "\xC2\xB1" + high, kPicturesTick, Font::mono, theme_.secondary, Align::middle);
      return;
    }
    pen_.text(left, y, low, kPicturesTick, Font::mono, theme_.secondary);
    pen_.text(left + bar, y, high, kPicturesTick, Font::mono, theme_.secondary, Align::end);
    if (measure_.width(picture.range_words, kPicturesTick, Font::words) + ends <= bar)
      pen_.text(left + bar / 2, y, picture.range_words, kPicturesTick, Font::words, theme_.secondary, Align::middle);
  }

  bool fits_name(const std::string& name) const {
    return measure_.width(name, kPicturesName, Font::words_bold) <= plan_.pitch - 8;
  }
  float words_high() const { return measure_.line_height(kPicturesTick, Font::words) + 4; }

  Composer pen_;
  const MaskPicturesInput& input_;
  const Plan& plan_;
  const Theme& theme_;
  const TextMeasure& measure_;
};

// The name of the rows, up the left side.
void add_row_axis(Figure& figure, const MaskPicturesInput& input, const Plan& plan, float box_height, const Theme& theme,
                  const TextMeasure& measure) {
  const float axis = measure.line_height(kPicturesAxis, Font::words);
  Text rows;
  rows.text = input.row_axis;
  rows.size = kPicturesAxis;
  rows.color = theme.secondary;
  rows.horizontal = Align::middle;
  rows.rotation = 90;
  const float half = std::min(measure.width(input.row_axis, kPicturesAxis, Font::words), box_height) / 2;
  rows.at = {kPicturesMargin + axis / 2, std::max(half + 2, plan.top + plan.height / 2)};
  figure.add(std::move(rows));
}

bool any_masked(const MaskPicturesInput& input) {
  return std::any_of(input.pictures.begin(), input.pictures.end(), [](const MaskPicture& p) { return !p.mask.empty(); });
}

// The pictures side by side, as planned.
Figure drawn(const MaskPicturesInput& input, const Plan& plan, float box_width, float box_height, const Theme& theme,
             const TextMeasure& measure) {
  Figure figure;
  figure.background = theme.background;
  figure.title = input.title;
  const Composer pen{figure, theme, measure};
  if (!input.title.empty())
    pen.text(kPicturesMargin, kPicturesMargin + measure.line_height(kPicturesTitle, Font::words_bold) / 2, input.title,
             kPicturesTitle, Font::words_bold, theme.text, Align::start, box_width - 2 * kPicturesMargin);
  Painter painter(figure, input, plan, theme, measure);
  float left = plan.left;
  for (const MaskPicture& picture : input.pictures) {
    painter.picture(picture, left);
    painter.labels(left, left == plan.left);
    if (input.with_data && !picture.values.empty()) {
      const std::string name = picture.title.empty() ? "weights" : picture.title;
      const Axes axes = input.reveal_columns ? Axes{"key", "query"} : Axes{"query", "key"};
      figure.data.push_back({name, picture.values, axes, {input.row_labels, input.column_labels}});
      if (!picture.mask.empty())
        figure.data.push_back({name + " mask", picture.mask, axes, {input.row_labels, input.column_labels}});
    }
    left += plan.pitch;
  }
  add_row_axis(figure, input, plan, box_height, theme, measure);

  const float axis = measure.line_height(kPicturesAxis, Font::words);
  // The last line: the meaning of hatching, and the source of the weights.
  const float words = measure.line_height(kPicturesTick, Font::words) + 4;
  float y = plan.top + plan.height + 6 + axis + 4 + kPicturesBar + 4 + words, x = plan.left;
  float reach = plan.left + static_cast<float>(input.pictures.size()) * plan.pitch - kBetweenPictures;
  const float start = plan.beside ? painter.beside() : plan.left;
  if (plan.beside) {
    x = start;
    y = painter.legend_top() + kPicturesBar + 4 + words;
    reach = std::max(reach, start + kBesideBar);
  }
  const auto say = [&](const std::string& text, Color color, float indent) {
    const float wide = indent + measure.width(text, kPicturesTick, Font::words);
    if (x > start && (plan.beside || x + wide > box_width - kPicturesMargin)) {
      x = start;
      y += words;
    }
    if (indent > 0) figure.add(hatched({x, y + words / 2 - 7, 20, 14}));
    const std::vector<std::string> lines =
        wrap(text, box_width - kPicturesMargin - x - indent, kPicturesTick, Font::words, measure);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) y += words;
      pen.text(x + indent, y + words / 2, lines[i], kPicturesTick, Font::words, color);
    }
    reach = std::max(reach, std::min(x + wide, box_width - kPicturesMargin));
    x += wide + 24;
  };
  if (input.legend && any_masked(input)) say(tr("masked: query may not see it"), theme.secondary, 28);
  for (const std::string& note : input.notes)
    if (input.legend && !note.empty()) say(note, theme.faint, 0);
  figure.width = std::min(box_width, std::max(reach + kPicturesMargin, plan.left + plan.width + kPicturesMargin));
  // The last picture's last label.
  const float last = left - plan.pitch + plan.width - plan.cell_w / 2 + plan.lean + 8;
  figure.width = std::min(box_width, std::max(figure.width, last));
  figure.height = std::max(input.legend ? y + words + 4 : 0, plan.top + plan.height + axis + 10);
  return figure;
}

// Adds a figure below another.
void add_below(Figure& figure, Figure below) {
  move(below, 0, figure.height);
  figure.items.insert(figure.items.end(), below.items.begin(), below.items.end());
  figure.data.insert(figure.data.end(), below.data.begin(), below.data.end());
  figure.width = std::max(figure.width, below.width);
  figure.height += below.height;
}

// Two pictures in a row and the others below them, with cells of one size; nothing if that leaves labels out, too.
std::optional<Figure> two_in_a_row(const MaskPicturesInput& input, float box_width, float box_height, const Theme& theme,
                                   const TextMeasure& measure) {
  MaskPicturesInput upper = input, lower = input;
  upper.pictures.resize(2);
  upper.notes.clear();
  lower.pictures.erase(lower.pictures.begin(), lower.pictures.begin() + 2);
  lower.title.clear();
  // The words beside the lower picture leave it its height.
  const bool beside = lower.pictures.size() == 1;
  const float half = box_height / 2;
  const Plan high = plan_of(upper, box_width, half, false, measure), low = plan_of(lower, box_width, half, beside, measure);
  for (MaskPicturesInput* one : {&upper, &lower}) {
    one->most_cell = std::min(high.cell_h, low.cell_h);
    one->most_width = std::min(high.cell_w, low.cell_w);
  }
  const Plan first = plan_of(upper, box_width, half, false, measure), second = plan_of(lower, box_width, half, beside, measure);
  if (!first.names_all() || !second.names_all() || first.pitch < kNarrowPitch) return std::nullopt;
  Figure figure = drawn(upper, first, box_width, half, theme, measure);
  add_below(figure, drawn(lower, second, box_width, half, theme, measure));
  return figure;
}

// One picture below the other.
Figure stacked(const MaskPicturesInput& input, float box_width, float box_height, const Theme& theme,
               const TextMeasure& measure) {
  Figure figure;
  figure.background = theme.background;
  figure.title = input.title;
  MaskPicturesInput one = input;
  for (const MaskPicture& picture : input.pictures) {
    one.pictures = {picture};
    add_below(figure, mask_pictures(one, box_width, box_height, theme, measure));
    one.title.clear();
  }
  return figure;
}

}  // namespace

std::vector<CellEdge> mask_edges(const Tensor& mask, std::size_t most) {
  std::vector<CellEdge> edges;
  if (mask.empty()) return edges;
  const std::int64_t rows = mask.dim(0), columns = mask.dim(1);
  const auto* cells = mask.data<std::uint8_t>();
  const auto at = [&](std::int64_t r, std::int64_t c) { return cells[r * columns + c] != 0; };
  // Between two rows (two columns): runs where one side is masked and the other is not.
  for (std::int64_t r = 1; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      if (at(r, c) == at(r - 1, c)) continue;
      const std::int64_t begin = c;
      while (c < columns && at(r, c) != at(r - 1, c)) ++c;
      edges.push_back({static_cast<float>(r), static_cast<float>(begin), static_cast<float>(r), static_cast<float>(c)});
      if (edges.size() > most) return {};
    }
  for (std::int64_t c = 1; c < columns; ++c)
    for (std::int64_t r = 0; r < rows; ++r) {
      if (at(r, c) == at(r, c - 1)) continue;
      const std::int64_t begin = r;
      while (r < rows && at(r, c) != at(r, c - 1)) ++r;
      edges.push_back({static_cast<float>(begin), static_cast<float>(c), static_cast<float>(r), static_cast<float>(c)});
      if (edges.size() > most) return {};
    }
  return edges;
}

Figure mask_pictures(const MaskPicturesInput& input, float box_width, float box_height, const Theme& theme,
                     const TextMeasure& measure) {
  if (input.pictures.empty() || input.rows < 1 || input.columns < 1) {
    Figure figure = begin_picture(input.title, box_width, box_height, theme);
    return figure;
  }
  Plan plan = plan_of(input, box_width, box_height, false, measure);
  if (input.pictures.size() == 1 && !input.legend) return drawn(input, plan, box_width, box_height, theme, measure);
  if (input.pictures.size() == 1) {  // in a wide, low room the words are beside the picture and leave it the height
    const Plan other = plan_of(input, box_width, box_height, true, measure);
    if (other.names_all() == plan.names_all() ? other.cell() > 1.1f * plan.cell() : other.names_all()) plan = other;
    return drawn(input, plan, box_width, box_height, theme, measure);
  }
  const bool few = plan.down.tokens && plan.across.tokens && std::max(plan.rows, plan.columns) <= kMostNamed;
  if (few && !plan.names_all() && box_height >= kLeastRows) {
    if (input.pictures.size() > 2)
      if (std::optional<Figure> figure = two_in_a_row(input, box_width, box_height, theme, measure)) return *std::move(figure);
    MaskPicturesInput one = input;
    one.pictures.resize(1);
    if (plan_of(one, box_width, box_height, false, measure).names_all())
      return stacked(input, box_width, box_height, theme, measure);
  }
  // Too narrow for the names of several beside each other.
  if (plan.pitch < kNarrowPitch) return stacked(input, box_width, box_height, theme, measure);
  return drawn(input, plan, box_width, box_height, theme, measure);
}

}  // namespace headlight::figures
