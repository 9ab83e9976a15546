// The pictures of the Compare view: one of its three maps.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::views::comparing {

// The room of each of the three maps, in points.
struct PaneRoom {
  float width = 0, height = 0;
  float most_cell = 88, most_width = 0;  // height and width of a cell; 0: as the layout chooses
  bool names = true;   // whether it names its rows; if the rows are the same, those of A name them for all three
  bool small = false;  // all three use the layout of the smallest
};
using Rooms = std::array<PaneRoom, 3>;

// A map with what is lit in it.
struct Pane {
  figures::HeatmapInput map;
  std::int64_t row = -1, column = -1;  // the lit query and key; -1: none
  std::string number;                  // of the lit cell, behind the title; empty: none
  bool transposed = false;             // the map's rows are keys
  bool presented = false;
};

inline constexpr float kPaneGap = 12;

// The widths of the three maps, side by side in `width` or each of `width` below each other. `maps`: A, B and, where it can be
// shown, the difference; empty: they are not there yet. room_widths({}, 936, true, measure)[0].width is 304.
Rooms room_widths(const std::vector<figures::HeatmapInput>& maps, float width, bool beside, const figures::TextMeasure& measure);
// The same rooms at this height, with cells of one size. rooms_of(maps, room_widths(maps, 936, true, measure), 400, false, theme,
// measure)[1].height is 400.
Rooms rooms_of(const std::vector<figures::HeatmapInput>& maps, Rooms widths, float height, bool presented,
               const figures::Theme& theme, const figures::TextMeasure& measure);

// The map with its legend, at most as large as its room. Cells are tagged as figures::heatmap() tags them.
figures::Figure pane(const Pane& one, const PaneRoom& room, const figures::Theme& theme, const figures::TextMeasure& measure);

}  // namespace headlight::views::comparing
