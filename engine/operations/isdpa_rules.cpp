#include "engine/operations/isdpa_rules.h"

#include <cmath>

namespace headlight::operations {

bool makes_table(const Isdpa& op) {
  constexpr std::int64_t kMostNumbers = std::int64_t{1} << 26, kWorthATable = 2;
  const std::int64_t width = op.vocabulary + op.length, table = width * width;
  return (op.cached || table <= kWorthATable * op.words * op.length * op.length) && op.heads * table <= kMostNumbers;
}

std::vector<std::int32_t> symbols_among(std::span<const std::int32_t> ids, std::int64_t vocabulary) {
  std::vector<bool> seen(static_cast<std::size_t>(vocabulary), false);
  for (const std::int32_t id : ids) seen[static_cast<std::size_t>(id)] = true;
  std::vector<std::int32_t> symbols;
  for (std::int64_t s = 0; s < vocabulary; ++s)
    if (seen[static_cast<std::size_t>(s)]) symbols.push_back(static_cast<std::int32_t>(s));
  return symbols;
}

bool worth_projecting_only(const Isdpa& op, std::int64_t used) {
  return !op.cached && op.vocabulary > op.length && used * 4 <= op.vocabulary * 3;
}

bool keeps_every_pair(const Isdpa& op) {
  constexpr std::int64_t kKeptNumbers = std::int64_t{1} << 25;
  const bool distinct = op.method == Isdpa::Method::direct_distinct || op.method == Isdpa::Method::direct_distinct_folded;
  return distinct && op.cached && op.vocabulary * op.length * op.d <= kKeptNumbers;
}

double expected_distinct(double symbols, double draws) {
  if (symbols <= 1) return 1;
  return std::max(1.0, -symbols * std::expm1(draws * std::log1p(-1 / symbols)));
}

}  // namespace headlight::operations
