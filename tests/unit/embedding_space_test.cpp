// Sums of words in an embedding table, and the nearest tokens: against plain loops over the table.
#include "engine/insight/embedding_space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/trace_of.h"

namespace headlight {
namespace {

EmbeddingSpace course() {
  const auto model = open_stored_model("course");
  EXPECT_TRUE(model.ok());
  auto space = embedding_space(**model, false);
  EXPECT_TRUE(space.ok());
  return *space;
}

std::int32_t id_of(const EmbeddingSpace& space, const std::string& word) {
  const auto tokens = space.tokenizer->encode(" " + word);
  EXPECT_TRUE(tokens.ok() && tokens->size() == 1) << word;
  return tokens->front().id;
}

double cosine_by_hand(const std::vector<double>& x, const EmbeddingSpace& space, std::int32_t token) {
  double dot = 0, xx = 0, yy = 0;
  for (std::int64_t c = 0; c < space.dimensions(); ++c) {
    const double y = space.table.at({token, c}), v = x[static_cast<std::size_t>(c)];
    dot += v * y;
    xx += v * v;
    yy += y * y;
  }
  return dot / std::sqrt(xx * yy);
}

TEST(EmbeddingSpace, ASumIsTheSumOfItsRows) {
  const EmbeddingSpace space = course();
  EXPECT_FALSE(space.random);
  const auto sum = embedding_sum(space, "aunt - uncle + man");
  ASSERT_TRUE(sum.ok()) << sum.error().sentence();
  ASSERT_EQ(sum->terms.size(), 3u);
  for (std::int64_t c = 0; c < space.dimensions(); ++c)
    EXPECT_NEAR(sum->vector[static_cast<std::size_t>(c)],
                space.table.at({id_of(space, "aunt"), c}) - space.table.at({id_of(space, "uncle"), c}) +
                    space.table.at({id_of(space, "man"), c}),
                1e-6);
  EXPECT_TRUE(is_analogy(*sum));
  const std::int32_t woman = id_of(space, "woman");
  const EmbeddingComparison two = compare_differences(space, *sum, woman);
  EXPECT_EQ(two.first, "aunt - uncle");
  EXPECT_EQ(two.second, "woman - man");
  double dot = 0, aa = 0, bb = 0;
  for (std::int64_t c = 0; c < space.dimensions(); ++c) {
    const double a = space.table.at({id_of(space, "aunt"), c}) - space.table.at({id_of(space, "uncle"), c});
    const double b = space.table.at({woman, c}) - space.table.at({id_of(space, "man"), c});
    dot += a * b;
    aa += a * a;
    bb += b * b;
  }
  EXPECT_NEAR(two.cosine, dot / std::sqrt(aa * bb), 1e-6);
  EXPECT_NEAR(two.first_length, std::sqrt(aa), 1e-6);
  EXPECT_NEAR(two.second_length, std::sqrt(bb), 1e-6);
  for (const char* same : {"aunt -uncle +man", " aunt  −  uncle + man ", "+ aunt - uncle + man"}) {
    const auto again = embedding_sum(space, same);
    ASSERT_TRUE(again.ok()) << same << ": " << again.error().sentence();
    EXPECT_EQ(again->vector, sum->vector) << same;
  }
}

TEST(EmbeddingSpace, TheNearestAreTheLargestCosinesOfTheWholeTable) {
  const EmbeddingSpace space = course();
  const auto sum = embedding_sum(space, "aunt - uncle + man");
  ASSERT_TRUE(sum.ok());
  const auto except = tokens_of(*sum);
  const auto nearest = nearest_tokens(space, sum->vector, 5, except, {});
  ASSERT_TRUE(nearest.ok());
  ASSERT_EQ(nearest->size(), 5u);
  std::vector<std::pair<double, std::int32_t>> all;
  for (std::int32_t token = 0; token < space.table.dim(0); ++token) {
    const double cosine = cosine_by_hand(sum->vector, space, token);
    const bool out = std::find(except.begin(), except.end(), token) != except.end();
    if (!out && std::isfinite(cosine) && !space.tokenizer->vocabulary().specials().contains(token))
      all.emplace_back(cosine, token);
  }
  std::sort(all.rbegin(), all.rend());
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ((*nearest)[i].token, all[i].second);
    EXPECT_NEAR((*nearest)[i].cosine, all[i].first, 1e-9);
  }
  EXPECT_EQ(nearest->front().token, id_of(space, "woman")) << "what the bundled course model has learnt";
}

TEST(EmbeddingSpace, TheSecondDifferenceIsOfAWholeWord) {
  const auto model = open_stored_model("stories");
  ASSERT_TRUE(model.ok());
  const auto space = embedding_space(**model, false);
  ASSERT_TRUE(space.ok());
  const auto second = [&](const char* text) {
    const auto sum = embedding_sum(*space, text);
    EXPECT_TRUE(sum.ok());
    const auto nearest = nearest_tokens(*space, sum->vector, 24, tokens_of(*sum), {});
    EXPECT_TRUE(nearest.ok());
    const std::int32_t token = counterpart_of(*space, *sum, *nearest);
    return token < 0 ? std::string() : space->tokenizer->decode({token});
  };
  EXPECT_EQ(second("aunt - uncle + man"), " woman") << "the lecture's, though pieces of words are nearer";
  const std::string word = second("king - man + woman");
  ASSERT_GT(word.size(), 2u);
  EXPECT_EQ(word[0], ' ') << "no piece of a word: " << word;
  EXPECT_EQ(space->tokenizer->encode(word)->size(), 1u);
}

TEST(EmbeddingSpace, AWordOfSeveralTokensIsTheirMean) {
  const EmbeddingSpace space = course();
  const auto word = embedding_sum(space, "zyxwv");
  if (!word.ok()) {
    EXPECT_EQ(word.error().kind, ErrorKind::usage);
  } else {
    const EmbeddingTerm& term = word->terms.front();
    ASSERT_GT(term.tokens.size(), 1u);
  }
  Document document;
  document.texts = {"ab"};
  document.tokenizer = "characters";
  document.d_model = 8;
  document.heads = 2;
  document.layers = 1;
  const auto trace = tests::trace_of(document);
  ASSERT_TRUE(trace);
  const auto letters = embedding_space(*trace, false, {});
  ASSERT_TRUE(letters.ok()) << letters.error().sentence();
  EXPECT_TRUE(letters->random) << "the sandbox's table is drawn";
  const auto ab = embedding_sum(*letters, "ab"), a = embedding_sum(*letters, "a"), b = embedding_sum(*letters, "b");
  ASSERT_TRUE(ab.ok() && a.ok() && b.ok());
  EXPECT_EQ(ab->terms[0].tokens.size(), 2u);
  for (std::size_t c = 0; c < 8; ++c) EXPECT_NEAR(ab->vector[c], (a->vector[c] + b->vector[c]) / 2, 1e-6);
}

TEST(EmbeddingSpace, WhatIsNoSumIsSaid) {
  const EmbeddingSpace space = course();
  for (const char* wrong : {"", "  ", "+", "aunt -", "aunt + - uncle", "aunt - + uncle", "aunt uncle"})
    EXPECT_EQ(embedding_sum(space, wrong).error().kind, ErrorKind::usage) << wrong;
  const auto zero = embedding_sum(space, "aunt - aunt");
  ASSERT_TRUE(zero.ok());
  EXPECT_TRUE(nearest_tokens(space, zero->vector, 5, {}, {})->empty()) << "zeros are near nothing";
  CancelSource stop;
  stop.cancel();
  EXPECT_EQ(nearest_tokens(space, space.table.empty() ? zero->vector : embedding_sum(space, "aunt")->vector, 5, {}, stop.token())
                .error()
                .kind,
            ErrorKind::cancelled);
}

TEST(EmbeddingSpace, TargetsHaveATableOfTheirOwn) {
  const auto model = open_stored_model("english-french");
  ASSERT_TRUE(model.ok());
  const auto source = embedding_space(**model, false), target = embedding_space(**model, true);
  ASSERT_TRUE(source.ok() && target.ok()) << target.error().sentence();
  EXPECT_NE(source->tokenizer, target->tokenizer);
  EXPECT_TRUE(embedding_sum(*target, "homme").ok());
}

}  // namespace
}  // namespace headlight
