// Small windows and large letters: the view keeps most of the room, and whatever gives way can be reached.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "app/views/heads/state.h"
#include "app/views/walk/state.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::NullWindow;
using window::Shell;

Document small_window_document() {
  Document document;
  document.texts = {"a fluffy blue creature roamed the verdant forest"};
  document.tokenizer = "words";
  document.d_model = 24;
  document.heads = 6;
  document.layers = 6;
  document.masks = {{"causal", {}}};
  return document;
}

struct SmallRoom : test::Room {
  explicit SmallRoom(const char* tab, double ui_scale, float width = 1280, float height = 720)
      : test::Room(small_window_document(), view_of(tab, ui_scale), width, height) {}
  static ViewState view_of(const char* tab, double ui_scale) {
    ViewState view;
    view.tab = tab;
    view.ui_scale = ui_scale;
    return view;
  }
};

TEST(SmallWindow, ADenseDisplayLeavesTheViewsTheirRoom) {
  SmallRoom room("walk", 0);
  const Shell& shell = *room.shell;
  EXPECT_FLOAT_EQ(shell.wanted_scale(2, 3200, 2000), 2);
  EXPECT_FLOAT_EQ(shell.wanted_scale(2, 1280, 720), 1.25f);
  EXPECT_FLOAT_EQ(shell.wanted_scale(1, 640, 400), 1) << "no smaller than on a plain display";
  EXPECT_FLOAT_EQ(shell.wanted_scale(3, 640, 400), 1.8f) << "letters stay readable";
  room.shell->view().ui_scale = 2;
  EXPECT_FLOAT_EQ(shell.wanted_scale(1, 1280, 720), 2) << "what the person chose holds";
  room.shell->view().ui_scale = 0;
  room.shell->view().presentation = true;
  EXPECT_FLOAT_EQ(shell.wanted_scale(1, 1280, 720), 1.6f);
  EXPECT_FLOAT_EQ(shell.wanted_scale(2, 1280, 720), 1.6f);
}

TEST(SmallWindow, TheViewHasMostOfTheHeightWhateverTheScale) {
  for (const double scale : {1.0, 1.5, 2.0}) {
    SmallRoom room("heads", scale);
    const auto main = room.part("main");
    EXPECT_GE(main.y1 - main.y0, 0.6f * 720) << scale;
  }
}

TEST(SmallWindow, EveryPickerIsReachedBehindTheOneThatIsShown) {
  for (const char* id : {"model", "tokenizer", "positions", "mask", "score", "size"}) {
    SCOPED_TRACE(id);
    SmallRoom room("heads", 2);
    const auto place = room.part("picker:mask");
    EXPECT_EQ(place.x0, room.part("picker:model").x0) << "one button stands for all";
    const auto open = [](const std::string& name) {
      for (const ImGuiPopupData& popup : GImGui->OpenPopupStack)
        if (popup.PopupId == ImGui::FindWindowByName("Headlight")->GetID(name.c_str())) return true;
      return false;
    };
    room.click_part(std::string("picker:") + id);
    EXPECT_TRUE(open("popup/more pickers"));
    // Down the list until the picker opens.
    bool found = false;
    for (int k = 0; k < 8 && !found; ++k) {
      if (!open("popup/more pickers")) room.click_part("picker:model");
      room.click(place.x0 + 60, place.y1 + 40 + static_cast<float>(k) * 84);
      room.window.frames(*room.shell, 2);
      found = open(std::string("popup/") + id);
      if (!found) room.window.key(*room.shell, ImGuiKey_Escape);
    }
    EXPECT_TRUE(found);
    EXPECT_EQ(room.window.errors(), 0);
  }
}

TEST(SmallWindow, ALessonAndItsViewTakeTurns) {
  SmallRoom room("heads", 2);
  Shell& shell = *room.shell;
  ASSERT_TRUE(shell.player().start(shell, "masks").ok());
  shell.view().ui_scale = 2;
  room.settle();
  EXPECT_FALSE(room.has("main")) << "the lesson has the whole room";
  EXPECT_FALSE(room.has("lesson:read"));
  room.click_part("lesson:view");
  room.settle();
  EXPECT_GT(room.part("main").x1 - room.part("main").x0, 1270) << "and now the view has it";
  EXPECT_FALSE(room.has("lesson:view"));
  room.click_part("lesson:read");
  room.settle();
  EXPECT_FALSE(room.has("main"));
  room.click_part("rail:show");
  room.settle();
  room.click_part("rail:tokens");
  room.settle();
  EXPECT_TRUE(room.has("main")) << "a view is chosen to be seen";
  shell.player().next(shell);
  shell.view().ui_scale = 2;
  room.settle();
  EXPECT_FALSE(room.has("main")) << "a new step is read first";
  room.window.resize(1280, 720, 1);
  shell.view().ui_scale = 1;
  room.settle();
  EXPECT_TRUE(room.has("main")) << "in a wide window they stand beside each other";
  EXPECT_FALSE(room.has("lesson:view"));
  EXPECT_FALSE(room.has("lesson:read"));
  shell.player().stop(shell);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(SmallWindow, TheNotesOfAStepFoldIntoALineAndOpen) {
  SmallRoom room("walk", 1.5);
  room.shell->view().own.of<views::walk::State>().step = "scores";
  room.settle();
  EXPECT_TRUE(room.has("walk:more"));
  EXPECT_FALSE(room.has("walk:try"));
  const auto main = room.part("main");
  for (const auto& [id, place] : room.shell->parts.places)
    if (id.starts_with("walk:")) {
      EXPECT_LE(place.y1, main.y1 + 1) << id;
      EXPECT_LE(place.x1, main.x1 + 1) << id;
    }
  room.click_part("walk:more");
  room.settle();
  EXPECT_TRUE(room.has("walk:try")) << "what one may try is in the popup";
  const auto notes = room.part("walk:notes");
  room.move((notes.x0 + notes.x1) / 2, notes.y0 + 60);
  ImGui::GetIO().AddMouseWheelEvent(0, -20);  // scrolls down to the end
  room.settle();
  room.click_part("walk:try");
  room.settle();
  EXPECT_FALSE(room.shell->document() == small_window_document());
}

TEST(SmallWindow, TheHeadsFoldTheirControlsBehindAButton) {
  for (const double scale : {1.5, 2.0}) {
    SmallRoom room("heads", scale);
    const auto cells = room.part("heads:cells");
    EXPECT_GE(cells.y1 - cells.y0, 0.25f * 720) << scale;
  }
  SmallRoom room("heads", 1.5);
  EXPECT_TRUE(room.has("heads:grid")) << "the thumbnails stand beside the picture";
  room.click_part("heads:more");
  room.settle();
  EXPECT_TRUE(NullWindow::popup_open());
}

TEST(SmallWindow, PresentedSeveralHeadsFillTheScreen) {
  for (const auto& [width, height] : {std::pair(1280.0f, 720.0f), std::pair(1600.0f, 1000.0f)}) {
    ViewState view = SmallRoom::view_of("heads", 0);
    view.presentation = true;
    view.chosen_heads = {{0, 0}, {1, 1}, {2, 2}};
    for (const char* look : {"heatmap", "dots"}) {
      SCOPED_TRACE(std::to_string(width) + " " + look);
      view.own.of<views::heads::State>().picture = look;
      test::Room room(small_window_document(), view, width, height);
      const auto cells = room.part("heads:cells");
      EXPECT_GE(cells.x1 - cells.x0, 0.2f * width) << "three beside each other, and the names of the rows";
    }
  }
}

}  // namespace
}  // namespace headlight
