// The sentence that says what a head does: words, and what is really the largest.
#include "app/views/heads/saying.h"

#include <gtest/gtest.h>

#include "app/text/language.h"

namespace headlight::views::heads {
namespace {

// A sentence of pieces; those that begin with a space begin a word.
Sentence sentence_of(const std::vector<std::string>& pieces) {
  Sentence sentence;
  for (const std::string& piece : pieces) {
    tokenizers::Token token;
    token.id = static_cast<std::int32_t>(std::hash<std::string>{}(piece) % 1000);
    token.piece = piece;
    token.start = static_cast<std::int64_t>(sentence.text.size());
    sentence.text += piece;
    token.end = static_cast<std::int64_t>(sentence.text.size());
    sentence.tokens.push_back(token);
    sentence.labels.push_back(piece);
  }
  return sentence;
}
std::vector<std::string> labels(const std::vector<TokenWord>& words) {
  std::vector<std::string> all;
  for (const TokenWord& word : words) all.push_back(word.label);
  return all;
}

TEST(HeadSaying, TokensBecomeWords) {
  using Labels = std::vector<std::string>;
  EXPECT_EQ(labels(words_of(sentence_of({"a", " fl", "uff", "y", " cat", "."}))), (Labels{"a", "fluffy", "cat", "."}));
  EXPECT_EQ(labels(words_of(sentence_of({"don", "'", "t"}))), (Labels{"don", "'", "t"}));
  EXPECT_EQ(labels(words_of(sentence_of({"the", " cat", " and", " the", " dog"}))),
            (Labels{"the₁", "cat", "and", "the₂", "dog"}));
  EXPECT_EQ(labels(words_of(sentence_of({"注意", "力"}))), (Labels{"注意", "力"})) << "ideographs stand alone";
  Sentence marked = sentence_of({"a", " cat"});
  marked.tokens.insert(marked.tokens.begin(), tokenizers::Token{2, "[BOS]", 0, 0});
  marked.labels.insert(marked.labels.begin(), "[BOS]");
  EXPECT_EQ(labels(words_of(marked)), (Labels{"[BOS]", "a", "cat"}));
  EXPECT_EQ(words_of(sentence_of({"a", " fl", "uff", "y"})).back().end, 4);
  EXPECT_LT(labels(words_of(sentence_of({std::string(5000, 'x')}))).front().size(), 40u);
}

// A causal head over "a big red cat saw", whose rows are given from their own column on.
struct Head {
  std::vector<std::string> pieces = {"a", " big", " red", " cat", " saw"};
  std::vector<std::vector<double>> rows;
  std::vector<WordLists::Described> nouns;

  Saying saying(std::optional<HeadPattern> role, int most = 2, bool causal = true) const {
    const auto n = static_cast<std::int64_t>(pieces.size());
    Tensor weights(DType::f64, {n, n}, {}, true), mask(DType::u8, {n, n}, {}, true);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        const auto& row = rows[static_cast<std::size_t>(i)];
        const bool given = j < static_cast<std::int64_t>(row.size());
        weights.data<double>()[i * n + j] = given ? row[static_cast<std::size_t>(j)] : 0;
        mask.data<std::uint8_t>()[i * n + j] = !causal || j <= i;
      }
    const Sentence sentence = sentence_of(pieces);
    SayingText text;
    text.rows = text.columns = words_of(sentence);
    for (const tokenizers::Token& token : sentence.tokens) {
      text.patterns.ids.push_back(token.id);
      const std::string own = token.piece.substr(token.piece.front() == ' ');
      text.patterns.words.push_back({own, own == "."});
    }
    text.patterns.nouns = nouns;
    return head_saying(HeadMap(weights, mask), text, role, most);
  }
  std::string operator()(std::optional<HeadPattern> role, int most = 2) const { return plain(saying(role, most)); }
};

TEST(HeadSaying, ItNamesTheLargestWeightsOfTheRowsThatShowTheRole) {
  Head head;
  head.rows = {{1}, {.9, .1}, {.7, .2, .1}, {.05, .2, .7, .05}, {.9, .02, .02, .03, .03}};
  head.nouns = {{3, {1, 2}}};
  EXPECT_EQ(head(HeadPattern::adjective), "cat looks at red and big.");
  const Saying parts = head.saying(HeadPattern::adjective);
  for (const SayingPart& part : parts)
    EXPECT_EQ(part.marked, part.text == "cat" || part.text == "red" || part.text == "big") << part.text;
  // A second word that gets next to nothing is not named.
  head.rows[3] = {.05, .1, .8, .05};
  EXPECT_EQ(head(HeadPattern::adjective), "cat looks at red.");
  // What is larger than what the role is about is not hidden: a word by itself, the first one by the words before.
  head.rows[3] = {.05, .2, .1, .65};
  EXPECT_EQ(head(HeadPattern::adjective), "cat looks at itself and big.");
  head.rows[3] = {.6, .05, .3, .05};
  EXPECT_EQ(head(HeadPattern::adjective), "apart from a, the first one, cat looks at red.");
  // Without an adjective before a noun it says so, and what the head looks at instead.
  head.nouns.clear();
  EXPECT_EQ(head(HeadPattern::adjective, 1),
            "no noun known to it has an adjective here; apart from a, the first one, cat looks at red.");
}

TEST(HeadSaying, TheFirstWordCountsWhereTheRoleIsAboutIt) {
  Head head;
  head.rows = {{1}, {.9, .1}, {.7, .2, .1}, {.8, .1, .05, .05}, {.1, .1, .1, .6, .1}};
  EXPECT_EQ(head(HeadPattern::first), "3 of 4 words look most at a, the first one.");
  EXPECT_EQ(head(std::nullopt), "3 of 4 words look most at a, the first one.");
  // The word before may be the first one, but rows that have it before them say little.
  head.rows = {{1}, {.99, .01}, {.05, .9, .05}, {.05, .15, .75, .05}, {.1, .1, .1, .1, .6}};
  EXPECT_EQ(head(HeadPattern::previous), "red looks at big, cat at red and big.");
}

TEST(HeadSaying, AHeadWithoutARoleSaysWhatItsHardestRowsDo) {
  Head head;
  head.rows = {{1}, {.4, .6}, {.2, .7, .1}, {.3, .3, .2, .2}, {.1, .1, .1, .6, .1}};
  EXPECT_EQ(head(std::nullopt), "big looks at itself and a, red at big and a.");
  EXPECT_EQ(head(std::nullopt, 1), "red looks at big and a.");
  head.rows = {{1}, {.4, .6}, {.2, .1, .7}, {.1, .1, .1, .7}, {.6, .1, .1, .1, .1}};
  EXPECT_EQ(head(std::nullopt), "3 of 4 words look most at themselves.");
  head.pieces = {"a", " b", " c", " d", " e", " f", " g"};
  head.rows.assign(7, std::vector<double>(7, 1.0 / 7));
  EXPECT_EQ(plain(head.saying(std::nullopt, 2, false)),
            "it spreads its weight; the most that one word gets is .14, from a to a.");
  head.pieces = {"he", " ran", ".", " on"};
  head.rows = {{1}, {.7, .3}, {.1, .1, .8}, {.05, .05, .9, 0}};
  EXPECT_EQ(head(std::nullopt, 1), "on looks at “.”.") << "a sign is told from the sentence's own";
  head.pieces = {"a"};
  head.rows = {{1}};
  EXPECT_EQ(head(std::nullopt), "") << "one word has no choice";
}

// A word's weight is that of its tokens together, and a word looks from its last one.
TEST(HeadSaying, PiecesOfAWordCountTogether) {
  Head head;
  head.pieces = {"a", " fl", "uff", "y", " cat"};
  head.rows = {{1}, {.5, .5}, {.5, .3, .2}, {.1, .3, .3, .3}, {.35, .2, .2, .2, .05}};
  head.nouns = {{4, {1, 2, 3}}};
  EXPECT_EQ(head(HeadPattern::adjective), "cat looks at fluffy.");
}

TEST(HeadSaying, AlignmentSpeaksOfTheWordThatIsWritten) {
  const Sentence source = sentence_of({"black", " cat"}), target = sentence_of({"^", " chat", " noir"});
  Tensor weights(DType::f64, {3, 2}, {}, true);
  const double rows[] = {.1, .9, .8, .2, .5, .5};
  std::copy(std::begin(rows), std::end(rows), weights.data<double>());
  SayingText text;
  text.rows = words_of(target);
  text.columns = words_of(source);
  text.self = false;
  EXPECT_EQ(plain(head_saying(HeadMap(weights, {}), text, HeadPattern::alignment)),
            "to write chat it looks at cat, to write noir at black and cat.");
}

TEST(HeadSaying, InChinese) {
  const auto chinese = load_language("zh");
  ASSERT_TRUE(chinese.ok());
  speak(*chinese);
  Head head;
  head.rows = {{1}, {.9, .1}, {.7, .2, .1}, {.05, .2, .7, .05}, {.9, .02, .02, .03, .03}};
  head.nouns = {{3, {1, 2}}};
  EXPECT_EQ(head(HeadPattern::adjective), "cat 看向 red 和 big。");
  EXPECT_EQ(head(std::nullopt), "4 个词中有 3 个最多看第一个词 a。");
  speak(nullptr);
}

}  // namespace
}  // namespace headlight::views::heads
