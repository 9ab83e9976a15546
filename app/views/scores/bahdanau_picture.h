// Bahdanau's step as a sheet of numbers: the words read, their alignment, the context, the new state and the next word; and one
// of the numbers written out.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/insight/bahdanau_step.h"

namespace headlight::figures {

// The kinds of numbers that a sheet shows, as trace_number() names them.
inline constexpr std::array kSheetQuantities = {"h", "hidden", "e", "alpha", "c", "before", "y", "s", "logit", "p"};
struct SheetPlace {
  std::int64_t quantity = -1, word = 0, unit = 0;  // index into kSheetQuantities; -1: none
  bool operator==(const SheetPlace&) const = default;
};
Tag tag_of(const SheetPlace& place);
SheetPlace place_of_tag(const Tag& tag);  // the place whose tag_of() is `tag`; quantity -1 if the tag is not a number's tag

struct SheetInput {
  BahdanauStep step;
  std::vector<std::string> source;      // labels of all words read
  std::vector<std::string> vocabulary;  // labels of the words that can be written
  std::string written, before;          // the word that the step writes, and the word before; empty: none
  std::size_t steps = 0;
  std::uint64_t seed = 0;
  std::int64_t hot = -1;  // index of the highlighted word of the source; -1: none
  SheetPlace shown;       // the number that is written out
  BahdanauNumber number;
};
// Exactly `width` x `height` points; words without a line of their own are added up. Numbers are tagged by tag_of(). data:
// "annotations", "e" and "alpha" by the source, "context", "state", "probabilities".
// bahdanau_sheet(input, 900, 640, theme, measure) shows input.step.
Figure bahdanau_sheet(const SheetInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
