// The mouse on tokens and borders, sentences from right to left, and undo of what was dragged.
#include <gtest/gtest.h>

#include "app/figures/base/mirror.h"
#include "app/session/undo.h"
#include "app/session/view_fields.h"
#include "app/session/view_history.h"
#include "app/text/direction.h"
#include "app/views/base/mask_edit.h"
#include "app/views/base/zoom.h"
#include "app/views/embeddings/state.h"
#include "app/window/dialogs/command_palette.h"
#include "imgui_internal.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;

Document token_document(const std::string& text = "zebras envy crimson giraffes") {
  Document document = test::small_document("words");
  document.texts = {text};
  return document;
}
ViewState token_view(const std::string& tab) {
  ViewState view;
  view.tab = tab;
  return view;
}

TEST(TokenMouse, AClickOnAChipSelectsItInTheView) {
  {
    Room room(token_document(), token_view("heads"));
    room.click_part("chip:2");
    EXPECT_EQ(room.shell->view().pinned_row, 2);
    EXPECT_EQ(room.shell->view().pinned_column, -1);
    room.click_part("chip:2");
    EXPECT_EQ(room.shell->view().pinned_row, -1) << "a second click lets go";
  }
  Room embeddings(token_document(), token_view("embeddings"));
  embeddings.click_part("chip:1");
  EXPECT_EQ(embeddings.shell->view().own.of<views::word_vectors::State>().token, 1);
  EXPECT_EQ(embeddings.window.errors(), 0);
}

// Clicks the line of the open menu that is this share of its height from the top.
void click_menu(Room& room, float share) {
  const ImGuiWindow* menu = GImGui->OpenPopupStack.back().Window;
  ASSERT_NE(menu, nullptr);
  room.click(menu->Pos.x + menu->Size.x / 2, menu->Pos.y + share * menu->Size.y);
  room.settle();
}

TEST(TokenMouse, ARightClickOffersWhatCanBeDoneWithIt) {
  Room room(token_document(), token_view("heads"));
  const auto menu = [&](float share) {
    room.click_part("chip:1");  // closes what is open
    const auto at = room.part("chip:1");
    room.click((at.x0 + at.x1) / 2, (at.y0 + at.y1) / 2, 1);
    room.window.frames(*room.shell, 2);
    ASSERT_GT(GImGui->OpenPopupStack.Size, 0);
    click_menu(room, share);
  };
  menu(0.2f);
  EXPECT_STREQ(ImGui::GetClipboardText(), "envy");
  menu(0.4f);
  ASSERT_TRUE(views::layer_of(room.shell->document(), "custom"));
  const auto mask = room.shell->document().custom_mask;
  for (std::int64_t query = 0; query < mask->queries; ++query)
    for (std::int64_t key = 0; key < mask->keys; ++key)
      EXPECT_EQ(mask->values[static_cast<std::size_t>(query * mask->keys + key)], key == 1 ? 0 : 1);
  menu(0.4f);
  EXPECT_EQ(views::masked_cells(*room.shell->document().custom_mask, 4, 4), 0) << "the same line takes it back";
  menu(0.62f);
  EXPECT_EQ(room.shell->view().tab, "heads");
  EXPECT_EQ(room.shell->view().pinned_row, 1);
  menu(0.8f);
  EXPECT_EQ(room.shell->view().tab, "embeddings");
  EXPECT_EQ(room.shell->view().own.of<views::word_vectors::State>().token, 1);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(TokenMouse, TheInspectorsBorderIsDraggedAndADoubleClickPutsItBack) {
  Room room(token_document(), token_view("heads"));
  const auto before = room.part("inspector"), border = room.part("inspector:border");
  room.move((border.x0 + border.x1) / 2, 500);
  room.press(true);
  room.move((border.x0 + border.x1) / 2 - 100, 500);
  room.press(false);
  room.window.frames(*room.shell, 2);
  const auto after = room.part("inspector");
  EXPECT_NEAR(after.x0, before.x0 - 100, 6);
  EXPECT_GT(room.shell->configuration().inspector_width, 0) << "it is kept";
  const auto moved = room.part("inspector:border");
  for (int i = 0; i < 2; ++i) {
    ImGui::GetIO().AddMousePosEvent((moved.x0 + moved.x1) / 2, 500);
    ImGui::GetIO().AddMouseButtonEvent(0, true);
    room.window.frame(*room.shell);
    ImGui::GetIO().AddMouseButtonEvent(0, false);
    room.window.frame(*room.shell);
  }
  room.window.frames(*room.shell, 2);
  EXPECT_EQ(room.shell->configuration().inspector_width, 0);
  EXPECT_EQ(room.part("inspector").x0, before.x0);
}

TEST(TokenMouse, InArcsAClickOnATokenHoldsItsArcs) {
  ViewState view = token_view("heads");
  EXPECT_TRUE(set_at(view, "heads.picture", "arcs"));
  Room room(token_document(), view);
  const auto found =
      room.search("heads:picture", [&] { return room.shell->hover.now.row == 2 && room.shell->hover.now.column < 0; });
  ASSERT_GE(found.x, 0) << "no token of the left column";
  room.click(found.x, found.y);
  EXPECT_EQ(room.shell->view().pinned_row, 2);
  EXPECT_EQ(room.shell->view().pinned_column, -1);
  room.move(5, 5);
  EXPECT_EQ(room.shell->view().pinned_row, 2) << "held while the mouse is elsewhere";
  room.click(found.x, found.y);
  EXPECT_EQ(room.shell->view().pinned_row, -1);
}

TEST(Zoom, ADoubleClickZoomsToTheCellAndBack) {
  double factor = 1, x = 0, y = 0;
  views::Zoom zoom(factor, x, y, 50, 50);
  zoom.double_click(0.5, 0.9, zoom.window());
  zoom.keep_inside();
  const views::PaneWindow seen = zoom.window();
  EXPECT_EQ(seen.rows, 5);
  EXPECT_TRUE(seen.first_column <= 25 && 25 < seen.first_column + seen.columns);
  EXPECT_TRUE(seen.first_row <= 45 && 45 < seen.first_row + seen.rows);
  zoom.double_click(0.5, 0.5, seen);
  EXPECT_EQ(factor, 1);
}

TEST(Direction, IsThatOfTheFirstLetter) {
  EXPECT_TRUE(reads_right_to_left("12 \u05e9\u05dc\u05d5\u05dd world"));
  EXPECT_TRUE(reads_right_to_left("\u0645\u0631\u062d\u0628\u0627"));
  EXPECT_FALSE(reads_right_to_left("world \u05e9\u05dc\u05d5\u05dd"));
  EXPECT_FALSE(reads_right_to_left("一二三"));
  EXPECT_FALSE(reads_right_to_left("12, 3!"));
}

TEST(Direction, TokensOfSuchASentenceBeginAtTheRight) {
  Room room(token_document("\u05d4\u05d9\u05dc\u05d3 \u05d0\u05db\u05dc \u05ea\u05e4\u05d5\u05d7"), token_view("heads"));
  EXPECT_GT(room.part("chip:0").x0, room.part("chip:1").x1 - 1);
  EXPECT_GT(room.part("chip:1").x0, room.part("chip:2").x1 - 1);
  room.click_part("chip:2");
  EXPECT_EQ(room.shell->view().pinned_row, 2) << "the mouse finds the token where it is drawn";
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(Direction, TypingGoesOnAtTheLeftAndTheTextIsWhatWasTyped) {
  Room room(Room::setup_of(token_document("\u05d4\u05d9\u05dc\u05d3"), token_view("heads")), 1280, 720, true);
  room.window.key(*room.shell, ImGuiKey_L, true);
  room.window.frames(*room.shell, 3);
  room.window.type(*room.shell, " \u05d0\u05db\u05dc");
  EXPECT_EQ(room.shell->document().texts[0], "\u05d4\u05d9\u05dc\u05d3 \u05d0\u05db\u05dc");
  std::vector<gl::DrawnText> drawn;
  room.window.figures().watch_text(&drawn);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  const auto field = room.part("sentence");
  bool seen = false;
  for (const auto& one : drawn)
    if (one.text == room.shell->document().texts[0] && one.high.y <= field.y1) {
      seen = true;
      EXPECT_LT(field.x1 - one.high.x, 40) << "it ends at the right edge of the field";
      EXPECT_GT(one.low.x - field.x0, 40);
    }
  EXPECT_TRUE(seen);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(Undo, WhatOneDragChangesIsOneStep) {
  UndoHistory history(token_document());
  Document next = token_document();
  next.seed = 3;
  history.record(next, 10);
  next.seed = 4;
  history.record(next, 20, true);
  next.seed = 5;
  history.record(next, 30, true);
  EXPECT_EQ(history.undo()->seed, token_document().seed);
  EXPECT_FALSE(history.can_undo());
}

TEST(Undo, ADraggedSettingOfAViewIsAStepAndTheLatestChangeGoesFirst) {
  ViewHistory history;
  ViewState view = token_view("next");
  history.look(view, 0, false, true);
  for (const double temperature : {1.1, 1.3, 1.7}) {
    view.sampling.temperature = temperature;
    history.look(view, 1, true, true);
  }
  history.look(view, 2, false, true);
  view.sampling.seed = 8;
  history.look(view, 3, false, true);
  EXPECT_EQ(history.undo_time(), 3);
  view.tab = "heads";
  history.undo(view);
  EXPECT_EQ(view.sampling.seed, 7);
  EXPECT_EQ(view.tab, "next") << "it is seen";
  history.undo(view);
  EXPECT_EQ(view.sampling.temperature, 1.0) << "the drag is one step";
  EXPECT_FALSE(history.undo_time());
  history.redo(view);
  EXPECT_EQ(view.sampling.temperature, 1.7);
}

TEST(Undo, InTheWindowASentenceTypedAfterADragIsTakenBackFirst) {
  Room room(token_document(), token_view("next"));
  room.shell->view().sampling.temperature = 2;
  room.window.frames(*room.shell, 2);
  Document typed = room.shell->document();
  typed.texts = {"zebras envy"};
  room.shell->edit(typed);
  room.settle();
  room.shell->undo();
  EXPECT_EQ(room.shell->document().texts[0], "zebras envy crimson giraffes");
  EXPECT_EQ(room.shell->view().sampling.temperature, 2);
  room.shell->undo();
  EXPECT_EQ(room.shell->view().sampling.temperature, 1);
  room.shell->redo();
  EXPECT_EQ(room.shell->view().sampling.temperature, 2);
}

TEST(Palette, ChineseIsTheLanguageFirst) {
  Room room(token_document(), token_view("heads"));
  room.shell->palette.ask();
  room.window.frames(*room.shell, 2);
  room.window.type(*room.shell, "chinese");
  ASSERT_FALSE(room.shell->palette.found().empty());
  EXPECT_EQ(room.shell->palette.commands()[room.shell->palette.found().front()].kind, "language");
}

}  // namespace
}  // namespace headlight
