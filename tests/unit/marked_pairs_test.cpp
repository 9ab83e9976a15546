// Sentences with marked pairs of words: their file, their words as a tokenizer cuts them, and how often a head finds the partner.
#include "engine/insight/marked_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/document/stored_model.h"
#include "engine/insight/found_roles.h"
#include "support/tiny_model.h"

namespace headlight {
namespace {

std::string of(const std::string& text, text::Span span) {
  return text.substr(static_cast<std::size_t>(span.start), static_cast<std::size_t>(span.end - span.start));
}

TEST(MarkedPairs, AreReadByTheirWords) {
  const auto read =
      read_marked_texts("# a comment\nThe dog saw the cat (it ran).\tdeterminer: cat>the; subject: ran>it; pair: )>(\n", "here");
  ASSERT_TRUE(read.ok()) << read.error().sentence();
  ASSERT_EQ(read->size(), 1u);
  const MarkedText& text = read->front();
  ASSERT_EQ(text.pairs.size(), 3u);
  EXPECT_EQ(text.pairs[0].pattern, HeadPattern::determiner);
  EXPECT_EQ(of(text.text, text.pairs[0].later), "cat");
  EXPECT_EQ(text.pairs[0].earlier.start, 12) << "capital letters count: not the first word";
  EXPECT_EQ(of(text.text, text.pairs[2].later), ")");
  const auto second = read_marked_texts("a cat and a dog\tdeterminer: dog>a#2", "here");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->front().pairs[0].earlier.start, 10);
}

TEST(MarkedPairs, WhatIsWrongIsSaidWithItsLine) {
  const auto said = [](const char* text) {
    const auto read = read_marked_texts(text, "here");
    return read.ok() ? std::string() : read.error().sentence();
  };
  EXPECT_NE(said("a cat\tdeterminer: cat>a\na cat\n").find("here:2: this line has no tab"), std::string::npos);
  EXPECT_NE(said("a cat\tprevious: cat>a\n").find("'previous' is no pattern"), std::string::npos);
  EXPECT_NE(said("a cat\tdeterminer: dog>a\n").find("no word 'dog'"), std::string::npos);
  EXPECT_NE(said("a cat\tdeterminer: cat>a#2\n").find("no word 'a#2'"), std::string::npos);
  EXPECT_NE(said("a cat\tdeterminer: a>cat\n").find("the other way round"), std::string::npos);
  EXPECT_NE(said("a cat\tdeterminer: cat\n").find("no pair of words"), std::string::npos);
  EXPECT_NE(said("# nothing\n").find("no marked text"), std::string::npos);
}

// Of the bundled ones there are enough for a share of them to mean something, and no fixed distance finds half of a pattern.
TEST(MarkedPairs, TheBundledTextsAreManyAndOfManyDistances) {
  const auto read = open_marked_texts();
  ASSERT_TRUE(read.ok()) << read.error().sentence();
  EXPECT_GE(read->size(), 40u);
  for (const HeadPattern pattern : kHeadPatterns) {
    if (!needs_marks(pattern)) continue;
    std::map<std::size_t, std::int64_t> apart;
    std::int64_t all = 0;
    for (const MarkedText& text : *read) {
      // A token a character, so that words are words whatever the tokenizer.
      std::vector<tokenizers::Token> tokens;
      for (std::int64_t at = 0; at < static_cast<std::int64_t>(text.text.size()); ++at)
        tokens.push_back({0, "", at, at + 1, false});
      const MarkedWords words = marked_words(text, tokens, 0);
      for (const MarkedWords::Pair& pair : words.pairs)
        if (pair.pattern == pattern) {
          ++apart[pair.later - pair.earlier];
          ++all;
        }
    }
    EXPECT_GE(all, 30) << name_of(pattern);
    for (const auto& [distance, count] : apart)
      EXPECT_LT(2 * count, all) << name_of(pattern) << ": " << count << " of " << all << " pairs are " << distance
                                << " words apart";
  }
}

MarkedText text_of(const char* line) { return read_marked_texts(line, "here").value().front(); }

// "the" "old dog" "b" "ark" "s": tokens that join two words and cut one.
TEST(MarkedPairs, WordsAreRangesOfTokens) {
  const MarkedText text = text_of("the old dog barks\tdeterminer: dog>the; subject: barks>dog");
  const std::vector<tokenizers::Token> tokens = {
      {1, "", 0, 3, false}, {2, "", 3, 11, false}, {3, "", 11, 13, false}, {4, "", 13, 16, false}, {5, "", 16, 17, false}};
  const MarkedWords words = marked_words(text, tokens, 1);
  ASSERT_EQ(words.words.size(), 4u);
  EXPECT_EQ(words.words[0].begin, 1);
  EXPECT_EQ(words.words[1].begin, 2);
  EXPECT_EQ(words.words[2].begin, 2) << "of the same token";
  EXPECT_EQ(words.words[3].begin, 3);
  EXPECT_EQ(words.words[3].end, 6);
  ASSERT_EQ(words.pairs.size(), 2u);
  // A sequence that ends within the verb has no verb.
  EXPECT_EQ(marked_words(text, std::span(tokens).first(4), 1).pairs.size(), 1u);
}

// A head whose row `from` gives its weight to column `to`, and every other row to itself.
HeadMap looking(std::int64_t count, const std::vector<std::pair<std::int64_t, std::int64_t>>& cells, bool causal) {
  Tensor weights(DType::f32, {count, count}), mask(DType::u8, {count, count});
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t to = i;
    for (const auto& [row, column] : cells)
      if (row == i) to = column;
    for (std::int64_t j = 0; j < count; ++j) {
      weights.data<float>()[i * count + j] = j == to ? 1.0f : 0.0f;
      mask.data<std::uint8_t>()[i * count + j] = !causal || j <= i;
    }
  }
  return {weights, mask};
}

TEST(MarkedPairs, AHeadIsScoredByItsStrongestWord) {
  // A token a word, behind a [BOS]: near pairs and far ones, as many of each.
  const MarkedText near = text_of("x the dog barks y\tsubject: barks>dog"),
                   far = text_of("x dog there barks y\tsubject: barks>dog");
  const auto tokens = [](const MarkedText& text) {
    std::vector<tokenizers::Token> all;
    for (std::size_t at = 0; at < text.text.size();) {
      const std::size_t end = std::min(text.text.find(' ', at), text.text.size());
      all.push_back({0, "", static_cast<std::int64_t>(at), static_cast<std::int64_t>(end), false});
      at = end + 1;
    }
    return all;
  };
  MarkedCounts subject, before, ahead;
  for (int i = 0; i < kLeastPairs / 2; ++i)
    for (const bool is_near : {true, false}) {
      const MarkedText& text = is_near ? near : far;
      const MarkedWords words = marked_words(text, tokens(text), 1);
      subject.add(looking(6, {{4, is_near ? 3 : 2}}, true), words);
      before.add(looking(6, {{4, 3}}, true), words);
      ahead.add(looking(6, {{is_near ? 3 : 2, 4}}, false), words);
    }
  const auto told = [](const MarkedCounts& counts) {
    PatternScores scores, chance;
    counts.tell(scores, chance);
    return std::pair(score_of(scores, HeadPattern::subject), score_of(chance, HeadPattern::subject));
  };
  EXPECT_EQ(told(subject), (std::pair<std::optional<double>, std::optional<double>>(1.0, 0.5)))
      << "either distance finds half of them";
  EXPECT_EQ(told(before), (std::pair<std::optional<double>, std::optional<double>>(0.5, 0.5)));
  EXPECT_EQ(told(ahead).first, 1.0) << "from the subject to its verb, where nothing hides it";
  // Too few pairs tell nothing.
  MarkedCounts few;
  few.add(looking(6, {{4, 3}}, true), marked_words(near, tokens(near), 1));
  EXPECT_FALSE(told(few).first);
  // Where heads rest is no word to choose: the first token, without a [BOS].
  MarkedCounts resting;
  const MarkedText first = text_of("dog there barks y z\tsubject: barks>dog");
  for (int i = 0; i < kLeastPairs; ++i) resting.add(looking(5, {{2, 0}}, true), marked_words(first, tokens(first), 0));
  EXPECT_FALSE(told(resting).first);
}

// A model that knows all characters measures them; each pattern has its chance.
TEST(MarkedPairs, AreMeasuredWithEveryModel) {
  const auto tiny = tests::tiny_model("marked", ModelTask::decoder, [](StoredModel& m) { m.length = 128; });
  ASSERT_TRUE(tiny.write().ok());
  const auto predictor = Predictor::open(*open_stored_model(tiny.name()), *backends::open("reference"));
  ASSERT_TRUE(predictor.ok());
  const auto lists = WordLists::read("adjective: red\nnoun: cat\n", "here");
  std::string lines;
  for (int i = 0; i < 30; ++i) lines += "a cat sits there\tdeterminer: cat>a; subject: sits>cat\n";
  const auto texts = read_marked_texts(lines, "here");
  ASSERT_TRUE(texts.ok());
  std::int64_t asked = 0, of_all = 0;
  const auto found = score_heads(
      *predictor, "a red cat. it sat. a cat", "here", *lists, {},
      [&](std::int64_t, std::int64_t total) {
        ++asked;
        of_all = total;
      },
      *texts);
  ASSERT_TRUE(found.ok()) << found.error().sentence();
  EXPECT_EQ(asked, 31);
  EXPECT_EQ(of_all, 31);
  EXPECT_EQ(found->marked, 30);
  for (const HeadScores& head : found->heads) {
    ASSERT_TRUE(score_of(head.scores, HeadPattern::subject));
    EXPECT_EQ(score_of(head.chance, HeadPattern::subject), 1.0) << "always one word apart";
    const auto role = found_role(head.scores, head.chance);
    EXPECT_FALSE(role && needs_marks(role->pattern));
    for (const HeadPattern pattern : kHeadPatterns)
      EXPECT_EQ(score_of(head.scores, pattern).has_value(), score_of(head.chance, pattern).has_value()) << name_of(pattern);
  }
  // Characters of a word are its pieces, and second sentences have a beginning.
  EXPECT_TRUE(score_of(found->heads[0].scores, HeadPattern::pieces));
  EXPECT_TRUE(score_of(found->heads[0].scores, HeadPattern::sentence));
  EXPECT_TRUE(score_of(found->heads[0].scores, HeadPattern::previous_punctuation));
}

}  // namespace
}  // namespace headlight
