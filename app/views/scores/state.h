// What the Scores view saves: the comparison.
#pragma once

#include <string>

#include "app/fields/fields.h"

namespace headlight::views::scored {

struct State {
  std::string page = "six";           // six: the scores side by side; scale: why scores are divided; relation: of Q, K and V;
                                      // bahdanau: a decoder's step
  std::string relation = "separate";  // one: Q = K = V; shared: K = V; separate: all different
  double factor = 0;                  // the factor of s·h in scaled dot; 0: the model's own
  bool masked = true;                 // the model's mask counts, as in the model itself
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::scored
