#include "engine/operations/activation.h"

#include <array>
#include <cmath>
#include <numbers>

#include "engine/operations/define.h"

namespace headlight::operations {
namespace {

template <class Real>
Real function_of(ActivationKind kind, Real x) {
  switch (kind) {
    case ActivationKind::none: return x;
    case ActivationKind::relu: return x < 0 ? 0 : x;
    case ActivationKind::gelu: return Real(0.5) * x * (1 + std::erf(x / std::sqrt(Real(2))));
    case ActivationKind::tanh: return std::tanh(x);
    case ActivationKind::silu: return x / (1 + std::exp(-x));
    case ActivationKind::gelu_tanh: {
      const Real inner = std::sqrt(2 / std::numbers::pi_v<Real>) * (x + Real(0.044715) * x * x * x);
      return Real(0.5) * x * (1 + std::tanh(inner));
    }
  }
  std::abort();  // every enumerator is above
}

// The derivative of function_of.
template <class Real>
Real slope_of(ActivationKind kind, Real x) {
  switch (kind) {
    case ActivationKind::none: return 1;
    case ActivationKind::relu: return x > 0 ? Real(1) : Real(0);  // 0 at 0, where there is none
    case ActivationKind::gelu: {
      const Real below = Real(0.5) * (1 + std::erf(x / std::sqrt(Real(2))));  // of the normal distribution
      const Real density = std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi_v<Real>);
      return below + x * density;
    }
    case ActivationKind::tanh: {
      const Real y = std::tanh(x);
      return 1 - y * y;
    }
    case ActivationKind::silu: {
      const Real gate = 1 / (1 + std::exp(-x));
      return gate * (1 + x * (1 - gate));
    }
    case ActivationKind::gelu_tanh: {
      const Real factor = std::sqrt(2 / std::numbers::pi_v<Real>), cubic = Real(0.044715);
      const Real t = std::tanh(factor * (x + cubic * x * x * x));
      return Real(0.5) * (1 + t) + Real(0.5) * x * (1 - t * t) * factor * (1 + 3 * cubic * x * x);
    }
  }
  std::abort();  // every enumerator is above
}

struct ActivationFunctions {
  static Status describe(const Activate& op, DType real, Signature& s) {
    HL_TRY(check_sizes("activate", {{"rows", op.rows}, {"columns", op.columns}}));
    s.input(real, {op.rows, op.columns});
    s.output({op.rows, op.columns}, {"row", "column"});
    if (op.keep_slope) s.output({op.rows, op.columns}, {"row", "column"});
    return {};
  }
  template <class Real>
  static Status compute(const Activate& op, In in, Out out, const CancelToken& cancel) {
    const Real* x = real<Real>(in[0]);
    Real* y = real<Real>(out[0]);
    Real* const slopes = op.keep_slope ? real<Real>(out[1]) : nullptr;
    for (std::int64_t row = 0; row < op.rows; ++row) {
      if (cancel.cancelled()) return cancelled();
      for (std::int64_t i = row * op.columns; i < (row + 1) * op.columns; ++i) {
        y[i] = activate(op.activation, x[i]);
        if (slopes) slopes[i] = slope(op.activation, x[i]);
      }
    }
    return {};
  }
  template <class Real>
  static Status gradient(const Activate& op, const GradientArrays<Real>& g, const CancelToken&) {
    const Real* x = real<Real>(g.in[0]);
    const Real* const slopes = op.keep_slope ? real<Real>(g.out[1]) : nullptr;
    for (std::int64_t i = 0; g.d[0] && i < op.rows * op.columns; ++i)
      g.d[0][i] = g.dy[i] * (slopes ? slopes[i] : slope(op.activation, x[i]));
    return {};
  }
  static void add_to(const Activate& op, Fingerprint& key) {
    const auto& [rows, columns, activation, keep_slope] = op;
    add_all(key, rows, columns, activation, keep_slope);
  }
  static double flops(const Activate& op, bool) { return static_cast<double>(op.rows) * static_cast<double>(op.columns); }
  static std::vector<Operation> examples() {
    std::vector<Operation> all;
    for (const Activation& activation : activations())
      for (const bool keep_slope : {false, true}) {
        if (keep_slope && activation.kind == ActivationKind::none) continue;  // 1 everywhere, which shows no error
        all.push_back(Activate{3, 33, activation.kind, keep_slope});
      }
    return all;
  }
};

}  // namespace

std::span<const Activation> activations() {
  using enum ActivationKind;
  static const std::array<Activation, 6> all{{
      {none, "none", "none", "x", "the identity"},
      {relu, "relu", "ReLU", "max(0, x)", "Nair and Hinton 2010"},
      {gelu, "gelu", "GELU", "x/2 (1 + erf(x / sqrt 2))", "Hendrycks and Gimpel 2016"},
      {tanh, "tanh", "tanh", "tanh(x)", "the hyperbolic tangent"},
      {silu, "silu", "SiLU", "x / (1 + e^-x)", "Elfwing, Uchibe and Doya 2018; Ramachandran et al. 2017 (Swish)"},
      {gelu_tanh, "gelu_tanh", "GELU, by tanh", "x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))", "Hendrycks and Gimpel 2016, 2"},
  }};
  return all;
}

const Activation& activation_of(ActivationKind kind) { return activations()[static_cast<std::size_t>(kind)]; }

Result<ActivationKind> find_activation(std::string_view id) {
  std::string known;
  for (const Activation& one : activations()) {
    if (one.id == id) return one.kind;
    known += (known.empty() ? "" : ", ") + one.id;
  }
  return not_found("there is no activation '{}'", id).mend("known are {}", known);
}

float activate(ActivationKind kind, float x) { return function_of(kind, x); }
double activate(ActivationKind kind, double x) { return function_of(kind, x); }
float slope(ActivationKind kind, float x) { return slope_of(kind, x); }
double slope(ActivationKind kind, double x) { return slope_of(kind, x); }

template <>
const Kind& kind_of<Activate>() {
  static const Kind kind = make_kind<Activate, ActivationFunctions>(
      "activate", "activation", "y = activation(x), number by number", "as each activation says");
  return kind;
}

}  // namespace headlight::operations
