// What the Long texts view shows.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct LongTextsView {
  std::string method = "global";    // id of the method that is shown large
  std::string page = "patterns";    // "patterns", "costs": what a room has that is too small for both
  std::string cost = "operations";  // "operations", "bytes", "time": what the chart counts
  std::string causal = "model";     // "model": as the shown head's mask; "on", "off"
  bool parts = true;                // beside the weights: who shares a bucket or a device, where the method has such parts
  std::int64_t step = 0;            // of the ring
  // Parameters of one's own, each of all methods that have it; -1: as a method has it by itself.
  std::int64_t window = -1, dilation = -1, global_tokens = -1, block = -1, devices = -1, span = -1, ramp = -1, buckets = -1,
               rank = -1;
  std::string similarity;  // empty: as the method has it
  bool operator==(const LongTextsView&) const = default;
};
const ViewSchema<LongTextsView>& long_texts_view_schema();

}  // namespace headlight
