// The parts of the Long texts view's sheet, and its pictures for files.
#pragma once

#include <memory>

#include "app/views/base/sheet.h"
#include "app/views/long_texts/data.h"

namespace headlight::views::long_range {

// What lives from frame to frame.
struct Held {
  std::size_t lengths = 0;  // that the chart of times has been told to measure
  bool beside = false;      // both pages are shown
};

// The view during one frame.
struct Frame : FrameOf<State, Held> {
  LongState shown;
};
using Shared = std::shared_ptr<const Frame>;

// Shows the method of this index large, if there is one.
void choose_method(const Frame& frame, std::int64_t index);
// What is said of a method under the mouse.
void explain_method(const Frame& frame, std::size_t index);

// The chosen method: its name, its parameters, its maps and what they show. `width`: in points.
sheet::Node large_method(Sheet& sheet, const Shared& frame, float width);
// The costs by length, and the table of the lecture about speech.
sheet::Node costs_page(Sheet& sheet, const Shared& frame);

// Pictures for files. Without items while there is nothing to show. figure_of_pattern(context, 600, 400)
figures::Figure figure_of_all(const Context& context, float width, float height);
figures::Figure figure_of_pattern(const Context& context, float width, float height);
figures::Figure figure_of_costs(const Context& context, float width, float height, figures::LongCostsInput::Of of);
// Who holds what: the ring's steps, and the tokens of each part.
figures::Figure parts_figure(const Context& context, const LongState& state, float width, float height);

}  // namespace headlight::views::long_range
