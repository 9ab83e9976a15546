#include "engine/insight/weight_against_effect.h"

#include <algorithm>
#include <cmath>

#include "engine/insight/explain.h"

namespace headlight {
namespace {

constexpr double kStriking = 0.8, kPlain = 0.6, kTimes = 4, kWeightAgainstEffectLeast = 0.1;

using Head = CounterExample::Head;

Result<Head> measured(const Trace& trace, const AttentionSite& site, const HeadEffects::Head& of, const HeadEffects& effects) {
  Trace::Tile row;
  row.head = of.head;
  row.row = effects.position;
  row.rows = 1;
  HL_ASSIGN(const Tensor tile, trace.tile(trace.name_at(site.prefix, Role::weights), row));
  Head head{of.prefix, of.layer, of.head, 0, {}, of.without.logit - effects.with.logit};
  std::int64_t key = 0;
  for (std::int64_t j = 0; j < tile.dim(1); ++j)
    if (const double weight = tile.at({0, j}); weight > head.weight) {
      head.weight = weight;
      key = j;
    }
  head.key = key_label(trace, site, 0, key);
  return head;
}

}  // namespace

Result<std::optional<CounterExample>> counter_example(const Trace& trace, const HeadEffects& effects) {
  const bool of_targets = !trace.targets().empty();
  std::optional<Head> striking, plain;
  for (const AttentionSite& site : trace.sites()) {
    if (site.rows_are_targets != of_targets) continue;
    for (const HeadEffects::Head& of : effects.heads) {
      if (of.prefix != site.prefix) continue;
      HL_ASSIGN(Head head, measured(trace, site, of, effects));
      const double change = std::abs(head.change);
      if (head.weight >= kStriking && (!striking || change < std::abs(striking->change))) striking = head;
      if (head.weight <= kPlain && (!plain || change > std::abs(plain->change))) plain = head;
    }
  }
  if (!striking || !plain) return std::optional<CounterExample>();
  const double most = std::abs(plain->change);
  if (most < kWeightAgainstEffectLeast || most < kTimes * std::abs(striking->change)) return std::optional<CounterExample>();
  return std::optional(CounterExample{*striking, *plain});
}

}  // namespace headlight
