#include "engine/insight/word_alignment.h"

#include <algorithm>
#include <utility>

#include "engine/core/sorting.h"

namespace headlight {
namespace {

constexpr std::int32_t kEmptyWord = -1;
constexpr int kRounds = 10;

}  // namespace

Result<WordAlignment> WordAlignment::learn(std::span<const Ids> sources, std::span<const Ids> targets,
                                           const CancelToken& cancel) {
  WordAlignment learned;
  auto& t = learned.translation_;
  // At the beginning every target token is as probable as any other; only ratios count.
  for (std::size_t n = 0; n < sources.size(); ++n)
    for (const std::int32_t target : targets[n]) {
      t[key(kEmptyWord, target)] = 1;
      for (const std::int32_t source : sources[n]) t[key(source, target)] = 1;
    }
  for (int round = 0; round < kRounds; ++round) {
    std::unordered_map<std::uint64_t, double> counts;
    std::unordered_map<std::int32_t, double> totals;
    counts.reserve(t.size());
    for (std::size_t n = 0; n < sources.size(); ++n) {
      if (cancel.cancelled()) return cancelled();
      for (const std::int32_t target : targets[n]) {
        double sum = learned.probability(kEmptyWord, target);
        for (const std::int32_t source : sources[n]) sum += learned.probability(source, target);
        if (!(sum > 0)) continue;
        const auto share = [&](std::int32_t source) {
          const double part = learned.probability(source, target) / sum;
          counts[key(source, target)] += part;
          totals[source] += part;
        };
        share(kEmptyWord);
        for (const std::int32_t source : sources[n]) share(source);
      }
    }
    for (auto& [pair, probability] : t) probability = counts[pair] / totals[static_cast<std::int32_t>(pair >> 32)];
  }
  return learned;
}

std::vector<WordAlignment::Link> WordAlignment::links(double least) const {
  std::vector<Link> all;
  for (const auto& [pair, probability] : translation_)
    if (probability >= least)
      all.push_back({static_cast<std::int32_t>(pair >> 32), static_cast<std::int32_t>(pair & 0xffffffffu), probability});
  sort_stably(all, [](const Link& a, const Link& b) { return std::pair(a.source, a.target) < std::pair(b.source, b.target); });
  return all;
}

WordAlignment WordAlignment::of(std::span<const Link> links) {
  WordAlignment known;
  for (const Link& link : links) known.translation_[key(link.source, link.target)] = link.probability;
  return known;
}

std::vector<std::int64_t> WordAlignment::align(const Ids& source, const Ids& target) const {
  std::vector<std::int64_t> places;
  for (const std::int32_t token : target) {
    double best = probability(kEmptyWord, token);
    std::int64_t place = -1;
    for (std::size_t i = 0; i < source.size(); ++i)
      if (const double p = probability(source[i], token); p > best) {
        best = p;
        place = static_cast<std::int64_t>(i);
      }
    places.push_back(place);
  }
  return places;
}

}  // namespace headlight
