// The Compare view saves nothing of its own: which step, layer and head it shows belongs to all views.
#pragma once

#include "app/fields/fields.h"

namespace headlight::views::comparing {

struct State {
  bool operator==(const State&) const = default;

  void fields(Fields&) {}
};

}  // namespace headlight::views::comparing
