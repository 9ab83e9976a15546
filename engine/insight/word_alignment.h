// Which source token a target token translates, learned from pairs alone: IBM Model 1 (Brown et al. 1993, "The Mathematics of
// Statistical Machine Translation", 4.2). It knows nothing of the model whose heads are measured against it.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"

namespace headlight {

class WordAlignment {
 public:
  using Ids = std::vector<std::int32_t>;

  // Learns t(target token | source token) from sources[n] and targets[n], with an empty source word that stands for what has
  // none. Error: cancelled.
  static Result<WordAlignment> learn(std::span<const Ids> sources, std::span<const Ids> targets, const CancelToken& cancel);

  // For each token of the target the place of its most probable source token, the first of equal ones; -1: the empty word, or
  // never seen.
  std::vector<std::int64_t> align(const Ids& source, const Ids& target) const;

  // t(target | source); the source -1 is the empty word.
  struct Link {
    std::int32_t source = -1, target = 0;
    double probability = 0;
    bool operator==(const Link&) const = default;
  };
  // Those of at least `least`, by source, then target; and what knows nothing but such links.
  std::vector<Link> links(double least) const;
  static WordAlignment of(std::span<const Link> links);

 private:
  static std::uint64_t key(std::int32_t source, std::int32_t target) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32 | static_cast<std::uint32_t>(target);
  }
  double probability(std::int32_t source, std::int32_t target) const {
    const auto at = translation_.find(key(source, target));
    return at == translation_.end() ? 0 : at->second;
  }
  std::unordered_map<std::uint64_t, double> translation_;
};

}  // namespace headlight
