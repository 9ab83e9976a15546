// Scores of heads, by hand; and alignments learned from pairs.
#include "engine/insight/head_scores.h"

#include <gtest/gtest.h>

#include "engine/insight/word_alignment.h"
#include "support/tiny_model.h"

namespace headlight {
namespace {

using tests::tiny_model;
using tests::TinyModel;

Predictor head_scores_predictor_of(const TinyModel& tiny) {
  EXPECT_TRUE(tiny.write().ok());
  return std::move(Predictor::open(*open_stored_model(tiny.name()), *backends::open("reference"))).value();
}
WordLists lists() { return std::move(WordLists::read("adjective: red big\nnoun: cat\n", "here")).value(); }
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
  const Predictor predictor = head_scores_predictor_of(tiny);
  const auto found = score_heads(predictor, "a. ab a\n\nbb", "here", lists(), {});
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  ASSERT_EQ(found->heads.size(), 4u);
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
  const HeadScores& head = found->heads[3];  // layer 1, head 1
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

// From the noun's last token to all tokens of its adjectives, of every noun that has some.
TEST(HeadScoresTest, AdjectivesAreWhatTheirNounLooksAt) {
  const Predictor predictor =
      head_scores_predictor_of(tiny_model("scores-adjectives", ModelTask::decoder, [](StoredModel& m) { m.length = 24; }));
  const auto found = score_heads(predictor, "a big red cat. red cat\ncat is red", "here", lists(), {});
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  // [BOS] a · b i g · r e d · c a t . · r e d · c a t
  const TokenIds ids = predictor.beginning("a big red cat. red cat", {}).value();
  ASSERT_EQ(ids.size(), 23u);
  const auto sites = predictor.attention({{ids}}, {}, {}).value();
  for (const HeadScores& head : found->heads) {
    const Tensor& w = sites[static_cast<std::size_t>(head.layer)].weights;
    const auto sum = [&](std::int64_t row, std::initializer_list<std::int64_t> columns) {
      double all = 0;
      for (const std::int64_t column : columns) all += w.at({0, head.head, row, column});
      return all;
    };
    EXPECT_NEAR(score(head, HeadPattern::adjective), (sum(13, {3, 4, 5, 7, 8, 9}) + sum(22, {16, 17, 18})) / 2, 1e-12);
  }
  const auto none = score_heads(predictor, "cat is red", "here", lists(), {});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(score(none->heads.front(), HeadPattern::adjective), -1);
}

// What the model does not read any more is no noun of it.
TEST(HeadScoresTest, ACutTextHasNoNounBeyondItsEnd) {
  const Predictor predictor = head_scores_predictor_of(tiny_model("scores-cut"));  // reads 12 tokens
  for (const auto& [text, has] : {std::pair{"a bit red cat", false}, {"a it red cat", false}, {"an red cat", true}}) {
    const auto found = score_heads(predictor, text, "here", lists(), {});
    ASSERT_TRUE(found.ok()) << found.error().sentence();
    EXPECT_EQ(score(found->heads.front(), HeadPattern::adjective) >= 0, has) << text;
  }
}

// Both sides are seen where there is no causal mask.
TEST(HeadScoresTest, AnEncoderHasNextTokens) {
  const auto found =
      score_heads(head_scores_predictor_of(tiny_model("scores-encoder", ModelTask::encoder)), "ab ab", "here", lists(), {});
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  for (const HeadScores& head : found->heads) EXPECT_GT(score(head, HeadPattern::next), 0);
}

TEST(HeadScoresTest, CrossAttentionIsScoredAgainstTheTranslatedWord) {
  const TinyModel tiny = tiny_model("scores-cross", ModelTask::encoder_decoder);
  const Predictor predictor = head_scores_predictor_of(tiny);
  // a is r, b is s: in three pairs, in both orders.
  const auto found = score_heads(predictor, "ab\trs\nba\tsr\na\tr\nb\ts\n", "here", lists(), {});
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  ASSERT_EQ(found->heads.size(), 12u);
  EXPECT_EQ(found->heads.front().site, "encoder");
  EXPECT_EQ(score(found->heads.front(), HeadPattern::adjective), -1);
  EXPECT_EQ(found->heads.back().site, "cross");
  const auto text = [&](const char* words) {
    return predictor.source(words, Message::name("here"), {}).value();
  };  // [BOS] a b [EOS]
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
  EXPECT_NEAR(score(found->heads.back(), HeadPattern::alignment), sum / 4, 1e-9);
}

TEST(HeadScoresTest, SourceAndTargetHaveNounsOfTheirOwn) {
  const Predictor predictor = head_scores_predictor_of(tiny_model("scores-two-nouns", ModelTask::encoder_decoder));
  const WordLists words = std::move(WordLists::read("adjective: red mat\nnoun: cat son\n", "here")).value();
  const auto found = score_heads(predictor, "a red cat\tmat son\n", "here", words, {});
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  const TokenIds source = predictor.source("a red cat", Message::name("here"), {}).value();  // [BOS] a · r e d · c a t [EOS]
  ASSERT_EQ(source.size(), 11u);
  TokenIds target = {2};  // [BOS] m a t · s o n
  const auto tokens = predictor.output_tokenizer().encode("mat son").value();
  for (const auto& token : tokens) target.push_back(token.id);
  ASSERT_EQ(target.size(), 8u);
  const auto sites = predictor.attention({{source}}, {{target}}, {}).value();
  for (const SiteWeights& site : sites) {
    const bool encoder = site.site.site == masks::Site::encoder_self, cross = site.site.site == masks::Site::cross;
    const std::int64_t row = encoder ? 9 : 7, first = encoder ? 3 : 1;
    double sum = 0;
    for (std::int64_t j = first; j < first + 3; ++j) sum += cross ? 0 : site.weights.at({0, 1, row, j});
    for (const HeadScores& head : found->heads) {
      if (head.site != (cross ? "cross" : encoder ? "encoder" : "decoder") || head.layer != site.site.layer || head.head != 1)
        continue;
      EXPECT_NEAR(score(head, HeadPattern::adjective), cross ? -1 : sum, 1e-12) << head.site;
    }
  }
}

std::vector<tokenizers::Token> tokens_at(std::initializer_list<std::pair<std::int64_t, std::int64_t>> spans) {
  std::vector<tokenizers::Token> tokens;
  for (const auto& [start, end] : spans) tokens.push_back({0, "", start, end});
  return tokens;
}

TEST(WordListsTest, ARunOfAdjectivesEndsRightBeforeItsNoun) {
  // The tokens of "Big, red cats": "Bi" "g" "," " re" "d" " ca" "t" - a space may belong to the token behind it.
  const auto tokens = tokens_at({{0, 2}, {2, 3}, {3, 4}, {4, 7}, {7, 8}, {8, 11}, {11, 12}});
  const auto found = lists().described_nouns("Big, red cat", tokens);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].noun, 6);
  EXPECT_EQ(found[0].adjectives, (std::vector<std::int64_t>{0, 1, 3, 4}));
  for (const char* text : {"big, cat", "big. cat", "big old cat", "big-cat", "cats big", "big", "", "big cot"})
    EXPECT_TRUE(lists().described_nouns(text, tokens_at({{0, 3}, {3, 5}, {5, 11}})).empty()) << text;
  // A noun whose end was cut off; and one token that has adjective and noun.
  EXPECT_TRUE(lists().described_nouns("big cat", tokens_at({{0, 3}, {3, 6}})).empty());
  EXPECT_TRUE(lists().described_nouns("big cat", tokens_at({{0, 7}})).empty());
  EXPECT_TRUE(lists().described_nouns("big cat", {}).empty());
}

TEST(WordListsTest, AFileOfListsSaysWhatIsWrong) {
  const auto refused = [](const char* text, const char* words) {
    const auto read = WordLists::read(text, "lists.txt");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_NE(read.error().sentence().find(words), std::string::npos) << read.error().sentence();
  };
  refused("adjective: red\nverb: run\n", "lists.txt:2: this line begins neither");
  refused("adjective red\n", "lists.txt:1: this line begins neither");
  refused("  red\n", "lists.txt:1: this line continues nothing");
  refused("adjective: red\nnoun: cat\n  Red\n", "lists.txt:3: 'Red' is in both lists");
  refused("adjective: red, blue\n", "'red,' is no word");
  refused("noun: cat\n", "it has no adjectives");
  refused("adjective: red\r\n# noun: cat\n", "it has no nouns");
  EXPECT_FALSE(WordLists::open("/nowhere/lists.txt").ok());
  EXPECT_TRUE(WordLists::open({}).ok());  // the bundled one
}

}  // namespace
}  // namespace headlight
