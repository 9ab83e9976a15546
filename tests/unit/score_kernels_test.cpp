// What happens to one row of scores, on every instruction set that this processor has: rows of every length up to a few
// registers, against double, in place, and nothing written beyond the row.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "engine/backends/cpu/gradient_kernels.h"
#include "engine/backends/cpu/levels.h"

namespace headlight::backends {
namespace {

constexpr std::int64_t kLongest = 70;
constexpr float kBeyond = 77.0f;

struct Row {
  explicit Row(std::int64_t length) : count(length), size(static_cast<std::size_t>(length)) {
    for (std::size_t i = 0; i < size; ++i) {
      scores.push_back(static_cast<float>(i * 13 % 29) * 0.3f - 4);
      bias.push_back(static_cast<float>(i % 5) - 2);
      keep.push_back(i % 3 == 1 ? 0 : static_cast<std::uint8_t>(i % 4 + 1));
    }
  }
  std::vector<float> place() const { return std::vector<float>(size + 1, kBeyond); }
  std::int64_t count;
  std::size_t size;
  std::vector<float> scores, bias;
  std::vector<std::uint8_t> keep;  // any number but 0 keeps
};

void expect_near(const std::vector<float>& got, const std::vector<double>& exact, const std::string& what) {
  for (std::size_t i = 0; i < exact.size(); ++i)
    ASSERT_NEAR(got[i], exact[i], 1e-6 * (1 + std::abs(exact[i]))) << what << ", number " << i << " of " << exact.size();
  ASSERT_EQ(got.back(), kBeyond) << what;
}

TEST(ScoreKernels, ScaleMaskAndBias) {
  constexpr float kScale = 0.25f, kFill = -1e9f;
  for (const cpu::Level& level : cpu::levels()) {
    for (std::int64_t count = 1; count <= kLongest; ++count) {
      const Row row(count);
      std::vector<double> scaled, masked, added, added_one;
      for (std::size_t i = 0; i < row.size; ++i) {
        scaled.push_back(static_cast<double>(row.scores[i]) * kScale);
        masked.push_back(row.keep[i] ? scaled[i] : kFill);
        added.push_back(scaled[i] + row.bias[i]);
        added_one.push_back(scaled[i] + row.bias[0]);
      }
      std::vector<float> y = row.place();
      level.kernels->scale(row.scores.data(), count, kScale, y.data());
      expect_near(y, scaled, level.id + " scale");
      level.kernels->mask_keep(row.scores.data(), count, kScale, row.keep.data(), 1, kFill, y.data());
      expect_near(y, masked, level.id + " mask_keep");
      level.kernels->mask_add(row.scores.data(), count, kScale, row.bias.data(), 1, y.data());
      expect_near(y, added, level.id + " mask_add");
      level.kernels->mask_add(row.scores.data(), count, kScale, row.bias.data(), 0, y.data());
      expect_near(y, added_one, level.id + " mask_add of one number");
      std::copy(row.scores.begin(), row.scores.end(), y.begin());
      level.kernels->mask_keep(y.data(), count, kScale, row.keep.data(), 1, kFill, y.data());
      expect_near(y, masked, level.id + " mask_keep in place");
    }
  }
}

TEST(ScoreKernels, SoftmaxAndItsGradient) {
  for (const cpu::Level& level : cpu::levels()) {
    for (std::int64_t count = 1; count <= kLongest; ++count) {
      const Row row(count);
      double sum = 0, mean = 0;
      std::vector<double> weights, slopes;
      for (const float x : row.scores) sum += std::exp(static_cast<double>(x));
      for (const float x : row.scores) weights.push_back(std::exp(static_cast<double>(x)) / sum);
      for (std::size_t i = 0; i < row.size; ++i) mean += weights[i] * row.bias[i];
      for (std::size_t i = 0; i < row.size; ++i) slopes.push_back(weights[i] * (row.bias[i] - mean) * 0.5);
      std::vector<float> y = row.place(), dx = row.place();
      level.kernels->softmax(row.scores.data(), count, 1, y.data());
      expect_near(y, weights, level.id + " softmax");
      level.kernels->gradients->softmax(y.data(), row.bias.data(), count, 0.5f, dx.data());
      expect_near(dx, slopes, level.id + " gradient of softmax");
    }
  }
}

// Far down the exponentials are 0, not small numbers that take long to compute with; NaN and infinity are not hidden.
TEST(ScoreKernels, SoftmaxOfWhatIsFarAwayAndOfNoNumbers) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const cpu::Level& level : cpu::levels()) {
    for (const std::size_t size : {3u, 20u}) {
      const auto softmax = [&](std::vector<float> x) {
        x.resize(size, -kInfinity);
        level.kernels->softmax(x.data(), static_cast<std::int64_t>(size), 1, x.data());
        return x;
      };
      const std::vector<float> far = softmax({0, -88, -1e30f});
      EXPECT_EQ(far[0], 1.0f) << level.id;
      EXPECT_EQ(far[1], 0.0f) << level.id;
      EXPECT_EQ(far[2], 0.0f) << level.id;
      const std::vector<float> just = softmax({0, -87});
      EXPECT_NEAR(just[1] / std::exp(-87.0), 1, 1e-5) << level.id;
      const std::vector<float> all_masked = softmax({});
      EXPECT_EQ(all_masked[0], 0.0f) << level.id;
      for (const float no_number : {std::numeric_limits<float>::quiet_NaN(), kInfinity})
        for (const float y : softmax({1, no_number, 2})) EXPECT_TRUE(std::isnan(y)) << level.id << " " << no_number;
    }
  }
}

}  // namespace
}  // namespace headlight::backends
