// How many tokens the same sentences need in many languages.
#include <gtest/gtest.h>

#include <set>

#include "engine/tokenizers/by_language.h"
#include "engine/tokenizers/files/open.h"
#include "support/parity_data.h"

namespace headlight::tokenizers {
namespace {

TEST(ByLanguage, ATableMayHaveAHeadingOrNone) {
  const auto plain =
      languages_in("# a remark\nen\tthe dog\r\nen\ta cat\nde\tder Hund\nde\teine Katze\nfr\tle chien\n", "mine.tsv");
  ASSERT_TRUE(plain.ok()) << plain.error().sentence();
  ASSERT_EQ(plain->languages.size(), 2u) << "French has one text of two, so it is left out";
  EXPECT_EQ(plain->name, "mine.tsv");
  EXPECT_EQ(plain->languages[0].texts, (std::vector<std::string>{"the dog", "a cat"}));
  EXPECT_EQ(plain->languages[0].words, 4);
  const auto headed = languages_in("key\tname\tarticle\ttext\nfin\tFinnish\t1\tkoira\neng\tEnglish\t1\tdog\n", "mine.tsv");
  ASSERT_TRUE(headed.ok());
  EXPECT_EQ(headed->languages[headed->base].name, "English");
  EXPECT_EQ(headed->languages[0].key, "fin");
  EXPECT_EQ(headed->languages[0].script, "Latin");
}

TEST(ByLanguage, WhatIsNoTableIsRefusedWithItsLine) {
  EXPECT_NE(languages_in("a b\n", "x.tsv").error().sentence().find("line 1 has no tab"), std::string::npos);
  EXPECT_NE(languages_in("key\tname\ttext\na\tb\n", "x.tsv").error().sentence().find("line 2 has 2 columns"), std::string::npos);
  EXPECT_FALSE(languages_in("en\tone\n", "x.tsv").ok());
  EXPECT_FALSE(languages_in("", "x.tsv").ok());
  EXPECT_FALSE(read_languages("/nowhere/at/all.tsv").ok());
}

TEST(ByLanguage, TheProgramsSentencesAreTenInAllLargeScripts) {
  const auto table = read_languages("");
  ASSERT_TRUE(table.ok()) << table.error().sentence();
  EXPECT_GE(table->languages.size(), 40u);
  std::set<std::string> scripts, names;
  for (const auto& language : table->languages) {
    EXPECT_GE(language.texts.size(), 10u) << language.name;
    EXPECT_TRUE(names.insert(language.name).second) << language.name;
    EXPECT_FALSE(language.script.empty()) << language.name;
    scripts.insert(language.script);
    for (const std::string& text : language.texts) EXPECT_GT(text.size(), 8u) << language.name;
  }
  for (const char* script : {"Latin",    "Cyrillic", "Greek",    "Arabic",   "Hebrew",    "Devanagari", "Bengali",   "Gurmukhi",
                             "Gujarati", "Tamil",    "Telugu",   "Kannada",  "Malayalam", "Sinhala",    "Thai",      "Lao",
                             "Khmer",    "Myanmar",  "Ethiopic", "Georgian", "Armenian",  "Han",        "kana, Han", "Hangul"})
    EXPECT_TRUE(scripts.contains(script)) << script;
  EXPECT_EQ(table->languages[table->base].name, "English");
}

TEST(ByLanguage, TokensAreCountedTextByText) {
  const auto table = languages_in("en\tab\nen\tc\nxx\tabcd\nxx\te\n", "t.tsv");
  const auto tokenizer = open("characters");
  ASSERT_TRUE(table.ok() && tokenizer.ok());
  const auto counts = count_languages(*table, **tokenizer);
  ASSERT_TRUE(counts.ok());
  EXPECT_EQ((*counts)[0].of_text, (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ((*counts)[1].tokens, 5);
  EXPECT_DOUBLE_EQ(times_base(*table, *counts, 1), 5.0 / 3);
  EXPECT_EQ((*counts)[1].fits(4), 1);
  EXPECT_EQ((*counts)[1].fits(5), 2);
  EXPECT_EQ((*counts)[1].fits(3), 0);
}

// The figures of docs/measured.md.
TEST(ByLanguage, Gpt2NeedsForTheDeclarationWhatIsKnown) {
  HEADLIGHT_NEEDS_PARITY_DATA();
  const auto table = read_languages(test::parity_data() / "udhr/articles.tsv");
  ASSERT_TRUE(table.ok()) << table.error().sentence();
  const auto tokenizer = open((test::parity_data() / "gpt2-bpe").string());
  ASSERT_TRUE(tokenizer.ok());
  const auto counts = count_languages(*table, **tokenizer);
  ASSERT_TRUE(counts.ok());
  const auto times = [&](const std::string& begin) {
    for (std::size_t i = 0; i < table->languages.size(); ++i)
      if (table->languages[i].name.starts_with(begin)) return times_base(*table, *counts, i);
    return 0.0;
  };
  EXPECT_NEAR(times("German"), 2.334, 0.0005);
  EXPECT_NEAR(times("Burmese"), 22.43, 0.005);
  EXPECT_DOUBLE_EQ(times("English"), 1);
}

}  // namespace
}  // namespace headlight::tokenizers
