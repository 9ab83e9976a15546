// How a tokenizer comes to its tokens: stages of a text, and the model's way to the pieces of a word.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "engine/tokenizers/explained.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/kinds.h"
#include "engine/tokenizers/training/training.h"
#include "support/parity_data.h"

namespace headlight::tokenizers {
namespace {

std::shared_ptr<const Tokenizer> hug() {
  const auto training = bpe_entry().train({{"hug", 10}, {"pug", 5}, {"pun", 12}, {"bun", 4}, {"hugs", 5}},
                                          {.vocabulary_size = 14, .word_counts = true}, {});
  return training.ok() ? training->tokenizer : nullptr;
}

std::shared_ptr<const Tokenizer> made(const TokenizerPlan& plan) {
  auto tokenizer = Tokenizer::make(plan, "here");
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  return tokenizer.ok() ? *tokenizer : nullptr;
}

TokenizerPlan unigram_plan() {
  TokenizerPlan plan;
  plan.vocabulary = *Vocabulary::of({"<unk>", "a", "b", "ab", "abab"}, "here");
  plan.vocabulary.set_special(Role::unknown, 0);
  plan.scores = {0, -2, -2.5, -3.5, -9.5};
  plan.model = {"unigram", {}};
  plan.splitters = {{"words", {}}};
  plan.post_processor = {"template", {}};
  plan.decoders = {{"plain", {}}};
  return plan;
}

TEST(Explained, MergesAreTrees) {
  const auto tokenizer = hug();
  ASSERT_TRUE(tokenizer);
  const auto explanation = tokenizer->explain_word("hugs");
  ASSERT_TRUE(explanation.ok());
  const auto& trees = std::get<MergeTrees>(*explanation);
  ASSERT_EQ(trees.leaves, 4u);
  ASSERT_EQ(trees.nodes.size(), 6u);
  EXPECT_EQ(tokenizer->piece(trees.nodes[4].id), "ug");
  EXPECT_EQ(trees.nodes[4].rank, 0);
  EXPECT_EQ(tokenizer->piece(trees.nodes[5].id), "hug");
  EXPECT_EQ(trees.nodes[5].left, 0);
  EXPECT_EQ(trees.nodes[5].right, 4);
  EXPECT_EQ(trees.nodes[5].start, 0);
  EXPECT_EQ(trees.nodes[5].end, 3);
  EXPECT_EQ(trees.roots, (std::vector<std::int32_t>{5, 3}));
}

TEST(Explained, WordPieceSaysWhatFits) {
  Vocabulary vocabulary = *Vocabulary::of({"[UNK]", "h", "hug", "##s", "##g", "##gable"}, "here");
  vocabulary.set_special(Role::unknown, 0);
  const auto tokenizer = made(plan_of("wordpiece", std::move(vocabulary)));
  ASSERT_TRUE(tokenizer);
  const auto explanation = tokenizer->explain_word("hugga");
  ASSERT_TRUE(explanation.ok());
  const auto& matches = std::get<LongestMatches>(*explanation);
  EXPECT_FALSE(matches.covered);
  ASSERT_EQ(matches.steps.size(), 3u);
  ASSERT_EQ(matches.steps[0].fits.size(), 2u);
  EXPECT_EQ(tokenizer->piece(matches.steps[0].fits[1].id), "hug");
  EXPECT_EQ(matches.steps[1].reach, 5) << "##gable begins with ga";
  EXPECT_EQ(matches.steps[1].fits.back().end, 4);
  EXPECT_TRUE(matches.steps[2].fits.empty());
  EXPECT_TRUE(std::get<LongestMatches>(*tokenizer->explain_word(std::string(101, 'h'))).too_long);
}

TEST(Explained, TheLatticeHasScoresAndARunnerUp) {
  const auto tokenizer = made(unigram_plan());
  ASSERT_TRUE(tokenizer);
  const auto explanation = tokenizer->explain_word("abab");
  ASSERT_TRUE(explanation.ok());
  const auto& lattice = std::get<Lattice>(*explanation);
  // a, b, ab at both places, and abab: the best is ab ab (-7), then ab a b and a b ab (-8).
  ASSERT_EQ(lattice.edges.size(), 7u);
  EXPECT_EQ(lattice.best.size(), 2u);
  EXPECT_EQ(lattice.best_score, -7);
  EXPECT_EQ(lattice.runner_up.size(), 3u);
  EXPECT_EQ(lattice.runner_up_score, -8);
  EXPECT_EQ(lattice.best_to, (std::vector<double>{0, -2, -3.5, -5.5, -7}));
  // All ways: ab ab, ab a b, a b ab, a b a b, abab.
  const double all = std::exp(-7.0) + 2 * std::exp(-8.0) + std::exp(-9.0) + std::exp(-9.5);
  for (const Lattice::Edge& edge : lattice.edges)
    if (edge.end - edge.start == 4) EXPECT_NEAR(edge.share, std::exp(-9.5) / all, 1e-12);
  double first = 0;
  for (const Lattice::Edge& edge : lattice.edges) first += edge.start == 0 ? edge.share : 0;
  EXPECT_NEAR(first, 1, 1e-12) << "every way begins with one edge";
}

TEST(Explained, AWordWithOneWayHasNoRunnerUp) {
  const auto explanation = made(unigram_plan())->explain_word("axb");
  ASSERT_TRUE(explanation.ok());
  const auto& lattice = std::get<Lattice>(*explanation);
  EXPECT_TRUE(lattice.runner_up.empty());
  ASSERT_EQ(lattice.best.size(), 3u);
  EXPECT_TRUE(lattice.edges[static_cast<std::size_t>(lattice.best[1])].unknown);
}

TEST(Explained, StagesSayWhatTheyChanged) {
  TokenizerPlan plan = unigram_plan();
  plan.normalizers = {{"nfd", {}}, {"strip_accents", {}}, {"lowercase", {}}};
  const auto tokenizer = made(plan);
  ASSERT_TRUE(tokenizer);
  const auto explained = tokenizer->explain("\u00c1b, ab");
  ASSERT_TRUE(explained.ok());
  ASSERT_EQ(explained->parts.size(), 1u);
  const auto& stages = explained->parts[0].stages;
  ASSERT_EQ(stages.size(), 4u);
  EXPECT_EQ(stages[0].text.text(), "A\u0301b, ab");
  EXPECT_EQ(stages[0].written, (std::vector<text::Span>{{0, 3}}));
  EXPECT_EQ(stages[0].gone, (std::vector<text::Span>{{0, 2}}));
  EXPECT_EQ(stages[1].text.text(), "Ab, ab");
  EXPECT_TRUE(stages[1].written.empty());
  EXPECT_EQ(stages[1].gone, (std::vector<text::Span>{{1, 3}})) << "the accent";
  EXPECT_EQ(stages[2].written, (std::vector<text::Span>{{0, 1}}));
  EXPECT_FALSE(stages[2].cut);
  EXPECT_TRUE(stages[3].splits);
  EXPECT_TRUE(stages[3].cut);
  ASSERT_EQ(explained->parts[0].words.size(), 3u);
  EXPECT_EQ(explained->parts[0].words[0].text, "ab");
  EXPECT_EQ(explained->parts[0].words[0].source, (text::Span{0, 3}));
  EXPECT_EQ(explained->parts[0].words[2].source, (text::Span{5, 7}));
}

// Of every tokenizer the explanations lead to encode()'s tokens.
TEST(Explained, EveryTokenizerIsExplained) {
  std::vector<std::string> names = bundled_names();
  if (!test::parity_data().empty())
    for (const char* name :
         {"tokenizer-json/gpt2.json", "tokenizer-json/bert-base-uncased.json", "tokenizer-json/t5-small.json",
          "tokenizer-json/phi-3-mini.json", "tokenizer-json/roberta-base.json", "tokenizer-json/added-tokens.json",
          "tiktoken/cl100k_base.tiktoken", "sentencepiece/t5_base_spiece.model", "sentencepiece/test_model.model",
          "user-cases/clip_style_end_of_word.json"})
      names.push_back((test::parity_data() / name).string());
  for (const std::string& name : names) {
    const auto tokenizer = open(name);
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
    for (const std::string text :
         {"", "a fluffy  blue creature, I'LL don't\n\n x1234567", "na\u00efve e\u0301 \u0130 \ufb01\u2460",
          "\u6771\u4eac\u306f [MASK] </s> <|endoftext|> \u200d\U0001F468\u200d\U0001F469\x7f\x01", " \xff\xc3 "}) {
      const auto tokens = (*tokenizer)->encode(text);
      const auto explained = (*tokenizer)->explain(text);
      ASSERT_TRUE(tokens.ok() && explained.ok());
      EXPECT_EQ(explained->tokens, *tokens) << name << ": " << text;
      std::size_t at = 0;
      for (const Explained::Part& part : explained->parts) {
        if (part.added >= 0) {
          EXPECT_EQ(explained->tokens.at(at++).id, part.added);
          continue;
        }
        for (const Explained::Word& word : part.words) {
          EXPECT_EQ(word.first_token, at);
          at += word.tokens;
          const auto explanation = (*tokenizer)->explain_word(word.text);
          ASSERT_TRUE(explanation.ok());
          std::vector<std::int32_t> ids, expected;
          for (std::size_t i = word.first_token; i < at; ++i) expected.push_back((*tokens)[i].id);
          if (const auto* trees = std::get_if<MergeTrees>(&*explanation); trees && !trees->whole)
            for (const std::int32_t root : trees->roots) ids.push_back(trees->nodes[static_cast<std::size_t>(root)].id);
          if (const auto* matches = std::get_if<LongestMatches>(&*explanation); matches && matches->covered)
            for (const auto& step : matches->steps) ids.push_back(step.fits.back().id);
          if (const auto* lattice = std::get_if<Lattice>(&*explanation)) {
            bool unknown = false;
            for (const std::int32_t edge : lattice->best) {
              ids.push_back(lattice->edges[static_cast<std::size_t>(edge)].id);
              unknown = unknown || lattice->edges[static_cast<std::size_t>(edge)].unknown;
            }
            if (unknown) ids.clear();  // neighbours that are unknown are one token, or bytes
            EXPECT_LE(lattice->runner_up_score, lattice->best_score);
          }
          if (!ids.empty()) EXPECT_EQ(ids, expected) << name << ": " << word.text;
        }
      }
      EXPECT_EQ(at, explained->tokens.size()) << name << ": " << text;
    }
  }
}

}  // namespace
}  // namespace headlight::tokenizers
