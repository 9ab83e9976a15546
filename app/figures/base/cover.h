// Covers a part of what the screen shows, for a class that guesses before it sees: the numbers, the names, the picture, the
// predicted words, or which head it is. Files are never covered.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

enum class Hides { nothing, numbers, names, picture, predictions, head };

struct Cover {
  Hides hides = Hides::nothing;
  // The tokens of the sentences: a sentence that says one of them tells where a token looks. Under predictions and head every
  // sentence is covered.
  std::set<std::string> names = {};
};

// The name without marks of its place: bare_name("the₁") and bare_name("·the") give "the".
std::string bare_name(std::string_view label);

// A sentence as the cover leaves it; nothing: all of it is covered. Under Hides::numbers covered("blue gets .54", cover) gives
// "blue gets ?".
std::optional<std::string> covered(std::string_view sentence, const Cover& cover);

// A figure as the cover leaves it, and the lids over the parts of its picture. Names and sentences become bars, and all bars of
// names are alike, because their length would tell the word; a number becomes a question mark.
struct CoveredFigure {
  Figure figure;
  std::vector<Box> lids;
};
// covered(heatmap, cover, theme, measure).lids has one box, the map's, if the cover hides the picture.
CoveredFigure covered(const Figure& figure, const Cover& cover, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
