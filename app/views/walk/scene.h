// Everything that makes up the Walk-through of the present trace: graph, pictures, text. The view, its export and its film use
// it.
#pragma once

#include <memory>

#include "app/views/base/attention_choice.h"
#include "app/views/base/context.h"
#include "app/views/walk/data.h"
#include "app/views/walk/diagram_picture.h"
#include "app/views/walk/next.h"
#include "app/views/walk/notes_picture.h"

namespace headlight::views::walk {

struct WalkScene {
  AttentionChoice choice;
  std::shared_ptr<const figures::WalkGraph> graph;  // null: there is no trace
  figures::WalkInput input;
  int stop = 0;  // the stop of the highlighted box
  WalkFocus focus;
  std::shared_ptr<const WalkNext> next;  // the next word; null: the model says none, or it is still being computed
};

// What lives from frame to frame without being saved.
struct WalkTransient {
  std::string shown;              // State::step in the last frame
  double since = 0;               // when the motion into that step began, steady_seconds()
  bool follow = false;            // the diagram scrolls to the highlighted box
  int following = 0;              // ... in so many frames more
  float followed_width = 0;       // the width in which it did, in points
  bool playing = false;           // the steps advance by themselves
  double next_at = 0;             // when the next step follows, steady_seconds()
  int hovered = -1, dot = -1;     // the box, and the dot in the row below the diagram, that the mouse was on last
  int hovered_row = -1;           // the row of the list of shapes that the mouse is on
  int product_block = -1;         // the block of the heads' products that the mouse is in
  std::int64_t product_d = -1;    // the number of q or k in that block that the mouse is on; -1: none
  std::string page;               // the opened box's shown step; empty: the box's own
  std::string zoomed;             // the step that `zoom` belongs to
  double zoom = 1, x = 0, y = 0;  // Zoom's values: the factor, and the first visible column and row
  int stop = 0, stops = 0;        // of the last frame, for the strip at the lower edge
  int asked_stop = -1;            // the strip asked for this stop; -1: for none
  bool asked_play = false;        // ... for play, or for its end
};

// The scene of the context's trace and view; without a graph if there is no trace.
WalkScene walk_scene(const Context& context);
// The notes about a stop, for its highlighted box.
// walk_notes_of(context, scene, scene.input.lit).title is the highlighted step's name.
figures::WalkNotes walk_notes_of(const Context& context, const WalkScene& scene, int box);

// Diagram, text and dots in one picture, as the view exports it. `progress` (0..1) is the share of the motion into `box` that is
// done.
// walk_poster(*scene.graph, scene.input, notes, 3, 1, 1200, 700, theme, measure) shows box 3 at rest.
figures::Figure walk_poster(const figures::WalkGraph& graph, figures::WalkInput input, const figures::WalkNotes& notes, int box,
                            float progress, float width, float height, const figures::Theme& theme,
                            const figures::TextMeasure& measure);
// A film of every stop with the motion into it. Its frames are pure functions that need neither trace nor window.
// walk_film(context, 1920, 1080).frame is the function that draws one of its frames.
figures::Animation walk_film(const Context& context, float width, float height);

}  // namespace headlight::views::walk
