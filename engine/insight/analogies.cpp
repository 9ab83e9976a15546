#include "engine/insight/analogies.h"

#include <algorithm>
#include <array>

namespace headlight {

std::span<const Analogy> known_analogies() {
  // The lecture's first, then kinship, capitals, forms of verbs, plurals, comparatives, and French.
  static constexpr std::array kKnown = std::to_array<Analogy>({{"aunt - uncle + man", "woman"},
                                                               {"king - man + woman", "queen"},
                                                               {"queen - woman + man", "king"},
                                                               {"mother - father + son", "daughter"},
                                                               {"sister - brother + father", "mother"},
                                                               {"girl - boy + man", "woman"},
                                                               {"wife - husband + king", "queen"},
                                                               {"daughter - son + brother", "sister"},
                                                               {"she - he + his", "her"},
                                                               {"Paris - France + Italy", "Rome"},
                                                               {"Rome - Italy + France", "Paris"},
                                                               {"Berlin - Germany + France", "Paris"},
                                                               {"Madrid - Spain + Italy", "Rome"},
                                                               {"London - England + France", "Paris"},
                                                               {"was - is + are", "were"},
                                                               {"had - have + do", "did"},
                                                               {"said - say + see", "saw"},
                                                               {"came - come + go", "went"},
                                                               {"cats - cat + dog", "dogs"},
                                                               {"hands - hand + eye", "eyes"},
                                                               {"trees - tree + flower", "flowers"},
                                                               {"better - good + bad", "worse"},
                                                               {"larger - large + small", "smaller"},
                                                               {"mine - my + your", "yours"},
                                                               {"two - one + three", "four"},
                                                               {"femme - homme + roi", "reine"},
                                                               {"mère - père + frère", "sœur"},
                                                               {"elle - il + son", "sa"},
                                                               {"était - est + sont", "étaient"}});
  return kKnown;
}

Result<std::optional<Analogy>> working_analogy(const EmbeddingSpace& space, const CancelToken& cancel) {
  for (const Analogy& one : known_analogies()) {
    if (cancel.cancelled()) return cancelled();
    const Result<EmbeddingSum> sum = embedding_sum(space, one.sum);
    if (!sum.ok()) continue;  // a word that the vocabulary does not have
    const bool whole =
        std::all_of(sum->terms.begin(), sum->terms.end(), [](const EmbeddingTerm& term) { return term.tokens.size() == 1; });
    if (!whole) continue;
    HL_ASSIGN(const std::vector<EmbeddingNeighbour> nearest, nearest_tokens(space, sum->vector, 1, tokens_of(*sum), cancel));
    if (nearest.empty() || word_of(space, nearest.front().token) != one.answer) continue;
    if (compare_differences(space, *sum, nearest.front().token).cosine >= kAlikeDifferences) return std::optional<Analogy>(one);
  }
  return std::optional<Analogy>();
}

}  // namespace headlight
