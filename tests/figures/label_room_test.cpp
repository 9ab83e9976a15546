// Labels in the column of a paper: up to forty all fit beside a map that keeps most of the width; what is left out is said, with
// advice that is true.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "app/export/arrange.h"
#include "app/export/array_figure.h"
#include "app/export/attention_figure.h"
#include "app/figures/base/labels.h"
#include "tests/figures/layout_check.h"
#include "tests/figures/samples.h"

namespace headlight::figures {
namespace {

// The words of a sentence, as often as needed.
std::vector<std::string> room_tokens(std::int64_t count) {
  static const std::vector<std::string> words{"The",   "·quick", "·brown", "·foxes", "·jump",  "·over",  "·the",
                                              "·lazy", "·dogs",  "·while", "·many",  "·small", "·birds", "·watch",
                                              "·from", "·a",     "·tree",  "·near",  "·water", "."};
  std::vector<std::string> tokens;
  for (std::int64_t i = 0; i < count; ++i) tokens.push_back(words[static_cast<std::size_t>(i) % words.size()]);
  return numbered(tokens);
}

MakeFigure room_maker(const std::vector<std::string>& tokens, const std::string& kind) {
  return [=](const MakeInput& in) -> Result<Figure> {
    const auto count = static_cast<std::int64_t>(tokens.size());
    Tensor values(DType::f32, {count, count});
    for (std::int64_t i = 0; i < values.count(); ++i) values.data<float>()[i] = 0.001f * static_cast<float>(i * 7 % 101);
    ArrayView array;
    array.name = "weights";
    array.row_labels = array.column_labels = tokens;
    array.row_axis = "query (attends)";
    array.column_axis = "key (is attended to)";
    HL_ASSIGN(std::vector<HeatmapInput> inputs, array_inputs(values, array));
    AttentionView view;
    view.kind = kind;
    view.heads = {0};
    view.width = in.width;
    view.height = in.height;
    view.choices = in.matrix;
    return matrix_figure(std::move(inputs), {MatrixNature::weights, "weights"}, view, in.theme, in.measure);
  };
}

FigureChoices room_choices(const std::string& width, const std::string& height, const std::string& size) {
  FigureChoices choices;
  choices.width = width;
  choices.height = height;
  choices.font_size = size;
  return choices;
}

Figure room_figure(std::int64_t tokens, const std::string& kind, const FigureChoices& choices) {
  Arrangement room{900, 820};
  room.advises = true;
  return arranged(room_maker(room_tokens(tokens), kind), read_style(choices).value(), room, *themes().find("light")).value();
}

std::vector<Text> room_labels(const Figure& figure) {
  std::vector<Text> labels;
  for (const Text& t : all<Text>(figure))
    if (t.tag.kind == Tag::row || t.tag.kind == Tag::column) labels.push_back(t);
  return labels;
}

constexpr float kColumn = 84 / 25.4f * 96;

TEST(LabelRoom, FortyTokensAreAllNamedInAColumn) {
  for (const std::string kind : {"heatmap", "dots", "arcs"})
    for (const std::string size : {"", "8pt"})
      for (const std::string height : {"", "120mm"})
        for (const std::int64_t n : {1, 2, 5, 12, 24, 32, 40}) {
          const std::string what = kind + " " + size + " " + height + ", " + std::to_string(n) + " tokens";
          SCOPED_TRACE(what);
          const Figure figure = room_figure(n, kind, room_choices("84mm", height, size));
          EXPECT_NEAR(figure.width, kColumn, 0.1f);
          const std::vector<Text> labels = room_labels(figure);
          EXPECT_EQ(labels.size(), static_cast<std::size_t>(2 * n));
          EXPECT_EQ(figure.hidden_labels, 0);
          EXPECT_TRUE(figure.remarks.empty());
          std::set<std::string> words;
          for (std::size_t i = 0; i < labels.size(); ++i) {
            words.insert(measure().fitted(labels[i].text, labels[i].size, labels[i].font, labels[i].max_width));
            EXPECT_GE(labels[i].size, 0.99f * kLeastInFiles) << labels[i].text;
            for (std::size_t j = 0; j < i; ++j)
              EXPECT_TRUE(apart(corners(labels[i], 0.7f), corners(labels[j], 0.7f)))
                  << labels[i].text << " lies over " << labels[j].text;
          }
          EXPECT_EQ(words.size(), static_cast<std::size_t>(n)) << "no two labels look alike";
          float left = figure.width, right = 0;  // of the map, or of the arcs
          for (const Cells& cells : all<Cells>(figure))
            if (cells.tag.kind == Tag::cell_area) {
              left = cells.box.x;
              right = cells.box.x + cells.box.w;
            }
          for (const Curve& curve : all<Curve>(figure)) {
            left = std::min(left, curve.from.x);
            right = std::max(right, curve.to.x);
          }
          if (n > 1) EXPECT_GE(right - left, 0.6f * figure.width);
        }
}

// A small type shrinks everything but the least labels; where even these are small, it is said.
TEST(LabelRoom, SmallTypeKeepsTheLeastLabelsOrSaysTheirSize) {
  for (const std::string kind : {"heatmap", "dots", "arcs"})
    for (const std::string size : {"7pt", "6pt", "5pt", "4pt", "3pt"})
      for (const std::int64_t n : {12, 40, 60, 100}) {
        SCOPED_TRACE(kind + " " + size + ", " + std::to_string(n) + " tokens");
        const Figure figure = room_figure(n, kind, room_choices("84mm", "", size));
        float least = 100;
        for (const Text& label : room_labels(figure)) least = std::min(least, label.size);
        const bool said = std::any_of(figure.remarks.begin(), figure.remarks.end(), [](const std::string& remark) {
          return remark.find("less than the 3.4 pt that can be read in print") != std::string::npos;
        });
        EXPECT_EQ(said, least < 0.98f * kLeastInFiles) << least;
        if (size != "3pt" && size != "4pt") EXPECT_FALSE(said) << least;
      }
}

// Of "every second label is shown; --height 120mm --width 90mm shows all" the options, as choices.
FigureChoices room_followed(const std::string& remark, FigureChoices choices) {
  const std::string advice = remark.substr(remark.find("; ") + 2);
  for (std::size_t at = 0; (at = advice.find("--", at)) != std::string::npos; at += 2) {
    const std::size_t space = advice.find(' ', at), end = advice.find(' ', space + 1);
    set_choice(choices, advice.substr(at + 2, space - at - 2), advice.substr(space + 1, end - space - 1));
  }
  return choices;
}

TEST(LabelRoom, WhatIsLeftOutIsSaidWithAdviceThatIsTrue) {
  int advised = 0;
  for (const std::string kind : {"heatmap", "dots", "arcs"})
    for (const auto& [n, width, height, size] : {std::tuple{60, "84mm", "", ""},
                                                 {90, "84mm", "", "8pt"},
                                                 {60, "84mm", "60mm", ""},
                                                 {30, "120mm", "28mm", "8pt"},
                                                 {150, "", "", ""},
                                                 {40, "30mm", "", ""},
                                                 {60, "400px", "300px", ""},
                                                 {60, "3.3in", "2in", ""}}) {
      SCOPED_TRACE(kind + " " + std::to_string(n) + " " + width + " " + height + " " + size);
      const FigureChoices choices = room_choices(width, height, size);
      const Figure figure = room_figure(n, kind, choices);
      const std::int64_t shown = static_cast<std::int64_t>(room_labels(figure).size());
      EXPECT_EQ(figure.hidden_labels, 2 * n - shown);
      for (std::size_t i = figure.hidden_labels == 0 ? 0 : 1; i < figure.remarks.size(); ++i)
        EXPECT_TRUE(figure.remarks[i].find("shortened") != std::string::npos ||
                    figure.remarks[i].starts_with("the smallest labels"))
            << figure.remarks[i];
      if (figure.hidden_labels == 0) continue;
      ASSERT_GE(figure.remarks.size(), 1u);
      const std::string& remark = figure.remarks[0];
      EXPECT_NE(remark.find("shown"), std::string::npos) << remark;
      std::string written;  // the sentence may be broken into lines
      for (const Text& t : all<Text>(figure))
        if (t.tag.part == Part::caption) written += (written.empty() ? "" : " ") + t.text;
      EXPECT_NE(written.find(remark), std::string::npos) << remark << " / " << written;
      if (remark.find("; ") == std::string::npos) continue;
      ++advised;
      const Figure followed = room_figure(n, kind, room_followed(remark, choices));
      EXPECT_EQ(followed.hidden_labels, 0) << remark;
    }
  EXPECT_GE(advised, 10);
}

TEST(LabelRoom, WhatIsShortenedIsSaid) {
  for (const std::string kind : {"heatmap", "dots", "arcs"}) {
    std::vector<std::string> tokens;
    for (int i = 0; i < 24; ++i) tokens.push_back("Donaudampfschifffahrtsgesellschaft " + std::to_string(i));
    const Arrangement room{900, 820};
    const Figure figure =
        arranged(room_maker(tokens, kind), read_style(room_choices("84mm", "", "")).value(), room, dark()).value();
    EXPECT_EQ(figure.hidden_labels, 0) << kind;
    std::size_t cut = 0;
    for (const Text& label : room_labels(figure))
      cut += measure().fitted(label.text, label.size, label.font, label.max_width) != label.text;
    EXPECT_GT(cut, 0u) << kind;
    ASSERT_EQ(figure.remarks.size(), 1u) << kind;
    EXPECT_EQ(figure.remarks[0], shortened_words(static_cast<std::int64_t>(cut))) << kind;
  }
}

TEST(LabelRoom, OnTheScreenNoLabelIsSmallerThanCanBeRead) {
  HeatmapInput input = samples::attention(room_tokens(40), false);
  input.legend = false;
  for (const auto& [w, h] : {std::pair(420.0f, 300.0f), {620.0f, 700.0f}})
    for (const Text& label : room_labels(heatmap(input, w, h, dark(), measure()))) EXPECT_GE(label.size, kLeastOnScreen);
}

}  // namespace
}  // namespace headlight::figures
