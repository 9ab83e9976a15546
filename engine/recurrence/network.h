// Networks that read a text token by token and keep a state: a vanilla recurrent network, an LSTM, an echo state network and a
// selective state-space layer. They are small and computed in double by plain loops, so that every number can be shown; a test
// compares their gradients with finite differences. A token is one of `symbols` one-hot inputs, and the next token is predicted
// from the state: y_t = softmax(W_hy h_t + b_y). The step's loss is the cross-entropy of the token that really follows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/registry.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight::recurrence {

// A state or gate that a kind keeps for every step.
struct Part {
  std::string id, label;   // "f", "forget"
  bool is_signed = false;  // numbers -1..1 or without limits; else 0..1 or above 0
  bool each_unit = true;   // one number a unit; false: units x states numbers
};

struct Kind {
  std::string id, label, formula, source;
  std::vector<Part> parts;  // the read-out sees the last one
  bool trains = true;       // by gradients; false: only its read-out is fitted, by ridge regression
};
// rnn, lstm, esn, ssm
const Registry<Kind>& kinds();

struct Settings {
  std::string kind = "rnn";
  std::int64_t units = 16;  // of the state; of a state space its channels
  std::int64_t states = 4;  // of a state space: numbers that each channel keeps
  bool selective = true;    // of a state space: Delta, B and C depend on the input
  double scale = 1;         // of the recurrent weights; of an echo state network the spectral radius
  std::uint64_t seed = 0;
  bool operator==(const Settings&) const = default;
};
inline constexpr std::int64_t kMostUnits = 256, kMostStates = 64, kMostSymbols = 4096, kMostSteps = 1024;

// One of the arrays in a network's numbers: rows x columns from `at` on, row by row.
struct Array {
  std::string name;  // "wh"
  std::int64_t rows = 0, columns = 1, at = 0;
};

struct Network {
  Settings settings;
  std::int64_t symbols = 0;
  std::vector<Array> arrays;
  std::vector<double> numbers;
  const Kind& kind() const { return *kinds().find(settings.kind); }
  const Array& array(const std::string& name) const;  // one that the kind has
  const double* of(const std::string& name) const { return numbers.data() + array(name).at; }
  std::int64_t parameters() const { return static_cast<std::int64_t>(numbers.size()); }
};

// Random numbers from the seed: normal, divided by the root of the number of inputs; recurrent ones times `scale`. An LSTM's
// forget bias is 1. The recurrent matrix of an echo state network has the spectral radius `scale`. A state space has A = -1, ...,
// -states in every channel (Gu and Dao 2023, 3.6), and its Delta begins around 0.1. Errors (usage): no units, states or symbols,
// or too many of them; a scale that is negative, infinite or above 100.
// draw({.kind = "lstm", .units = 16}, 5): an LSTM of 16 units that reads 5 different tokens.
Result<Network> draw(const Settings& settings, std::int64_t symbols);

// The different tokens of a text, numbered in the order of their first places.
struct Alphabet {
  std::vector<std::int64_t> symbols;  // of each token
  std::vector<std::size_t> first;     // the first place of each symbol
  std::int64_t count() const { return static_cast<std::int64_t>(first.size()); }
};
// alphabet_of({7, 9, 7}): symbols {0, 1, 0}, first {0, 1}.
Alphabet alphabet_of(const std::vector<std::int64_t>& tokens);

// Every number of a network over a text, all f64.
struct Unfolded {
  std::vector<std::int64_t> tokens;  // symbols, in order
  std::vector<Tensor> parts;         // by Kind::parts: [T, units], or [T, units * states]
  Tensor delta_input;                // of a state space: u = W_x x [T, units]; else empty
  Tensor guesses;                    // [T, symbols]: probabilities of the next token
  std::vector<double> losses;        // of each step but the last, in nat
  double sum = 0;                    // of the losses
  const Tensor& hidden() const { return parts.back(); }
};
// Errors (usage): no token, a token that is no symbol, more than kMostSteps; cancelled.
// unfold(network, {0, 1, 0}): three rows of states and guesses, and two losses.
Result<Unfolded> unfold(const Network& network, const std::vector<std::int64_t>& tokens, const CancelToken& cancel = {});

// Of a state space: B_t ("b") or C_t ("c") [states] at the input u_t [units].
// state_space_vector(network, "b", u): settings.states numbers.
std::vector<double> state_space_vector(const Network& network, const std::string& which, const double* input);

// Gradients of sum_t <hidden_t, d_hidden_t> through time.
struct Gradients {
  std::vector<double> numbers;  // as Network::numbers; 0 for the read-out
  Tensor inputs;                // f64 [T, symbols]: by x_t, read as a vector
  std::vector<double> flowing;  // length of the gradient that flows into the state before step t
};
// backward(network, unfolded, d_hidden) with a 1 at the last step and unit 0: how this state depends on every number.
Gradients backward(const Network& network, const Unfolded& unfolded, const Tensor& d_hidden);

// The gradients of the sum of the losses by every number, the read-out included.
// loss_gradients(network, unfolded): as many numbers as network.numbers.
std::vector<double> loss_gradients(const Network& network, const Unfolded& unfolded);

}  // namespace headlight::recurrence
