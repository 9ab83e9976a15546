// ViewState: how the person looks at a trace. Saved beside the Document, never recomputes anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/core/status.h"

namespace headlight {

struct ViewState {
  std::string tab = "heads";  // panel registry id
  std::string theme = "dark";
  std::string colormap = "viridis";
  std::string shown = "weights";  // scores, masked_scores, weights
  std::string site = "";          // prefix kind: "", "encoder.", "decoder.", "decoder.cross."
  std::int64_t batch = 0;         // which sentence
  std::int64_t layer = 0;
  std::int64_t head = 0;
  std::int64_t pinned_row = -1, pinned_column = -1;  // -1: nothing pinned
  bool own_range = false;                            // weights coloured up to their largest instead of up to 1
  bool transposed = false;                           // false: row = query, column = key
  double zoom = 1.0, pan_x = 0.0, pan_y = 0.0;       // of the large heatmap, in cells
  double ui_scale = 0.0;                             // 0: as the display says
  bool operator==(const ViewState&) const = default;
};

std::string to_json(const ViewState& view);
Result<ViewState> view_state_from_json(std::string_view json, const std::string& where);  // unknown keys are ignored

// Clamps layer, head, batch and pins to what a trace has.
class Trace;
void fit(ViewState& view, const Trace& trace);

}  // namespace headlight
