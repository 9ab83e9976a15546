// A written-out computation as a column: formulas, tables of terms, small bar charts. A number that the trace contains is a link:
// it is tagged Tag::link with its index in `links`. The bars of a chart are tagged Tag::bar.
#pragma once

#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/insight/explain.h"
#include "engine/insight/explain_value.h"

namespace headlight::figures {

struct WrittenFigure {
  Figure figure;
  std::vector<ValueAddress> links;           // indexed by Tag::link's a
  std::vector<const ExplainLine*> pictures;  // indexed by Tag::bar's a; they point into the sections that were drawn
};

// A column `width` points wide, as high as needed: `title` in amber, `value` behind the title, `subtitle` below in quieter text,
// and then the sections.
// written("weight", "0.42", "layer 0, head 1", cell.sections, 420, theme, measure) gives a column 420 points wide.
WrittenFigure written(const std::string& title, const std::string& value, const std::string& subtitle,
                      const std::vector<ExplainSection>& sections, float width, const Theme& theme, const TextMeasure& measure);

// The column of one of the engine's explanations, which must outlive the result's `pictures`.
// explanation(cell, "layer 0, head 1", 420, theme, measure) writes out one cell.
WrittenFigure explanation(const CellExplanation& cell, const std::string& subtitle, float width, const Theme& theme,
                          const TextMeasure& measure);
WrittenFigure explanation(const TokenExplanation& token, const std::string& subtitle, float width, const Theme& theme,
                          const TextMeasure& measure);
WrittenFigure explanation(const ValueExplanation& value, const std::string& subtitle, float width, const Theme& theme,
                          const TextMeasure& measure);

// A line's words in the current language, with its numbers.
std::string spoken(const ExplainLine& line);
// The text for one bar of a picture; empty if there is no such bar.
// bar_words(picture, 17) gives "d 17: 0.5312 · -1.2034 = -0.6392".
std::string bar_words(const ExplainLine& picture, std::int64_t index);
// The address of a bar's number. Its step is empty if the trace does not hold the number.
// bar_address(picture, 0) gives picture.first if the picture's numbers are in the trace.
ValueAddress bar_address(const ExplainLine& picture, std::int64_t index);

}  // namespace headlight::figures
