// What is told about a token is what the tokenizer did: the last step of every explanation is its answer, and the stages end in
// the words that reach the model.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/core/text_file.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/anatomy.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/files/published.h"
#include "engine/tokenizers/kinds.h"
#include "engine/tokenizers/training/training.h"
#include "support/parity_data.h"

namespace headlight::tokenizers {
namespace {

std::shared_ptr<const Anatomy> anatomy_of_name(const std::string& name) {
  const auto tokenizer = open(name);
  EXPECT_TRUE(tokenizer.ok()) << name;
  if (!tokenizer.ok()) return nullptr;
  const auto anatomy = Anatomy::of(*tokenizer);
  EXPECT_TRUE(anatomy.ok());
  return anatomy.ok() ? *anatomy : nullptr;
}

// The ids that the explanations of all words end in; nothing where a word is unknown to a unigram model, which writes it
// otherwise.
std::vector<std::int32_t> anatomy_explained_ids(const Anatomy& anatomy, const std::string& text) {
  const std::string& kind = anatomy.tokenizer().kind();
  std::vector<std::int32_t> ids;
  const std::int32_t unknown = anatomy.tokenizer().unknown_id();
  for (const ModelWord& word : anatomy.words(text)) {
    if (kind == "bpe") {
      const MergeStory story = anatomy.merges(word.text.text());
      for (const auto& part : story.states.back().parts) ids.push_back(part.id < 0 ? unknown : part.id);
    } else if (kind == "wordpiece") {
      const TryStory story = anatomy.tries(word.text.text());
      if (!story.covered) ids.push_back(unknown);
      for (const auto& one : story.tries)
        if (story.covered && one.id >= 0) ids.push_back(one.id);
    } else {
      const LatticeStory story = anatomy.lattice(word.text.text(), 1);
      for (const std::size_t p : story.paths.front().pieces)
        if (story.pieces[p].unknown)
          return {};
        else
          ids.push_back(story.pieces[p].id);
    }
  }
  return ids;
}

std::vector<std::int32_t> anatomy_encoded_ids(const Tokenizer& tokenizer, const std::string& text) {
  const auto ids = tokenizer.encode_ids(text);
  return ids.ok() ? *ids : std::vector<std::int32_t>();
}

TEST(Anatomy, EndsInTheIdsOfOurVocabularies) {
  for (const std::string name : {"bpe", "wordpiece"}) {
    const auto anatomy = anatomy_of_name(name);
    ASSERT_TRUE(anatomy);
    for (const std::string text : {"An unbelievably naïve axolotl  ate 31415", "I ❤ 猫", "don't PANIC!", "日本語とDeutsch"})
      EXPECT_EQ(anatomy_explained_ids(*anatomy, text), anatomy_encoded_ids(anatomy->tokenizer(), text)) << name << ": " << text;
  }
}

TEST(Anatomy, EndsInTheIdsOfPublishedTokenizersInFiveHundredLanguages) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  const auto table = read_text_file(test::parity_data() / "udhr/article1.tsv");
  ASSERT_TRUE(table.ok());
  const std::vector<std::string> lines = lines_of_text(*table);
  for (const std::string file : {"gpt2-bpe", "tiktoken/cl100k_base.tiktoken", "tokenizer-json/phi-3-mini.json",
                                 "tokenizer-json/bert-base-uncased.json", "tokenizer-json/t5-small.json"}) {
    const auto anatomy = anatomy_of_name((test::parity_data() / file).string());
    ASSERT_TRUE(anatomy);
    std::size_t compared = 0;
    for (std::size_t i = 1; i < lines.size(); i += 3) {
      // The beginning: some tokenizers read a whole sentence as one word, and long words are explained only so far.
      std::string text = lines[i].substr(lines[i].rfind('\t') + 1, 120);
      while (!text.empty() && !text::is_valid_utf8(text)) text.pop_back();
      const auto explained = anatomy_explained_ids(*anatomy, text);
      if (explained.empty()) continue;
      ++compared;
      EXPECT_EQ(explained, anatomy_encoded_ids(anatomy->tokenizer(), text)) << file << ": " << text;
    }
    EXPECT_GT(compared, 75u) << file;
  }
}

TEST(Anatomy, JoinsTheLowestRankFirst) {
  const auto anatomy = anatomy_of_name("bpe");
  ASSERT_TRUE(anatomy);
  for (const ModelWord& word : anatomy->words(" unbelievably")) {
    const MergeStory story = anatomy->merges(word.text.text());
    ASSERT_GT(story.states.size(), 3u);
    for (const auto& state : story.states) {
      ASSERT_EQ(state.ranks.size() + 1, state.parts.size());
      if (state.chosen < 0) continue;
      const std::int64_t rank = state.ranks[static_cast<std::size_t>(state.chosen)];
      for (const std::int64_t other : state.ranks) EXPECT_TRUE(other < 0 || other >= rank);
      EXPECT_EQ(anatomy->rank_of(story.states[static_cast<std::size_t>(&state - story.states.data()) + 1]
                                     .parts[static_cast<std::size_t>(state.chosen)]
                                     .id),
                rank);
    }
    for (const std::int64_t rank : story.states.back().ranks) EXPECT_EQ(rank, -1) << "it stops where no pair is in the table";
  }
}

TEST(Anatomy, TriesTheLongestPieceFirst) {
  TokenizerPlan plan = plan_of("wordpiece", *Vocabulary::of({"[UNK]", "un", "##able", "##ab"}, "test"));
  plan.vocabulary.set_special(Role::unknown, 0);
  const auto tokenizer = Tokenizer::make(plan, "test");
  ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  const auto anatomy = Anatomy::of(*tokenizer);
  const TryStory story = (*anatomy)->tries("unable");
  ASSERT_EQ(story.tries.size(), 6u);  // unable, unabl, unab, una, un; ##able
  EXPECT_EQ(story.tries[4].id, 1);
  EXPECT_EQ(story.tries[5].id, 2);
  EXPECT_TRUE(story.covered);
  const TryStory lost = (*anatomy)->tries("unx");
  EXPECT_FALSE(lost.covered);
  EXPECT_EQ(lost.tries.back().id, -1);
}

// A unigram model of a few pieces: the paths of "aab" are a a b, a ab, aa b.
std::shared_ptr<const Anatomy> small_unigram() {
  TokenizerPlan plan;
  plan.vocabulary = *Vocabulary::of({"<unk>", "a", "b", "aa", "ab"}, "test");
  plan.vocabulary.set_special(Role::unknown, 0);
  plan.model = {"unigram", {}};
  plan.scores = {0, -1.0, -2.0, -2.5, -2.75};
  plan.post_processor = plan_of("words", plan.vocabulary).post_processor;
  plan.decoders = {{"plain", {}}};
  const auto tokenizer = Tokenizer::make(plan, "test");
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  return *Anatomy::of(*tokenizer);
}

TEST(Anatomy, TheLatticeHasAllPathsAndTheirShares) {
  const auto anatomy = small_unigram();
  const LatticeStory story = anatomy->lattice("aab", 9);
  EXPECT_EQ(story.pieces.size(), 5u);  // a, aa, a, ab, b
  EXPECT_EQ(story.all_paths, 3);
  ASSERT_EQ(story.paths.size(), 3u);
  EXPECT_NEAR(story.paths[0].sum, -3.75, 1e-12);  // a ab
  EXPECT_NEAR(story.paths[1].sum, -4.0, 1e-12);   // a a b
  EXPECT_NEAR(story.paths[2].sum, -4.5, 1e-12);   // aa b
  double shares = 0;
  for (const auto& path : story.paths) shares += path.share;
  EXPECT_NEAR(shares, 1, 1e-12);
  EXPECT_NEAR(story.best.back(), story.paths[0].sum, 1e-12);
  EXPECT_NEAR(story.best[1], -1, 1e-12);
}

TEST(Anatomy, AForbiddenPieceIsNotOnAnyPath) {
  const auto anatomy = small_unigram();
  const LatticeStory story = anatomy->lattice("aab", 9, {4});
  EXPECT_EQ(story.all_paths, 2);
  EXPECT_NEAR(story.paths[0].sum, -4.0, 1e-12);
  for (const auto& piece : story.pieces) EXPECT_NE(piece.id, 4);
}

TEST(Anatomy, AStageTellsWhatItChangedAndWhatItThrewAway) {
  const auto anatomy = anatomy_of_name("wordpiece");
  ASSERT_TRUE(anatomy);
  const std::string text = "Ab ÉC";
  const auto stages = anatomy->stages(text);
  ASSERT_FALSE(stages.empty());
  const StageText& last = stages.back();
  EXPECT_TRUE(last.splits);
  EXPECT_EQ(last.words, 2);
  ASSERT_EQ(last.lost.size(), 1u) << "the space is in no word";
  EXPECT_EQ(last.lost[0], (text::Span{2, 3}));
  bool changed = false;
  for (const auto& cell : last.cells) {
    if (cell.word < 0) continue;
    changed = changed || cell.changed;
    EXPECT_EQ(cell.changed, cell.text != text.substr(static_cast<std::size_t>(cell.source.start),
                                                     static_cast<std::size_t>(cell.source.end - cell.source.start)));
  }
  const bool lower = std::ranges::any_of(stages, [](const StageText& stage) { return stage.id == "lowercase"; });
  EXPECT_EQ(changed, lower);
}

TEST(Anatomy, AnAddedTokenIsSeenByNoStage) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  const auto anatomy = anatomy_of_name((test::parity_data() / "tokenizer-json/bert-base-uncased.json").string());
  ASSERT_TRUE(anatomy);
  const auto stages = anatomy->stages("The [MASK] Cat");
  for (const StageText& stage : stages) {
    const auto found = std::ranges::count_if(stage.cells, [](const auto& cell) { return cell.added && cell.text == "[MASK]"; });
    EXPECT_EQ(found, 1) << stage.id;
  }
  for (const ModelWord& word : anatomy->words("The [MASK] Cat")) EXPECT_NE(word.text.text(), "[mask]");
}

}  // namespace
}  // namespace headlight::tokenizers
