// The tab Positions under the mouse, frame by frame on a null renderer.
#include <gtest/gtest.h>

#include <set>

#include <algorithm>
#include <cmath>

#include "app/panels/positions/positions_data.h"
#include "app/views/base/attention_bar.h"
#include "engine/core/json.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::NullWindow;
using window::Shell;

Document small() { return test::small_document("words"); }

struct ViewsRoom : test::Room {
  explicit ViewsRoom(const std::string& tab, Document document = small(), ViewState view = {}, float width = 1600,
                     float height = 1000)
      : test::Room(std::move(document), on(tab, std::move(view)), width, height) {}
  static ViewState on(const std::string& tab, ViewState view) {
    view.tab = tab;
    return view;
  }
};

TEST(PositionsPanel, AClickOnAColumnAddsItsCurveAndAnotherTakesItAway) {
  ViewsRoom room("positions");
  for (const char* name : {"positions:heatmap", "positions:curves", "positions:distance", "positions:order", "positions:count"})
    EXPECT_TRUE(room.has(name)) << name;
  const auto at = room.search("positions:heatmap", [&] {
    const auto& value = room.shell->hover.now.value;
    return value.step == "position" && value.index.size() == 2 && value.index[1] == 5;
  });
  ASSERT_GE(at.x, 0) << "no cell of dimension 5";
  EXPECT_EQ(room.shell->hover.now.row, room.shell->hover.now.value.index[0]);
  EXPECT_TRUE(room.shell->view().positions.dimensions.empty()) << "hovering chooses nothing";
  room.click(at.x, at.y);
  const auto dims = room.shell->view().positions.dimensions;
  EXPECT_EQ(std::count(dims.begin(), dims.end(), 5), 1);
  EXPECT_GT(dims.size(), 1u) << "the curves that were there stay";
  room.click(at.x, at.y);
  const auto after = room.shell->view().positions.dimensions;
  EXPECT_EQ(std::count(after.begin(), after.end(), 5), 0);
}

TEST(PositionsPanel, TheTableIsTheTracesAndItsProductsDependOnDistance) {
  ViewsRoom room("positions");
  gl::FigureView figures;
  gl::Fonts fonts;
  const auto context = room.shell->context({fonts, figures, 1, false, 1.0});
  const auto table = views::position_table(context);
  ASSERT_TRUE(table);
  ASSERT_EQ(table->values.shape(), (Shape{64, 16}));
  const auto step = room.shell->published().trace->values("position");
  ASSERT_TRUE(step.ok());
  for (std::int64_t i = 0; i < step->dim(0); ++i)
    for (std::int64_t c = 0; c < 16; ++c) EXPECT_NEAR(table->values.at({i, c}), step->at({i, c}), 1e-6);
  const auto products = views::position_products(context);
  ASSERT_TRUE(products);
  for (std::size_t apart = 0; apart < 64; ++apart) {
    double expected = 0;  // the sum over the eight pairs of dimensions of cos(w * distance)
    for (int i = 0; i < 8; ++i) expected += std::cos(static_cast<double>(apart) * std::pow(10000.0, -2.0 * i / 16));
    EXPECT_NEAR(products->mean[apart], expected, 1e-4);
    EXPECT_NEAR(products->least[apart], products->most[apart], 1e-4);
  }
  EXPECT_NEAR(products->values.at({3, 10}), products->mean[7], 1e-4);
  EXPECT_NEAR(views::wavelength(0, 16), 2 * 3.14159265, 1e-6);
  EXPECT_NEAR(views::wavelength(9, 16), 2 * 3.14159265 * 100, 1e-4);
}

TEST(PositionsPanel, ManBitesDogWithAndWithoutPositions) {
  ViewsRoom room("positions");
  const Document before = room.shell->document();
  room.click_part("positions:order", 0.2f);
  EXPECT_EQ(room.shell->document().texts, (std::vector<std::string>{"man bites dog", "dog bites man"}));
  room.settle();
  gl::FigureView figures;
  gl::Fonts fonts;
  const auto context = room.shell->context({fonts, figures, 1, false, 1.0});
  const auto effects = views::order_effects(context, nullptr);
  ASSERT_TRUE(effects);
  EXPECT_LT(effects->without.largest, 1e-4);
  EXPECT_GT(effects->with.largest, 0.1);
  const auto table = views::order_table(*effects);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0][2].text, "0");
  EXPECT_NE(table.rows[0][3].text, "0");
  room.shell->undo();
  EXPECT_EQ(room.shell->document(), before);
}

TEST(PositionsPanel, EveryCodeAndViewIsDrawn) {
  for (const char* code : {"none", "sinusoidal", "learned"})
    for (const char* view : {"heatmap", "curves", "distance", "no such view"})
      for (const auto& [width, height] : {std::pair{1600.0f, 1000.0f}, {1280.0f, 720.0f}, {640.0f, 400.0f}}) {
        Document document = small();
        document.position = code;
        ViewState state;
        state.positions.picture = view;
        state.positions.dimensions = {3, 900};  // there is no dimension 900
        state.positions.count = 9999;
        ViewsRoom room("positions", document, state, width, height);
        if (width > 1000) {  // in a smaller window one would have to scroll, and what is out of sight is not drawn
          EXPECT_EQ(room.has("positions:heatmap"), std::string(code) != "none");
          EXPECT_TRUE(room.has("positions:order"));
        }
        EXPECT_EQ(room.window.errors(), 0);
        room.move(width * 0.2f, height * 0.6f);
        room.move(width * 0.6f, height * 0.6f);
      }
}

}  // namespace
}  // namespace headlight
