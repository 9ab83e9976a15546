// The tabs Values, Positions and Compare under the mouse, frame by frame on a null renderer.
#include <gtest/gtest.h>

#include <cmath>

#include "app/panels/values_figures.h"
#include "tests/ui/null_window.h"

namespace headlight {
namespace {

using test::NullWindow;
using window::Shell;

Document small() {
  Document document;
  document.texts = {"a fluffy blue creature"};
  document.tokenizer = "words";
  document.d_model = 16;
  document.heads = 4;
  document.layers = 2;
  return document;
}

struct Room {
  explicit Room(const std::string& tab, Document document = small(), ViewState view = {}, float width = 1600, float height = 1000)
      : window(width, height) {
    view.tab = tab;
    window::Setup setup;
    setup.session.document = std::move(document);
    setup.session.view = std::move(view);
    setup.compute = run_on_backend();
    shell = std::make_unique<Shell>(std::move(setup));
    settle();
  }
  void settle() {
    for (int i = 0; i < 5; ++i) {
      shell->worker().wait();
      shell->lane().wait();
      window.frame(*shell);
    }
  }
  void move(float x, float y) {
    ImGui::GetIO().AddMousePosEvent(x, y);
    window.frames(*shell, 3);
  }
  void press(bool down) {
    ImGui::GetIO().AddMouseButtonEvent(0, down);
    window.frames(*shell, 2);
  }
  void click(float x, float y) {
    move(x, y);
    press(true);
    press(false);
  }
  bool has(const std::string& part) const { return shell->parts.places.contains(part); }
  panels::Parts::Place part(const std::string& name) const {
    const auto at = shell->parts.places.find(name);
    EXPECT_NE(at, shell->parts.places.end()) << name << " was not drawn";
    return at == shell->parts.places.end() ? panels::Parts::Place{} : at->second;
  }
  void click_part(const std::string& name, float share_x = 0.5f, float share_y = 0.5f) {
    const auto at = part(name);
    click(at.x0 + share_x * (at.x1 - at.x0), at.y0 + share_y * (at.y1 - at.y0));
  }
  // The first place inside a part where `found` holds with the mouse there; x < 0: nowhere.
  template <class Found>
  figures::Point search(const std::string& name, Found found, float step = 12) {
    const auto at = part(name);
    for (float y = at.y0 + 2; y < at.y1; y += step)
      for (float x = at.x0 + 2; x < at.x1; x += step) {
        ImGui::GetIO().AddMousePosEvent(x, y);
        window.frames(*shell, 2);
        if (found()) return {x, y};
      }
    return {-1, -1};
  }
  NullWindow window;
  std::unique_ptr<Shell> shell;
};

TEST(ValuesPanel, EveryPartIsThereAndNamed) {
  Room room("values");
  for (const char* name :
       {"values:bar", "values:sum", "values:vectors", "values:scale", "values:temperature", "values:query", "values:movement"})
    EXPECT_TRUE(room.has(name)) << name;
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(ValuesPanel, ASegmentLightsItsCellAndAClickPinsIt) {
  ViewState view;
  view.pinned_row = 2;
  view.pinned_column = 0;
  Room room("values", small(), view);
  const auto at = room.search("values:bar", [&] { return room.shell->hover.now.column == 3; });
  ASSERT_GE(at.x, 0) << "no segment of key 3";
  const auto hot = room.shell->hover.now;
  EXPECT_EQ(hot.row, 2);
  EXPECT_EQ(hot.value.step, "layer.0.weights");
  EXPECT_EQ(hot.value.index, (std::vector<std::int64_t>{0, 0, 2, 3}));
  room.click(at.x, at.y);
  EXPECT_EQ(room.shell->view().pinned_row, 2);
  EXPECT_EQ(room.shell->view().pinned_column, 3);
}

TEST(ValuesPanel, AStripIsANumberOfV) {
  ViewState view;
  view.pinned_row = 1;
  view.layer = 1;
  view.head = 3;
  Room room("values", small(), view);
  const auto at = room.search(
      "values:sum", [&] { return room.shell->hover.now.value.step == "layer.1.v"; }, 7);
  ASSERT_GE(at.x, 0);
  const auto index = room.shell->hover.now.value.index;
  ASSERT_EQ(index.size(), 4u);
  EXPECT_EQ(index[1], 3);
  EXPECT_GE(index[2], 0);
  EXPECT_LT(index[2], 4);
  EXPECT_LT(index[3], 4);
  EXPECT_EQ(room.shell->hover.now.column, index[2]);
  room.click(at.x, at.y);
  EXPECT_EQ(room.shell->view().pinned_step, "layer.1.v");
  EXPECT_EQ(room.shell->view().pinned_index, index);
  const auto sum = room.search(
      "values:sum", [&] { return room.shell->hover.now.value.step == "layer.1.context"; }, 7);
  EXPECT_GT(sum.y, at.y) << "the sum stands below";
}

TEST(ValuesPanel, TheTemperatureIsDraggedLiveAndOneUndoTakesItBack) {
  Room room("values");
  const auto track = room.part("values:temperature");
  room.move((track.x0 + track.x1) / 2, (track.y0 + track.y1) / 2);
  room.press(true);
  std::vector<double> seen;
  for (int i = 1; i <= 5; ++i) {
    room.move((track.x0 + track.x1) / 2 + static_cast<float>(i) * 12, (track.y0 + track.y1) / 2);
    seen.push_back(room.shell->document().temperature);
  }
  room.press(false);
  EXPECT_GT(seen.back(), 1);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  room.settle();
  EXPECT_EQ(room.shell->published().trace->document().temperature, seen.back());
  room.shell->undo();
  EXPECT_EQ(room.shell->document().temperature, 1);
}

TEST(ValuesPanel, AMaskedKeyHasNoSegment) {
  Document document = small();
  document.masks = {{"causal", {}}};
  ViewState view;
  view.pinned_row = 1;
  Room room("values", document, view);
  EXPECT_LT(room.search("values:bar", [&] { return room.shell->hover.now.column > 1; }).x, 0);
  EXPECT_GE(room.search("values:bar", [&] { return room.shell->hover.now.column == 1; }).x, 0);
}

TEST(ValuesPanel, EveryModelAndTextIsDrawn) {
  for (const char* text :
       {"a", "我爱注意力", "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7 family", "one two three four five six"})
    for (const bool plain : {false, true})
      for (const bool target : {false, true}) {
        Document document = small();
        document.tokenizer = "bpe";
        document.texts = {text};
        if (target) document.targets = {"le chat noir"};
        if (plain) {
          document.projected = document.residual = document.feed_forward = false;
          document.heads = 1;
          document.norm = "none";
        }
        ViewState view;
        view.site = target ? "decoder.cross." : "";
        Room room("values", document, view, 1280, 720);
        EXPECT_TRUE(room.has("values:bar"));
        EXPECT_TRUE(room.has("values:sum"));
        room.move(300, 400);
        room.move(700, 500);
        EXPECT_EQ(room.window.errors(), 0);
      }
}

}  // namespace
}  // namespace headlight
