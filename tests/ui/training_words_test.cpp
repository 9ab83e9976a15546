// The training film's sentences about its steps.
#include <gtest/gtest.h>

#include "app/text/language.h"
#include "app/views/base/training_film.h"
#include "engine/tokenizers/training/film.h"

namespace headlight {
namespace {

// The worked corpus of S14.
std::shared_ptr<const tokenizers::Film> film_of(const std::string& kind, bool merges) {
  tokenizers::TrainingOptions options;
  options.vocabulary_size = merges ? 100 : 7;
  options.alphabet = "corpus";
  options.word_counts = true;
  auto trained =
      tokenizers::registry().find(kind)->train({{"hug", 10}, {"pug", 5}, {"pun", 12}, {"bun", 4}, {"hugs", 5}}, options, {});
  EXPECT_TRUE(trained.ok());
  auto film = tokenizers::Film::of(std::make_shared<const tokenizers::Training>(std::move(trained).value()), kind, false);
  EXPECT_TRUE(film.ok());
  return *film;
}

TEST(TrainingWords, SayWhyInNumbers) {
  speak(nullptr);  // whatever language a window before spoke
  const auto bpe = film_of("bpe", true);
  EXPECT_EQ(views::why_chosen(*bpe, 1),
            "u + g occurs 10 times in \"hug\", 5 times in \"pug\", 5 times in \"hugs\": 20 in all, the most of all pairs.");
  EXPECT_EQ(views::why_chosen(*bpe, 2),
            "u + n occurs 12 times in \"pun\", 4 times in \"bun\": 16 in all, the most of all pairs.");
  EXPECT_EQ(views::why_chosen(*bpe, 0), "");
  const auto wordpiece = film_of("wordpiece", true);
  EXPECT_NE(views::why_chosen(*wordpiece, 1).find("5 / (20 × 5) = 0.05"), std::string::npos);
  EXPECT_NE(views::why_chosen(*wordpiece, 2).find("first in corpus order"), std::string::npos);
  const auto words = film_of("words", false);
  ASSERT_GT(words->steps(), 0);
  EXPECT_EQ(views::why_chosen(*words, 1), "\"pun\" occurs 12 times in the corpus: the most of those not yet in the vocabulary.");
}

}  // namespace
}  // namespace headlight
