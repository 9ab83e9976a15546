// The glossary: its file, its terms in texts, the lines under them, their meanings on hover, and the page of all of them.
#include "app/text/glossary.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

#include "app/gl/term_marks.h"
#include "app/text/language.h"
#include "app/text/view_words.h"
#include "app/window/commands/actions.h"
#include "engine/core/text_file.h"
#include "imgui_internal.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;
namespace fs = std::filesystem;

fs::path assets() { return fs::path(__FILE__).parent_path().parent_path().parent_path() / "assets"; }
std::string file(const char* name) { return read_text_file(assets() / name).value(); }

std::vector<std::string> found(const Glossary& glossary, std::string_view text) {
  std::vector<std::string> all;
  for (const Glossary::Found& one : glossary.find(text)) all.emplace_back(text.substr(one.begin, one.end - one.begin));
  return all;
}

TEST(Glossary, FindsWholeWordsAndTheLongest) {
  const auto read = Glossary::read(
      "# a comment\nterm\tmeaning\tterm zh\tmeaning zh\nhead; heads\tA.\t注意力头; 头\t甲。\nkey "
      "head\tB.\t键头\t乙。\nBPE\tC.\tBPE\t丙。\n"
      "norm\tD.\t归一化\t丁。\n",
      "here", "en");
  ASSERT_TRUE(read.ok()) << read.error().sentence();
  using Words = std::vector<std::string>;
  EXPECT_EQ(found(*read, "Heads share a key head, not a heading."), (Words{"Heads", "key head"}));
  EXPECT_EQ(found(*read, "BPE, bpe and BPEs"), (Words{"BPE"})) << "abbreviations as they are written";
  EXPECT_EQ(found(*read, "the L2 norm"), (Words{"norm"}));
  EXPECT_TRUE(found(*read, "enormous d_norm").empty());
  const auto chinese = Glossary::read("term\tmeaning\tterm zh\tmeaning zh\nhead\tA.\t注意力头; 头\t甲。\n", "here", "zh");
  ASSERT_TRUE(chinese.ok());
  EXPECT_EQ(found(*chinese, "第 3 层的注意力头"), (Words{"注意力头"}));
  EXPECT_EQ(found(*chinese, "头 5"), (Words{"头"}));
  EXPECT_TRUE(found(*chinese, "开头很好").empty()) << "part of another word";
  EXPECT_EQ(chinese->entries()[0].meaning, "甲。");
  EXPECT_FALSE(Glossary::read("term\tmeaning\nhead\n", "here", "en").ok());
}

// The texts of the interface in one language: the tables, and those of the lessons.
std::string interface_in(std::size_t column) {
  std::string all;
  std::vector<std::string> tables = view_words();
  tables.push_back(file("interface.tsv"));
  for (const std::string& table : tables) {
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream columns(line);
      std::string one;
      for (std::size_t i = 0; i <= column; ++i) std::getline(columns, one, '\t');
      all += one + "\n";
    }
  }
  return all;
}

TEST(Glossary, EveryTermStandsInTheInterfaceAndIsShortlyExplained) {
  for (const auto& [language, column] : {std::pair{"en", std::size_t{0}}, {"zh", std::size_t{1}}}) {
    const auto read = Glossary::read(file("glossary.tsv"), "glossary.tsv", language);
    ASSERT_TRUE(read.ok()) << read.error().sentence();
    EXPECT_GE(read->entries().size(), 80u);
    std::set<std::size_t> spoken;
    const std::string all = interface_in(column);
    for (const Glossary::Found& one : read->find(all)) spoken.insert(one.entry);
    for (std::size_t i = 0; i < read->entries().size(); ++i) {
      const Glossary::Entry& entry = read->entries()[i];
      EXPECT_TRUE(spoken.contains(i)) << language << ": the interface never says " << entry.forms[0];
      const std::regex ends(column == 0 ? "[.!?](?= |$)" : "。");
      const auto sentences =
          std::distance(std::sregex_iterator(entry.meaning.begin(), entry.meaning.end(), ends), std::sregex_iterator());
      EXPECT_GE(sentences, 1) << entry.forms[0];
      EXPECT_LE(sentences, 2) << entry.forms[0];
      EXPECT_LE(entry.meaning.size(), 220u) << entry.forms[0];
    }
  }
}

// Kinds of files, and names of programs, folders and operations on bits explain themselves or are no term of this field.
TEST(Glossary, NoAbbreviationOfTheInterfaceLacksAnEntry) {
  const std::set<std::string> plain = {"PNG", "PDF", "SVG", "CSV", "NPY", "NPZ", "GIF", "APNG", "HTML", "LaTeX", "AND", "OR"};
  const auto read = Glossary::read(file("glossary.tsv"), "glossary.tsv", "en");
  ASSERT_TRUE(read.ok());
  const std::string all = interface_in(0);
  // W_OV and HEADLIGHT_SHADER_DIR are names, no abbreviations.
  const std::regex abbreviation("[A-Za-z0-9_]*[A-Z][A-Za-z0-9_]*[A-Z][A-Za-z0-9_]*(ᵀ)?");
  std::set<std::string> missing;
  for (auto at = std::sregex_iterator(all.begin(), all.end(), abbreviation); at != std::sregex_iterator(); ++at)
    if (const std::string word = at->str();
        word.find('_') == std::string::npos && !plain.contains(word) && read->find(word).empty())
      missing.insert(word);
  for (const std::string& word : missing) ADD_FAILURE() << word << " is nowhere explained";
}

ViewState heads_view_of_terms() {
  ViewState view;
  view.tab = "heads";
  return view;
}

// One line a term and part of the window, and its meaning where the mouse rests on it.
TEST(Glossary, TermsAreUnderlinedAndExplainedWhereTheyStand) {
  speak(nullptr);
  Room room(test::small_document(), heads_view_of_terms());
  room.settle();
  const int marked = gl::marked_terms();
  EXPECT_GE(marked, 4);
  EXPECT_LE(marked, 40) << "the first of each in a part of the window only";
  const views::Parts::Place whole{0, 0, 1600, 1000};
  const auto at = room.search(whole, 9, 9, [&] { return gl::pointed_term().entry != nullptr; });
  ASSERT_GE(at.x, 0) << "no term is found by the mouse";
  const auto shows = [] {
    const ImGuiWindow* tip = ImGui::FindWindowByName("##Tooltip_00");
    return tip && tip->Active;
  };
  // The mouse rests for a moment first.
  for (int i = 0; i < 400 && !shows(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    room.window.frame(*room.shell);
  }
  EXPECT_TRUE(shows());
}

TEST(Glossary, APageHasAllTerms) {
  speak(nullptr);
  Room room(test::small_document(), heads_view_of_terms());
  const window::Action* const action = window::actions().find("glossary");
  ASSERT_NE(action, nullptr);
  action->run(*room.shell);
  room.window.frames(*room.shell, 3);
  EXPECT_TRUE(room.has("glossary"));
  ImGui::GetIO().AddInputCharactersUTF8("softmax");
  room.window.frames(*room.shell, 3);
  EXPECT_EQ(room.shell->ui.glossary.sought, "softmax");
  EXPECT_TRUE(room.has("glossary:softmax"));
  EXPECT_FALSE(room.has("glossary:batch"));
  ImGui::GetIO().AddInputCharactersUTF8("xyzzy");
  room.window.frames(*room.shell, 3);
  EXPECT_FALSE(room.has("glossary:softmax"));
  action->run(*room.shell);
  room.window.frames(*room.shell, 3);
  EXPECT_FALSE(room.has("glossary"));
}

TEST(Glossary, OneEscapeClosesItsPageAlsoWhileATermIsTyped) {
  Room room(test::small_document(), heads_view_of_terms());
  room.shell->view().presentation = true;
  window::actions().find("glossary")->run(*room.shell);
  room.window.frames(*room.shell, 3);
  ImGui::GetIO().AddInputCharactersUTF8("head");
  room.window.frames(*room.shell, 3);
  ASSERT_TRUE(room.has("glossary"));
  room.window.key(*room.shell, ImGuiKey_Escape);
  room.window.frames(*room.shell, 3);
  EXPECT_FALSE(room.has("glossary"));
  EXPECT_TRUE(room.shell->view().presentation) << "one key closes one thing";
}

}  // namespace
}  // namespace headlight
