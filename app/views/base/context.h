// What a view is given to draw with: the document, its trace, the state, the mouse. A view requests changes through the context;
// the shell handles windows, focus, errors and the dimming of old results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/gl/fonts.h"
#include "app/session/derived.h"
#include "app/session/job.h"
#include "app/session/view_state.h"
#include "app/views/base/transient.h"
#include "engine/core/status.h"
#include "engine/document/document.h"
#include "engine/insight/value_address.h"
#include "engine/pipeline/trace.h"

namespace headlight {
namespace gl {
class FigureView;  // draws a Figure into the current ImGui window, textures cached by key
}

namespace views {

// The things under the mouse, shared by all views so that hovering highlights the same thing everywhere. Not saved. Views read
// `now` (found in the last frame) and write `next`; the shell swaps them between frames.
struct Hot {
  std::int64_t row = -1, column = -1;           // query and key of the shown attention
  bool words = false;                           // row, column and value stand for the words that they are pieces of
  std::int64_t layer = -1, head = -1;           // a head's small picture
  std::int64_t byte_start = -1, byte_end = -1;  // a byte range of the sentence (Tokens tab, chips)
  bool in_target = false;                       // the range is in the second sentence
  std::int64_t token = -1;                      // the exact token in that range; -1: any token that touches the range
  ValueAddress value;                           // any number of any step; an empty step: none
  bool operator==(const Hot&) const = default;
};
struct Hover {
  Hot now, next;
};

// The positions of the window's named parts in this frame, in pixels. A lesson's step marks them with amber rings. Ids:
// "rail:heads", "picker:mask", "chips", "chip:3", "heads:grid", "walk:softmax", ...
struct Parts {
  struct Place {
    float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    bool cut = false;  // some of it is scrolled out of the window that it stands in
  };
  std::map<std::string, Place> places;
  std::vector<Place> maps;  // of cells that light up under the mouse themselves
  // Those of which the shown step of a lesson speaks: their sheets keep them in sight. Null: no lesson is played.
  const std::vector<std::string>* spoken_of = nullptr;
  // is_spoken_of("sentence") in a step that rings the sentence's field.
  bool is_spoken_of(std::string_view id) const { return spoken_of && std::ranges::find(*spoken_of, id) != spoken_of->end(); }
  // add("chips", 10, 80, 600, 110) names the rectangle from (10, 80) to (600, 110).
  void add(const std::string& id, float x0, float y0, float x1, float y1) { places[id] = {x0, y0, x1, y1}; }
  // Names the last ImGui item.
  void add_item(const std::string& id);
};

// The state that the Compare tab compares with the present one: A beside B.
struct Pinned {
  Document document;
  std::shared_ptr<const Trace> trace;       // null: still being computed, or an error
  std::shared_ptr<const Error> error = {};  // why there is no trace
};

struct Context {
  const Document& document;            // the document being edited
  std::shared_ptr<const Trace> trace;  // the latest trace; null before the first one, and after an error without one
  bool computing = false;              // the trace belongs to an older document and is shown dimmed
  const Error* error = nullptr;        // why the newest document has no trace
  ViewState& view;
  Hover& hover;
  const figures::Theme& theme;
  const gl::Fonts& fonts;
  float scale = 1;  // pixels per point
  gl::FigureView& figures;
  const figures::TextMeasure& measure;  // in points, as the screen draws
  Derived& derived;                     // stores values that are too costly to compute in every frame (tiles, statistics)
  bool has_gl = true;                   // false on the null renderer of the tests

  std::function<void(Document)> edit;                  // a new document: recorded for undo, computed again
  std::function<void(figures::Figure)> export_figure;  // opens the export dialog for this picture
  std::function<void(std::string)> say;                // a line in the status bar

  std::function<void(figures::Animation)> export_animation;  // opens the export dialog for this film; null: not available here
  Transient* transient = nullptr;                            // never null in the window
  Parts* parts = nullptr;                                    // never null in the window
  const Pinned* pinned = nullptr;                            // A of the comparison; null: nothing is pinned
  std::function<void(bool)> pin;                             // true: the present state becomes A; false: drops A
  std::function<void(double)> frame_in;                      // requests a frame in this many seconds (0: the next one)
  double now = 0;                                            // steady_seconds() of this frame
  bool still = false;                                        // reduced motion: draw the end of every motion at once

  std::function<Job*(std::string_view view)> job;  // a view's job, see job_of(); null: not available here
  std::function<std::uint64_t()> edits;  // counts uses of the cores during a measurement; callable from any thread; null: none

  std::function<void(figures::Figure)> copy_numbers;  // copies a picture's numbers as text; null: not available here
  std::function<void(figures::Figure)> copy_picture;  // copies the picture itself; null: not available here
  std::function<void()> ask_picture;  // asks for a PNG, which the view of pictures then shows; null: not available here
};

// The job of a view, by the view's id; null: not available here, as in exports. job_of<LiveTrainer>(context, "train") trains.
template <class J>
J* job_of(const Context& context, std::string_view view) {
  return context.job ? dynamic_cast<J*>(context.job(view)) : nullptr;
}

// Names the last ImGui item as a part of the window, and scrolls to the item if a lesson's step has just mentioned this part.
// name_part(context, "walk:more") after drawing the button "more".
void name_part(const Context& context, const std::string& id);

// Like ImGui::PushFont, at a size of the design in points. End the font with ImGui::PopFont().
// push_font(context, figures::Font::mono, 13) sets the monospaced font at 13 points.
void push_font(const Context& context, figures::Font font, float points);

}  // namespace views
}  // namespace headlight
