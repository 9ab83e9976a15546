// The next word below a picture of what changes it: what the model says now, and what it said as it was trained.
#pragma once

#include <optional>
#include <string>

#include "app/figures/next_word/next_lines.h"
#include "app/views/base/next_place.h"

namespace headlight::views {

struct NextWordNames {
  std::string now, trained;  // the rows' names where there are two: "next word with these masks", "with the model's own"
  bool always_both = false;  // also where nothing is changed, so that the picture above keeps its place
};
// None where the model predicts no next word, or fills in and has no [MASK].
// next_word_lines(context, {tr("next word with these masks"), tr("with the model's own masks")}) has a second row while the masks
// are changed.
std::optional<figures::NextLinesInput> next_word_lines(const Context& context, const NextWordNames& names);

}  // namespace headlight::views
