// Dots, arcs and the neuron view: positions and sizes are computed again here from the weights.
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "app/figures/attention/normalise.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/legend.h"
#include "tests/figures/layout_check.h"
#include "tests/figures/samples.h"

namespace headlight::figures {
namespace {

constexpr std::pair<float, float> kRooms[] = {{1280, 720}, {640, 520}, {480, 420}, {900, 820}};

HeadMatrix head_of(const HeatmapInput& sample, const std::string& name, int hue) {
  return {name, hue, sample.values, sample.values};
}
DotsInput dots_of(std::int64_t tokens, bool causal, int heads = 1) {
  const HeatmapInput sample = samples::attention(samples::repeated(tokens), causal);
  DotsInput input;
  static_cast<MatrixInput&>(input) = sample;
  input.row_labels = input.column_labels = numbered(sample.row_labels);
  for (int h = 0; h < heads; ++h) input.heads.push_back(head_of(sample, "0." + std::to_string(h), h));
  input.legend_discs = {{0.1f, "0.1"}, {0.5f, "0.5"}, {1.0f, "1"}};
  input.range_words = "area: weight, fixed 0..1";
  return input;
}
ArcsInput arcs_of(std::int64_t tokens, bool causal, int heads = 1, double share = 0) {
  const HeatmapInput sample = samples::attention(samples::repeated(tokens), causal);
  ArcsInput input;
  static_cast<MatrixInput&>(input) = sample;
  for (int h = 0; h < heads; ++h) {
    HeadMatrix head = head_of(sample, "0." + std::to_string(h), h);
    ArcSet chosen = choose_arcs(head, sample.mask, share, 600);
    input.heads.push_back({std::move(head), std::move(chosen)});
  }
  input.range_words = "width and strength: weight, fixed 0..1";
  return input;
}

template <class T>
std::vector<const T*> each(const Figure& figure) {
  std::vector<const T*> list;
  for (const Item& item : figure.items)
    if (const auto* one = std::get_if<T>(&item)) list.push_back(one);
  return list;
}
bool says(const Figure& figure, const std::string& words) {
  for (const Text* t : each<Text>(figure))
    if (t->text.find(words) != std::string::npos) return true;
  return false;
}
const Cells& ground(const Figure& figure) {
  for (const Cells* c : each<Cells>(figure))
    if (c->tag.kind == Tag::cell_area) return *c;
  throw std::runtime_error("no cells");
}

TEST(Dots, NothingIsCutOffOrLiesOverAnother) {
  for (const auto& [w, h] : kRooms)
    for (const bool causal : {false, true})
      for (const std::int64_t n : {1, 2, 8, 20, 60})
        for (const int heads : {1, 3})
          check(dots(dots_of(n, causal, heads), w, h, dark(), measure()), w, h,
                std::to_string(n) + " tokens, " + std::to_string(heads) + " heads in " + std::to_string(w));
}

TEST(Dots, TheAreaIsTheWeight) {
  const DotsInput input = dots_of(8, true);
  const Figure figure = dots(input, 900, 820, dark(), measure());
  const Cells& cells = ground(figure);
  const float wide = cells.box.w / 8, high = cells.box.h / 8, side = std::min(wide, high);
  int found = 0;
  double per_weight = -1;
  for (const Disc* disc : each<Disc>(figure)) {
    if (!cells.box.contains(disc->centre)) continue;  // a disc of the legend
    const auto c = static_cast<std::int64_t>((disc->centre.x - cells.box.x) / wide),
               r = static_cast<std::int64_t>((disc->centre.y - cells.box.y) / high);
    EXPECT_NEAR(disc->centre.x, cells.box.x + (static_cast<float>(c) + 0.5f) * wide, 0.01);
    EXPECT_NEAR(disc->centre.y, cells.box.y + (static_cast<float>(r) + 0.5f) * high, 0.01);
    const double weight = input.heads[0].values.at({r, c}),
                 area = static_cast<double>(disc->radius) * static_cast<double>(disc->radius);
    if (per_weight < 0) per_weight = area / weight;
    EXPECT_NEAR(area / weight, per_weight, 1e-3 * per_weight) << r << ", " << c;
    EXPECT_LE(disc->radius, side / 2) << "inside its cell";
    EXPECT_EQ(disc->fill, dark().hues[0]);
    ++found;
  }
  EXPECT_GT(found, 25);
  EXPECT_LE(found, 36) << "masked cells have no disc";
  // A disc of weight 1 (row 0 attends only to itself) nearly fills its cell.
  EXPECT_NEAR(std::sqrt(per_weight), 0.92 * static_cast<double>(side) / 2, 0.01);
}

TEST(Dots, MaskedCellsAreHatchedAndAZeroIsAnEmptyCell) {
  DotsInput input = dots_of(4, true);
  input.heads[0].shares = Tensor(DType::f32, {4, 4});  // all zero
  const Figure figure = dots(input, 600, 600, dark(), measure());
  const Cells& cells = ground(figure);
  EXPECT_EQ(cells.mask.at({0, 3}), 0);
  EXPECT_EQ(cells.mask.at({3, 0}), 1);
  for (const Disc* disc : each<Disc>(figure)) EXPECT_FALSE(cells.box.contains(disc->centre));
  const Colormap& map = *colormaps().find(cells.colormap);
  EXPECT_EQ(map.at((0 - cells.low) / (cells.high - cells.low), dark()), dark().background) << "the ground, no ink";
  EXPECT_TRUE(says(figure, "masked: query may not see it"));
}

TEST(Dots, SeveralHeadsLieTheLargestBelow) {
  DotsInput input = dots_of(3, false, 2);
  input.heads[0].values = input.heads[0].shares = Tensor::of<float>({.1f, 0, 0, 0, 0, 0, 0, 0, 0}, {3, 3});
  input.heads[1].values = input.heads[1].shares = Tensor::of<float>({.9f, 0, 0, 0, 0, 0, 0, 0, 0}, {3, 3});
  const Figure figure = dots(input, 500, 500, dark(), measure());
  std::vector<float> radii;
  for (const Disc* disc : each<Disc>(figure))
    if (ground(figure).box.contains(disc->centre)) radii.push_back(disc->radius);
  ASSERT_EQ(radii.size(), 2u);
  EXPECT_NEAR(radii[0] / radii[1], 3, 1e-3);
  ASSERT_EQ(figure.data.size(), 2u);
  EXPECT_EQ(figure.data[1].values.at({0, 0}), static_cast<double>(.9f));
  EXPECT_EQ(figure.data[0].axes, (Axes{"query", "key"}));
}

TEST(Arcs, NothingIsCutOffOrLiesOverAnother) {
  for (const auto& [w, h] : kRooms)
    for (const std::int64_t n : {1, 2, 8, 20, 60, 128}) {
      ArcsInput input = arcs_of(n, true, 2);
      check(arcs(input, w, h, dark(), measure()), w, h, std::to_string(n) + " tokens in " + std::to_string(w));
      input = arcs_of(n, false);
      input.hot_row = n / 2;
      check(arcs(input, w, h, dark(), measure()), w, h, std::to_string(n) + " tokens, one lit, in " + std::to_string(w));
    }
}

TEST(Arcs, EveryOneOfTwentyTokensIsNamedInALowRoom) {
  for (const auto& [n, w, h] : {std::tuple{20, 540.0f, 320.0f}, {19, 535.0f, 300.0f}, {15, 540.0f, 260.0f}}) {
    const Figure figure = arcs(arcs_of(n, true), w, h, dark(), measure());
    std::map<std::pair<int, std::int64_t>, float> names;  // by side and token: its height
    for (const Item& item : figure.items)
      if (const auto* text = std::get_if<Text>(&item); text && (text->tag.kind == Tag::row || text->tag.kind == Tag::column))
        names[{text->tag.kind == Tag::row ? 0 : 1, text->tag.a}] = text->at.y;
    EXPECT_EQ(names.size(), static_cast<std::size_t>(2 * n)) << n << " tokens in " << w << " x " << h;
    check(figure, w, h, std::to_string(n) + " tokens");
  }
}

TEST(Arcs, JoinTheTokensAsWideAndStrongAsTheWeight) {
  const ArcsInput input = arcs_of(8, true);
  const Figure figure = arcs(input, 900, 700, dark(), measure());
  std::vector<float> left(8, -1), right(8, -1);
  for (const Text* t : each<Text>(figure)) {
    if (t->tag.kind == Tag::row) left[static_cast<std::size_t>(t->tag.a)] = t->at.y;
    if (t->tag.kind == Tag::column) right[static_cast<std::size_t>(t->tag.a)] = t->at.y;
  }
  const auto curves = each<Curve>(figure);
  EXPECT_EQ(curves.size(), 36u) << "all that may be seen";
  for (const Curve* curve : curves) {
    ASSERT_EQ(curve->tag.kind, Tag::cell);
    const double weight = input.heads[0].matrix.values.at({curve->tag.a, curve->tag.b});
    EXPECT_NEAR(curve->from.y, left[static_cast<std::size_t>(curve->tag.a)], 0.01);
    EXPECT_NEAR(curve->to.y, right[static_cast<std::size_t>(curve->tag.b)], 0.01);
    EXPECT_NEAR(static_cast<double>(curve->width), 0.75 + 5.25 * weight, 1e-4);
    EXPECT_NEAR(static_cast<double>(curve->color.a), 0.12 + 0.88 * weight, 1e-4);
    EXPECT_EQ(curve->color.r, dark().hues[0].r);
  }
  EXPECT_TRUE(says(figure, "all weights are drawn"));
}

TEST(Arcs, AHoveredTokenHasItsArcsAloneAndTheirNumbers) {
  ArcsInput input = arcs_of(8, true, 1, 0.3);
  input.hot_row = 5;
  const Figure figure = arcs(input, 900, 700, dark(), measure());
  std::set<std::int64_t> keys;
  for (const Curve* curve : each<Curve>(figure)) {
    EXPECT_EQ(curve->tag.a, 5);
    keys.insert(curve->tag.b);
  }
  EXPECT_EQ(keys.size(), 6u) << "all six that it may see, although only the strongest are drawn otherwise";
  for (const std::int64_t key : keys) {
    const double weight = input.heads[0].matrix.values.at({5, key});
    if (weight > 0.05) {
      EXPECT_TRUE(says(figure, cell_number(weight))) << weight;
    }
  }
  input.isolate = false;  // only pinned: its label is highlighted, the other arcs stay
  std::set<std::int64_t> rows;
  const Figure pinned = arcs(input, 900, 700, dark(), measure());
  for (const Curve* curve : each<Curve>(pinned)) rows.insert(curve->tag.a);
  EXPECT_EQ(rows.size(), 8u);
}

TEST(Arcs, TheLegendSaysWhatIsDrawn) {
  const auto said = [](const ArcsInput& input) { return legend_of(input).notes[1]; };
  ArcsInput input = arcs_of(8, true, 1, 0.3);
  const std::string crowd = said(input);
  EXPECT_NE(crowd.find('%'), std::string::npos) << crowd;
  input.hot_row = 5;
  EXPECT_EQ(said(input), input.row_labels[5] + ": all its weights are drawn");
  input.isolate = false;  // pinned, not hovered: the other arcs stay
  EXPECT_EQ(said(input), crowd);
  input.isolate = true;
  input.hot_row = -1;
  input.hot_column = 2;
  EXPECT_EQ(said(input), input.column_labels[2] + ": all weights on it are drawn");
  std::swap(input.row_name, input.column_name);  // transposed: the columns are the queries
  EXPECT_EQ(said(input), input.column_labels[2] + ": all its weights are drawn");
  input.hot_row = 1;
  EXPECT_EQ(said(input), input.column_labels[2] + " → " + input.row_labels[1] + ": this one weight is drawn");
}

TEST(Arcs, AHoveredTokenOfThousandsHasTheStrongestOnly) {
  constexpr std::int64_t kTokens = 2000;
  std::vector<float> weights(static_cast<std::size_t>(kTokens));  // one query; the weight of key k is k, shuffled
  for (std::int64_t k = 0; k < kTokens; ++k)
    weights[static_cast<std::size_t>(k * 7 % kTokens)] = static_cast<float>(k + 1) / kTokens;
  HeadMatrix head;
  head.values = head.shares = Tensor::of<float>(weights, {1, kTokens});
  ArcsInput input;
  input.heads = {{head, choose_arcs(head, {}, 1, 100)}};
  input.row_labels = {"q"};
  input.column_labels.assign(static_cast<std::size_t>(kTokens), "k");
  input.isolate = true;
  input.hot_row = 0;
  const Figure figure = arcs(input, 900, 700, dark(), measure());
  const auto curves = each<Curve>(figure);
  ASSERT_GT(curves.size(), 200u);
  ASSERT_LT(curves.size(), 700u) << "as many as pixels can tell apart";
  float weakest = 2;
  for (const Curve* curve : curves) weakest = std::min(weakest, weights[static_cast<std::size_t>(curve->tag.b)]);
  EXPECT_NEAR(weakest, 1 - static_cast<float>(curves.size() - 1) / kTokens, 1e-4f) << "and none that is weaker";
}

TEST(Arcs, AShareOfEachRowsWeightIsKept) {
  const HeatmapInput sample = samples::attention(samples::repeated(40), false);
  const HeadMatrix head = head_of(sample, "", 0);
  for (const double share : {0.5, 0.8, 1.0}) {
    const ArcSet set = choose_arcs(head, {}, share, 10000);
    std::vector<std::vector<double>> taken(40);
    for (const Arc& arc : set.arcs) taken[static_cast<std::size_t>(arc.row)].push_back(static_cast<double>(arc.weight));
    double all_held = 0;
    for (std::int64_t r = 0; r < 40; ++r) {
      std::vector<double> row;
      for (std::int64_t c = 0; c < 40; ++c) row.push_back(sample.values.at({r, c}));
      std::sort(row.rbegin(), row.rend());
      double sum = 0, held = 0;
      for (const double w : row) sum += w;
      std::size_t needed = 0;
      while (needed < row.size() && held < share * sum * (1 - 1e-5)) held += row[needed++];
      EXPECT_NEAR(static_cast<double>(taken[static_cast<std::size_t>(r)].size()), static_cast<double>(needed), 1) << "row " << r;
      for (const double w : taken[static_cast<std::size_t>(r)]) all_held += w;
    }
    EXPECT_NEAR(set.held, all_held / 40, 1e-4);
    EXPECT_GE(set.held, share - 1e-4);
  }
  // Not more than may be drawn, and the picture says what share they hold.
  const ArcSet few = choose_arcs(head, {}, 1.0, 50);
  EXPECT_EQ(few.arcs.size(), 50u);
  float weakest = 1;
  for (const Arc& arc : few.arcs) weakest = std::min(weakest, arc.weight);
  std::int64_t stronger = 0;
  for (const float w : sample.values.values<float>()) stronger += w > weakest;
  EXPECT_LT(stronger, 50) << "the strongest of all";
  EXPECT_LE(choose_arcs(head, {}, 0, 300).arcs.size(), 300u);
  ArcsInput input = arcs_of(40, false, 1, 0.5);
  char words[32];
  std::snprintf(words, sizeof words, "%.0f %% of the weight", 100 * input.heads[0].arcs.held);
  EXPECT_TRUE(says(arcs(input, 900, 700, dark(), measure()), words));
}

TEST(Arcs, TransposedTheShareIsStillTheQuerys) {
  const HeatmapInput sample = samples::attention(samples::repeated(12), true);
  const HeadMatrix plain = head_of(sample, "", 0);
  HeadMatrix turned = plain;
  turned.values = turned.shares = sample.values.permuted({1, 0}).compact();
  const ArcSet a = choose_arcs(plain, sample.mask, 0.6, 1000),
               b = choose_arcs(turned, sample.mask.permuted({1, 0}).compact(), 0.6, 1000, false);
  std::set<std::pair<std::int64_t, std::int64_t>> first, second;
  for (const Arc& arc : a.arcs) first.insert({arc.row, arc.column});
  for (const Arc& arc : b.arcs) second.insert({arc.column, arc.row});
  EXPECT_EQ(first, second);
}

NeuronInput neuron_of(std::int64_t keys, std::int64_t d) {
  NeuronInput input;
  input.query_label = "·creature";
  input.query = Tensor(DType::f32, {d});
  input.keys = Tensor(DType::f32, {keys, d});
  for (std::int64_t x = 0; x < d; ++x) input.query.data<float>()[x] = std::sin(static_cast<float>(x) + 1);
  for (std::int64_t i = 0; i < keys * d; ++i) input.keys.data<float>()[i] = std::cos(0.7f * static_cast<float>(i));
  for (std::int64_t j = 0; j < keys; ++j) {
    NeuronInput::Key row;
    row.number = j;
    row.label = samples::eight_tokens()[static_cast<std::size_t>(j % 8)];
    row.visible = j < keys - 1;
    for (std::int64_t x = 0; x < d; ++x) row.score += input.query.at({x}) * input.keys.at({j, x});
    row.scaled = row.score / 4;
    row.weight = 1.0 / static_cast<double>(keys);
    input.rows.push_back(row);
  }
  input.total = keys;
  input.title = "layer 0, head 3";
  input.note = "random weights, seed 0";
  return input;
}

TEST(Neuron, NothingIsCutOffOrLiesOverAnother) {
  for (const auto& [w, h] : kRooms)
    for (const std::int64_t d : {2, 16, 64, 128})
      for (const std::int64_t n : {1, 2, 8, 10}) {
        const auto fit = std::min(n, neuron_rows(h, measure()));
        check(neuron(neuron_of(fit, d), w, h, dark(), measure()), w, h,
              std::to_string(n) + " keys of " + std::to_string(d) + " in " + std::to_string(w));
      }
}

TEST(Neuron, TheProductsAddUpToTheScore) {
  const NeuronInput input = neuron_of(6, 16);
  const Figure figure = neuron(input, 1000, 700, dark(), measure());
  // A strip for q, one of k and one of products for each key.
  std::vector<const Cells*> strips;
  for (const Cells* c : each<Cells>(figure))
    if (c->columns == 16) strips.push_back(c);
  ASSERT_EQ(strips.size(), 13u);
  for (std::size_t j = 0; j < 6; ++j) {
    const Cells &k = *strips[1 + 2 * j], &product = *strips[2 + 2 * j];
    EXPECT_EQ(k.tag.a, static_cast<std::int64_t>(j));
    double sum = 0;
    for (std::int64_t x = 0; x < 16; ++x) {
      EXPECT_NEAR(product.values.at({0, x}), input.query.at({x}) * k.values.at({0, x}), 1e-6);
      sum += product.values.at({0, x});
    }
    EXPECT_NEAR(sum, input.rows[j].score, 1e-5);
    char text[32];
    std::snprintf(text, sizeof text, "%+.2f", sum);
    EXPECT_TRUE(says(figure, text)) << text;
    // q is above k, dimension above dimension.
    EXPECT_NEAR(strips[0]->box.x, k.box.x, 0.01);
    EXPECT_NEAR(strips[0]->box.w, k.box.w, 0.01);
  }
  EXPECT_TRUE(says(figure, "masked: query may not see it")) << "the last key";
  ASSERT_EQ(figure.data.size(), 6u);
  EXPECT_EQ(figure.data[2].values.shape(), (Shape{6, 16}));
}

TEST(Neuron, SaysWhatItLeavesOut) {
  NeuronInput input = neuron_of(6, 16);
  input.total = 2048;
  input.held = 0.63;
  EXPECT_TRUE(says(neuron(input, 1000, 700, dark(), measure()), "the 6 strongest of 2048 keys, 63 % of the weight"));
}

TEST(Normalise, ColoursAndWordsForEachRange) {
  const Tensor weights = Tensor::of<float>({.1f, .4f, .5f, 0, .2f, .05f, .01f, 1e-6f}, {2, 4});
  const Tensor mask = Tensor::of<std::uint8_t>({1, 1, 0, 1, 1, 1, 1, 1}, {2, 4});
  const Shades fixed = shades_of_weights(weights, mask, "fixed", 0.4, true);
  EXPECT_EQ(fixed.high, 1);
  EXPECT_EQ(fixed.values.at({0, 1}), weights.at({0, 1}));
  EXPECT_EQ(shades_of_weights(weights, mask, "own", 0.4, true).high, 0.4f);
  const Shades row = shades_of_weights(weights, mask, "row", 0.4, true);
  EXPECT_NEAR(row.values.at({0, 1}), 1, 1e-6) << "the row's largest that may be seen";
  EXPECT_NEAR(row.values.at({0, 0}), 0.25, 1e-6);
  EXPECT_NEAR(row.values.at({1, 0}), 1, 1e-6);
  const Shades column = shades_of_weights(weights, mask, "row", 0.4, false);
  EXPECT_NEAR(column.values.at({1, 0}), 1, 1e-6) << "transposed: a query is a column";
  EXPECT_NEAR(column.values.at({0, 0}), 0.5, 1e-6);
  const Shades log = shades_of_weights(weights, mask, "log", 0.4, true);
  EXPECT_NEAR(log.values.at({0, 0}), -1, 1e-6);
  EXPECT_NEAR(log.values.at({1, 3}), -4, 1e-6) << "smaller than 0.0001 is drawn as that";
  EXPECT_EQ(log.low_words, "0.0001");
  EXPECT_NEAR(shares_of(log).at({1, 2}), 0.5, 1e-6) << "0.01 is half way from 0.0001 to 1";
  const Shades scores = shades_of_scores(Tensor::of<float>({-2, 1}, {1, 2}), 2, "score");
  EXPECT_NEAR(shares_of(scores).at({0, 0}), -1, 1e-6);
  EXPECT_NEAR(shares_of(scores).at({0, 1}), 0.5, 1e-6);
  std::set<std::string> words;
  for (const char* range : {"fixed", "own", "row", "log"}) words.insert(shades_of_weights(weights, mask, range, 0.4, true).words);
  EXPECT_EQ(words.size(), 4u);
}

TEST(Labels, RepeatedTokensAreNumberedAndNoTwoAreTheSame) {
  EXPECT_EQ(numbered({"the", "cat", "the"}), (std::vector<std::string>{"the₁", "cat", "the₂"}));
  EXPECT_EQ(numbered({"a", "b"}), (std::vector<std::string>{"a", "b"}));
  const auto awkward = numbered({"a", "a", "a₁", "a₂", "a₂"});  // tokens that look like numbered ones
  EXPECT_EQ(std::set<std::string>(awkward.begin(), awkward.end()).size(), awkward.size());
  std::vector<std::string> many(2000, "x");
  const auto out = numbered(many);
  EXPECT_EQ(out[1233], "x₁₂₃₄");
}

TEST(HeadGrid, InAnOrderOfTheirOwnEachHasItsName) {
  GridInput input = samples::grid(3, 4, 6);
  input.bare = true;
  input.ordered = true;
  input.order = {7, 2, 11, 0};
  for (std::int64_t i = 0; i < 12; ++i) {
    input.names.push_back(std::to_string(i / 4) + "." + std::to_string(i % 4));
    input.marks.push_back("." + std::to_string(i));
  }
  const Figure figure = head_grid(input, 500, 400, dark(), measure());
  check(figure, 500, 400, "ordered");
  std::vector<std::int64_t> seen;
  for (const Cells* c : each<Cells>(figure))
    if (c->tag.kind == Tag::thumbnail) seen.push_back(c->tag.a * 4 + c->tag.b);
  EXPECT_EQ(seen, input.order);
  EXPECT_TRUE(says(figure, "1.3 .7"));
  EXPECT_TRUE(says(figure, "2.3 .11"));
}

TEST(HeadGrid, WhatTheFilterLeavesOutIsVeiledAndThePinnedHaveTheirHue) {
  GridInput input = samples::grid(2, 2, 6);
  input.faint = {0, 1, 0, 0};
  input.chosen = {{3, 5}};
  const Figure figure = head_grid(input, 500, 500, dark(), measure());
  int veils = 0, outlines = 0;
  for (const Rectangle* r : each<Rectangle>(figure)) {
    if (r->fill.a > 0.5f && r->tag.kind == Tag::thumbnail) {
      ++veils;
      EXPECT_EQ(r->tag.a * 2 + r->tag.b, 1);
    }
    outlines += r->stroke == dark().hues[5];
  }
  EXPECT_EQ(veils, 1);
  EXPECT_EQ(outlines, 1);
  ASSERT_EQ(figure.data.size(), 1u);
  EXPECT_EQ(figure.data[0].values.shape(), (Shape{2, 2, 6, 6}));
}

TEST(Heatmap, SeveralHeadsInOneCarryTheirMarks) {
  HeatmapInput input = samples::attention(samples::eight_tokens(), true);
  input.strongest = Tensor(DType::i32, {8, 8});
  input.strongest.data<std::int32_t>()[8 * 3 + 1] = 1;
  input.heads = {{"0.1", 1}, {"0.4", 4}};
  const Figure figure = heatmap(input, 900, 700, dark(), measure());
  int first = 0, second = 0;
  for (const Polygon* mark : each<Polygon>(figure)) {
    first += mark->fill == dark().hues[1];
    second += mark->fill == dark().hues[4];
  }
  EXPECT_EQ(first, 35);
  EXPECT_EQ(second, 1);
  EXPECT_TRUE(says(figure, "0.4"));
}

}  // namespace
}  // namespace headlight::figures
