#include "app/views/compare/pictures.h"

#include <algorithm>

#include "app/figures/base/compose.h"
#include "app/figures/base/legend.h"
#include "app/figures/base/panes.h"

namespace headlight::views::comparing {
namespace {

using figures::Font;
using figures::TextMeasure;
using figures::Theme;

// The number of the lit cell, behind the title.
void add_number(figures::Figure& figure, const std::string& title, const std::string& number, float width, const Theme& theme,
                const TextMeasure& measure) {
  constexpr float kSize = 18, kBefore = 16;
  for (const figures::Item& item : figure.items) {
    const auto* words = std::get_if<figures::Text>(&item);
    if (!words || words->text != title) continue;
    const float x = words->at.x + measure.width(title, words->size, words->font) + kBefore;
    if (x + measure.width(number, kSize, Font::mono) > width) return;
    figures::Text text = figures::text_at(number, {x, words->at.y}, kSize, Font::mono, theme.selected);
    text.vertical = words->vertical;
    figure.width = std::max(figure.width, x + measure.width(number, kSize, Font::mono));
    figure.add(std::move(text));
    return;
  }
}

const figures::Cells* cells_of(const figures::Figure& figure) {
  for (const figures::Item& item : figure.items)
    if (const auto* cells = std::get_if<figures::Cells>(&item); cells && cells->tag.kind == figures::Tag::cell_area) return cells;
  return nullptr;
}

}  // namespace

figures::Figure pane(const Pane& one, const PaneRoom& room, const Theme& theme, const TextMeasure& measure) {
  figures::HeatmapInput input = one.map;
  const float width = room.width;
  float height = room.height;
  input.most_cell = room.most_cell;
  input.most_width = room.most_width;
  input.names_rows = room.names;
  input.note.clear();  // the row of pickers, and the export, say whose weights these are
  input.hot_row = one.transposed ? one.column : one.row;
  input.hot_column = one.transposed ? one.row : one.column;
  // In a small pane the legend takes the pane's whole width below the picture, not only what the labels leave.
  figures::Legend legend;
  if (room.small) {
    legend = figures::legend_of(input);
    legend.brief = true;
    legend.masked = legend.masked && !one.presented;  // on a projector the rows' names need the line
    if (legend_width(legend, 4 * width, measure) > width) {
      auto lines = figures::wrap(legend.range_words, width, 13, Font::words, measure);
      legend.notes.insert(legend.notes.begin(), lines.begin(), lines.end());
      legend.range_words.clear();
    }
    height -= legend_height(legend, width, measure) + 6;
    input.legend = false;
  }
  figures::Figure figure = figures::heatmap(input, width, height, theme, measure);
  if (!one.number.empty()) add_number(figure, input.title, one.number, width, theme, measure);
  if (room.small) {
    const figures::Cells* const cells = cells_of(figure);
    const float left = cells ? cells->box.x : 4;  // below the cells, if the words have room there
    figures::Figure below = figures::legend_figure(legend, left, std::min(width - left - 4, 220.0f), width, theme, measure);
    const float top = figure.height + 6;
    figure.height = top + below.height;
    figure.width = std::max(figure.width, below.width);
    figures::add_moved(figure, std::move(below), 0, top);
  }
  return figure;
}

Rooms room_widths(const std::vector<figures::HeatmapInput>& maps, float width, bool beside, const TextMeasure& measure) {
  const float each = beside ? (width - 2 * kPaneGap) / 3 : width;
  Rooms rooms;
  for (PaneRoom& room : rooms) room.width = each;
  if (!beside || maps.size() != 3 || maps[0].row_labels != maps[1].row_labels || maps[0].row_labels != maps[2].row_labels)
    return rooms;
  // A names the rows of all three, so the others' room for names goes to their cells.
  constexpr std::size_t kMeasured = 64;
  const auto& labels = maps[0].row_labels;
  float widest = 0;
  for (std::size_t i = 0; i < labels.size(); i += std::max<std::size_t>(1, labels.size() / kMeasured))
    widest = std::max(widest, measure.width(labels[i], 15, Font::mono));
  const float names = std::min(widest, 0.2f * each) + 32, cells = (width - 2 * kPaneGap - names) / 3;
  rooms[0].width = cells + names;
  rooms[1].width = rooms[2].width = cells;
  rooms[1].names = rooms[2].names = false;
  return rooms;
}

Rooms rooms_of(const std::vector<figures::HeatmapInput>& maps, Rooms rooms, float height, bool presented, const Theme& theme,
               const TextMeasure& measure) {
  const bool small = std::min(rooms[0].width, rooms[1].width) < 340 || height < 480;
  for (PaneRoom& room : rooms) {
    room.small = small;
    room.height = height;
  }
  if (maps.empty()) return rooms;
  // The cells have the same size in all three: a legend with one line more must not make them smaller.
  float high = rooms[0].most_cell, wide = 1e6f;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const figures::Figure figure = pane({.map = maps[i], .presented = presented}, rooms[i], theme, measure);
    if (const figures::Cells* const cells = cells_of(figure)) {
      wide = std::min(wide, cells->box.w / static_cast<float>(cells->columns));
      high = std::min(high, cells->box.h / static_cast<float>(cells->rows));
    }
  }
  for (PaneRoom& room : rooms) {
    room.most_cell = high;
    room.most_width = wide;
  }
  return rooms;
}

}  // namespace headlight::views::comparing
