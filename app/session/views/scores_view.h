// The comparison of the Scores view.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct ScoresView {
  std::string page = "six";           // six: the scores side by side; scale: why scores are divided; relation: of Q, K and V;
  std::string relation = "separate";  // one: Q = K = V; shared: K = V; separate: all different
  double factor = 0;                  // the factor of s·h in scaled dot; 0: the model's own
  bool masked = true;                 // the model's mask counts, as in the model itself
  bool operator==(const ScoresView&) const = default;
};
const ViewSchema<ScoresView>& scores_view_schema();

}  // namespace headlight
