// Of up to twenty tokens every row and column of the selected map has its label: Heads, Masks, the walk-through's weights, in the
// design's sizes of window, dark and presented. And what the window says while nothing is typed.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "app/views/heads/state.h"
#include "app/views/walk/state.h"
#include "engine/document/stored_model.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using window::Shell;

constexpr const char* kTwenty = "a fluffy blue creature roamed the verdant forest and slept under";

struct Map {
  const char* tab;
  const char* part;
  void (*set)(ViewState&);
  bool trained = false;
};
constexpr Map kMaps[] = {
    {"heads", "heads:picture", [](ViewState&) {}},
    {"heads", "heads:picture", [](ViewState& view) { view.transposed = true; }},
    {"heads", "heads:picture", [](ViewState& view) { view.own.of<views::heads::State>().picture = "dots"; }},
    {"heads", "heads:picture", [](ViewState& view) { view.layer = 4; }, true},
    {"masks", "masks:paint", [](ViewState&) {}},
    {"walk", "walk:values",
     [](ViewState& view) { view.own.of<views::walk::State>().step = view.own.of<views::walk::State>().open = "weights"; }},
};

struct LabelRoom {
  LabelRoom(const Map& map, float width, float height, bool presented) : window(width, height, 1, true) {
    window::Setup setup;
    setup.session.document.texts = {kTwenty};
    setup.session.document.tokenizer = "bpe";
    setup.session.document.d_model = 24;
    setup.session.document.heads = 6;
    setup.session.document.layers = 6;
    setup.session.document.masks = {{"causal", {}}};
    if (map.trained) {
      use_model(setup.session.document, **open_stored_model("stories"));
      setup.session.document.texts[0] += " an old tree";
    }
    setup.session.view.tab = map.tab;
    setup.session.view.presentation = presented;
    map.set(setup.session.view);
    setup.compute = run_on_backend();
    setup.configuration.language = "en";
    setup.configuration.reduce_motion = true;
    shell = std::make_unique<Shell>(std::move(setup));
    shell->ui.focus_sentence = false;
    for (int i = 0; i < 8; ++i) {
      shell->worker().wait();
      shell->lane().wait();
      window.frame(*shell);
    }
  }
  // How often each text is drawn with its middle inside of a part of the window.
  std::map<std::string, int> texts_in(const std::string& part) {
    std::vector<gl::DrawnText> all;
    window.figures().watch_text(&all);
    window.frame(*shell);
    window.figures().watch_text(nullptr);
    std::map<std::string, int> counts;
    const auto at = shell->parts.places.find(part);
    EXPECT_NE(at, shell->parts.places.end()) << part;
    if (at == shell->parts.places.end()) return counts;
    for (const gl::DrawnText& text : all) {
      const float x = text.degrees == 0 ? (text.low.x + text.high.x) / 2 : text.pivot.x,
                  y = text.degrees == 0 ? (text.low.y + text.high.y) / 2 : text.pivot.y;
      const views::Parts::Place& place = at->second;
      if (x >= place.x0 && x <= place.x1 && y >= place.y0 && y <= place.y1) ++counts[text.text];
    }
    return counts;
  }
  test::NullWindow window;
  std::unique_ptr<Shell> shell;
};

TEST(Labels, OfUpToTwentyTokensNoneIsLeftOut) {
  for (const Map& map : kMaps)
    for (const auto& [width, height] : {std::pair(1600.0f, 1000.0f), std::pair(1280.0f, 720.0f)})
      for (const bool presented : {false, true}) {
        SCOPED_TRACE(std::string(map.tab) + ", " + std::to_string(width) + (presented ? ", presented" : ""));
        LabelRoom room(map, width, height, presented);
        if (!room.window.has_design_fonts()) GTEST_SKIP() << "the fonts of the design are not here";
        ASSERT_TRUE(room.shell->published().trace);
        const auto& labels = room.shell->published().trace->texts()[0].labels;
        ASSERT_GE(labels.size(), 18u);
        ASSERT_LE(labels.size(), 20u);
        const auto drawn = room.texts_in(map.part);
        for (const std::string& label : labels) {
          const auto found = drawn.find(label);
          EXPECT_GE(found == drawn.end() ? 0 : found->second, 2) << "a row and a column: " << label;
        }
        EXPECT_EQ(room.window.errors(), 0);
      }
}

TEST(Labels, TheMapHasMostOfTheFreeRoom) {
  for (const auto& [width, height] : {std::pair(1600.0f, 1000.0f), std::pair(1280.0f, 720.0f)}) {
    SCOPED_TRACE(width);
    LabelRoom room(kMaps[0], width, height, false);
    if (!room.window.has_design_fonts()) GTEST_SKIP() << "the fonts of the design are not here";
    const auto cells = room.shell->parts.places.at("heads:cells"), main = room.shell->parts.places.at("main");
    EXPECT_GE(cells.y1 - cells.y0, 0.55f * (main.y1 - main.y0));
    EXPECT_GE(cells.x1 - cells.x0, 0.45f * (main.x1 - main.x0));
  }
}

TEST(EmptySentence, IsAHintAndNoError) {
  LabelRoom room(kMaps[0], 1280, 720, false);
  Document none = room.shell->document();
  none.texts = {""};
  room.shell->edit(none);
  for (int i = 0; i < 4; ++i) {
    room.window.frame(*room.shell);
    room.shell->worker().wait();
  }
  EXPECT_FALSE(test::NullWindow::shows("error"));
  EXPECT_TRUE(room.shell->nothing_typed());
  const auto& status = room.shell->ui.status_words;
  EXPECT_NE(std::find(status.begin(), status.end(), "no sentence"), status.end());
  EXPECT_EQ(std::find(status.begin(), status.end(), "could not compute this"), status.end());
  // Any other error is still said.
  none.texts = {"man bites dog"};
  none.heads = 7;
  room.shell->edit(none);
  for (int i = 0; i < 4; ++i) {
    room.window.frame(*room.shell);
    room.shell->worker().wait();
  }
  EXPECT_TRUE(test::NullWindow::shows("error"));
}

}  // namespace
}  // namespace headlight
