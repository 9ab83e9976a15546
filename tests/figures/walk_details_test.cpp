// The walk-through's details: what is written about a step, how a mask is repeated, and the numbers of a small matrix.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/views/walk/broadcast_picture.h"
#include "app/views/walk/diagram_picture.h"
#include "app/views/walk/notes_picture.h"
#include "app/views/walk/numbers_picture.h"
#include "tests/figures/walk_samples.h"
#include "tests/support/trace_of.h"

namespace headlight::figures {
namespace {

using tests::trace_of;

TEST(WalkNotes, TextStaysInItsWidthBesideAndBelow) {
  const auto trace = trace_of(base());
  const AttentionSite& site = trace->sites()[0];
  const WalkGraph graph = walk_graph(*trace, &site);
  for (const float width : {280.0f, 344.0f, 420.0f, 900.0f, 1500.0f})
    for (std::size_t i = 0; i < graph.boxes.size(); ++i) {
      WalkNotes notes;
      notes.title = walk_title(graph, graph.stop_of(static_cast<int>(i)));
      notes.words = walk_words(*trace, &site, graph, static_cast<int>(i));
      notes.formula = graph.boxes[i].formula;
      notes.shape = graph.boxes[i].steps.empty() ? "" : walk_shape(graph.boxes[i].shape, graph.boxes[i].axes, WalkShape::named);
      notes.rows = {
          {"scaled of ·bites", "[3, 4, 4]", {"1.00", "-2.31", "-inf", "0.02", "-1e9", "12345", "0.00", "1.00"}, true, false},
          {"masked scores of ·bites", "[3, 4, 4]", {"1.00", "2.00"}, false, true}};
      notes.remarks = {"random weights, seed 0"};
      if (graph.boxes[i].id == "mask") notes.broadcast = broadcast_of(site.mask, 0, graph.boxes[i].shape);
      const Figure figure = walk_notes(notes, width, dark(), measure());
      EXPECT_EQ(figure.width, width);
      std::vector<std::pair<Box, std::string>> texts;
      for (const Item& item : figure.items)
        if (const auto* t = std::get_if<Text>(&item)) {
          const float full = measure().width(t->text, t->size, t->font),
                      w = t->max_width > 0 ? std::min(full, t->max_width) : full;
          const float h = measure().line_height(t->size, t->font) * 0.8f;
          const float x = t->at.x - (t->horizontal == Align::end ? w : t->horizontal == Align::middle ? w / 2 : 0);
          texts.push_back({{x, t->at.y - h / 2, w, h}, t->text});
          EXPECT_TRUE(inside({-0.5f, 0, width + 1, figure.height + 1}, texts.back().first)) << t->text << " at " << width;
        }
      for (std::size_t a = 0; a < texts.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
          EXPECT_FALSE(overlap(texts[a].first, texts[b].first)) << texts[a].second << " on " << texts[b].second;
    }
}

// Cells that may attend are rectangles in the info colour's hue; other cells show the hatching behind them.
std::size_t allowed(const Figure& figure) {
  std::size_t n = 0;
  for (const Item& item : figure.items)
    if (const auto* r = std::get_if<Rectangle>(&item); r && r->stroke.a == 0 && r->fill.b > r->fill.r + 0.1f) ++n;
  return n;
}

TEST(WalkBroadcast, SmallShapesAreRepeatedToTheFullOne) {
  Document d = base();
  d.texts = {"man bites dog", "man bites"};
  d.tokenizer = "words";
  d.masks = {{"padding", {}}, {"causal", {}}};
  const auto trace = trace_of(d);
  const AttentionSite& site = trace->sites()[0];
  ASSERT_EQ(site.queries, 3);
  const Broadcast second = broadcast_of(site.mask, 1, {2, 3, 3, 3});
  ASSERT_EQ(second.parts.size(), 2u);
  EXPECT_EQ(second.parts[0].shape, (Shape{2, 1, 1, 3}));
  EXPECT_EQ(second.parts[0].cells.shape(), (Shape{1, 3}));
  EXPECT_EQ(second.parts[0].cells.at({0, 1}), 1);
  EXPECT_EQ(second.parts[0].cells.at({0, 2}), 0) << "the second sentence has two tokens";
  EXPECT_EQ(second.parts[1].shape, (Shape{1, 1, 3, 3}));
  EXPECT_EQ(second.applied.shape, (Shape{2, 1, 3, 3}));
  // padding: 2 of one row, then 3 copies of it; causal: 6 twice; their AND: 5, and 5 again on the heads' slab.
  EXPECT_EQ(allowed(broadcast(second, 340, 58, dark(), measure())), 2u + 6 + 6 + 6 + 5 + 5);
  Broadcast begun = second;
  begun.progress = 0;
  EXPECT_EQ(allowed(broadcast(begun, 340, 58, dark(), measure())), 2u + 2 + 6 + 6 + 5 + 5) << "the first row has no copy yet";
  // Nothing masked: one full slab.
  const Broadcast none = broadcast_of({}, 0, {1, 3, 4, 5});
  EXPECT_EQ(allowed(broadcast(none, 340, 58, dark(), measure())), 20u);
}

TEST(WalkBroadcast, LongMasksAreReducedToWhatIsAllowedSomewhere) {
  masks::Request request;
  request.queries = request.keys = 100;
  request.key_lengths = {100};
  const auto causal = masks::combine({{"causal", {}}}, request, nullptr);
  ASSERT_TRUE(causal.ok());
  const Broadcast part = broadcast_of(*causal, 0, {1, 6, 100, 100});
  EXPECT_EQ(part.applied.row_block, 7);
  EXPECT_EQ(part.applied.cells.shape(), (Shape{15, 15}));
  for (std::int64_t r = 0; r < 15; ++r)
    for (std::int64_t c = 0; c < 15; ++c) EXPECT_EQ(part.applied.cells.at({r, c}), c <= r) << r << ", " << c;
}

HeatmapInput matrix(std::int64_t rows, std::int64_t columns) {
  HeatmapInput input;
  input.values = Tensor(DType::f32, {rows, columns});
  for (std::int64_t i = 0; i < rows * columns; ++i) input.values.data<float>()[i] = static_cast<float>(i) / 8 - 2;
  for (std::int64_t i = 0; i < rows; ++i) input.row_labels.push_back("token" + std::to_string(i));
  input.colormap = "signed";
  input.low = -(input.high = 40);
  input.range_words = "symmetric about 0";
  input.note = "random weights, seed 0";
  return input;
}

TEST(WalkNumbers, EveryNumberStandsInItsCellOnceAndMaskedCellsHaveNone) {
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{10, 10}, {4, 32}, {1, 64}, {20, 3}, {1, 1}}) {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
    HeatmapInput input = matrix(rows, columns);
    input.mask = Tensor(DType::u8, {rows, columns});
    for (std::int64_t i = 0; i < rows * columns; ++i) input.mask.data<std::uint8_t>()[i] = i % 5 != 3;
    input.hot_row = rows - 1;
    input.hot_column = columns - 1;
    const auto figure = walk_numbers(input, 860, 520, dark(), measure());
    ASSERT_TRUE(figure.has_value());
    EXPECT_LE(figure->width, 860);
    EXPECT_LE(figure->height, 520);
    std::vector<Cells> bands;
    for (const Item& item : figure->items)
      if (const auto* c = std::get_if<Cells>(&item)) bands.push_back(*c);
    std::vector<int> found(static_cast<std::size_t>(rows * columns));
    std::vector<Box> texts;
    for (const Item& item : figure->items) {
      const auto* t = std::get_if<Text>(&item);
      if (!t) continue;
      EXPECT_GE(t->size, 13);
      const float w = measure().width(t->text, t->size, t->font), h = measure().line_height(t->size, t->font) * 0.8f;
      if (t->max_width > 0) {
        EXPECT_LE(w, t->max_width) << t->text;
      }
      const float x = t->at.x - (t->horizontal == Align::end ? w : t->horizontal == Align::middle ? w / 2 : 0);
      texts.push_back({x, t->at.y - h / 2, w, h});
      EXPECT_TRUE(inside({0, 0, figure->width + 0.5f, figure->height + 0.5f}, texts.back())) << t->text;
      for (const Cells& c : bands) {
        if (!c.box.contains(t->at)) continue;
        const auto r = c.tag.a + static_cast<std::int64_t>((t->at.y - c.box.y) / c.box.h * static_cast<float>(c.rows));
        const auto k = c.tag.b + static_cast<std::int64_t>((t->at.x - c.box.x) / c.box.w * static_cast<float>(c.columns));
        ++found[static_cast<std::size_t>(r * columns + k)];
        EXPECT_NEAR(std::stod(t->text), input.values.at({r, k}), 0.06) << r << ", " << k;
        // The band's values are the matrix's values at that place.
        EXPECT_EQ(c.values.at({r - c.tag.a, k - c.tag.b}), input.values.at({r, k}));
      }
    }
    for (std::int64_t i = 0; i < rows * columns; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], i % 5 != 3) << i;
    for (std::size_t a = 0; a < texts.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) EXPECT_FALSE(overlap(texts[a], texts[b]));
  }
}

TEST(WalkNumbers, WhatDoesNotFitIsLeftToTheHeatmapAndAWindowIntoItFits) {
  HeatmapInput input = matrix(15, 192);
  EXPECT_FALSE(walk_numbers(input, 860, 360, dark(), measure()).has_value());
  input.first_row = 3;
  input.row_count = 8;
  input.first_column = 100;
  input.column_count = 12;
  const auto figure = walk_numbers(input, 860, 360, dark(), measure());
  ASSERT_TRUE(figure.has_value());
  for (const Item& item : figure->items)
    if (const auto* c = std::get_if<Cells>(&item)) {
      EXPECT_EQ(c->tag.a, 3);
      EXPECT_EQ(c->tag.b, 100);
      EXPECT_EQ(c->values.at({0, 0}), input.values.at({3, 100}));
    }
  EXPECT_FALSE(walk_numbers(matrix(10, 10), 200, 200, dark(), measure()).has_value());
}

}  // namespace
}  // namespace headlight::figures
