// The vectorised activations and derivatives of every instruction set this processor has, against double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "engine/backends/cpu/levels.h"
#include "engine/operations/activation.h"

namespace headlight::backends {
namespace {

using operations::ActivationKind;

// Coarse steps far out, fine ones around 0.
std::vector<float> arguments() {
  std::vector<float> x;
  for (int i = -4000; i <= 4000; ++i) x.push_back(static_cast<float>(i) * 0.01f);
  for (int i = -1000; i <= 1000; ++i) x.push_back(static_cast<float>(i) * 1e-4f);
  for (const float far : {1e-30f, 50.0f, 87.0f, 90.0f, 1e3f, 1e10f, 1e25f, 3e38f}) {
    x.push_back(far);
    x.push_back(-far);
  }
  return x;
}

// Central differences in double. Their step is small against the scale on which activations bend, so they are good to 1e-9.
double steepness(ActivationKind kind, double x) {
  if (std::abs(x) > 40) return kind == ActivationKind::tanh || (x < 0 && kind != ActivationKind::none) ? 0 : 1;
  constexpr double h = 1e-5;
  return (operations::activate(kind, x + h) - operations::activate(kind, x - h)) / (2 * h);
}

TEST(ActivationKernels, AreWhatTheirFormulasSayInDouble) {
  const std::vector<float> x = arguments();
  const auto count = static_cast<std::int64_t>(x.size());
  for (const cpu::Level& level : cpu::levels()) {
    for (const operations::Activation& one : operations::activations()) {
      std::vector<float> y(x.size());
      level.kernels->activate(static_cast<cpu::Activation>(one.kind), x.data(), count, y.data());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double exact = operations::activate(one.kind, static_cast<double>(x[i]));
        EXPECT_NEAR(y[i], exact, 2e-7 + 4e-7 * std::abs(exact)) << level.id << " " << one.id << "(" << x[i] << ")";
      }
    }
  }
}

TEST(ActivationKernels, GradientsAreTheDerivativesTimesTheGivenOne) {
  std::vector<float> x = arguments();
  std::erase(x, 0.0f);  // relu has no derivative there
  const auto count = static_cast<std::int64_t>(x.size());
  std::vector<float> dy(x.size()), dx(x.size());
  for (std::size_t i = 0; i < dy.size(); ++i) dy[i] = static_cast<float>(i % 7) - 2.5f;
  for (const cpu::Level& level : cpu::levels()) {
    for (const operations::Activation& one : operations::activations()) {
      level.kernels->activate_gradient(static_cast<cpu::Activation>(one.kind), x.data(), dy.data(), count, dx.data());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double at = x[i];
        // Nearer to 0 than the step, a difference would average the two slopes of relu.
        const double exact = dy[i] * (one.kind == ActivationKind::relu ? (at > 0 ? 1.0 : 0.0) : steepness(one.kind, at));
        EXPECT_NEAR(dx[i], exact, 1e-6 * std::abs(dy[i])) << level.id << " " << one.id << "'(" << x[i] << ")";
      }
    }
  }
}

TEST(ActivationKernels, WithTheSlopeBothAreWhatTheyAreAlone) {
  const std::vector<float> x = arguments();
  const auto count = static_cast<std::int64_t>(x.size());
  const std::vector<float> ones(x.size(), 1.0f);
  for (const cpu::Level& level : cpu::levels()) {
    for (const operations::Activation& one : operations::activations()) {
      const auto kind = static_cast<cpu::Activation>(one.kind);
      std::vector<float> y(x.size()), dx(x.size()), both_y(x.size()), slope(x.size());
      level.kernels->activate(kind, x.data(), count, y.data());
      level.kernels->activate_gradient(kind, x.data(), ones.data(), count, dx.data());
      level.kernels->activate_with_slope(kind, x.data(), count, both_y.data(), slope.data());
      for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(both_y[i], y[i], 2e-7f * std::abs(y[i])) << level.id << " " << one.id << "(" << x[i] << ")";
        EXPECT_NEAR(slope[i], dx[i], 2e-7f) << level.id << " " << one.id << "'(" << x[i] << ")";
      }
    }
  }
}

TEST(ActivationKernels, SmallDerivativesKeepTheirDigits) {
  for (const cpu::Level& level : cpu::levels()) {
    for (float x = 1; x < 40; x += 0.37f) {
      const float one = 1, left = -x;
      float of_tanh = 0, of_silu = 0;
      level.kernels->activate_gradient(cpu::Activation::tanh, &x, &one, 1, &of_tanh);
      level.kernels->activate_gradient(cpu::Activation::silu, &left, &one, 1, &of_silu);
      const double cosh = std::cosh(static_cast<double>(x)), s = 1 / (1 + std::exp(static_cast<double>(x)));
      EXPECT_NEAR(of_tanh * cosh * cosh, 1, 1e-5) << level.id << " tanh'(" << x << ")";
      const double exact = s * (1 - x * (1 - s));
      if (std::abs(x - 1.28f) < 0.2f) continue;  // the derivative of silu changes its sign there
      EXPECT_NEAR(of_silu / exact, 1, 1e-5) << level.id << " silu'(" << left << ")";
    }
  }
}

TEST(ActivationKernels, EveryLengthAlsoInPlaceAndNothingBeyond) {
  for (const cpu::Level& level : cpu::levels()) {
    for (const operations::Activation& one : operations::activations()) {
      const auto kind = static_cast<cpu::Activation>(one.kind);
      for (std::int64_t count = 0; count <= 70; ++count) {
        const auto size = static_cast<std::size_t>(count);
        std::vector<float> x(size + 1), dy(size + 1), y(size + 1, 77.0f), dx(size + 1, 77.0f);
        for (std::size_t i = 0; i < x.size(); ++i) {
          x[i] = 0.3f * static_cast<float>(i) - 5;
          dy[i] = 1 - 0.1f * static_cast<float>(i);
        }
        level.kernels->activate(kind, x.data(), count, y.data());
        level.kernels->activate_gradient(kind, x.data(), dy.data(), count, dx.data());
        EXPECT_EQ(y[size], 77.0f) << level.id << " " << one.id << " " << count;
        EXPECT_EQ(dx[size], 77.0f) << level.id << " " << one.id << " " << count;
        std::vector<float> both(size + 1, 77.0f), slope(size + 1, 77.0f);
        level.kernels->activate_with_slope(kind, x.data(), count, both.data(), slope.data());
        EXPECT_TRUE(both[size] == 77.0f && slope[size] == 77.0f) << level.id << " " << one.id << " " << count;
        std::vector<float> in_x = x, in_dy = dy, own = x;
        level.kernels->activate(kind, own.data(), count, own.data());
        level.kernels->activate_gradient(kind, in_x.data(), dy.data(), count, in_x.data());
        level.kernels->activate_gradient(kind, x.data(), in_dy.data(), count, in_dy.data());
        for (std::size_t i = 0; i < size; ++i) {
          EXPECT_EQ(own[i], y[i]) << level.id << " " << one.id << " " << i << " of " << count;
          EXPECT_EQ(in_x[i], dx[i]) << level.id << " " << one.id << " " << i << " of " << count;
          EXPECT_EQ(in_dy[i], dx[i]) << level.id << " " << one.id << " " << i << " of " << count;
        }
      }
    }
  }
}

TEST(ActivationKernels, NotANumberStaysOneAndInfinityHasASlope) {
  const std::vector<float> x{std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity()};
  const std::vector<float> dy{1, 1, 1};
  for (const cpu::Level& level : cpu::levels()) {
    for (const operations::Activation& one : operations::activations()) {
      if (one.kind == ActivationKind::none) continue;
      std::vector<float> y(3), dx(3);
      level.kernels->activate(static_cast<cpu::Activation>(one.kind), x.data(), 3, y.data());
      level.kernels->activate_gradient(static_cast<cpu::Activation>(one.kind), x.data(), dy.data(), 3, dx.data());
      EXPECT_TRUE(std::isnan(y[0]) && std::isnan(dx[0])) << level.id << " " << one.id;
      EXPECT_EQ(dx[1], one.kind == ActivationKind::tanh ? 0.0f : 1.0f) << level.id << " " << one.id;
      EXPECT_EQ(dx[2], 0.0f) << level.id << " " << one.id;
    }
  }
}

}  // namespace
}  // namespace headlight::backends
