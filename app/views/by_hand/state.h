// What the By hand view saves: the case that is worked there.
#pragma once

#include <cstdint>
#include <string>

#include "app/fields/fields.h"

namespace headlight::views::hand {

struct State {
  std::string preset = "three-words";  // an id of by_hand::registry()
  std::string own;  // the case as JSON (by_hand::to_json) once one of its numbers is changed; empty: the preset's case
  std::string stage = "scores";  // the chosen cell's stage, one of by_hand::kStages
  std::int64_t row = 1, column = 0;
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::hand
