// The parts of the Index lab's sheet.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/views/base/sheet.h"
#include "app/views/base/titles.h"
#include "app/views/index/data.h"

namespace headlight::views::lab {

// The view during one frame. Sizes in points.
struct Frame {
  const Scene& scene;
  State& state;
  std::shared_ptr<Held> held;
  Arrangement arrangement = Arrangement::alone;
  float width = 0, height = 0;  // the room

  const Context& context() const { return scene.context; }
  bool presented() const { return scene.medium == sheet::Medium::presented; }
};
using Shared = std::shared_ptr<const Frame>;

// The first of these texts that takes one line; where none does, the last one in several, or `or_none` of them.
sheet::Node first_in_line(Sheet& sheet, std::string id, std::vector<std::string> texts, float size, figures::Color color,
                          bool or_none = false);
// Controls in lines, `gap` points apart, that lessons know as one part of this name.
sheet::Node group(Sheet& sheet, std::string id, float gap, const std::function<std::vector<sheet::Node>(Sheet&)>& controls);

// The layer with and without an index: what is measured, on which devices, and the bars.
sheet::Node times_column(Sheet& sheet, const Shared& frame);
// One word, its four terms and what they say. `high`: the height that it has.
sheet::Node word_section(Sheet& sheet, const Shared& frame, float high);
// What stands beside the times: "map", "table", "errors" or "notebook".
sheet::Node side_page(Sheet& sheet, const Shared& frame, const std::string& page);

}  // namespace headlight::views::lab
