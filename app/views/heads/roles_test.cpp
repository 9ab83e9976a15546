// The Heads view of a trained model: names of heads, sorting by them, and what the selected head is said to do.
#include <gtest/gtest.h>

#include "app/figures/explanation/role_words.h"
#include "app/session/role_finder.h"
#include "app/views/heads/choosing.h"
#include "app/views/heads/state.h"
#include "app/window/commands/palette_commands.h"
#include "engine/core/files.h"
#include "engine/document/stored_model.h"
#include "engine/insight/heads_at_cells.h"
#include "support/tiny_model.h"
#include "tests/ui/configuration_folder.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;
using views::heads::arrange_heads;

Document roles_document_of(const std::string& model, const std::string& text) {
  Document document;
  document.texts = {text};
  const auto stored = open_stored_model(model);
  EXPECT_TRUE(stored.ok());
  if (stored.ok()) use_model(document, **stored);
  return document;
}
ViewState heads_view() {
  ViewState view;
  view.tab = "heads";
  return view;
}

TEST(Roles, SortByRoleThenByScore) {
  const std::vector<HeadStatistics> statistics(5);
  const std::vector<std::optional<HeadRole>> roles = {std::nullopt, HeadRole{HeadPattern::adjective, 0.6},
                                                      HeadRole{HeadPattern::previous, 0.7}, std::nullopt,
                                                      HeadRole{HeadPattern::adjective, 0.9}};
  const auto sorted = arrange_heads(statistics, "role", "", roles);
  EXPECT_TRUE(sorted.ordered);
  EXPECT_EQ(sorted.order, (std::vector<std::int64_t>{2, 4, 1, 0, 3}));
  EXPECT_EQ(sorted.marks[4], "0.90");
  EXPECT_EQ(sorted.marks[0], "");
  const auto filtered = arrange_heads(statistics, "model", "role:adjective", roles);
  EXPECT_EQ(filtered.shown, 2);
  EXPECT_EQ(filtered.faint, (std::vector<std::uint8_t>{1, 0, 1, 1, 0}));
  EXPECT_EQ(arrange_heads(statistics, "role", "role:adjective", roles).order, (std::vector<std::int64_t>{4, 1}));
  // Of a model without roles neither means anything.
  EXPECT_FALSE(arrange_heads(statistics, "role", "").ordered);
  EXPECT_EQ(arrange_heads(statistics, "model", "role:adjective").shown, 5);
}

// At both sizes: the bars' list or the legend has a row for each role, and a click on one chooses its heads.
TEST(Roles, AClickOnARoleMarksItsHeads) {
  for (const float height : {720.0f, 1000.0f}) {
    ViewState view = heads_view();
    view.layer = 4;  // head 0 joins adjectives to their noun
    Room room(roles_document_of("stories", "a fluffy blue creature roamed the verdant forest"), view, 1600, height);
    room.settle();
    EXPECT_TRUE(room.has("heads:saying")) << height;
    room.click_part("heads:role:adjective");
    EXPECT_EQ(room.shell->view().own.of<views::heads::State>().filter, "role:adjective") << height;
    room.window.frames(*room.shell, 3);
    room.click_part("heads:role:adjective");
    EXPECT_EQ(room.shell->view().own.of<views::heads::State>().filter, "") << height;
  }
}

// Sorted by role, the first thumbnail is that of the first role's clearest head.
TEST(Roles, SortedByRoleTheFirstThumbnailHasOne) {
  ViewState view = heads_view();
  view.own.of<views::heads::State>().order = "role";
  Room room(roles_document_of("induction", "pa lar vu so mi ken pa lar vu"), view);
  room.settle();
  const auto grid = room.part("heads:grid");
  room.click(grid.x0 + 40, grid.y0 + 60);
  EXPECT_EQ(room.shell->view().layer, 0);
  EXPECT_EQ(room.shell->view().head, 3) << "looks at the previous token, .99";
}

// Which heads look like this? A click with Ctrl chooses a cell, the menu sorts by it, and every thumbnail says its weight.
TEST(Roles, HeadsAreSortedByTheCellsThatOneChooses) {
  const std::vector<HeadStatistics> statistics(4);
  const std::vector<std::optional<double>> weights = {0.2, std::nullopt, 0.75, 0.5};
  const auto sorted = arrange_heads(statistics, "cells", "", {}, weights);
  EXPECT_TRUE(sorted.ordered);
  EXPECT_EQ(sorted.order, (std::vector<std::int64_t>{2, 3, 0, 1}));
  EXPECT_EQ(sorted.marks[2], "0.75");
  EXPECT_EQ(sorted.marks[1], "");
  EXPECT_FALSE(arrange_heads(statistics, "cells", "").ordered) << "no cell was chosen";

  Room room(roles_document_of("stories", "a fluffy blue creature roamed the verdant forest"), heads_view());
  room.settle();
  const auto cells = room.part("heads:cells");
  const auto cell = [&](float row, float column) {
    constexpr float kTokens = 15;
    return figures::Point{cells.x0 + (column + 0.5f) / kTokens * (cells.x1 - cells.x0),
                          cells.y0 + (row + 0.5f) / kTokens * (cells.y1 - cells.y0)};
  };
  const auto at = cell(8, 3);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, true);
  room.click(at.x, at.y);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, false);
  room.window.frames(*room.shell, 2);
  ASSERT_EQ(room.shell->view().own.of<views::heads::State>().cells.size(), 1u);
  EXPECT_EQ(room.shell->view().own.of<views::heads::State>().order, "model");
  for (const auto& command : window::palette_commands(*room.shell))
    if (command.english == "Which heads look like this?") command.run();
  EXPECT_EQ(room.shell->view().own.of<views::heads::State>().order, "cells");
  room.settle();
  // The first thumbnail is the head that gives the cell the most.
  const auto grid = room.part("heads:grid");
  room.click(grid.x0 + 40, grid.y0 + 60);
  const auto chosen = cell_from_text(room.shell->view().own.of<views::heads::State>().cells.front());
  ASSERT_TRUE(chosen);
  const Trace& trace = *room.shell->published().trace;
  double most = 0;
  std::pair<std::int64_t, std::int64_t> best{-1, -1};
  for (const AttentionSite& site : trace.sites())
    for (std::int64_t head = 0; head < site.heads; ++head)
      if (const double weight = trace.tile(trace.name_at(site.prefix, Role::weights), {0, head, chosen->query, 1, chosen->key, 1})
                                    .value()
                                    .at({0, 0});
          weight > most) {
        most = weight;
        best = {site.layer, head};
      }
  EXPECT_EQ(best, std::pair(room.shell->view().layer, room.shell->view().head));
}

TEST(Roles, RandomWeightsAndUnmeasuredModelsHaveNoNames) {
  Room sandbox(test::small_document(), heads_view());
  EXPECT_FALSE(sandbox.has("heads:saying"));
  for (const HeadPattern pattern : kHeadPatterns) EXPECT_FALSE(sandbox.has(std::string("heads:") + words_of(pattern).id));
}

// Interventions change what a model does, and not what its heads were measured to be.
TEST(Roles, StayWhereHeadsAreTakenOut) {
  Document document = roles_document_of("stories", "a fluffy blue creature roamed the verdant forest");
  ASSERT_TRUE(find_field("without")->set(document, {"layer.0.head.0"}).ok());
  ViewState view = heads_view();
  view.layer = 4;
  Room room(document, view);
  room.settle();
  EXPECT_TRUE(room.has("heads:saying"));
  EXPECT_TRUE(room.has("heads:role:adjective"));
}

// Where measuring is allowed, a model without the file is measured in the background, and its heads get their names; the next
// window reads them from the cache.
TEST(Roles, OfAnyModelAreMeasuredInTheBackground) {
  const test::ConfigurationFolder folder;
  const auto tiny = tests::tiny_model("ui-roles-measured");
  ASSERT_TRUE(tiny.write().ok());
  for (const bool measures : {false, true, false}) {
    SCOPED_TRACE(measures);
    window::Setup setup = Room::setup_of(roles_document_of(tiny.name(), "a red cat"), heads_view());
    setup.measure_roles = measures;
    Room room(std::move(setup), 1600, 1000);
    room.settle();
    room.shell->job_of<RoleFinder>("heads").wait();
    room.settle();
    const auto answer = room.shell->job_of<RoleFinder>("heads").asked(tiny.name());
    EXPECT_FALSE(answer.running);
    EXPECT_FALSE(answer.error);
    const bool first = !std::filesystem::exists(folder.path / "heads");
    EXPECT_EQ(answer.heads == nullptr, first);
    if (!answer.heads) continue;
    EXPECT_EQ(answer.heads->texts, 60);
    EXPECT_TRUE(room.has("heads:numbers"));
    EXPECT_FALSE(room.has("heads:refused"));
  }
}

// A trained model without the file says what its head does, and names none; with a broken one, that is said, and it works.
TEST(Roles, AModelWithoutScoresOrWithBrokenOnesStillOpens) {
  const auto tiny = tests::tiny_model("ui-roles");
  ASSERT_TRUE(tiny.write().ok());
  for (const bool broken : {false, true}) {
    if (broken) {
      ASSERT_TRUE(write_file(tiny.folder / "heads.json", "{\"headlight\": 1}").ok());
    }
    Room room(roles_document_of(tiny.name(), "a red cat"), heads_view());
    room.settle();
    EXPECT_TRUE(room.has("heads:cells"));
    EXPECT_EQ(room.has("heads:saying"), !broken);
    EXPECT_EQ(room.has("heads:refused"), broken);
    for (const HeadPattern pattern : kHeadPatterns) EXPECT_FALSE(room.has(std::string("heads:") + words_of(pattern).id));
  }
}

}  // namespace
}  // namespace headlight
