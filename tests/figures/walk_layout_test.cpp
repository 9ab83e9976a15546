// The walk-through's layout, pictures and words for every switch of the model: nothing overlaps, no text is cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "app/views/walk/diagram_picture.h"
#include "app/views/walk/notes_picture.h"
#include "engine/operations/attention_fill.h"
#include "tests/figures/walk_models.h"
#include "tests/figures/walk_samples.h"
#include "tests/support/trace_of.h"

namespace headlight::figures {
namespace {

using tests::trace_of;

TEST(WalkLayout, TheUsualStepsNeedTheUsualSize) {
  Document d = base();
  d.norm = "post";
  const auto trace = trace_of(d);
  const WalkSize least = walk_least_size(walk_graph(*trace, &trace->sites()[0]));
  EXPECT_EQ(least.width, kWalkLeastWidth);
  EXPECT_EQ(least.height, kWalkLeastHeight);
}

TEST(WalkLayout, NothingLiesOverAnythingElseAtAnySize) {
  const std::tuple<float, float, WalkType> sizes[] = {
      {860, 300, kWalkRoomy},  {908, 390, kWalkRoomy}, {1180, 670, kWalkRoomy}, {1500, 900, kWalkRoomy}, {300, 100, kWalkRoomy},
      {2400, 400, kWalkRoomy}, {300, 100, kWalkTight}, {760, 400, kWalkTight},  {1140, 399, kWalkTight}, {1140, 240, kWalkTight}};
  for (const auto& trace : all_traces()) {
    for (const AttentionSite& site : trace->sites()) {
      const WalkGraph graph = walk_graph(*trace, &site);
      for (const auto& [width, height, type] : sizes) {
        SCOPED_TRACE(walk_words_of(trace->document()) + (graph.says_words() ? ", words" : "") + ", " + site.prefix + " at " +
                     std::to_string(width) + " x " + std::to_string(height) + (type.tight ? ", tight" : ""));
        const WalkLayout layout = walk_layout(graph, width, height, measure(), type);
        EXPECT_EQ(layout.width, std::max(width, walk_least_size(graph, type).width));
        EXPECT_EQ(layout.height, std::max(height, walk_least_size(graph, type).height));
        const Box whole{0, 0, layout.width, layout.height};
        for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
          EXPECT_TRUE(inside(whole, layout.boxes[i])) << graph.boxes[i].id;
          EXPECT_TRUE(inside(layout.boxes[i], layout.inner[i])) << graph.boxes[i].id;
          EXPECT_GE(layout.inner[i].h, 8) << graph.boxes[i].id;
          for (std::size_t k = 0; k < i; ++k)
            EXPECT_FALSE(overlap(layout.boxes[i], layout.boxes[k])) << graph.boxes[i].id << " and " << graph.boxes[k].id;
        }
        std::size_t inputs = 0;
        for (const WalkBox& box : graph.boxes) inputs += box.inputs.size();
        EXPECT_EQ(layout.arrows.size(), inputs);
        for (const WalkArrow& arrow : layout.arrows) {
          const auto from = static_cast<std::size_t>(arrow.from), to = static_cast<std::size_t>(arrow.to);
          const std::string name = graph.boxes[from].id + " -> " + graph.boxes[to].id;
          // It begins and ends at its boxes' edges and passes through no other box.
          EXPECT_LT(outside(layout.boxes[from], arrow.at(0)), 0.1f) << name;
          EXPECT_LT(outside(layout.boxes[to], arrow.at(1)), 0.1f) << name;
          EXPECT_NEAR(std::hypot(arrow.direction().x, arrow.direction().y), 1, 1e-3) << name;
          for (int k = 1; k < 60; ++k) {
            const Point p = arrow.at(static_cast<float>(k) / 60);
            EXPECT_TRUE(p.x >= 0 && p.y >= 0 && p.x <= layout.width && p.y <= layout.height) << name;
            for (std::size_t other = 0; other < layout.boxes.size(); ++other) {
              Box smaller = layout.boxes[other];
              smaller = {smaller.x + 0.5f, smaller.y + 0.5f, smaller.w - 1, smaller.h - 1};
              EXPECT_FALSE(smaller.contains(p)) << name << " passes through " << graph.boxes[other].id;
            }
          }
        }
      }
    }
  }
}

WalkInput walk_input_of(const Trace& trace, const WalkGraph& graph) {
  WalkInput input;
  input.text = "a dog";  // the one text that may be shortened: a sentence can have any length
  for (const std::string& label : trace.texts()[0].labels) input.chips.push_back({label, "1", 0, false, false});
  for (const WalkBox& box : graph.boxes) {
    const bool last = graph.says_words() && box.part == WalkBox::Part::last && box.id != "final_norm";
    auto candidates = std::make_shared<WalkCandidates>();
    for (const char* word : {"·a", "of", "the"}) candidates->rows.push_back({word, "9.87", 0.5, false});
    candidates->others = 1000;
    candidates->single = box.id == "word";
    if (box.id == "unembedding") {
      candidates->cells = Tensor(DType::f32, {3, 6}, {}, true);
      for (WalkCandidates::Row& row : candidates->rows) row.number.clear();
    }
    input.candidates.push_back(last ? candidates : nullptr);
    if (box.steps.empty() || box.id == "tokens" || last) {
      input.pictures.push_back(nullptr);
      continue;
    }
    auto picture = std::make_shared<WalkPicture>();
    picture->values = Tensor(DType::f32, {4, 6});
    for (int i = 0; i < 24; ++i) picture->values.data<float>()[i] = static_cast<float>(i) / 12 - 1;
    picture->largest = 1;
    picture->full_rows = 4;
    picture->full_columns = 6;
    picture->rows = WalkPicture::Side::queries;
    input.pictures.push_back(picture);
  }
  return input;
}

TEST(WalkFigure, NoTextIsCutAndNoneStandsOnAnother) {
  for (const auto& trace : all_traces()) {
    for (const AttentionSite& site : trace->sites()) {
      const WalkGraph graph = walk_graph(*trace, &site);
      for (const auto& [width, height, type] : {std::tuple{860.0f, 300.0f, kWalkRoomy},
                                                {908.0f, 390.0f, kWalkRoomy},
                                                {1180.0f, 670.0f, kWalkRoomy},
                                                {300.0f, 100.0f, kWalkTight},
                                                {1140.0f, 399.0f, kWalkTight}}) {
        SCOPED_TRACE(walk_words_of(trace->document()) + (graph.says_words() ? ", words" : "") + ", " + site.prefix + " at " +
                     std::to_string(width) + (type.tight ? ", tight" : ""));
        const WalkLayout layout = walk_layout(graph, width, height, measure(), type);
        WalkInput input = walk_input_of(*trace, graph);
        input.lit = graph.find("weights");
        const Figure figure = walk_figure(graph, layout, input, dark(), measure());
        std::vector<std::pair<Box, std::string>> texts;
        std::size_t cells = 0;
        for (const Item& item : figure.items) {
          cells += std::holds_alternative<Cells>(item);
          const auto* t = std::get_if<Text>(&item);
          if (!t) continue;
          EXPECT_GE(t->size, 13) << t->text;
          const float w = measure().width(t->text, t->size, t->font), h = measure().line_height(t->size, t->font) * 0.8f;
          if (t->max_width > 0) {
            EXPECT_LE(w, t->max_width + 0.01f) << "cut: " << t->text;
          }
          const float x = t->at.x - (t->horizontal == Align::end ? w : t->horizontal == Align::middle ? w / 2 : 0);
          texts.push_back({{x, t->at.y - h / 2, w, h}, t->text});
        }
        EXPECT_EQ(cells, graph.boxes.size() - (graph.says_words() ? 5 : 2))
            << "a picture for every box but text and tokens, and those with words alone";
        for (std::size_t i = 0; i < texts.size(); ++i) {
          int holders = 0;
          for (const Box& box : layout.boxes) holders += inside(box, texts[i].first);
          EXPECT_EQ(holders, 1) << texts[i].second << " is not inside one box";
          for (std::size_t k = 0; k < i; ++k)
            EXPECT_FALSE(overlap(texts[i].first, texts[k].first)) << texts[i].second << " on " << texts[k].second;
        }
      }
    }
  }
}

TEST(WalkFigure, TheMotionShowsTheInputsArriveAndEndsInTheStillPicture) {
  const auto trace = trace_of(base());
  const WalkGraph graph = walk_graph(*trace, &trace->sites()[0]);
  const WalkLayout layout = walk_layout(graph, 1180, 670, measure());
  WalkInput input = walk_input_of(*trace, graph);
  for (const WalkStop& stop : graph.stops) {
    input.lit = stop.boxes.front();
    input.progress = 1;
    const std::size_t still = walk_figure(graph, layout, input, dark(), measure()).items.size();
    std::size_t arrows = 0;
    for (const int box : stop.boxes) arrows += graph.boxes[static_cast<std::size_t>(box)].inputs.size();
    for (const float progress : {0.0f, 0.2f, 0.5f, 0.8f}) {
      input.progress = progress;
      const Figure figure = walk_figure(graph, layout, input, dark(), measure());
      // One cover over each new picture, and in the middle several tiles per arrow.
      EXPECT_GE(figure.items.size(), still + stop.boxes.size()) << stop.label;
      if (progress == 0.5f) {
        EXPECT_GE(figure.items.size(), still + stop.boxes.size() + 4 * arrows) << stop.label;
      }
      for (const Item& item : figure.items)
        if (const auto* r = std::get_if<Rectangle>(&item)) {
          EXPECT_TRUE(inside({-2, -2, layout.width + 4, layout.height + 4}, r->box));
        }
    }
    input.progress = 0.999f;
    EXPECT_LE(walk_figure(graph, layout, input, dark(), measure()).items.size(), still + stop.boxes.size())
        << "no tile is left over";
  }
}

TEST(WalkDots, AStopADotAndNoLabelOverAnother) {
  const auto trace = trace_of(base());
  const WalkGraph graph = walk_graph(*trace, &trace->sites()[1]);
  for (const float width : {300.0f, 700.0f, 1000.0f, 1900.0f})
    for (int stop = 0; stop < static_cast<int>(graph.stops.size()); ++stop) {
      const Figure figure = walk_dots(graph, stop, -1, width, 54, dark(), measure());
      std::size_t dots = 0;
      bool current = false;
      std::vector<Box> labels;
      for (const Item& item : figure.items) {
        dots += std::holds_alternative<Disc>(item);
        if (const auto* t = std::get_if<Text>(&item)) {
          const float w = measure().width(t->text, t->size, t->font), h = measure().line_height(t->size, t->font) * 0.8f;
          labels.push_back({t->at.x - w / 2, t->at.y - h / 2, w, h});
          EXPECT_TRUE(inside({0, 0, width, 54}, labels.back())) << t->text;
          current |= t->color == dark().selected && t->text == graph.stops[static_cast<std::size_t>(stop)].label;
        }
      }
      EXPECT_EQ(dots, graph.stops.size());
      EXPECT_TRUE(current) << "the current stop is always named";
      for (std::size_t i = 0; i < labels.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(overlap(labels[i], labels[k]));
    }
}

TEST(WalkWords, EveryBoxOfEveryModelHasItsWordsAndTheyFollowTheDocument) {
  for (const Document& d : all_models()) {
    const auto trace = trace_of(d);
    for (const AttentionSite& site : trace->sites()) {
      const WalkGraph graph = walk_graph(*trace, &site);
      for (std::size_t i = 0; i < graph.boxes.size(); ++i) {
        const std::string words = walk_words(*trace, &site, graph, static_cast<int>(i));
        EXPECT_GT(words.size(), 20u) << graph.boxes[i].id;
        EXPECT_EQ(words.find('{'), std::string::npos) << words;
      }
      for (std::size_t s = 0; s < graph.stops.size(); ++s)
        EXPECT_TRUE(walk_title(graph, static_cast<int>(s)).starts_with("Step " + std::to_string(s + 1) + ": "));
    }
  }
  const auto said = [](const Document& d, const char* id) {
    const auto trace = trace_of(d);
    const AttentionSite& site = trace->sites()[0];
    const WalkGraph graph = walk_graph(*trace, &site);
    return walk_words(*trace, &site, graph, graph.find(id));
  };
  Document d = base();
  EXPECT_NE(said(d, "scaled_scores").find("√8 = 2.828"), std::string::npos) << said(d, "scaled_scores");
  EXPECT_NE(said(d, "mask").find("No mask"), std::string::npos);
  d.masks = {{"causal", {}}};
  EXPECT_NE(said(d, "mask").find("-inf"), std::string::npos);
  d.mask_fill = operations::MaskFill::minus_1e9;
  EXPECT_NE(said(d, "mask").find("-1e9"), std::string::npos);
  d.scale = "none";
  EXPECT_NE(said(d, "scaled_scores").find("Not scaled"), std::string::npos);
  d.temperature = 2;
  EXPECT_NE(said(d, "weights").find("Temperature 2"), std::string::npos);
}

}  // namespace
}  // namespace headlight::figures
