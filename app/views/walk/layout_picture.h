// Places the boxes and arrows of a WalkGraph. On the left the text's path goes downwards, then come the layer's input, then Q, K
// and V, and right of each the steps made of it alone before the scores. On the right the attention stands in rows: the pattern
// (left to right), its result (right to left), the feed-forward part (left to right), and the model's last steps if it has losses
// or says words (right to left). Boxes of a row that are made from the same boxes stand one above the other, except for the last
// steps.
#pragma once

#include <vector>

#include "app/figures/base/figure.h"
#include "app/views/walk/graph_picture.h"

namespace headlight::figures {

struct WalkArrow {
  int from = -1, to = -1;
  WalkFlow flow = WalkFlow::plain;
  bool through = false;
  std::vector<Curve> pieces;  // geometry only; the last piece ends at the tip. The controls of a straight piece are its ends.
  float length = 0;           // in points
  // The point at a share 0..1 of the length.
  Point at(float share) const;
  Point direction() const;  // of unit length, at the tip
};

// How closely boxes and their texts stand. In a small room the tight way keeps type readable where the roomy one, scaled down to
// it, would not.
struct WalkType {
  bool tight = false;
  float title = 15, small = 13, text = 15;  // sizes of type, in points
  float padding = 8, above = 6, apart = 3;  // beside texts, above the title, and below it
  float below = 5;                          // above the line with the shape
};
inline constexpr WalkType kWalkRoomy{}, kWalkTight{true, 13, 13, 13, 5, 3, 2, 2};

struct WalkLayout {
  WalkType type;
  float width = 0, height = 0;
  std::vector<Box> boxes;    // of WalkGraph::boxes
  std::vector<Box> inner;    // the room of each box's picture, without the title and the lines below
  bool shape_above = false;  // shapes stand beside the titles; false: below the pictures
  bool shape_tight = false;  // shapes are written without spaces, because some shape would not fit otherwise
  bool captions = false;     // a line below the picture names the operation
  std::vector<WalkArrow> arrows;
};

// The smallest size at which all words are readable, in points; a smaller view gets this size and scrolls.
inline constexpr float kWalkLeastWidth = 860, kWalkLeastHeight = 300;  // for a layer with the usual steps
struct WalkSize {
  float width = kWalkLeastWidth, height = kWalkLeastHeight;
};
WalkSize walk_least_size(const WalkGraph& graph, const WalkType& type = kWalkRoomy);

// walk_layout(graph, 1200, 640, measure) places the boxes in 1200 x 640 points, or in walk_least_size(graph) if that is larger.
WalkLayout walk_layout(const WalkGraph& graph, float width, float height, const TextMeasure& measure,
                       const WalkType& type = kWalkRoomy);

}  // namespace headlight::figures
