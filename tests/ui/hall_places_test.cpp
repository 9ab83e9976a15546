// In front of a class: what was said stays, what is new is seen, and what is pressed twice stays where it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/figures/tokens/chip_rows.h"
#include "app/views/values/state.h"
#include "app/views/walk/scene.h"
#include "engine/document/stored_model.h"
#include "imgui_internal.h"
#include "tests/ui/room.h"
#include "tests/ui/stored_document.h"

namespace headlight {
namespace {

using test::drawn_in;
using test::Room;
using test::stored_document;

ViewState place_view(const std::string& tab) {
  ViewState view;
  view.tab = tab;
  view.presentation = true;
  return view;
}

// The text in one line, without the spaces at which lines were broken.
std::string joined(const std::vector<gl::DrawnText>& drawn, float top, float bottom) {
  std::string all;
  for (const gl::DrawnText& one : drawn)
    if (one.low.y >= top - 1 && one.high.y <= bottom + 1) all += one.text;
  std::erase(all, ' ');
  return all;
}

TEST(HallPlaces, TheWalkThroughKeepsItsSentenceAtEveryStep) {
  for (const char* model : {"stories", "english-french"}) {
    SCOPED_TRACE(model);
    Document document = stored_document(model, "the dog is black");
    if (model == std::string("english-french")) document.targets = {"le chien est noir"};
    Room room(Room::setup_of(document, place_view("walk")), 1280, 720, false);
    room.settle();
    ASSERT_TRUE(room.has("walk:diagram"));
    const auto& kept = room.shell->transient.of<views::walk::WalkTransient>();
    const auto diagram = room.part("walk:diagram");
    for (int i = 0; i < 80; ++i) {
      const window::Frame frame = room.window.as_frame();
      const views::Context context = room.shell->context(frame);
      const views::walk::WalkScene scene = views::walk::walk_scene(context);
      const figures::WalkNotes notes = views::walk::walk_notes_of(context, scene, scene.input.lit);
      const auto at = room.part("walk:notes");
      std::string wanted = notes.words;
      std::erase(wanted, ' ');
      EXPECT_NE(joined(drawn_in(room), at.y0, at.y1).find(wanted), std::string::npos) << notes.title << ": " << notes.words;
      EXPECT_EQ(room.part("walk:diagram").y0, diagram.y0) << notes.title << " moves the diagram";
      if (kept.stop + 1 >= kept.stops) break;
      room.window.key(*room.shell, ImGuiKey_Space);
      room.settle();
    }
    EXPECT_EQ(kept.stop + 1, kept.stops);
  }
}

// Type of 14 pixels where it is presented and of 12 elsewhere, and nothing of the whole model is out of sight.
TEST(HallPlaces, TheWalkThroughsBoxesHaveReadableType) {
  for (const bool presented : {true, false}) {
    SCOPED_TRACE(presented ? "presented" : "in the window");
    ViewState view = place_view("walk");
    view.presentation = presented;
    Room room(Room::setup_of(stored_document("stories", "a fluffy blue creature roamed the verdant forest"), view), 1280, 720,
              false);
    room.settle();
    const auto scale = static_cast<float>(room.shell->last_scale);
    int boxes = 0;
    for (const gl::DrawnText& one : drawn_in(room)) {
      if (one.window.find("diagram") == std::string::npos) continue;
      ++boxes;
      EXPECT_GE(one.size * scale, (presented ? 14.0f : 12.0f) - 0.1f) << one.text;
      EXPECT_TRUE(!presented || (one.scrolls.x == 0 && one.scrolls.y == 0)) << one.text;
    }
    EXPECT_GE(boxes, 40);
  }
}

TEST(HallPlaces, TheLedgerNamesItsTokenAndLayer) {
  Room room(Room::setup_of(test::small_document("words"), place_view("values")), 1280, 720, false);
  room.shell->view().layer = 1;
  room.shell->view().pinned_row = 2;
  room.shell->view().pinned_column = 0;
  for (const auto& [page, words] : {std::pair("ledger", "All that layer 1 adds to blue"), std::pair("grid", "layer 1, head 0")}) {
    room.shell->view().own.of<views::values::State>().page = page;
    room.settle();
    const auto drawn = drawn_in(room);
    EXPECT_TRUE(std::any_of(drawn.begin(), drawn.end(), [&, w = std::string(words)](const gl::DrawnText& one) {
      return one.text.find(w) != std::string::npos;
    })) << words;
  }
}

TEST(HallPlaces, TheNewestTokenIsSeenAndTheOldestAreCounted) {
  for (const bool presented : {true, false}) {
    ViewState view = place_view("heads");
    view.presentation = presented;
    Document document = test::small_document("words");
    std::string text;
    for (int i = 0; i < 60; ++i) text += (i ? " word" : "word") + std::to_string(i);
    document.texts = {text};
    Room room(Room::setup_of(document, view), 1280, 720, false);
    const auto tokens = static_cast<std::int64_t>(room.shell->published().trace->texts()[0].tokens.size());
    const auto chip = [&](std::int64_t i) { return "chip:" + std::to_string(i); };
    ASSERT_TRUE(room.has(chip(tokens - 1)));
    EXPECT_FALSE(room.has(chip(0)));
    const auto last = room.part(chip(tokens - 1)), chips = room.part("chips");
    EXPECT_LE(last.x1, chips.x1 + 1);
    std::int64_t hidden = 0;
    while (!room.has(chip(hidden))) ++hidden;
    for (std::int64_t i = hidden; i < tokens; ++i) EXPECT_TRUE(room.has(chip(i))) << i;
    const auto drawn = drawn_in(room);
    const auto counted = std::find_if(drawn.begin(), drawn.end(),
                                      [&](const gl::DrawnText& one) { return one.text == "+" + std::to_string(hidden); });
    ASSERT_NE(counted, drawn.end()) << "+" << hidden;
    EXPECT_LT(counted->low.x, room.part(chip(hidden)).x0) << "it stands for those before";
    // A chip lights the token that it is of.
    room.move((last.x0 + last.x1) / 2, (last.y0 + last.y1) / 2);
    EXPECT_EQ(room.shell->hover.now.token, tokens - 1);
  }
}

// As many numbers in the cells with the sentence above them as without it, and with the strip below them.
TEST(HallPlaces, NumbersInCellsStayWhenTheSentenceComes) {
  for (const char* text : {"a fluffy blue creature", "a fluffy blue creature roamed the verdant forest and slept"}) {
    SCOPED_TRACE(text);
    Document document = test::small_document("words");
    document.texts = {text};
    Room room(Room::setup_of(document, place_view("heads")), 1280, 720, false);
    const auto numbers = [&] {
      const auto cells = room.part("heads:cells");
      const auto drawn = drawn_in(room);
      return std::count_if(drawn.begin(), drawn.end(), [&](const gl::DrawnText& one) {
        return one.low.x > cells.x0 && one.high.x < cells.x1 && one.low.y > cells.y0 - 4 && one.high.y < cells.y1 + 4;
      });
    };
    const auto before = numbers();
    EXPECT_GT(before, 10);
    room.shell->ui.focus_sentence = true;
    room.settle();
    ASSERT_TRUE(room.has("sentence"));
    EXPECT_EQ(numbers(), before);
    room.window.key(*room.shell, ImGuiKey_Escape);
    room.window.key(*room.shell, ImGuiKey_F8);
    room.settle();
    ASSERT_TRUE(room.has("strip"));
    EXPECT_EQ(numbers(), before);
  }
}

TEST(HallPlaces, TheMenuMoreOpensInsideTheWindow) {
  for (const auto& [width, height] : {std::pair(1280.0f, 720.0f), std::pair(1280.0f, 800.0f), std::pair(1000.0f, 560.0f)}) {
    SCOPED_TRACE(std::to_string(width) + " x " + std::to_string(height));
    ViewState view = place_view("heads");
    view.presentation = false;
    Room room(Room::setup_of(stored_document("stories", "Once upon a time there was a little dog"), view), width, height, false);
    room.settle();
    if (!room.has("heads:more")) continue;
    room.click_part("heads:more");
    room.window.frames(*room.shell, 4);
    ASSERT_GT(GImGui->OpenPopupStack.Size, 0);
    const ImGuiWindow* menu = GImGui->OpenPopupStack.back().Window;
    ASSERT_TRUE(menu);
    EXPECT_GE(menu->Pos.x, 0);
    EXPECT_GE(menu->Pos.y, 0);
    EXPECT_LE(menu->Pos.x + menu->Size.x, width);
    EXPECT_LE(menu->Pos.y + menu->Size.y, height);
    EXPECT_LE(menu->ContentSize.y + 2 * menu->WindowPadding.y, menu->Size.y + 1) << "all of it is seen";
  }
}

TEST(HallPlaces, TheNextOfALessonStaysInItsPlace) {
  for (const bool presented : {false, true})
    for (const float height : {720.0f, 1000.0f})
      for (const char* id : {"heads", "queries-and-keys", "embeddings"}) {
        Room room(Room::setup_of(test::small_document(), ViewState()), height * 16 / 9, height, false);
        room.shell->player().reload();
        const auto lessons = room.shell->player().list();
        const auto found = std::find_if(lessons.begin(), lessons.end(), [&](const auto& lesson) { return lesson->id == id; });
        ASSERT_NE(found, lessons.end()) << id;
        room.shell->player().play(*room.shell, *found);
        room.shell->view().presentation = presented;
        room.settle();
        const auto next = room.part("lesson:next");
        for (std::size_t step = 0; step + 1 < (*found)->steps.size(); ++step) {
          room.shell->player().next(*room.shell);
          room.shell->view().presentation = presented;
          room.settle();
          const auto now = room.part("lesson:next");
          EXPECT_EQ(now.x0, next.x0) << id << " " << step;
          EXPECT_EQ(now.y0, next.y0) << id << " " << step;
          EXPECT_EQ(now.y1, next.y1) << id << " " << step;
        }
      }
}

// A long sentence that is scrolled in its field does not run into the name of its language: "Englishr gave".
TEST(HallPlaces, ALongSentenceKeepsClearOfItsLanguage) {
  Document document = stored_document(
      "english-french", "The teacher gave the children a small red book about the old house by the river and the sea");
  ViewState view = place_view("heads");
  view.presentation = false;
  view.translates = true;
  Room room(Room::setup_of(document, view), 1280, 720);
  room.settle();
  ASSERT_TRUE(room.has("language:sentence"));
  const auto language = room.part("language:sentence");
  const auto drawn = drawn_in(room);
  const auto name = std::find_if(drawn.begin(), drawn.end(), [](const gl::DrawnText& one) { return one.text == "English"; });
  ASSERT_NE(name, drawn.end());
  EXPECT_GE(language.x1 - name->high.x, 8) << "the input begins there, and a scrolled text with it";
}

}  // namespace
}  // namespace headlight
