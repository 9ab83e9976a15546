// The strip at the lower edge while presenting, and the pages of every view: F7 goes through them, the palette finds them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/views/base/view.h"
#include "app/views/heads/state.h"
#include "app/views/next_word/data.h"
#include "app/views/tokens/state.h"
#include "app/views/walk/scene.h"
#include "app/window/commands/palette_commands.h"
#include "engine/document/stored_model.h"
#include "imgui_internal.h"
#include "tests/ui/room.h"
#include "tests/ui/stored_document.h"

namespace headlight {
namespace {

using test::Room;
using test::stored_document;

ViewState strip_view(const std::string& tab, bool presented = true) {
  ViewState view;
  view.tab = tab;
  view.presentation = presented;
  return view;
}

struct HallRoom : Room {
  explicit HallRoom(const std::string& tab, Document document = test::small_document())
      : Room(Room::setup_of(std::move(document), strip_view(tab)), 1280, 720, false) {}
  void to_edge() { move(640, 719); }
  void up() { move(640, 200); }
  void key(ImGuiKey key, bool shift = false) { window.key(*shell, key, false, shift); }
};

// --- the pages

struct Turned {
  std::vector<std::string> pages;  // values, in the order of F7
  std::set<std::string> pictures;
};
Turned turn_through(Room& room) {
  window::Shell& shell = *room.shell;
  const views::View& open = *views::registry().find(shell.view().tab);
  Turned turned;
  const auto value = [&] {
    const window::Frame frame = room.window.as_frame();
    return std::string(open.value_of(open.pages[open.shown_page(shell.context(frame))]));
  };
  for (std::size_t i = 0; i < open.pages.size(); ++i) {
    turned.pages.push_back(value());
    room.window.key(shell, ImGuiKey_F7);
    room.settle();
    EXPECT_EQ(room.window.errors(), 0) << turned.pages.back();
    if (value() == turned.pages.front()) break;
  }
  return turned;
}

TEST(Pages, F7GoesThroughThemInEveryViewThatHasSome) {
  for (const bool presented : {true, false}) {
    std::size_t with_pages = 0;
    for (const views::View& entry : views::registry().entries()) {
      SCOPED_TRACE(entry.id + (presented ? ", presented" : ""));
      Document document = test::small_document("words");
      Room room(Room::setup_of(document, strip_view(entry.id, presented)), presented ? 1280 : 1000, presented ? 720 : 620, false);
      room.settle();
      const window::Frame frame = room.window.as_frame();
      if (entry.pages_now(room.shell->context(frame)).size() < 2) continue;
      ++with_pages;
      const Turned turned = turn_through(room);
      const std::set<std::string> seen(turned.pages.begin(), turned.pages.end());
      EXPECT_EQ(seen.size(), turned.pages.size()) << "a page comes twice";
      EXPECT_EQ(turned.pages.size(), entry.pages_now(room.shell->context(frame)).size());
      // And back again.
      const auto shown = [&] { return entry.value_of(entry.pages[entry.shown_page(room.shell->context(frame))]); };
      EXPECT_EQ(shown(), turned.pages.front());
      room.window.key(*room.shell, ImGuiKey_F7, false, true);
      EXPECT_EQ(shown(), turned.pages.back());
    }
    EXPECT_GE(with_pages, 12u);
  }
}

TEST(Pages, ThePaletteFindsEachByItsName) {
  Room room;
  room.shell->palette.ask();
  room.window.frames(*room.shell, 2);
  std::set<std::string> lines;
  for (const auto& command : room.shell->palette.commands())
    if (command.kind == "view") EXPECT_TRUE(lines.insert(command.english).second) << command.english;
  std::size_t pages = 0;
  for (const views::View& entry : views::registry().entries())
    for (const views::Page& page : entry.pages) {
      if (!entry.has_pages()) break;
      SCOPED_TRACE(entry.label + ": " + page.label);
      ++pages;
      ASSERT_TRUE(lines.contains(entry.label + ": " + page.label));
      const auto found = std::find_if(room.shell->palette.commands().begin(), room.shell->palette.commands().end(),
                                      [&](const auto& command) { return command.english == entry.label + ": " + page.label; });
      found->run();
      EXPECT_EQ(room.shell->view().tab, entry.id);
      const window::Frame frame = room.window.as_frame();
      const views::Context context = room.shell->context(frame);
      if (!entry.has_page || entry.has_page(context, entry.value_of(page)))
        EXPECT_STREQ(entry.pages[entry.shown_page(context)].id, page.id);
      EXPECT_STRNE(page.why, "");
    }
  EXPECT_GE(pages, 60u);
}

// --- the strip

TEST(Strip, TheMouseAtTheLowerEdgeShowsItAndTakesItAway) {
  HallRoom room("heads");
  EXPECT_FALSE(room.has("strip"));
  const auto before = room.part("heads:cells");
  room.to_edge();
  ASSERT_TRUE(room.has("strip"));
  const auto strip = room.part("strip"), cells = room.part("heads:cells");
  EXPECT_EQ(strip.y1, 720);
  EXPECT_LE(cells.y1, strip.y0) << "nothing is covered";
  EXPECT_NEAR(cells.y0, before.y0, 12) << "the upper edge stays";
  room.move(640, strip.y0 + 4);
  EXPECT_TRUE(room.has("strip"));
  room.up();
  EXPECT_FALSE(room.has("strip"));
  EXPECT_EQ(room.part("heads:cells").y1, before.y1);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(Strip, AKeyShowsItAndAgainTakesItAway) {
  HallRoom room("heads");
  room.up();
  room.key(ImGuiKey_F8);
  EXPECT_TRUE(room.has("strip"));
  room.move(640, 300);
  EXPECT_TRUE(room.has("strip")) << "the mouse does not matter to it";
  room.key(ImGuiKey_F8);
  EXPECT_FALSE(room.has("strip"));
  room.shell->view().presentation = false;
  room.key(ImGuiKey_F8);
  room.to_edge();
  EXPECT_FALSE(room.has("strip")) << "the window has its controls";
}

TEST(Strip, EscapeClosesItBeforeItLeavesPresentation) {
  for (const char* tab : {"heads", "walk"}) {
    SCOPED_TRACE(tab);
    HallRoom room(tab);
    if (room.shell->view().tab == "walk") room.shell->view().own.of<views::walk::State>().open = "weights";
    room.shell->view().zoom = 2;
    room.to_edge();
    ASSERT_TRUE(room.has("strip"));
    room.key(ImGuiKey_Escape);
    EXPECT_FALSE(room.has("strip"));
    EXPECT_TRUE(room.shell->view().presentation);
    EXPECT_EQ(room.shell->view().zoom, 2);
    if (room.shell->view().tab == "walk")
      EXPECT_FALSE(room.shell->view().own.of<views::walk::State>().open.empty()) << "one thing at a time";
    room.window.frames(*room.shell, 4);
    EXPECT_FALSE(room.has("strip")) << "it comes back when the mouse has left the edge";
    room.up();
    room.to_edge();
    EXPECT_TRUE(room.has("strip"));
    int presses = 0;
    while (room.shell->view().presentation && presses < 8) {
      room.key(ImGuiKey_Escape);
      ++presses;
    }
    EXPECT_EQ(presses, std::string(tab) == "walk" ? 4 : 3) << "the strip, the box, the zoom, then presentation";
    EXPECT_FALSE(room.shell->view().presentation);
  }
}

TEST(Strip, ItStandsStillUnderAMouseThatRestsAndAsksForNoFrames) {
  HallRoom room("heads");
  room.to_edge();
  room.settle();
  const auto strip = room.part("strip"), cells = room.part("heads:cells");
  for (int i = 0; i < 20; ++i) {
    room.window.frame(*room.shell);
    ASSERT_TRUE(room.has("strip")) << i;
    EXPECT_EQ(room.part("strip").y0, strip.y0);
    EXPECT_EQ(room.part("heads:cells").y1, cells.y1);
  }
  EXPECT_LT(room.shell->redraw_in(steady_seconds()), 0) << "nothing moves: no frame is asked for";
}

TEST(Strip, ADraggedPictureDoesNotCallIt) {
  HallRoom room("heads");
  room.move(400, 300);
  room.press(true);
  room.to_edge();
  EXPECT_FALSE(room.has("strip"));
  room.press(false);
}

TEST(Strip, PagesLayerAndHeadAreChosenThere) {
  HallRoom room("heads");
  room.key(ImGuiKey_F8);
  room.click_part("strip:page:dots");
  EXPECT_EQ(room.shell->view().own.of<views::heads::State>().picture, "dots");
  room.click_part("strip:layer:more");
  EXPECT_EQ(room.shell->view().layer, 1);
  room.click_part("strip:head:more");
  room.click_part("strip:head:more");
  EXPECT_EQ(room.shell->view().head, 2);
  room.click_part("strip:layer:less");
  EXPECT_EQ(room.shell->view().layer, 0);
  room.click_part("strip:layer:less");
  EXPECT_EQ(room.shell->view().layer, 0) << "there is none before it";
}

TEST(Strip, AStepMovesNoOtherControl) {
  Document document = test::small_document();
  document.heads = 12;
  document.d_model = 24;
  HallRoom room("heads", document);
  room.key(ImGuiKey_F8);
  const auto more = room.part("strip:head:more");
  for (int i = 0; i < 11; ++i) {
    room.click_part("strip:head:more");
    EXPECT_EQ(room.part("strip:head:more").x0, more.x0) << i;
  }
  EXPECT_EQ(room.shell->view().head, 11);
}

TEST(Strip, AllHeadsAreSmallPicturesThatCanBePointedAt) {
  Document document = test::small_document();
  document.layers = 12;
  HallRoom room("heads", document);
  room.to_edge();
  room.settle();
  auto thumbnail = room.part("strip:thumbnail");
  EXPECT_GE(thumbnail.x1 - thumbnail.x0, 28);
  EXPECT_GE(thumbnail.y1 - thumbnail.y0, 28);
  const auto grid = room.part("strip:heads");
  // The one to the right of it.
  room.click((thumbnail.x0 + thumbnail.x1) / 2 + (thumbnail.x1 - thumbnail.x0) * 1.15f, (thumbnail.y0 + thumbnail.y1) / 2);
  EXPECT_EQ(room.shell->view().head, 1);
  EXPECT_EQ(room.shell->view().layer, 0);
  // A layer far below is scrolled to.
  room.shell->view().layer = 9;
  room.settle();
  thumbnail = room.part("strip:thumbnail");
  EXPECT_GE(thumbnail.y0, grid.y0);
  EXPECT_LE(thumbnail.y1, grid.y1 + 1);
}

// Where the sentence is typed there is no room for the heads beside the map.
TEST(Strip, ItShowsTheHeadsWhileTheSentenceIsTyped) {
  HallRoom room("heads", stored_document("stories", "Once upon a time there was a little dog"));
  room.shell->ui.focus_sentence = true;
  room.settle();
  ASSERT_TRUE(room.has("sentence"));
  room.to_edge();
  room.settle();
  ASSERT_TRUE(room.has("strip:thumbnail"));
  EXPECT_TRUE(room.has("sentence"));
  EXPECT_LE(room.part("heads:cells").y1, room.part("strip").y0);
}

TEST(Strip, ViewsThatShowAHeadHaveTheSameControls) {
  for (const char* tab : {"walk", "heads", "masks", "scores", "values", "long-texts"}) {
    SCOPED_TRACE(tab);
    HallRoom room(tab);
    room.key(ImGuiKey_F8);
    room.settle();
    for (const char* part : {"strip:layer:more", "strip:head:more", "strip:play-layers", "strip:heads"})
      EXPECT_TRUE(room.has(part)) << part;
    EXPECT_EQ(room.window.errors(), 0);
  }
}

TEST(Strip, EveryViewHasOneThatFitsAndCoversNothing) {
  for (const float width : {1280.0f, 1920.0f})
    for (const views::View& entry : views::registry().entries()) {
      SCOPED_TRACE(entry.id + " " + std::to_string(width));
      Room room(Room::setup_of(test::small_document("words"), strip_view(entry.id)), width, width * 9 / 16, false);
      room.window.key(*room.shell, ImGuiKey_F8);
      room.settle();
      ASSERT_TRUE(room.has("strip"));
      const auto strip = room.part("strip"), main = room.part("main");
      EXPECT_LE(main.y1, strip.y0 + 1);
      EXPECT_LE(strip.y1 - strip.y0, 0.4f * width * 9 / 16) << "most of the window is the view's";
      for (const auto& [id, place] : room.shell->parts.places)
        if (id.starts_with("strip:") && id != "strip:thumbnail") {
          EXPECT_GE(place.x0, 0) << id;
          EXPECT_LE(place.x1, width) << id;
          EXPECT_GE(place.y0, strip.y0) << id;
          EXPECT_LE(place.y1, strip.y1) << id;
        }
      EXPECT_EQ(room.window.errors(), 0);
    }
}

TEST(Strip, NextWordHasTemperatureAndGenerates) {
  HallRoom room("next", stored_document("stories", "once upon a time there was a"));
  room.key(ImGuiKey_F8);
  room.settle();
  const auto slider = room.part("strip:temperature");
  room.click(slider.x1 - 3, (slider.y0 + slider.y1) / 2);
  EXPECT_GT(room.shell->view().sampling.temperature, 3);
  room.shell->view().sampling.sample = false;
  room.click_part("strip:generate");
  auto& generated = room.shell->transient.of<views::next_word::Held>().generated;
  for (int i = 0; i < 80 && (generated.words.empty() || generated.words.size() < generated.wanted); ++i) {
    room.shell->lane().wait();
    room.window.frame(*room.shell);
  }
  EXPECT_TRUE(generated.ended || generated.words.size() == 12u);
  room.window.frames(*room.shell, 4);
  const auto words = room.part("next:generated");
  EXPECT_LE(words.y1, room.part("strip").y0 + 1) << "what a button makes is seen at once";
  EXPECT_GE(words.y0, room.part("main").y0 - 1);
}

TEST(Strip, TheWalkThroughStepsAndPlays) {
  HallRoom room("walk");
  room.key(ImGuiKey_F8);
  const auto& kept = room.shell->transient.of<views::walk::WalkTransient>();
  const int before = kept.stop;
  room.click_part("strip:step:more");
  EXPECT_EQ(kept.stop, before + 1);
  room.click_part("strip:play");
  EXPECT_TRUE(kept.playing);
  room.click_part("strip:play");
  EXPECT_FALSE(kept.playing);
}

TEST(Strip, TheLayersPlay) {
  HallRoom room("heads");
  room.key(ImGuiKey_F8);
  room.click_part("strip:play-layers");
  EXPECT_GE(room.shell->redraw_in(steady_seconds()), 0);
  room.shell->ui.strip.next_layer_at = steady_seconds();
  room.window.frames(*room.shell, 2);
  EXPECT_EQ(room.shell->view().layer, 1);
  EXPECT_LT(room.shell->ui.strip.next_layer_at, 0) << "the last layer ends it";
}

TEST(Strip, TheFilmOfATokenizersTrainingStepsThere) {
  HallRoom room("tokens");
  room.shell->view().own.of<views::tokens::State>().picture = "training";
  room.settle();
  room.key(ImGuiKey_F8);
  const std::int64_t before = room.shell->trainer().step();
  room.click_part("strip:step:more");
  EXPECT_EQ(room.shell->trainer().step(), before + 1);
}

}  // namespace
}  // namespace headlight
