// The walk-through's pages beside its diagram: the list of shapes, the heads' products, the losses, and the shapes of a box's
// steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "app/views/walk/graph_picture.h"
#include "app/views/walk/losses_picture.h"
#include "app/views/walk/products_picture.h"
#include "app/views/walk/shapes_picture.h"
#include "tests/figures/walk_samples.h"
#include "tests/support/trace_of.h"

namespace headlight::figures {
namespace {

using tests::trace_of;

std::vector<std::string> texts(const Figure& figure) {
  std::vector<std::string> out;
  for (const Item& item : figure.items)
    if (const auto* text = std::get_if<Text>(&item)) out.push_back(text->text);
  return out;
}
bool has(const Figure& figure, const std::string& words) {
  const auto all = texts(figure);
  return std::find(all.begin(), all.end(), words) != all.end();
}

TEST(WalkShapes, EveryStepHasItsLineInOrder) {
  WalkShapesInput input;
  for (const char* place : {"encoder.", "encoder.layer.0.", "the model"}) {
    WalkShapesInput::Group group{place, {}};
    for (int i = 0; i < 17; ++i)
      group.rows.push_back({"step_" + std::to_string(i) + "_of_" + place, "[20, 4, 10, 50]", "batch, head, position, d_k",
                            i == 3 ? "not contiguous" : "",
                            i == 5 ? "the notes print [200, 100] here, which cannot be multiplied with the vectors of 200" : "",
                            i == 7});
    input.groups.push_back(std::move(group));
  }
  input.note = "Layer 0 of 2; the others have the same steps.";
  for (const float width : {470.0f, 940.0f, 1440.0f, 1900.0f}) {
    const Figure figure = walk_shapes(input, width, dark(), measure());
    check(figure, width, 4000, "shapes at " + std::to_string(width));
    std::vector<std::pair<float, float>> at;  // of the rows, by number
    for (const Item& item : figure.items)
      if (const auto* box = std::get_if<Rectangle>(&item); box && box->tag.kind == Tag::row) {
        EXPECT_EQ(box->tag.a, static_cast<std::int64_t>(at.size()));
        at.emplace_back(box->box.x, box->box.y);
      }
    ASSERT_EQ(at.size(), 51u);
    for (std::size_t i = 1; i < at.size(); ++i) EXPECT_GT(at[i], at[i - 1]) << "below the one before, or in the next column";
    std::set<float> columns;
    for (const auto& [x, y] : at) columns.insert(x);
    EXPECT_EQ(columns.size(), width < 880 ? 1u : width < 1340 ? 2u : width < 1800 ? 3u : 4u);
    EXPECT_TRUE(has(figure, "step_5_of_encoder.")) << "the name is whole";
    for (const Item& item : figure.items) {
      const auto* text = std::get_if<Text>(&item);
      if (text && text->text.starts_with("step_7_")) {
        EXPECT_EQ(text->color, dark().selected);
      }
    }
  }
}

// Blocks whose numbers say where they are: q[i, d] = i, k[d, j] = j.
HeadProductsInput products(std::int64_t sentences, std::int64_t heads, std::int64_t queries, std::int64_t keys, std::int64_t d) {
  HeadProductsInput input;
  for (std::int64_t b = 0; b < sentences; ++b)
    for (std::int64_t h = 0; h < heads; ++h) {
      HeadProductsInput::Block block;
      block.sentence = b;
      block.head = h;
      const Shape shapes[] = {{queries, d}, {d, keys}, {queries, keys}};
      for (int which = 0; which < 3; ++which) {
        block.cells[which] = Tensor(DType::f32, shapes[which], {}, true);
        input.shapes[which] = to_string(Shape{sentences, heads, shapes[which][0], shapes[which][1]});
      }
      block.key = static_cast<std::uint64_t>(1 + b * heads + h);
      input.blocks.push_back(std::move(block));
    }
  for (double& largest : input.largest) largest = 2;
  input.by_sentence = sentences > 1;
  input.columns =
      input.by_sentence ? static_cast<int>(heads) : static_cast<int>(std::ceil(std::sqrt(static_cast<double>(heads))));
  for (std::int64_t i = 0; i < d; ++i) {
    input.q.push_back(static_cast<double>(i) - 1);
    input.k.push_back(0.5);
    input.score += input.q.back() * 0.5;
  }
  input.score_name = "scores[head 1, blue, a]";
  input.query_label = "blue";
  input.key_label = "a";
  input.difference.assign(static_cast<std::size_t>(heads), 1.5e-7);
  input.loop_words = "The same as a loop over the heads.";
  return input;
}

TEST(HeadProducts, NothingOverlapsAtAnySize) {
  for (const auto& [sentences, heads] : {std::pair(1, 1), {1, 4}, {1, 6}, {1, 12}, {1, 32}, {3, 4}, {8, 12}})
    for (const float width : {620.0f, 1100.0f, 1500.0f}) {
      HeadProductsInput input = products(sentences, heads, 10, 12, 50);
      input.chosen = heads > 1 ? 1 : 0;
      input.query = 2;
      input.key = 3;
      const Figure figure = head_products(input, width, 640, dark(), measure());
      check(figure, width, 1400, std::to_string(sentences) + " x " + std::to_string(heads) + " at " + std::to_string(width));
      EXPECT_EQ(figure.data.size(), 3u);
    }
}

TEST(HeadProducts, AScoresRowAndColumnAreLitWhereTheyCross) {
  HeadProductsInput input = products(1, 4, 10, 12, 8);
  input.chosen = 2;
  input.query = 4;
  input.key = 7;
  const Figure figure = head_products(input, 1200, 640, dark(), measure());
  const Cells* blocks[3] = {};
  std::vector<Box> lit;
  for (const Item& item : figure.items) {
    if (const auto* cells = std::get_if<Cells>(&item); cells && cells->tag.kind == Tag::cell_area) {
      const HeadProductsPlace place = head_products_place(cells->tag.a + 3);
      EXPECT_EQ(place.row, 3);
      if (place.block == 2) blocks[place.which] = cells;
    }
    if (const auto* box = std::get_if<Rectangle>(&item); box && box->stroke == dark().selected && box->line >= 2)
      lit.push_back(box->box);
  }
  ASSERT_TRUE(blocks[0] && blocks[1] && blocks[2]);
  const auto cell = [](const Cells& cells, std::int64_t row, std::int64_t column) {
    const float w = cells.box.w / static_cast<float>(cells.columns), h = cells.box.h / static_cast<float>(cells.rows);
    return Box{cells.box.x + static_cast<float>(column) * w, cells.box.y + static_cast<float>(row) * h, w, h};
  };
  const auto is_lit = [&](const Box& wanted) {
    return std::any_of(lit.begin(), lit.end(), [&](const Box& b) {
      return std::abs(b.x - wanted.x) < 0.1f && std::abs(b.y - wanted.y) < 0.1f && std::abs(b.w - wanted.w) < 0.1f &&
             std::abs(b.h - wanted.h) < 0.1f;
    });
  };
  Box row = cell(*blocks[0], 4, 0), column = cell(*blocks[1], 0, 7);
  row.w = blocks[0]->box.w;
  column.h = blocks[1]->box.h;
  EXPECT_TRUE(is_lit(row)) << "the row of q";
  EXPECT_TRUE(is_lit(column)) << "the column of k transposed";
  EXPECT_TRUE(is_lit(cell(*blocks[2], 4, 7))) << "the score where they meet";
  EXPECT_NEAR(cell(*blocks[2], 4, 7).y, row.y, 0.1f) << "a query's row is level in both";
  EXPECT_TRUE(has(figure, "scores[head 1, blue, a] = Σ q k = 10.00"));
  EXPECT_TRUE(has(figure, "head 3: 1.5e-7"));
}

TEST(HeadProducts, ReducedBlocksLightTheCellThatStandsForTheirs) {
  HeadProductsInput input = products(1, 1, 5, 5, 8);
  input.query_block = input.key_block = 10;
  input.query = 49;
  input.key = 20;
  const Figure figure = head_products(input, 900, 600, dark(), measure());
  const Cells* scores = nullptr;
  for (const Item& item : figure.items)
    if (const auto* cells = std::get_if<Cells>(&item);
        cells && cells->tag.kind == Tag::cell_area && head_products_place(cells->tag.a).which == HeadProductsInput::of_scores)
      scores = cells;
  ASSERT_TRUE(scores);
  bool found = false;
  for (const Item& item : figure.items)
    if (const auto* box = std::get_if<Rectangle>(&item); box && box->line >= 2 && box->stroke == dark().selected)
      found |= std::abs(box->box.x - scores->box.x - 2 * scores->box.w / 5) < 0.1f &&
               std::abs(box->box.y - scores->box.y - 4 * scores->box.h / 5) < 0.1f;
  EXPECT_TRUE(found);
}

TEST(WalkLosses, EachPlaceHasItsOwnTokenAndTheNext) {
  WalkLosses losses;
  losses.places = {{"[BOS]", "[BOS]", "man", 9.1, 8.7}, {"man", "man", "bites", 9.0, 8.9}, {"bites", "bites", "", 9.3, 0}};
  losses.own_words = "[200,8192] against [200]";
  losses.next_words = "[180,8192] against [180]";
  losses.own_mean = 9.21;
  losses.next_mean = 9.34;
  for (const float width : {300.0f, 344.0f, 460.0f, 700.0f})
    for (const bool shifted : {false, true}) {
      losses.shifted = shifted;
      const Figure figure = walk_losses(losses, width, dark(), measure());
      check(figure, width, 400, "losses at " + std::to_string(width));
      for (const char* words : {"9.10", "8.90", "9.21", "9.34", "–"}) EXPECT_TRUE(has(figure, words)) << words;
      for (const Item& item : figure.items) {
        const auto* text = std::get_if<Text>(&item);
        if (text && (text->text == "9.21" || text->text == "9.34")) {
          EXPECT_EQ(text->color == dark().selected, (text->text == "9.34") == shifted);
        }
      }
    }
}

// The shapes of the steps of one box, as the worked walk-through writes them down.
TEST(WalkGraph, ABoxSaysTheShapesOfItsSteps) {
  Document d = base();
  d.texts = {"man bites dog", "man bites"};
  d.tokenizer = "words";
  d.logits = true;
  d.masks = {{"padding", {}}, {"causal", {}}};
  const auto trace = trace_of(d);
  ASSERT_TRUE(trace);
  const WalkGraph graph = walk_graph(*trace, &trace->sites().back());
  const auto chain = [&](const char* id) {
    const int at = graph.find(id);
    EXPECT_GE(at, 0) << id;
    return at < 0 ? std::string() : graph.boxes[static_cast<std::size_t>(at)].chain;
  };
  EXPECT_EQ(chain("position"), "[3, 1] × [12] → [3, 12] → [3, 24]");
  EXPECT_EQ(chain("input"), "[1, 3, 24] → [2, 3, 24]");
  EXPECT_EQ(chain("q"), "[2, 3, 24] → [2, 3, 3, 8] → [2, 3, 3, 8]");
  EXPECT_EQ(chain("scores"), "[2, 3, 8, 3]; Q Kᵀ [2, 3, 3, 3]");
  EXPECT_EQ(chain("mask"),
            "[2, 3] → [2, 1, 3] → [2, 1, 1, 3]; [3, 3] → [1, 3, 3] → [1, 1, 3, 3]; together [2, 1, 3, 3] → [2, 3, 3, 3]");
  EXPECT_EQ(chain("concat"), "[2, 3, 3, 8] → [2, 3, 3, 8] → [2, 3, 24]");
  const std::string words = std::to_string(trace->find("logits")->shape[2]);
  EXPECT_EQ(chain("loss"), "[6, " + words + "] against [6] → [6] → [1]");
  EXPECT_EQ(chain("loss_shifted"), "[4] → [4, " + words + "] against [4] → [4] → [1]");
}

}  // namespace
}  // namespace headlight::figures
