// Analogies of words that are known to hold in some embedding tables, and the search for one that holds in a given table.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/insight/embedding_space.h"

namespace headlight {

// "a - b + c" and the word that should be nearest to it.
struct Analogy {
  const char *sum, *answer;
};
std::span<const Analogy> known_analogies();

// The first of the known analogies whose answer is the token nearest to the sum, the sum's own words left out; none: no one holds
// here. Words that the vocabulary cuts into several tokens do not count. Error: cancelled.
// working_analogy(space, {}) of the bundled model course is king - man + woman or one before it.
Result<std::optional<Analogy>> working_analogy(const EmbeddingSpace& space, const CancelToken& cancel);

}  // namespace headlight
