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

// The least cosine of two differences that are alike: chance gives less in every bundled table.
inline constexpr double kAlikeDifferences = 0.2;
// The first of the known analogies whose answer is the token nearest to the sum, the sum's own words left out, and whose
// differences are alike: a - b and answer - c; none: no one holds here. A word that is near to c by itself would also be the
// nearest to the sum where the differences have nothing in common. Words that the vocabulary cuts into several tokens do not
// count. Error: cancelled. working_analogy(space, {}) of the bundled model course is king - man + woman or one before it.
Result<std::optional<Analogy>> working_analogy(const EmbeddingSpace& space, const CancelToken& cancel);

}  // namespace headlight
