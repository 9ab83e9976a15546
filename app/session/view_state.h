// ViewState: the person's way of looking at a trace. It is saved beside the Document and never causes a computation. Fields that
// several views share are members of ViewState; a view declares its own in app/views/NAME/state.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/fields/fields.h"
#include "engine/core/status.h"

namespace headlight {

// The inspector's page, and the pinned value that it explains if that value is no attention cell.
struct InspectorState {
  std::string step;                 // the pinned value's step; empty: none is pinned
  std::vector<std::int64_t> index;  // the value's place in that step, one number an axis
  std::string shows = "numbers";    // numbers; what if: the selected head taken out, and the effect
  bool operator==(const InspectorState&) const = default;

  void fields(Fields& field);
};

// How the next word is taken of a model's candidates, in the views that show them.
struct SamplingState {
  double temperature = 1.0;
  std::int64_t top_k = 10;  // 0: all
  double top_p = 0.9;       // 1: all
  bool sample = true;       // false: the best token each time
  std::int64_t seed = 7;    // the seed of the draws
  bool operator==(const SamplingState&) const = default;

  void fields(Fields& field);
};

struct ViewState {
  // Defined in the source file: inlined wherever a view is copied, they would cost the build seconds.
  ViewState();
  ViewState(const ViewState& other);
  ViewState(ViewState&& other) noexcept;
  ViewState& operator=(const ViewState& other);
  ViewState& operator=(ViewState&& other) noexcept;
  ~ViewState();

  // The window
  std::string tab = "heads";  // a view's id
  std::string theme = "dark";
  std::string colormap = "viridis";
  double ui_scale = 0.0;      // 0: the display's own scale
  bool presentation = false;  // large type, high contrast, no chrome (F11)
  bool rail_folded = false;   // the rail of views shows pictures instead of names
  bool translates = false;    // the second sentence is the model's own, as long as the model translates
  std::string lesson;         // the lesson being played; empty: none
  std::int64_t lesson_step = 0;

  // The attention that every view shows
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

  InspectorState inspector;
  SamplingState sampling;
  OwnStates own;  // of the views
  bool operator==(const ViewState& other) const;

  void fields(Fields& field);           // those that all views share
  void fields_in_heads(Fields& field);  // those of them that lie in the object of the view which once had them alone
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
