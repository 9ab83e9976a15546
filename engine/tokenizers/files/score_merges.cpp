#include "engine/tokenizers/files/score_merges.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/text/utf8.h"

namespace headlight::tokenizers {
namespace {

constexpr std::size_t kLongest = 512;  // bytes of a piece that is merged

}  // namespace

ScoreMerges merges_by_scores(const Vocabulary& vocabulary, const std::vector<double>& scores,
                             const std::function<bool(std::int32_t)>& is_text) {
  std::vector<std::int32_t> order;
  for (std::int32_t id = 0; id < vocabulary.size(); ++id)
    if (is_text(id) && vocabulary.piece(id).size() <= kLongest) order.push_back(id);
  const auto score = [&](std::int32_t id) {
    const double own = static_cast<std::size_t>(id) < scores.size() ? scores[static_cast<std::size_t>(id)] : 0;
    return std::isnan(own) ? -std::numeric_limits<double>::infinity() : own;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return score(a) > score(b); });
  ScoreMerges made;
  const auto add = [&](std::string_view piece) {
    text::for_each_code_point(piece, [&](std::int64_t at, const text::CodePoint&) {
      const auto place = static_cast<std::size_t>(at);
      if (at > 0 && is_text(vocabulary.find(piece.substr(0, place))) && is_text(vocabulary.find(piece.substr(place))))
        made.merges.emplace_back(piece.substr(0, place), piece.substr(place));
    });
  };
  for (std::size_t first = 0; first < order.size();) {
    const std::size_t before = made.merges.size();
    const double same = score(order[first]);
    for (; first < order.size() && score(order[first]) == same; ++first) add(vocabulary.piece(order[first]));
    if (made.merges.size() > before) made.tied += (made.tied.empty() ? "" : " ") + std::to_string(made.merges.size() - before);
  }
  return made;
}

}  // namespace headlight::tokenizers
