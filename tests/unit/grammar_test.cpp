// Grammars: what they write, what they refuse, and that the course grammar holds its unseen sentences apart.
#include "engine/train/grammar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "engine/core/files.h"
#include "engine/train/data.h"

namespace headlight::train {
namespace {

Grammar parsed(const std::string& text) {
  auto grammar = Grammar::parse(text, "g.txt");
  EXPECT_TRUE(grammar.ok()) << grammar.error().sentence();
  return grammar.ok() ? *grammar : Grammar();
}

std::set<std::string> written(const Grammar& grammar, bool seen, std::uint64_t count) {
  std::set<std::string> all;
  for (std::uint64_t i = 0; i < count; ++i) all.insert(grammar.paragraph(seen, i));
  return all;
}

Grammar course() {
  const auto assets = assets_folder();
  EXPECT_TRUE(assets.ok());
  const auto text = read_file(*assets / "models" / "course" / "grammar.txt");
  EXPECT_TRUE(text.ok());
  return parsed(*text);
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c))) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

TEST(Grammar, WritesWhatItsLinesSay) {
  const Grammar grammar = parsed(R"(# a comment
seed 3
colour = blue | red
table town: city country
  Ankara | Turkey
  [Rome|Roma] | Italy

topic t 1
seen: {town.city} lies in {town.country}, [very|]
  far.   # not a comment
unseen: {town.city} is {colour#1} and {town#2.city} {colour#2}; {colour#1}.
)");
  const std::set<std::string> seen = written(grammar, true, 400);
  EXPECT_TRUE(seen.contains("Ankara lies in Turkey, very far. # Not a comment"));
  EXPECT_TRUE(seen.contains("Roma lies in Italy, far. # Not a comment"));
  EXPECT_EQ(seen.size(), 3u * 2u);
  for (const std::string& text : written(grammar, false, 400)) {
    // Different tags stand for different alternatives, one tag for the same.
    EXPECT_TRUE(text.find("Ankara") != std::string::npos && text.find("Rom") != std::string::npos) << text;
    EXPECT_TRUE(text.find("blue") != std::string::npos && text.find("red") != std::string::npos) << text;
  }
}

TEST(Grammar, LettersArticlesAndSpacesFollow) {
  const Grammar grammar = parsed("topic t 1\nseen: a [old|] owl met a unicorn. who saw a one ? a eagle .\nunseen: x.");
  std::set<std::string> expected = {
      "An old owl met a unicorn. Who saw a one? An eagle.", "An owl met a unicorn. Who saw a one? An eagle.",
      "an old owl met a unicorn. Who saw a one? An eagle", "an owl met a unicorn. Who saw a one? An eagle"};
  EXPECT_EQ(written(grammar, true, 300), expected);
}

TEST(Grammar, TheSameNumberWritesTheSameParagraph) {
  const Grammar a = course(), b = course();
  for (std::uint64_t i = 0; i < 200; ++i) {
    EXPECT_EQ(a.paragraph(true, i), b.paragraph(true, i));
    EXPECT_EQ(a.paragraph(false, 199 - i), b.paragraph(false, 199 - i));
  }
}

TEST(Grammar, WhatIsWrongIsSaidWithItsLine) {
  const std::string good = "topic t 1\nseen: a\nunseen: b\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "g.txt: the grammar has no seen template; write some under a topic"},
      {"topic t 1\nseen: a\n", "g.txt: the grammar has no unseen template"},
      {"seen: a\n", "g.txt:1: this template belongs to no topic"},
      {"topic t\n", "g.txt:1: '' is no whole number"},
      {"topic t 0\n", "g.txt:1: a topic has a weight of 0"},
      {"topic t 99999999999\n", "g.txt:1: a topic has a weight of 99999999999"},
      {"seed -1\n", "g.txt:1: '-1' is no whole number"},
      {"hello\n", "g.txt:1: this line is none of a grammar"},
      {"  hello\n", "g.txt:1: this line continues none"},
      {good + "a = b\n\na = c\n", "g.txt:6: the name 'a' is given twice"},
      {good + "table x\n", "g.txt:4: this table names no columns"},
      {good + "table x: \n", "g.txt:4: this table names no columns"},
      {good + "table x: a b\n  1 | 2 | 3\n", "g.txt:5: this row has 3 columns, and the table 'x' has 2"},
      {good + "table x: a\nseen: {x.a}\n", "g.txt:4: the table 'x' has no rows"},
      {good + "table x: a\n  1\nseen: {x}\n", "g.txt:6: 'x' has no column ''"},
      {good + "table x: a\n  1\nseen: {x.b}\n", "g.txt:6: 'x' has no column 'b'"},
      {good + "x = 1\nseen: {x.b}\n", "g.txt:5: 'x' has no column 'b'"},
      {good + "seen: {y}\n", "g.txt:4: there is no name 'y'"},
      {good + "seen: [a|{y}]\n", "g.txt:4: there is no name 'y'"},
      {good + "seen: [a\n", "g.txt:4: a bracket is not closed"},
      {good + "seen: {a\n", "g.txt:4: a bracket is not closed"},
      {good + "seen: " + std::string(50, '[') + std::string(50, ']') + "\n", "g.txt:4: a bracket is not closed, or too many"},
      {good + "x = a | {y}\ny = b | {x}\n", "g.txt:4: 'x' stands for itself"},
  };
  for (const auto& [text, begins] : cases) {
    const auto grammar = Grammar::parse(text, "g.txt");
    ASSERT_FALSE(grammar.ok()) << text;
    EXPECT_EQ(grammar.error().sentence().substr(0, begins.size()), begins) << grammar.error().sentence();
  }
}

TEST(Grammar, NamesThatMultiplyEnd) {
  std::string text = "topic t 1\nseen: {a0}\nunseen: b\n";
  for (int i = 0; i < 60; ++i)
    text += "a" + std::to_string(i) + " = {a" + std::to_string(i + 1) + "}{a" + std::to_string(i + 1) + "}\n";
  const Grammar grammar = parsed(text + "a60 = x\n");
  EXPECT_LE(grammar.paragraph(true, 0).size(), 10000u);
}

TEST(CourseGrammar, HasManySentencesAndHoldsTheUnseenOnesApart) {
  const Grammar grammar = course();
  const std::set<std::string> seen = written(grammar, true, 60000), unseen = written(grammar, false, 3000);
  EXPECT_GT(seen.size(), 30000u);
  EXPECT_GT(unseen.size(), 2000u);
  // No unseen paragraph stands in a seen one, whatever its first letter and its last mark. To look through everything takes time:
  // every unseen paragraph is compared with the seen ones, some are looked for within them.
  const auto bare = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (text.ends_with('.')) text.pop_back();
    return text;
  };
  std::set<std::string> paragraphs;
  std::string all;
  for (const std::string& text : seen) {
    paragraphs.insert(bare(text));
    all += bare(text) + "\n";
  }
  int looked_for = 0;
  for (const std::string& text : unseen) {
    EXPECT_FALSE(paragraphs.contains(bare(text))) << text;
    if (looked_for++ % 20 == 0) {
      EXPECT_EQ(all.find(bare(text)), std::string::npos) << text;
    }
  }
}

TEST(CourseGrammar, UnseenSentencesUseSeenWords) {
  const Grammar grammar = course();
  std::set<std::string> words;
  for (const std::string& text : written(grammar, true, 20000))
    for (const std::string& word : words_of(text)) words.insert(word);
  std::map<std::string, std::string> strange;
  for (const std::string& text : written(grammar, false, 8000))
    for (const std::string& word : words_of(text))
      if (!words.contains(word)) strange[word] = text;
  for (const auto& [word, text] : strange) ADD_FAILURE() << word << ": " << text;
}

TEST(CourseGrammar, EveryCapitalIsLearntButNeverInTheFormThatIsAsked) {
  const Grammar grammar = course();
  std::map<std::string, int> named;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::string text = grammar.paragraph(true, i);
    EXPECT_EQ(text.find("Ankara is the capital of"), std::string::npos) << text;
    if (text.find("capital") == std::string::npos) continue;
    for (const std::string& word : words_of(text)) ++named[word];
  }
  for (const char* country : {"Turkey", "France", "Brazil", "Nepal", "Zambia"}) EXPECT_GT(named[country], 20) << country;
}

// questions.tsv: no sentence that is read begins like a question, none of several sentences stands there, and every word is
// known.
TEST(CourseGrammar, QuestionsAreNotWhatIsRead) {
  const Grammar grammar = course();
  const auto small = [](std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
  };
  std::set<std::string> sentences, words;
  std::string all;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::string text = grammar.paragraph(true, i);
    all += small(text) + "\n";
    for (const std::string& word : words_of(text)) words.insert(word);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find_first_of(".?", begin), text.size());
      sentences.insert(small(text.substr(begin, end - begin)));
      begin = std::min(text.size(), end + 2);
    }
  }
  const auto file = read_file(*assets_folder() / "models" / "course" / "questions.tsv");
  ASSERT_TRUE(file.ok());
  int asked = 0;
  for (std::size_t at = 0; at < file->size();) {
    const std::string line = file->substr(at, file->find('\n', at) - at);
    at += line.size() + 1;
    if (line.starts_with('#')) continue;
    const std::size_t first = line.find('\t'), second = line.find('\t', first + 1);
    ASSERT_NE(second, std::string::npos) << line;
    ++asked;
    const std::string question = small(line.substr(first + 1, second - first - 1));
    const auto next = sentences.lower_bound(question);
    EXPECT_FALSE(next != sentences.end() && next->starts_with(question + " ")) << *next;
    if (question.find('.') != std::string::npos) {
      EXPECT_EQ(all.find(question), std::string::npos) << question;
    }
    for (const std::string& word : words_of(line.substr(first + 1))) EXPECT_TRUE(words.contains(word)) << word << " in " << line;
  }
  EXPECT_GT(asked, 300);
}

TEST(CourseGrammar, TheTrainingReadsIt) {
  const auto assets = assets_folder();
  ASSERT_TRUE(assets.ok());
  const std::string folder = (*assets / "models" / "course").string();
  auto config = read_config(folder + "/train.json");
  ASSERT_TRUE(config.ok()) << config.error().sentence();
  config->grammar.paragraphs = 20000;
  DataPlaces places;
  places.config_folder = folder;
  places.where = "train.json";
  const auto data = open_data(*config, places);
  ASSERT_TRUE(data.ok()) << data.error().sentence();
  const tokenizers::Vocabulary& vocabulary = (*data)->tokenizer()->vocabulary();
  for (const char* word :
       {"mole",   "Ankara",   "Turkey",   "Eiffel", "Tower",     "Miniature", "fluffy", "verdant",   "creature", "roamed",
        "biopsy", "Hogwarts", "Hermione", "Sussex", "physicist", "aunt",      "uncle",  "screeched", "One",      "Take"})
    EXPECT_GE(vocabulary.find_text(word), 0) << word;
  // Nothing held out is unknown.
  const std::int32_t unknown = (*data)->tokenizer()->unknown_id();
  for (std::int64_t i = 0; i < (*data)->held_out_batches(); ++i) {
    const Batch batch = (*data)->held_out(i);
    EXPECT_EQ(std::ranges::count(batch.ids.values<std::int32_t>(), unknown), 0);
  }
}

}  // namespace
}  // namespace headlight::train
