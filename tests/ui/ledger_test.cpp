// The ledger of the Values view under the mouse: rows, bracket, grid, the token, and that what it shows is the trace's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "app/panels/values/ledger_inputs.h"
#include "engine/document/stored_model.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;

ViewState ledger_view_of(const std::string& page) {
  ViewState view;
  view.tab = "values";
  view.values.page = page;
  view.values.dimensions = 4;
  view.layer = 1;
  view.pinned_row = 2;
  view.pinned_column = 1;
  return view;
}

Document ledger_two_sentences() {
  Document document = test::small_document("words");
  document.targets = {"une creature bleue"};
  return document;
}

TEST(LedgerPage, AButtonOpensItAndTheInspectorMakesRoom) {
  Room room(test::small_document("words"), ledger_view_of("sum"));
  EXPECT_TRUE(room.has("inspector"));
  room.click_part("values:pages", 0.2f);
  room.settle();
  EXPECT_EQ(room.shell->view().values.page, "ledger");
  for (const char* part : {"values:ledger", "values:grid", "values:dimension", "values:dimensions", "values:scales"})
    EXPECT_TRUE(room.has(part)) << part;
  EXPECT_FALSE(room.has("inspector"));
  room.click_part("values:pages", 0.35f);
  room.settle();
  EXPECT_EQ(room.shell->view().values.page, "grid");
  EXPECT_TRUE(room.has("values:grid"));
  EXPECT_FALSE(room.has("values:ledger"));
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(LedgerPage, AHeadsRowLoadsItIntoTheGridAndAStripMovesTheBracket) {
  Room room(test::small_document("words"), ledger_view_of("ledger"));
  const auto row = room.search(room.part("values:ledger"), 200, 9,
                               [&] { return room.shell->hover.now.head == 3 && room.shell->hover.now.layer == 1; });
  ASSERT_GE(row.x, 0) << "no row of head 3";
  EXPECT_EQ(room.shell->hover.now.row, 2) << "the token's chip is lit";
  EXPECT_GE(room.shell->hover.now.column, 0) << "and that of what it looks at most";
  room.click(row.x, row.y);
  EXPECT_EQ(room.shell->view().head, 3);
  // A strip whose vector is a step of the trace says which number it is.
  const auto strip =
      room.search(room.part("values:ledger"), 60, 9, [&] { return room.shell->hover.now.value.step == "layer.1.mlp_output"; });
  ASSERT_GE(strip.x, 0);
  const std::int64_t dimension = room.shell->hover.now.value.index[2];
  EXPECT_EQ(room.shell->hover.now.value.index[1], 2);
  room.click(strip.x, strip.y);
  EXPECT_EQ(room.shell->view().values.first, std::clamp<std::int64_t>(dimension - 2, 0, 12));
}

TEST(LedgerPage, AColumnOfTheGridChangesTheToken) {
  Room room(test::small_document("words"), ledger_view_of("ledger"));
  const auto cell = room.search(
      "values:grid", [&] { return room.shell->hover.now.row == 3 && room.shell->hover.now.column == 0; }, 9);
  ASSERT_GE(cell.x, 0);
  EXPECT_EQ(room.shell->hover.now.value.step, "layer.1.weights");
  room.click(cell.x, cell.y);
  EXPECT_EQ(room.shell->view().pinned_row, 3);
  EXPECT_EQ(room.shell->view().pinned_column, 0);
  room.click_part("chip:1");
  EXPECT_EQ(room.shell->view().pinned_row, 1) << "so does a chip";
}

TEST(LedgerPage, ArrowKeysWalkHeadsAndBracket) {
  Room room(test::small_document("words"), ledger_view_of("ledger"));
  room.click_part("values:ledger", 0.2f, 0.02f);  // the focus, on no row
  room.shell->view().head = 0;
  room.window.key(*room.shell, ImGuiKey_DownArrow);
  EXPECT_EQ(room.shell->view().head, 1);
  room.window.key(*room.shell, ImGuiKey_RightArrow);
  EXPECT_EQ(room.shell->view().values.first, 4);
  room.window.key(*room.shell, ImGuiKey_LeftArrow);
  EXPECT_EQ(room.shell->view().values.first, 0);
  room.window.key(*room.shell, ImGuiKey_UpArrow);
  EXPECT_EQ(room.shell->view().head, 0);
}

TEST(LedgerPage, ADecodersCrossAttentionHasRowsAndAGrid) {
  ViewState view = ledger_view_of("ledger");
  view.site = "decoder.";
  Room room(ledger_two_sentences(), view);
  EXPECT_EQ(room.window.errors(), 0);
  const auto trace = room.shell->published().trace;
  const auto ledger = layer_ledger(*trace, "decoder.", 1, 0, 2, {});
  ASSERT_TRUE(ledger.ok());
  const std::int64_t wanted = panels::row_of_head(*ledger, "decoder.layer.1.cross.", 2);
  ASSERT_GE(wanted, 0);
  const auto table = room.part("values:ledger");
  for (float y = table.y0; y < table.y1 && room.shell->view().site != "decoder.cross."; y += 12) {
    room.click(table.x0 + 60, y);
    if (room.shell->view().site == "decoder.cross." && room.shell->view().head != 2) room.shell->view().site = "decoder.";
  }
  EXPECT_EQ(room.shell->view().site, "decoder.cross.");
  EXPECT_EQ(room.shell->view().head, 2);
  room.settle();
  const auto cell = room.search(
      "values:grid", [&] { return room.shell->hover.now.value.step == "decoder.layer.1.cross.weights"; }, 9);
  EXPECT_GE(cell.x, 0) << "the grid's keys are the source's";
}

TEST(LedgerPage, TheCheckLineIsTheLedgersOwnDifference) {
  Document document;
  const auto stored = open_stored_model("stories");
  ASSERT_TRUE(stored.ok());
  use_model(document, **stored);
  document.texts = {"a fluffy blue creature"};
  Room room(document, ledger_view_of("ledger"));
  const auto ledger = layer_ledger(*room.shell->published().trace, "", 1, 0, 2, {});
  ASSERT_TRUE(ledger.ok());
  ASSERT_TRUE(ledger->adds_up());
  char number[32];
  std::snprintf(number, sizeof number, "%.1e", ledger->difference);
  std::vector<gl::DrawnText> texts;
  room.window.figures().watch_text(&texts);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  const auto drawn = [&](const std::string& words) {
    return std::any_of(texts.begin(), texts.end(), [&](const gl::DrawnText& text) { return text.text == words; });
  };
  EXPECT_TRUE(drawn(std::string("max difference ") + number));
  EXPECT_TRUE(drawn("E before + 8 heads + feed-forward = E after"));
}

}  // namespace
}  // namespace headlight
