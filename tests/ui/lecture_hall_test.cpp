// In front of a class: Escape closes one thing at a time, what a button makes is seen, what is said belongs to what is shown, and
// a second sentence under a model that reads one is an offer.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/next_word/data.h"
#include "app/views/scores/state.h"
#include "app/views/walk/state.h"
#include "app/window/dialogs/command_palette.h"
#include "engine/document/stored_model.h"
#include "imgui_internal.h"
#include "tests/ui/room.h"
#include "tests/ui/stored_document.h"

namespace headlight {
namespace {

using test::drawn_in;
using test::Room;
using test::stored_document;

ViewState hall_view(const std::string& tab) {
  ViewState view;
  view.tab = tab;
  return view;
}

std::vector<std::string> hall_words(Room& room) {
  std::vector<std::string> words;
  for (const gl::DrawnText& one : drawn_in(room)) words.push_back(one.text);
  return words;
}
bool hall_says(Room& room, const std::string& words) {
  const auto all = hall_words(room);
  return std::any_of(all.begin(), all.end(), [&](const std::string& one) { return one.find(words) != std::string::npos; });
}

void hall_key(Room& room, ImGuiKey key) {
  ImGui::GetIO().AddKeyEvent(key, true);
  room.window.frames(*room.shell, 2);
  ImGui::GetIO().AddKeyEvent(key, false);
  room.window.frames(*room.shell, 2);
}

TEST(LectureHall, EscapeClosesWhatIsOpenBeforeItLeavesPresentation) {
  ViewState view = hall_view("heads");
  view.presentation = true;
  view.zoom = 3;
  Room room(Room::setup_of(test::small_document(), view), 1280, 720, false);
  ASSERT_TRUE(room.has("heads:cells"));
  room.click_part("heads:cells", 0.5f, 0.5f);
  room.press(true, 1);  // the picture's menu
  room.press(false, 1);
  room.window.frames(*room.shell, 3);
  ASSERT_GT(GImGui->OpenPopupStack.Size, 0);
  hall_key(room, ImGuiKey_Escape);
  EXPECT_EQ(GImGui->OpenPopupStack.Size, 0);
  EXPECT_TRUE(room.shell->view().presentation) << "the menu was closed, and nothing else";
  EXPECT_EQ(room.shell->view().zoom, 3);
  hall_key(room, ImGuiKey_Escape);
  EXPECT_EQ(room.shell->view().zoom, 1) << "then the zoom";
  EXPECT_TRUE(room.shell->view().presentation);
  hall_key(room, ImGuiKey_Escape);
  EXPECT_FALSE(room.shell->view().presentation);
}

TEST(LectureHall, AnOpenBoxOfTheWalkThroughIsClosedFirst) {
  ViewState view = hall_view("walk");
  view.presentation = true;
  view.own.of<views::walk::State>().open = "layer.0.weights";
  Room room(Room::setup_of(test::small_document(), view), 1280, 720, false);
  hall_key(room, ImGuiKey_Escape);
  EXPECT_TRUE(room.shell->view().own.of<views::walk::State>().open.empty());
  EXPECT_TRUE(room.shell->view().presentation);
  hall_key(room, ImGuiKey_Escape);
  EXPECT_FALSE(room.shell->view().presentation);
}

TEST(LectureHall, GeneratedWordsAreSeenAtOnce) {
  for (const auto& [width, height] : {std::pair(1280.0f, 720.0f), std::pair(1000.0f, 720.0f)}) {
    SCOPED_TRACE(width);
    Room room(stored_document("stories", "once upon a time there was a"), hall_view("next"), width, height);
    ASSERT_TRUE(room.has("next:generate"));
    const auto view = room.part("main");
    for (int i = 0; i < 20 && room.part("next:generate").y1 > view.y1; ++i) {  // the button itself may have to be scrolled to
      ImGui::GetIO().AddMousePosEvent((view.x0 + view.x1) / 2, (view.y0 + view.y1) / 2);
      ImGui::GetIO().AddMouseWheelEvent(0, -1);
      room.window.frames(*room.shell, 3);
    }
    room.click_part("next:generate");
    auto& generated = room.shell->transient.of<views::next_word::Held>().generated;
    for (int i = 0; i < 80 && (generated.words.empty() || generated.words.size() < generated.wanted); ++i) {
      room.shell->lane().wait();
      room.window.frame(*room.shell);
    }
    ASSERT_FALSE(generated.words.empty());
    room.window.frames(*room.shell, 4);
    const auto words = room.part("next:generated"), main = room.part("main");
    EXPECT_GE(words.y0, main.y0 - 1);
    EXPECT_LE(words.y1, main.y1 + 1);
  }
}

TEST(LectureHall, TheBadgeBelongsToWhatTheViewShows) {
  Room room(stored_document("stories", "the cat sat"), hall_view("heads"));
  EXPECT_TRUE(hall_says(room, "trained"));
  for (const char* tab : {"patches", "recurrence"}) {
    room.shell->view().tab = tab;
    room.settle();
    const auto words = hall_words(room);
    EXPECT_EQ(std::count(words.begin(), words.end(), "trained"), 0) << tab;
    EXPECT_GT(std::count(words.begin(), words.end(), "random"), 0) << tab;
  }
}

TEST(LectureHall, LettersThatTheModelNeverReadAreSaid) {
  Room room(stored_document("stories", "the cat sat"), hall_view("heads"));
  EXPECT_FALSE(hall_says(room, "unfamiliar text"));
  Document arabic = room.shell->document();
  arabic.texts = {"القطة جلست على السجادة"};
  room.shell->edit(arabic);
  room.settle();
  EXPECT_TRUE(hall_says(room, "unfamiliar text"));
}

TEST(LectureHall, ASecondSentenceUnderADecoderOffersTheTranslator) {
  Document document = stored_document("stories", "The cat is black.");
  Room room(document, hall_view("heads"));
  document.targets = {"Le chat est noir."};
  room.shell->edit(document);
  room.settle();
  ASSERT_TRUE(room.has("translator"));
  EXPECT_TRUE(hall_says(room, "Translate with english-french"));
  room.click_part("translator");
  room.settle();
  EXPECT_EQ(room.shell->document().model, "english-french");
  EXPECT_EQ(room.shell->document().targets, std::vector<std::string>{"Le chat est noir."});
  EXPECT_FALSE(room.shell->published().error);
  EXPECT_FALSE(room.has("translator"));
}

TEST(LectureHall, TheSecondSentenceCanBeDropped) {
  Document document = stored_document("stories", "The cat is black.");
  document.targets = {"Le chat"};
  Room room(document, hall_view("heads"));
  ASSERT_TRUE(room.has("drop target"));
  room.click_part("drop target");
  room.settle();
  EXPECT_TRUE(room.shell->document().targets.empty());
  EXPECT_EQ(room.shell->document().model, "stories");
  EXPECT_FALSE(room.has("translator"));
}

TEST(LectureHall, ALanguageIsFoundByItsEnglishName) {
  Room room;
  room.shell->palette.ask();
  room.window.frames(*room.shell, 3);
  room.window.type(*room.shell, "chinese");
  ASSERT_FALSE(room.shell->palette.found().empty());
  EXPECT_EQ(room.shell->palette.commands()[room.shell->palette.found().front()].shown, "中文");
}

TEST(LectureHall, LayersAndHeadsSayFromWhereTheyAreCounted) {
  ViewState view = hall_view("scores");
  view.layer = 1;
  Room room(test::small_document(), view);
  EXPECT_TRUE(hall_says(room, "layer 1 (0 to 1)"));
  EXPECT_TRUE(hall_says(room, "head 0 (0 to 3)"));
}

// The scores of "Scores" are the model's own, and say so only then.
TEST(LectureHall, InUseHereIsSaidOfTheModelsOwnMask) {
  Document document = test::small_document();
  document.masks = {{"causal", {}}};
  Room room(document, hall_view("scores"));
  EXPECT_TRUE(room.shell->view().own.of<views::scored::State>().masked);
  EXPECT_TRUE(hall_says(room, "in use here"));
  room.shell->view().own.of<views::scored::State>().masked = false;
  room.settle();
  EXPECT_FALSE(hall_says(room, "in use here"));
}

// A tooltip stands below or above a control, and never over it.
TEST(LectureHall, ATooltipNeverCoversItsControl) {
  Room room(test::small_document(), hall_view("heads"), 1280, 720);
  int seen = 0;
  for (const char* part : {"picker:mask", "picker:model", "rail:heads", "export", "lesson", "rail:compare"}) {
    if (!room.has(part)) continue;
    const auto control = room.part(part);
    room.move((control.x0 + control.x1) / 2, (control.y0 + control.y1) / 2);
    room.window.frames(*room.shell, 120);
    for (const ImGuiWindow* w : GImGui->Windows)
      if ((w->Flags & ImGuiWindowFlags_Tooltip) && w->Active && !w->Hidden) {
        ++seen;
        const bool apart = w->Pos.y >= control.y1 - 2 || w->Pos.y + w->Size.y <= control.y0 + 2 || w->Pos.x >= control.x1 ||
                           w->Pos.x + w->Size.x <= control.x0;
        EXPECT_TRUE(apart) << part;
        EXPECT_GE(w->Pos.y, 0) << part;
        EXPECT_LE(w->Pos.y + w->Size.y, 721) << part;
      }
  }
  EXPECT_GE(seen, 4);
}

}  // namespace
}  // namespace headlight
