// The Heads view leads to cells that are not a number: its legend counts them, and a click selects the next one.
#include "app/gl/non_finite_search.h"
#include "app/views/base/view.h"
#include "app/views/heads/state.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;

// Scores beyond the range of numbers: the softmax of the second layer gives NaN.
Document broken_document() {
  Document document = test::small_document();
  document.masks = {{"causal", {}}};
  for (const char* name : {"layer.1.wq", "layer.1.wk"}) {
    GivenMatrix matrix;
    matrix.name = name;
    matrix.rows = matrix.columns = 16;
    matrix.values.assign(256, 0);
    for (std::size_t i = 0; i < 16; ++i) matrix.values[17 * i] = 1e30f;
    document.matrices.push_back(std::move(matrix));
  }
  return document;
}

// The middle of the first text that contains these words; x < 0: there is none.
figures::Point place_of_words(Room& room, const std::string& words) {
  std::vector<gl::DrawnText> drawn;
  room.window.figures().watch_text(&drawn);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  for (const gl::DrawnText& text : drawn)
    if (text.text.find(words) != std::string::npos) return {(text.low.x + text.high.x) / 2, (text.low.y + text.high.y) / 2};
  return {-1, -1};
}

TEST(NonFiniteCells, AClickOnTheirCountSelectsTheNextOne) {
  for (const char* picture : {"heatmap", "dots", "arcs"})
    for (const auto& [width, height] : {std::pair(1600.0f, 1000.0f), {1280.0f, 720.0f}}) {
      SCOPED_TRACE(std::string(picture) + " at " + std::to_string(width));
      ViewState view;
      view.tab = "heads";
      view.layer = 1;
      view.own.of<views::heads::State>().picture = picture;
      Room room(broken_document(), view, width, height);
      // The rows of 22 characters under a causal mask: 22 * 23 / 2 cells are seen.
      figures::Point at = place_of_words(room, "253 of 484 cells are not a number");
      if (at.x < 0) at = place_of_words(room, "NaN: 253 of 484");
      ASSERT_GE(at.x, 0);
      EXPECT_EQ(room.shell->view().pinned_row, -1);
      room.click(at.x, at.y);
      EXPECT_EQ(room.shell->view().pinned_row, 0);
      EXPECT_EQ(room.shell->view().pinned_column, 0);
      EXPECT_EQ(room.shell->view().layer, 1);
      room.click(at.x, at.y);
      EXPECT_EQ(room.shell->view().pinned_row, 1) << "a masked cell is passed over";
      EXPECT_EQ(room.shell->view().pinned_column, 0);
      room.shell->view().pinned_row = room.shell->view().pinned_column = 21;
      room.window.frames(*room.shell, 2);
      room.click(at.x, at.y);
      EXPECT_EQ(room.shell->view().head, 1) << "after the last one the next head's first";
      EXPECT_EQ(room.shell->view().pinned_row, 0);
      EXPECT_EQ(room.window.errors(), 0);
    }
}

TEST(NonFiniteCells, NoCountStandsWhereAllIsFinite) {
  ViewState view;
  view.tab = "heads";
  Room room(test::small_document(), view);
  EXPECT_LT(place_of_words(room, "not a number").x, 0);
}

// The middle of the first count in the line below the view; x < 0: there is none.
figures::Point place_of_count(Room& room) {
  if (!room.has("counted")) return {-1, -1};
  const auto line = room.part("counted");
  std::vector<gl::DrawnText> drawn;
  room.window.figures().watch_text(&drawn);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  for (const gl::DrawnText& text : drawn) {
    const bool counts = text.text.find("not a number") != std::string::npos || text.text.find("∞") != std::string::npos;
    const figures::Point middle{(text.low.x + text.high.x) / 2, (text.low.y + text.high.y) / 2};
    if (counts && middle.x > line.x0 && middle.x < line.x1 && middle.y > line.y0 && middle.y < line.y1) return middle;
  }
  return {-1, -1};
}

TEST(NonFiniteCells, EveryOtherViewCountsThemInALineBelowIt) {
  std::set<std::string> counted;
  for (const views::View& entry : views::registry().entries()) {
    if (entry.id == "heads") continue;
    SCOPED_TRACE(entry.id);
    ViewState view;
    view.tab = entry.id;
    view.layer = 1;
    Room room(broken_document(), view, 1400, 900);
    if (!room.has("counted")) continue;
    counted.insert(entry.id);
    const auto line = room.part("counted"), main = room.part("main");
    EXPECT_GE(line.y0, main.y1 - 1);
    const figures::Point at = place_of_count(room);
    ASSERT_GE(at.x, 0);
    gl::NonFiniteSearch& search = room.window.figures().search();
    EXPECT_FALSE(search.found());
    for (int i = 0; i < 3; ++i) {
      const figures::Point now = place_of_count(room);  // a click may open another page with other counts
      if (now.x < 0) break;
      room.click(now.x, now.y);
      room.settle();
      EXPECT_TRUE(search.found()) << "click " << i;
    }
    room.click(line.x1 - 2, line.y1 - 2);
    EXPECT_FALSE(search.found()) << "a click elsewhere ends it";
    EXPECT_EQ(room.window.errors(), 0);
  }
  for (const char* tab : {"values", "scores", "walk"}) EXPECT_TRUE(counted.contains(tab)) << tab;
}

// The walk-through's small pictures of a long text show blocks; the line below counts the cells.
TEST(NonFiniteCells, CellsAreCountedWherePicturesShowBlocks) {
  Document document = broken_document();
  std::string text;
  for (int i = 0; i < 150; ++i) text += static_cast<char>('a' + i % 7);
  document.texts = {text};
  document.layers = 2;
  ViewState view;
  view.tab = "walk";
  view.layer = 1;
  Room room(document, view, 1400, 900);
  // The weights of 150 tokens under a causal mask: 150 * 151 / 2 cells are seen, in blocks of two.
  ASSERT_TRUE(room.has("counted"));
  std::vector<gl::DrawnText> drawn;
  room.window.figures().watch_text(&drawn);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  std::string said;
  for (const gl::DrawnText& one : drawn)
    if (one.text.find("not a number") != std::string::npos) said += one.text + "; ";
  const std::size_t of = said.find(" of ");
  ASSERT_NE(of, std::string::npos) << said;
  std::int64_t count = 0;
  for (const char c : said.substr(0, of))
    if (c >= '0' && c <= '9') count = 10 * count + (c - '0');
  EXPECT_GE(count, 11325) << said;
}

TEST(NonFiniteCells, FiniteNumbersHaveNoLine) {
  for (const views::View& entry : views::registry().entries()) {
    ViewState view;
    view.tab = entry.id;
    Room room(test::small_document(), view, 1400, 900);
    EXPECT_FALSE(room.has("counted")) << entry.id;
  }
}

}  // namespace
}  // namespace headlight
