// The Values view under the mouse, frame by frame on a null renderer: one row as a sum, the ledger with its grid, value maps; and
// that what it shows is the trace's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>
#include <stdexcept>
#include <string>

#include "app/views/base/context.h"
#include "app/views/base/view.h"
#include "app/views/values/ledger_data.h"
#include "app/views/values/map_picture.h"
#include "app/views/values/norms_data.h"
#include "app/views/values/state.h"
#include "engine/document/stored_model.h"
#include "engine/insight/value_map.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;
namespace values = views::values;

ViewState on_page(const std::string& page, ViewState view = {}) {
  view.tab = "values";
  view.own.of<values::State>().page = page;
  return view;
}
values::State& state_of(Room& room) { return room.shell->view().own.of<values::State>(); }

// As `export --what ID` writes it.
figures::Figure exported(Room& room, const std::string& what) {
  const views::Context context = room.shell->context(room.window.as_frame());
  for (const views::Picture& picture : views::registry().find("values")->all_pictures())
    if (picture.id == what) return picture.figure(context, 932, 0);
  throw std::runtime_error("no picture " + what);
}

TEST(ValuesView, EveryPartIsThereAndNamed) {
  Room room(test::small_document("words"), on_page("sum"));
  for (const char* name :
       {"values:bar", "values:sum", "values:vectors", "values:scale", "values:temperature", "values:query", "values:movement"})
    EXPECT_TRUE(room.has(name)) << name;
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(ValuesView, ASegmentLightsItsCellAndAClickPinsIt) {
  ViewState view;
  view.pinned_row = 2;
  view.pinned_column = 0;
  Room room(test::small_document("words"), on_page("sum", view));
  const auto at = room.search("values:bar", [&] { return room.shell->hover.now.column == 3; });
  ASSERT_GE(at.x, 0) << "no segment of key 3";
  const auto hot = room.shell->hover.now;
  EXPECT_EQ(hot.row, 2);
  EXPECT_EQ(hot.value.step, "layer.0.weights");
  EXPECT_EQ(hot.value.index, (std::vector<std::int64_t>{0, 0, 2, 3}));
  room.click(at.x, at.y);
  EXPECT_EQ(room.shell->view().pinned_row, 2);
  EXPECT_EQ(room.shell->view().pinned_column, 3);
}

TEST(ValuesView, AStripIsANumberOfV) {
  ViewState view;
  view.pinned_row = 1;
  view.layer = 1;
  view.head = 3;
  Room room(test::small_document("words"), on_page("sum", view));
  const auto at = room.search(
      "values:sum", [&] { return room.shell->hover.now.value.step == "layer.1.v"; }, 7);
  ASSERT_GE(at.x, 0);
  const auto index = room.shell->hover.now.value.index;
  ASSERT_EQ(index.size(), 4u);
  EXPECT_EQ(index[1], 3);
  EXPECT_GE(index[2], 0);
  EXPECT_LT(index[2], 4);
  EXPECT_LT(index[3], 4);
  EXPECT_EQ(room.shell->hover.now.column, index[2]);
  room.click(at.x, at.y);
  EXPECT_EQ(room.shell->view().inspector.step, "layer.1.v");
  EXPECT_EQ(room.shell->view().inspector.index, index);
  const auto sum = room.search(
      "values:sum", [&] { return room.shell->hover.now.value.step == "layer.1.context"; }, 7);
  EXPECT_GT(sum.y, at.y) << "the sum stands below";
}

TEST(ValuesView, TheTemperatureIsDraggedLiveAndOneUndoTakesItBack) {
  Room room(test::small_document("words"), on_page("sum"));
  const auto track = room.part("values:temperature");
  room.move((track.x0 + track.x1) / 2, (track.y0 + track.y1) / 2);
  const auto row = [&] { return room.shell->view().pinned_row; };
  EXPECT_EQ(row(), -1) << "the strongest cell's row is shown";
  room.press(true);
  std::vector<double> seen;
  std::vector<std::int64_t> rows;
  for (int i = 1; i <= 5; ++i) {
    room.move((track.x0 + track.x1) / 2 + static_cast<float>(i) * 12, (track.y0 + track.y1) / 2);
    seen.push_back(room.shell->document().temperature);
    rows.push_back(row());
  }
  EXPECT_GE(rows.front(), 0) << "and stays, though another cell may become the strongest";
  EXPECT_EQ(std::set<std::int64_t>(rows.begin(), rows.end()).size(), 1u);
  EXPECT_GE(room.shell->view().pinned_column, 0);
  room.press(false);
  EXPECT_GT(seen.back(), 1);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  room.settle();
  EXPECT_EQ(room.shell->published().trace->document().temperature, seen.back());
  room.shell->undo();
  EXPECT_EQ(room.shell->document().temperature, 1);
}

TEST(ValuesView, AMaskedKeyHasNoSegment) {
  Document document = test::small_document("words");
  document.masks = {{"causal", {}}};
  ViewState view;
  view.pinned_row = 1;
  Room room(document, on_page("sum", view));
  EXPECT_LT(room.search("values:bar", [&] { return room.shell->hover.now.column > 1; }).x, 0);
  EXPECT_GE(room.search("values:bar", [&] { return room.shell->hover.now.column == 1; }).x, 0);
}

TEST(ValuesView, EveryModelAndTextIsDrawn) {
  for (const char* text :
       {"a", "我爱注意力", "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7 family", "one two three four five six"})
    for (const bool plain : {false, true})
      for (const bool target : {false, true}) {
        Document document = test::small_document("words");
        document.tokenizer = "bpe";
        document.texts = {text};
        if (target) document.targets = {"le chat noir"};
        if (plain) {
          document.projected = document.residual = document.feed_forward = false;
          document.heads = 1;
          document.norm = "none";
        }
        ViewState view;
        view.site = target ? "decoder.cross." : "";
        Room room(document, on_page("sum", view), 1280, 720);
        EXPECT_TRUE(room.has("values:bar"));
        EXPECT_TRUE(room.has("values:sum"));
        room.move(300, 400);
        room.move(700, 500);
        EXPECT_EQ(room.window.errors(), 0);
      }
}

ViewState ledger_view_of(const std::string& page) {
  ViewState view = on_page(page);
  view.own.of<values::State>().dimensions = 4;
  view.layer = 1;
  view.pinned_row = 2;
  view.pinned_column = 1;
  return view;
}

Document ledger_two_sentences() {
  Document document = test::small_document("words");
  document.targets = {"une creature bleue"};
  return document;
}

TEST(ValuesLedger, AButtonOpensItAndTheInspectorMakesRoom) {
  Room room(test::small_document("words"), ledger_view_of("sum"));
  EXPECT_TRUE(room.has("inspector"));
  room.click_part("values:pages", 0.16f);
  room.settle();
  EXPECT_EQ(state_of(room).page, "ledger");
  for (const char* part : {"values:ledger", "values:grid", "values:dimension", "values:dimensions", "values:scales"})
    EXPECT_TRUE(room.has(part)) << part;
  EXPECT_FALSE(room.has("inspector"));
  room.click_part("values:pages", 0.395f);
  room.settle();
  EXPECT_EQ(state_of(room).page, "grid");
  EXPECT_TRUE(room.has("values:grid"));
  EXPECT_FALSE(room.has("values:ledger"));
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(ValuesLedger, AHeadsRowLoadsItIntoTheGridAndAStripMovesTheBracket) {
  Room room(test::small_document("words"), ledger_view_of("ledger"));
  const auto row = room.search(room.part("values:ledger"), 200, 9,
                               [&] { return room.shell->hover.now.head == 3 && room.shell->hover.now.layer == 1; });
  ASSERT_GE(row.x, 0) << "no row of head 3";
  EXPECT_EQ(room.shell->hover.now.row, 2) << "the token's chip is lit";
  EXPECT_GE(room.shell->hover.now.column, 0) << "and that of what it looks at most";
  room.click(row.x, row.y);
  EXPECT_EQ(room.shell->view().head, 3);
  // A strip whose vector is a step of the trace says which number it is.
  const auto strip =
      room.search(room.part("values:ledger"), 60, 9, [&] { return room.shell->hover.now.value.step == "layer.1.mlp_output"; });
  ASSERT_GE(strip.x, 0);
  const std::int64_t dimension = room.shell->hover.now.value.index[2];
  EXPECT_EQ(room.shell->hover.now.value.index[1], 2);
  room.click(strip.x, strip.y);
  EXPECT_EQ(state_of(room).first, std::clamp<std::int64_t>(dimension - 2, 0, 12));
}

TEST(ValuesLedger, ARowOfTheGridChangesTheToken) {
  Room room(test::small_document("words"), ledger_view_of("ledger"));
  const auto cell = room.search(
      "values:grid", [&] { return room.shell->hover.now.row == 3 && room.shell->hover.now.column == 0; }, 9);
  ASSERT_GE(cell.x, 0);
  EXPECT_EQ(room.shell->hover.now.value.step, "layer.1.weights");
  room.click(cell.x, cell.y);
  EXPECT_EQ(room.shell->view().pinned_row, 3);
  EXPECT_EQ(room.shell->view().pinned_column, 0);
  room.click_part("chip:1");
  EXPECT_EQ(room.shell->view().pinned_row, 1) << "so does a chip";
}

TEST(ValuesLedger, ArrowKeysWalkHeadsAndBracket) {
  Room room(test::small_document("words"), ledger_view_of("ledger"));
  room.click_part("values:ledger", 0.2f, 0.02f);  // the focus, on no row
  room.shell->view().head = 0;
  room.window.key(*room.shell, ImGuiKey_DownArrow);
  EXPECT_EQ(room.shell->view().head, 1);
  room.window.key(*room.shell, ImGuiKey_RightArrow);
  EXPECT_EQ(state_of(room).first, 4);
  room.window.key(*room.shell, ImGuiKey_LeftArrow);
  EXPECT_EQ(state_of(room).first, 0);
  room.window.key(*room.shell, ImGuiKey_UpArrow);
  EXPECT_EQ(room.shell->view().head, 0);
}

TEST(ValuesLedger, ADecodersCrossAttentionHasRowsAndAGrid) {
  ViewState view = ledger_view_of("ledger");
  view.site = "decoder.";
  Room room(ledger_two_sentences(), view);
  EXPECT_EQ(room.window.errors(), 0);
  const auto trace = room.shell->published().trace;
  const auto ledger = layer_ledger(*trace, "decoder.", 1, 0, 2, {});
  ASSERT_TRUE(ledger.ok());
  const std::int64_t wanted = values::row_of_head(*ledger, "decoder.layer.1.cross.", 2);
  ASSERT_GE(wanted, 0);
  const auto table = room.part("values:ledger");
  for (float y = table.y0; y < table.y1 && room.shell->view().site != "decoder.cross."; y += 12) {
    room.click(table.x0 + 60, y);
    if (room.shell->view().site == "decoder.cross." && room.shell->view().head != 2) room.shell->view().site = "decoder.";
  }
  EXPECT_EQ(room.shell->view().site, "decoder.cross.");
  EXPECT_EQ(room.shell->view().head, 2);
  room.settle();
  const auto cell = room.search(
      "values:grid", [&] { return room.shell->hover.now.value.step == "decoder.layer.1.cross.weights"; }, 9);
  EXPECT_GE(cell.x, 0) << "the grid's keys are the source's";
}

TEST(ValuesLedger, TheCheckLineIsTheLedgersOwnDifference) {
  Document document;
  const auto stored = open_stored_model("stories");
  ASSERT_TRUE(stored.ok());
  use_model(document, **stored);
  document.texts = {"a fluffy blue creature"};
  Room room(document, ledger_view_of("ledger"));
  const auto ledger = layer_ledger(*room.shell->published().trace, "", 1, 0, 2, {});
  ASSERT_TRUE(ledger.ok());
  ASSERT_TRUE(ledger->adds_up());
  char number[32];
  std::snprintf(number, sizeof number, "%.1e", ledger->difference);
  std::vector<gl::DrawnText> texts;
  room.window.figures().watch_text(&texts);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  const auto drawn = [&](const std::string& words) {
    return std::any_of(texts.begin(), texts.end(), [&](const gl::DrawnText& text) { return text.text == words; });
  };
  EXPECT_TRUE(drawn(std::string("max difference ") + number));
  EXPECT_TRUE(drawn("E before + 8 heads + feed-forward = E after"));
}

ViewState map_view_of(const std::string& page) {
  ViewState view = on_page(page);
  view.layer = 1;
  view.head = 2;
  return view;
}

const figures::Data& data_of(const figures::Figure& figure, const std::string& name) {
  for (const figures::Data& data : figure.data)
    if (data.name == name) return data;
  throw std::runtime_error("no data " + name);
}

TEST(ValuesMap, AButtonOpensEachAndTheInspectorMakesRoom) {
  Room room(test::small_document("words"), map_view_of("sum"));
  room.settle();
  EXPECT_TRUE(room.has("inspector"));
  room.click_part("values:pages", 0.495f);
  room.settle();
  EXPECT_EQ(state_of(room).page, "map");
  EXPECT_TRUE(room.has("values:map"));
  EXPECT_FALSE(room.has("inspector"));
  room.click_part("values:pages", 0.625f);
  room.settle();
  EXPECT_EQ(state_of(room).page, "heads");
  EXPECT_TRUE(room.has("values:map-sum"));
  EXPECT_FALSE(room.has("values:map"));
  room.click_part("values:pages", 0.785f);
  room.settle();
  EXPECT_EQ(state_of(room).page, "combiners");
  EXPECT_TRUE(room.has("values:combiners"));
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(ValuesCombiners, PutsBothWaysSideBySideWhateverTheModelsHeadsAre) {
  for (const bool stacked : {false, true}) {
    Document document = test::small_document("words");
    if (stacked) document.combiner = "stack2d";
    Room room(document, map_view_of("combiners"));
    room.settle();
    const views::Context context = room.shell->context(room.window.as_frame());
    const auto choice = views::choose_attention(context);
    const figures::Figure figure = exported(room, "combiners");
    const Tensor stack = data_of(figure, "stack2d").values, concat = data_of(figure, "concat").values;
    EXPECT_EQ(stack.shape(), (Shape{choice.site->queries, document.d_model}));
    EXPECT_EQ(concat.shape(), stack.shape());
    for (const float value : stack.values<float>()) EXPECT_LE(std::abs(value), 1.0f);
    if (stacked) {
      const Tensor own = context.trace->values(choice.prefix() + "attention_output").value();
      EXPECT_NEAR(stack.at({1, 3}), own.at({0, 1, 3}), 1e-5);
    }
    EXPECT_EQ(room.window.errors(), 0);
  }
}

TEST(ValuesMap, ShowsTheChosenHeadsMatricesAndTheirProduct) {
  Room room(test::small_document("words"), map_view_of("map"));
  room.settle();
  const auto trace = room.shell->context(room.window.as_frame()).trace;
  const auto map = value_map(*trace, trace->sites()[1], 2);
  ASSERT_TRUE(map.ok());
  const figures::Figure figure = exported(room, "value-map");
  EXPECT_EQ(data_of(figure, "value map").values.at({3, 5}), static_cast<float>(map->map.at({3, 5})));
  EXPECT_EQ(data_of(figure, "value down").values.shape(), (Shape{16, 4}));
  EXPECT_EQ(data_of(figure, "singular values").values.count(), 4);
  // Another head by its button.
  room.shell->view().head = 0;
  room.settle();
  EXPECT_NE(data_of(exported(room, "value-map"), "value map").values.at({3, 5}), static_cast<float>(map->map.at({3, 5})));
}

TEST(ValuesMap, ACellOfAThinMatrixIsANumberOfTheModelsOwn) {
  Room room(test::small_document("words"), map_view_of("map"));
  room.settle();
  const auto trace = room.shell->context(room.window.as_frame()).trace;
  const auto map = value_map(*trace, trace->sites()[1], 2);
  ASSERT_TRUE(map.ok());
  const auto at = room.search("values:map", [&] { return room.shell->hover.now.value.step == map->down_name; });
  ASSERT_GE(at.x, 0) << "no cell of V_down";
  const auto& index = room.shell->hover.now.value.index;
  ASSERT_EQ(index.size(), 2U);
  EXPECT_GE(index[1], 8) << "head 2's columns of W_V are 8 to 11";
  EXPECT_LT(index[1], 12);
  EXPECT_GE(room.search("values:map", [&] { return room.shell->hover.now.value.step == map->up_name; }).x, 0);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(ValuesMap, PlacesAreCellsOfTheMatrixUnderThePoint) {
  figures::ValueMapInput input;
  input.d_in = input.d_out = 16;
  input.d_v = 4;
  bool down = false, up = false, map = false;
  for (float x = 1; x < 900; x += 7)
    for (float y = 1; y < 420; y += 7) {
      const auto place = figures::value_map_place(input, 900, 420, {x, y});
      down |= place.matrix == figures::ValueMapPlace::down && place.row == 15 && place.column == 3;
      up |= place.matrix == figures::ValueMapPlace::up && place.row == 3 && place.column == 15;
      map |= place.matrix == figures::ValueMapPlace::map && place.row == 15 && place.column == 15;
      const std::int64_t value = figures::singular_value_at(input, 900, 420, {x, y});
      EXPECT_TRUE(value == -1 || place.matrix == figures::ValueMapPlace::nothing) << "the plot overlaps a matrix";
    }
  EXPECT_TRUE(down && up && map);
}

TEST(ValuesMap, AllHeadsAddUpAndARowPointsAtTheModelsOwnNumber) {
  Room room(test::small_document("words"), map_view_of("heads"));
  room.settle();
  const figures::Figure figure = exported(room, "value-map-sum");
  const Tensor &a = data_of(figure, "sum over heads").values, &b = data_of(figure, "concat").values;
  EXPECT_EQ(a.shape(), (Shape{4, 16}));
  for (std::int64_t i = 0; i < 4; ++i)
    for (std::int64_t c = 0; c < 16; ++c) EXPECT_NEAR(a.at({i, c}), b.at({i, c}), 1e-5);
  const auto at = room.search("values:map-sum", [&] {
    return room.shell->hover.now.value.step == "layer.1.attention_output" && room.shell->hover.now.value.index[1] == 2;
  });
  EXPECT_GE(at.x, 0) << "no cell of row 2";
}

TEST(ValuesMap, AnAttentionWithoutMatricesSaysSo) {
  Document bare = test::small_document("words");
  bare.projected = false;
  bare.heads = 1;
  for (const char* name : {"map", "heads"}) {
    Room room(bare, map_view_of(name));
    room.settle();
    EXPECT_FALSE(room.has("values:map") || room.has("values:map-sum"));
    EXPECT_TRUE(exported(room, "value-map").items.empty());
    EXPECT_EQ(room.window.errors(), 0);
  }
}

TEST(ValuesNorms, EveryNumberIsTheLengthOfTheTracesOwnVector) {
  Document document = test::small_document("words");
  for (const bool target : {false, true}) {
    if (target) document.targets = {"une creature bleue"};
    Room room(document, on_page("norms"));
    room.settle();
    const auto trace = room.shell->published().trace;
    const std::string stack = target ? "decoder." : "";
    const auto norms = values::vector_norms(*trace, stack, 0, {});
    ASSERT_TRUE(norms.ok());
    ASSERT_EQ(norms->parts.size(), target ? 7U : 5U) << "the start and each layer's parts";
    EXPECT_EQ(norms->parts.back().step, stack + "layer.1.mlp_residual");
    for (std::size_t part = 0; part < norms->parts.size(); ++part) {
      const Tensor vectors = trace->values(norms->parts[part].step).value();
      for (std::int64_t token = 0; token < vectors.dim(1); ++token) {
        double sum = 0;
        for (std::int64_t c = 0; c < vectors.dim(2); ++c) sum += std::pow(vectors.at({0, token, c}), 2);
        EXPECT_NEAR(norms->lengths.at({static_cast<std::int64_t>(part), token}), std::sqrt(sum), 1e-9 * sum);
      }
    }
    if (!target) EXPECT_EQ(data_of(exported(room, "norms"), "norms").values.at({4, 2}), norms->lengths.at({4, 2}));
    EXPECT_EQ(room.window.errors(), 0);
  }
}

TEST(ValuesNorms, TheLongestIsMeasuredByTheMedianOfTheOthers) {
  values::VectorNorms norms;
  norms.parts = {{}, {values::VectorNorms::Part::attention, 0, "layer.0.attention_residual"}};
  norms.lengths = Tensor::of<double>({1, 2, 3, 4, 900, 2, 3, 4}, {2, 4});
  const auto longest = values::longest_of(norms);
  EXPECT_EQ(longest.part, 1);
  EXPECT_EQ(longest.token, 0);
  EXPECT_EQ(longest.times, 300);
  norms.lengths = Tensor::of<double>({1, 900, 2, 3}, {2, 2});
  EXPECT_EQ(values::longest_of(norms).times, 0) << "of two tokens there is no median of the others";
}

TEST(ValuesNorms, AClickOpensTheLedgerOfThatTokenAndLayer) {
  Room room(test::small_document("words"), on_page("norms"));
  room.settle();
  EXPECT_FALSE(room.has("values:layer") || room.has("values:query")) << "all layers and tokens are shown";
  const auto at = room.search("values:norms", [&] {
    const auto& value = room.shell->hover.now.value;
    return value.step == "layer.1.attention_residual" && value.index[1] == 3;
  });
  ASSERT_GE(at.x, 0);
  room.click(at.x, at.y);
  EXPECT_EQ(state_of(room).page, "ledger");
  EXPECT_EQ(room.shell->view().layer, 1);
  EXPECT_EQ(room.shell->view().pinned_row, 3);
}

}  // namespace
}  // namespace headlight
