// Two attentions side by side: which tokens correspond, and what differs.
#include "engine/insight/comparison.h"

#include <gtest/gtest.h>

#include <cmath>

namespace headlight {
namespace {

Sentence comparison_sentence(const std::string& text,
                             const std::vector<std::tuple<std::string, std::int64_t, std::int64_t>>& tokens) {
  Sentence out;
  out.text = text;
  for (const auto& [piece, start, end] : tokens) {
    out.tokens.push_back({static_cast<std::int32_t>(out.tokens.size()), piece, start, end});
    out.labels.push_back(piece);
  }
  return out;
}

const Sentence& words() {
  static const Sentence s = comparison_sentence("man bites dog", {{"man", 0, 3}, {"bites", 4, 9}, {"dog", 10, 13}});
  return s;
}
const Sentence& pieces() {
  static const Sentence s = comparison_sentence("man bites dog", {{"man", 0, 3}, {"·bit", 3, 7}, {"es", 7, 9}, {"·dog", 9, 13}});
  return s;
}

using Indices = std::vector<std::int64_t>;

TEST(Alignment, EqualTokensStandForEachOther) {
  const Alignment same = align(words(), words());
  EXPECT_EQ(same.kind, Alignment::Kind::same);
  ASSERT_EQ(same.groups.size(), 3u);
  EXPECT_EQ(same.groups[1].a, Indices{1});
  EXPECT_EQ(same.groups[1].b, Indices{1});
}

TEST(Alignment, TheSameTextCutOtherwiseMeetsAtSharedEnds) {
  const Alignment cut = align(words(), pieces());
  EXPECT_EQ(cut.kind, Alignment::Kind::by_bytes);
  ASSERT_EQ(cut.groups.size(), 3u);
  EXPECT_EQ(cut.groups[1].a, Indices{1});
  EXPECT_EQ(cut.groups[1].b, (Indices{1, 2}));
  EXPECT_EQ(cut.groups[1].label, "bites");
  EXPECT_EQ(cut.left_a + cut.left_b, 0);
  EXPECT_EQ(group_of_b(cut, 2), 1);
  EXPECT_EQ(group_of_a(cut, 2), 2);
  EXPECT_EQ(group_of_a(cut, 9), -1);
  const Alignment back = align(pieces(), words());
  EXPECT_EQ(back.groups[1].label, "bites") << "the whole word names the stretch";
}

TEST(Alignment, TokensThatWeAddedAreNoStretchOfText) {
  Sentence begun = words();
  begun.tokens.insert(begun.tokens.begin(), {2, "[BOS]", 0, 0});
  begun.labels.insert(begun.labels.begin(), "[BOS]");
  const Alignment one = align(begun, pieces());
  EXPECT_EQ(one.groups.size(), 3u);
  EXPECT_EQ(one.left_a, 1);
  EXPECT_EQ(one.groups[0].a, Indices{1});
}

TEST(Alignment, AnotherSentenceKeepsWhatIsInBothInOrder) {
  const Sentence other =
      comparison_sentence("the man bites a hot dog",
                          {{"the", 0, 3}, {"man", 4, 7}, {"bites", 8, 13}, {"a", 14, 15}, {"hot", 16, 19}, {"dog", 20, 23}});
  const Alignment common = align(words(), other);
  EXPECT_EQ(common.kind, Alignment::Kind::by_token);
  ASSERT_EQ(common.groups.size(), 3u);
  EXPECT_EQ(common.groups[2].b, Indices{5});
  EXPECT_EQ(common.left_a, 0);
  EXPECT_EQ(common.left_b, 3);
  const Alignment nothing = align(words(), comparison_sentence("x y", {{"x", 0, 1}, {"y", 2, 3}}));
  EXPECT_EQ(nothing.kind, Alignment::Kind::none);
  EXPECT_TRUE(nothing.groups.empty());
}

TEST(Compare, WeightsToAStretchAddUpAndItsRowsAreAveraged) {
  const Tensor a = Tensor::of<float>({.5f, .3f, .2f, .1f, .8f, .1f, 0, .4f, .6f}, {3, 3});
  const Tensor b = Tensor::of<float>({.4f, .3f, .1f, .2f, .2f, .2f, .4f, .2f, .0f, .2f, .6f, .2f, .1f, .1f, .2f, .6f}, {4, 4});
  const Alignment cut = align(words(), pieces());
  const auto d = compare({a, {}}, {b, {}}, cut, cut, Quantity::weights);
  ASSERT_TRUE(d.ok()) << d.error().sentence();
  EXPECT_EQ(d->difference.shape(), (Shape{3, 3}));
  EXPECT_NEAR(d->b.at({0, 1}), .4, 1e-6) << ".3 + .1";
  EXPECT_NEAR(d->b.at({1, 1}), ((.2 + .4) + (.2 + .6)) / 2, 1e-6);
  EXPECT_NEAR(d->b.at({1, 0}), (.2 + 0) / 2, 1e-6);
  for (std::int64_t r = 0; r < 3; ++r) {
    double sum = 0;
    for (std::int64_t c = 0; c < 3; ++c) sum += d->b.at({r, c});
    EXPECT_NEAR(sum, 1, 1e-6) << "rows still sum to 1";
    for (std::int64_t c = 0; c < 3; ++c) EXPECT_NEAR(d->difference.at({r, c}), d->a.at({r, c}) - d->b.at({r, c}), 1e-6);
  }
  double moved = 0, largest = 0;
  for (std::int64_t r = 0; r < 3; ++r)
    for (std::int64_t c = 0; c < 3; ++c) {
      moved += std::abs(d->difference.at({r, c})) / 6;
      largest = std::max(largest, std::abs(d->difference.at({r, c})));
    }
  EXPECT_NEAR(d->moved, moved, 1e-6);
  EXPECT_NEAR(d->largest, largest, 1e-6);
  ASSERT_FALSE(d->changes.empty());
  EXPECT_NEAR(std::abs(d->changes[0].a - d->changes[0].b), largest, 1e-6);
  for (std::size_t i = 1; i < d->changes.size(); ++i)
    EXPECT_GE(std::abs(d->changes[i - 1].a - d->changes[i - 1].b), std::abs(d->changes[i].a - d->changes[i].b));
}

TEST(Compare, AMaskInOneOfThemIsADifferenceOfWeightsAndNoneOfScores) {
  const Tensor a = Tensor::of<float>({.5f, .5f, .5f, .5f}, {2, 2}), b = Tensor::of<float>({1, 0, .5f, .5f}, {2, 2});
  const Tensor mask = Tensor::of<std::uint8_t>({1, 0, 1, 1}, {2, 2});
  const Sentence two = comparison_sentence("x y", {{"x", 0, 1}, {"y", 2, 3}});
  const Alignment same = align(two, two);
  const auto weights = compare({a, {}}, {b, mask}, same, same, Quantity::weights);
  ASSERT_TRUE(weights.ok());
  EXPECT_EQ(weights->mask.at({0, 1}), 1);
  EXPECT_NEAR(weights->difference.at({0, 1}), .5, 1e-6);
  EXPECT_NEAR(weights->moved, .25, 1e-6) << "half of one of two rows";
  EXPECT_EQ(weights->changes.size(), 2u);
  const auto scores = compare({a, {}}, {b, mask}, same, same, Quantity::scores);
  ASSERT_TRUE(scores.ok());
  EXPECT_EQ(scores->mask.at({0, 1}), 0);
  EXPECT_EQ(scores->difference.at({0, 1}), 0);
  const auto both = compare({a, mask}, {b, mask}, same, same, Quantity::weights);
  EXPECT_EQ(both->mask.at({0, 1}), 0);
}

TEST(Compare, ManyChangesKeepTheLargest) {
  std::vector<float> a(400), zero(400, 0);
  for (std::size_t i = 0; i < 400; ++i) a[i] = static_cast<float>((i * 37) % 400);
  Sentence long_one;
  for (int i = 0; i < 20; ++i) long_one.tokens.push_back({i, std::to_string(i), i, i + 1});
  const Alignment same = align(long_one, long_one);
  const auto d = compare({Tensor::of(a, {20, 20}), {}}, {Tensor::of(zero, {20, 20}), {}}, same, same, Quantity::scores);
  ASSERT_TRUE(d.ok());
  ASSERT_EQ(d->changes.size(), kMostChanges);
  for (std::size_t i = 0; i < kMostChanges; ++i) EXPECT_EQ(d->changes[i].a, static_cast<double>(399 - i));
  EXPECT_FALSE(
      compare({Tensor::of<float>({1}, {1, 1}), {}}, {Tensor::of(zero, {20, 20}), {}}, same, same, Quantity::scores).ok());
}

}  // namespace
}  // namespace headlight
