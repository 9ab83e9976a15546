// Presentation mode: the picture fills the screen, and keys and the palette reach what is hidden.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/views/heads/state.h"
#include "app/views/masks/state.h"
#include "app/window/commands/actions.h"
#include "app/window/shell/shell.h"
#include "tests/ui/null_window.h"

namespace headlight {
namespace {

using test::NullWindow;
using window::Shell;

struct PresentationRoom {
  PresentationRoom(const std::string& tab, float width, float height,
                   const std::string& text = "a fluffy blue creature roamed the forest")
      : window(width, height) {
    Document document;
    document.texts = {text};
    document.tokenizer = "words";
    document.d_model = 16;
    document.heads = 4;
    document.layers = 4;
    window::Setup setup;
    setup.session.document = std::move(document);
    setup.session.view.tab = tab;
    setup.session.view.presentation = true;
    setup.compute = run_on_backend();
    shell = std::make_unique<Shell>(std::move(setup));
    settle();
  }
  void settle() {
    for (int i = 0; i < 6; ++i) {
      shell->worker().wait();
      shell->lane().wait();
      window.frame(*shell);
    }
  }
  void run(const char* action) {
    const window::Action* found = window::actions().find(action);
    ASSERT_NE(found, nullptr) << action;
    const window::Frame frame = window.as_frame();
    shell->frame_in_progress = &frame;  // as in the palette and on a key press
    found->run(*shell);
    shell->frame_in_progress = nullptr;
    settle();
  }
  views::Parts::Place part(const std::string& name) const {
    const auto at = shell->parts.places.find(name);
    EXPECT_NE(at, shell->parts.places.end()) << name;
    return at == shell->parts.places.end() ? views::Parts::Place{} : at->second;
  }
  NullWindow window;
  std::unique_ptr<Shell> shell;
};

TEST(Presentation, TheHeatmapHasMostOfTheHeight) {
  for (const auto& [width, height] : {std::pair(1280.0f, 720.0f), std::pair(1600.0f, 1000.0f)})
    for (const char* text : {"a fluffy blue creature roamed the verdant forest and then it slept for a while under a tree",
                             "a fluffy blue creature roamed the forest"}) {
      SCOPED_TRACE(std::to_string(width) + " " + text);
      PresentationRoom room("heads", width, height, text);
      const auto cells = room.part("heads:cells");
      EXPECT_GE(cells.y1 - cells.y0, 0.6f * height);
      EXPECT_LE(cells.y1, height);
      EXPECT_LE(cells.x1, width);
      EXPECT_EQ(room.window.errors(), 0);
    }
}

TEST(Presentation, NoTabScrollsWhatItIsAbout) {
  const std::pair<const char*, const char*> pictures[] = {
      {"walk", "walk:diagram"},           {"heads", "heads:picture"}, {"masks", "masks:paint"}, {"tokens", "tokens:rows"},
      {"positions", "positions:heatmap"}, {"values", "values:sum"},   {"index", "index:times"}};
  for (const auto& [width, height] : {std::pair(1280.0f, 720.0f), std::pair(1600.0f, 1000.0f)})
    for (const auto& [tab, part] : pictures) {
      SCOPED_TRACE(std::string(tab) + ", width " + std::to_string(width));
      PresentationRoom room(tab, width, height);
      const auto at = room.part(part);
      EXPECT_GE(at.x0, 0);
      EXPECT_GE(at.y0, 0);
      EXPECT_LE(at.x1, width + 1);
      EXPECT_LE(at.y1, height + 1);
      // Nothing is measured here: the lab shows the three counted bars.
      EXPECT_GE(at.y1 - at.y0, (std::string(tab) == "index" ? 0.2f : 0.28f) * height);
      EXPECT_EQ(room.window.errors(), 0);
    }
}

TEST(Presentation, TheSentenceComesWhenItIsAskedForAndGoesAgain) {
  PresentationRoom room("heads", 1280, 720);
  EXPECT_FALSE(room.shell->parts.places.contains("sentence"));
  room.run("sentence");
  EXPECT_TRUE(room.shell->parts.places.contains("sentence"));
  ImGui::GetIO().AddInputCharacter('s');
  room.settle();
  EXPECT_EQ(room.shell->document().texts[0], "a fluffy blue creature roamed the forests");
  ImGui::GetIO().AddKeyEvent(ImGuiKey_Escape, true);
  room.settle();
  ImGui::GetIO().AddKeyEvent(ImGuiKey_Escape, false);
  room.settle();
  EXPECT_FALSE(room.shell->parts.places.contains("sentence"));
  EXPECT_TRUE(room.shell->view().presentation) << "Escape left the field, not the mode";
}

TEST(Presentation, ThePicturesOfATabAreGoneThroughByKey) {
  PresentationRoom room("heads", 1280, 720);
  std::vector<std::string> seen;
  for (int i = 0; i < 4; ++i) {
    seen.push_back(room.shell->view().own.of<views::heads::State>().picture);
    room.run("picture_next");
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"heatmap", "dots", "arcs", "neuron"}));
  EXPECT_EQ(room.shell->view().own.of<views::heads::State>().picture, "heatmap") << "around its end";
  room.run("picture_previous");
  EXPECT_EQ(room.shell->view().own.of<views::heads::State>().picture, "neuron");
  room.shell->view().tab = "tokens";
  room.run("picture_previous");
  EXPECT_TRUE(room.shell->parts.places.contains("tokens:film"));
  room.run("picture_next");
  EXPECT_TRUE(room.shell->parts.places.contains("tokens:rows"));
  room.shell->view().tab = "masks";
  room.run("picture_next");
  EXPECT_EQ(room.shell->view().own.of<views::masked::State>().shows, "difference");
}

TEST(Presentation, TheInspectorIsAwayUntilItIsAskedFor) {
  for (const float width : {1280.0f, 1600.0f}) {
    PresentationRoom room("heads", width, 720);
    EXPECT_FALSE(room.shell->parts.places.contains("inspector"));
    const bool before = room.shell->configuration().inspector_open;
    room.run("inspector");
    EXPECT_TRUE(room.shell->parts.places.contains("inspector")) << width;
    EXPECT_EQ(room.shell->configuration().inspector_open, before) << "outside of presenting it is as it was";
  }
}

TEST(Presentation, QueriesAreSteppedThrough) {
  PresentationRoom room("values", 1280, 720);
  const auto run = [&](const char* action) { room.run(action); };
  run("query_next");
  EXPECT_EQ(room.shell->view().pinned_row, 0);
  run("query_previous");
  EXPECT_EQ(room.shell->view().pinned_row, 6) << "around the seven tokens";
}

}  // namespace
}  // namespace headlight
