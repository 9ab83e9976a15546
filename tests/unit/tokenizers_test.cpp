// The four tokenizers: round trips, offsets, bundled vocabularies, names.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/text/utf8.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/tokenizers/training/training.h"
#include "support/parity_data.h"

namespace headlight::tokenizers {
namespace {

constexpr const char* kSentence = "a fluffy blue creature roamed the verdant forest";

std::vector<std::string> shown(const Tokenizer& tokenizer, const std::vector<Token>& tokens) {
  std::vector<std::string> texts;
  for (const Token& token : tokens) texts.push_back(tokenizer.display_text(token.id));
  return texts;
}

std::vector<std::int32_t> tokenizers_ids_of(const std::vector<Token>& tokens) {
  std::vector<std::int32_t> ids;
  for (const Token& token : tokens) ids.push_back(token.id);
  return ids;
}

std::string slice(const std::string& text, const Token& token) {
  return text.substr(static_cast<std::size_t>(token.start), static_cast<std::size_t>(token.end - token.start));
}

// For lossless kinds: ids decode to the text, token ranges cover it without gaps, and a range's bytes are what the token alone
// decodes to.
void expect_lossless(const Tokenizer& tokenizer, const std::string& text) {
  const auto encoded = tokenizer.encode(text);
  ASSERT_TRUE(encoded.ok()) << encoded.error().sentence();
  EXPECT_EQ(tokenizer.decode(tokenizers_ids_of(*encoded)), text);
  std::int64_t at = 0;
  for (const Token& token : *encoded) {
    ASSERT_EQ(token.start, at);
    ASSERT_GT(token.end, token.start);
    at = token.end;
    ASSERT_EQ(tokenizer.decode({token.id}), slice(text, token));
    ASSERT_EQ(tokenizer.piece(token.id), token.piece);
    ASSERT_TRUE(text::is_valid_utf8(token.piece));
    ASSERT_TRUE(text::is_valid_utf8(tokenizer.display_text(token.id)));
  }
  EXPECT_EQ(at, static_cast<std::int64_t>(text.size()));
}

// For kinds that drop whitespace: ranges are in order, inside the text, and contain no whitespace.
void expect_ordered(const Tokenizer& tokenizer, const std::string& text) {
  const auto encoded = tokenizer.encode(text);
  ASSERT_TRUE(encoded.ok()) << encoded.error().sentence();
  std::int64_t at = 0;
  for (const Token& token : *encoded) {
    ASSERT_GE(token.start, at);
    ASSERT_GT(token.end, token.start);
    ASSERT_LE(token.end, static_cast<std::int64_t>(text.size()));
    ASSERT_EQ(slice(text, token).find_first_of(" \n\t"), std::string::npos);
    at = token.end;
  }
}

std::shared_ptr<const Tokenizer> opened(const std::string& name) {
  auto tokenizer = open(name);
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
  return tokenizer.ok() ? *tokenizer : nullptr;
}

const std::vector<std::string>& awkward_texts() {
  static const std::vector<std::string> texts{
      "",
      " ",
      "\n\n\t  \r\n",
      kSentence,
      "  two  spaces  ",
      "[PAD] [UNK] <0xE2> ##x Ġ \u0120",
      "👨‍👩‍👧‍👦 🇩🇪🇫🇷 👍🏽 e\u0301 가각 \u1100\u1161",
      "नमस्ते दुनिया, 你好，世界 — مرحبا بالعالم, Привет, γειά σου",
      "\xFF\xFE\x80 a\xE2\x82 b\xC0\xAF",
      std::string("nul \0 inside", 12),
      std::string(3000, 'a'),
      std::string(1000, '\x80'),
      "don't I'll we've 3.14 $5 a_b",
  };
  return texts;
}

TEST(Tokenizers, RegistryHasFourKindsWithoutDuplicates) {
  EXPECT_EQ(registry().duplicate(), "");
  std::vector<std::string> ids;
  for (const Entry& entry : registry().entries()) ids.push_back(entry.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"characters", "words", "bpe", "wordpiece"}));
}

TEST(Tokenizers, BundledVocabulariesOpenWithTheirSpecialTokens) {
  for (const Entry& entry : registry().entries()) {
    const auto tokenizer = opened(entry.id);
    ASSERT_TRUE(tokenizer);
    EXPECT_EQ(tokenizer->kind(), entry.id);
    for (std::int32_t id = 0; id < 4; ++id) {
      const TrainedSpecial& special = kTrainedSpecials[static_cast<std::size_t>(id)];
      EXPECT_EQ(tokenizer->piece(id), special.name);
      EXPECT_EQ(tokenizer->special(special.role), id);
    }
    EXPECT_EQ(tokenizer->special(Role::separator), -1);
    EXPECT_EQ(tokenizer->piece(-1), "");
    EXPECT_EQ(tokenizer->piece(tokenizer->vocabulary_size()), "");
    EXPECT_NE(tokenizer->piece(tokenizer->vocabulary_size() - 1), "");
    EXPECT_EQ(tokenizer->decode({-5, 1 << 30}), "");
    EXPECT_EQ(opened(entry.id), tokenizer) << "loaded once, then shared";
  }
  EXPECT_EQ(opened("bpe")->label(), "BPE 4,096");
  EXPECT_EQ(opened("words")->label(), "Words 8,192");
}

TEST(Tokenizers, TheDefaultSentenceInFourWays) {
  const auto bpe = opened("bpe");
  EXPECT_EQ(shown(*bpe, *bpe->encode(kSentence)),
            (std::vector<std::string>{"a", "·fl", "uff", "y", "·blue", "·creat", "ure", "·ro", "amed", "·the", "·ver", "d", "ant",
                                      "·fore", "st"}));
  const auto words = opened("words");
  EXPECT_EQ(shown(*words, *words->encode(kSentence)),
            (std::vector<std::string>{"a", "[UNK]", "blue", "creature", "[UNK]", "the", "[UNK]", "forest"}));
  EXPECT_EQ(opened("characters")->encode(kSentence)->size(), 48u);
  const auto wordpiece = opened("wordpiece");
  const auto pieces = *wordpiece->encode("Fluffy");
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[1].piece.substr(0, 2), "##");
  EXPECT_EQ(wordpiece->decode(tokenizers_ids_of(pieces)), "fluffy");
}

TEST(Tokenizers, NothingIsLostByCharactersAndByteLevelBpe) {
  for (const std::string name : {"characters", "bpe"}) {
    const auto tokenizer = opened(name);
    EXPECT_EQ(tokenizer->unknown_id(), -1);
    for (const std::string& text : awkward_texts()) expect_lossless(*tokenizer, text);
  }
}

TEST(Tokenizers, WordsAndWordPieceKeepOrder) {
  for (const std::string name : {"words", "wordpiece"})
    for (const std::string& text : awkward_texts()) expect_ordered(*opened(name), text);
}

TEST(Tokenizers, UnseenCharactersBecomeVisibleBytes) {
  const auto tokenizer = opened("characters");
  const auto tokens = *tokenizer->encode("x🦔\xE2");
  ASSERT_EQ(tokens.size(), 6u);
  EXPECT_EQ(tokens[1].piece, "<0xF0>");
  EXPECT_EQ(tokenizer->display_text(tokens[1].id), "0xF0");
  EXPECT_EQ(tokens[5].piece, "<0xE2>");
  // A byte that is a character by itself is that character, also where a mark follows that no cluster of the vocabulary has.
  const auto marked = *tokenizer->encode("x\u0489");
  ASSERT_EQ(marked.size(), 3u);
  EXPECT_EQ(marked[0].id, tokens[0].id);
  EXPECT_EQ(marked[1].piece, "<0xD2>");
  // Names of special tokens in a text are ordinary characters.
  const auto named = *tokenizer->encode("[PAD]<0xE2>");
  for (const Token& token : named) EXPECT_EQ(token.piece.size(), 1u);
}

TEST(Tokenizers, OffsetsPointIntoTheTextBeforeItWasNormalised) {
  // Decomposed and capital: "É" is three bytes here, and one small letter of two bytes in the vocabulary's form.
  const std::string text = "the E\u0301 The";
  const auto tokens = *opened("wordpiece")->encode(text);
  ASSERT_GE(tokens.size(), 3u);
  EXPECT_EQ(slice(text, tokens.front()), "the");
  EXPECT_EQ(slice(text, tokens[1]), "E") << "the letter that the mark was joined to, as in the library tokenizers";
  EXPECT_EQ(slice(text, tokens.back()), "The");
  EXPECT_EQ(tokens.front().id, tokens.back().id);
}

TEST(Tokenizers, DecodedWordsReadWell) {
  const auto round = [](const std::string& name, const std::string& text) {
    const auto tokenizer = opened(name);
    return tokenizer->decode(tokenizers_ids_of(*tokenizer->encode(text)));
  };
  EXPECT_EQ(round("words", "It's time, my friend."), "It's time, my friend.");
  EXPECT_EQ(round("wordpiece", "it's time, my friend (you know): [see]!"), "it's time, my friend (you know): [see]!");
  EXPECT_EQ(round("words", "xyzzy time"), "[UNK] time");
}

TEST(Tokenizers, ALongPasteCanBeStopped) {
  CancelSource source;
  source.cancel();
  for (const Entry& entry : registry().entries()) {
    const auto encoded = opened(entry.id)->encode(std::string(100000, 'a'), source.token());
    ASSERT_FALSE(encoded.ok());
    EXPECT_EQ(encoded.error().kind, ErrorKind::cancelled);
  }
}

TEST(Tokenizers, LongAndShortWordsMergeAlike) {
  // For longer words a queue replaces the scan. Its result must have no possible merge left between neighbours; the scan checks
  // this pair by pair.
  const auto bpe = opened("bpe");
  std::string text;
  for (int i = 0; i < 40; ++i) text += "forestcreature";
  const auto whole = *bpe->encode(text);
  for (std::size_t i = 0; i + 1 < whole.size(); ++i) {
    const auto pair = *bpe->encode(slice(text, whole[i]) + slice(text, whole[i + 1]));
    EXPECT_EQ(tokenizers_ids_of(pair), (std::vector<std::int32_t>{whole[i].id, whole[i + 1].id})) << i;
  }
}

TEST(Tokenizers, MeasuresWhatTheKindsAreComparedBy) {
  const auto words = opened("words");
  const std::string text = "a fluffy xyzzy and a fluffy cat";
  const auto measured = measure(*words, text, *words->encode(text));
  EXPECT_EQ(measured.tokens, 7);
  EXPECT_EQ(measured.bytes, 31);
  EXPECT_DOUBLE_EQ(measured.bytes_per_token, 31.0 / 7);
  EXPECT_EQ(measured.unknown, 3);
  EXPECT_EQ(measured.unknown_words, (std::vector<std::string>{"fluffy", "xyzzy"}));
  EXPECT_EQ(measured.partial, 0);
  const auto bpe = opened("bpe");
  EXPECT_EQ(measure(*bpe, "日", *bpe->encode("日")).partial, 3);
  EXPECT_EQ(measure(*bpe, "", {}).bytes_per_token, 0);
}

TEST(Tokenizers, NamesThatMeanNothingSaySo) {
  const auto missing = open("no-such-tokenizer");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().kind, ErrorKind::not_found);
  EXPECT_NE(missing.error().sentence().find("characters, words, bpe, wordpiece"), std::string::npos);
  EXPECT_FALSE(open("").ok());
  EXPECT_FALSE(open("trained:nothing").ok());
  EXPECT_FALSE(open("/").ok());
}

TEST(Tokenizers, RoundTripsOfPublishedTexts) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  int files = 0;
  for (const std::string name : {"characters", "bpe", "words", "wordpiece"}) {
    const auto tokenizer = opened(name);
    for (const char* folder : {"text-stress", "udhr"})
      for (const auto& item : std::filesystem::recursive_directory_iterator(test::parity_data() / folder)) {
        if (!item.is_regular_file() || item.path().string().find("unicode-17.0") != std::string::npos) continue;
        ++files;
        SCOPED_TRACE(name + " " + item.path().string());
        const std::string text = test::read_bytes(item.path());
        if (name == "characters" || name == "bpe") {
          expect_lossless(*tokenizer, text);
        } else {
          expect_ordered(*tokenizer, text);
        }
      }
  }
  EXPECT_GE(files, 4 * 15);
}

}  // namespace
}  // namespace headlight::tokenizers
