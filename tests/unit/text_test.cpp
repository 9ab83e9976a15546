// UTF-8, graphemes, splitters, normalisers, and how text is displayed.
#include <gtest/gtest.h>

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "engine/text/display.h"
#include "engine/text/graphemes.h"
#include "engine/text/normalizers/normalizer.h"
#include "engine/text/parts.h"
#include "engine/text/patterns/pattern.h"
#include "engine/text/patterns/scripts.h"
#include "engine/text/splitters/splitter.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"
#include "support/parity_data.h"

namespace headlight::text {
namespace {

std::vector<std::string> slices(std::string_view text, const std::vector<Span>& spans) {
  std::vector<std::string> all;
  for (const Span& span : spans)
    all.emplace_back(text.substr(static_cast<std::size_t>(span.start), static_cast<std::size_t>(span.end - span.start)));
  return all;
}

std::vector<std::string> graphemes(std::string_view text) {
  std::vector<Span> spans;
  for_each_grapheme(text, [&](std::int64_t start, std::int64_t end) { spans.push_back({start, end}); });
  return slices(text, spans);
}

// Pairs of hexadecimal digits, with or without spaces between them.
std::string from_hex(const std::string& hex) {
  std::string digits, bytes;
  for (const char c : hex)
    if (std::isxdigit(static_cast<unsigned char>(c))) digits += c;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  return bytes;
}

// The valid characters of a text, without its invalid bytes.
std::string valid_part(const std::string& text) {
  std::string kept;
  for_each_code_point(text, [&](std::int64_t at, const CodePoint& point) {
    if (point.valid) kept += text.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(point.length));
  });
  return kept;
}

// The text after the normalisers of these ids.
Normalized normal(std::string_view text, std::initializer_list<const char*> ids) {
  std::vector<Choice> choices;
  for (const char* id : ids) choices.push_back({id, {}});
  const auto made = make_normalizers(choices);
  EXPECT_TRUE(made.ok());
  return normalize(text, *made);
}

// The words that the splitter of this id makes of a text.
std::vector<Span> words_of(const char* id, std::string_view text) {
  const auto made = make_splitters({{id, {}}});
  EXPECT_TRUE(made.ok());
  return split(Normalized(text), *made).words;
}

TEST(Utf8, DecodesEveryLengthAndItsLimits) {
  for (const char32_t c : {U'\0', U'a', U'\x7F', U'\x80', U'\x7FF', U'\x800', U'\xFFFF', U'\x10000', U'\x10FFFF'}) {
    const std::string bytes = to_utf8(c);
    const CodePoint point = decode_at(bytes, 0);
    EXPECT_TRUE(point.valid);
    EXPECT_EQ(point.value, c);
    EXPECT_EQ(point.length, static_cast<std::int64_t>(bytes.size()));
  }
}

TEST(Utf8, InvalidBytesAreItemsOfTheirOwn) {
  // Overlong slash, surrogate, above U+10FFFF, a lone continuation byte, a cut sequence, bytes that never occur.
  for (const std::string bad :
       {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\x80", "\xE2\x82", "\xFE\xFF", "\xF8\x88\x80\x80\x80"}) {
    EXPECT_FALSE(is_valid_utf8(bad));
    EXPECT_EQ(count_code_points(bad), static_cast<std::int64_t>(bad.size()));
    const std::string around = "a" + bad + "é";
    std::int64_t total = 0;
    for_each_code_point(around, [&](std::int64_t at, const CodePoint& point) {
      EXPECT_EQ(at, total);
      total += point.length;
    });
    EXPECT_EQ(total, static_cast<std::int64_t>(around.size()));
    EXPECT_EQ(valid_part(around), "aé");
  }
}

TEST(Utf8, PublishedCasesOfValidAndInvalidSequences) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  std::istringstream lines(test::read_bytes(test::parity_data() / "text-stress/utf8tests/utf8tests.txt"));
  int valid = 0, invalid = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields;
    std::istringstream parts(line);
    for (std::string field; std::getline(parts, field, ':');) fields.push_back(field);
    if (fields.size() >= 3 && fields[1] == "valid hex") {
      ++valid;
      EXPECT_TRUE(is_valid_utf8(from_hex(fields[2]))) << line;
    } else if (fields.size() >= 4 && fields[1] == "invalid hex") {
      ++invalid;
      const std::string bytes = from_hex(fields[2]);
      EXPECT_FALSE(is_valid_utf8(bytes)) << line;
      EXPECT_EQ(valid_part(bytes), fields[3] == "nothing" ? "" : from_hex(fields[3])) << line;
    }
  }
  EXPECT_GT(valid, 10);
  EXPECT_GT(invalid, 50);
}

TEST(Graphemes, WhatAPersonCallsOneCharacterIsOne) {
  for (const std::string one :
       {"👨‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "👍🏽", "e\u0301", "각", "\u1100\u1161\u11A8", "\r\n", "1️⃣",
        "க்", "क्षि", "स्त्री", "क\u094D\u200Dत", "ঝুঁ", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞"})
    EXPECT_EQ(graphemes(one), std::vector<std::string>{one});
  EXPECT_EQ(graphemes("🇩🇪🇫🇷"), (std::vector<std::string>{"🇩🇪", "🇫🇷"}));
  EXPECT_EQ(graphemes("añb"), (std::vector<std::string>{"a", "ñ", "b"}));
  EXPECT_EQ(graphemes("a\xFF\u0301"), (std::vector<std::string>{"a", "\xFF", "\u0301"}));
  EXPECT_EQ(count_graphemes(""), 0);
}

// As tokenizers 0.23.3 cuts with UnicodeScripts: characters that came after Unicode 9 belong to what stands before them.
TEST(Scripts, TheyAreThoseOfTheLibrarysUnicode) {
  EXPECT_EQ(script_of(U'\u0531'), script_of(U'\u0561'));
  EXPECT_EQ(script_of(U'\u0560'), 0) << "an Armenian letter of Unicode 11";
  EXPECT_EQ(script_of(U'\U0001F970'), 0) << "an emoji of Unicode 11";
  EXPECT_EQ(script_of(U'\U0001F600'), script_of(U'!'));
  EXPECT_EQ(script_of(U'\u0589'), script_of(U'!')) << "it became Armenian later";
  EXPECT_EQ(script_of(U'\u0953'), script_of(U'\u0915')) << "it was Devanagari then";
  EXPECT_EQ(script_of(U'\u30FC'), script_of(U'\u4E00'));
  EXPECT_NE(script_of(U'a'), script_of(U'!'));
}

// A saved tokenizer names the rules as an expression; the two agree on every pair and on longer mixtures of one sign of each
// class.
TEST(Graphemes, TheExpressionMatchesTheClusters) {
  const auto pattern = Pattern::of(grapheme_expression());
  ASSERT_TRUE(pattern.ok()) << pattern.error().sentence();
  const std::vector<std::string> signs{"a",          "\r",         "\n",         "\u0001", "\u0301", "\u200D", "\u200C",
                                       "\u0903",     "\u0600",     "\u1100",     "\u1161", "\u11A8", "\uAC00", "\uAC01",
                                       "\U0001F1E9", "\U0001F468", "\U0001F3FD", "\u0915", "\u0924", "\u094D", "\u093C",
                                       "\u1000",     "\u1039",     "\u1780",     "\u17D2", "\uFE0F", "\u0378"};
  const auto expect_equal = [&](const std::string& text) {
    std::vector<Span> spans;
    for (const Stretch& stretch : pattern->stretches(text)) {
      EXPECT_TRUE(stretch.match) << text;
      spans.push_back(stretch.span);
    }
    EXPECT_EQ(slices(text, spans), graphemes(text)) << text;
  };
  for (const std::string& first : signs)
    for (const std::string& second : signs)
      for (const std::string& third : signs) expect_equal(first + second + third);
  std::uint32_t state = 1;
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    for (int k = 0; k < 12; ++k) {
      state = state * 1664525u + 1013904223u;
      text += signs[(state >> 16) % signs.size()];
    }
    expect_equal(text);
  }
}

// Unicode's own cases are of version 17.0; the tables here may be older. A failing case must contain a character that the tables
// do not know, or U+2701, which this rule treated as an emoji until version 15; the counts are printed.
TEST(Graphemes, UnicodeBreakTest) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  std::istringstream lines(test::read_bytes(test::parity_data() / "text-stress/unicode-17.0/GraphemeBreakTest.txt"));
  int cases = 0, passed = 0, newer = 0;
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find('#'));
    std::istringstream words(line);
    std::string text;
    std::vector<std::string> expected;
    bool any_newer = false;
    for (std::string word; words >> word;) {
      if (word == "÷") {
        expected.emplace_back();
      } else if (word != "×") {
        const auto c = static_cast<char32_t>(std::stoul(word, nullptr, 16));
        any_newer = any_newer || is_unassigned(c) || c == 0x2701;
        append_utf8(text, c);
        append_utf8(expected.back(), c);
      }
    }
    if (text.empty()) continue;
    if (expected.back().empty()) expected.pop_back();
    ++cases;
    if (graphemes(text) == expected) {
      ++passed;
    } else if (any_newer) {
      ++newer;
    } else {
      ADD_FAILURE() << line;
    }
  }
  std::printf("%d of %d cases of Unicode 17.0 pass on tables of %s; %d differ by what changed since\n", passed, cases,
              unicode_version(), newer);
  EXPECT_GT(cases, 700);
}

// Every emoji of the published list, including families and flags, is one character, unless it is newer than the tables.
TEST(Graphemes, EveryEmojiIsOne) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  std::istringstream lines(test::read_bytes(test::parity_data() / "text-stress/unicode-17.0/emoji-test.txt"));
  int cases = 0, newer = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t semicolon = line.find(';');
    if (line.empty() || line[0] == '#' || semicolon == std::string::npos) continue;
    std::istringstream codes(line.substr(0, semicolon));
    std::string emoji;
    bool any_newer = false;
    for (unsigned c = 0; codes >> std::hex >> c;) {
      append_utf8(emoji, c);
      any_newer = any_newer || is_unassigned(c);
    }
    ++cases;
    if (any_newer) {
      ++newer;
    } else {
      EXPECT_EQ(count_graphemes(emoji), 1) << line;
    }
  }
  std::printf("%d emoji, %d of them newer than the tables and left out\n", cases, newer);
  EXPECT_GT(cases - newer, 4500);
}

TEST(Normalize, FormsKeepWhereTheyCameFrom) {
  // é as one character (2 bytes) becomes e + U+0301 (3 bytes); both stand for input bytes 1..3.
  const Normalized d = normal("xéy", {"nfd"});
  EXPECT_EQ(d.text(), "xe\u0301y");
  EXPECT_EQ(d.source(1, 2), (Span{1, 3}));
  EXPECT_EQ(d.source(2, 4), (Span{1, 3}));
  EXPECT_EQ(d.source(4, 5), (Span{3, 4}));
  const Normalized c = normal("xe\u0301y", {"nfc"});
  EXPECT_EQ(c.text(), "xéy");
  EXPECT_EQ(c.source(1, 3), (Span{1, 2})) << "the letter, as in the library tokenizers";
  EXPECT_EQ(c.source(3, 4), (Span{4, 5}));
  // A mark that composes with nothing keeps its own source range, separate from the character before it.
  EXPECT_EQ(normal(" \u0328\u0301", {"nfc"}).source(1, 3), (Span{1, 3}));
  // The normalisation of BERT's uncased model.
  const Normalized bare = normal("Él ÇA İ", {"nfd", "strip_accents", "lowercase"});
  EXPECT_EQ(bare.text(), "el ca i");
  EXPECT_EQ(bare.source(0, 2), (Span{0, 3}));
  EXPECT_EQ(bare.source(3, 5), (Span{4, 7}));
  EXPECT_EQ(normal("ﬁ①", {"nfkc"}).text(), "fi1");
  EXPECT_EQ(normal("İ", {"lowercase"}).text(), "i\u0307");
  // Marks are reordered: dot below (220) comes before circumflex (230).
  EXPECT_EQ(normal("o\u0302\u0323", {"nfd"}).text(), "o\u0323\u0302");
  // Invalid bytes stay unchanged.
  EXPECT_EQ(normal("É\xFFÀ", {"nfd", "lowercase", "nfc"}).text(), "é\xFFà");
}

// The forms are those of the library tokenizers, whose tables are of Unicode 9: what came later may stay as it is.
TEST(Normalize, UnicodeNormalizationTest) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  std::istringstream lines(test::read_bytes(test::parity_data() / "text-stress/unicode-17.0/NormalizationTest.txt"));
  int cases = 0, newer = 0, differing = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#' || line[0] == '@') continue;
    std::string column[5];
    std::istringstream fields(line);
    bool any_unassigned = false;
    for (std::string& text : column) {
      std::string codes;
      std::getline(fields, codes, ';');
      std::istringstream hex(codes);
      for (unsigned c = 0; hex >> std::hex >> c;) {
        append_utf8(text, c);
        any_unassigned = any_unassigned || is_unassigned(c);
      }
    }
    ++cases;
    if (any_unassigned) {
      ++newer;
      continue;
    }
    bool passes = true;
    for (int i = 0; i < 3; ++i)
      passes = passes && normal(column[i], {"nfc"}).text() == column[1] && normal(column[i], {"nfd"}).text() == column[2];
    for (const std::string& text : column) passes = passes && normal(text, {"nfkc"}).text() == column[3];
    if (!passes) ++differing;
  }
  std::printf("%d cases of Unicode 17.0, %d of them with characters newer than the tables of %s, left out\n", cases, newer,
              unicode_version());
  EXPECT_GT(cases - newer, 18000);
  EXPECT_EQ(differing, 785) << "with characters that came after Unicode 9";
}

TEST(Splitters, WordsAsBertCutsThem) {
  const std::string text = "Don't stop,  it's 3.5°C in 東京—now!";
  EXPECT_EQ(slices(text, words_of("words", text)), (std::vector<std::string>{"Don", "'", "t", "stop", ",", "it", "'", "s", "3",
                                                                             ".", "5°C", "in", "東", "京", "—", "now", "!"}));
  EXPECT_TRUE(words_of("words", " \t\n\u00A0\u3000").empty());
  EXPECT_TRUE(words_of("words", "").empty());
}

TEST(Splitters, Gpt2PatternByHand) {
  const auto cut = [](const std::string& text) { return slices(text, words_of("gpt2", text)); };
  using Pieces = std::vector<std::string>;
  EXPECT_EQ(cut("Hello world"), (Pieces{"Hello", " world"}));
  EXPECT_EQ(
      cut("I'll we've don't it's I'm he'd they're O'Neil"),
      (Pieces{"I", "'ll", " we", "'ve", " don", "'t", " it", "'s", " I", "'m", " he", "'d", " they", "'re", " O", "'", "Neil"}));
  EXPECT_EQ(cut("a  b"), (Pieces{"a", " ", " b"}));
  EXPECT_EQ(cut("a   b"), (Pieces{"a", "  ", " b"}));
  EXPECT_EQ(cut("a \n b\n\n"), (Pieces{"a", " \n", " b", "\n\n"}));
  EXPECT_EQ(cut("a\tb"), (Pieces{"a", "\t", "b"}));
  EXPECT_EQ(cut("x=3.14 y"), (Pieces{"x", "=", "3", ".", "14", " y"}));
  EXPECT_EQ(cut(" "), (Pieces{" "}));
  EXPECT_EQ(cut("price: $5!!"), (Pieces{"price", ":", " $", "5", "!!"}));
  EXPECT_EQ(cut("naïve Ελλάδα٣"), (Pieces{"naïve", " Ελλάδα", "٣"}));
  EXPECT_EQ(cut(" 's"), (Pieces{" '", "s"}));
  EXPECT_EQ(cut("a\xFF\xFE"), (Pieces{"a", "\xFF\xFE"}));
}

TEST(Splitters, PartsGiveWhatTheWholeGives) {
  const std::string text = "One line, then.\n\n  An indented line\n \n\u3000\nx \nIt's 東京。\n終わり \xE3\x80\n'd 12\n";
  for (std::int64_t about = 0; about < static_cast<std::int64_t>(text.size()); ++about)
    for (const char* kind : {"words", "gpt2", "graphemes"}) {
      std::vector<Span> joined;
      for (std::int64_t begin = 0; begin < static_cast<std::int64_t>(text.size());) {
        const std::int64_t end = part_end(text, begin, about);
        ASSERT_GT(end, begin);
        for (const Span& span : words_of(
                 kind, std::string_view(text).substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))))
          joined.push_back({begin + span.start, begin + span.end});
        begin = end;
      }
      ASSERT_EQ(joined, words_of(kind, text)) << about;
    }
}

TEST(Display, NothingIsInvisibleOrReplaced) {
  EXPECT_EQ(display_text(" fluffy"), "·fluffy");
  EXPECT_EQ(display_text("\n\t"), "↵⇥");
  EXPECT_EQ(display_text("\xE2"), "0xE2");
  EXPECT_EQ(display_text(" \xF0\x9F"), "·0xF0 0x9F");
  EXPECT_EQ(display_text("\u200D"), "U+200D");
  EXPECT_EQ(display_text("a\u00A0b"), "aU+00A0b");
  EXPECT_EQ(display_text("\u0301"), "◌\u0301");
  EXPECT_EQ(display_text("\r\n"), "0x0D↵");
  EXPECT_EQ(display_text(std::string_view("\0", 1)), "0x00");
  EXPECT_EQ(display_text("👨‍👩‍👧"), "👨‍👩‍👧");
  EXPECT_EQ(display_text("##ffy"), "##ffy");
  for (int byte = 0; byte < 256; ++byte) EXPECT_TRUE(is_valid_utf8(display_text(std::string(1, static_cast<char>(byte)))));
}

}  // namespace
}  // namespace headlight::text
