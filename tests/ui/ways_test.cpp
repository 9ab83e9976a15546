// The tabs' pictures that the tour shows and the frame benchmark measures: none is missing, no two are equal, and each draws
// something of its own.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "app/views/base/view.h"
#include "app/views/heads/state.h"
#include "app/views/masks/state.h"
#include "app/views/walk/state.h"
#include "app/window/offscreen/ways.h"
#include "tests/ui/null_window.h"

namespace headlight {
namespace {

using window::Way;
using window::ways;

window::Setup ways_setup(std::vector<std::string> texts) {
  window::Setup made;
  made.session.document.texts = std::move(texts);
  made.session.document.tokenizer = "words";
  made.session.document.d_model = 16;
  made.session.document.heads = 4;
  made.session.document.layers = 2;
  made.session.document.masks = {Choice{"causal", {}}};
  made.compute = run_on_backend();
  return made;
}

TEST(Ways, EveryTabOpensInOneAndHasItsOwnNames) {
  std::set<std::string> names, tabs;
  for (const Way& way : ways()) {
    EXPECT_TRUE(names.insert(name_of(way)).second) << name_of(way);
    EXPECT_TRUE(views::registry().find(way.tab)) << name_of(way);
    if (!*way.name) tabs.insert(way.tab);
  }
  for (const views::View& entry : views::registry().entries()) EXPECT_TRUE(tabs.contains(entry.id)) << entry.id;
}

TEST(Offers, OneViewHasEachAndOpensForIt) {
  using views::Offers;
  std::map<Offers, std::string> by;
  for (const views::View& entry : views::registry().entries()) {
    for (const views::Offer& offer : entry.offers) EXPECT_TRUE(by.emplace(offer.what, entry.id).second) << entry.id;
    for (const views::Staged& staged : entry.toured.staged)
      EXPECT_TRUE(staged.two_sentences || (entry.job && staged.ready)) << entry.id << ": " << staged.id;
  }
  for (const Offers what : {Offers::one_head, Offers::masks, Offers::ledger, Offers::tokenizer_training, Offers::comparison}) {
    ASSERT_TRUE(by.contains(what)) << static_cast<int>(what);
    ViewState view;
    open_for(view, what);
    EXPECT_EQ(view.tab, by[what]);
    EXPECT_EQ(&view_that(what), views::registry().find(by[what]));
  }
  EXPECT_EQ(by[Offers::one_head], ViewState().tab) << "a new session opens on the map of a head";
  ViewState view;
  view.own.of<views::masked::State>().page = "fill";
  open_for(view, Offers::masks);
  EXPECT_EQ(view.own.of<views::masked::State>().page, "paint");
}

TEST(Ways, EachIsItsOwnAndIsKeptByASession) {
  std::map<std::string, std::string> seen;
  for (const Way& way : ways()) {
    ViewState view;
    view.tab = way.tab;
    way.set(view);
    EXPECT_EQ(view.tab, way.tab) << name_of(way);
    const auto [before, fresh] = seen.emplace(to_json(view), name_of(way));
    EXPECT_TRUE(fresh) << name_of(way) << " is " << before->second;
    const auto again = view_state_from_json(to_json(view), "test");
    ASSERT_TRUE(again.ok()) << name_of(way) << ": " << again.error().sentence();
    EXPECT_EQ(*again, view) << name_of(way);
  }
}

TEST(Ways, EachDrawsWithoutAnError) {
  test::NullWindow null(1600, 1000);
  window::Shell shell(ways_setup({"a fluffy blue creature roamed the forest"}));
  shell.worker().wait();
  null.frame(shell);
  const ViewState view = shell.view();
  std::set<std::string> boxes;
  for (const Way& way : ways()) {
    shell.view() = view;
    shell.view().tab = way.tab;
    way.set(shell.view());
    fit(shell.view(), *shell.published().trace);
    const ViewState asked = shell.view();
    for (int i = 0; i < 4; ++i) {
      null.frame(shell);
      shell.lane().wait();
      shell.worker().wait();
    }
    EXPECT_EQ(null.errors(), 0) << name_of(way);
    EXPECT_GT(null.vertices(), 500) << name_of(way);
    EXPECT_EQ(shell.view().own.of<views::heads::State>().picture, asked.own.of<views::heads::State>().picture) << name_of(way);
    EXPECT_EQ(shell.view().own.of<views::masked::State>().page, asked.own.of<views::masked::State>().page) << name_of(way);
    if (name_of(way) == "walk")
      for (const auto& [id, place] : shell.parts.places) boxes.insert(id);
    if (!asked.own.of<views::walk::State>().open.empty()) {
      EXPECT_TRUE(boxes.contains("walk:" + asked.own.of<views::walk::State>().open))
          << name_of(way) << " opens a box that there is not";
      EXPECT_EQ(shell.view().own.of<views::walk::State>().open, asked.own.of<views::walk::State>().open) << name_of(way);
    }
  }
}

// If two items had one id, a press on one would be a press on the other.
TEST(Ways, NoTwoItemsUnderTheMouseShareAnId) {
  test::NullWindow null(1600, 1000);
  window::Shell shell(ways_setup({"a fluffy blue creature roamed the forest", "man bites dog"}));
  shell.worker().wait();
  null.frame(shell);
  const ViewState view = shell.view();
  std::set<std::string> conflicts;
  for (const Way& way : ways()) {
    shell.view() = view;
    shell.view().tab = way.tab;
    way.set(shell.view());
    fit(shell.view(), *shell.published().trace);
    ui::ControlLog log;
    for (int i = 0; i < 4; ++i) {
      null.frame(shell);
      shell.lane().wait();
      shell.worker().wait();
    }
    ui::watch_controls(&log);
    null.frame(shell);
    ui::watch_controls(nullptr);
    std::vector<ImVec2> points;
    for (const auto& place : log.places) points.push_back({(place.low.x + place.high.x) / 2, (place.low.y + place.high.y) / 2});
    for (const auto& [id, place] : shell.parts.places) points.push_back({(place.x0 + place.x1) / 2, (place.y0 + place.y1) / 2});
    for (const ImVec2& point : points) {
      ImGui::GetIO().AddMousePosEvent(point.x, point.y);
      for (int i = 0; i < 3; ++i) null.frame(shell);
      if (GImGui->HoveredIdPreviousFrameItemCount > 1)
        conflicts.insert(name_of(way) + " at " + std::to_string(static_cast<int>(point.x)) + ", " +
                         std::to_string(static_cast<int>(point.y)));
    }
    ImGui::GetIO().AddMousePosEvent(-1, -1);
  }
  for (const std::string& conflict : conflicts) ADD_FAILURE() << conflict;
}

}  // namespace
}  // namespace headlight
