// The rounds of a unigram training, which takes pieces out instead of joining them.
#pragma once

#include "app/figures/charts/table.h"
#include "engine/tokenizers/training/training.h"

namespace headlight::views::tokens {

// A row a round: how many pieces there were, how likely they made the corpus, which went, and why. rounds_table(training) of a
// training without rounds has no rows.
figures::TableInput rounds_table(const tokenizers::Training& training);

}  // namespace headlight::views::tokens
