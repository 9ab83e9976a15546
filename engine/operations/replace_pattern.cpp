#include "engine/operations/replace_pattern.h"

#include <algorithm>
#include <array>

#include "engine/operations/attention.h"
#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

using Change = ReplacePattern::Change;

struct ReplacePatternFunctions {
  static Status describe(const ReplacePattern& op, DType real, Signature& s) {
    HL_TRY(
        check_sizes("replace_pattern", {{"batch", op.batch}, {"heads", op.heads}, {"queries", op.queries}, {"keys", op.keys}}));
    const auto cells = static_cast<std::size_t>(op.queries * op.keys);
    for (const Change& change : op.changes) {
      if (change.head < 0 || change.head >= op.heads)
        return invalid("a pattern of head {} is to be replaced, and there are {} heads", change.head, op.heads)
            .at("replace_pattern");
      if (change.awaits_given && !change.given) return invalid("the pattern that it puts in is missing").at("replace_pattern");
      if (change.given && change.given->size() != cells)
        return invalid("a given pattern has {} weights", change.given->size()).at("replace_pattern").mend("give {}", cells);
    }
    const Shape shape{op.batch, op.heads, op.queries, op.keys};
    s.input(real, shape);
    if (op.has_mask) s.mask(DType::u8, shape);
    s.output(shape, {"batch", "head", "query", "key"});
    return {};
  }

  // One row of one head.
  template <class Real, class Allowed>
  static void change_row(const Change& change, std::int64_t query, std::int64_t keys, Real* row, Allowed allowed) {
    if (change.given) {
      for (std::int64_t j = 0; j < keys; ++j)
        row[j] = static_cast<Real>((*change.given)[static_cast<std::size_t>(query * keys + j)]);
    } else if (change.uniform) {
      std::int64_t count = 0;
      for (std::int64_t j = 0; j < keys; ++j) count += allowed(j) ? 1 : 0;
      for (std::int64_t j = 0; j < keys && count > 0; ++j) row[j] = allowed(j) ? Real(1) / static_cast<Real>(count) : Real(0);
    }
    bool any = false;
    for (const auto& [i, j] : change.removed)
      if (i == query && j < keys) {
        row[j] = 0;
        any = true;
      }
    if (!any) return;
    Real sum = 0;
    for (std::int64_t j = 0; j < keys; ++j) sum += row[j];
    for (std::int64_t j = 0; j < keys && sum > 0; ++j) row[j] /= sum;
  }

  template <class Real>
  static Status compute(const ReplacePattern& op, In in, Out out, const CancelToken& cancel) {
    const Real* x = real<Real>(in[0]);
    Real* y = real<Real>(out[0]);
    std::copy_n(x, op.batch * op.heads * op.queries * op.keys, y);
    const std::uint8_t* mask = op.has_mask ? in[1].data<std::uint8_t>() : nullptr;
    const auto step = op.has_mask ? mask_strides(in[1].shape()) : std::array<std::int64_t, 4>{};
    for (const Change& change : op.changes)
      for (std::int64_t b = 0; b < op.batch; ++b) {
        if (cancel.cancelled()) return cancelled();
        for (std::int64_t i = 0; i < op.queries; ++i)
          change_row(change, i, op.keys, y + ((b * op.heads + change.head) * op.queries + i) * op.keys, [&](std::int64_t j) {
            return !mask || mask[b * step[0] + change.head * step[1] + i * step[2] + j * step[3]] != 0;
          });
      }
    return {};
  }

  static void add_to(const ReplacePattern& op, Fingerprint& key) {
    const auto& [batch, heads, queries, keys, has_mask, changes] = op;
    add_all(key, batch, heads, queries, keys, has_mask);
    for (const Change& change : changes) {
      const auto& [head, uniform, given, removed, awaits_given] = change;
      add_all(key, head, uniform, given ? given->size() : 0, removed.size(), awaits_given);
      if (given)
        for (const double weight : *given) key.add(weight);
      for (const auto& [query, at] : removed) add_all(key, query, at);
    }
  }
  static double flops(const ReplacePattern& op, bool) {
    return static_cast<double>(op.changes.size()) * static_cast<double>(op.batch * op.queries) * static_cast<double>(op.keys);
  }
  static std::vector<Operation> examples() {
    const auto given = std::make_shared<const std::vector<double>>(std::vector<double>{1, 0, 0, 0.25, 0.75, 0, 0.5, 0.25, 0.25});
    ReplacePattern op{2, 4, 3, 3, true, {{0, true, {}, {}}, {1, false, given, {}, true}, {3, false, {}, {{2, 0}, {1, 1}}}}};
    return {op};
  }
};

}  // namespace

template <>
const Kind& kind_of<ReplacePattern>() {
  static const Kind kind = make_kind<ReplacePattern, ReplacePatternFunctions>(
      "replace_pattern", "patterns replaced",
      "uniform: w[i, j] = 1 / n_i over the n_i allowed keys; masked: w[i, j] / sum_j w[i, j]",
      "Jain and Wallace 2019 (1902.10186): other weights in place of a head's own");
  return kind;
}

}  // namespace headlight::operations
