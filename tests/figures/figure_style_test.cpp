// Figures for papers: what is typed is read or refused, parts are left out, sizes are exact, colours have the chosen ends.
#include "app/files/figure_style.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "app/export/arrange.h"
#include "app/export/array_figure.h"
#include "app/export/attention_figure.h"
#include "app/export/figure_file.h"
#include "app/export/figure_text.h"
#include "app/figures/base/shown_parts.h"
#include "tests/figures/samples.h"

namespace headlight::figures {
namespace {

const Theme& light() { return *themes().find("light"); }

FigureStyle style_of(const FigureChoices& choices) { return read_style(choices).value(); }

HeatmapInput style_sample() {
  HeatmapInput input = samples::attention(samples::eight_tokens(), true);
  input.title = "layer 0, head 0 · weights";
  input.note = "random weights, seed 0";
  return input;
}

MakeFigure maker() {
  return [](const MakeInput& in) {
    AttentionView view;
    view.heads = {0};
    view.width = in.width;
    view.height = in.height;
    view.choices = in.matrix;
    return matrix_figure({style_sample()}, {}, view, in.theme, in.measure);
  };
}

Figure made(const FigureChoices& choices, int dpi = 96) {
  return arranged(maker(), style_of(choices), {900, 820, dpi}, light()).value();
}

std::vector<std::string> words_of(const Figure& figure) {
  std::vector<std::string> all;
  for (const Item& item : figure.items)
    if (const auto* text = std::get_if<Text>(&item)) all.push_back(text->text);
  return all;
}
bool style_says(const Figure& figure, const std::string& words) {
  for (const std::string& one : words_of(figure))
    if (one == words) return true;
  return false;
}
const Cells& style_cells_of(const Figure& figure) {
  for (const Item& item : figure.items)
    if (const auto* cells = std::get_if<Cells>(&item); cells && cells->tag.kind == Tag::cell_area) return *cells;
  static const Cells none;
  return none;
}

TEST(FigureStyle, LengthsAreReadInEveryUnit) {
  EXPECT_NEAR(read_length("84mm", "--width")->points(), 84 / 25.4 * 96, 1e-9);
  EXPECT_NEAR(read_length(" 238.5 pt", "--width")->points(), 318, 1e-9);
  EXPECT_NEAR(read_length("3.5in", "--width")->points(), 336, 1e-9);
  EXPECT_NEAR(read_length("600px", "--width")->points(), 600, 1e-9);
  EXPECT_NEAR(read_length("600px", "--width")->points(192), 300, 1e-9);
  EXPECT_FALSE(read_length("600", "--width")->exact());
  for (const char* wrong : {"", "mm", "84 cm", "-3mm", "1mm", "3m", "100", "9000", "nan", "infmm", "1e9mm", "84mmm", "0x20"})
    EXPECT_EQ(read_length(wrong, "--width").error().kind, ErrorKind::usage) << wrong;
}

TEST(FigureStyle, TokensAndLimitsAreReadOrRefused) {
  EXPECT_EQ(*read_numbers("0,2-5,3", "--tokens"), (std::vector<std::int64_t>{0, 2, 3, 4, 5}));
  EXPECT_EQ(read_numbers("0-99999", "--tokens")->size(), 100000u);
  for (const char* wrong : {"", "a", "3-1", "-1", "1,", "1-", "0-9999999999", "1.5"})
    EXPECT_FALSE(read_numbers(wrong, "--tokens").ok()) << wrong;
  FigureChoices c;
  c.tokens = "0-1/2";
  EXPECT_EQ(style_of(c).columns, (std::vector<std::int64_t>{2}));
  c.limits = "-3,3.5";
  c.centre = "1";
  EXPECT_EQ(*style_of(c).high, 3.5);
  c.centre = "4";
  EXPECT_FALSE(read_style(c).ok());
  for (const char* wrong : {"3", "3,1", "1,1", "a,b", "0,inf"}) {
    FigureChoices d;
    d.limits = wrong;
    EXPECT_FALSE(read_style(d).ok()) << wrong;
  }
}

TEST(FigureStyle, ChoicesAreRememberedByName) {
  FigureChoices c;
  for (const auto& name : {"title", "caption", "note", "axes", "numbers", "legend", "width", "height", "cell", "font",
                           "font_size", "background", "limits", "centre", "tokens"})
    set_choice(c, name, std::string("x ") + name);
  set_choice(c, "transposed", "on");
  set_choice(c, "unknown", "on");
  FigureChoices back;
  for (const auto& [name, value] : named_choices(c)) set_choice(back, name, value);
  EXPECT_EQ(named_choices(c).size(), 16u);
  EXPECT_EQ(back, c);
  EXPECT_TRUE(FigureStyle().plain());
  EXPECT_EQ(style_of({}), FigureStyle());
}

TEST(FigureStyle, WithoutChoicesAFigureIsWhatItWas) {
  AttentionView view;
  view.heads = {0};
  const FigureText measure;
  const Figure before = matrix_figure({style_sample()}, {}, view, light(), measure).value();
  FileOptions options;
  for (const FileKind kind : {FileKind::png, FileKind::svg, FileKind::pdf})
    EXPECT_EQ(*encode_figure(before, kind, light(), options), *encode_figure(made({}), kind, light(), options));
}

TEST(FigureStyle, EachPartIsOnOrOff) {
  const Figure whole = made({});
  const HeatmapInput input = style_sample();
  ASSERT_TRUE(style_says(whole, input.title) && style_says(whole, input.note) && style_says(whole, input.row_axis));
  const auto without = [&](std::string FigureChoices::*part) {
    FigureChoices c;
    c.*part = "off";
    return made(c);
  };
  const Figure title = without(&FigureChoices::title);
  EXPECT_FALSE(style_says(title, input.title));
  EXPECT_LT(title.height, whole.height - 20);
  const Figure note = without(&FigureChoices::note);
  EXPECT_FALSE(style_says(note, input.note));
  EXPECT_TRUE(style_says(note, input.title));
  const Figure axes = without(&FigureChoices::axes);
  EXPECT_FALSE(style_says(axes, input.row_axis) || style_says(axes, input.column_axis));
  EXPECT_LT(style_cells_of(axes).box.x, style_cells_of(whole).box.x - 10);  // the cells take the room of the name
  EXPECT_EQ(words_of(without(&FigureChoices::numbers)).size() + 36, words_of(whole).size()) << "8 x 9 / 2 numbers are not masked";
  const Figure legend = without(&FigureChoices::legend);
  for (const Item& item : legend.items) EXPECT_FALSE(std::holds_alternative<ColorBar>(item));
  // What stood below what was left out moved up, and nothing is cut off or left of the edge.
  for (const Figure* figure : {&whole, &title, &note, &axes, &legend}) {
    const Box seen = seen_box(*figure, FigureText());
    EXPECT_GE(seen.x, 0);
    EXPECT_GE(seen.y, 0);
    EXPECT_LE(seen.x + seen.w, figure->width + 0.5f);
    EXPECT_LE(seen.y + seen.h, figure->height + 0.5f);
  }
  FigureChoices own;
  own.title = "A mole";
  own.caption = "Its first head.";
  const Figure named = made(own);
  EXPECT_TRUE(style_says(named, "A mole") && style_says(named, "Its first head."));
  EXPECT_FALSE(style_says(named, input.title));
}

TEST(FigureStyle, SizesAreExact) {
  struct Wanted {
    const char *width, *height;
    double w, h;  // in points; 0: free
  };
  for (const Wanted& wanted : {Wanted{"84mm", "", 84 / 25.4 * 96, 0}, Wanted{"", "60mm", 0, 60 / 25.4 * 96},
                               Wanted{"174mm", "90mm", 174 / 25.4 * 96, 90 / 25.4 * 96}, Wanted{"3in", "", 288, 0}}) {
    for (const char* size : {"", "6pt", "14pt"}) {
      FigureChoices c;
      c.width = wanted.width;
      c.height = wanted.height;
      c.font_size = size;
      const Figure figure = made(c);
      if (wanted.w > 0) {
        EXPECT_NEAR(static_cast<double>(figure.width), wanted.w, 1e-3) << c.width << " " << size;
      }
      if (wanted.h > 0) {
        EXPECT_NEAR(static_cast<double>(figure.height), wanted.h, 1e-3) << c.height << " " << size;
      }
      const Box seen = seen_box(figure, FigureText());
      EXPECT_GE(seen.x, -0.5f);
      EXPECT_LE(seen.x + seen.w, figure.width + 0.5f) << c.width << " " << c.height << " " << size;
      EXPECT_LE(seen.y + seen.h, figure.height + 0.5f) << c.width << " " << c.height << " " << size;
    }
  }
  // Given the width alone, the cells are square and fill it.
  FigureChoices c;
  c.width = "120mm";
  const Figure figure = made(c);
  const Box cells = style_cells_of(figure).box;
  EXPECT_NEAR(cells.w, cells.h, 0.01f);
  EXPECT_GT(cells.w, 0.65f * figure.width);
}

TEST(FigureStyle, CellsAndTypeHaveTheirSize) {
  FigureChoices c;
  c.cell = "6mm";
  c.font_size = "7pt";
  const Figure figure = made(c);
  EXPECT_NEAR(static_cast<double>(style_cells_of(figure).box.w), 8 * 6 / 25.4 * 96, 1e-3);
  EXPECT_NEAR(static_cast<double>(style_cells_of(figure).box.h), 8 * 6 / 25.4 * 96, 1e-3);
  bool axis = false;
  for (const Item& item : figure.items)
    if (const auto* text = std::get_if<Text>(&item); text && text->tag.part == Part::axis) {
      EXPECT_NEAR(static_cast<double>(text->size), 7.0 / 72 * 96, 1e-4);
      axis = true;
    }
  EXPECT_TRUE(axis);
}

TEST(FigureStyle, BackgroundAndFont) {
  FigureChoices c;
  c.background = "transparent";
  EXPECT_EQ(made(c).background.a, 0);
  EXPECT_EQ(theme_on(light(), Ground::white)->background, rgb(0xffffff));
  EXPECT_EQ(theme_on(*themes().find("dark"), Ground::white).error().kind, ErrorKind::usage);
  EXPECT_EQ(theme_on(*themes().find("dark"), Ground::transparent)->background, themes().find("dark")->background);
  c = {};
  c.font = "DejaVu Sans Mono";
  if (!has_family(c.font)) GTEST_SKIP() << "no " << c.font;
  const std::string svg = *encode_figure(made(c), FileKind::svg, light(), {});
  EXPECT_NE(svg.find("font-family=\"'DejaVu Sans Mono', "), std::string::npos);
  c.font = "No Such Family";
  EXPECT_EQ(arranged(maker(), style_of(c), {900, 820}, light()).error().kind, ErrorKind::usage);
}

TEST(FigureStyle, ColoursHaveTheChosenEndsAndCentre) {
  HeatmapInput input;
  input.values = Tensor(DType::f32, {1, 4}, {}, true);
  const float numbers[] = {-4, 0, 1, 9};
  std::memcpy(input.values.data<float>(), numbers, sizeof numbers);
  input.colormap = "signed";
  input.quantity = "score";
  MatrixChoices choices;
  choices.low = -2;
  choices.high = 6;
  HeatmapInput limited = input;
  limit_colors(limited, choices);
  EXPECT_EQ(limited.low, -2);
  EXPECT_EQ(limited.high, 6);
  EXPECT_EQ(limited.low_words, "≤ -2");
  EXPECT_EQ(limited.high_words, "≥ 6");
  choices.centre = 0;  // each side has half of the map
  HeatmapInput centred = input;
  limit_colors(centred, choices);
  EXPECT_EQ(centred.low, -1);
  EXPECT_EQ(centred.high, 1);
  EXPECT_EQ(centred.values.at({0, 1}), 0);
  EXPECT_NEAR(centred.values.at({0, 2}), 1.0 / 6, 1e-6);
  EXPECT_EQ(centred.values.at({0, 0}), -2);
  EXPECT_EQ(centred.numbers.at({0, 3}), 9) << "the numbers stay";
  choices.low = choices.high = {};
  choices.centre = 1;  // symmetric about it
  HeatmapInput about = input;
  limit_colors(about, choices);
  EXPECT_EQ(about.low, -7);
  EXPECT_EQ(about.high, 9);
  EXPECT_EQ(about.low_words, "-7");
}

TEST(FigureStyle, ChosenTokensAreRowsAndColumns) {
  HeatmapInput input = style_sample();
  MatrixChoices choices;
  choices.rows = {4, 1};
  choices.columns = {0, 2, 3};
  const HeatmapInput all = input;
  ASSERT_TRUE(choose_tokens(input, choices).ok());
  ASSERT_EQ(input.values.shape(), (Shape{2, 3}));
  EXPECT_EQ(input.values.at({0, 1}), all.values.at({4, 2}));
  EXPECT_EQ(input.mask.at({1, 2}), all.mask.at({1, 3}));
  EXPECT_EQ(input.row_labels, (std::vector<std::string>{all.row_labels[4], all.row_labels[1]}));
  choices.columns = {99};
  EXPECT_EQ(choose_tokens(input, choices).error().kind, ErrorKind::usage);
}

TEST(ArrayFigure, OwnArraysHaveTheirNumbersAndLabels) {
  Tensor array(DType::f64, {2, 3, 4}, {}, true);
  for (std::int64_t i = 0; i < array.count(); ++i) array.data<double>()[i] = static_cast<double>(i) / 24;
  ArrayView view;
  view.name = "mine";
  view.heads = {1};
  view.row_labels = {"a", "b", "c"};
  const auto inputs = array_inputs(array, view).value();
  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_EQ(inputs[0].values.shape(), (Shape{3, 4}));
  EXPECT_FLOAT_EQ(static_cast<float>(inputs[0].values.at({2, 1})), 21.0f / 24);
  EXPECT_EQ(inputs[0].colormap, "viridis");
  EXPECT_EQ(inputs[0].high, 1);
  view.transposed = true;
  const auto turned = array_inputs(array, view).value();
  EXPECT_EQ(turned[0].values.at({1, 2}), inputs[0].values.at({2, 1}));
  EXPECT_EQ(turned[0].column_labels, view.row_labels);
  view.row_labels = {"a", "b"};
  EXPECT_EQ(array_inputs(array, view).error().kind, ErrorKind::usage);
  view.row_labels.clear();
  view.heads = {2};
  EXPECT_EQ(array_inputs(array, view).error().kind, ErrorKind::usage);
  view.heads.clear();
  EXPECT_EQ(array_grid(array, view)->heads, 2);
  EXPECT_EQ(array_grid(array.select(0, 0), view).error().kind, ErrorKind::usage);
  // What a mask left as minus infinity is hatched; among numbers that may be weights it is a mistake.
  array.data<double>()[1] = -INFINITY;
  EXPECT_TRUE(array_inputs(array, view).value()[0].mask.empty());
  view.name = "my_scores";
  EXPECT_EQ(array_inputs(array, view).value()[0].mask.at({1, 0}), 0);
  EXPECT_EQ(nature_of(array, view).kind, MatrixNature::weights);
  array.data<double>()[2] = -1;
  EXPECT_EQ(nature_of(array, view).kind, MatrixNature::numbers);
}

}  // namespace
}  // namespace headlight::figures
