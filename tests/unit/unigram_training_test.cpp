// Training of a unigram model: its rounds, and what it leaves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "engine/core/cancel.h"
#include "engine/tokenizers/files/headlight_file.h"
#include "engine/tokenizers/files/hugging_face_writer.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/training/training.h"
#include "engine/tokenizers/training/unigram_lattices.h"
#include "tests/support/process_folder.h"

namespace headlight::tokenizers {
namespace {

using Why = PruningRound::Why;

Result<Training> trained(std::string_view text, TrainingOptions options, const CancelToken& cancel = {}) {
  HL_ASSIGN(const auto words, unigram_entry().count_words(text, options, cancel));
  return unigram_entry().train(words, options, cancel);
}

// Words of two parts, of which every combination occurs.
std::string parts_text() {
  std::string text;
  for (const char* stem : {"walk", "talk", "jump", "play", "climb", "paint", "learn", "count"})
    for (const char* ending : {"", "s", "ed", "ing", "er", "ers"})
      for (int i = 0; i < 3; ++i) text += std::string(stem) + ending + (i == 1 ? ",\n" : " ");
  return text;
}

TEST(UnigramTraining, KeepsWhatIsFrequent) {
  const auto training = trained(parts_text(), {.vocabulary_size = 52, .coverage = 1});
  ASSERT_TRUE(training.ok()) << training.error().sentence();
  const Tokenizer& tokenizer = *training->tokenizer;
  EXPECT_EQ(tokenizer.vocabulary_size(), 52);
  for (const char* piece : {"▁walk", "▁climb", ","}) EXPECT_GE(tokenizer.vocabulary().find(piece), 0) << piece;
  const auto ids = tokenizer.encode_ids("painting  climbed");
  ASSERT_TRUE(ids.ok());
  EXPECT_LT(ids->size(), 8u) << "words are not cut into letters";
  EXPECT_EQ(tokenizer.decode(*ids), "painting climbed");
  EXPECT_EQ(tokenizer.encode("ж")->back().id, tokenizer.unknown_id());
  // The scores are logarithms of probabilities, the pieces in their order.
  const std::vector<double> scores = tokenizer.plan().scores;
  EXPECT_TRUE(std::is_sorted(scores.begin() + 4, scores.end(), std::greater<>()));
  EXPECT_LT(scores[4], 0);
}

TEST(UnigramTraining, RoundsSayWhatIsTakenOutAndWhy) {
  const auto training = trained(parts_text(), {.vocabulary_size = 40, .keep_candidates = 1000, .coverage = 1});
  ASSERT_TRUE(training.ok()) << training.error().sentence();
  ASSERT_GE(training->rounds.size(), 2u);
  EXPECT_TRUE(training->steps.empty());
  std::int64_t before = training->rounds.front().pieces_before;
  for (const PruningRound& round : training->rounds) {
    EXPECT_EQ(round.pieces_before, before);
    const std::int64_t taken = std::accumulate(round.taken_for.begin(), round.taken_for.end(), std::int64_t{0});
    if (&round != &training->rounds.back()) EXPECT_EQ(round.pieces_after, before - taken);
    before = round.pieces_after;
    double least_spared = INFINITY;
    for (const auto& piece : round.spared) least_spared = std::min(least_spared, piece.loss);
    for (const auto& piece : round.taken) {
      if (piece.why != Why::missed) continue;
      EXPECT_LE(piece.loss, least_spared) << piece.piece;
      std::string joined;
      for (const std::string& part : piece.instead) joined += part;
      EXPECT_EQ(joined, piece.piece);
      EXPECT_GE(piece.instead.size(), 2u);
    }
    for (std::size_t i = 0; i < round.cuts.size(); ++i)
      EXPECT_EQ(std::accumulate(round.cuts[i].begin(), round.cuts[i].end(), std::string()), training->words[i].word);
  }
  EXPECT_EQ(before, 36) << "without the special tokens";
  // Fewer pieces make the corpus less likely, and its words longer.
  for (std::size_t i = 1; i + 1 < training->rounds.size(); ++i)
    EXPECT_GE(training->rounds[i].tokens_per_word, training->rounds[i - 1].tokens_per_word);
}

// The expectations of short stretches, in products, and of long ones, in logarithms, against all ways to cut a word.
TEST(UnigramTraining, ExpectationsAreThoseOfAllCuts) {
  std::string longer;
  for (int i = 0; i < 12; ++i) longer += "ab";
  for (const std::string word : {std::string("abab"), longer}) {
    auto lattices = UnigramLattices::of({{{word, 3}, 1}, {{"ba", 2}, 0}}, {{U'a', 8}, {U'b', 8}}, 100, {});
    ASSERT_TRUE(lattices.ok());
    const auto expected = lattices->expected({});
    ASSERT_TRUE(expected.ok());
    // Every character is in one piece of each way.
    double characters = 0;
    for (std::size_t i = 0; i < lattices->pieces().size(); ++i) characters += expected->counts[i] * lattices->pieces()[i].length;
    EXPECT_NEAR(characters, 3.0 * static_cast<double>(word.size()) + 4, 1e-6);
    // The sum over all cuts, by recursion.
    std::vector<double> ways(word.size() + 1, 0);
    ways[word.size()] = 1;
    for (std::size_t at = word.size(); at-- > 0;)
      for (const UnigramPiece& piece : lattices->pieces())
        if (word.substr(at).starts_with(lattices->text_of(piece)))
          ways[at] += std::exp(piece.score) * ways[at + static_cast<std::size_t>(piece.length)];
    double other = std::exp(lattices->pieces()[0].score + lattices->pieces()[1].score);
    for (const UnigramPiece& piece : lattices->pieces())
      if (lattices->text_of(piece) == "ba") other += std::exp(piece.score);
    EXPECT_NEAR(expected->log_likelihood, 3 * std::log(ways[0]) + 2 * std::log(other), 1e-6);
  }
}

TEST(UnigramTraining, SavedAndOpenedIsTheSame) {
  const auto training = trained(parts_text(), {.vocabulary_size = 60, .lowercase = true});
  ASSERT_TRUE(training.ok());
  const auto folder = test::process_folder() / "saved";
  ASSERT_TRUE(save(*training->tokenizer, folder).ok());
  ASSERT_TRUE(save_hugging_face(*training->tokenizer, folder).ok());
  for (const char* name : {"headlight-tokenizer.json", "tokenizer.json"}) {
    const auto opened = open((folder / name).string());
    ASSERT_TRUE(opened.ok()) << opened.error().sentence();
    for (const char* text : {"The PAINTER talked.", "walk\tjump  ж learners"}) {
      const auto a = training->tokenizer->encode_ids(text), b = (*opened)->encode_ids(text);
      ASSERT_TRUE(a.ok() && b.ok());
      EXPECT_EQ(*a, *b) << name << ": " << text;
    }
  }
}

TEST(UnigramTraining, RefusesWhatCannotBeTrained) {
  EXPECT_NE(trained("abcdefgh", {.vocabulary_size = 9}).error().sentence().find("9 pieces has no room for"), std::string::npos);
  EXPECT_NE(trained("abc", {.vocabulary_size = 50, .coverage = 0}).error().sentence().find("not between 0 and 1"),
            std::string::npos);
  CancelSource cancel;
  cancel.cancel();
  EXPECT_EQ(unigram_entry().train({{"abc", 3}}, {.vocabulary_size = 50}, cancel.token()).error().kind, ErrorKind::cancelled);
  // Of few words fewer pieces can be made than are asked for.
  const auto few = trained("one two", {.vocabulary_size = 100, .coverage = 1});
  ASSERT_TRUE(few.ok()) << few.error().sentence();
  EXPECT_TRUE(few->ran_out_of_pairs);
}

}  // namespace
}  // namespace headlight::tokenizers
