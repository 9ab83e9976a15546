// The Positions view of every kind of positions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/views/positions/data.h"
#include "engine/pipeline/run_anywhere.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;

Document with_positions(const char* id) {
  Document document = test::small_document("words");
  document.position = id;
  return document;
}
ViewState in(const char* tab) {
  ViewState view;
  view.tab = tab;
  return view;
}

TEST(PositionsView, TheTurnedPairIsTheTracesOwn) {
  ViewState view = in("positions");
  view.pinned_row = 2;
  view.pinned_column = 1;
  view.layer = view.head = 1;
  view.own.of<views::placed::State>().dimensions = {2};
  Room room(with_positions("rotary"), view);
  room.settle();
  EXPECT_TRUE(room.has("positions:turning"));
  const views::Context context = room.shell->context(room.window.as_frame());
  const figures::Figure figure = views::placed::turned_figure(context, 900, 520);
  ASSERT_EQ(figure.data.size(), 2u);
  for (const auto& [data, role, at] : {std::tuple{0, Role::q_scored, 2}, std::tuple{1, Role::k_scored, 1}}) {
    const Tensor turned = *context.trace->values(context.trace->name_at("layer.1.", role));
    for (const std::int64_t c : {0, 1})
      EXPECT_NEAR(figure.data[static_cast<std::size_t>(data)].values.at({at, c}), turned.at({0, 1, at, 2 + c}), 1e-5)
          << data << " " << c;
  }
}

TEST(PositionsView, AllPairsTogetherAreTheScore) {
  // Two pairs by hand: turned by 3 at the query and by 1 at the key they differ by 2 turns each.
  const double fast = 1, slow = 0.01;
  const auto a = figures::turned({1, 2}, 3 * fast), b = figures::turned({0.5, -1}, 1 * fast);
  EXPECT_NEAR(a[0] * b[0] + a[1] * b[1], std::cos(2.0) * (0.5 - 2) + std::sin(2.0) * (1 * -1 - 2 * 0.5), 1e-12);
  const auto c = figures::turned({1, 0}, 5 * slow);
  EXPECT_NEAR(std::hypot(c[0], c[1]), 1, 1e-12);
  EXPECT_NEAR(std::atan2(c[1], c[0]), 0.05, 1e-12);
}

TEST(PositionsView, TheBiasIsTheTracesOwn) {
  Room room(with_positions("alibi"), in("positions"));
  room.settle();
  EXPECT_TRUE(room.has("positions:heatmap"));
  EXPECT_TRUE(room.has("positions:curves"));
  EXPECT_FALSE(room.has("positions:turning"));
  const views::Context context = room.shell->context(room.window.as_frame());
  const Tensor bias = *context.trace->values(context.trace->name_at("layer.0.", Role::position_bias));
  const figures::HeatmapInput input = views::placed::bias_input(context);
  ASSERT_GE(bias.dim(2), 3);
  for (std::int64_t i = 0; i < bias.dim(2); ++i)
    for (std::int64_t j = 0; j < bias.dim(3); ++j) EXPECT_NEAR(input.values.at({i, j}), bias.at({0, 0, i, j}), 1e-6);
  EXPECT_LT(input.values.at({2, 0}), 0);
}

// The maps are the trace's own weights and those of the document without positions, and their difference.
TEST(PositionsView, ThePatternIsComparedWithOneWithoutPositions) {
  ViewState view = in("positions");
  view.own.of<views::placed::State>().picture = "effect";
  view.layer = view.head = 1;
  for (const char* id : {"sinusoidal", "binary", "alibi"}) {
    Room room(with_positions(id), view);
    room.settle();
    EXPECT_TRUE(room.has("positions:effect")) << id;
    const views::Context context = room.shell->context(room.window.as_frame());
    const figures::Figure figure = views::placed::effect_figure(context, 900, 620, true);
    ASSERT_EQ(figure.data.size(), 3u) << id;
    Document plain = room.shell->document();
    plain.position = "none";
    const auto without = run_anywhere(plain, {});
    ASSERT_TRUE(without.ok());
    const std::string name = context.trace->name_at("layer.1.", Role::weights);
    const Tensor a = *context.trace->values(name), b = *(*without)->values(name);
    double largest = 0;
    for (std::int64_t i = 0; i < a.dim(2); ++i)
      for (std::int64_t j = 0; j < a.dim(3); ++j) {
        EXPECT_NEAR(figure.data[0].values.at({i, j}), b.at({0, 1, i, j}), 1e-6);
        EXPECT_NEAR(figure.data[1].values.at({i, j}), a.at({0, 1, i, j}), 1e-6);
        EXPECT_NEAR(figure.data[2].values.at({i, j}), a.at({0, 1, i, j}) - b.at({0, 1, i, j}), 1e-6);
        largest = std::max(largest, std::abs(figure.data[2].values.at({i, j})));
      }
    EXPECT_GT(largest, 1e-3) << id;
    EXPECT_EQ(room.window.errors(), 0) << id;
  }
}

TEST(PositionsView, RelativePositionsShowTheTracesOwnTables) {
  Document document = with_positions("relative");
  document.relative_clip = 2;
  Room room(document, in("positions"));
  room.settle();
  for (const char* part : {"positions:distances", "positions:rows", "positions:scores"}) EXPECT_TRUE(room.has(part)) << part;
  const views::Context context = room.shell->context(room.window.as_frame());
  const figures::HeatmapInput distances = views::placed::distances_input(context);
  const std::int64_t n = distances.values.dim(0);
  ASSERT_GE(n, 4);
  EXPECT_EQ(distances.values.at({0, 3}), 2);
  EXPECT_EQ(distances.values.at({3, 0}), -2);
  EXPECT_EQ(distances.values.at({2, 3}), 1);
  const auto keys = views::placed::distance_rows_input(context, false),
             values = views::placed::distance_rows_input(context, true);
  ASSERT_TRUE(keys && values);
  EXPECT_EQ(keys->row_labels, (std::vector<std::string>{"-2", "-1", "0", "+1", "+2"}));
  const Tensor table = *context.trace->values("parameters.layer.0.a_v");
  EXPECT_NEAR(values->values.at({4, 1}), table.at({4, 1}), 1e-6);
  const auto added = views::placed::distance_scores_input(context);
  ASSERT_TRUE(added);
  EXPECT_NEAR(added->values.at({1, 0}), context.trace->values("layer.0.position_bias")->at({0, 0, 1, 0}), 1e-6);
  // The clip is part of the document: a step is an edit that can be taken back.
  room.click_part("positions:clip", 0.95f);
  room.settle();
  EXPECT_EQ(room.shell->document().relative_clip, 3);
}

TEST(PositionsView, EachKindHasItsPicturesAndF7GoesThroughThem) {
  for (const auto& [id, pictures] : {std::pair{"rotary", 5u}, std::pair{"rotary-split", 5u}, std::pair{"sinusoidal", 4u},
                                     std::pair{"binary", 4u}, std::pair{"alibi", 3u}, std::pair{"relative", 4u}}) {
    Room room(with_positions(id), in("positions"));
    room.settle();
    EXPECT_EQ(views::placed::position_pictures(room.shell->document()).size(), pictures) << id;
    std::vector<std::string> seen;
    for (std::size_t i = 0; i < pictures; ++i) {
      room.window.key(*room.shell, ImGuiKey_F7);
      room.settle();
      const views::Context context = room.shell->context(room.window.as_frame());
      seen.push_back(views::placed::large_picture(context));
      EXPECT_EQ(seen.back(), room.shell->view().own.of<views::placed::State>().picture)
          << id << ": the picture that was chosen is there";
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end()) << id;
    EXPECT_EQ(room.window.errors(), 0) << id;
  }
}

}  // namespace
}  // namespace headlight
