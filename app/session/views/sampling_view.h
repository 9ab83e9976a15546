// How the next word is taken of a model's candidates, in the views that show them.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct SamplingView {
  double temperature = 1.0;
  std::int64_t top_k = 10;  // 0: all
  double top_p = 0.9;       // 1: all
  bool sample = true;       // false: the best token each time
  std::int64_t seed = 7;    // the seed of the draws
  bool operator==(const SamplingView&) const = default;
};
const ViewSchema<SamplingView>& sampling_view_schema();

}  // namespace headlight
