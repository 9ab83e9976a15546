// The Heads view of a trained model: names of heads, sorting by them, and what the selected head is said to do.
#include <gtest/gtest.h>

#include "app/figures/explanation/role_words.h"
#include "app/panels/heads/head_choosing.h"
#include "app/session/role_finder.h"
#include "engine/core/files.h"
#include "engine/document/stored_model.h"
#include "support/tiny_model.h"
#include "tests/ui/configuration_folder.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using panels::arrange_heads;
using test::Room;

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
    Room room(roles_document_of("stories", "a fluffy blue creature roamed the verdant forest"), heads_view(), 1600, height);
    room.settle();
    EXPECT_TRUE(room.has("heads:saying")) << height;
    room.click_part("heads:role:adjective");
    EXPECT_EQ(room.shell->view().heads.filter, "role:adjective") << height;
    room.window.frames(*room.shell, 3);
    room.click_part("heads:role:adjective");
    EXPECT_EQ(room.shell->view().heads.filter, "") << height;
  }
}

// Sorted by role, the first thumbnail is that of the first role's clearest head.
TEST(Roles, SortedByRoleTheFirstThumbnailHasOne) {
  ViewState view = heads_view();
  view.heads.order = "role";
  Room room(roles_document_of("induction", "pa lar vu so mi ken pa lar vu"), view);
  room.settle();
  const auto grid = room.part("heads:grid");
  room.click(grid.x0 + 40, grid.y0 + 60);
  EXPECT_EQ(room.shell->view().layer, 0);
  EXPECT_EQ(room.shell->view().head, 3) << "looks at the previous token, .99";
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
  Room room(document, heads_view());
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
