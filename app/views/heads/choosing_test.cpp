// What clicks on the thumbnails do, and how statistics sort and filter heads.
#include "app/views/heads/choosing.h"

#include <gtest/gtest.h>

namespace headlight::views::heads {
namespace {

using Heads = std::vector<HeadRef>;

TEST(ChoosingHeads, AClickPreviewsASecondPinsAThirdLetsGo) {
  ViewState view;
  EXPECT_EQ(shown_heads(view, 2, 4), (Heads{{0, 0}}));
  EXPECT_EQ(click_head(view, {1, 2}, 2, 4), HeadClick::previewed);
  EXPECT_EQ(shown_heads(view, 2, 4), (Heads{{1, 2}})) << "the preview takes the place of the one before";
  EXPECT_EQ(click_head(view, {1, 2}, 2, 4), HeadClick::pinned);
  EXPECT_EQ(click_head(view, {0, 3}, 2, 4), HeadClick::previewed);
  EXPECT_EQ(shown_heads(view, 2, 4), (Heads{{1, 2}, {0, 3}})) << "beside the pinned one";
  EXPECT_EQ(click_head(view, {0, 3}, 2, 4), HeadClick::pinned);
  EXPECT_EQ(click_head(view, {0, 0}, 2, 4), HeadClick::previewed);
  EXPECT_EQ(shown_heads(view, 2, 4), (Heads{{1, 2}, {0, 3}, {0, 0}}));
  EXPECT_EQ(click_head(view, {1, 2}, 2, 4), HeadClick::previewed) << "a pinned one becomes the current one";
  EXPECT_EQ(click_head(view, {1, 2}, 2, 4), HeadClick::released);
  EXPECT_EQ(shown_heads(view, 2, 4), (Heads{{0, 3}})) << "and what was let go is gone";
}

TEST(ChoosingHeads, TheLastOneCannotBeSwitchedOff) {
  ViewState view;
  click_head(view, {1, 1}, 2, 4);
  click_head(view, {1, 1}, 2, 4);
  EXPECT_EQ(click_head(view, {1, 1}, 2, 4), HeadClick::last);
  EXPECT_EQ(shown_heads(view, 2, 4), (Heads{{1, 1}}));
  EXPECT_EQ(view.chosen_heads, (Heads{{1, 1}}));
}

TEST(ChoosingHeads, SoloIsThisOneAlone) {
  ViewState view;
  view.chosen_heads = {{0, 1}, {1, 3}};
  solo_head(view, {1, 0});
  EXPECT_EQ(shown_heads(view, 2, 4), (Heads{{1, 0}}));
}

TEST(ChoosingHeads, HeadsThatTheModelLacksAreNotShown) {
  ViewState view;
  view.chosen_heads = {{5, 0}, {0, 9}, {1, 1}, {1, 1}, {-1, 0}};
  view.layer = 9;
  view.head = 9;
  EXPECT_EQ(shown_heads(view, 2, 4), (Heads{{1, 1}, {1, 3}})) << "the current one within the model";
  view.chosen_heads = {{5, 0}};
  view.layer = view.head = 0;
  click_head(view, {0, 0}, 2, 4);
  EXPECT_EQ(click_head(view, {0, 0}, 2, 4), HeadClick::last);
}

HeadStatistics one(std::int64_t rows, double entropy, double distance, const std::string& pattern, double score) {
  HeadStatistics s;
  s.rows = rows;
  s.entropy = entropy;
  s.distance = distance;
  s.pattern = pattern;
  s.score = score;
  return s;
}
const std::vector<HeadStatistics> kFive{one(5, 2.0, 1.0, "mixed", 0.2), one(5, 0.5, 3.0, "self head", 0.6),
                                        one(0, 0.0, 0.0, "", 0.0), one(5, 1.0, 2.0, "self head", 0.9),
                                        one(5, 0.5, 0.5, "first-token head", 0.8)};

TEST(ArrangingHeads, SortsByWhatIsAskedFor) {
  using Order = std::vector<std::int64_t>;
  EXPECT_EQ(arrange_heads(kFive, "entropy", "").order, (Order{1, 4, 3, 0, 2})) << "equals stay in the model's order, none last";
  EXPECT_EQ(arrange_heads(kFive, "distance", "").order, (Order{4, 0, 3, 1, 2}));
  EXPECT_EQ(arrange_heads(kFive, "pattern", "").order, (Order{4, 0, 3, 1, 2})) << "by name, then the clearest first";
  EXPECT_EQ(arrange_heads(kFive, "entropy", "").marks[3], "1.00");
  const Arrangement model = arrange_heads(kFive, "model", "");
  EXPECT_FALSE(model.ordered);
  EXPECT_EQ(model.shown, 5);
}

TEST(ArrangingHeads, TheFilterLeavesOutOrDimsAndCounts) {
  const Arrangement gone = arrange_heads(kFive, "distance", "self head");
  EXPECT_EQ(gone.order, (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(gone.shown, 2);
  EXPECT_EQ(gone.total, 5);
  const Arrangement dim = arrange_heads(kFive, "model", "self head");
  EXPECT_FALSE(dim.ordered);
  EXPECT_EQ(dim.faint, (std::vector<std::uint8_t>{1, 0, 1, 0, 1}));
  EXPECT_EQ(dim.shown, 2);
  EXPECT_EQ(patterns_of(kFive).front(), (std::pair<std::string, std::int64_t>{"self head", 2}));
  EXPECT_EQ(patterns_of(kFive).size(), 3u);
}

}  // namespace
}  // namespace headlight::views::heads
