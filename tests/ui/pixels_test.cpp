// Pixels against analysis: the shader draws a matrix off screen, the pixels are read back and compared with the colour map
// computed here. Needs OpenGL 3.3; without a display the test starts Xvfb; if neither is there, it is skipped with the reason.
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "app/export/figure_text.h"
#include "app/figures/attention/layouts.h"
#include "app/figures/base/non_finite.h"
#include "app/figures/base/theme.h"
#include "app/gl/resources.h"
#include "app/window/screen/graphics.h"
#include "imgui.h"
#include "imgui_impl_glfw.h"
#include "imgui_impl_opengl3.h"

extern char** environ;

namespace headlight {
namespace {

// A virtual screen that exists during the test.
class Screen {
 public:
  Screen() {
    if (std::getenv("DISPLAY")) return;
    int ends[2];
    if (pipe(ends) != 0) return;
    const std::string number = std::to_string(ends[1]);
    const char* arguments[] = {"Xvfb",       "-displayfd", number.c_str(), "-screen",  "0",
                               "640x480x24", "-nolisten",  "tcp",          "-noreset", nullptr};
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", 1, 0);
    if (posix_spawnp(&server_, "Xvfb", &quiet, nullptr, const_cast<char**>(arguments), environ) != 0) server_ = -1;
    posix_spawn_file_actions_destroy(&quiet);
    close(ends[1]);
    std::string display = ":";
    char c = 0;
    while (server_ > 0 && read(ends[0], &c, 1) == 1 && c != '\n') display += c;
    close(ends[0]);
    if (c == '\n') setenv("DISPLAY", display.c_str(), 1);
  }
  ~Screen() {
    if (server_ <= 0) return;
    unsetenv("DISPLAY");
    kill(server_, SIGTERM);
    waitpid(server_, nullptr, 0);
  }

 private:
  pid_t server_ = -1;
};

class Pixels : public testing::Test {
 protected:
  void SetUp() override {
    auto made = window::Graphics::make({640, 480, false, false, false});
    if (!made.ok()) GTEST_SKIP() << made.error().sentence();
    graphics_ = std::move(made).value();
    ASSERT_TRUE(view_.reload_shaders().ok());
  }
  void TearDown() override { view_.release(); }

  // Draws one item, in a figure whose corner is at (0, 0), and keeps the picture.
  void draw(const figures::Item& item, float scale = 1) {
    figures::Figure figure;
    figure.width = 300;
    figure.height = 200;
    figure.items.push_back(item);
    draw_figure(figure, scale);
  }
  void draw_figure(const figures::Figure& figure, float scale = 1) {
    auto target = gl::Framebuffer::make(kWidth, kHeight);
    ASSERT_TRUE(target.ok());
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGui::GetIO().DisplaySize = {kWidth, kHeight};
    ImGui::GetIO().DisplayFramebufferScale = {1, 1};
    view_.begin_frame({}, theme_, scale, true);
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize({kWidth, kHeight});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::Begin("pixels", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground);
    view_.draw(figure, "figure");
    ImGui::End();
    ImGui::PopStyleVar(2);
    ImGui::Render();
    target->bind();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    pixels_ = target->read();
    view_.end_frame();
    gl::Framebuffer::unbind();
  }

  figures::Color pixel(double x, double y) const {
    const std::size_t at = 4 * (static_cast<std::size_t>(y) * kWidth + static_cast<std::size_t>(x));
    return {pixels_[at] / 255.0f, pixels_[at + 1] / 255.0f, pixels_[at + 2] / 255.0f, pixels_[at + 3] / 255.0f};
  }
  // On the GPU the map has 256 steps, and float rounding may select a neighbouring one; a channel is rounded to 1 of 255.
  void expect_color(figures::Color seen, const figures::Colormap& map, double t, const std::string& where) const {
    const double step = std::round(std::clamp(t, 0.0, 1.0) * 255);
    float closest = 9;
    for (const double k : {step - 1, step, step + 1}) {
      const figures::Color expected = map.at(static_cast<float>(std::clamp(k, 0.0, 255.0) / 255), theme_);
      closest = std::min(closest,
                         std::max({std::abs(seen.r - expected.r), std::abs(seen.g - expected.g), std::abs(seen.b - expected.b)}));
    }
    EXPECT_LE(closest, 1.0f / 255) << where << ": " << seen.r << ", " << seen.g << ", " << seen.b;
  }

  static constexpr int kWidth = 400, kHeight = 300;
  Screen screen_;
  const figures::Theme& theme_ = figures::themes().entries().front();
  std::unique_ptr<window::Graphics> graphics_;
  gl::FigureView view_;
  std::vector<std::uint8_t> pixels_;
};

figures::Cells cells_of(std::int64_t rows, std::int64_t columns, float size, std::uint64_t key) {
  figures::Cells cells;
  cells.rows = rows;
  cells.columns = columns;
  cells.values = Tensor(DType::f32, {rows, columns});
  for (std::int64_t i = 0; i < rows * columns; ++i)
    cells.values.data<float>()[i] = static_cast<float>(i) / static_cast<float>(rows * columns - 1);
  cells.box = {0, 0, size * static_cast<float>(columns), size * static_cast<float>(rows)};
  cells.key = key;
  return cells;
}

TEST_F(Pixels, CellCentresHaveTheColoursOfTheMap) {
  for (const auto& map : figures::colormaps().entries()) {
    figures::Cells cells = cells_of(5, 7, 24, 1);
    cells.colormap = map.id;
    if (map.is_signed) cells.low = -1;
    draw(cells);
    for (std::int64_t r = 0; r < 5; ++r)
      for (std::int64_t c = 0; c < 7; ++c) {
        const double value = cells.values.at({r, c});
        const double t = (value - cells.low) / (cells.high - cells.low);
        expect_color(pixel(24 * static_cast<double>(c) + 11, 24 * static_cast<double>(r) + 11), map, t,
                     map.id + ", row " + std::to_string(r) + ", column " + std::to_string(c));
      }
  }
}

TEST_F(Pixels, ValuesBeyondTheRangeTakeItsEnds) {
  figures::Cells cells = cells_of(1, 2, 40, 2);
  cells.values.data<float>()[0] = -5;
  cells.values.data<float>()[1] = 17;
  draw(cells);
  const figures::Colormap& map = *figures::colormaps().find("viridis");
  expect_color(pixel(20, 20), map, 0, "below");
  expect_color(pixel(60, 20), map, 1, "above");
}

TEST_F(Pixels, MaskedCellsAreHatchedAndNeverTheColourOfZero) {
  figures::Cells cells = cells_of(2, 2, 60, 3);
  cells.mask = Tensor::of<std::uint8_t>({1, 0, 1, 1}, {2, 2});
  draw(cells);
  const figures::Colormap& map = *figures::colormaps().find("viridis");
  expect_color(pixel(30, 30), map, 0, "the visible zero");
  const figures::Color zero = map.at(0, theme_);
  float darkest = 9, lightest = -9;
  for (int y = 4; y < 56; ++y)
    for (int x = 64; x < 116; ++x) {
      const figures::Color seen = pixel(x, y);
      const float light = seen.r + seen.g + seen.b;
      darkest = std::min(darkest, light);
      lightest = std::max(lightest, light);
      EXPECT_GT(std::abs(seen.r - zero.r) + std::abs(seen.g - zero.g) + std::abs(seen.b - zero.b), 0.1f) << x << ", " << y;
    }
  EXPECT_GT(lightest - darkest, 0.05f) << "the hatching has lines";
}

TEST_F(Pixels, AGapLetsTheBackgroundThrough) {
  figures::Cells cells = cells_of(2, 2, 40, 4);
  draw(cells);
  EXPECT_EQ(pixel(39, 20).a, 0) << "the last column of pixels of a cell is the gap";
  EXPECT_EQ(pixel(20, 39).a, 0);
  EXPECT_EQ(pixel(38, 20).a, 1);
}

TEST_F(Pixels, CellsSmallerThanAPixelShowTheLargestOrTheMean) {
  figures::Cells cells = cells_of(512, 512, 0.25f, 5);  // 128 x 128 pixels
  for (std::int64_t i = 0; i < 512 * 512; ++i) cells.values.data<float>()[i] = 0;
  // Pixel (10, 20) covers columns 40..43 and rows 80..83: one cell of 16 is 1.
  cells.values.data<float>()[81 * 512 + 42] = 1;
  draw(cells);
  const figures::Colormap& map = *figures::colormaps().find("viridis");
  expect_color(pixel(10, 20), map, 1, "the largest of the block");
  expect_color(pixel(60, 60), map, 0, "elsewhere");
  cells.reduction = figures::Reduction::mean;
  cells.key = 6;
  draw(cells);
  expect_color(pixel(10, 20), map, 1.0 / 16, "the mean of the block");
}

TEST_F(Pixels, CellsWithoutANumberAreSeenAtEverySize) {
  using figures::NonFinite;
  const auto same = [](figures::Color a, figures::Color b) {
    return std::abs(a.r - b.r) + std::abs(a.g - b.g) + std::abs(a.b - b.b) < 0.02f;
  };
  int key = 40;
  for (const auto kind : {NonFinite::nan, NonFinite::plus, NonFinite::minus})
    for (const bool masked : {false, true})
      for (const auto reduction : {figures::Reduction::max, figures::Reduction::mean}) {
        figures::Cells large = cells_of(2, 2, 60, ++key);
        large.values.data<float>()[1] = figures::value_of(kind);
        figures::Cells small = cells_of(512, 512, 0.25f, ++key);  // 128 x 128 pixels of 4 x 4 cells
        for (std::int64_t i = 0; i < 512 * 512; ++i) small.values.data<float>()[i] = 1;
        small.values.data<float>()[81 * 512 + 42] = figures::value_of(kind);
        figures::Cells between = cells_of(96, 96, 0.7f, ++key);  // no whole block of cells: the shader combines them
        for (std::int64_t i = 0; i < 96 * 96; ++i) between.values.data<float>()[i] = 1;
        for (std::int64_t c = 0; c < 96; ++c) between.values.data<float>()[10 * 96 + c] = figures::value_of(kind);
        for (figures::Cells* cells : {&large, &small, &between}) {
          cells->reduction = reduction;
          if (!masked) continue;
          cells->mask = Tensor(DType::u8, cells->values.shape());
          std::fill_n(cells->mask.data<std::uint8_t>(), cells->mask.count(), std::uint8_t{1});
          cells->mask.data<std::uint8_t>()[0] = 0;
        }
        const figures::Color own = figures::color_of(kind);
        draw(large);
        EXPECT_TRUE(same(pixel(90, 30), own));
        EXPECT_FALSE(same(pixel(90, 90), own));
        draw(small);
        EXPECT_TRUE(same(pixel(10, 20), own)) << "one cell of sixteen in a pixel";
        EXPECT_FALSE(same(pixel(60, 60), own));
        draw(between);
        EXPECT_TRUE(same(pixel(30, 7), own)) << "row 10 from pixel 7.0 to 7.7";
        EXPECT_FALSE(same(pixel(30, 12), own));
      }
}

TEST_F(Pixels, ANewKeyIsANewTextureAndAnOldOneIsKept) {
  figures::Cells cells = cells_of(4, 4, 20, 7);
  draw(cells);
  const auto uploads = view_.statistics().uploads;
  draw(cells);
  EXPECT_EQ(view_.statistics().uploads, uploads) << "the same key is not uploaded again";
  cells.key = 8;
  draw(cells);
  EXPECT_GT(view_.statistics().uploads, uploads);
}

TEST_F(Pixels, APolygonIsFilledWhereItBendsInwardsToo) {
  // An L in both directions: ImGui antialiases clockwise shapes only.
  std::vector<figures::Point> points{{10, 10}, {50, 10}, {50, 60}, {110, 60}, {110, 100}, {10, 100}};
  for (const bool reversed : {false, true}) {
    if (reversed) std::reverse(points.begin(), points.end());
    figures::Polygon polygon;
    polygon.points = points;
    polygon.fill = figures::rgb(0x336699);
    draw(polygon);
    for (int y = 2; y < 108; y += 3)
      for (int x = 2; x < 118; x += 3) {
        const bool inside = contains(polygon, {static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f});
        // A pixel beside the outline is half covered.
        const auto near = [](int v, int edge) { return v >= edge - 1 && v <= edge; };
        if (near(x, 10) || near(x, 50) || near(x, 110) || near(y, 10) || near(y, 60) || near(y, 100)) continue;
        ASSERT_NEAR(pixel(x, y).a, inside ? 1 : 0, 0.01) << x << ", " << y << (reversed ? " reversed" : "");
      }
  }
}

TEST_F(Pixels, AWindowIntoALargeMatrixShowsItsCellsFromTheSameTexture) {
  figures::Cells cells = cells_of(40, 30, 1, 21);
  cells.rows = 5;
  cells.columns = 7;
  cells.from_row = 11;
  cells.from_column = 17;
  cells.box = {0, 0, 7 * 20, 5 * 20};
  draw(cells);
  const figures::Colormap& map = *figures::colormaps().find("viridis");
  const auto uploads = view_.statistics().uploads;
  for (std::int64_t r = 0; r < 5; ++r)
    for (std::int64_t c = 0; c < 7; ++c)
      expect_color(pixel(20 * static_cast<double>(c) + 9, 20 * static_cast<double>(r) + 9), map,
                   cells.values.at({11 + r, 17 + c}), std::to_string(r) + ", " + std::to_string(c));
  cells.from_row = 30;
  cells.from_column = 2;
  draw(cells);
  EXPECT_EQ(view_.statistics().uploads, uploads) << "panning moves no numbers";
  expect_color(pixel(9, 9), map, cells.values.at({30, 2}), "after panning");
}

TEST_F(Pixels, ADotsInkFillsItsRadiusAndNoMore) {
  figures::DotsInput input;
  figures::HeadMatrix head;
  head.hue = 1;
  head.values = head.shares = Tensor::of<float>({1, 0.25f, 0.5f, 0}, {2, 2});
  input.heads = {head};
  input.mask = Tensor::of<std::uint8_t>({1, 1, 1, 0}, {2, 2});
  input.row_labels = input.column_labels = {"a", "b"};
  input.legend = false;
  input.key = 31;
  figures::Figure figure = figures::dots(input, 300, 260, theme_, figures::FigureText());
  figure.background = theme_.background;
  draw_figure(figure);
  const figures::Cells* ground = nullptr;
  for (const auto& item : figure.items)
    if (const auto* c = std::get_if<figures::Cells>(&item); c && c->tag.kind == figures::Tag::cell_area) ground = c;
  ASSERT_NE(ground, nullptr);
  const double wide = static_cast<double>(ground->box.w) / 2, high = static_cast<double>(ground->box.h) / 2;
  const double side = std::min(wide, high), full = 0.92 * side / 2;
  const auto apart = [](figures::Color a, figures::Color b) {
    return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)});
  };
  for (const auto& [r, c, share] : {std::tuple(0, 0, 1.0), std::tuple(0, 1, 0.25), std::tuple(1, 0, 0.5)}) {
    const double x = static_cast<double>(ground->box.x) + (c + 0.5) * wide,
                 y = static_cast<double>(ground->box.y) + (r + 0.5) * high;
    const double radius = full * std::sqrt(share);
    const std::string where = std::to_string(r) + ", " + std::to_string(c);
    EXPECT_LT(apart(pixel(x, y), theme_.hues[1]), 0.01f) << where << ": the centre";
    for (const double angle : {0.3, 1.9, 3.6, 5.1}) {
      EXPECT_LT(apart(pixel(x + (radius - 2) * std::cos(angle), y + (radius - 2) * std::sin(angle)), theme_.hues[1]), 0.05f)
          << where << ": inside its radius";
      if (share < 1) {
        EXPECT_LT(apart(pixel(x + (radius + 2) * std::cos(angle), y + (radius + 2) * std::sin(angle)), theme_.background), 0.05f)
            << where << ": beyond it is the ground";
      }
    }
  }
  // The masked cell shows hatching: neither ink nor the background of a zero.
  float darkest = 9, lightest = -9;
  for (double y = 4; y < side - 4; ++y)
    for (double x = 4; x < side - 4; ++x) {
      const figures::Color seen =
          pixel(static_cast<double>(ground->box.x) + wide + x, static_cast<double>(ground->box.y) + high + y);
      darkest = std::min(darkest, seen.r + seen.g + seen.b);
      lightest = std::max(lightest, seen.r + seen.g + seen.b);
    }
  EXPECT_GT(lightest - darkest, 0.05f) << "the hatching has lines";
}

TEST_F(Pixels, AnArcRunsFromItsQueryToItsKeyInItsHue) {
  figures::ArcsInput input;
  figures::HeadMatrix head;
  head.hue = 2;
  head.values = head.shares = Tensor::of<float>({0, 0, 1, 0, 0, 0, 0, 0, 0}, {3, 3});
  figures::ArcSet set = figures::choose_arcs(head, {}, 1, 100);
  ASSERT_EQ(set.arcs.size(), 1u);
  input.heads = {{head, set}};
  input.row_labels = input.column_labels = {"a", "b", "c"};
  input.legend = false;
  figures::Figure figure = figures::arcs(input, 380, 280, theme_, figures::FigureText());
  figure.background = theme_.background;
  draw_figure(figure);
  const figures::Curve* curve = nullptr;
  for (const auto& item : figure.items)
    if (const auto* c = std::get_if<figures::Curve>(&item)) curve = c;
  ASSERT_NE(curve, nullptr);
  const figures::Color ink = theme_.hues[2];
  // The curve's own points, and the background beside them.
  for (const double t : {0.1, 0.3, 0.5, 0.7, 0.9}) {
    const double s = 1 - t, a = s * s * s, b = 3 * s * s * t, d = 3 * s * t * t, e = t * t * t;
    const double x = a * static_cast<double>(curve->from.x) + b * static_cast<double>(curve->control1.x) +
                     d * static_cast<double>(curve->control2.x) + e * static_cast<double>(curve->to.x);
    const double y = a * static_cast<double>(curve->from.y) + b * static_cast<double>(curve->control1.y) +
                     d * static_cast<double>(curve->control2.y) + e * static_cast<double>(curve->to.y);
    const figures::Color on = pixel(x, y), off = pixel(x + 14, y - 14);
    EXPECT_NEAR(on.g, ink.g, 0.06f) << t;
    EXPECT_NEAR(on.r, ink.r, 0.06f) << t;
    EXPECT_NEAR(off.g, theme_.background.g, 0.02f) << t;
  }
}

}  // namespace
}  // namespace headlight
