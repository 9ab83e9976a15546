#include "engine/tokenizers/training/film.h"

#include <gtest/gtest.h>

namespace headlight::tokenizers {
namespace {

// The worked corpus of S14.
const std::vector<WordCount> kWords{{"hug", 10}, {"pug", 5}, {"pun", 12}, {"bun", 4}, {"hugs", 5}};

std::shared_ptr<const Film> film_of(const std::string& kind, std::int64_t size) {
  TrainingOptions options;
  options.vocabulary_size = size;
  options.alphabet = "corpus";
  options.word_counts = true;
  auto trained = registry().find(kind)->train(kWords, options, {});
  EXPECT_TRUE(trained.ok());
  auto film = Film::of(std::make_shared<const Training>(std::move(trained).value()), kind, false);
  EXPECT_TRUE(film.ok());
  return *film;
}

using Symbols = std::vector<std::string>;

TEST(Film, BpeFusesTheLectureWords) {
  const auto film = film_of("bpe", 100);
  ASSERT_GE(film->steps(), 3);
  EXPECT_EQ(film->symbols(0, 0), (Symbols{"h", "u", "g"}));
  EXPECT_EQ(film->symbols(0, 1), (Symbols{"h", "ug"}));
  EXPECT_EQ(film->symbols(0, 2), (Symbols{"h", "ug"}));
  EXPECT_EQ(film->symbols(0, 3), (Symbols{"hug"}));
  EXPECT_EQ(film->symbols(4, 3), (Symbols{"hug", "s"}));
  EXPECT_EQ(film->symbols(2, 2), (Symbols{"p", "un"}));
  // 36 words; before the first merge 3 tokens each, and one more in each of the 5 "hugs"; 20 fewer after it, then 16 and 15
  // fewer.
  ASSERT_EQ(film->tokens_per_word().size(), static_cast<std::size_t>(film->steps() + 1));
  EXPECT_DOUBLE_EQ(film->tokens_per_word()[0], 113.0 / 36);
  EXPECT_DOUBLE_EQ(film->tokens_per_word()[1], 93.0 / 36);
  EXPECT_DOUBLE_EQ(film->tokens_per_word()[3], 62.0 / 36);
  EXPECT_DOUBLE_EQ(film->tokens_per_word().back(), 1.0);  // no pairs are left: every word is one token
  EXPECT_EQ(film->frequency("u", 0), 36);
  EXPECT_EQ(film->frequency("u", 1), 16);
}

TEST(Film, SaysWhyInNumbers) {
  const auto bpe = film_of("bpe", 100);
  const Film::Reason third = bpe->reason(3);
  EXPECT_EQ(third.chosen, "h + ug");
  EXPECT_EQ(third.count, 15);
  EXPECT_EQ(third.where, (std::vector<std::pair<std::string, std::int64_t>>{{"hug", 10}, {"hugs", 5}}));
  EXPECT_FALSE(third.tie);
  EXPECT_EQ(third.product, 0) << "only WordPiece divides";
  const auto wordpiece = film_of("wordpiece", 100);
  const Film::Reason first = wordpiece->reason(1);
  EXPECT_EQ(first.left, 20);
  EXPECT_EQ(first.right, 5);
  EXPECT_EQ(first.score, 0.05);
  EXPECT_TRUE(wordpiece->reason(2).tie);
  EXPECT_EQ(bpe->reason(0).chosen, "");
  EXPECT_EQ(bpe->reason(bpe->steps() + 1).chosen, "");
}

TEST(Film, WordPieceKeepsTheMarkOfTheInside) {
  const auto film = film_of("wordpiece", 100);
  EXPECT_EQ(film->symbols(4, 0), (Symbols{"h", "##u", "##g", "##s"}));
  EXPECT_EQ(film->symbols(4, 1), (Symbols{"h", "##u", "##gs"}));
  EXPECT_EQ(film->symbols(4, 2), (Symbols{"hu", "##gs"}));
  EXPECT_EQ(film->symbols(4, 3), (Symbols{"hugs"}));
}

TEST(Film, KindsWithoutMergesHaveNoFusing) {
  const auto film = film_of("words", 20);
  EXPECT_FALSE(film->merges());
  EXPECT_TRUE(film->tokens_per_word().empty());
  if (film->steps() > 0) {
    EXPECT_GT(film->reason(1).count, 0);
  }
}

TEST(Film, ShowsTheWordsOfTheStep) {
  const auto film = film_of("bpe", 100);
  EXPECT_EQ(film->words_to_show(3, 10), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));  // all fit: corpus order
  EXPECT_EQ(film->words_to_show(3, 2), (std::vector<std::int64_t>{0, 4}));            // the words that h + ug changes
  EXPECT_EQ(film->words_to_show(2, 3), (std::vector<std::int64_t>{2, 3, 0}));         // pun, bun; then the most frequent
  EXPECT_TRUE(film->symbols(99, 0).empty());
}

}  // namespace
}  // namespace headlight::tokenizers
