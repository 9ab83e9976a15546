// The panel interface. A panel is a function of (Trace, Document, ViewState): one file each, no state of its own. It requests
// changes through the context; the shell handles windows, focus, errors and the dimming of old results.
#pragma once

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
#include "engine/core/registry.h"
#include "engine/core/status.h"
#include "engine/document/document.h"
#include "engine/insight/value_address.h"
#include "engine/pipeline/trace.h"

namespace headlight {
class Trainer;
namespace gl {
class FigureView;  // draws a Figure into the current ImGui window, textures cached by key
}

namespace views {

// The things under the mouse, shared by all panels so that hovering highlights the same thing everywhere. Not saved. Panels read
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
  };
  std::map<std::string, Place> places;
  std::vector<Place> maps;  // of cells that light up under the mouse themselves
  // add("chips", 10, 80, 600, 110) names the rectangle from (10, 80) to (600, 110).
  void add(const std::string& id, float x0, float y0, float x1, float y1) { places[id] = {x0, y0, x1, y1}; }
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
  Trainer* trainer = nullptr;                          // the Tokens tab's training; null: not available here

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
  std::function<void()> ask_picture;                  // asks for a PNG that the Patches view then shows; null: not available here
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

// A picture of a view that `headlight export --what ID` writes.
struct Picture {
  std::string id, label;
  // A figure without items: the trace has nothing to show.
  std::function<figures::Figure(const Context&, float width, float height)> figure;
};

// The pages of a view: turns of F7, buttons of the strip, lines of the palette.
struct Pages {
  struct Page {
    std::string value;        // what stands for it in the view's state
    const char *label, *why;  // English
  };
  std::vector<Page> list;
  std::function<std::string(const Context&)> shown;  // the value of the shown page
  std::function<void(ViewState&, const std::string& value)> show;
  bool (*has)(const Context&, const std::string& value) = nullptr;  // whether there is such a page now; null: always

  std::size_t at(const Context& context) const;  // the index of the shown page; 0 if the view shows none of them
  // The pages that there are now, as indices into `list`.
  std::vector<std::size_t> now(const Context& context) const;
};
// Pages of which one field of the state holds the shown one's value.
// pages_in([](ViewState& v) -> std::string& { return v.why.page; }, list);
Pages pages_in(std::string& (*field)(ViewState&), std::vector<Pages::Page> list);

// What the strip at the lower edge offers besides the pages: a button; with a `count` a stepper; with a `most` a slider.
struct Control {
  std::string id, label, why;
  std::function<void()> press = {};
  bool on = false, enabled = true;
  std::string value = {};   // of a stepper or slider, in words
  std::string widest = {};  // the longest that the value, or a button's label, may become: what stands behind it never moves
  std::int64_t at = 0, count = 0;
  std::function<void(std::int64_t)> step = {};
  double now = 0, least = 0, most = 0;  // on a logarithmic scale
  std::function<void(double)> slide = {};
};
// All heads as small pictures, for the strip. Sizes in points.
struct HeadGrid {
  float (*width)(const Context&) = nullptr;  // in which all heads of a layer stand beside each other; 0: there are none
  void (*draw)(Context&, float width, float height) = nullptr;  // at ImGui's cursor; a click chooses a head
};

// A view of the window.
struct Entry {
  std::string id, label, formula, source;  // formula: a line at the end of its tooltip
  std::function<void(Context&)> draw;
  std::function<figures::Figure(const Context&, float width, float height)> figure;  // what Ctrl+E exports; null: nothing
  bool full_width = false;                                                           // hides the inspector beside this view
  bool (*wide)(const ViewState&) = nullptr;  // hides the inspector in some states of the view; null: in none
  std::vector<Picture> pictures = {};        // the pictures that the command line writes by name
  // The number that the inspector explains while the mouse points at nothing in the view and nothing is pinned. An empty address:
  // the inspector says how to choose a number. Null function: the strongest cell of the shown head.
  ValueAddress (*subject)(const Context&) = nullptr;
  std::unique_ptr<Job> (*job)(const JobHost&) = nullptr;  // makes its job, or null where there can be none; null: it has none
  Pages pages = {};
  bool (*of_head)(const ViewState&) = nullptr;           // whether it shows one layer and head; null: never
  std::vector<Control> (*controls)(Context&) = nullptr;  // for the strip, valid in this frame; null: none
  HeadGrid head_grid = {};                               // the one view that has it draws it for all that show a head
  bool (*closes)(const ViewState&) = nullptr;  // whether Escape closes something in the view, which does it itself; null: never
  bool uses_space = false;                     // Space has a meaning of the view's own
  // The view's place in the window's rail, given by registry.cpp. `group` is a group's id. `icon` stands for the view where the
  // rail is folded: lines in a square of 20 x 20, such as "x,y x,y; x,y x,y x,y".
  std::string group, icon;
};
const Registry<Entry>& registry();  // the views, in the rail's order

// A group of the rail. A group that has no view is not shown.
struct Group {
  std::string id, label;
};
const std::vector<Group>& groups();

// The parts of the window beside the views.
// chips_height(context, 900) is the height of as many rows of chips as 900 points need.
void draw_chips(Context&);                        // the token chips under the pickers
float chips_height(const Context&, float width);  // in points, for `width` points of room
void draw_inspector(const Context&);              // the column on the right

}  // namespace views
}  // namespace headlight
