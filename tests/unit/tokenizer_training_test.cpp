// Trainers: the worked corpus of S14, comparison with a trainer that recounts everything, and bad input.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "engine/core/files.h"
#include "engine/core/rng.h"
#include "engine/text/byte_alphabet.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/files/headlight_file.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/tokenizers/training/film.h"
#include "tests/support/process_folder.h"

namespace headlight::tokenizers {
namespace {

const std::vector<WordCount> kLecture{{"hug", 10}, {"pug", 5}, {"pun", 12}, {"bun", 4}, {"hugs", 5}};

Result<Training> train(const std::string& kind, const std::vector<WordCount>& corpus, TrainingOptions options) {
  return (*registry().get(kind))->train(corpus, options, {});
}

Training lecture(const std::string& kind, std::int64_t vocabulary_size) {
  TrainingOptions options;
  options.vocabulary_size = vocabulary_size;
  options.word_counts = true;
  auto training = train(kind, kLecture, options);
  EXPECT_TRUE(training.ok()) << training.error().sentence();
  return training.ok() ? *training : Training{};
}

std::vector<std::string> pieces_from(const Tokenizer& tokenizer, std::int32_t first) {
  std::vector<std::string> pieces;
  for (std::int32_t id = first; id < tokenizer.vocabulary_size(); ++id) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

std::vector<Token> tokens_of(const Tokenizer& tokenizer, const std::string& text) {
  auto tokens = tokenizer.encode(text);
  EXPECT_TRUE(tokens.ok());
  return tokens.ok() ? *tokens : std::vector<Token>{};
}

std::vector<std::string> tokenizer_training_encoded(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<std::string> pieces;
  for (const Token& token : tokens_of(tokenizer, text)) pieces.push_back(token.piece);
  return pieces;
}

using Pieces = std::vector<std::string>;

TEST(Training, BpeOnTheLecturesCorpus) {
  const Training training = lecture("bpe", 14);
  ASSERT_EQ(training.steps.size(), 3u);
  const std::vector<std::tuple<std::string, std::string, std::string, std::int64_t>> expected{
      {"u", "g", "ug", 20}, {"u", "n", "un", 16}, {"h", "ug", "hug", 15}};
  for (std::size_t i = 0; i < 3; ++i) {
    const TrainingStep& step = training.steps[i];
    EXPECT_EQ(std::tuple(step.left, step.right, step.token, step.count), expected[i]);
    EXPECT_EQ(step.step, static_cast<std::int64_t>(i) + 1);
    EXPECT_EQ(step.score, static_cast<double>(step.count));
    EXPECT_EQ(step.candidates[0].left, step.left);
  }
  EXPECT_EQ(training.alphabet, (Pieces{"b", "g", "h", "n", "p", "s", "u"}));
  EXPECT_EQ(pieces_from(*training.tokenizer, 4), (Pieces{"b", "g", "h", "n", "p", "s", "u", "ug", "un", "hug"}));
  // p + u falls from 17 to 12 once ug is merged.
  const auto count = [&](std::size_t step, const std::string& left, const std::string& right) {
    for (const auto& c : training.steps[step].candidates)
      if (c.left == left && c.right == right) return c.count;
    return std::int64_t{0};
  };
  EXPECT_EQ(count(0, "p", "u"), 17);
  EXPECT_EQ(count(1, "p", "u"), 12);
  EXPECT_FALSE(training.ran_out_of_pairs);
  EXPECT_EQ(tokenizer_training_encoded(*training.tokenizer, "hugs bug mug"), (Pieces{"hug", "s", "b", "ug", "[UNK]", "ug"}));
}

TEST(Training, WordPieceOnTheLecturesCorpus) {
  const Training training = lecture("wordpiece", 15);
  ASSERT_GE(training.steps.size(), 3u);
  const std::vector<std::tuple<std::string, std::string, std::string, double>> expected{
      {"##g", "##s", "##gs", 1.0 / 20}, {"h", "##u", "hu", 1.0 / 36}, {"hu", "##gs", "hugs", 1.0 / 15}};
  for (std::size_t i = 0; i < 3; ++i) {
    const TrainingStep& step = training.steps[i];
    EXPECT_EQ(std::tuple(step.left, step.right, step.token),
              std::tuple(std::get<0>(expected[i]), std::get<1>(expected[i]), std::get<2>(expected[i])));
    EXPECT_DOUBLE_EQ(step.score, std::get<3>(expected[i]));
  }
  // All candidates of the second step but one tie at 1/36, in corpus order.
  EXPECT_EQ(training.steps[1].candidates[1].left, "##u");
  EXPECT_EQ(training.steps[1].candidates[1].right, "##g");
  for (const auto& c : training.steps[1].candidates) {
    if (c.right != "##gs") {
      EXPECT_DOUBLE_EQ(c.score, 1.0 / 36);
    }
  }
  EXPECT_EQ(training.alphabet, (Pieces{"##g", "##n", "##s", "##u", "b", "h", "p"}));
  // Longest match first; a word with an unseen letter is one unknown token.
  EXPECT_EQ(tokenizer_training_encoded(*training.tokenizer, "hugs pugs mug"), (Pieces{"hugs", "p", "##u", "##gs", "[UNK]"}));
}

TEST(Training, RunningOutOfPairsIsANormalEnd) {
  const Training bpe = lecture("bpe", 1000);
  EXPECT_TRUE(bpe.ran_out_of_pairs);
  EXPECT_EQ(tokenizer_training_encoded(*bpe.tokenizer, "hug pug pun bun hugs"), (Pieces{"hug", "pug", "pun", "bun", "hugs"}));
  const Training words = lecture("words", 1000);
  EXPECT_TRUE(words.ran_out_of_pairs);
  EXPECT_EQ(pieces_from(*words.tokenizer, 4), (Pieces{"pun", "hug", "pug", "hugs", "bun"}));
  EXPECT_EQ(words.steps[1].token, "hug");
  EXPECT_EQ(words.steps[1].candidates[0].count, 10);
  const Training characters = lecture("characters", 1000);
  EXPECT_EQ(pieces_from(*characters.tokenizer, 260), (Pieces{"u", "g", "p", "n", "h", "s", "b"}));
}

// The definition without any bookkeeping: recounts all pairs of the corpus at every step.
std::vector<Pieces> slow_merges(std::vector<std::pair<Pieces, std::int64_t>> words, bool likelihood, int steps) {
  std::vector<Pieces> merges;
  for (int step = 0; step < steps; ++step) {
    std::map<std::pair<std::string, std::string>, std::int64_t> counts;
    std::vector<std::pair<std::string, std::string>> order;
    std::map<std::string, std::int64_t> single;
    for (const auto& [word, count] : words)
      for (std::size_t i = 0; i < word.size(); ++i) {
        single[word[i]] += count;
        if (i + 1 == word.size()) continue;
        const std::pair pair{word[i], word[i + 1]};
        if (counts[pair] == 0) order.push_back(pair);
        counts[pair] += count;
      }
    if (order.empty()) break;
    auto best = order[0];
    for (const auto& pair : order) {  // in corpus order: only a strictly better one wins
      const auto c = counts[pair], d = counts[best];
      const bool wins =
          likelihood ? c * single[best.first] * single[best.second] > d * single[pair.first] * single[pair.second] : c > d;
      if (wins) best = pair;
    }
    const std::string joined = best.first + (likelihood && best.second.starts_with("##") ? best.second.substr(2) : best.second);
    merges.push_back({best.first, best.second, joined});
    for (auto& [word, count] : words)
      for (std::size_t i = 0; i + 1 < word.size(); ++i)
        if (word[i] == best.first && word[i + 1] == best.second) {
          word[i] = joined;
          word.erase(word.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
  }
  return merges;
}

TEST(Training, IncrementalCountsEqualRecounting) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    // Words over few letters: many ties and many overlapping pairs such as "aaaa".
    const Rng rng(seed, "words");
    std::vector<WordCount> corpus;
    std::map<std::string, int> once;
    for (std::uint64_t w = 0; w < 60; ++w) {
      std::string word;
      const auto length = 1 + static_cast<int>(rng.uniform(w, 0) * 12);
      for (int i = 0; i < length; ++i)
        word += static_cast<char>(
            'a' + static_cast<int>(rng.uniform(w, 10 + static_cast<std::uint64_t>(i)) * (2 + static_cast<int>(seed % 4))));
      if (once[word]++ == 0) corpus.push_back({word, 1 + static_cast<std::int64_t>(rng.uniform(w, 1) * 5)});
    }
    for (const std::string kind : {"bpe", "wordpiece"}) {
      std::vector<std::pair<Pieces, std::int64_t>> words;
      for (const WordCount& word : corpus) {
        Pieces pieces;
        for (const char c : word.word) pieces.push_back((kind == "wordpiece" && !pieces.empty() ? "##" : "") + std::string(1, c));
        words.emplace_back(pieces, word.count);
      }
      TrainingOptions options;
      options.vocabulary_size = 100;
      options.word_counts = true;
      const auto training = train(kind, corpus, options);
      ASSERT_TRUE(training.ok());
      const auto expected = slow_merges(words, kind == "wordpiece", static_cast<int>(training->steps.size()));
      ASSERT_EQ(expected.size(), training->steps.size());
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ((Pieces{training->steps[i].left, training->steps[i].right, training->steps[i].token}), expected[i])
            << kind << " seed " << seed << " step " << i;
    }
  }
}

TEST(Training, TextWithAllSortsOfBytes) {
  const std::string text =
      "Größe, größer\n日本語 and \xFF\xFE bytes \xE2\x82 cut 👩‍🚀👩‍🚀\n[PAD] [PAD] [PAD]\n";
  for (const Entry& entry : registry().entries())
    for (const std::string alphabet : {"bytes", "corpus"}) {
      TrainingOptions options;
      options.vocabulary_size = 400;
      options.alphabet = alphabet;
      const auto words = entry.count_words(text, options, {});
      ASSERT_TRUE(words.ok());
      const auto training = entry.train(*words, options, {});
      ASSERT_TRUE(training.ok()) << training.error().sentence();
      for (std::int32_t id = 0; id < training->tokenizer->vocabulary_size(); ++id)
        EXPECT_TRUE(text::is_valid_utf8(training->tokenizer->piece(id)));
      for (const TrainingStep& step : training->steps) EXPECT_TRUE(text::is_valid_utf8(step.token));
      for (const Token& token : tokens_of(*training->tokenizer, "[PAD]"))
        EXPECT_NE(token.id, training->tokenizer->special(Role::pad));
      if (entry.id == "characters" || (entry.id == "bpe" && alphabet == "bytes")) {
        std::vector<std::int32_t> ids;
        for (const Token& token : tokens_of(*training->tokenizer, text)) ids.push_back(token.id);
        EXPECT_EQ(training->tokenizer->decode(ids), text);
      }
    }
}

TEST(Training, CorpusAlphabetOfATextKeepsItsSpaces) {
  TrainingOptions options;
  options.vocabulary_size = 60;
  options.alphabet = "corpus";
  const Entry& bpe = **registry().get("bpe");
  const std::string text = "the cat and the hat and the bat";
  const auto training = bpe.train(*bpe.count_words(text, options, {}), options, {});
  ASSERT_TRUE(training.ok());
  std::vector<std::int32_t> ids;
  for (const Token& token : tokens_of(*training->tokenizer, text)) ids.push_back(token.id);
  EXPECT_EQ(training->tokenizer->decode(ids), text);
  EXPECT_EQ(training->tokenizer->unknown_id(), training->tokenizer->special(Role::unknown));
  EXPECT_EQ(training->tokenizer->unknown_id(), 1);
}

// The film of a training ends with the pieces that encoding gives, in every script of the sample corpus.
TEST(Training, TheFilmEndsInTheTokenizersPieces) {
  const auto assets = assets_folder();
  ASSERT_TRUE(assets.ok());
  const auto sample = read_file(*assets / "corpus" / "sample.txt");
  ASSERT_TRUE(sample.ok());
  for (const std::string alphabet : {"bytes", "corpus"}) {
    TrainingOptions options;
    options.vocabulary_size = 1500;
    options.alphabet = alphabet;
    const Entry& bpe = **registry().get("bpe");
    const auto counted = bpe.count_words(*sample, options, {});
    ASSERT_TRUE(counted.ok());
    auto trained = bpe.train(*counted, options, {});
    ASSERT_TRUE(trained.ok());
    const auto training = std::make_shared<const Training>(*trained);
    const auto film = Film::of(training, "bpe", alphabet == "bytes");
    ASSERT_TRUE(film.ok());
    ASSERT_EQ(training->words.size(), 1000u);
    for (std::size_t w = 0; w < training->words.size(); ++w) {
      const std::string& word = training->words[w].word;
      const std::string text = alphabet == "bytes" ? text::from_byte_pieces(word) : word;
      ASSERT_EQ((*film)->symbols(static_cast<std::int64_t>(w), (*film)->steps()),
                tokenizer_training_encoded(*training->tokenizer, text))
          << text;
    }
  }
}

TEST(Training, SavedAndLoadedIsTheSame) {
  const auto folder = test::process_folder() / "saved";
  for (const Entry& entry : registry().entries()) {
    const Training training = lecture(entry.id, 300);
    ASSERT_TRUE(save(*training.tokenizer, folder / entry.id).ok());
    const auto loaded = open((folder / entry.id).string());
    ASSERT_TRUE(loaded.ok()) << loaded.error().sentence();
    EXPECT_EQ((*loaded)->label(), training.tokenizer->label());
    for (const std::string text : {"hugs pug, mug", "", "bun \xFF"})
      EXPECT_EQ(*(*loaded)->encode(text), *training.tokenizer->encode(text));
  }
  std::filesystem::remove_all(folder);
}

TEST(Training, RefusesWhatCannotBeTrained) {
  TrainingOptions options;
  options.word_counts = true;
  for (const Entry& entry : registry().entries()) {
    EXPECT_FALSE(entry.train({}, options, {}).ok()) << entry.id;
    EXPECT_FALSE(entry.train({{"a", 0}}, options, {}).ok()) << entry.id;
    TrainingOptions small = options;
    small.vocabulary_size = 4;
    const auto refused = entry.train(kLecture, small, {});
    ASSERT_FALSE(refused.ok()) << entry.id;
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
    EXPECT_NE(refused.error().sentence().find("ask for at least"), std::string::npos);
    CancelSource source;
    source.cancel();
    EXPECT_FALSE(entry.train(kLecture, options, source.token()).ok()) << entry.id;
  }
  TrainingOptions odd = options;
  odd.alphabet = "runes";
  EXPECT_FALSE(train("bpe", kLecture, odd).ok());
}

TEST(WordCounts, AreReadLineByLine) {
  const auto words = parse_word_counts("hug\t10\r\n\npug\t5\nhug\t1\ntwo words\t3", "list.tsv");
  ASSERT_TRUE(words.ok()) << words.error().sentence();
  ASSERT_EQ(words->size(), 3u);
  EXPECT_EQ((*words)[0].word, "hug");
  EXPECT_EQ((*words)[0].count, 11);
  EXPECT_EQ((*words)[2].word, "two words");
  for (const std::string bad :
       {"hug 10", "hug\t", "hug\tten", "hug\t0", "hug\t-3", "hug\t1.5", "\t5", "hug\t99999999999999999999", "h\xFF\t5"}) {
    const auto refused = parse_word_counts("pug\t5\n" + bad + "\n", "list.tsv");
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_EQ(refused.error().where, "list.tsv:2") << bad;
  }
  EXPECT_FALSE(parse_word_counts("", "list.tsv").ok());
  EXPECT_FALSE(parse_word_counts("\n\n", "list.tsv").ok());
}

class TokenizerFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = test::process_folder() / ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  // The error of opening a folder that holds this file.
  std::string refusal(const std::string& json, const char* name = kTokenizerFile) {
    std::ofstream(folder_ / name, std::ios::binary) << json;
    const auto entry_of = open(folder_.string());
    if (entry_of.ok()) return "opened";
    EXPECT_NE(entry_of.error().sentence().find(folder_.string()), std::string::npos);
    return entry_of.error().sentence();
  }
  std::filesystem::path folder_;
};

std::string words_json(const std::string& vocabulary, const std::string& kind = "words", const std::string& more = "") {
  return R"({"format":"headlight.tokenizer","version":1,"kind":")" + kind +
         R"(","alphabet":"corpus","pre_tokenizer":"words","normalizers":[],"vocabulary":)" + vocabulary + more + "}";
}

TEST_F(TokenizerFiles, AreRefusedWithTheReason) {
  const std::string specials = R"("[PAD]","[UNK]","[BOS]","[EOS]")";
  const auto list = [&](const std::string& rest) { return "[" + specials + rest + "]"; };
  const auto expect = [&](const std::string& json, const std::string& reason) {
    const std::string sentence = refusal(json);
    EXPECT_NE(sentence.find(reason), std::string::npos) << sentence << "\nfor " << json;
  };
  EXPECT_EQ(refusal(words_json(list(R"(,"a")"))), "opened");
  expect("", "not JSON");
  expect(words_json(list(R"(,"a")")).substr(0, 120), "cut off");
  expect("[1,2]", "not a tokenizer of ours");
  expect(R"({"model":{"type":"BPE"}})", "not a tokenizer of ours");
  expect(R"({"format":"headlight.tokenizer","version":99})", "newer");
  expect(R"({"format":"headlight.tokenizer","version":"1"})", "version");
  expect(words_json("[]"), "empty");
  expect(words_json("{}"), "list of texts");
  expect(words_json(list(",7")), "vocabulary\"[4] is not a text");
  expect(words_json(list(R"(,"a","a")")), "two ids, 4 and 5");
  expect(words_json(list(R"(,"")")), "id 4 is empty");
  expect(words_json(R"(["a"])"), "lacks [UNK]");
  expect(words_json(list(""), "runes"), "there is no tokenizer 'runes'");
  expect(words_json(list(""), "characters"), "lacks the byte token <0x00>");
  expect(words_json(list(R"(,"a")"), "bpe", R"(,"merges":[["a","b"]])"), "needs the piece 'b'");
  expect(words_json(list(R"(,"a","b")"), "bpe", R"(,"merges":[["a","b"]])"), "needs the piece 'ab'");
  expect(words_json(list(R"(,"a")"), "bpe", R"(,"merges":[["a"]])"), "merges\"[0] is not a pair");
  expect(words_json(list(R"(,"a")"), "bpe", R"(,"merges":7)"), "list of pairs");
  std::string bytes = words_json(list(R"(,"a")"), "bpe", R"(,"merges":[])");
  bytes.replace(bytes.find("corpus"), 6, "bytes");
  expect(bytes, "lacks the byte 0x00");
  std::string normalizers = words_json(list(""));
  normalizers.replace(normalizers.find("[]"), 2, R"(["shout"])");
  expect(normalizers, "no normaliser 'shout'");
}

TEST_F(TokenizerFiles, EveryTruncationOfAGoodFileIsRefused) {
  ASSERT_TRUE(save(*lecture("bpe", 14).tokenizer, folder_).ok());
  std::ifstream in(folder_ / kTokenizerFile, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  ASSERT_GT(good.size(), 200u);
  for (std::size_t length = 0; length + 2 < good.size(); ++length) ASSERT_NE(refusal(good.substr(0, length)), "opened") << length;
}

TEST_F(TokenizerFiles, AFolderThatCannotBeMadeIsSaidSo) {
  std::ofstream(folder_ / "file") << "x";
  const Status saved = save(*lecture("words", 20).tokenizer, folder_ / "file" / "below");
  ASSERT_FALSE(saved.ok());
  EXPECT_EQ(saved.error().kind, ErrorKind::io);
}

TEST(ByteAlphabet, EveryByteHasItsOwnCharacter) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  const std::string pieces = text::to_byte_pieces(all);
  EXPECT_TRUE(text::is_valid_utf8(pieces));
  EXPECT_EQ(text::count_code_points(pieces), 256);
  EXPECT_EQ(text::from_byte_pieces(pieces), all);
  EXPECT_EQ(text::byte_piece(' '), "Ġ");
  EXPECT_EQ(text::byte_piece('\n'), "Ċ");
  EXPECT_EQ(text::byte_piece('a'), "a");
}

}  // namespace
}  // namespace headlight::tokenizers
