// Combiners (S4) against their formulas, written as loops, on every host backend; their counted weights.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/attention/combiners/combiner.h"
#include "engine/backends/backends.h"
#include "engine/core/rng.h"

namespace headlight::combiners {
namespace {

using namespace backends;

Tensor random(std::string_view name, const Shape& shape) {
  const Rng rng(3, name);
  Tensor t(DType::f64, shape, {}, true);
  for (std::int64_t i = 0; i < t.count(); ++i) t.data<double>()[i] = static_cast<float>(rng.normal(0, i));
  return t;
}

double at(const Tensor& t, std::int64_t i) { return t.data<double>()[i]; }

// Row-major [W, width], as the formulas are written: S4.
std::vector<double> expected(const std::string& id, const Sizes& s, const Tensor& heads, const std::vector<Tensor>& w) {
  std::vector<double> out;
  const auto head = [&](std::int64_t h, std::int64_t word, std::int64_t c) { return at(heads, (h * s.words + word) * s.d + c); };
  for (std::int64_t word = 0; word < s.words; ++word) {
    if (id == "concat") {
      for (std::int64_t to = 0; to < s.d; ++to) {
        double sum = 0;
        for (std::int64_t h = 0; h < s.heads; ++h)
          for (std::int64_t c = 0; c < s.d; ++c) sum += head(h, word, c) * at(w[0], (h * s.d + c) * s.d + to);
        out.push_back(sum);
      }
      continue;
    }
    for (std::int64_t c = 0; c < s.d; ++c) {
      for (std::int64_t to = 0; to < s.outputs; ++to) {
        double sum = 0;
        for (std::int64_t k = 0; k < s.hidden; ++k) {
          double inner = 0;
          for (std::int64_t h = 0; h < s.heads; ++h) inner += head(h, word, c) * at(w[0], h * s.hidden + k);
          sum += std::tanh(inner) * at(w[1], k * s.outputs + to);
        }
        out.push_back(std::tanh(sum));
      }
    }
  }
  return out;
}

TEST(Combiners, AgreeWithTheirFormulas) {
  for (const Entry& entry : registry().entries()) {
    for (const std::int64_t outputs : {1, 3}) {
      Sizes s;
      s.words = 5;
      s.d = 12;
      s.heads = 4;
      s.hidden = 6;
      s.outputs = outputs;
      const Tensor heads = random("heads", {s.heads, s.words, s.d});
      std::vector<Tensor> weights;
      for (const Shape& shape : entry.weights(s)) weights.push_back(random("w" + std::to_string(weights.size()), shape));
      const std::vector<double> wanted = expected(entry.id, s, heads, weights);
      for (const char* id : {"reference", "cpu"}) {
        const auto backend = backends::open(id);
        ASSERT_TRUE(backend.ok());
        const auto combiner = prepare(entry.id, s, **backend);
        ASSERT_TRUE(combiner.ok()) << combiner.error().sentence();
        std::vector<Buffer> uploaded;
        for (const Tensor& t : weights) uploaded.push_back((*backend)->upload(t).value());
        const auto made = (*combiner)->combine((*backend)->upload(heads).value(), uploaded, {});
        ASSERT_TRUE(made.ok()) << made.error().sentence();
        const Tensor values = (*backend)->download(*made).value().as(DType::f64);
        ASSERT_EQ(values.shape(), (Shape{s.words, entry.width(s)})) << entry.id;
        // float32: sums of 48 products of numbers around 1.
        const double tolerance = std::string_view(id) == "cpu" ? 2e-5 : 1e-12;
        for (std::size_t i = 0; i < wanted.size(); ++i)
          ASSERT_NEAR(at(values, static_cast<std::int64_t>(i)), wanted[i], tolerance) << entry.id << " on " << id;
      }
    }
  }
}

// The material's figures.
TEST(Combiners, WeightsAreCounted) {
  Sizes s;
  s.words = 1;
  s.d = 512;
  s.heads = 32;
  EXPECT_EQ(parameter_count(*registry().find("concat"), s), 8388608);
  EXPECT_EQ(parameter_count(*registry().find("stack2d"), s), 528);
}

TEST(Combiners, RefuseWhatTheyCannotDo) {
  const auto backend = backends::open("reference");
  EXPECT_FALSE(prepare("sum", {1, 1, 1, 1, 1}, **backend).ok());
  EXPECT_FALSE(prepare("concat", {0, 1, 1, 1, 1}, **backend).ok());
}

}  // namespace
}  // namespace headlight::combiners
