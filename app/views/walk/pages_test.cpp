// The Walk-through's pages on a null renderer: the list of shapes, Q's heads times Kᵀ's, and what the worked walk-through adds.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "app/session/session.h"
#include "app/views/base/view.h"
#include "app/views/walk/products_page.h"
#include "app/views/walk/scene.h"
#include "app/views/walk/shapes_page.h"
#include "engine/document/presets.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

struct WalkPagesRoom : test::Room {
  explicit WalkPagesRoom(Document document, ViewState view = {})
      : test::Room(setup_of(std::move(document), on_walk(std::move(view))), 1600, 1000, false) {}
  static ViewState on_walk(ViewState view) {
    view.tab = "walk";
    return view;
  }
  const views::walk::State& walk() const { return shell->view().own.of<views::walk::State>(); }
  views::Context context() { return shell->context(window.as_frame()); }
};

Document walkthrough() {
  Document document;
  presets::registry().find("walkthrough")->apply(document);
  return document;
}

std::vector<std::string> texts(const figures::Figure& figure) {
  std::vector<std::string> out;
  for (const figures::Item& item : figure.items)
    if (const auto* text = std::get_if<figures::Text>(&item)) out.push_back(text->text);
  return out;
}
bool has(const std::vector<std::string>& all, const std::string& words) {
  return std::find(all.begin(), all.end(), words) != all.end();
}

TEST(WalkPages, TheWorkedWalkThroughListsEveryStepWithItsShape) {
  WalkPagesRoom room(walkthrough());
  room.click_part("walk:shapes");
  EXPECT_EQ(room.walk().page, "shapes");
  EXPECT_TRUE(room.has("walk:list"));
  EXPECT_FALSE(test::NullWindow::shows("diagram"));
  const figures::Figure figure = views::walk::shapes_figure(room.context(), 1400);
  const std::vector<std::string> all = texts(figure);
  const Trace& trace = *room.shell->published().trace;
  EXPECT_GT(trace.steps().size(), 100u);
  for (const Step& step : trace.steps()) EXPECT_TRUE(has(all, own_name(step.name))) << step.name;
  for (const char* shape : {"[10, 1]", "[100]", "[10, 100]", "[1, 10, 200]", "[20, 10]", "[20, 1, 10]", "[20, 1, 1, 10]",
                            "[1, 10, 10]", "[20, 10, 4, 50]", "[20, 4, 10, 50]", "[20, 4, 50, 10]", "[200]", "[180]", "[1]"})
    EXPECT_TRUE(has(all, shape)) << shape;
  for (const char* said : {"not contiguous", "the notes print 10000^(+2i/d): the minus is missing",
                           "the notes print W_q as [200, 100] here; it is [200, 200]"})
    EXPECT_TRUE(has(all, said)) << said;
  room.window.key(*room.shell, ImGuiKey_Escape);
  EXPECT_EQ(room.walk().page, "");
  EXPECT_TRUE(test::NullWindow::shows("diagram"));
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(WalkPages, AClickInTheListGoesToTheStepsBox) {
  ViewState view;
  view.own.of<views::walk::State>().page = "shapes";
  WalkPagesRoom room(walkthrough(), view);
  const views::Parts::Place list = room.part("walk:list");
  std::set<std::string> sites, steps;
  for (const float x : {0.1f, 0.5f, 0.9f})
    for (const float y : {0.1f, 0.3f, 0.5f, 0.7f}) {
      room.click(list.x0 + x * (list.x1 - list.x0), list.y0 + y * (std::min(list.y1, 900.0f) - list.y0));
      sites.insert(room.shell->view().site);
      steps.insert(room.walk().step);
      const views::walk::WalkScene scene = views::walk::walk_scene(room.context());
      EXPECT_GE(scene.graph->find(room.walk().step), 0) << room.walk().step << " of " << room.shell->view().site;
    }
  EXPECT_GE(sites.size(), 2u);
  EXPECT_GE(steps.size(), 5u);
}

TEST(WalkPages, WhatTheNotesPrintOtherwiseStandsBesideItsStep) {
  WalkPagesRoom room(walkthrough());
  room.shell->view().site = "encoder.";
  room.settle();
  const auto said = [&](const char* id) {
    const views::walk::WalkScene scene = views::walk::walk_scene(room.context());
    const int at = scene.graph->find(id);
    EXPECT_GE(at, 0) << id;
    std::string all;
    for (const std::string& one : walk_notes_of(room.context(), scene, std::max(0, at)).said) all += one + "\n";
    return all;
  };
  EXPECT_NE(said("position").find("the minus is missing"), std::string::npos);
  EXPECT_NE(said("q").find("[200, 100]"), std::string::npos);
  EXPECT_EQ(said("k"), "");
  room.shell->view().site = "decoder.";
  EXPECT_NE(said("mask").find("[20, 1, 20, 10]"), std::string::npos);
  EXPECT_NE(said("q").find("Q = K = V in the encoder only"), std::string::npos);
  room.shell->view().site = "decoder.cross.";
  EXPECT_NE(said("loss").find("its own token"), std::string::npos);
  // In the picture as it is exported, too.
  room.shell->view().own.of<views::walk::State>().step = "loss_shifted";
  std::string poster;  // its lines are broken to the frame's width
  for (const std::string& line : texts(views::figure_of_view(room.context(), *views::registry().find("walk"), 1400, 800)))
    poster += line + " ";
  EXPECT_NE(poster.find("as a model is really trained"), std::string::npos) << poster;
}

TEST(WalkPages, NothingIsSaidOfAnotherText) {
  WalkPagesRoom other(test::small_document());
  const views::walk::WalkScene scene = views::walk::walk_scene(other.context());
  for (int i = 0; i < static_cast<int>(scene.graph->boxes.size()); ++i)
    EXPECT_TRUE(walk_notes_of(other.context(), scene, i).said.empty());
}

TEST(WalkPages, TheLossesCompareEachPlaceWithItsTokenAndTheNext) {
  ViewState view;
  view.site = "decoder.cross.";
  view.batch = 1;
  view.own.of<views::walk::State>().step = "loss";
  WalkPagesRoom room(walkthrough(), view);
  ASSERT_TRUE(room.has("walk:loss") && room.has("walk:loss_shifted") && room.has("walk:logits"));
  const views::walk::WalkScene scene = views::walk::walk_scene(room.context());
  const figures::WalkNotes notes = walk_notes_of(room.context(), scene, scene.graph->find("loss"));
  ASSERT_TRUE(notes.losses);
  const Trace& trace = *room.shell->published().trace;
  const auto& labels = trace.targets()[1].labels;
  ASSERT_EQ(notes.losses->places.size(), labels.size());
  const Tensor own = *trace.values("loss_by_row"), next = *trace.values("loss_shifted_by_row");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    EXPECT_EQ(notes.losses->places[i].own, labels[i]);
    EXPECT_EQ(notes.losses->places[i].own_loss, own.at({10 + at}));
    if (i + 1 == labels.size()) continue;
    EXPECT_EQ(notes.losses->places[i].next, labels[i + 1]);
    EXPECT_EQ(notes.losses->places[i].next_loss, next.at({9 + at}));
  }
  EXPECT_EQ(notes.losses->own_mean, trace.values("loss")->at({0}));
  EXPECT_NE(notes.losses->own_words.find("against [200]"), std::string::npos);
  EXPECT_NE(notes.losses->next_words.find("against [180]"), std::string::npos);
}

TEST(WalkPages, TheMouseFindsTheRowAndTheColumnOfAScore) {
  WalkPagesRoom room(test::small_document());
  room.click_part("walk:heads");
  ASSERT_EQ(room.walk().page, "heads");
  room.settle();
  ASSERT_TRUE(room.has("walk:products"));
  const views::Parts::Place place = room.part("walk:products");
  std::set<std::int64_t> heads;
  std::size_t found = 0;
  for (float x = place.x0 + 10; x < place.x1; x += 37)
    for (float y = place.y0 + 50; y < place.y0 + 300; y += 61) {
      room.move(x, y);
      const views::Hot& hot = room.shell->hover.now;
      if (hot.value.step.empty()) continue;
      ++found;
      EXPECT_EQ(hot.value.step, "layer.0.scores");
      ASSERT_EQ(hot.value.index.size(), 4u);
      EXPECT_EQ(hot.value.index[2], hot.row);
      EXPECT_EQ(hot.value.index[3], hot.column);
      heads.insert(hot.value.index[1]);
    }
  EXPECT_GT(found, 20u);
  EXPECT_EQ(heads, (std::set<std::int64_t>{0, 1, 2, 3}));
  // A click keeps the head and the cell.
  room.click(place.x1 - 12, place.y0 + 60);
  EXPECT_EQ(room.shell->view().head, 3);
  EXPECT_GE(room.shell->view().pinned_row, 0);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(WalkPages, ScoresThatAreNoProductSaySo) {
  Document d = test::small_document();
  d.score = "additive";
  ViewState view;
  view.own.of<views::walk::State>().page = "heads";
  WalkPagesRoom room(d, view);
  EXPECT_FALSE(room.has("walk:products"));
  EXPECT_TRUE(views::walk::products_figure(room.context(), 1200, 760).items.empty());
  EXPECT_EQ(room.window.errors(), 0);
}

}  // namespace
}  // namespace headlight
