// A written-out computation as a column: formulas, tables of terms, small bar pictures. Numbers that stand somewhere in the trace
// are links: tagged Tag::link with their place in `links`; the bars of a picture are tagged Tag::bar.
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
  std::vector<ValueAddress> links;           // of Tag::link's a
  std::vector<const ExplainLine*> pictures;  // of Tag::bar's a; they live in the sections that were drawn
};

// `width` points wide, as high as it needs. `title` in amber, `value` behind it, `subtitle` quiet below.
WrittenFigure written(const std::string& title, const std::string& value, const std::string& subtitle,
                      const std::vector<ExplainSection>& sections, float width, const Theme& theme, const TextMeasure& measure);

// The same for what the engine explains. The explanation must outlive the result's pictures.
WrittenFigure explanation(const CellExplanation& cell, const std::string& subtitle, float width, const Theme& theme,
                          const TextMeasure& measure);
WrittenFigure explanation(const TokenExplanation& token, const std::string& subtitle, float width, const Theme& theme,
                          const TextMeasure& measure);
WrittenFigure explanation(const ValueExplanation& value, const std::string& subtitle, float width, const Theme& theme,
                          const TextMeasure& measure);

// A line's words in the spoken language, its numbers put in.
std::string spoken(const ExplainLine& line);
// "d 17: 0.5312 · -1.2034 = -0.6392", what stands behind one bar of a picture.
std::string bar_words(const ExplainLine& picture, std::int64_t index);
// Where that bar's number stands; an empty step: nowhere.
ValueAddress bar_address(const ExplainLine& picture, std::int64_t index);

}  // namespace headlight::figures
