// Scores of heads, by hand; and alignments learned from pairs.
#include "engine/insight/head_scores.h"

#include <gtest/gtest.h>

#include "engine/insight/word_alignment.h"
#include "support/tiny_model.h"

namespace headlight {
namespace {

using tests::tiny_model;
using tests::TinyModel;

Predictor predictor_of(const TinyModel& tiny) {
  EXPECT_TRUE(tiny.write().ok());
  return std::move(Predictor::open(*open_stored_model(tiny.name()), *backends::open("reference"))).value();
}
double score(const HeadScores& head, HeadPattern pattern) {
  const auto& found = head.scores[static_cast<std::size_t>(pattern)];
  return found ? *found : -1;
}

// Model 1 settles what the classic example needs: "la maison", "la fleur", "maison bleue".
TEST(WordAlignment, FindsWhatGoesTogether) {
  using Ids = WordAlignment::Ids;
  const int the = 10, house = 11, flower = 12, blue = 13, la = 20, maison = 21, fleur = 22, bleue = 23;
  const std::vector<Ids> sources = {{the, house}, {the, flower}, {blue, house}, {the}},
                         targets = {{la, maison}, {la, fleur}, {maison, bleue}, {la}};
  const auto learned = WordAlignment::learn(sources, targets, {});
  ASSERT_TRUE(learned.ok());
  EXPECT_EQ(learned->align({the, house}, {la, maison}), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(learned->align({blue, house}, {maison, bleue}), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(learned->align({blue, flower}, {fleur, bleue}), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(learned->align({the}, {99}), (std::vector<std::int64_t>{-1}));  // never seen
  CancelSource stop;
  stop.cancel();
  EXPECT_FALSE(WordAlignment::learn(sources, targets, stop.token()).ok());
}

// Every score is the mean over texts of the mean over rows, from the weights themselves.
TEST(HeadScoresTest, AreMeansOfTheWeightsOnTheirCells) {
  const TinyModel tiny = tiny_model("scores");
  const Predictor predictor = predictor_of(tiny);
  const auto found = score_heads(predictor, "a. ab a\n\nbb", "here", {});
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  ASSERT_EQ(found->size(), 4u);
  // [BOS] a . · a b · a: rows 0..7; "a" stands at 1, 4 and 7, the stop at 2. And [BOS] b b.
  const TokenIds first = predictor.beginning("a. ab a", {}).value(), second = predictor.beginning("bb", {}).value();
  ASSERT_EQ(first.size(), 8u);
  const Tensor w = predictor.attention({{first}}, {}, {}).value()[1].weights,
               v = predictor.attention({{second}}, {}, {}).value()[1].weights;
  const auto mean = [](std::initializer_list<double> all) {
    double sum = 0;
    for (const double x : all) sum += x;
    return sum / static_cast<double>(all.size());
  };
  const HeadScores& head = (*found)[3];  // layer 1, head 1
  EXPECT_EQ(head.layer, 1);
  EXPECT_EQ(head.head, 1);
  const auto at = [&](std::int64_t i, std::int64_t j) { return w.at({0, 1, i, j}); };
  EXPECT_NEAR(score(head, HeadPattern::previous),
              mean({mean({at(1, 0), at(2, 1), at(3, 2), at(4, 3), at(5, 4), at(6, 5), at(7, 6)}),
                    mean({v.at({0, 1, 1, 0}), v.at({0, 1, 2, 1})})}),
              1e-12);
  EXPECT_NEAR(score(head, HeadPattern::same), mean({mean({at(4, 1), at(7, 1) + at(7, 4)}), v.at({0, 1, 2, 1})}), 1e-12);
  EXPECT_NEAR(score(head, HeadPattern::punctuation), mean({at(3, 2), at(4, 2), at(5, 2), at(6, 2), at(7, 2)}), 1e-12);
  EXPECT_EQ(score(head, HeadPattern::next), -1);  // behind a causal mask
  EXPECT_EQ(score(head, HeadPattern::alignment), -1);
  EXPECT_GT(score(head, HeadPattern::induction), 0);
}

// Both sides are seen where there is no causal mask.
TEST(HeadScoresTest, AnEncoderHasNextTokens) {
  const auto found = score_heads(predictor_of(tiny_model("scores-encoder", ModelTask::encoder)), "ab ab", "here", {});
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  for (const HeadScores& head : *found) EXPECT_GT(score(head, HeadPattern::next), 0);
}

TEST(HeadScoresTest, CrossAttentionIsScoredAgainstTheTranslatedWord) {
  const TinyModel tiny = tiny_model("scores-cross", ModelTask::encoder_decoder);
  const Predictor predictor = predictor_of(tiny);
  // a is r, b is s: in three pairs, in both orders.
  const auto found = score_heads(predictor, "ab\trs\nba\tsr\na\tr\nb\ts\n", "here", {});
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  ASSERT_EQ(found->size(), 12u);
  EXPECT_EQ(found->front().site, "encoder");
  EXPECT_EQ(found->back().site, "cross");
  const auto text = [&](const char* words) { return predictor.source(words, "here", {}).value(); };  // [BOS] a b [EOS]
  const auto target = [&](std::initializer_list<const char*> pieces) {
    TokenIds ids = {2};
    for (const char* piece : pieces) ids.push_back(predictor.output_tokenizer().vocabulary().find(piece));
    return ids;
  };
  double sum = 0;
  for (const auto& [source, read, places] : {std::tuple{text("ab"), target({"r", "s"}), std::vector<std::int64_t>{1, 2}},
                                             {text("ba"), target({"s", "r"}), {1, 2}},
                                             {text("a"), target({"r"}), {1}},
                                             {text("b"), target({"s"}), {1}}}) {
    const auto sites = predictor.attention({{source}}, {{read}}, {}).value();
    const SiteWeights& cross = sites.back();
    ASSERT_EQ(cross.site.site, masks::Site::cross);
    double of_text = 0;  // row i reads target token i and predicts the next
    for (std::size_t i = 0; i < places.size(); ++i) of_text += cross.weights.at({0, 1, static_cast<std::int64_t>(i), places[i]});
    sum += of_text / static_cast<double>(places.size());
  }
  EXPECT_NEAR(score(found->back(), HeadPattern::alignment), sum / 4, 1e-9);
}

}  // namespace
}  // namespace headlight
