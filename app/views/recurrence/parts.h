// The parts of the Recurrence view's sheet, and its pictures for files.
#pragma once

#include <cstddef>
#include <memory>

#include "app/views/base/sheet.h"
#include "app/views/recurrence/data.h"

namespace headlight::views::recurrent {

// What lives from frame to frame.
struct Held {
  bool playing = false;
  std::size_t lengths = 0;  // that the chart of times has been told to measure
  bool beside = false;      // the network is shown, and a page beside it
};

// The view during one frame.
struct Frame : FrameOf<State, Held> {
  Reading reading;
};
using Shared = std::shared_ptr<const Frame>;

// A button and what is said beside it.
sheet::Node button_line(Sheet& sheet, Sheet::Button button, std::string id, std::string words);

// The page that `side` names: charts, the matrix of a state space, forms. `width`: in points.
sheet::Node side_page(Sheet& sheet, const Shared& frame, float width);

// Pictures for files: charts without a highlighted token, at least as wide as they can be read. Without items while nothing is
// read. figure_of_reach(context, 600, 400)
figures::Figure figure_of_network(const Context& context, float width, float height);
figures::Figure figure_of_states(const Context& context, float width, float height);
figures::Figure figure_of_reach(const Context& context, float width, float height);
figures::Figure figure_of_gradients(const Context& context, float width, float height);
figures::Figure figure_of_learning(const Context& context, float width, float height);
figures::Figure figure_of_forms(const Context& context, float width, float height);
figures::Figure figure_of_matrix(const Context& context, float width, float height);
figures::Figure figure_of_times(const Context& context, float width, float height);
// The network above its reach.
figures::Figure figure_of_both(const Context& context, float width, float height);
// The network over as many tokens as `width` has room for, framed, with its name.
figures::Figure unfolded_for_file(const Context& context, const Reading& reading, float width, float height);

// In a column this narrow a token's name can just be read.
inline constexpr float kNarrowColumn = 46;

}  // namespace headlight::views::recurrent
