// The inspector with mouse and keyboard on a null renderer: links lead to their numbers, Back and Forward follow the history,
// pins of other panels are noticed, and highlighting does not change what is shown.
#include <gtest/gtest.h>

#include "app/inspector/inspector_subject.h"
#include "engine/insight/explain_value.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::NullWindow;
using window::Shell;

struct InspectorRoom : test::Room {
  using test::Room::Room;
  // Presses and releases a mouse button.
  void press(int button) {
    test::Room::press(true, button);
    test::Room::press(false, button);
  }
  views::Visited& visited() { return shell->transient.visited; }
  // Moves over the inspector until a link to `step` is highlighted; false if no such link is visible.
  bool find_link(const std::string& step) {
    const auto at = shell->parts.places.at("inspector");
    for (float y = at.y0 + 4; y < at.y1; y += 7)
      for (float x = at.x0 + 4; x < at.x1; x += 22) {
        ImGui::GetIO().AddMousePosEvent(x, y);
        window.frames(*shell, 2);
        if (shell->hover.now.value.step == step) return true;
      }
    return false;
  }
};

TEST(Inspector, StartsWithTheStrongestCellAndFollowsItsLinks) {
  InspectorRoom room;
  EXPECT_EQ(room.visited().shown.step, "layer.0.weights");
  const ValueAddress first = room.visited().shown;
  ASSERT_TRUE(room.find_link("layer.0.scores"));
  EXPECT_TRUE(room.visited().own_hover);
  EXPECT_EQ(room.visited().shown, first) << "hovering a link lights it elsewhere and changes nothing here";
  EXPECT_EQ(room.shell->hover.now.row, first.index[2]) << "the cell is lit in the heatmap";
  room.press(0);
  EXPECT_EQ(room.shell->view().inspector.step, "layer.0.scores");
  EXPECT_EQ(room.visited().shown.step, "layer.0.scores");
  ASSERT_TRUE(room.find_link("layer.0.k"));
  EXPECT_EQ(room.shell->hover.now.token, room.shell->hover.now.value.index[2]) << "its token is lit among the chips";
  room.press(0);
  EXPECT_EQ(room.visited().shown.step, "layer.0.k");
  ASSERT_TRUE(room.find_link("parameters.layer.0.wk"));
  room.press(0);
  EXPECT_EQ(room.visited().shown.step, "parameters.layer.0.wk");
  EXPECT_EQ(room.visited().before.size(), 3u);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(Inspector, BackAndForwardByButtonKeyAndMouse) {
  InspectorRoom room;
  const ValueAddress first = room.visited().shown;
  ASSERT_TRUE(room.find_link("layer.0.scores"));
  room.press(0);
  const ValueAddress second = room.visited().shown;
  room.click_part("inspector:back");
  EXPECT_EQ(room.visited().shown, first);
  room.press(4);  // the fifth mouse button
  EXPECT_EQ(room.visited().shown, second);
  room.press(3);
  EXPECT_EQ(room.visited().shown, first);
  // Forward, then back by keys; the sentence stays unchanged.
  const std::string sentence = room.shell->document().texts[0];
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, true);
  room.window.alt(*room.shell, ImGuiKey_Backspace);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, false);
  room.window.frames(*room.shell, 2);
  EXPECT_EQ(room.visited().shown, second);
  room.window.alt(*room.shell, ImGuiKey_Backspace);
  EXPECT_EQ(room.visited().shown, first);
  EXPECT_EQ(room.shell->document().texts[0], sentence);
  EXPECT_TRUE(room.visited().before.empty());
}

TEST(Inspector, APinOfAnotherPanelIsAStepOfTheWay) {
  InspectorRoom room;
  const ValueAddress first = room.visited().shown;
  room.shell->view().inspector.step = "layer.1.mlp_hidden";
  room.shell->view().inspector.index = {0, 3, 7};
  room.window.frames(*room.shell, 3);
  EXPECT_EQ(room.visited().shown.step, "layer.1.mlp_hidden");
  ASSERT_EQ(room.visited().before.size(), 1u);
  EXPECT_EQ(room.visited().before[0], first);
  // A cell clicked in the heatmap afterwards replaces the number pinned before.
  room.shell->view().pinned_row = 2;
  room.shell->view().pinned_column = 1;
  room.window.frames(*room.shell, 3);
  EXPECT_EQ(room.visited().shown, (ValueAddress{"layer.0.weights", {0, 0, 2, 1}}));
  EXPECT_TRUE(room.shell->view().inspector.step.empty());
  room.click_part("inspector:back");
  EXPECT_EQ(room.visited().shown.step, "layer.1.mlp_hidden");
}

TEST(Inspector, AnEditThatTakesTheNumberAwayIsSurvived) {
  ViewState view;
  view.inspector.step = "layer.1.q";
  view.inspector.index = {0, 3, 21, 3};
  InspectorRoom room(test::small_document(), view);
  EXPECT_EQ(room.visited().shown.step, "layer.1.q");
  ASSERT_TRUE(room.find_link("layer.1.attention_norm"));
  room.press(0);
  EXPECT_EQ(room.visited().shown.step, "layer.1.attention_norm");
  Document shorter = test::small_document();
  shorter.texts = {"ab"};
  shorter.layers = 1;
  room.shell->edit(shorter);
  room.settle();
  EXPECT_EQ(room.visited().shown.step, "layer.0.weights") << "the strongest cell again";
  room.click_part("inspector:back");
  EXPECT_EQ(room.visited().shown.step, "layer.0.weights");
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(Inspector, WhatIsHoveredElsewhereIsWrittenOut) {
  InspectorRoom room;
  // As a tab does that sets Hot::value.
  const ValueAddress at{"layer.0.context", {0, 2, 5, 1}};
  room.shell->hover.next.value = at;
  room.window.frame(*room.shell);
  EXPECT_EQ(room.visited().shown, at);
  room.window.frames(*room.shell, 2);
  EXPECT_EQ(room.visited().shown.step, "layer.0.weights");
}

TEST(Inspector, CopiesAsTextAndAsLatex) {
  InspectorRoom room;
  room.move(5, 990);
  ImGui::ClearActiveID();
  ImGui::SetClipboardText("");
  room.window.key(*room.shell, ImGuiKey_Escape);  // leaves the sentence
  room.window.key(*room.shell, ImGuiKey_C);
  const auto cell = explain_cell(*room.shell->published().trace,
                                 {"layer.0.", 0, 0, room.visited().shown.index[2], room.visited().shown.index[3]});
  ASSERT_TRUE(cell.ok());
  EXPECT_EQ(std::string(ImGui::GetClipboardText()), to_text(*cell));
  room.window.key(*room.shell, ImGuiKey_C, false, true);
  EXPECT_EQ(std::string(ImGui::GetClipboardText()), to_latex(*cell));
}

// Every step can be shown in both window sizes, and ImGui is never misused.
TEST(Inspector, EveryStepAtBothSizes) {
  Document document = test::small_document();
  document.targets = {"le chat 我爱 😀"};
  document.masks = {{"causal", {}}};
  for (const float width : {1600.0f, 1280.0f}) {
    InspectorRoom room(document, {}, width, width == 1280 ? 720.0f : 1000.0f);
    const auto trace = room.shell->published().trace;
    ASSERT_TRUE(trace);
    for (const Step& step : trace->steps()) {
      room.shell->view().inspector.step = step.name;
      room.shell->view().inspector.index.clear();
      for (const std::int64_t size : step.shape) room.shell->view().inspector.index.push_back(size - 1);
      room.window.frames(*room.shell, 2);
      EXPECT_EQ(room.visited().shown.step, step.name);
    }
    EXPECT_EQ(room.window.errors(), 0);
  }
}

}  // namespace
}  // namespace headlight
