// The activation functions, each a function of one number, and the operation that applies one of them to every number.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/operations/operation.h"

namespace headlight::operations {

enum class ActivationKind { none, relu, gelu, tanh, silu, gelu_tanh };

struct Activation {
  ActivationKind kind;
  std::string id, label, formula, source;
};
// In the order of ActivationKind.
std::span<const Activation> activations();
const Activation& activation_of(ActivationKind kind);
// Error (not_found), with the list: there is no activation of this id.
Result<ActivationKind> find_activation(std::string_view id);

// f(x), computed in the type of x. activate(ActivationKind::relu, -2.0) gives 0.
float activate(ActivationKind kind, float x);
double activate(ActivationKind kind, double x);
// f'(x), likewise; of ReLU at 0 it is 0. slope(ActivationKind::relu, 2.0) gives 1.
float slope(ActivationKind kind, float x);
double slope(ActivationKind kind, double x);

// y = activation(x), number by number.  in: x [rows, columns].  out: y; with `keep_slope` also activation'(x), which the gradient
// reads. Both are quicker together, as GELU and its derivative share an exponential.
struct Activate {
  std::int64_t rows = 0, columns = 0;
  ActivationKind activation = ActivationKind::none;
  bool keep_slope = false;
};
template <>
const Kind& kind_of<Activate>();

}  // namespace headlight::operations
