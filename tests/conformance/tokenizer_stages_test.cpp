// The guarantees of every stage of a tokenizer, over the registries: texts are restored, ranges slice the input, and a stage that
// says a text may be cut keeps that promise.
#include <gtest/gtest.h>

#include <algorithm>

#include <string>
#include <vector>

#include "engine/text/normalizers/normalizer.h"
#include "engine/text/parts.h"
#include "engine/text/splitters/splitter.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/files/format.h"
#include "engine/tokenizers/files/headlight_file.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/training/training.h"

namespace headlight::tokenizers {
namespace {

const std::vector<std::string>& texts() {
  static const std::vector<std::string> all{
      "",
      " ",
      "a fluffy blue creature",
      "One line, then.\n\n  An indented line\n \n\u3000\nx \nIt's 東京。\n終わり \xE3\x80\n'd 12\n",
      "É e\u0301 ﬁ① İ ΌΔΎΣΣΕΥΣ o\u0302\u0323 x \u0301\n y",
      "👨‍👩‍👧‍👦 🇩🇪 \xFF\xFE\x80\n[PAD] ##x ▁Ġ\n",
      std::string("nul \0 inside", 12)};
  return all;
}

// Values for parameters without a usable default.
Values values_for(const std::string& id) {
  if (id == "replace") return {{"pattern", "e"}, {"content", " -"}};
  if (id == "prepend") return {{"content", "▁"}};
  return {};
}

template <class Visit>
void for_each_part(const std::string& text, std::int64_t about, Visit visit) {
  for (std::int64_t begin = 0; begin < static_cast<std::int64_t>(text.size());) {
    const std::int64_t end = text::part_end(text, begin, about);
    visit(begin, text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    begin = end;
  }
}

template <class Entry>
void expect_described(const Registry<Entry>& registry) {
  EXPECT_EQ(registry.duplicate(), "");
  EXPECT_FALSE(registry.entries().empty());
  for (const Entry& entry : registry.entries()) {
    EXPECT_FALSE(entry.label.empty()) << entry.id;
    EXPECT_FALSE(entry.formula.empty()) << entry.id;
  }
}

TEST(TokenizerStages, EveryRegistryIsDescribedAndWithoutDuplicates) {
  expect_described(text::normalizer_registry());
  expect_described(text::splitter_registry());
  expect_described(model_registry());
  expect_described(post_processor_registry());
  expect_described(decoder_registry());
  expect_described(format_registry());
  expect_described(registry());
}

TEST(TokenizerStages, NormalizersKeepRangesOfTheInputAndWhatIsNoUtf8) {
  for (const auto& entry : text::normalizer_registry().entries()) {
    SCOPED_TRACE(entry.id);
    const auto made = text::make_normalizers({{entry.id, values_for(entry.id)}});
    ASSERT_TRUE(made.ok()) << made.error().sentence();
    for (const std::string& text : texts()) {
      const text::Normalized whole = text::normalize(text, *made);
      const auto size = static_cast<std::int64_t>(text.size());
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(whole.text().size()); ++i) {
        const text::Span from = whole.source(i, i + 1);
        ASSERT_LE(0, from.start);
        ASSERT_LE(from.start, from.end);
        ASSERT_LE(from.end, size);
      }
      std::string kept, left;
      text::for_each_code_point(text, [&](std::int64_t at, const text::CodePoint& p) {
        if (!p.valid) kept += text[static_cast<std::size_t>(at)];
      });
      text::for_each_code_point(whole.text(), [&](std::int64_t at, const text::CodePoint& p) {
        if (!p.valid) left += whole.text()[static_cast<std::size_t>(at)];
      });
      // These two write invalid bytes as their peers do: as letters, and as U+FFFD.
      if (entry.id != "byte_alphabet" && entry.id != "sentence") EXPECT_EQ(left, kept);
      if (!made->front()->may_cut()) continue;
      for (const std::int64_t about : {0, 5, 20}) {
        std::string joined;
        for_each_part(text, about, [&](std::int64_t, const std::string& part) { joined += text::normalize(part, *made).text(); });
        EXPECT_EQ(joined, whole.text());
      }
    }
  }
}

TEST(TokenizerStages, SplittersCutInOrderAndAsTheySay) {
  for (const auto& entry : text::splitter_registry().entries()) {
    SCOPED_TRACE(entry.id);
    const auto made = text::make_splitters({{entry.id, values_for(entry.id)}});
    ASSERT_TRUE(made.ok()) << made.error().sentence();
    const auto sources = [&](const std::string& text, std::int64_t offset) {
      const text::Split split = text::split(text::Normalized(text), *made);
      std::vector<text::Span> spans;
      std::int64_t at = 0;
      for (const text::Span& word : split.words) {
        EXPECT_LE(at, word.start);
        EXPECT_LT(word.start, word.end);
        at = word.end;
        const text::Span from = split.text.source(word.start, word.end);
        spans.push_back({offset + from.start, offset + from.end});
      }
      EXPECT_LE(at, static_cast<std::int64_t>(split.text.text().size()));
      return spans;
    };
    for (const std::string& text : texts()) {
      const std::vector<text::Span> whole = sources(text, 0);
      if (!made->front()->may_cut() || entry.id == "byte_level") continue;  // byte_level does not split: a part is a word
      for (const std::int64_t about : {0, 5, 20}) {
        std::vector<text::Span> joined;
        for_each_part(text, about, [&](std::int64_t begin, const std::string& part) {
          const auto spans = sources(part, begin);
          joined.insert(joined.end(), spans.begin(), spans.end());
        });
        EXPECT_EQ(joined, whole);
      }
    }
  }
}

TEST(TokenizerStages, ModelsCoverEveryWord) {
  for (const ModelEntry& entry : model_registry().entries()) {
    SCOPED_TRACE(entry.id);
    if (!entry.is_bundled) continue;
    const auto tokenizer = open(entry.id);
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
    const TokenizerPlan plan = (*tokenizer)->plan();
    const auto model =
        make_stage<Model>(model_registry(), plan.model, ModelData{plan.vocabulary, plan.merges, "here", plan.scores});
    ASSERT_TRUE(model.ok()) << model.error().sentence();
    std::vector<Piece> pieces;
    for (const std::string word : {"a", "creature", "é", "日本", "\xFF\xE2", "👩‍🚀", "Ġ##<0xE2>", "[UNK]", "[PAD]"}) {
      ASSERT_TRUE((*model)->encode(word, pieces, {}).ok());
      std::int64_t at = 0;
      for (const Piece& piece : pieces) {
        EXPECT_LT(at, piece.end) << word;
        EXPECT_GE(piece.id, 0) << word;
        EXPECT_LT(piece.id, plan.vocabulary.size()) << word;
        const bool unknown = piece.id == plan.vocabulary.special(Role::unknown);
        EXPECT_TRUE(!plan.vocabulary.is_special(piece.id) || (unknown && (*model)->uses_unknown())) << word;
        at = piece.end;
      }
      EXPECT_EQ(at, static_cast<std::int64_t>(word.size())) << word;
    }
  }
}

TEST(TokenizerStages, DecodersCutAsTheySay) {
  const std::vector<std::string_view> pieces{"It",     "'", "s",      "Ġtime", "##ly", ",", "<0xE2>",
                                             "<0x82>", "(", "lo</w>", "▁x",    ")",    ".", "."};
  for (const DecoderEntry& entry : decoder_registry().entries()) {
    SCOPED_TRACE(entry.id);
    const auto decoder = make_stage<Decoder>(decoder_registry(), {entry.id, {}});
    ASSERT_TRUE(decoder.ok());
    const std::string whole = (*decoder)->decode(pieces);
    bool always = true;
    for (std::size_t cut = 0; cut <= pieces.size(); ++cut) {
      const auto middle = pieces.begin() + static_cast<std::ptrdiff_t>(cut);
      always = always && (*decoder)->decode({pieces.begin(), middle}) + (*decoder)->decode({middle, pieces.end()}) == whole;
    }
    EXPECT_EQ(always, (*decoder)->may_cut());
    for (const std::string_view piece : pieces) EXPECT_TRUE(text::is_valid_utf8((*decoder)->display(piece))) << piece;
    EXPECT_EQ((*decoder)->decode({}), "");
  }
}

TEST(TokenizerStages, PostProcessorsKeepEveryTokenAndSayWhoseItIs) {
  Vocabulary vocabulary;
  vocabulary.add("x");
  const std::vector<Token> a{{0, "x", 0, 1}, {0, "x", 2, 3}}, b{{0, "x", 0, 1}};
  for (const PostProcessorEntry& entry : post_processor_registry().entries()) {
    SCOPED_TRACE(entry.id);
    const auto made = make_stage<PostProcessor>(post_processor_registry(), {entry.id, {}}, vocabulary);
    ASSERT_TRUE(made.ok()) << made.error().sentence();
    for (const bool pair : {false, true}) {
      const Encoding encoding = (*made)->process(a, pair ? &b : nullptr);
      ASSERT_EQ(encoding.types.size(), encoding.tokens.size());
      ASSERT_EQ(encoding.sentences.size(), encoding.tokens.size());
      std::vector<Token> of[2];
      for (std::size_t i = 0; i < encoding.tokens.size(); ++i)
        if (encoding.sentences[i] >= 0) of[encoding.sentences[i]].push_back(encoding.tokens[i]);
      EXPECT_EQ(of[0], a);
      EXPECT_EQ(of[1], pair ? b : std::vector<Token>{});
    }
    // The same promise for one sentence.
    const std::vector<Token> first{a[0]}, second{a[1]};
    std::vector<Token> joined = (*made)->process(first, nullptr).tokens;
    for (const Token& token : (*made)->process(second, nullptr).tokens) joined.push_back(token);
    EXPECT_EQ(joined == (*made)->process(a, nullptr).tokens, (*made)->may_cut());
  }
}

// The kinds that can be trained are models with a bundled vocabulary. Each encodes and decodes any text, and loading what it
// saved gives the same tokenizer.
TEST(TokenizerStages, EveryKindEncodesDecodesAndIsSavedWhole) {
  ASSERT_EQ(registry().entries().size(), static_cast<std::size_t>(std::ranges::count_if(
                                             model_registry().entries(), [](const ModelEntry& one) { return one.is_bundled; })));
  for (const Entry& entry : registry().entries()) {
    SCOPED_TRACE(entry.id);
    ASSERT_NE(model_registry().find(entry.id), nullptr);
    const auto tokenizer = open(entry.id);
    ASSERT_TRUE(tokenizer.ok()) << tokenizer.error().sentence();
    const std::string json = to_json(**tokenizer);
    const auto again = tokenizer_from_json(json, "here");
    ASSERT_TRUE(again.ok()) << again.error().sentence();
    EXPECT_EQ(to_json(**again), json);
    for (const std::string& text : texts()) {
      const auto tokens = (*tokenizer)->encode(text);
      ASSERT_TRUE(tokens.ok());
      EXPECT_EQ(*(*again)->encode(text), *tokens);
      std::int64_t at = 0;
      std::vector<std::int32_t> ids;
      for (const Token& token : *tokens) {
        ASSERT_LE(at, token.start);
        ASSERT_LT(token.start, token.end);
        ASSERT_LE(token.end, static_cast<std::int64_t>(text.size()));
        EXPECT_EQ((*tokenizer)->piece(token.id), token.piece);
        at = token.end;
        ids.push_back(token.id);
      }
      const std::string decoded = (*tokenizer)->decode(ids);
      if ((*tokenizer)->unknown_id() < 0) {
        EXPECT_EQ(decoded, text);
      }
      const auto single = (*tokenizer)->encode_single(text);
      ASSERT_TRUE(single.ok());
      ASSERT_EQ(single->tokens.size(), tokens->size() + 2) << "[BOS] and [EOS]";
      EXPECT_EQ(single->tokens.front().id, (*tokenizer)->special(Role::begin));
      EXPECT_EQ(single->tokens.back().id, (*tokenizer)->special(Role::end));
    }
    const auto pair = (*tokenizer)->encode_pair("a cat", "a dog");
    ASSERT_TRUE(pair.ok());
    EXPECT_EQ(pair->types.front(), 0);
    EXPECT_EQ(pair->types.back(), 1);
  }
}

}  // namespace
}  // namespace headlight::tokenizers
