// The pages of the Values view that show a head's value map: the two matrices and their product under the mouse, the singular
// values, and that all heads add up.
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <string>

#include "app/figures/values/value_map_figures.h"
#include "app/gl/figure_view.h"
#include "app/panels/values/combiner_page.h"
#include "app/panels/values/value_map_page.h"
#include "engine/insight/value_map.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;

ViewState page(const char* name) {
  ViewState view;
  view.tab = "values";
  view.values.page = name;
  view.layer = 1;
  view.head = 2;
  return view;
}

figures::Figure drawn(Room& room, bool sum) {
  const panels::Context context = room.shell->context(room.window.as_frame());
  const auto choice = panels::choose_attention(context);
  return sum ? panels::value_sum_figure(context, choice, 900) : panels::value_map_figure(context, choice, 900);
}

const figures::Data& data_of(const figures::Figure& figure, const std::string& name) {
  for (const figures::Data& data : figure.data)
    if (data.name == name) return data;
  throw std::runtime_error("no data " + name);
}

TEST(ValueMapPage, AButtonOpensEachAndTheInspectorMakesRoom) {
  Room room(test::small_document("words"), page("sum"));
  room.settle();
  EXPECT_TRUE(room.has("inspector"));
  room.click_part("values:pages", 0.48f);
  room.settle();
  EXPECT_EQ(room.shell->view().values.page, "map");
  EXPECT_TRUE(room.has("values:map"));
  EXPECT_FALSE(room.has("inspector"));
  room.click_part("values:pages", 0.65f);
  room.settle();
  EXPECT_EQ(room.shell->view().values.page, "heads");
  EXPECT_TRUE(room.has("values:map-sum"));
  EXPECT_FALSE(room.has("values:map"));
  room.click_part("values:pages", 0.9f);
  room.settle();
  EXPECT_EQ(room.shell->view().values.page, "combiners");
  EXPECT_TRUE(room.has("values:combiners"));
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(CombinerPage, PutsBothWaysSideBySideWhateverTheModelsHeadsAre) {
  for (const bool stacked : {false, true}) {
    Document document = test::small_document("words");
    if (stacked) document.combiner = "stack2d";
    Room room(document, page("combiners"));
    room.settle();
    const panels::Context context = room.shell->context(room.window.as_frame());
    const auto choice = panels::choose_attention(context);
    const figures::Figure figure = panels::combiners_figure(context, choice, 900);
    const Tensor stack = data_of(figure, "stack2d").values, concat = data_of(figure, "concat").values;
    EXPECT_EQ(stack.shape(), (Shape{choice.site->queries, document.d_model}));
    EXPECT_EQ(concat.shape(), stack.shape());
    for (const float value : stack.values<float>()) EXPECT_LE(std::abs(value), 1.0f);
    if (stacked) {
      const Tensor own = context.trace->values(choice.prefix() + "attention_output").value();
      EXPECT_NEAR(stack.at({1, 3}), own.at({0, 1, 3}), 1e-5);
    }
    EXPECT_EQ(room.window.errors(), 0);
  }
}

TEST(ValueMapPage, ShowsTheChosenHeadsMatricesAndTheirProduct) {
  Room room(test::small_document("words"), page("map"));
  room.settle();
  const auto trace = room.shell->context(room.window.as_frame()).trace;
  const auto map = value_map(*trace, trace->sites()[1], 2);
  ASSERT_TRUE(map.ok());
  const figures::Figure figure = drawn(room, false);
  EXPECT_EQ(data_of(figure, "value map").values.at({3, 5}), static_cast<float>(map->map.at({3, 5})));
  EXPECT_EQ(data_of(figure, "value down").values.shape(), (Shape{16, 4}));
  EXPECT_EQ(data_of(figure, "singular values").values.count(), 4);
  // Another head by its button.
  room.shell->view().head = 0;
  room.settle();
  EXPECT_NE(data_of(drawn(room, false), "value map").values.at({3, 5}), static_cast<float>(map->map.at({3, 5})));
}

TEST(ValueMapPage, ACellOfAThinMatrixIsANumberOfTheModelsOwn) {
  Room room(test::small_document("words"), page("map"));
  room.settle();
  const auto trace = room.shell->context(room.window.as_frame()).trace;
  const auto map = value_map(*trace, trace->sites()[1], 2);
  ASSERT_TRUE(map.ok());
  const auto at = room.search("values:map", [&] { return room.shell->hover.now.value.step == map->down_name; });
  ASSERT_GE(at.x, 0) << "no cell of V_down";
  const auto& index = room.shell->hover.now.value.index;
  ASSERT_EQ(index.size(), 2U);
  EXPECT_GE(index[1], 8) << "head 2's columns of W_V are 8 to 11";
  EXPECT_LT(index[1], 12);
  EXPECT_GE(room.search("values:map", [&] { return room.shell->hover.now.value.step == map->up_name; }).x, 0);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(ValueMapPage, PlacesAreCellsOfTheMatrixUnderThePoint) {
  figures::ValueMapInput input;
  input.d_in = input.d_out = 16;
  input.d_v = 4;
  bool down = false, up = false, map = false;
  for (float x = 1; x < 900; x += 7)
    for (float y = 1; y < 420; y += 7) {
      const auto place = figures::value_map_place(input, 900, 420, {x, y});
      down |= place.matrix == figures::ValueMapPlace::down && place.row == 15 && place.column == 3;
      up |= place.matrix == figures::ValueMapPlace::up && place.row == 3 && place.column == 15;
      map |= place.matrix == figures::ValueMapPlace::map && place.row == 15 && place.column == 15;
      const std::int64_t value = figures::singular_value_at(input, 900, 420, {x, y});
      EXPECT_TRUE(value == -1 || place.matrix == figures::ValueMapPlace::nothing) << "the plot overlaps a matrix";
    }
  EXPECT_TRUE(down && up && map);
}

TEST(ValueMapPage, AllHeadsAddUpAndARowPointsAtTheModelsOwnNumber) {
  Room room(test::small_document("words"), page("heads"));
  room.settle();
  const figures::Figure figure = drawn(room, true);
  const Tensor &a = data_of(figure, "sum over heads").values, &b = data_of(figure, "concat").values;
  EXPECT_EQ(a.shape(), (Shape{4, 16}));
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t c = 0; c < 16; ++c) EXPECT_NEAR(a.at({i, c}), b.at({i, c}), 1e-5);
  const auto at = room.search("values:map-sum", [&] {
    return room.shell->hover.now.value.step == "layer.1.attention_output" && room.shell->hover.now.value.index[1] == 2;
  });
  EXPECT_GE(at.x, 0) << "no cell of row 2";
}

TEST(ValueMapPage, AnAttentionWithoutMatricesSaysSo) {
  Document bare = test::small_document("words");
  bare.projected = false;
  bare.heads = 1;
  for (const char* name : {"map", "heads"}) {
    Room room(bare, page(name));
    room.settle();
    EXPECT_FALSE(room.has("values:map") || room.has("values:map-sum"));
    EXPECT_TRUE(drawn(room, false).items.empty());
    EXPECT_EQ(room.window.errors(), 0);
  }
}

}  // namespace
}  // namespace headlight
