// The written-out computation of one attention cell, or of one token, as a column: numbers, small bar pictures, the softmax row.
#pragma once

#include "app/figures/figure.h"
#include "app/figures/theme.h"
#include "engine/pipeline/explain.h"

namespace headlight::figures {

// `width` points wide, as high as it needs. `subtitle` stands under the arrow of labels: "layer 4, head 11".
Figure explanation(const CellExplanation& cell, const std::string& subtitle, float width, const Theme& theme,
                   const TextMeasure& measure);
Figure explanation(const TokenExplanation& token, const std::string& subtitle, float width, const Theme& theme,
                   const TextMeasure& measure);

}  // namespace headlight::figures
