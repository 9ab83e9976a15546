// The parts of the Patches view's sheet, and its pictures for files.
#pragma once

#include <memory>

#include "app/views/base/sheet.h"
#include "app/views/patches/data.h"

namespace headlight::views::vision {

// What lives from frame to frame.
struct Held {
  std::int64_t hot = -1, hot_next = -1;        // the patch under the mouse in the last frame, and in this one; -1: none
  std::int64_t region = -1, region_next = -1;  // the region under the mouse in the words' map
  std::int64_t dimension = 0;                  // the dimension that the token page writes out
  Seen seen;                                   // the last complete one, shown pale while the next one is being computed
};

// The view during one frame.
struct Frame : FrameOf<State, Held> {
  Seen seen;
  bool old = false;  // what is seen belongs to other settings

  bool of_caption() const { return topic_of(state) == Topic::caption; }
  // The patch under the mouse; -1: none.
  std::int64_t hot() const { return seen.shown && held->hot < seen.grid().count() ? held->hot : -1; }
};
using Shared = std::shared_ptr<const Frame>;

// The picture under its grid, its name above it, and below it how the number under the mouse came about.
sheet::Node picture_column(Sheet& sheet, const Shared& frame);
// What the page shows beside the picture. `room`: the height in points that it can have, about.
sheet::Node page_column(Sheet& sheet, const Shared& frame, float room);
// How a patch becomes a token, where there is no room for the picture beside it.
sheet::Node token_column(Sheet& sheet, const Shared& frame);

// Pictures for files, `width` points wide or wider. Without items while nothing is computed.
// figure_of_attention(context, 900, 600)
figures::Figure figure_of_token(const Context& context, float width, float height);
figures::Figure figure_of_positions(const Context& context, float width, float height);
figures::Figure figure_of_attention(const Context& context, float width, float height);
figures::Figure figure_of_caption(const Context& context, float width, float height);

}  // namespace headlight::views::vision
