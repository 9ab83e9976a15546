// The Heads view of models with many heads: thumbnails that can be read, the selected one in sight, and the choice of layers.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/views/heads/state.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;

Document many_heads_document(std::int64_t layers, std::int64_t heads, const char* text = "a fluffy blue creature") {
  Document document;
  document.texts = {text};
  document.tokenizer = "words";
  document.layers = layers;
  document.heads = heads;
  document.d_model = 2 * heads;
  document.masks = {{"causal", {}}};
  return document;
}
ViewState many_heads_view(bool presented = false) {
  ViewState view;
  view.tab = "heads";
  view.presentation = presented;
  return view;
}

void press_key(Room& room, ImGuiKey key) {
  ImGui::GetIO().AddKeyEvent(key, true);
  room.window.frames(*room.shell, 2);
  ImGui::GetIO().AddKeyEvent(key, false);
  room.window.frames(*room.shell, 3);
}

// The selected thumbnail lies within the window, and is large enough to read.
void expect_in_sight(Room& room, float height, const char* when) {
  const auto at = room.part("heads:thumbnail");
  EXPECT_GE(std::min(at.x1 - at.x0, at.y1 - at.y0), 28) << when;
  EXPECT_GE(at.x0, 0) << when;
  EXPECT_GE(at.y0, 0) << when;
  EXPECT_LE(at.y1, height) << when;
  const auto grid = room.part("heads:grid");
  EXPECT_GE(at.x0, grid.x0) << when;
}

TEST(ManyHeads, AreLegibleAndTheSelectedOneIsInSight) {
  for (const auto& [layers, heads] : {std::pair{30, 9}, {6, 12}, {12, 12}, {32, 32}, {48, 25}})
    for (const auto& [width, height] : {std::pair{1280.0f, 720.0f}, {1600.0f, 1000.0f}})
      for (const bool presented : {false, true}) {
        SCOPED_TRACE(std::to_string(layers) + " x " + std::to_string(heads) + (presented ? ", presented, " : ", ") +
                     std::to_string(height));
        ViewState view = many_heads_view(presented);
        view.layer = layers - 1;
        view.head = heads - 1;
        Room room(many_heads_document(layers, heads), view, width, height);
        room.settle();
        ASSERT_TRUE(room.has("heads:grid"));
        expect_in_sight(room, height, "the last head of all");
        room.shell->view().layer = 0;
        room.shell->view().head = 0;
        room.settle();
        expect_in_sight(room, height, "the first one");
      }
}

// Beside the large picture of one head, too: the legend's notes give way to the thumbnails.
TEST(ManyHeads, AllOfASmallModelAreSeenAtOnceBeforeAClass) {
  Room room(many_heads_document(6, 8), many_heads_view(true), 1280, 720);
  room.settle();
  const auto first = room.part("heads:thumbnail");
  room.shell->view().layer = 5;
  room.shell->view().head = 7;
  room.settle();
  const auto last = room.part("heads:thumbnail"), grid = room.part("heads:grid");
  EXPECT_GE(first.x0, grid.x0);
  EXPECT_GE(first.y0, grid.y0);
  EXPECT_GE(last.x0 - first.x0, 7 * 28) << "nothing was scrolled";
  EXPECT_GE(last.y0 - first.y0, 5 * 28);
  EXPECT_LE(last.x1, grid.x1);
  EXPECT_LE(last.y1, grid.y1);
}

TEST(ManyHeads, ArrowsMoveTheSelectedOneAndKeepItInSight) {
  for (const bool presented : {false, true}) {
    Room room(many_heads_document(48, 25), many_heads_view(presented), 1280, 720);
    room.settle();
    const auto first = room.part("heads:thumbnail");
    room.click(1.5f * first.x1 - 0.5f * first.x0, (first.y0 + first.y1) / 2);  // the next one; the thumbnails get the keyboard
    ASSERT_EQ(room.shell->view().head, 1);
    for (int i = 0; i < 30; ++i) press_key(room, ImGuiKey_DownArrow);
    for (int i = 0; i < 19; ++i) press_key(room, ImGuiKey_RightArrow);
    EXPECT_EQ(room.shell->view().layer, 30);
    EXPECT_EQ(room.shell->view().head, 20);
    expect_in_sight(room, 720, presented ? "presented" : "on a desk");
  }
}

TEST(ManyHeads, TheOverviewChoosesAHeadFarAway) {
  Room room(many_heads_document(30, 9), many_heads_view(), 1280, 720);
  room.settle();
  ASSERT_TRUE(room.has("heads:overview"));
  room.click_part("heads:overview", 0.9f, 0.97f);
  EXPECT_GE(room.shell->view().layer, 28);
  room.settle();
  expect_in_sight(room, 720, "after a click on its tile");
}

TEST(ManyHeads, ChosenLayersHaveThumbnailsAndArrowsStayInThem) {
  ViewState view = many_heads_view();
  view.own.of<views::heads::State>().first_layer = 10;
  view.own.of<views::heads::State>().last_layer = 19;
  view.layer = 12;
  Room room(many_heads_document(30, 9), view, 1280, 720);
  room.settle();
  room.click_part("heads:thumbnail");
  for (int i = 0; i < 20; ++i) press_key(room, ImGuiKey_DownArrow);
  EXPECT_EQ(room.shell->view().layer, 19) << "the last of the chosen layers";
  expect_in_sight(room, 720, "at the end of the chosen layers");
}

TEST(ManyHeads, AllAtOnceWhenAskedFor) {
  ViewState view = many_heads_view();
  view.own.of<views::heads::State>().thumbnail = -1;
  view.layer = 29;
  Room room(many_heads_document(30, 9), view, 1280, 720);
  room.settle();
  EXPECT_FALSE(room.has("heads:overview")) << "the thumbnails are the overview";
  const auto grid = room.part("heads:grid"), at = room.part("heads:thumbnail");
  EXPECT_LE(at.y1, grid.y1 + 1);
  EXPECT_LT(at.y1 - at.y0, 28);
  EXPECT_LE(grid.y1, 720);
}

// The maps of 12 layers of 32 heads and 512 tokens would take 403 MB: those of some layers are made, and that is said.
TEST(ManyHeads, MapsThatDoNotFitAreMadeForSomeLayers) {
  std::string text;
  for (int i = 0; i < 512; ++i) text += i % 2 == 0 ? "a " : "b ";
  Document document = many_heads_document(12, 32, text.c_str());
  Room room(document, many_heads_view(), 1280, 720);
  room.settle();
  ASSERT_TRUE(room.has("heads:grid"));
  const float whole = room.part("heads:grid").y1 - room.part("heads:grid").y0;
  EXPECT_LT(whole, 9 * 40) << "thumbnails of eight layers at most";
  room.shell->view().layer = 11;
  room.settle();
  expect_in_sight(room, 720, "a layer of the next block");
}

}  // namespace
}  // namespace headlight
