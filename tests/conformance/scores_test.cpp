// The six alignment scores in a model (S11): each score, its softmax and its weighted sum, on every backend that is here, against
// plain loops over the model's own q, k, v and the parameters of the score.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "engine/attention/scores/score.h"
#include "engine/backends/backends.h"
#include "engine/pipeline/run.h"

namespace headlight::conformance {
namespace {

using Rows = std::vector<double>;

Rows numbers(const Trace& trace, const std::string& step) {
  const auto values = trace.values(step);
  EXPECT_TRUE(values.ok()) << step;
  if (!values) return {};
  const Tensor t = values->as(DType::f64).compact();
  return {t.data<double>(), t.data<double>() + t.count()};
}

// What belongs to one head of one sentence, and the parameters of the score.
struct Head {
  const double *q = nullptr, *k = nullptr;
  std::size_t d = 0;
  Rows w, u, v;                       // w_score, u_score, v_score; empty where the score has none
  std::size_t column = 0, width = 0;  // of the head in a table of places
};

double times(const Head& head, const double* row, const Rows& matrix, std::size_t column) {
  double sum = 0;
  for (std::size_t i = 0; i < head.d; ++i) sum += row[i] * matrix[i * head.d + column];
  return sum;
}

double score(const std::string& id, const Head& head, std::size_t query, std::size_t key) {
  const double *q = head.q + query * head.d, *k = head.k + key * head.d;
  double dot = 0, qq = 0, kk = 0, general = 0, additive = 0, location = 0;
  for (std::size_t i = 0; i < head.d; ++i) {
    dot += q[i] * k[i];
    qq += q[i] * q[i];
    kk += k[i] * k[i];
    if (id == "general") general += times(head, q, head.w, i) * k[i];
    if (id == "additive") additive += head.v[i] * std::tanh(times(head, q, head.w, i) + times(head, k, head.u, i));
    if (id == "location") location += head.w[key * head.width + head.column + i] * q[i];
  }
  if (id == "dot") return dot;
  if (id == "scaled_dot") return dot / std::sqrt(static_cast<double>(head.d));
  if (id == "cosine") return dot / std::sqrt(qq * kk);
  if (id == "general") return general;
  if (id == "additive") return additive;
  EXPECT_EQ(id, "location") << "a score function that this test does not know";
  return location;
}

class AlignmentScores : public testing::TestWithParam<std::string> {};

TEST_P(AlignmentScores, AreTheirFormulasWithMaskSoftmaxAndSum) {
  for (const char* backend : {"reference", "cpu"}) {
    Document d;
    d.texts = {"a fluffy blue creature roamed", "the forest"};
    d.tokenizer = "words";
    d.masks = {{"causal", {}}, {"padding", {}}};
    d.d_model = 24;
    d.heads = 3;
    d.layers = 1;
    d.score = GetParam();
    d.temperature = 0.5;
    d.backend = backend;
    const auto trace = run(d, **backends::open(backend), {});
    ASSERT_TRUE(trace.ok()) << trace.error().sentence();
    const Trace& t = **trace;
    const double limit = backend == std::string("cpu") ? 2e-5 : 1e-12;
    const Step* const step = t.find("layer.0.weights");
    ASSERT_TRUE(step);
    const auto heads = static_cast<std::size_t>(step->shape[1]), n = static_cast<std::size_t>(step->shape[2]), d_k = 24 / heads;
    const auto parameter = [&](const char* name) {
      const std::string whole = std::string("parameters.layer.0.") + name;
      const bool is_there =
          std::any_of(t.parameters().begin(), t.parameters().end(), [&](const auto& p) { return p.name == whole; });
      return is_there ? numbers(t, whole) : Rows{};
    };
    const Rows q = numbers(t, "layer.0.q"), k = numbers(t, "layer.0.k"), v = numbers(t, "layer.0.v"),
               scaled = numbers(t, "layer.0.scaled_scores"), weights = numbers(t, "layer.0.weights"),
               context = numbers(t, "layer.0.context");
    Head head{nullptr, nullptr, d_k, parameter("w_score"), parameter("u_score"), parameter("v_score"), 0, heads * d_k};
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t first = (b * heads + h) * n, length = t.texts()[b].tokens.size();
        head.q = q.data() + first * d_k;
        head.k = k.data() + first * d_k;
        head.column = h * d_k;
        for (std::size_t i = 0; i < n; ++i) {
          Rows e(n, 0.0);
          double sum = 0, total = 0;
          for (std::size_t j = 0; j < n; ++j) {
            const double one = score(GetParam(), head, i, j);
            EXPECT_NEAR(scaled[(first + i) * n + j], one, limit * (1 + std::abs(one))) << backend << " " << i << " " << j;
            if (j <= i && j < length) e[j] = std::exp(one / 0.5);
            sum += e[j];
          }
          for (std::size_t j = 0; j < n; ++j) {
            EXPECT_NEAR(weights[(first + i) * n + j], e[j] / sum, 10 * limit);
            total += weights[(first + i) * n + j];
          }
          EXPECT_NEAR(total, 1, 1e-5);
          for (std::size_t c = 0; c < d_k; ++c) {
            double mixed = 0;
            for (std::size_t j = 0; j < n; ++j) mixed += e[j] / sum * v[(first + j) * d_k + c];
            EXPECT_NEAR(context[(first + i) * d_k + c], mixed, 20 * limit);
          }
        }
      }
  }
}

std::vector<std::string> all_scores() {
  std::vector<std::string> ids;
  for (const scores::Entry& entry : scores::registry().entries()) ids.push_back(entry.id);
  return ids;
}
INSTANTIATE_TEST_SUITE_P(S11, AlignmentScores, testing::ValuesIn(all_scores()), [](const auto& score) { return score.param; });

TEST(AlignmentScoreList, AreTheSixOfTheCourse) {
  std::vector<std::string> ids = all_scores();
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(ids, (std::vector<std::string>{"additive", "cosine", "dot", "general", "location", "scaled_dot"}));
}

}  // namespace
}  // namespace headlight::conformance
