#include "engine/pipeline/token_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/parallel.h"

namespace headlight {

// A vocabulary has up to a quarter of a million tokens, and every new token of a text ranks them.
std::vector<TokenCandidate> ranked_tokens(std::span<const double> scores, double temperature, std::size_t wanted) {
  std::vector<TokenCandidate> all(scores.size());
  if (scores.empty()) return all;
  const double t = temperature > 0 ? temperature : 1;
  const double largest = *std::max_element(scores.begin(), scores.end());
  // Sums of so many each, in one order, whatever the threads.
  constexpr std::size_t kPart = 4096;
  std::vector<double> sums((scores.size() + kPart - 1) / kPart);
  const auto parts = static_cast<std::int64_t>(sums.size());
  parallel_for(parts, 2, [&](std::int64_t begin, std::int64_t end) {
    for (auto part = static_cast<std::size_t>(begin); part < static_cast<std::size_t>(end); ++part) {
      double sum = 0;
      for (std::size_t i = part * kPart; i < std::min(scores.size(), (part + 1) * kPart); ++i) {
        const double share = std::exp((scores[i] - largest) / t);
        all[i] = {static_cast<std::int32_t>(i), share};
        sum += share;
      }
      sums[part] = sum;
    }
  });
  const double factor = 1 / std::accumulate(sums.begin(), sums.end(), 0.0);
  for (TokenCandidate& one : all) one.probability *= factor;
  const auto better = [&](const TokenCandidate& a, const TokenCandidate& b) {
    const double x = scores[static_cast<std::size_t>(a.token)], y = scores[static_cast<std::size_t>(b.token)];
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) != std::isnan(y) ? std::isnan(y) : a.token < b.token;
    return x != y ? x > y : a.token < b.token;
  };
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(wanted, all.size())), all.end(), better);
  return all;
}

std::size_t tokens_allowed(std::span<const TokenCandidate> ranked, const SamplingOptions& options) {
  if (options.temperature <= 0) return std::min<std::size_t>(1, ranked.size());
  const std::size_t count = options.top_k > 0 ? std::min(ranked.size(), static_cast<std::size_t>(options.top_k)) : ranked.size();
  if (options.top_p >= 1) return count;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += ranked[i].probability;
    if (sum >= options.top_p) return i + 1;
  }
  return count;
}

std::int32_t drawn_token(std::span<const TokenCandidate> ranked, std::size_t count, double uniform) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += ranked[i].probability;
  double left = uniform * sum;
  for (std::size_t i = 0; i < count; ++i) {
    left -= ranked[i].probability;
    if (left < 0) return ranked[i].token;
  }
  return ranked[count - 1].token;
}

}  // namespace headlight
