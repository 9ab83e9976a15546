// The words and numbers that stand beside the maps of the Heads view, as figures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/insight/found_roles.h"
#include "engine/insight/head_statistics.h"

namespace headlight::views::heads {

// A part of a sentence, in reading order. A marked part is one of the typed sentence's words.
struct SayingPart {
  std::string text;
  bool marked = false;
};
using Saying = std::vector<SayingPart>;
std::string plain(const Saying& saying);

// The name of a pattern that head_statistics() gives, in the window's language.
const char* pattern_label(const std::string& pattern);
// What the statistics say about a head, in words: "self head (score 0.61)".
std::string pattern_words(const HeadStatistics& statistics);

// A head's statistics: the pattern's name, then a bar for each. Long lines are wrapped, and in a narrow column the bars are below
// their names, so that nothing is cut off.
struct NumbersInput {
  HeadStatistics statistics;
  std::string note;       // whose weights they are
  bool cross = false;     // of cross-attention, which has no distances
  bool noted = true;      // says what the numbers are means of
  bool explains = false;  // says what clicks do
};
figures::Figure numbers_figure(const NumbersInput& input, float width, const figures::Theme& theme,
                               const figures::TextMeasure& measure);

// Of a model whose heads were measured: one head's scores side by side, measured and in this sentence; if `brief`, instead the
// found roles with their numbers of heads, and the head's statistics. A role's row has the tag link and the pattern's index.
struct RolesInput {
  std::string title;  // the head's
  std::int64_t texts = 0;
  PatternScores measured, chance;
  std::optional<PatternScores> here;  // none: being computed
  std::optional<HeadRole> own;
  std::vector<std::pair<HeadPattern, std::int64_t>> counts;  // of all heads, the most frequent role first
  HeadStatistics statistics;
  bool cross = false;
  std::string filter;  // the role whose heads alone are lit
};
// roles_figure(input, 300, true, theme, measure) is the brief form, 300 points wide.
figures::Figure roles_figure(const RolesInput& input, float width, bool brief, const figures::Theme& theme,
                             const figures::TextMeasure& measure);
std::string found_words(std::int64_t heads);  // "4 have a found role", in the window's language

// The sentence above the picture of one head: which head it is, its role with its measured score, and what it does here.
struct SayingInput {
  std::string title, shared;     // shared: which heads share its keys and values
  std::string brief_title;       // where `title` takes more than two lines
  std::optional<HeadRole> role;  // measured
  std::optional<double> score;   // the role's in this sentence
  Saying saying, brief;          // of two rows, and of one
  float words = 16;              // size of the sentence
};
// saying_figure(input, 600, 500, theme, measure) has at most so many lines as 500 points of the view's height leave room for.
figures::Figure saying_figure(const SayingInput& input, float width, float room, const figures::Theme& theme,
                              const figures::TextMeasure& measure);

// In presentation: the head's name, and the cell under the mouse or the pinned one as a number that is read from a distance.
struct CaptionInput {
  std::string title, shared;  // empty: left out
  std::string cell, number;   // "creature looks at fluffy", "0.517"; empty: no cell is lit
  std::string what;           // what the numbers are, where no cell is lit
  bool cells = false;         // keeps room for a number, so that nothing below moves with the mouse
  bool low = false;           // in a low room the number is smaller
};
figures::Figure caption_figure(const CaptionInput& input, float width, const figures::Theme& theme,
                               const figures::TextMeasure& measure);

}  // namespace headlight::views::heads
