#include "engine/recurrence/layer.h"

#include <algorithm>
#include <cmath>

namespace headlight::recurrence {
namespace {

// Steps between two looks at whether the work is cancelled.
constexpr std::int64_t kLook = 64;

template <class Real>
Real sigmoid(Real x) {
  return 1 / (1 + std::exp(-x));
}

// A matrix by columns: its product with a vector adds up whole columns, which are contiguous.
template <class Real>
struct Turned {
  std::int64_t rows = 0, columns = 0;
  std::vector<Real> numbers;
  Turned(const Network& network, const char* name) {
    const Array& array = network.array(name);
    rows = array.rows;
    columns = array.columns;
    numbers.resize(static_cast<std::size_t>(rows * columns));
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < columns; ++c)
        numbers[static_cast<std::size_t>(c * rows + r)] = static_cast<Real>(network.of(name)[r * columns + c]);
  }
  // to += M x
  void add(const Real* x, Real* to) const {
    for (std::int64_t c = 0; c < columns; ++c) {
      const Real factor = x[c];
      const Real* const from = numbers.data() + c * rows;
      for (std::int64_t r = 0; r < rows; ++r) to[r] += factor * from[r];
    }
  }
  double count() const { return static_cast<double>(rows * columns); }
};

template <class Real>
std::vector<Real> vector_of(const Network& network, const char* name) {
  const Array& array = network.array(name);
  return std::vector<Real>(network.of(name), network.of(name) + array.rows * array.columns);
}

// rnn and esn, and lstm with its four sums i, f, g, o below each other.
template <class Real>
class Gates final : public Layer {
 public:
  explicit Gates(const Network& n)
      : lstm_(n.settings.kind == "lstm"), units_(n.settings.units), wx_(n, "wx"), wh_(n, "wh"), bias_(vector_of<Real>(n, "b")) {}
  Status run(const Tensor& x, Tensor& out, const CancelToken& cancel) override {
    std::vector<Real> sums(bias_.size()), cell(static_cast<std::size_t>(units_), Real(0)), zeros = cell;
    const Real* before = zeros.data();
    for (std::int64_t t = 0; t < x.dim(0); ++t) {
      if (t % kLook == 0 && cancel.cancelled()) return cancelled();
      std::copy(bias_.begin(), bias_.end(), sums.begin());
      wx_.add(x.data<Real>() + t * wx_.columns, sums.data());
      wh_.add(before, sums.data());
      Real* const h = out.data<Real>() + t * units_;
      for (std::int64_t u = 0; u < units_; ++u) {
        const Real* const sum = sums.data() + u;
        if (!lstm_) {
          h[u] = std::tanh(sum[0]);
          continue;
        }
        Real& c = cell[static_cast<std::size_t>(u)];
        c = sigmoid(sum[units_]) * c + sigmoid(sum[0]) * std::tanh(sum[2 * units_]);
        h[u] = sigmoid(sum[3 * units_]) * std::tanh(c);
      }
      before = h;
    }
    return {};
  }
  // An LSTM's unit: three sigmoids of an exponential, a sum and a division each, two tanh, three products and a sum.
  double flops() const override {
    return 2 * (wx_.count() + wh_.count()) + static_cast<double>(bias_.size()) + static_cast<double>(units_) * (lstm_ ? 15 : 1);
  }
  double weights() const override { return wx_.count() + wh_.count() + static_cast<double>(bias_.size()); }

 private:
  bool lstm_;
  std::int64_t units_;
  Turned<Real> wx_, wh_;
  std::vector<Real> bias_;
};

template <class Real>
class StateSpace final : public Layer {
 public:
  explicit StateSpace(const Network& n)
      : selective_(n.settings.selective),
        units_(n.settings.units),
        states_(n.settings.states),
        wx_(n, "wx"),
        w_delta_(n, "w_delta"),
        wb_(n, "wb"),
        wc_(n, "wc"),
        b_delta_(vector_of<Real>(n, "b_delta")),
        bb_(vector_of<Real>(n, "bb")),
        bc_(vector_of<Real>(n, "bc")),
        a_(vector_of<Real>(n, "a_log")),
        skip_(vector_of<Real>(n, "skip")) {
    for (Real& one : a_) one = -std::exp(one);
  }
  Status run(const Tensor& x, Tensor& out, const CancelToken& cancel) override {
    const auto units = static_cast<std::size_t>(units_), states = static_cast<std::size_t>(states_);
    std::vector<Real> u(units), delta(units), b(states), c(states), state(units * states, Real(0));
    for (std::int64_t t = 0; t < x.dim(0); ++t) {
      if (t % kLook == 0 && cancel.cancelled()) return cancelled();
      std::fill(u.begin(), u.end(), Real(0));
      wx_.add(x.data<Real>() + t * wx_.columns, u.data());
      std::copy(b_delta_.begin(), b_delta_.end(), delta.begin());
      if (selective_) {
        std::fill(b.begin(), b.end(), Real(0));
        std::fill(c.begin(), c.end(), Real(0));
        w_delta_.add(u.data(), delta.data());
        wb_.add(u.data(), b.data());
        wc_.add(u.data(), c.data());
      } else {
        std::copy(bb_.begin(), bb_.end(), b.begin());
        std::copy(bc_.begin(), bc_.end(), c.begin());
      }
      Real* const y = out.data<Real>() + t * units_;
      for (std::size_t i = 0; i < units; ++i) {
        const Real step = delta[i] > 30 ? delta[i] : std::log1p(std::exp(delta[i])), in = step * u[i];
        Real sum = skip_[i] * u[i];
        for (std::size_t s = 0; s < states; ++s) {
          Real& now = state[i * states + s];
          now = std::exp(step * a_[i * states + s]) * now + in * b[s];
          sum += c[s] * now;
        }
        y[i] = sum;
      }
    }
    return {};
  }
  // A state: Delta A, its exponential, the decay, what comes in (2), what is read (2). A channel: a bias, softplus (2), Delta u,
  // D u.
  double flops() const override {
    return 2 * (wx_.count() + (selective_ ? w_delta_.count() + wb_.count() + wc_.count() : 0)) +
           static_cast<double>(units_ * states_) * 7 + static_cast<double>(units_) * 5;
  }
  double weights() const override {
    return wx_.count() + w_delta_.count() + wb_.count() + wc_.count() +
           static_cast<double>(b_delta_.size() + bb_.size() + bc_.size() + a_.size() + skip_.size());
  }

 private:
  bool selective_;
  std::int64_t units_, states_;
  Turned<Real> wx_, w_delta_, wb_, wc_;
  std::vector<Real> b_delta_, bb_, bc_, a_, skip_;
};

template <class Real>
std::unique_ptr<Layer> layer_of(const Network& network) {
  if (network.settings.kind == "ssm") return std::make_unique<StateSpace<Real>>(network);
  return std::make_unique<Gates<Real>>(network);
}

}  // namespace

std::unique_ptr<Layer> Layer::of(const Network& network, DType real) {
  return real == DType::f64 ? layer_of<double>(network) : layer_of<float>(network);
}

}  // namespace headlight::recurrence
