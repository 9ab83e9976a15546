// The polygon: inside and outside, and the same shape in every kind of file.
#include <cairo.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>

#include "app/export/figure_file.h"
#include "tests/figures/figure_items.h"
#include "tests/support/process_folder.h"

namespace headlight::figures {
namespace {

// An L: 100 wide, 90 high, its upper right 60 x 50 missing.
Polygon letter() {
  Polygon l;
  l.points = {{10, 10}, {50, 10}, {50, 60}, {110, 60}, {110, 100}, {10, 100}};
  l.fill = rgb(0x336699);
  return l;
}
Figure figure_of(Polygon polygon) {
  Figure figure;
  figure.width = 120;
  figure.height = 110;
  figure.background = rgb(0);
  figure.add(std::move(polygon));
  return figure;
}

TEST(Polygon, KnowsWhatLiesInside) {
  const Polygon l = letter();
  for (const Point p : {Point{11, 11}, Point{30, 80}, Point{109, 61}, Point{49, 59}}) EXPECT_TRUE(contains(l, p)) << p.x;
  for (const Point p : {Point{9, 50}, Point{51, 59}, Point{90, 30}, Point{60, 101}, Point{111, 80}})
    EXPECT_FALSE(contains(l, p)) << p.x << ", " << p.y;
  EXPECT_FALSE(contains(Polygon{}, {0, 0}));
}

TEST(Polygon, IsFilledToItsOutlineInAPng) {
  const std::string file = (test::process_folder() / "polygon.png").string();
  FileOptions options;
  options.dpi = 96;
  ASSERT_TRUE(save_figure(file, figure_of(letter()), dark(), options).ok());
  const std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> png(cairo_image_surface_create_from_png(file.c_str()),
                                                                         cairo_surface_destroy);
  const auto at = [&](int x, int y) {
    return reinterpret_cast<const std::uint32_t*>(cairo_image_surface_get_data(png.get()) +
                                                  static_cast<std::ptrdiff_t>(y) * cairo_image_surface_get_stride(png.get()))[x] &
           0xffffff;
  };
  for (int y = 0; y < 110; ++y)
    for (int x = 0; x < 120; ++x) {
      const bool inside = x >= 10 && y >= 10 && y < 100 && (x < 50 || (y >= 60 && x < 110));
      ASSERT_EQ(at(x, y), inside ? 0x336699u : 0u) << x << ", " << y;
    }
}

TEST(Polygon, IsAPolygonInSvgAndIsLeftOutWhereThereIsNothingToDraw) {
  Polygon l = letter();
  l.stroke = rgb(0xff0000, 0.5f);
  l.line = 2;
  const std::string svg = encode_figure(figure_of(l), FileKind::svg, dark(), {}).value();
  EXPECT_NE(svg.find("<polygon points=\"10,10 50,10 50,60 110,60 110,100 10,100\" fill=\"#336699\" stroke=\"#ff0000\" "
                     "stroke-opacity=\"0.5\" stroke-width=\"2\"/>"),
            std::string::npos)
      << svg;
  l.fill.a = 0;
  EXPECT_NE(encode_figure(figure_of(l), FileKind::svg, dark(), {}).value().find("fill=\"none\" stroke=\"#ff0000\""),
            std::string::npos);
  l.line = 0;
  EXPECT_EQ(encode_figure(figure_of(l), FileKind::svg, dark(), {}).value().find("<polygon"), std::string::npos);
  EXPECT_EQ(
      encode_figure(figure_of(Polygon{{{0, 0}, {1, 1}}, rgb(0xffffff)}), FileKind::svg, dark(), {}).value().find("<polygon"),
      std::string::npos);
  EXPECT_TRUE(encode_figure(figure_of(letter()), FileKind::pdf, dark(), {}).ok());
}

}  // namespace
}  // namespace headlight::figures
