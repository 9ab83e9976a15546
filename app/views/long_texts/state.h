// The saved state of the Long texts view.
#pragma once

#include <cstdint>
#include <string>

#include "app/fields/fields.h"

namespace headlight::views::long_range {

struct State {
  std::string method = "global";    // the id of the method that is shown large
  std::string page = "patterns";    // "patterns", "costs": the page of a room that is too small for both
  std::string cost = "operations";  // "operations", "bytes", "time": the chart's y axis
  std::string causal = "model";     // "model": the shown head's mask decides; "on", "off"
  bool parts = true;                // beside the weights: the tokens of each bucket or device, if the method has such parts
  std::int64_t step = 0;            // the ring's step
  // The person's parameters, each for all methods that have it; -1: the method's own value.
  std::int64_t window = -1, dilation = -1, global_tokens = -1, block = -1, devices = -1, span = -1, ramp = -1, buckets = -1,
               rank = -1;
  std::string similarity;  // empty: the method's own
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::long_range
