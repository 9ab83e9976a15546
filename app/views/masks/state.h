// What the Masks view saves.
#pragma once

#include <cstdint>
#include <string>

#include "app/fields/fields.h"

namespace headlight::views::masked {

struct State {
  std::string tool = "rectangle";  // rectangle, row, column, cell
  bool allows = false;             // painting lets cells attend instead of masking them
  std::string shows = "after";     // before, after, difference, all
  std::string page = "paint";      // paint, shapes, fill
  std::int64_t row = -1;           // line by line: the row that the decoder has reached; -1: all rows at once
  bool operator==(const State&) const = default;

  void fields(Fields& field);
  // The field that names the shown page: `page`, or what the painted one shows. State().shown() is "after".
  std::string& shown() { return page == "shapes" || page == "fill" ? page : shows; }
  // show("all") and show("fill") choose two of the six pages.
  void show(const std::string& one) {
    const bool painted = one != "shapes" && one != "fill";
    page = painted ? "paint" : one;
    if (painted) shows = one;
  }
};

}  // namespace headlight::views::masked
