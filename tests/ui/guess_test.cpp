// Hide, guess, reveal: what is covered is said nowhere, in any view; a key reveals it; guesses are counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "app/figures/base/cover.h"
#include "app/figures/base/labels.h"
#include "app/views/base/view.h"
#include "engine/document/stored_model.h"
#include "imgui_internal.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using figures::Cover;
using figures::Hides;
using test::Room;

Cover cover_of(Hides hides, std::set<std::string> names = {}) {
  Cover cover;
  cover.hides = hides;
  cover.names = std::move(names);
  return cover;
}

TEST(Cover, MeasuredNumbersAreQuestionMarksAndCountsStay) {
  const Cover cover = cover_of(Hides::numbers);
  EXPECT_EQ(*figures::covered("blue gets .54 of it, layer 3, 12 %", cover), "blue gets ? of it, layer 3, ?");
  EXPECT_EQ(*figures::covered("it adds \u22120.3, then -1.5e-5 (+2.0)", cover), "it adds ?, then ? (?)");
  EXPECT_EQ(*figures::covered("GPT-2 has 12 heads", cover), "GPT-2 has 12 heads");
}

TEST(Cover, ASentenceThatSaysATokenIsCoveredWhole) {
  const Cover cover = cover_of(Hides::names, {"blue", "a", "猫"});
  EXPECT_FALSE(figures::covered("most of it goes to blue.", cover));
  EXPECT_FALSE(figures::covered("看向猫的是谁", cover));
  EXPECT_TRUE(figures::covered("a bluebird looks back", cover)) << "no token is said whole";
  EXPECT_EQ(figures::bare_name("\u00b7the\u2081"), "the");
}

// A map of two by two with numbers, names and a legend.
figures::Figure small_map() {
  figures::Figure figure;
  figure.width = figure.height = 120;
  figures::Cells cells;
  cells.box = {40, 20, 60, 60};
  cells.rows = cells.columns = 2;
  cells.values = Tensor(DType::f32, {2, 2});
  cells.tag = {figures::Tag::cell_area, 0, 0};
  figure.add(cells);
  const auto text = [&](const char* words, figures::Point at, figures::Font font, figures::Tag tag) {
    figures::Text one;
    one.text = words;
    one.at = at;
    one.font = font;
    one.tag = tag;
    figure.add(one);
  };
  text(".54", {55, 35}, figures::Font::mono, {figures::Tag::none, 0, 0, figures::Part::number});
  text("blue", {10, 35}, figures::Font::mono, {figures::Tag::row, 0, 0});
  text("0", {40, 110}, figures::Font::mono, {figures::Tag::none, 0, 0, figures::Part::legend});
  text("blue looks at itself", {0, 8}, figures::Font::words, {});
  return figure;
}
std::vector<std::string> texts_of(const figures::Figure& figure) {
  std::vector<std::string> out;
  for (const auto& item : figure.items)
    if (const auto* text = std::get_if<figures::Text>(&item)) out.push_back(text->text);
  return out;
}

TEST(Cover, AFigureKeepsWhatIsNotCovered) {
  test::NullWindow window;
  window.figures().begin_frame({}, figures::themes().entries().front(), 1, false);
  ImGui::NewFrame();
  const figures::Theme& theme = figures::themes().entries().front();
  const auto under = [&](Hides hides) {
    Cover cover = cover_of(hides, {"blue"});
    return figures::covered(small_map(), cover, theme, window.figures());
  };
  EXPECT_EQ(texts_of(under(Hides::numbers).figure), (std::vector<std::string>{"?", "blue", "0", "blue looks at itself"}));
  EXPECT_TRUE(under(Hides::numbers).lids.empty());
  EXPECT_EQ(texts_of(under(Hides::names).figure), (std::vector<std::string>{".54", "0"}));
  const auto picture = under(Hides::picture);
  ASSERT_EQ(picture.lids.size(), 1U);
  EXPECT_EQ(picture.lids[0].w, 60);
  EXPECT_EQ(texts_of(picture.figure), (std::vector<std::string>{"blue", "0", "?"})) << "the lid's mark is a question mark";
  EXPECT_TRUE(std::none_of(picture.figure.items.begin(), picture.figure.items.end(),
                           [](const auto& item) { return std::holds_alternative<figures::Cells>(item); }));
  ImGui::EndFrame();
}

// A document of words that no view says by itself.
Document word_document() {
  Document document = test::small_document("words");
  document.texts = {"squirrel envy kitchen thunder"};
  return document;
}
Room guess_room(const std::string& tab, Document document = word_document(), bool presented = false) {
  ViewState view;
  view.tab = tab;
  view.presentation = presented;
  return Room(Room::setup_of(std::move(document), view), 1280, 720, false);
}

// What the view and the inspector say; not the chips and the sentence, which are the question.
std::vector<std::string> said_in_view(Room& room) {
  std::vector<gl::DrawnText> drawn;
  room.window.figures().watch_text(&drawn);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  std::vector<std::string> out;
  for (const auto& one : drawn)
    if (one.window.find("/main_") != std::string::npos || one.window.find("/inspector_") != std::string::npos || one.floats)
      out.push_back(one.text);
  return out;
}
bool any_says(const std::vector<std::string>& all, const std::string& words) {
  return std::any_of(all.begin(), all.end(), [&](const std::string& one) { return one.find(words) != std::string::npos; });
}
bool says_a_weight(const std::vector<std::string>& all) {
  return std::any_of(all.begin(), all.end(), [](const std::string& one) {
    return one.size() >= 3 && one[0] == '.' && std::isdigit(static_cast<unsigned char>(one[1])) &&
           std::isdigit(static_cast<unsigned char>(one[2]));
  });
}

TEST(Guess, AKeyCoversRevealsAndEscapeEndsItBeforePresentation) {
  Room room = guess_room("heads", word_document(), true);
  ASSERT_TRUE(says_a_weight(said_in_view(room)));
  room.window.key(*room.shell, ImGuiKey_F9);
  EXPECT_TRUE(room.has("guess:reveal"));
  EXPECT_FALSE(says_a_weight(said_in_view(room)));
  EXPECT_TRUE(any_says(said_in_view(room), "kitchen"))
      << "the names stay beside the covered map: " << testing::PrintToString(said_in_view(room));
  room.window.key(*room.shell, ImGuiKey_F9);
  EXPECT_TRUE(says_a_weight(said_in_view(room))) << "revealed";
  room.window.key(*room.shell, ImGuiKey_F9);
  EXPECT_FALSE(says_a_weight(said_in_view(room))) << "covered again";
  room.window.key(*room.shell, ImGuiKey_Escape);
  EXPECT_FALSE(room.shell->ui.guess.on());
  EXPECT_TRUE(room.shell->view().presentation);
  EXPECT_TRUE(says_a_weight(said_in_view(room)));
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(Guess, ItsKeyDoesNothingUnderTheGlossary) {
  Room room = guess_room("heads");
  room.shell->ui.glossary.open = true;
  room.window.frames(*room.shell, 3);
  room.window.key(*room.shell, ImGuiKey_F9);
  EXPECT_FALSE(room.shell->ui.guess.on());
  room.shell->ui.glossary.open = false;
  room.window.frames(*room.shell, 3);
  room.window.key(*room.shell, ImGuiKey_F9);
  EXPECT_TRUE(room.shell->ui.guess.on());
}

TEST(Guess, TheMouseOverACoveredMapTellsNothing) {
  Room room = guess_room("heads");
  room.shell->inspector_open() = true;
  room.window.key(*room.shell, ImGuiKey_F9);
  const auto at = room.part("heads:cells");
  room.move((at.x0 + at.x1) / 2, (at.y0 + at.y1) / 2);
  room.window.frames(*room.shell, 60);
  EXPECT_EQ(room.shell->hover.now, views::Hot());
  EXPECT_EQ(room.shell->hover.next, views::Hot());
  EXPECT_FALSE(says_a_weight(said_in_view(room)));
  EXPECT_TRUE(any_says(said_in_view(room), "Covered while the class guesses"));
}

TEST(Guess, NoViewSaysTheCoveredNames) {
  for (const views::View& entry : views::registry().entries()) {
    if (entry.id == "tokens" || entry.id == "embeddings") continue;  // below: the tokens are their subject
    Room room = guess_room(entry.id);
    window::guess_about(*room.shell, Hides::names);
    room.settle();
    room.move(500, 360);  // whatever lies there
    room.window.frames(*room.shell, 40);
    const auto all = said_in_view(room);
    for (const char* name : {"squirrel", "envy", "kitchen", "thunder"})
      for (const std::string& words : all) EXPECT_EQ(words.find(name), std::string::npos) << entry.id << " says: " << words;
    EXPECT_EQ(room.window.errors(), 0) << entry.id;
  }
}

TEST(Guess, NoViewSaysWeightsUnderCoveredNumbersOrPicture) {
  for (const views::View& entry : views::registry().entries()) {
    if (entry.id == "patches") continue;  // the end of its scale, which stays
    for (const Hides hides : {Hides::numbers, Hides::picture}) {
      Room room = guess_room(entry.id);
      window::guess_about(*room.shell, hides);
      room.settle();
      const auto all = said_in_view(room);
      EXPECT_FALSE(says_a_weight(all)) << entry.id << ": " << testing::PrintToString(all);
    }
  }
}

TEST(Guess, PredictedWordsAreCoveredAndTheirChancesStay) {
  Document document;
  const auto stored = open_stored_model("course");
  ASSERT_TRUE(stored.ok());
  use_model(document, **stored);
  document.texts = {"a fluffy blue creature roamed the"};
  Room room = guess_room("next", document, true);
  room.settle();
  const auto before = said_in_view(room);
  ASSERT_TRUE(any_says(before, "verdant") || any_says(before, "forest")) << "no expected word is shown";
  room.window.key(*room.shell, ImGuiKey_F9);
  EXPECT_EQ(room.shell->ui.guess.hides, Hides::predictions);
  room.window.frames(*room.shell, 3);
  const auto after = said_in_view(room);
  EXPECT_FALSE(any_says(after, "verdant"));
  EXPECT_FALSE(any_says(after, "forest"));
  EXPECT_TRUE(any_says(after, "%"));
  EXPECT_FALSE(any_says(after, "next word after")) << "sentences speak of the words, and are covered, too";
  room.window.key(*room.shell, ImGuiKey_F9);
  const auto revealed = said_in_view(room);
  EXPECT_EQ(any_says(revealed, "verdant"), any_says(before, "verdant"));
  EXPECT_EQ(any_says(revealed, "forest"), any_says(before, "forest"));
}

TEST(Guess, WhichHeadCoversTheSmallPicturesAndTheRoles) {
  Room room = guess_room("heads");
  ASSERT_TRUE(any_says(said_in_view(room), "head 0"));
  window::guess_about(*room.shell, Hides::head);
  room.window.frames(*room.shell, 3);
  EXPECT_FALSE(any_says(said_in_view(room), "head 0"));
  EXPECT_FALSE(any_says(said_in_view(room), "layer 0"));
  EXPECT_TRUE(says_a_weight(said_in_view(room))) << "the large picture stays";
}

TEST(Guess, KeysCountAndAClickOnTheLidMarksAGuess) {
  Room room = guess_room("heads");
  room.window.key(*room.shell, ImGuiKey_F9);
  window::Guess& guess = room.shell->ui.guess;
  for (const ImGuiKey key : {ImGuiKey_1, ImGuiKey_3, ImGuiKey_Keypad3, ImGuiKey_2}) room.window.key(*room.shell, key);
  room.window.key(*room.shell, ImGuiKey_Backspace);
  EXPECT_EQ(guess.counted(), (std::vector<int>{1, 0, 2}));
  EXPECT_TRUE(room.has("guess:votes"));
  room.click_part("guess:reset");
  EXPECT_TRUE(guess.counted().empty());

  const std::string sentence = room.shell->document().texts[0];
  room.click_part("heads:cells", 0.3f, 0.3f);
  room.click_part("heads:cells", 0.8f, 0.8f);
  room.click_part("heads:cells", 0.8f, 0.8f);
  EXPECT_EQ(guess.counted(), (std::vector<int>{1, 2}));
  EXPECT_EQ(room.shell->view().pinned_row, -1) << "a guess pins nothing";
  EXPECT_EQ(room.shell->document().texts[0], sentence);
  room.window.key(*room.shell, ImGuiKey_F9);
  EXPECT_EQ(guess.marks.list.size(), 2U) << "the guesses stay on the revealed map";
  room.click_part("heads:cells", 0.5f, 0.5f);
  EXPECT_GE(room.shell->view().pinned_row, 0) << "revealed, the map works as always";
  room.window.key(*room.shell, ImGuiKey_0);
  EXPECT_TRUE(guess.marks.list.empty());
}

TEST(Guess, NumbersTypedIntoTheSentenceAreNoVotes) {
  Room room = guess_room("heads");
  room.window.key(*room.shell, ImGuiKey_F9);
  room.window.key(*room.shell, ImGuiKey_L, true);  // into the sentence
  room.window.frames(*room.shell, 3);
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  room.window.key(*room.shell, ImGuiKey_1);
  EXPECT_TRUE(room.shell->ui.guess.counted().empty());
}

TEST(Guess, NothingOfItIsSavedOrExported) {
  Room room = guess_room("heads");
  const auto view = room.shell->view();
  const auto picture = [&] {
    const auto context = room.shell->context(room.window.as_frame());
    return texts_of(views::figure_of_view(context, *views::registry().find("heads"), 600, 500));
  };
  const auto before = picture();
  window::guess_about(*room.shell, Hides::names);
  room.settle();
  EXPECT_EQ(picture(), before);
  EXPECT_TRUE(room.shell->view() == view);
}

}  // namespace
}  // namespace headlight
