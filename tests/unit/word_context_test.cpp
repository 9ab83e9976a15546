// S18: one word in several texts, the plane of its vectors, and what attention added to it.
#include "engine/insight/word_context.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/backends/backends.h"
#include "engine/insight/attention_added.h"
#include "engine/insight/explain.h"
#include "engine/insight/projection.h"
#include "engine/insight/query_key_space.h"
#include "engine/insight/residual_stream.h"
#include "engine/insight/row_sum.h"

namespace headlight {
namespace {

using Vector = std::vector<double>;

Document word_context_small(const char* position = "sinusoidal") {
  Document document;
  document.tokenizer = "words";
  document.d_model = 24;
  document.heads = 3;
  document.layers = 2;
  document.position = position;
  document.backend = "reference";
  document.masks = {{"causal", {}}};
  return document;
}

Result<WordInText> found_in(const Document& document, const std::string& word, const std::string& text, std::int64_t most = 0) {
  const auto backend = backends::open("reference");
  if (!backend.ok()) return backend.error();
  return word_in_text(document, **backend, word, text, 1, most, {});
}

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

std::vector<Vector> random_vectors(std::size_t n, std::size_t d) {
  std::vector<Vector> all(n, Vector(d));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < d; ++c)
      all[i][c] = std::sin(static_cast<double>(7 * i * i + 3 * c + 1)) * (c == 2 ? 5 : c == 0 ? 2 : 0.3);
  return all;
}

TEST(Projection, PointsOfAPlaneKeepTheirDistances) {
  // Two directions at a right angle in five dimensions, and points at known places along them.
  const Vector a = {0.6, 0, 0.8, 0, 0}, b = {0, 1, 0, 0, 0};
  const std::vector<std::array<double, 2>> places = {{0, 0}, {4, 1}, {-3, 2}, {1, -1}, {-2, -2}};
  std::vector<Vector> points;
  for (const auto& place : places) {
    Vector& point = points.emplace_back(5);
    for (std::size_t c = 0; c < 5; ++c) point[c] = 10 + place[0] * a[c] + place[1] * b[c];
  }
  const Projection plane = principal_plane(points);
  EXPECT_NEAR(plane.share[0] + plane.share[1], 1, 1e-12);
  EXPECT_GT(plane.share[0], plane.share[1]);
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_NEAR(std::hypot(plane.points[i][0] - plane.points[j][0], plane.points[i][1] - plane.points[j][1]),
                  std::hypot(places[i][0] - places[j][0], places[i][1] - places[j][1]), 1e-9);
}

TEST(Projection, NoDirectionSpreadsThePointsMore) {
  for (const auto& [n, d] : {std::pair<std::size_t, std::size_t>{6, 20}, {40, 5}}) {
    const std::vector<Vector> points = random_vectors(n, d);
    const Projection plane = principal_plane(points);
    EXPECT_NEAR(dot(plane.direction[0], plane.direction[0]), 1, 1e-9);
    EXPECT_NEAR(dot(plane.direction[0], plane.direction[1]), 0, 1e-9);
    double whole = 0, first = 0;
    std::vector<double> along(d, 0.0);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t c = 0; c < d; ++c) {
        const double x = points[i][c] - plane.mean[c];
        whole += x * x;
        along[c] += x * x;
      }
    for (const auto& point : plane.points) first += point[0] * point[0];
    EXPECT_NEAR(plane.share[0], first / whole, 1e-9);
    for (std::size_t c = 0; c < d; ++c) EXPECT_GE(plane.share[0] + 1e-9, along[c] / whole) << "axis " << c;
    EXPECT_GE(plane.share[0], plane.share[1]);
    EXPECT_GT(*std::max_element(plane.direction[0].begin(), plane.direction[0].end()), 0);
    const auto again = plane.of(points[1]);
    EXPECT_NEAR(again[0], plane.points[1][0], 1e-12);
  }
}

TEST(Projection, PointsThatAreOneHaveNoDirections) {
  const Projection plane = principal_plane({{1, 2, 3}, {1, 2, 3}});
  EXPECT_EQ(plane.share[0], 0);
  EXPECT_EQ(plane.points[1][0], 0);
  EXPECT_TRUE(principal_plane({}).points.empty());
}

TEST(WordInText, TheVectorsAreTheTracesRows) {
  const auto found = found_in(word_context_small(), "mole", "one mole of it");
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  EXPECT_EQ(found->first, 1);
  EXPECT_EQ(found->row, 1);
  ASSERT_EQ(found->vectors.size(), 3u);
  const std::vector<std::string> steps = {"input", "layer.0.mlp_residual", "layer.1.mlp_residual"};
  for (std::size_t n = 0; n < 3; ++n) {
    const auto values = found->trace->values(steps[n]);
    ASSERT_TRUE(values.ok());
    for (std::int64_t c = 0; c < 24; ++c)
      EXPECT_EQ(found->vectors[n][static_cast<std::size_t>(c)], values->at({0, 1, c})) << steps[n];
  }
  // Causal: nothing behind the word reaches it.
  EXPECT_EQ(found->hidden, (std::vector<bool>{false, false, true, true}));
  const auto embedding = found->trace->values("embedding");
  ASSERT_TRUE(embedding.ok());
  ASSERT_EQ(found->before_positions.size(), 24u);
  EXPECT_EQ(found->before_positions[5], embedding->at({0, 1, 5}));
  EXPECT_NE(found->before_positions, found->vectors[0]);
}

TEST(WordInText, RotaryPositionsAddNothingToTheEmbedding) {
  const auto found = found_in(word_context_small("rotary"), "mole", "one mole of it");
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  EXPECT_TRUE(found->before_positions.empty());
}

TEST(WordInText, WhatReachesTheWordThroughLayersIsNotHidden) {
  Document document = word_context_small();
  ASSERT_TRUE(find_field("masks")->set(document, {"causal,window:1"}).ok());
  const auto found = found_in(document, "e", "a b c d e");
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  // Two layers that look one token back each.
  EXPECT_EQ(found->hidden, (std::vector<bool>{true, true, false, false, false}));
}

TEST(WordInText, FindsWordsAsTheyStand) {
  EXPECT_TRUE(has_word("a mole", "mole"));
  EXPECT_TRUE(has_word("Mole hills", "mole"));
  EXPECT_FALSE(has_word("molehills and moles", "mole"));
  EXPECT_TRUE(has_word("一只鼹鼠在花园里", "鼹鼠"));
  EXPECT_FALSE(has_word("a mole", ""));
  const auto none = found_in(word_context_small(), "mole", "some moles");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().sentence(), "text 2: the text has no word 'mole'; give texts in which it stands");
  const auto longer = found_in(word_context_small(), "mole", "a mole ran and ran", 4);
  ASSERT_FALSE(longer.ok());
  EXPECT_EQ(longer.error().sentence(), "text 2: the text has 5 tokens; give texts of at most 4 tokens");
  EXPECT_TRUE(found_in(word_context_small(), "mole", "a mole ran on", 4).ok());
  Document characters = word_context_small();
  characters.tokenizer = "characters";
  const auto pieces = found_in(characters, "mole", "a mole ran");
  ASSERT_TRUE(pieces.ok()) << pieces.error().sentence();
  EXPECT_EQ(pieces->first, 2);
  EXPECT_EQ(pieces->row, 5) << "of a word of several tokens the last one counts";
}

TEST(WordContext, ThePathsAreTheVectorsInOnePlane) {
  const auto backend = backends::open("reference");
  ASSERT_TRUE(backend.ok());
  for (const char* position : {"sinusoidal", "rotary"}) {
    const auto made = word_context(word_context_small(position), **backend, "mole",
                                   {"a mole", "the old mole ran", "one mole of it"}, {"ran"}, {});
    ASSERT_TRUE(made.ok()) << made.error().sentence();
    ASSERT_EQ(made->layers.size(), 3u);
    ASSERT_EQ(made->paths.size(), 3u);
    EXPECT_EQ(made->from_before_positions, std::string(position) == "sinusoidal");
    const std::size_t more = made->from_before_positions ? 1 : 0;
    ASSERT_EQ(made->paths[0].size(), 3 + more);
    EXPECT_LE(made->share[0] + made->share[1], 1 + 1e-12);
    for (std::size_t n = 0; n < 3; ++n)
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          const auto &a = made->paths[i][n + more], &b = made->paths[j][n + more];
          EXPECT_LE(std::hypot(a[0] - b[0], a[1] - b[1]), made->layers[n].distance[i][j] + 1e-9) << "a shadow is no longer";
        }
    // The word's embedding is one vector in all texts; positions tell the copies apart.
    EXPECT_NEAR(made->paths[0][0][0], made->paths[1][0][0], 1e-9);
    EXPECT_EQ(made->layers[0].distance[0][1] > 1e-6, more == 1);
  }
}

// The parts of one row, computed another way: every head's vector by row_sum(), which multiplies by W_O.
void check_added(const Document& document, double rest) {
  const auto found = found_in(document, "mole", "the old mole ran");
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  for (std::int64_t layer = 0; layer < document.layers; ++layer) {
    const AttentionSite* site = find_site(*found->trace, "layer." + std::to_string(layer) + ".");
    ASSERT_TRUE(site);
    const auto added = attention_added(*found->trace, *site, 0, found->row, {});
    ASSERT_TRUE(added.ok()) << added.error().sentence();
    ASSERT_EQ(added->heads.size(), static_cast<std::size_t>(site->heads));
    double all = added->bias + added->rest;
    for (std::size_t head = 0; head < added->heads.size(); ++head) {
      const auto row = row_sum(*found->trace, site->prefix, 0, static_cast<std::int64_t>(head), found->row);
      ASSERT_TRUE(row.ok());
      EXPECT_NEAR(added->length, length_of(row->all_add), 1e-9);
      EXPECT_NEAR(added->heads[head].length, length_of(row->head_adds), 1e-9);
      EXPECT_NEAR(added->heads[head].along, dot(row->head_adds, row->all_add) / added->length, 1e-9);
      ASSERT_EQ(added->heads[head].by_source.size(), 4u);
      EXPECT_EQ(added->heads[head].by_source[3], 0) << "a token behind the word";
      all += std::accumulate(added->heads[head].by_source.begin(), added->heads[head].by_source.end(), 0.0);
    }
    EXPECT_NEAR(all, added->length, 1e-9);
    if (rest == 0) {
      EXPECT_NEAR(added->rest, 0, 1e-9);
    }
  }
}

TEST(AttentionAdded, ThePartsAddUpToTheLength) { check_added(word_context_small(), 0); }

TEST(AttentionAdded, AModelWithoutProjectionsHasPartsToo) {
  Document document = word_context_small();
  document.projected = document.bias = false;
  document.heads = 1;
  check_added(document, 0);
}

TEST(AttentionAdded, ATokensShareHasTheRowOfItsDistance) { check_added(word_context_small("relative"), 0); }

TEST(AttentionAdded, WhatAnInterventionPutsInHasNoSource) {
  Document document = word_context_small();
  const auto scaled = interventions_from_text(Intervention::Kind::scale, "layer.1.head.2=0.5");
  ASSERT_TRUE(scaled.ok());
  document.interventions = *scaled;
  check_added(document, 1);
  const auto found = found_in(document, "mole", "the old mole ran");
  ASSERT_TRUE(found.ok());
  const auto added = attention_added(*found->trace, *find_site(*found->trace, "layer.1."), 0, found->row, {});
  ASSERT_TRUE(added.ok());
  EXPECT_NEAR(added->rest, added->heads[2].along, 1e-9);
  EXPECT_NE(added->rest, 0);
  EXPECT_EQ(added->heads[2].by_source, Vector(4, 0.0));
}

TEST(AttentionAdded, AnAttentionTakenOutAddsNothing) {
  Document document = word_context_small();
  const auto out = interventions_from_text(Intervention::Kind::zero, "layer.0.attention");
  ASSERT_TRUE(out.ok());
  document.interventions = *out;
  const auto found = found_in(document, "mole", "the old mole ran");
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  const auto added = attention_added(*found->trace, *find_site(*found->trace, "layer.0."), 0, found->row, {});
  ASSERT_TRUE(added.ok());
  EXPECT_EQ(added->length, 0);
  EXPECT_EQ(added->rest, 0);
  for (const double part : added->by_source) EXPECT_EQ(part, 0);
}

TEST(QueryKeySpace, ThePointsAreTheHeadsQueriesAndKeysInOnePlane) {
  for (const char* position : {"sinusoidal", "rotary"}) {
    const auto found = found_in(word_context_small(position), "mole", "the old mole ran");
    ASSERT_TRUE(found.ok()) << found.error().sentence();
    const AttentionSite& site = *find_site(*found->trace, "layer.1.");
    const auto space = query_key_space(*found->trace, site, 0, 2, {});
    ASSERT_TRUE(space.ok()) << space.error().sentence();
    ASSERT_EQ(space->queries.size(), 4u);
    ASSERT_EQ(space->keys.size(), 4u);
    EXPECT_LE(space->share[0] + space->share[1], 1 + 1e-12);
    const auto q = found->trace->values(site.q), k = found->trace->values(site.k);
    ASSERT_TRUE(q.ok() && k.ok());
    for (std::int64_t i = 0; i < 4; ++i)
      for (std::int64_t j = 0; j < 4; ++j) {
        double square = 0, score = 0;
        for (std::int64_t c = 0; c < site.d_k; ++c) {
          square += std::pow(q->at({0, 2, i, c}) - k->at({0, 2, j, c}), 2);
          score += q->at({0, 2, i, c}) * k->at({0, 2, j, c});
        }
        const auto scores = found->trace->values("layer.1.scores");
        ASSERT_TRUE(scores.ok());
        EXPECT_NEAR(scores->at({0, 2, i, j}), score, 1e-9) << "they are what the scores multiply";
        const auto &a = space->queries[static_cast<std::size_t>(i)], &b = space->keys[static_cast<std::size_t>(j)];
        EXPECT_LE(std::hypot(a[0] - b[0], a[1] - b[1]), std::sqrt(square) + 1e-9);
        EXPECT_EQ(space->weights[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] > 0, j <= i);
      }
    const auto none = query_key_space(*found->trace, site, 0, 3, {});
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().sentence(), "layer.1.: there is no head 3; there are 3 heads");
  }
}

}  // namespace
}  // namespace headlight
