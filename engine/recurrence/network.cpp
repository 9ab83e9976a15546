#include "engine/recurrence/network.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "engine/core/rng.h"

namespace headlight::recurrence {
namespace {

struct Drawing {
  Network& network;
  double* add(const char* name, std::int64_t rows, std::int64_t columns) {
    network.arrays.push_back({name, rows, columns, static_cast<std::int64_t>(network.numbers.size())});
    network.numbers.resize(network.numbers.size() + static_cast<std::size_t>(rows * columns));
    return network.numbers.data() + network.arrays.back().at;
  }
  void normal(const char* name, std::int64_t rows, std::int64_t columns, double deviation) {
    const Rng rng(network.settings.seed, std::string("recurrence.") + network.settings.kind + "." + name);
    double* const to = add(name, rows, columns);
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c)
        to[r * columns + c] = deviation * rng.normal(static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(c));
  }
  void constant(const char* name, std::int64_t rows, std::int64_t columns, double value) {
    std::fill_n(add(name, rows, columns), rows * columns, value);
  }
};

// The largest absolute value of an eigenvalue: the k-th root of the length of the k-th power (Gelfand 1941), k = 2^14 by
// squaring.
double spectral_radius(const double* matrix, std::int64_t n) {
  std::vector<double> power(matrix, matrix + n * n), square(power.size());
  double logarithm = 0, share = 1;  // of the power: its own length is kept at 1
  for (int squaring = 0; squaring < 14; ++squaring) {
    double length = 0;
    for (const double one : power) length += one * one;
    length = std::sqrt(length);
    if (!(length > 0)) return 0;
    logarithm += share * std::log(length);
    share /= 2;
    for (double& one : power) one /= length;
    std::fill(square.begin(), square.end(), 0.0);
    for (std::int64_t r = 0; r < n; ++r)
      for (std::int64_t k = 0; k < n; ++k) {
        const double factor = power[static_cast<std::size_t>(r * n + k)];
        const double* const from = power.data() + k * n;
        double* const to = square.data() + r * n;
        for (std::int64_t c = 0; c < n; ++c) to[c] += factor * from[c];
      }
    power.swap(square);
  }
  double length = 0;
  for (const double one : power) length += one * one;
  return std::exp(logarithm + share * std::log(std::max(1e-300, std::sqrt(length))));
}

void draw_state_space(Drawing& drawing, const Settings& s, std::int64_t symbols) {
  const double root = std::sqrt(static_cast<double>(s.units));
  drawing.normal("wx", s.units, symbols, 1);
  drawing.normal("w_delta", s.units, s.units, s.scale / root);
  drawing.constant("b_delta", s.units, 1, std::log(std::expm1(0.1)));  // softplus of it is 0.1
  drawing.normal("wb", s.states, s.units, 1 / root);
  drawing.normal("bb", s.states, 1, 1);
  drawing.normal("wc", s.states, s.units, 1 / root);
  drawing.normal("bc", s.states, 1, 1);
  double* const a = drawing.add("a_log", s.units, s.states);
  for (std::int64_t i = 0; i < s.units * s.states; ++i) a[i] = std::log(static_cast<double>(i % s.states + 1));
  drawing.constant("skip", s.units, 1, 1);
}

Status check(const Settings& s, std::int64_t symbols) {
  if (!kinds().find(s.kind)) HL_TRY(kinds().get(s.kind));
  const auto between = [](std::int64_t value, std::int64_t most, const Message& what) -> Status {
    if (value >= 1 && value <= most) return {};
    return usage_error("{} {}", value, what).at("recurrence").mend("give 1 to {}", most);
  };
  HL_TRY(between(s.units, kMostUnits, Message("units")));
  if (s.kind == "ssm") HL_TRY(between(s.states, kMostStates, Message("states")));
  HL_TRY(between(symbols, kMostSymbols, Message("different tokens")));
  if (std::isfinite(s.scale) && s.scale >= 0 && s.scale <= 100) return {};
  return usage_error("a scale that is not between 0 and 100").at("recurrence").mend("1 leaves the weights as they are drawn");
}

}  // namespace

const Registry<Kind>& kinds() {
  static const Registry<Kind> all(
      "recurrent network",
      {{"rnn", "vanilla RNN", "h_t = tanh(W_xh x_t + W_hh h_{t-1} + b)", "Elman 1990", {{"h", "hidden", true}}},
       {"lstm",
        "LSTM",
        "c_t = f c_{t-1} + i g, h_t = o tanh(c_t); i, f, o = sigmoid(W x_t + U h_{t-1} + b), g = tanh(...)",
        "Hochreiter and Schmidhuber 1997; Gers et al. 2000",
        {{"i", "input", false},
         {"f", "forget", false},
         {"o", "output", false},
         {"g", "candidate", true},
         {"c", "cell", true},
         {"h", "hidden", true}}},
       {"esn",
        "echo state",
        "h_t = tanh(W_xh x_t + W_hh h_{t-1}), both fixed; W_hy by ridge regression",
        "Jaeger 2001",
        {{"h", "hidden", true}},
        false},
       {"ssm",
        "state space",
        "s_t = exp(Delta_t A) s_{t-1} + Delta_t B_t u_t, y_t = C_t s_t + D u_t, u_t = W_x x_t",
        "Gu and Dao 2023 (Mamba)",
        {{"Delta", "step", false}, {"s", "states", true, false}, {"y", "output", true}}}});
  return all;
}

Alphabet alphabet_of(const std::vector<std::int64_t>& tokens) {
  Alphabet alphabet;
  std::unordered_map<std::int64_t, std::int64_t> known;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto [at, is_new] = known.try_emplace(tokens[i], alphabet.count());
    if (is_new) alphabet.first.push_back(i);
    alphabet.symbols.push_back(at->second);
  }
  return alphabet;
}

const Array& Network::array(const std::string& name) const {
  return *std::find_if(arrays.begin(), arrays.end(), [&](const Array& one) { return one.name == name; });
}

Result<Network> draw(const Settings& settings, std::int64_t symbols) {
  HL_TRY(check(settings, symbols));
  Network network;
  network.settings = settings;
  network.symbols = symbols;
  Drawing drawing{network};
  const std::int64_t units = settings.units;
  const double root = std::sqrt(static_cast<double>(units));
  if (settings.kind == "ssm") {
    draw_state_space(drawing, settings, symbols);
  } else {
    const std::int64_t gates = settings.kind == "lstm" ? 4 : 1;  // i, f, g, o below each other
    drawing.normal("wx", gates * units, symbols, 1);
    drawing.normal("wh", gates * units, units, settings.scale / root);
    drawing.constant("b", gates * units, 1, 0);
    if (gates == 4) std::fill_n(network.numbers.data() + network.array("b").at + units, units, 1.0);
    if (settings.kind == "esn") {
      double* const wh = network.numbers.data() + network.array("wh").at;
      const double radius = spectral_radius(wh, units);
      for (std::int64_t i = 0; i < units * units && radius > 0; ++i) wh[i] *= settings.scale / radius;
    }
  }
  drawing.normal("wy", symbols, units, 1 / root);
  drawing.constant("by", symbols, 1, 0);
  return network;
}

}  // namespace headlight::recurrence
