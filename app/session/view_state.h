// ViewState: the person's way of looking at a trace. It is saved beside the Document and never causes a computation. Fields that
// several tabs share are members of ViewState. A view of app/views declares its own in app/views/NAME/state.h; those of a panel
// form a struct with its schema in views/NAME_view.{h,cpp}, with a member here and a line in panel_views() of view_fields.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/views/fields.h"
#include "app/session/views/index_lab_view.h"
#include "app/session/views/inspector_view.h"
#include "app/session/views/next_word_view.h"
#include "app/session/views/patches_view.h"
#include "app/session/views/positions_view.h"
#include "engine/core/status.h"

namespace headlight {

struct ViewState {
  // Defined in the source file: inlined wherever a view is copied, they would cost the build seconds.
  ViewState();
  ViewState(const ViewState& other);
  ViewState(ViewState&& other) noexcept;
  ViewState& operator=(const ViewState& other);
  ViewState& operator=(ViewState&& other) noexcept;
  ~ViewState();

  // The window
  std::string tab = "heads";  // panel registry id
  std::string theme = "dark";
  std::string colormap = "viridis";
  double ui_scale = 0.0;      // 0: the display's own scale
  bool presentation = false;  // large type, high contrast, no chrome (F11)
  bool rail_folded = false;   // the rail of views shows pictures instead of names
  bool translates = false;    // the second sentence is the model's own, as long as the model translates
  std::string lesson;         // the lesson being played; empty: none
  std::int64_t lesson_step = 0;

  // The attention that every tab shows
  std::string shown = "weights";  // scores, masked_scores, weights
  std::string site;               // prefix kind: "", "encoder.", "decoder.", "decoder.cross."
  std::int64_t batch = 0;         // the sentence's index
  std::int64_t layer = 0;
  std::int64_t head = 0;
  std::int64_t pinned_row = -1, pinned_column = -1;  // -1: nothing pinned
  std::vector<HeadRef> chosen_heads;                 // the pinned heads; empty: only `head` of `layer`
  std::string row_word = "written";  // what names a row of cross-attention: the word that it writes, or has `read`

  // The drawing of its pictures
  bool transposed = false;                      // false: row = query, column = key
  bool words_together = false;                  // of weights: the pieces of a word as one (engine/insight/word_groups.h)
  double zoom = 1.0, pan_x = 0.0, pan_y = 0.0;  // of the large pictures (Heads, Masks), in cells
  std::string range = "fixed";                  // colours of weights: fixed (0..1), own (up to the largest), row, log
  std::string reduction = "max";                // one value for cells smaller than a pixel: max, mean

  PositionsView positions;
  InspectorView inspector;
  IndexLabView index_lab;
  NextWordView next_word;
  PatchesView patches;
  OwnStates own;  // of the views in app/views
  bool operator==(const ViewState& other) const;
};

std::string to_json(const ViewState& view);
// Unknown keys are ignored, because no view is worth losing a session for. The error names the key whose value has the wrong
// type.
// view_state_from_json(to_json(view), "session.json") is equal to `view`.
Result<ViewState> view_state_from_json(std::string_view json, const std::string& where);

// Limits layer, head, batch and pins to the trace's.
// fit(view, trace) sets view.layer to the last layer if it names a layer beyond it.
class Trace;
void fit(ViewState& view, const Trace& trace);

}  // namespace headlight
