// The saved state of the Walk-through.
#pragma once

#include <string>

#include "app/fields/fields.h"

namespace headlight::views::walk {

struct State {
  std::string step = "tokens";  // the highlighted box
  std::string open;             // the box that is opened; empty: none
  std::string page;             // the page that replaces the diagram: shapes, heads; empty: the diagram
  bool draw = false;            // the word behind the last layer is drawn by chance; false: the likeliest
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::walk
