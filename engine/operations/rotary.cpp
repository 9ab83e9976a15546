#include "engine/operations/rotary.h"

#include <algorithm>
#include <cmath>

#include "engine/operations/define.h"

namespace headlight::operations {

// In double: a float's angle at position 10,000 would be off by 0.001.
double angle_of(const Rotary& op, std::int64_t position, std::int64_t pair) {
  const auto t = static_cast<double>(position);
  if (!op.frequencies.empty()) return t * op.frequencies[static_cast<std::size_t>(pair)];
  return t * std::pow(op.base, -static_cast<double>(pair) / static_cast<double>(op.pairs()));
}

namespace {

// Every pair of every row by its angle, or back by it.
template <class Real>
Status turn(const Rotary& op, int direction, const Real* from, Real* to, const CancelToken& cancel) {
  const std::int64_t half = op.pairs();
  for (std::int64_t row = 0; row < op.rows; ++row) {
    if (cancel.cancelled()) return cancelled();
    const Real* x = from + row * op.d_k;
    Real* y = to + row * op.d_k;
    std::copy(x + 2 * half, x + op.d_k, y + 2 * half);
    for (std::int64_t i = 0; i < half; ++i) {
      const double angle = direction * angle_of(op, op.first + row % op.length, i);
      const auto cosine = static_cast<Real>(op.magnitude * std::cos(angle));
      const auto sine = static_cast<Real>(op.magnitude * std::sin(angle));
      const std::int64_t a = op.halves ? i : 2 * i, b = op.halves ? i + half : 2 * i + 1;
      y[a] = x[a] * cosine - x[b] * sine;
      y[b] = x[a] * sine + x[b] * cosine;
    }
  }
  return {};
}

struct RotaryFunctions {
  static Status describe(const Rotary& op, DType real, Signature& s) {
    HL_TRY(check_sizes("rotary", {{"rows", op.rows}, {"length", op.length}, {"d_k", op.d_k}}));
    if (op.turned < 0 || op.turned > op.d_k || op.turned % 2 != 0 || (op.turned == 0 && op.d_k % 2 != 0))
      return invalid("d_k is {}, and rotary positions turn pairs of dimensions", op.turned > 0 ? op.turned : op.d_k)
          .at("rotary")
          .mend("choose d_model and heads so that d_k = d_model / heads is even");
    if (!op.frequencies.empty() && static_cast<std::int64_t>(op.frequencies.size()) != op.pairs())
      return invalid("{} frequencies for {} pairs of dimensions", op.frequencies.size(), op.pairs())
          .at("rotary")
          .mend("give one for each pair");
    if (!std::isfinite(op.magnitude)) return invalid("the magnitude is not a finite number").at("rotary");
    if (op.rows % op.length != 0)
      return invalid("{} rows in blocks of {}", op.rows, op.length)
          .at("rotary")
          .mend("the length must divide the number of rows");
    if (!(op.base > 0) || !std::isfinite(op.base)) return invalid("the base must be a number > 0").at("rotary");
    s.input(real, {op.rows, op.d_k});
    s.output({op.rows, op.d_k}, {"row", "d_k"});
    return {};
  }
  template <class Real>
  static Status compute(const Rotary& op, In in, Out out, const CancelToken& cancel) {
    return turn(op, 1, real<Real>(in[0]), real<Real>(out[0]), cancel);
  }
  // A rotation's gradient is the rotation back.
  template <class Real>
  static Status gradient(const Rotary& op, const GradientArrays<Real>& g, const CancelToken& cancel) {
    return g.d[0] ? turn(op, -1, g.dy, g.d[0], cancel) : Status{};
  }
  static void add_to(const Rotary& op, Fingerprint& key) {
    const auto& [rows, length, d_k, base, halves, first, turned, frequencies, magnitude] = op;
    add_all(key, rows, length, d_k, halves, first, turned, frequencies.size());
    key.add(base).add(magnitude);
    for (const double frequency : frequencies) key.add(frequency);
  }
  static double flops(const Rotary& op, bool) { return 3 * static_cast<double>(op.rows) * static_cast<double>(op.d_k); }
  static std::vector<Operation> examples() {
    return {Rotary{6, 3, 8}, Rotary{6, 3, 8, 500, true}, Rotary{4, 2, 8, 10000, false, 7}, Rotary{4, 2, 7, 100, true, 2, 4},
            Rotary{6, 3, 9, 10000, false, 0, 6, {1, 0.5, 0.03}, 1.25}};
  }
};

}  // namespace

std::vector<Turn> turns_of(const Rotary& op) {
  std::vector<Turn> turns;
  turns.reserve(static_cast<std::size_t>(op.length * op.pairs()));
  for (std::int64_t position = 0; position < op.length; ++position)
    for (std::int64_t pair = 0; pair < op.pairs(); ++pair) {
      const double angle = angle_of(op, op.first + position, pair);
      turns.push_back({static_cast<float>(op.magnitude * std::cos(angle)), static_cast<float>(op.magnitude * std::sin(angle))});
    }
  return turns;
}

template <>
const Kind& kind_of<Rotary>() {
  static const Kind kind = make_kind<Rotary, RotaryFunctions>(
      "rotary", "rotary positions",
      "(y_a, y_b) = (x_a cos(t f) - x_b sin(t f), x_a sin(t f) + x_b cos(t f)), f = base^(-2 i / d_k) for pair i at position t",
      "Su et al. 2021");
  return kind;
}

}  // namespace headlight::operations
