// The Heads view: its pages are all that others know of its pictures, and a file leaves the window's state alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/views/base/view.h"
#include "app/views/heads/choosing.h"
#include "app/views/heads/pictures.h"
#include "app/window/commands/actions.h"
#include "app/window/commands/palette_commands.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;
using views::heads::State;

State& own(Room& room) { return room.shell->view().own.of<State>(); }

TEST(HeadsView, ThePaletteHasItsPagesAndItsCommands) {
  Room room;
  room.settle();
  const auto run = [&](const std::string& name) {
    const auto commands = window::palette_commands(*room.shell);
    const auto found = std::ranges::find_if(commands, [&](const auto& c) { return c.english == name; });
    ASSERT_NE(found, commands.end()) << name;
    room.shell->view().tab = "counting";
    found->run();
    EXPECT_EQ(room.shell->view().tab, "heads") << name;
  };
  const std::pair<const char*, const char*> pages[] = {
      {"Heads: dots", "dots"}, {"Heads: arcs", "arcs"}, {"Heads: q·k", "neuron"}, {"Heads: map", "heatmap"}};
  for (const auto& [name, picture] : pages) {
    run(name);
    EXPECT_EQ(own(room).picture, picture) << name;
  }
  const std::pair<const char*, const char*> commands[] = {{"Pinned heads: mean", "mean"},
                                                          {"Pinned heads: overlaid", "overlay"},
                                                          {"Pinned heads: largest", "max"},
                                                          {"Rollout over the layers", "rollout"},
                                                          {"Pinned heads: side by side", "side"}};
  for (const auto& [name, together] : commands) {
    run(name);
    EXPECT_EQ(own(room).together, together) << name;
  }
}

TEST(HeadsView, AFileOfAPageLeavesTheShownOneAlone) {
  Room room;
  room.settle();
  const views::View& entry = *views::registry().find("heads");
  const State* const before = &own(room);
  const std::vector<views::Picture> pictures = entry.all_pictures();
  const auto picture = std::ranges::find_if(pictures, [](const views::Picture& p) { return p.id == "heads-arcs"; });
  ASSERT_NE(picture, pictures.end());
  const views::Context context = room.shell->context(room.window.as_frame());
  const figures::Figure arcs = picture->figure(context, 600, 500), shown = views::figure_of_view(context, entry, 600, 500);
  EXPECT_FALSE(arcs.items.empty());
  EXPECT_NE(arcs.items.size(), shown.items.size()) << "the map is shown";
  EXPECT_EQ(own(room).picture, "heatmap");
  EXPECT_EQ(&own(room), before) << "what a frame refers to stays where it is";
}

// In presentation the thumbnails stay beside the picture while the sentence is typed.
TEST(HeadsView, PresentedTheThumbnailsStayWhileTheSentenceIsTyped) {
  ViewState view;
  view.presentation = true;
  Room room(test::small_document("words"), view, 1280, 720);
  room.settle();
  EXPECT_TRUE(room.has("heads:grid"));
  window::actions().find("sentence")->run(*room.shell);
  room.settle();
  EXPECT_TRUE(room.has("sentence"));
  EXPECT_TRUE(room.has("heads:grid"));
  EXPECT_TRUE(room.has("heads:colorbar"));
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(HeadsView, NumbersOfAHeadThatIsNotFiniteSaySo) {
  HeadStatistics statistics;
  statistics.worst_row_sum = std::nan("");
  EXPECT_EQ(views::heads::pattern_words(statistics), "some of its weights are not a number");
  statistics = {};
  statistics.pattern = "self head";
  statistics.score = 0.613;
  EXPECT_EQ(views::heads::pattern_words(statistics), "itself (score 0.61)");
}

}  // namespace
}  // namespace headlight
