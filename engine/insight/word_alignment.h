// The source token that a target token translates, learned from pairs alone: IBM Model 1 (Brown et al. 1993, "The Mathematics of
// Statistical Machine Translation", 4.2). It knows nothing of the model whose heads are compared with it.
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

  // Learns t(target token | source token) from sources[n] and targets[n]. An empty source word stands for target tokens that
  // translate nothing. Error: cancelled.
  // learn(sources, targets, {}) with {{1}, {1, 2}} and {{5}, {5, 6}}: align({2}, {6}) then gives {0}.
  static Result<WordAlignment> learn(std::span<const Ids> sources, std::span<const Ids> targets, const CancelToken& cancel);

  // For each token of the target the index of its most probable source token, the first of equal ones; -1: the empty word, or a
  // token that no pair had.
  std::vector<std::int64_t> align(const Ids& source, const Ids& target) const;

  // t(target | source); the source -1 is the empty word.
  struct Link {
    std::int32_t source = -1, target = 0;
    double probability = 0;
    bool operator==(const Link&) const = default;
  };
  // The links of at least `least`, sorted by source, then target. of() gives an alignment that knows only the given links.
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
