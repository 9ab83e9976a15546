// The Masks view on a null renderer: strokes with mouse and keyboard, their effect on the document, and the effect it shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/views/base/mask_edit.h"
#include "app/views/masks/data.h"
#include "app/views/masks/parts.h"
#include "app/window/commands/palette_commands.h"
#include "engine/attention/masks/combined.h"
#include "engine/backends/backends.h"
#include "engine/pipeline/run.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::NullWindow;
using window::Shell;

Document masks_small() {
  Document document = test::small_document();
  document.texts = {"abcdefgh"};
  document.heads = 2;
  return document;
}

struct MasksRoom : test::Room {
  explicit MasksRoom(Document document = masks_small(), ViewState view = {}, float width = 1600, float height = 1000)
      : test::Room(std::move(document), on_masks(std::move(view)), width, height) {}
  static ViewState on_masks(ViewState view) {
    view.tab = "masks";
    return view;
  }
  void move(figures::Point at) { test::Room::move(at.x, at.y); }
  // The middle of a cell of the first picture, found by hovering: down its middle to the row, then along the row. Transposed,
  // a key has a row.
  figures::Point cell(std::int64_t query, std::int64_t key) {
    const auto place = shell->parts.places.at("masks:paint");
    float x = (place.x0 + place.x1) / 2, y = place.y0 + 4;
    const auto on = [&](float at_x, float at_y, bool row_only) {
      move({at_x, at_y});
      const bool in_row = shell->view().transposed ? shell->hover.now.column == key : shell->hover.now.row == query;
      return in_row && (row_only || (shell->hover.now.row == query && shell->hover.now.column == key));
    };
    while (y < place.y1 && !on(x, y, true)) y += 9;
    for (x = place.x0 + 4; x < place.x1; x += 9) {
      if (!on(x, y, false)) continue;
      // Away from the edge.
      return on(x + 6, y + 6, false) ? figures::Point{x + 6, y + 6} : figures::Point{x, y};
    }
    ADD_FAILURE() << "no cell " << query << ", " << key;
    return {};
  }
  void drag(figures::Point from, figures::Point to) {
    move(from);
    press(true);
    move({(from.x + to.x) / 2, (from.y + to.y) / 2});
    move(to);
    press(false);
  }
  bool may(std::int64_t query, std::int64_t key) const {
    const auto& matrix = shell->document().custom_mask;
    return !matrix || matrix->values[static_cast<std::size_t>(query * matrix->keys + key)] != 0;
  }
};

TEST(MasksView, ADragPaintsARectangleAndUndoTakesItBackInOneStep) {
  MasksRoom room;
  const Document before = room.shell->document();
  const auto from = room.cell(5, 1), to = room.cell(2, 4);
  room.drag(from, to);
  ASSERT_NE(room.shell->document().custom_mask, nullptr);
  ASSERT_NE(views::layer_of(room.shell->document(), "custom"), nullptr);
  EXPECT_EQ(room.shell->document().custom_mask->queries, 8);
  EXPECT_EQ(room.shell->document().custom_mask->keys, 8);
  for (std::int64_t i = 0; i < 8; ++i)
    for (std::int64_t j = 0; j < 8; ++j) EXPECT_EQ(room.may(i, j), !(i >= 2 && i <= 5 && j >= 1 && j <= 4)) << i << " " << j;
  room.settle();
  const auto weights = room.shell->published().trace->tile("layer.0.weights", {0, 0, 3, 1, 0, -1});
  ASSERT_TRUE(weights.ok());
  for (std::int64_t j = 1; j <= 4; ++j) EXPECT_EQ(weights->at({0, j}), 0.0) << "the weights follow at once";
  room.shell->undo();
  EXPECT_TRUE(room.shell->document() == before) << "one step";
  room.shell->redo();
  EXPECT_FALSE(room.may(3, 3));
}

TEST(MasksView, TheDocumentIsUntouchedUntilTheReleaseAndEscapeGivesUp) {
  MasksRoom room;
  const auto from = room.cell(1, 1), to = room.cell(4, 4);
  room.move(from);
  room.press(true);
  room.move(to);
  EXPECT_EQ(room.shell->document().custom_mask, nullptr);
  room.window.key(*room.shell, ImGuiKey_Escape);
  room.press(false);
  EXPECT_EQ(room.shell->document().custom_mask, nullptr);
  EXPECT_TRUE(room.shell->document().masks.empty());
}

TEST(MasksView, ADragThatEndsOutsideReachesTheLastCell) {
  MasksRoom room;
  const auto from = room.cell(6, 6);
  room.drag(from, {from.x + 900, from.y + 700});
  for (std::int64_t i = 0; i < 8; ++i)
    for (std::int64_t j = 0; j < 8; ++j) EXPECT_EQ(room.may(i, j), i < 6 || j < 6) << i << " " << j;
}

TEST(MasksView, RowsColumnsAndTheBrush) {
  ViewState view;
  view.own.of<views::masked::State>().tool = "row";
  {
    MasksRoom room(masks_small(), view);
    room.drag(room.cell(2, 3), room.cell(3, 5));
    for (std::int64_t i = 0; i < 8; ++i)
      for (std::int64_t j = 0; j < 8; ++j) EXPECT_EQ(room.may(i, j), i != 2 && i != 3);
  }
  view.own.of<views::masked::State>().tool = "column";
  {
    MasksRoom room(masks_small(), view);
    const auto at = room.cell(2, 3);
    room.drag(at, at);
    for (std::int64_t i = 0; i < 8; ++i)
      for (std::int64_t j = 0; j < 8; ++j) EXPECT_EQ(room.may(i, j), j != 3);
  }
  view.own.of<views::masked::State>().tool = "cell";
  {
    MasksRoom room(masks_small(), view);
    const auto from = room.cell(1, 1), to = room.cell(6, 6);
    room.move(from);
    room.press(true);
    room.move(to);  // in one jump: the stroke has no gaps
    room.press(false);
    for (std::int64_t i = 0; i < 8; ++i)
      for (std::int64_t j = 0; j < 8; ++j) EXPECT_EQ(room.may(i, j), !(i == j && i >= 1 && i <= 6)) << i << " " << j;
  }
}

TEST(MasksView, TransposedTheSameStrokePaintsTheMirroredCells) {
  ViewState view;
  view.transposed = true;
  MasksRoom room(masks_small(), view);
  room.drag(room.cell(1, 4), room.cell(2, 6));
  for (std::int64_t i = 0; i < 8; ++i)
    for (std::int64_t j = 0; j < 8; ++j) EXPECT_EQ(room.may(i, j), !(i >= 1 && i <= 2 && j >= 4 && j <= 6));
}

TEST(MasksView, AllowingErasesWhatWasPainted) {
  ViewState view;
  view.own.of<views::masked::State>().allows = true;
  Document document = masks_small();
  document.masks = {{"custom", {}}};
  document.custom_mask = std::make_shared<const masks::Matrix>(masks::Matrix{8, 8, std::vector<std::uint8_t>(64, 0)});
  MasksRoom room(document, view);
  room.drag(room.cell(0, 0), room.cell(1, 7));
  for (std::int64_t i = 0; i < 8; ++i)
    for (std::int64_t j = 0; j < 8; ++j) EXPECT_EQ(room.may(i, j), i <= 1);
}

TEST(MasksView, PaintsByKeyboardAlone) {
  MasksRoom room;
  const auto at = room.cell(0, 0);
  room.shell->view().own.of<views::masked::State>().tool = "cell";
  room.drag(at, at);  // the first stroke gives the cells the keyboard focus
  EXPECT_FALSE(room.may(0, 0));
  room.shell->view().own.of<views::masked::State>().tool = "rectangle";
  for (int i = 0; i < 3; ++i) room.window.key(*room.shell, ImGuiKey_DownArrow);
  for (int i = 0; i < 2; ++i) room.window.key(*room.shell, ImGuiKey_RightArrow);
  room.window.key(*room.shell, ImGuiKey_Space);
  for (int i = 0; i < 2; ++i) room.window.key(*room.shell, ImGuiKey_DownArrow);
  EXPECT_TRUE(room.may(3, 2)) << "one corner is set, nothing is painted yet";
  room.window.key(*room.shell, ImGuiKey_RightArrow);
  room.window.key(*room.shell, ImGuiKey_Space);
  for (std::int64_t i = 0; i < 8; ++i)
    for (std::int64_t j = 0; j < 8; ++j)
      EXPECT_EQ(room.may(i, j), !((i == 0 && j == 0) || (i >= 3 && i <= 5 && j >= 2 && j <= 3))) << i << " " << j;
  EXPECT_EQ(room.shell->document().texts, masks_small().texts) << "Space and the arrows stay out of the sentence";
}

TEST(MasksView, EveryPageInEveryState) {
  Document two = masks_small();
  two.texts = {"abcdefgh", "xyz"};
  two.masks = *masks::parse_list("causal,padding,window:1,global:0");
  Document cross = masks_small();
  cross.targets = {"de"};
  cross.masks = *masks::parse_list("causal,padding,dilated:1/2,block:2");
  Document nothing = masks_small();
  nothing.masks = *masks::parse_list("custom");
  nothing.custom_mask = std::make_shared<const masks::Matrix>(masks::Matrix{8, 8, std::vector<std::uint8_t>(64, 0)});
  Document refused = masks_small();
  refused.masks = {{"custom", {}}};  // no matrix is given
  Document empty = masks_small();
  empty.texts = {""};
  Document one = masks_small();
  one.texts = {"a"};
  for (const Document& document : {masks_small(), two, cross, nothing, refused, empty, one})
    for (const char* site : {"", "decoder.cross.", "encoder."})
      for (const char* page : {"paint", "shapes", "fill"})
        for (const char* shows : {"before", "after", "difference", "all"})
          for (const std::int64_t row : {-1, 0, 70}) {
            if (document.targets.empty() && *site) continue;
            if (std::string(shows) != "all" && (std::string(page) != "paint" || row != -1 || *site)) continue;
            ViewState view;
            view.site = site;
            view.own.of<views::masked::State>().page = page;
            view.own.of<views::masked::State>().shows = shows;
            view.own.of<views::masked::State>().row = row;
            view.batch = 1;
            MasksRoom room(document, view, row < 0 ? 1600.0f : 1280.0f, row < 0 ? 1000.0f : 720.0f);
            EXPECT_GT(room.window.vertices(), 500);
            EXPECT_EQ(room.window.errors(), 0);
          }
}

TEST(MasksView, ThePaletteStepsThroughTheRows) {
  MasksRoom room;
  const auto run = [&](const std::string& name) {
    const auto commands = window::palette_commands(*room.shell);
    const auto found = std::ranges::find_if(commands, [&](const auto& c) { return c.english == name; });
    ASSERT_NE(found, commands.end()) << name;
    room.shell->view().tab = "values";
    const window::Frame frame = room.window.as_frame();
    room.shell->frame_in_progress = &frame;  // as in the palette
    found->run();
    room.shell->frame_in_progress = nullptr;
    EXPECT_EQ(room.shell->view().tab, "masks");
  };
  const auto& row = room.shell->view().own.of<views::masked::State>().row;
  run("Masks: one row on");
  EXPECT_EQ(row, 0);
  run("Masks: one row back");
  EXPECT_EQ(row, -1) << "all rows at once";
  run("Masks: one row back");
  EXPECT_EQ(row, 7);
}

TEST(MaskEffect, BeforeIsTheDocumentWithoutMasksAndTheDifferenceIsTheirs) {
  Document document = masks_small();
  document.masks = *masks::parse_list("causal,window:2");
  ViewState view;
  view.own.of<views::masked::State>().shows = "all";
  view.layer = 1;
  view.head = 1;
  MasksRoom room(document, view);
  Document plain = document;
  plain.masks.clear();
  const auto backend = backends::open("cpu");
  ASSERT_TRUE(backend.ok());
  const auto without = run(plain, **backend, {});
  const auto with = run(document, **backend, {});
  ASSERT_TRUE(without.ok() && with.ok());
  const Tensor a = *(*with)->tile("layer.1.weights", {0, 1}), b = *(*without)->tile("layer.1.weights", {0, 1});

  // The tab's own context, as the shell makes it.
  gl::FigureView figures;
  const gl::Fonts fonts;
  const window::Frame frame{fonts, figures};
  const views::Context context = room.shell->context(frame);
  const auto choice = views::choose_attention(context);
  ASSERT_NE(choice.site, nullptr);
  ASSERT_EQ(choice.head, 1);
  const auto answer = views::masked::mask_effect(context, choice);
  ASSERT_NE(answer.value, nullptr) << answer.error;
  double mean = 0, largest = 0;
  for (std::int64_t i = 0; i < 8; ++i) {
    double moved = 0;
    for (std::int64_t j = 0; j < 8; ++j) {
      EXPECT_NEAR(answer.value->before.at({i, j}), b.at({i, j}), 1e-6);
      EXPECT_NEAR(answer.value->difference.at({i, j}), a.at({i, j}) - b.at({i, j}), 1e-6);
      moved += std::abs(a.at({i, j}) - b.at({i, j})) / 2;
      largest = std::max(largest, std::abs(a.at({i, j}) - b.at({i, j})));
    }
    EXPECT_NEAR(answer.value->moved[static_cast<std::size_t>(i)], moved, 1e-5);
    mean += moved / 8;
  }
  EXPECT_GT(largest, 0.05);
  EXPECT_NEAR(answer.value->largest, largest, 1e-6);
  EXPECT_NEAR(answer.value->mean_moved, mean, 1e-5);
}

TEST(MaskFilms, TheSweepsFramesFollowTheParameterAndTheRevealFollowsTheRows) {
  Document document = masks_small();
  document.masks = *masks::parse_list("window:2");
  MasksRoom room(document);
  gl::FigureView figures;
  const gl::Fonts fonts;
  const window::Frame frame{fonts, figures};
  const views::Context context = room.shell->context(frame);
  const auto choice = views::choose_attention(context);
  struct Pitch final : figures::TextMeasure {
    float width(std::string_view text, float size, figures::Font) const override {
      return 0.5f * size * static_cast<float>(text.size());
    }
    float line_height(float size, figures::Font) const override { return size * 1.3f; }
  } pitch;
  const masks::Entry& window = *masks::registry().find("window");
  const figures::Animation sweep = views::masked::sweep_film(context, choice, document.masks[0], window.parameters[0]);
  ASSERT_EQ(sweep.frames, 7) << "sizes 1 to 7 of eight tokens";
  const auto masked_in = [&](const figures::Figure& figure) {
    for (const auto& item : figure.items)
      if (const auto* cells = std::get_if<figures::Cells>(&item); cells && cells->tag.kind == figures::Tag::cell_area) {
        const auto mask = cells->mask.values<std::uint8_t>();
        return static_cast<std::int64_t>(std::count(mask.begin(), mask.end(), std::uint8_t{0}));
      }
    return std::int64_t{-1};
  };
  for (int i = 0; i < sweep.frames; ++i) {
    std::int64_t expected = 0;
    for (int q = 0; q < 8; ++q)
      for (int k = 0; k < 8; ++k) expected += std::abs(q - k) > i + 1;
    EXPECT_EQ(masked_in(sweep.frame(i, pitch)), expected) << i;
  }
  const figures::Animation reveal = views::masked::reveal_film(context, choice);
  ASSERT_EQ(reveal.frames, 8);
  const figures::Figure first = reveal.frame(0, pitch), last = reveal.frame(7, pitch);
  EXPECT_EQ(first.width, last.width);
  EXPECT_EQ(first.height, last.height);
}

TEST(MaskEdit, LayersAreAddedReplacedAndTakenAway) {
  Document document;
  document = views::with_layer(document, {"window", {{"size", std::int64_t{3}}}});
  document = views::with_layer(document, {"causal", {}});
  document = views::with_layer(document, {"window", {{"size", std::int64_t{5}}}});
  EXPECT_EQ(masks::to_text(document.masks), "window:size=5,causal");
  for (const views::MaskPreset& preset : views::mask_presets()) {
    const Document with = views::with_preset(document, preset);
    EXPECT_TRUE(views::is_preset(with, preset)) << preset.label;
    if (const Choice* window = views::layer_of(with, "window")) {
      EXPECT_EQ(std::get<std::int64_t>(window->values.at("size")), 5) << "its size stays";
    }
  }
  EXPECT_EQ(masks::to_text(views::without_layer(document, "window").masks), "causal");
}

TEST(MaskEdit, ThePaintedLayerGrowsInvertsCopiesAndClears) {
  Document document;
  const views::CellRange one{1, 2, 1, 1};
  document = views::painted(document, 3, 3, std::span(&one, 1), false);
  const auto first = document.custom_mask;
  const views::CellRange beyond{3, 3, 9, 9};  // cut at the matrix
  Document larger = views::painted(document, 5, 4, std::span(&beyond, 1), false);
  EXPECT_EQ(larger.custom_mask->queries, 5);
  EXPECT_EQ(larger.custom_mask->keys, 4);
  EXPECT_EQ(views::masked_cells(*larger.custom_mask, 5, 4), 3);  // (1,2), (3,3), (4,3)
  EXPECT_EQ(views::masked_cells(*first, 3, 3), 1) << "the shared matrix itself never changes";
  EXPECT_EQ(views::masked_cells(*views::inverted(document, 3, 3).custom_mask, 3, 3), 8);
  const Tensor causal = Tensor::of<std::uint8_t>({1, 0, 0, 1, 1, 0, 1, 1, 1}, {3, 3});
  const Document copied = views::filled_from(document, 3, 3, causal);
  EXPECT_EQ(copied.custom_mask->values, (std::vector<std::uint8_t>{1, 0, 0, 1, 1, 0, 1, 1, 1}));
  const Document cleared = views::cleared(copied);
  EXPECT_EQ(cleared.custom_mask, nullptr);
  EXPECT_EQ(views::layer_of(cleared, "custom"), nullptr);
}

// By the engine's own rule for all layers but the painted one, however many cells there are.
TEST(MaskEdit, WhatStaysMaskedIsWhatTheOtherLayersForbid) {
  masks::Request request;
  request.batch = 2;
  request.queries = request.keys = 300;
  request.key_lengths = {300, 290};
  const auto list = [](const char* text) { return masks::parse_list(text).value(); };
  const masks::Matrix painted{300, 300, std::vector<std::uint8_t>(90000, 0)};
  for (const char* others :
       {"causal", "causal,padding", "window:3,global:0+7", "padding,dilated:2/2,block:5,global:4", "padding"}) {
    SCOPED_TRACE(others);
    const auto all = masks::combine(list((std::string(others) + ",custom").c_str()), request, &painted);
    const auto rest = masks::combine(list(others), request, nullptr);
    ASSERT_TRUE(all.ok() && rest.ok());
    const std::vector<views::CellRange> ranges = {{0, 0, 300, 300}};
    std::int64_t forbidden = 0;
    for (std::int64_t i = 0; i < 300; ++i)
      for (std::int64_t j = 0; j < 300; ++j) forbidden += !masks::allows(rest->mask, 1, 0, i, j);
    EXPECT_GT(forbidden, 0);
    EXPECT_EQ(views::still_masked(*all, 1, ranges), forbidden) << "90,000 cells";
    const std::vector<views::CellRange> two = {{2, 5, 1, 3}, {250, 292, 2, 2}};
    forbidden = 0;
    for (const views::CellRange& range : two)
      for (std::int64_t i = range.query; i < range.query + range.queries; ++i)
        for (std::int64_t j = range.key; j < range.key + range.keys; ++j) forbidden += !masks::allows(rest->mask, 1, 0, i, j);
    EXPECT_EQ(views::still_masked(*all, 1, two), forbidden);
  }
  const auto alone = masks::combine(list("custom"), request, &painted);
  ASSERT_TRUE(alone.ok());
  EXPECT_EQ(views::still_masked(*alone, 0, std::vector<views::CellRange>{{0, 0, 300, 300}}), 0) << "nothing but what is painted";
}

TEST(MaskEdit, CountsAgreeWithLoopsOfTheirOwn) {
  masks::Request request;
  request.batch = 2;
  request.queries = request.keys = 6;
  request.key_lengths = {6, 4};
  const auto combined = masks::combine(*masks::parse_list("causal,padding,window:1,global:0"), request, nullptr);
  ASSERT_TRUE(combined.ok());
  const views::MaskCount count = views::count_masks(*combined, 6, 6, 1);
  ASSERT_EQ(count.layers.size(), 4u);
  std::int64_t causal = 0, padding = 0, window = 0, back = 0, masked = 0;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      const bool far = std::abs(i - j) > 1, late = j > i, pad = j >= 4, global = i == 0 || j == 0;
      causal += late;
      padding += pad;
      window += far;
      back += far && global && !late && !pad;
      masked += late || pad || (far && !global);
    }
  EXPECT_EQ(count.layers[0].masked, causal);
  EXPECT_EQ(count.layers[1].masked, padding);
  EXPECT_EQ(count.layers[2].masked, window);
  EXPECT_EQ(count.layers[3].masked, back);
  EXPECT_EQ(count.masked, masked);
  EXPECT_EQ(count.cells, 36);
  EXPECT_EQ(count.layers[1].shape, (Shape{2, 1, 1, 6}));
  EXPECT_TRUE(count.empty_rows.empty());
  EXPECT_EQ(count.first_masked_row, 0);
}

}  // namespace
}  // namespace headlight
