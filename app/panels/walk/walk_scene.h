// Everything that makes up the Walk-through of the present trace: graph, pictures, text. The tab, its export and its film use it.
#pragma once

#include <memory>

#include "app/figures/walk/walk_figure.h"
#include "app/figures/walk/walk_notes.h"
#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"
#include "app/panels/walk/walk_values.h"

namespace headlight::panels {

struct WalkScene {
  AttentionChoice choice;
  std::shared_ptr<const figures::WalkGraph> graph;  // null: there is no trace
  figures::WalkInput input;
  int stop = 0;
  WalkFocus focus;
};

// What the tab keeps from frame to frame.
struct WalkTransient {
  std::string shown;              // WalkView::step as it was drawn last
  double since = 0;               // when the motion into it began, steady_seconds()
  bool follow = false;            // the diagram is to scroll to it
  bool playing = false;           // it goes on by itself,
  double next_at = 0;             // at this time
  int hovered = -1, dot = -1;     // the box and the dot of the row below that the mouse was on last
  int hovered_row = -1;           // of the list of shapes
  int product_block = -1;         // of the heads' products: the block that the mouse is in,
  std::int64_t product_d = -1;    // and which number of q or k it is on; -1: none
  std::string page;               // the opened box: which of its steps is shown; empty: the box's own
  std::string zoomed;             // which step `zoom` is of
  double zoom = 1, x = 0, y = 0;  // how many times larger, and the first column and row in sight
};

WalkScene walk_scene(const Context& context);
// The text of a stop, for its highlighted box.
figures::WalkNotes walk_notes_of(const Context& context, const WalkScene& scene, int box);

// Diagram, text and dots in one picture, as the tab exports it. `progress` 0..1 of the motion into `box`.
figures::Figure walk_poster(const figures::WalkGraph& graph, figures::WalkInput input, const figures::WalkNotes& notes, int box,
                            float progress, float width, float height, const figures::Theme& theme,
                            const figures::TextMeasure& measure);
// Every stop with the motion into it. Its frames are pure functions that need neither trace nor window.
figures::Animation walk_film(const Context& context, float width, float height);

}  // namespace headlight::panels
