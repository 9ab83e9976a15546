// The parts of the Positions view's sheet.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "app/views/base/sheet.h"
#include "app/views/positions/data.h"

namespace headlight::views::placed {

// The view during one frame.
struct Frame {
  const Scene& scene;
  State& state;
  AttentionChoice choice;

  const Context& context() const { return scene.context; }
};
using Shared = std::shared_ptr<const Frame>;

// The widths of the large picture's column and of that beside it; 0: there is no room for one.
struct Columns {
  float left = 0, right = 0;
};
Columns columns_of(const Scene& scene);

// One of position_pictures(), by its name: large, or small beside the large one.
sheet::Node picture_of(Sheet& sheet, const Shared& frame, const std::string& which, bool large);

// The same by kind: the code of positions ("heatmap", "curves", "distance"), a bias ("heatmap", "curves"), relative positions
// ("distances", "rows", "scores"), a turned pair, and a head's pattern with and without positions.
sheet::Node code_picture(Sheet& sheet, const Shared& frame, const std::string& which, bool large);
sheet::Node bias_picture(Sheet& sheet, const Shared& frame, const std::string& which, sheet::Span high);
sheet::Node relative_picture(Sheet& sheet, const Shared& frame, const std::string& which, bool large);
sheet::Node turned_picture(Sheet& sheet, const Shared& frame, sheet::Span high);
sheet::Node effect_picture(Sheet& sheet, const Shared& frame, sheet::Span high, bool all);

// Does order matter? The button that makes two sentences of the same words the document, and what becomes of their vectors.
sheet::Node order_question(Sheet& sheet, const Shared& frame);

// The heights of a picture that gets what room there is.
sheet::Span high_of(bool large);
// A map of cells; `hovered` gets the row and column of the cell under the mouse, and whether it is clicked.
struct MapPart {
  std::string id;
  figures::HeatmapInput input;
  std::function<void(std::int64_t row, std::int64_t column, bool clicked)> hovered;
  std::function<void(figures::Figure& figure)> marks = {};  // what else is drawn on it
  float widest = 0;                                         // as a multiple of its height; 0: any width
  float least_legend = 0;                                   // lower than this it has no legend and no note
  std::shared_ptr<const void> of = {};
  Size paper{1000, 640};
};
sheet::Node map_of(Sheet& sheet, MapPart part, sheet::Span wide, sheet::Span high);
// Curves; `hovered` gets the index of the x under the mouse.
struct CurvesPart {
  std::string id;
  figures::CurvesInput input;
  std::function<void(std::int64_t at)> hovered;
  std::shared_ptr<const void> of = {};
};
sheet::Node curves_of(Sheet& sheet, CurvesPart part, sheet::Span wide, sheet::Span high);
// Words in place of a picture or below one, also presented.
sheet::Node words_of(Sheet& sheet, const std::string& id, std::string words, float size, figures::Color color, int rank = 0);
sheet::Node computing(Sheet& sheet, const std::string& id);

}  // namespace headlight::views::placed
