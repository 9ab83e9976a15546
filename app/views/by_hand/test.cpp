// The By hand view: cells are chosen and typed over by mouse and keyboard, what follows is computed again, results are held,
// every change can be taken back, and what is malformed leaves all as it was.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "app/gl/figure_view.h"
#include "app/views/by_hand/data.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;
namespace hand = views::hand;

ViewState by_hand_view_of(const char* preset) {
  ViewState view;
  view.tab = "by-hand";
  view.own.of<hand::State>().preset = preset;
  return view;
}

struct ByHandRoom : testing::Test {
  Room room{test::small_document("words"), by_hand_view_of("three-words")};
  hand::State& view() { return room.shell->view().own.of<hand::State>(); }
  hand::Shown state() { return hand::shown_case(view()); }
  double at(const char* stage, std::int64_t row, std::int64_t column) {
    return state().input.worked.stages.at(stage).at(row, column);
  }
  hand::Editing& kept() { return room.shell->transient.of<hand::Editing>(); }
  // The point in the window that shows a cell.
  ImVec2 point_of(const hand::HandPlace& place) {
    const auto part = room.part("by-hand:sheet");
    const views::Context context = room.shell->context(room.window.as_frame());
    const figures::Box box = hand::hand_box(state().input, (part.x1 - part.x0) / context.scale,
                                            (part.y1 - part.y0) / context.scale, context.measure, place);
    EXPECT_GT(box.w, 0) << place.stage;
    const ImVec2 point{part.x0 + context.scale * (box.x + box.w / 2), part.y0 + context.scale * (box.y + box.h / 2)};
    room.move(point.x, point.y);
    EXPECT_EQ(kept().hot, place) << "the cell under the mouse is another";
    return point;
  }
  void key(ImGuiKey key) {
    ImGui::GetIO().AddKeyEvent(key, true);
    room.window.frame(*room.shell);
    ImGui::GetIO().AddKeyEvent(key, false);
    room.settle();
  }
  void type(const char* text) {
    ImGui::GetIO().AddInputCharactersUTF8(text);
    room.settle();
  }
  // Chooses a cell, types over it and presses Enter.
  void write(const hand::HandPlace& place, const char* text) {
    const ImVec2 where = point_of(place);
    room.click(where.x, where.y);
    room.settle();
    room.click(where.x, where.y);
    room.settle();
    ASSERT_TRUE(kept().open);
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, true);
    key(ImGuiKey_A);
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, false);
    room.settle();
    type(text);
    key(ImGuiKey_Enter);
  }
  void SetUp() override { room.settle(); }
  void TearDown() override { EXPECT_EQ(room.window.errors(), 0); }
};

TEST_F(ByHandRoom, OpensOnTheThreeWordsAsPrinted) {
  for (const char* part : {"by-hand:sheet", "by-hand:row", "by-hand:plane", "by-hand:temperature", "by-hand:three-words",
                           "by-hand:pattern", "by-hand:creature", "by-hand:search", "by-hand:divided", "by-hand:reset"})
    EXPECT_TRUE(room.has(part)) << part;
  EXPECT_NEAR(at("output", 1, 0), 3.1522, 5e-5);
  EXPECT_NE(state().input.check.find("every number as printed"), std::string::npos);
  EXPECT_FALSE(state().own);
}

TEST_F(ByHandRoom, ATypedInputChangesAllThatFollowsAndIsTakenBack) {
  write({"x", 2, 1}, "3");
  EXPECT_TRUE(state().own);
  EXPECT_EQ(at("x", 2, 1), 3);
  EXPECT_EQ(at("k", 2, 1), 1 + 3);
  EXPECT_EQ(at("scores", 1, 2), 4);
  EXPECT_EQ(state().input.check.find("printed"), std::string::npos) << "it is no longer the print's";
  room.shell->undo();
  room.settle();
  EXPECT_FALSE(state().own);
  room.shell->redo();
  EXPECT_EQ(at("x", 2, 1), 3);
  room.click_part("by-hand:reset");
  room.settle();
  EXPECT_EQ(at("x", 2, 1), 1);
  room.shell->undo();
  EXPECT_EQ(at("x", 2, 1), 3) << "a reset can be taken back";
}

TEST_F(ByHandRoom, AResultThatIsTypedOverIsHeldUntilDelete) {
  write({"scores", 1, 0}, "9");
  EXPECT_EQ(at("scores", 1, 0), 9);
  EXPECT_TRUE(by_hand::is_held(state().input.hand, "scores", 1, 0));
  EXPECT_GT(at("weights", 1, 0), 0.99);
  write({"x", 0, 0}, "4");
  EXPECT_EQ(at("scores", 1, 0), 9) << "whatever enters it";
  const ImVec2 where = point_of({"scores", 1, 0});
  room.click(where.x, where.y);
  room.settle();
  key(ImGuiKey_Delete);
  EXPECT_FALSE(by_hand::is_held(state().input.hand, "scores", 1, 0));
  EXPECT_FALSE(room.has("by-hand:release"));
  room.shell->undo();
  room.settle();
  ASSERT_TRUE(by_hand::is_held(state().input.hand, "scores", 1, 0));
  room.click_part("by-hand:release");
  room.settle();
  EXPECT_FALSE(by_hand::is_held(state().input.hand, "scores", 1, 0)) << "by mouse as by key";
  EXPECT_NE(at("scores", 1, 0), 9);
}

TEST_F(ByHandRoom, AClickOnANameRenamesRowAndColumn) {
  const auto name_at = [&](hand::HandName name) {
    const hand::Shown shown = state();
    const auto part = room.part("by-hand:sheet");
    const float width = part.x1 - part.x0, height = part.y1 - part.y0;
    const views::Context context = room.shell->context(room.window.as_frame());
    const figures::Figure figure = hand::by_hand_sheet(shown.input, width, height, context.theme, context.measure);
    for (const figures::Item& item : figure.items)
      if (const auto* box = std::get_if<figures::Rectangle>(&item); box && hand::hand_name(box->tag) == name)
        return ImVec2{part.x0 + box->box.x + box->box.w / 2, part.y0 + box->box.y + box->box.h / 2};
    ADD_FAILURE() << "it is not named";
    return ImVec2{};
  };
  const std::string before = hand::query_name(state().input.hand, 1);
  const ImVec2 where = name_at({false, 1});
  room.click(where.x, where.y);
  room.settle();
  ASSERT_EQ(kept().naming.index, 1);
  EXPECT_TRUE(room.has("by-hand:name"));
  type("whale");
  key(ImGuiKey_Enter);
  room.settle();
  EXPECT_EQ(kept().naming.index, -1);
  EXPECT_EQ(hand::query_name(state().input.hand, 1), "whale");
  EXPECT_EQ(hand::key_name(state().input.hand, 1), "whale") << "the same row is asked and answers";
  const hand::Shown shown = state();
  EXPECT_EQ(shown.input.worked.stages.at("weights").numbers, hand::shown_case({}).input.worked.stages.at("weights").numbers)
      << "a name changes no number";
  room.shell->undo();
  room.settle();
  EXPECT_EQ(hand::query_name(state().input.hand, 1), before);
}

TEST(ByHandNames, OfTwoTextsOnlyOneGetsTheName) {
  hand::State state;
  by_hand::Case two;
  two.inputs["scores"] = {2, 2, {1, 2, 3, 4}};
  hand::rename(state, two, {true, 1}, "chat");
  const auto changed = by_hand::case_from_json(state.own, "here");
  ASSERT_TRUE(changed.ok());
  EXPECT_EQ(hand::key_name(*changed, 1), "chat");
  EXPECT_EQ(hand::key_name(*changed, 0), "k0");
  EXPECT_EQ(hand::query_name(*changed, 1), "q1");
  hand::rename(state, *changed, {true, 1}, "");
  EXPECT_EQ(hand::key_name(*by_hand::case_from_json(state.own, "here"), 1), "chat") << "an empty name is none";
}

TEST_F(ByHandRoom, EnterWithoutAChangeLeavesANumberAsItIs) {
  const double before = at("weights", 1, 0);
  const ImVec2 where = point_of({"weights", 1, 0});
  for (int i = 0; i < 2; ++i) {
    room.click(where.x, where.y);
    room.settle();
  }
  ASSERT_TRUE(kept().open);
  key(ImGuiKey_Enter);
  EXPECT_FALSE(kept().open);
  EXPECT_EQ(at("weights", 1, 0), before);
  EXPECT_TRUE(state().input.hand.held.empty());
  write({"x", 0, 0}, "1");
  room.shell->undo();
  EXPECT_EQ(room.shell->ui.notice, "nothing to undo") << "its own value is no change";
}

TEST_F(ByHandRoom, WhatIsNoNumberIsRefusedAndTheOldOneStays) {
  for (const char* text : {"abc", "1e999", "nan"}) {
    write({"x", 0, 0}, text);
    EXPECT_TRUE(kept().open);
    EXPECT_NE(kept().error.find("row 0, column 0"), std::string::npos) << kept().error;
    EXPECT_TRUE(room.has("by-hand:error"));
    EXPECT_EQ(at("x", 0, 0), 1);
    key(ImGuiKey_Escape);
    EXPECT_FALSE(kept().open);
    EXPECT_FALSE(room.has("by-hand:error"));
  }
  EXPECT_FALSE(state().own);
}

TEST_F(ByHandRoom, TheKeyboardMovesThroughCellsAndTypesOverThem) {
  const ImVec2 where = point_of({"scores", 1, 0});
  view().row = 0;  // a click on the chosen cell would open its field
  room.click(where.x, where.y);
  room.settle();
  key(ImGuiKey_RightArrow);
  key(ImGuiKey_DownArrow);
  EXPECT_EQ(view().stage, "scores");
  EXPECT_EQ(view().row, 2);
  EXPECT_EQ(view().column, 1);
  key(ImGuiKey_RightArrow);
  key(ImGuiKey_RightArrow);
  EXPECT_EQ(view().stage, "weights") << "the stage behind";
  key(ImGuiKey_LeftArrow);
  EXPECT_EQ(view().stage, "scores");
  type("6");
  EXPECT_TRUE(kept().open);
  key(ImGuiKey_Enter);
  EXPECT_EQ(at("scores", 2, 2), 6);
}

TEST_F(ByHandRoom, APastedTableFillsTheCellsOrNone) {
  const ImVec2 where = point_of({"wv", 0, 0});
  room.click(where.x, where.y);
  room.settle();
  EXPECT_TRUE(hand::paste_table(view(), state().input.hand, "5\t6\n7\t8").ok());
  EXPECT_EQ(at("wv", 1, 1), 8);
  EXPECT_EQ(at("v", 0, 1), 6);
  EXPECT_FALSE(hand::paste_table(view(), state().input.hand, "1 2 3\n4 5 6").ok());
  EXPECT_EQ(at("wv", 0, 0), 5) << "all as it was";
}

TEST_F(ByHandRoom, TheTemperatureGoesFromTheLargestAloneToAllAlike) {
  room.click_part("by-hand:temperature", 0.998f, 0.8f);
  room.settle();
  EXPECT_TRUE(std::isinf(state().input.hand.temperature));
  EXPECT_NEAR(at("weights", 0, 1), 1.0 / 3, 1e-12);
  room.click_part("by-hand:temperature", 0.002f, 0.8f);
  room.settle();
  EXPECT_EQ(state().input.hand.temperature, 0);
  EXPECT_EQ(at("weights", 1, 2), 1);
  EXPECT_EQ(hand::temperature_at(hand::place_of_temperature(3)), 3);
}

TEST_F(ByHandRoom, ADragIsOneStepAndAnOpenedStateIsNone) {
  view().own.clear();
  view().preset = "search";
  room.shell->replace({room.shell->document(), room.shell->view()});  // as an opened session sets it
  room.settle();
  const auto part = room.part("by-hand:temperature");
  const float y = part.y0 + 0.8f * (part.y1 - part.y0);
  const auto x = [&](float share) { return part.x0 + share * (part.x1 - part.x0); };
  room.move(x(0.6f), y);
  ImGui::GetIO().AddMouseButtonEvent(0, true);
  for (const float share : {0.6f, 0.7f, 0.8f}) {
    room.move(x(share), y);
    room.settle();
  }
  ImGui::GetIO().AddMouseButtonEvent(0, false);
  room.settle();
  EXPECT_TRUE(state().own);
  room.shell->undo();
  room.settle();
  EXPECT_FALSE(state().own) << "the whole drag is taken back";
  EXPECT_EQ(view().preset, "search");
  room.shell->undo();
  EXPECT_EQ(view().preset, "search") << "what was opened is no step";
}

TEST_F(ByHandRoom, ThePatternSaysTheDigitThatWasCutOff) {
  room.click_part("by-hand:pattern");
  room.settle();
  const auto now = state();
  EXPECT_TRUE(now.input.hand.keys_down);
  ASSERT_EQ(now.input.misprints.size(), 1U);
  EXPECT_EQ(now.input.misprints.front(), (hand::HandPlace{"weights", 4, 0}));
  EXPECT_NE(now.input.check.find(".465"), std::string::npos);
  EXPECT_FALSE(room.has("by-hand:divided")) << "there is no key whose width could divide";
  EXPECT_FALSE(room.has("by-hand:plane"));
  for (const char* preset : {"by-hand:creature", "by-hand:search", "by-hand:three-words"}) {
    room.click_part(preset);
    room.settle();
    EXPECT_TRUE(state().status.ok()) << preset;
  }
}

TEST_F(ByHandRoom, ADamagedSavedCaseIsNamedAndResetMendsIt) {
  view().own = "{\"scores\": [[1, 2], [3]]}";
  room.settle();
  EXPECT_FALSE(state().status.ok());
  EXPECT_FALSE(room.has("by-hand:sheet"));
  room.click_part("by-hand:reset");
  room.settle();
  EXPECT_TRUE(state().status.ok());
  EXPECT_TRUE(room.has("by-hand:sheet"));
}

// However narrow the sheet is, the name of one table ends before that of the next.
TEST_F(ByHandRoom, NoNameLiesOverAnother) {
  const views::Context context = room.shell->context(room.window.as_frame());
  int names = 0;
  for (const float width : {300.0f, 420.0f, 520.0f, 640.0f, 860.0f})
    for (const float height : {240.0f, 320.0f, 560.0f}) {
      const figures::Figure sheet = hand::by_hand_sheet(state().input, width, height, context.theme, context.measure);
      std::vector<figures::Text> titles;
      for (const auto& item : sheet.items)
        if (const auto* text = std::get_if<figures::Text>(&item);
            text && text->tag.part == figures::Part::axis && text->font == figures::Font::words_bold)
          titles.push_back(*text);
      names += static_cast<int>(titles.size());
      for (const figures::Text& a : titles)
        for (const figures::Text& b : titles)
          if (a.at.x < b.at.x && b.horizontal == figures::Align::start && std::abs(a.at.y - b.at.y) < 12) {
            EXPECT_LE(a.at.x + context.measure.width(a.text, a.size, a.font), b.at.x)
                << a.text << " over " << b.text << " at " << width << " x " << height;
          }
    }
  EXPECT_GT(names, 100);
}

}  // namespace
}  // namespace headlight
