// Every step of a model by name, with its shape, in order of computation: the walk-through as a list.
#pragma once

#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct WalkShapesInput {
  struct Row {
    std::string name, shape, axes;  // "k_transposed", "[20, 4, 50, 10]", "batch, head, d_k, position"
    std::string said;               // "repeated to [20, 1, 10, 10]", "not contiguous"
    std::string remark;             // a difference from the text that a preset follows
    bool lit = false;
  };
  struct Group {
    std::string place;  // "encoder.layer.0."
    std::vector<Row> rows;
  };
  std::vector<Group> groups;
  std::string note;
  int hovered = -1;  // index among all rows
};

// `width` points wide, in as many columns as fit, as high as needed. A row is tagged row: a is its index among all rows.
// walk_shapes(input, 900, theme, measure) lists all groups.
Figure walk_shapes(const WalkShapesInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
