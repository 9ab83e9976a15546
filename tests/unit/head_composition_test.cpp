// Composition of heads against its definition with whole d_model x d_model matrices, and a circuit that is known.
#include "engine/insight/head_composition.h"

#include <gtest/gtest.h>

#include "engine/backends/backends.h"
#include "engine/core/linear_algebra.h"
#include "engine/document/stored_model.h"
#include "engine/insight/residual_stream.h"
#include "support/tiny_model.h"
#include "support/trace_of.h"

namespace headlight {
namespace {

using linear::Matrix;

Matrix parameter(const Trace& trace, const std::string& name) {
  const Tensor values = trace.values(name).value();
  return {values.dim(0), values.dim(1), as_doubles(values)};
}

// W of a layer with the norm's gamma in its rows.
Matrix behind_norm(const Trace& trace, const std::string& layer, const std::string& name) {
  Matrix w = parameter(trace, "parameters." + layer + name);
  const std::vector<double> gamma = as_doubles(trace.values("parameters." + layer + "attention_norm.gamma").value());
  for (std::int64_t row = 0; row < w.rows; ++row)
    for (std::int64_t column = 0; column < w.columns; ++column) w(row, column) *= gamma[static_cast<std::size_t>(row)];
  return w;
}

TEST(HeadComposition, IsThatOfTheDefinition) {
  const tests::TinyModel tiny = tests::tiny_model("composition");
  ASSERT_TRUE(tiny.write().ok());
  Document document;
  ASSERT_TRUE(find_field("model")->set(document, {tiny.name()}).ok());
  document.texts = {"a mole ran"};
  document.backend = "reference";
  const auto trace = tests::trace_of(document);
  ASSERT_TRUE(trace);
  const auto backend = backends::open("reference").value();
  const auto made = head_composition(*trace, *backend, {});
  ASSERT_TRUE(made.ok()) << made.error().sentence();
  ASSERT_EQ(made->heads.size(), 4u);
  EXPECT_NEAR(made->chance, 0.25, 1e-12) << "16 dimensions";
  const auto matrices = [&](const std::string& layer, std::int64_t head) {
    const Matrix w_q = behind_norm(*trace, layer, "wq"), w_k = behind_norm(*trace, layer, "wk"),
                 w_v = behind_norm(*trace, layer, "wv"), w_o = parameter(*trace, "parameters." + layer + "wo");
    const std::int64_t d = w_q.columns / 2;
    return std::pair(product(columns_of(w_q, head * d, d), transposed(columns_of(w_k, head * d, d))),
                     product(columns_of(w_v, head * d, d), linear::rows_of(w_o, head * d, d)));
  };
  for (std::int64_t a = 0; a < 2; ++a)
    for (std::int64_t b = 0; b < 2; ++b) {
      const auto [qk_a, ov_a] = matrices("layer.0.", a);
      const auto [qk_b, ov_b] = matrices("layer.1.", b);
      const auto from = static_cast<std::size_t>(a), to = static_cast<std::size_t>(2 + b);
      using enum HeadComposition::Kind;
      EXPECT_NEAR(made->of(queries, from, to), norm(product(ov_a, qk_b)) / norm(ov_a) / norm(qk_b), 1e-5);
      EXPECT_NEAR(made->of(keys, from, to), norm(product(ov_a, transposed(qk_b))) / norm(ov_a) / norm(qk_b), 1e-5);
      EXPECT_NEAR(made->of(values, from, to), norm(product(ov_a, ov_b)) / norm(ov_a) / norm(ov_b), 1e-5);
      EXPECT_EQ(made->of(keys, to, from), 0) << "an earlier layer reads nothing of a later one";
    }
}

// An induction head's keys read what a previous-token head wrote (Olsson et al. 2022).
TEST(HeadComposition, TheInductionHeadsKeysReadThePreviousTokenHead) {
  const auto stored = open_stored_model("induction");
  ASSERT_TRUE(stored.ok());
  Document document;
  use_model(document, **stored);
  document.texts = {"a b c a b"};
  const auto trace = tests::trace_of(document);
  ASSERT_TRUE(trace);
  const auto backend = backends::open("cpu").value();
  const auto made = head_composition(*trace, *backend, {});
  ASSERT_TRUE(made.ok()) << made.error().sentence();
  // heads.json: layer 0's heads 3 and 5 look at the previous token (0.99 and 0.97), and layer 1's heads are induction heads, head
  // 0 the most (0.86).
  const std::vector<HeadComposition::Pair> best = made->strongest(HeadComposition::Kind::keys, 4);
  ASSERT_EQ(best.size(), 4u);
  EXPECT_EQ(best[0].from, 3u);
  EXPECT_EQ(best[0].to, 8u);
  for (const HeadComposition::Pair& pair : best) EXPECT_TRUE(pair.from == 3 || pair.from == 5) << pair.from;
  EXPECT_GT(best[0].strength, 2 * made->chance);
  for (const auto kind : {HeadComposition::Kind::queries, HeadComposition::Kind::values})
    EXPECT_LT(made->strongest(kind, 1)[0].strength, best[0].strength) << "the line from it to the keys is the strongest of all";
}

}  // namespace
}  // namespace headlight
