// A written-out computation as a column: formulas, tables of terms, small bar charts. Numbers that are in the trace are links:
// tagged Tag::link with their index in `links`; the bars of a chart are tagged Tag::bar.
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
  std::vector<const ExplainLine*> pictures;  // indexed by Tag::bar's a; they belong to the sections that were drawn
};

// `width` points wide, as high as it needs. `title` in amber, `value` behind it, `subtitle` below in quieter text.
WrittenFigure written(const std::string& title, const std::string& value, const std::string& subtitle,
                      const std::vector<ExplainSection>& sections, float width, const Theme& theme, const TextMeasure& measure);

// The same for the engine's explanations. The explanation must outlive the result's `pictures`.
WrittenFigure explanation(const CellExplanation& cell, const std::string& subtitle, float width, const Theme& theme,
                          const TextMeasure& measure);
WrittenFigure explanation(const TokenExplanation& token, const std::string& subtitle, float width, const Theme& theme,
                          const TextMeasure& measure);
WrittenFigure explanation(const ValueExplanation& value, const std::string& subtitle, float width, const Theme& theme,
                          const TextMeasure& measure);

// A line's words in the current language, with its numbers.
std::string spoken(const ExplainLine& line);
// The text for one bar of a picture: "d 17: 0.5312 · -1.2034 = -0.6392".
std::string bar_words(const ExplainLine& picture, std::int64_t index);
// The address of that bar's number; an empty step: none.
ValueAddress bar_address(const ExplainLine& picture, std::int64_t index);

}  // namespace headlight::figures
