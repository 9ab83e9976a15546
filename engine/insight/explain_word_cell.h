// explain_word_cell writes out the weight from one word to another: the weights between their pieces, the sum for each piece of
// the word that looks, and the mean of these sums.
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/status.h"
#include "engine/insight/explain.h"
#include "engine/insight/explain_value.h"
#include "engine/insight/word_groups.h"

namespace headlight {

struct WordCell {
  std::string prefix;  // AttentionSite::prefix
  std::int64_t batch = 0, head = 0;
  WordGroups::Word row, column;  // as word_axes() has them
};

// Its address is the weight between the words' last pieces; every weight of a piece is one of its inputs. Errors: not_found for a
// prefix that names no attention; the trace's own.
// explain_word_cell(*trace, {"layer.0.", 0, 2, forest, verdant})->value is the mean of forest's sums over ver and dant.
Result<ValueExplanation> explain_word_cell(const Trace& trace, const WordCell& cell);

// strongest_cell() among words: the last pieces of the two words with the largest weight of a head, among the words that look at
// two words at least, else among all. Errors: not_found for a prefix that names no attention; the trace's own.
Result<CellAddress> strongest_word_cell(const Trace& trace, const std::string& prefix, std::int64_t batch, std::int64_t head,
                                        const WordAxes& axes);

}  // namespace headlight
