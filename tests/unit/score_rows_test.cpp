// The six alignment scores of S11 against numbers worked by hand, by other loops and by finite differences; what the trace holds
// of the score that the model uses; and self-attention without projections (S12) against its formula.
#include "engine/insight/score_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "engine/core/rng.h"
#include "engine/document/presets.h"
#include "engine/insight/asked_scores.h"
#include "tests/support/trace_of.h"

namespace headlight {
namespace {

using Vector = std::vector<double>;
using tests::trace_of;

// s = (3, 4), and keys along it, across it, against it and of no length.
ScoreQuestion by_hand() {
  ScoreQuestion q;
  q.s = {3, 4};
  q.h = {{6, 8}, {4, -3}, {-3, -4}, {0, 0}, {1, 0}};
  q.seed = 7;
  return q;
}

const ScoreRow& row_named(const std::vector<ScoreRow>& rows, const std::string& id) {
  for (const ScoreRow& row : rows)
    if (row.id == id) return row;
  ADD_FAILURE() << "no score " << id;
  return rows.front();
}

void expect_near_score_rows(const Vector& a, const Vector& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << i;
}

TEST(ScoreRows, CosineDotAndScaledDotByHand) {
  const auto rows = score_rows(by_hand());
  ASSERT_TRUE(rows.ok());
  expect_near_score_rows(row_named(*rows, "dot").scores, {50, 0, -25, 0, 3}, 1e-12);
  expect_near_score_rows(row_named(*rows, "cosine").scores, {1, 0, -1, 0, 0.6}, 1e-12);
  expect_near_score_rows(row_named(*rows, "scaled_dot").scores, {35.35533906, 0, -17.67766953, 0, 2.12132034}, 1e-8);
  EXPECT_DOUBLE_EQ(row_named(*rows, "dot").largest, 50);
  // e^1, e^0, e^-1, e^0, e^0.6 over their sum.
  expect_near_score_rows(row_named(*rows, "cosine").weights, {0.3934817, 0.1447539, 0.0532520, 0.1447539, 0.2637585}, 1e-6);
}

TEST(ScoreRows, EachIsASoftmaxRowThatReadsItsSeed) {
  ASSERT_EQ(compared_scores().entries().size(), 6u);
  EXPECT_TRUE(compared_scores().duplicate().empty());
  const auto rows = score_rows(by_hand());
  ScoreQuestion other = by_hand();
  other.seed = 8;
  const auto again = score_rows(other);
  ASSERT_TRUE(rows.ok() && again.ok());
  for (const ComparedScore& kind : compared_scores().entries()) {
    EXPECT_FALSE(kind.label.empty() || kind.formula.empty() || kind.source.empty() || kind.meaning.empty()) << kind.id;
    const ScoreRow& row = row_named(*rows, kind.id);
    EXPECT_NEAR(std::accumulate(row.weights.begin(), row.weights.end(), 0.0), 1, 1e-12) << kind.id;
    double entropy = 0;
    for (const double w : row.weights) entropy -= w > 0 ? w * std::log2(w) * std::log(2.0) : 0;
    EXPECT_NEAR(row.entropy, entropy, 1e-12) << kind.id;
    EXPECT_EQ(kind.own_weights, row.scores != row_named(*again, kind.id).scores) << kind.id << " and its seed";
  }
}

TEST(ScoreRows, GeneralIsBilinearAndItsMatrixIsWhatTheUnitVectorsRead) {
  const auto general = compared_scores().find("general")->scores;
  const ScoreQuestion q = by_hand();
  double w[2][2];
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 2; ++c) {
      ScoreQuestion unit = q;
      unit.s = {r == 0 ? 1.0 : 0.0, r == 1 ? 1.0 : 0.0};
      unit.h = {{c == 0 ? 1.0 : 0.0, c == 1 ? 1.0 : 0.0}};
      w[r][c] = general(unit)[0];
    }
  EXPECT_NE(w[0][1], w[1][0]) << "a pairing has a direction";
  const Vector scores = general(q);
  for (std::size_t j = 0; j < q.h.size(); ++j) {
    double sum = 0;
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 2; ++c) sum += q.s[static_cast<std::size_t>(r)] * w[r][c] * q.h[j][static_cast<std::size_t>(c)];
    EXPECT_NEAR(scores[j], sum, 1e-12);
  }
}

TEST(ScoreRows, LocationReadsThePlaceAndNotTheKey) {
  const auto location = compared_scores().find("location")->scores;
  ScoreQuestion q = by_hand();
  const Vector scores = location(q);
  q.h = {{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}};
  const Vector others = location(q);
  for (std::size_t j = 0; j < scores.size(); ++j) EXPECT_EQ(scores[j], others[j]) << "a longer text reads the same first rows";
  q.s = {6, 8};
  expect_near_score_rows(
      location(q),
      [&] {
        Vector twice = others;
        for (double& one : twice) one *= 2;
        return twice;
      }(),
      1e-12);
}

TEST(ScoreRows, AdditiveIsANetworkOfTwoLayers) {
  const ScoreQuestion q = by_hand();
  const Rng w(7, "scores.additive.w"), v(7, "scores.additive.v");
  const Vector scores = compared_scores().find("additive")->scores(q);
  for (std::size_t j = 0; j < q.h.size(); ++j) {
    const Vector both = {q.s[0], q.s[1], q.h[j][0], q.h[j][1]};
    double e = 0;
    for (std::uint64_t unit = 0; unit < 2; ++unit) {
      double inside = 0;
      for (std::uint64_t c = 0; c < 4; ++c) inside += w.normal(unit, c) / 2 * both[c];  // deviation 1/sqrt(2 d)
      e += v.normal(0, unit) / std::sqrt(2.0) * std::tanh(inside);
    }
    EXPECT_NEAR(scores[j], e, 1e-12);
  }
}

TEST(ScoreRows, AMaskedKeyIsWeighedNothing) {
  ScoreQuestion q = by_hand();
  q.visible = {0, 1, 1, 1, 1};
  const auto rows = score_rows(q);
  ASSERT_TRUE(rows.ok());
  for (const ScoreRow& row : *rows) {
    EXPECT_EQ(row.weights[0], 0) << row.id;
    EXPECT_NEAR(std::accumulate(row.weights.begin(), row.weights.end(), 0.0), 1, 1e-12) << row.id;
  }
  EXPECT_DOUBLE_EQ(row_named(*rows, "dot").largest, 25) << "its scale is that of what is seen";
  q.visible = {0, 0, 0, 0, 0};
  const auto blind = score_rows(q);
  ASSERT_TRUE(blind.ok());
  for (const ScoreRow& row : *blind) EXPECT_EQ(row.weights, Vector(5, 0.0));
}

TEST(ScoreRows, RefusesWhatCannotBeCompared) {
  ScoreQuestion q = by_hand();
  q.h[2] = {1, 2, 3};
  EXPECT_FALSE(score_rows(q).ok());
  q.h.clear();
  EXPECT_FALSE(score_rows(q).ok());
  q.h.assign(kMostPlaces + 1, {1, 2});
  EXPECT_FALSE(score_rows(q).ok());
}

TEST(ScoreRows, TheJacobiansNormIsThatOfFiniteDifferences) {
  for (const Vector& x : {Vector{0.3, -1.2, 2.0, 0.1}, Vector{0, 0, 0}, Vector{9, 0, -9}, Vector{1}}) {
    const double step = 1e-5;
    double squares = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      Vector more = x, less = x;
      more[j] += step;
      less[j] -= step;
      const Vector a = softmax_of(more, {}, 1), b = softmax_of(less, {}, 1);
      for (std::size_t i = 0; i < x.size(); ++i) squares += std::pow((a[i] - b[i]) / (2 * step), 2);
    }
    EXPECT_NEAR(jacobian_norm(softmax_of(x, {}, 1)), std::sqrt(squares), 1e-8);
  }
  // Two equal weights: [[1/4, -1/4], [-1/4, 1/4]].
  EXPECT_DOUBLE_EQ(jacobian_norm({0.5, 0.5}), 0.5);
  EXPECT_NEAR(jacobian_norms({0, 10}, {}, 1, {1e-6, 1, 10})[2], 0, 1e-9) << "a sharp row no longer moves";
}

Document score_rows_small() {
  Document document;
  document.texts = {"a fluffy blue creature", "man bites dog"};
  document.tokenizer = "words";
  document.d_model = 32;
  document.heads = 4;
  document.layers = 2;
  document.masks = {{"padding", {}}, {"causal", {}}};
  document.backend = "reference";
  return document;
}

TEST(AskedScores, TheModelsOwnScoreIsTheTraces) {
  const std::pair<const char*, std::function<void(Document&)>> ways[] = {
      {"scaled_dot", [](Document&) {}},
      {"scaled_dot", [](Document& d) { d.position = "rotary"; }},
      {"scaled_dot", [](Document& d) { d.scale = "0.7"; }},
      {"dot", [](Document& d) { d.scale = "none"; }},
      {"dot", [](Document& d) { d.score = "dot"; }},
      {"cosine", [](Document& d) { d.score = "cosine"; }},
      {"general", [](Document& d) { d.score = "general"; }},
      {"additive", [](Document& d) { d.score = "additive"; }},
      {"location", [](Document& d) { d.score = "location"; }},
      {"location",
       [](Document& d) {
         d.score = "location";
         d.masks = {{"causal", {}}};
       }},
      {"scaled_dot", [](Document& d) { d.temperature = 0.6; }},
  };
  for (const auto& [id, change] : ways) {
    Document document = score_rows_small();
    change(document);
    const auto trace = trace_of(document);
    ASSERT_TRUE(trace);
    AskedOptions options;
    options.masked = true;
    for (std::int64_t batch = 0; batch < 2; ++batch) {
      const AskedHead at{"layer.1.", batch, 2, 1};
      const auto asked = asked_scores(*trace, at, options);
      ASSERT_TRUE(asked.ok()) << asked.error().sentence();
      ASSERT_EQ(asked->in_use, id);
      const ScoreRow& row = row_named(asked->rows, id);
      const auto weights = trace->tile("layer.1.weights", {batch, 2, 1, 1});
      const auto scores = trace->tile("layer.1.scaled_scores", {batch, 2, 1, 1});
      ASSERT_TRUE(weights.ok() && scores.ok());
      EXPECT_EQ(static_cast<std::size_t>(row.weights.size()), trace->texts()[static_cast<std::size_t>(batch)].tokens.size());
      for (std::size_t key = 0; key < row.weights.size(); ++key) {
        EXPECT_NEAR(row.weights[key], weights->at({0, static_cast<std::int64_t>(key)}), 1e-12) << id;
        EXPECT_NEAR(row.scores[key], scores->at({0, static_cast<std::int64_t>(key)}), 1e-12) << id;
      }
    }
  }
}

// A turned query has the matrix in it already: no card is the model's score, and none says so.
TEST(AskedScores, AGeneralScoreOfTurnedRowsIsNoneOfThese) {
  Document document = score_rows_small();
  document.score = "general";
  document.position = "rotary";
  const auto trace = trace_of(document);
  ASSERT_TRUE(trace);
  const auto asked = asked_scores(*trace, {"layer.0.", 0, 0, 1}, {});
  ASSERT_TRUE(asked.ok()) << asked.error().sentence();
  EXPECT_EQ(asked->in_use, "");
  EXPECT_TRUE(row_named(asked->rows, "general").drawn);
  document.position = "none";
  const auto plain = trace_of(document);
  ASSERT_TRUE(plain);
  const auto own = asked_scores(*plain, {"layer.0.", 0, 0, 1}, {});
  ASSERT_TRUE(own.ok());
  EXPECT_FALSE(row_named(own->rows, "general").drawn) << "the model's own matrix";
  EXPECT_TRUE(row_named(own->rows, "additive").drawn);
}

// Their weights are the model's, so that these cards are not drawn; those of the others are.
TEST(AskedScores, AdditiveAndLocationBasedCardsHaveTheModelsWeights) {
  for (const char* score : {"additive", "location"}) {
    Document document = score_rows_small();
    document.score = score;
    const auto trace = trace_of(document);
    ASSERT_TRUE(trace);
    const auto asked = asked_scores(*trace, {"layer.0.", 0, 0, 1}, {});
    ASSERT_TRUE(asked.ok()) << asked.error().sentence();
    EXPECT_EQ(asked->in_use, score);
    EXPECT_TRUE(row_named(asked->rows, "general").drawn) << score;
    EXPECT_FALSE(row_named(asked->rows, score).drawn);
    EXPECT_TRUE(related_maps(*trace, {"layer.0.", 0, 1, 3}, {}).ok()) << score;
  }
  // Turned after they were multiplied: no card is the model's, and none says so.
  Document document = score_rows_small();
  document.score = "additive";
  document.position = "rotary";
  const auto trace = trace_of(document);
  ASSERT_TRUE(trace);
  const auto asked = asked_scores(*trace, {"layer.0.", 0, 0, 1}, {});
  ASSERT_TRUE(asked.ok());
  EXPECT_EQ(asked->in_use, "");
  EXPECT_TRUE(row_named(asked->rows, "additive").drawn);
}

TEST(AskedScores, WithOneMapTheScoresAreTheSameBothWays) {
  const auto trace = trace_of(score_rows_small());
  ASSERT_TRUE(trace);
  const AskedHead at{"layer.0.", 0, 1, 3};
  const auto maps = related_maps(*trace, at, {});
  ASSERT_TRUE(maps.ok());
  ASSERT_EQ(maps->size(), 3u);
  const std::int64_t numbers = 32 * 8;
  EXPECT_EQ((*maps)[0].weights, numbers);
  EXPECT_EQ((*maps)[1].weights, 2 * numbers);
  EXPECT_EQ((*maps)[2].weights, 3 * numbers);
  EXPECT_LT((*maps)[0].asymmetry, 1e-12);
  EXPECT_GT((*maps)[2].asymmetry, 1e-3);
  EXPECT_EQ((*maps)[1].asymmetry, (*maps)[2].asymmetry) << "the same queries and keys";
  EXPECT_NE((*maps)[1].given, (*maps)[2].given) << "but other values";
  AskedOptions masked;
  masked.masked = true;
  const auto own = related_maps(*trace, at, masked);
  const auto context = trace->tile("layer.0.context", {0, 1, 3, 1});
  ASSERT_TRUE(own.ok() && context.ok());
  for (std::int64_t c = 0; c < 8; ++c) EXPECT_NEAR((*own)[2].given[static_cast<std::size_t>(c)], context->at({0, c}), 1e-12);
}

TEST(AskedScores, ACurveForEveryQueryAndEachIsItsRowsOwn) {
  const auto trace = trace_of(score_rows_small());
  ASSERT_TRUE(trace);
  const AskedHead at{"layer.0.", 0, 1, 2};
  const auto curves = scale_curves(*trace, at, {});
  ASSERT_TRUE(curves.ok());
  EXPECT_TRUE(curves->all);
  EXPECT_EQ(curves->queries, (std::vector<std::int64_t>{2, 0, 1, 3}));
  EXPECT_NEAR(curves->factors.front(), 0.01, 1e-12);
  EXPECT_NEAR(curves->factors.back(), 10, 1e-9);
  for (std::size_t i = 0; i < curves->factors.size(); i += 15) {
    AskedOptions options;
    options.factor = curves->factors[i];
    const auto asked = asked_scores(*trace, at, options);
    ASSERT_TRUE(asked.ok());
    EXPECT_NEAR(curves->norms[0][i], jacobian_norm(row_named(asked->rows, "scaled_dot").weights), 1e-12);
  }
}

TEST(AskedScores, RefusesPlacesThatAreNotThere) {
  const auto trace = trace_of(score_rows_small());
  ASSERT_TRUE(trace);
  EXPECT_FALSE(asked_scores(*trace, {"layer.9.", 0, 0, 0}, {}).ok());
  EXPECT_FALSE(asked_scores(*trace, {"layer.0.", 0, 4, 0}, {}).ok());
  EXPECT_FALSE(asked_scores(*trace, {"layer.0.", 1, 0, 3}, {}).ok()) << "padding asks nothing";
  EXPECT_FALSE(asked_scores(*trace, {"layer.0.", 2, 0, 0}, {}).ok());
}

TEST(AskedScores, OfTwoTextsQAndKCannotBeOne) {
  Document document = score_rows_small();
  document.masks.clear();
  document.texts = {"man bites dog"};
  document.targets = {"dog bites"};
  const auto trace = trace_of(document);
  ASSERT_TRUE(trace);
  const AskedHead at{"decoder.layer.0.cross.", 0, 0, 1};
  AskedOptions one;
  one.relation = QkvRelation::one;
  EXPECT_FALSE(asked_scores(*trace, at, one).ok());
  const auto asked = asked_scores(*trace, at, {});
  ASSERT_TRUE(asked.ok()) << asked.error().sentence();
  EXPECT_EQ(asked->question.h.size(), trace->texts()[0].tokens.size());
  const auto maps = related_maps(*trace, at, {});
  ASSERT_TRUE(maps.ok());
  EXPECT_FALSE((*maps)[0].possible);
  EXPECT_TRUE((*maps)[1].possible);
}

// S12: e_i' = sum over j of softmax_j(e_j . e_i) e_j, worked here from the embeddings alone.
TEST(LecturePreset, IsSelfAttentionWithoutProjections) {
  for (const auto& [backend, tolerance] : {std::pair<const char*, double>{"cpu", 1e-4}, {"reference", 1e-12}}) {
    Document document;
    document.texts = {"a fluffy blue creature roamed"};
    document.tokenizer = "words";
    document.d_model = 8;
    document.backend = backend;
    presets::registry().find("lecture")->apply(document);
    const auto trace = trace_of(document);
    ASSERT_TRUE(trace);
    const auto e = trace->values("embedding"), out = trace->values("layer.0.concat");
    ASSERT_TRUE(e.ok() && out.ok());
    const std::int64_t count = e->dim(1);
    ASSERT_GE(count, 5);
    for (std::int64_t i = 0; i < count; ++i) {
      Vector exponentials;
      double sum = 0;
      for (std::int64_t j = 0; j < count; ++j) {
        double dot = 0;
        for (std::int64_t c = 0; c < 8; ++c) dot += e->at({0, i, c}) * e->at({0, j, c});
        exponentials.push_back(std::exp(dot));
        sum += exponentials.back();
      }
      for (std::int64_t c = 0; c < 8; ++c) {
        double made = 0;
        for (std::int64_t j = 0; j < count; ++j) made += exponentials[static_cast<std::size_t>(j)] / sum * e->at({0, j, c});
        EXPECT_NEAR(out->at({0, i, c}), made, tolerance) << backend;
      }
    }
    const auto asked = asked_scores(*trace, {"layer.0.", 0, 0, 2}, {});
    ASSERT_TRUE(asked.ok());
    EXPECT_EQ(asked->in_use, "dot");
    const auto maps = related_maps(*trace, {"layer.0.", 0, 0, 2}, {});
    ASSERT_TRUE(maps.ok());
    EXPECT_TRUE((*maps)[0].possible && !(*maps)[1].possible && !(*maps)[2].possible);
    EXPECT_EQ((*maps)[0].weights, 0);
  }
}

}  // namespace
}  // namespace headlight
