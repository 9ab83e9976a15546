// The tabs Positions and Compare under the mouse, frame by frame on a null renderer.
#include <gtest/gtest.h>

#include <set>

#include <algorithm>
#include <cmath>

#include "app/panels/compare/compare_data.h"
#include "app/panels/positions/positions_data.h"
#include "app/panels/shared/attention_bar.h"
#include "engine/core/json.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::NullWindow;
using window::Shell;

Document small() { return test::small_document("words"); }

struct ViewsRoom : test::Room {
  explicit ViewsRoom(const std::string& tab, Document document = small(), ViewState view = {}, float width = 1600,
                     float height = 1000)
      : test::Room(std::move(document), on(tab, std::move(view)), width, height) {}
  static ViewState on(const std::string& tab, ViewState view) {
    view.tab = tab;
    return view;
  }
};

TEST(PositionsPanel, AClickOnAColumnAddsItsCurveAndAnotherTakesItAway) {
  ViewsRoom room("positions");
  for (const char* name : {"positions:heatmap", "positions:curves", "positions:distance", "positions:order", "positions:count"})
    EXPECT_TRUE(room.has(name)) << name;
  const auto at = room.search("positions:heatmap", [&] {
    const auto& value = room.shell->hover.now.value;
    return value.step == "position" && value.index.size() == 2 && value.index[1] == 5;
  });
  ASSERT_GE(at.x, 0) << "no cell of dimension 5";
  EXPECT_EQ(room.shell->hover.now.row, room.shell->hover.now.value.index[0]);
  EXPECT_TRUE(room.shell->view().positions.dimensions.empty()) << "hovering chooses nothing";
  room.click(at.x, at.y);
  const auto dims = room.shell->view().positions.dimensions;
  EXPECT_EQ(std::count(dims.begin(), dims.end(), 5), 1);
  EXPECT_GT(dims.size(), 1u) << "the curves that were there stay";
  room.click(at.x, at.y);
  const auto after = room.shell->view().positions.dimensions;
  EXPECT_EQ(std::count(after.begin(), after.end(), 5), 0);
}

TEST(PositionsPanel, TheTableIsTheTracesAndItsProductsDependOnDistance) {
  ViewsRoom room("positions");
  gl::FigureView figures;
  gl::Fonts fonts;
  const auto context = room.shell->context({fonts, figures, 1, false, 1.0});
  const auto table = panels::position_table(context);
  ASSERT_TRUE(table);
  ASSERT_EQ(table->values.shape(), (Shape{64, 16}));
  const auto step = room.shell->published().trace->values("position");
  ASSERT_TRUE(step.ok());
  for (std::int64_t i = 0; i < step->dim(0); ++i)
    for (std::int64_t c = 0; c < 16; ++c) EXPECT_NEAR(table->values.at({i, c}), step->at({i, c}), 1e-6);
  const auto products = panels::position_products(context);
  ASSERT_TRUE(products);
  for (std::size_t apart = 0; apart < 64; ++apart) {
    double expected = 0;  // the sum over the eight pairs of dimensions of cos(w * distance)
    for (int i = 0; i < 8; ++i) expected += std::cos(static_cast<double>(apart) * std::pow(10000.0, -2.0 * i / 16));
    EXPECT_NEAR(products->mean[apart], expected, 1e-4);
    EXPECT_NEAR(products->least[apart], products->most[apart], 1e-4);
  }
  EXPECT_NEAR(products->values.at({3, 10}), products->mean[7], 1e-4);
  EXPECT_NEAR(panels::wavelength(0, 16), 2 * 3.14159265, 1e-6);
  EXPECT_NEAR(panels::wavelength(9, 16), 2 * 3.14159265 * 100, 1e-4);
}

TEST(PositionsPanel, ManBitesDogWithAndWithoutPositions) {
  ViewsRoom room("positions");
  const Document before = room.shell->document();
  room.click_part("positions:order", 0.2f);
  EXPECT_EQ(room.shell->document().texts, (std::vector<std::string>{"man bites dog", "dog bites man"}));
  room.settle();
  gl::FigureView figures;
  gl::Fonts fonts;
  const auto context = room.shell->context({fonts, figures, 1, false, 1.0});
  const auto effects = panels::order_effects(context, nullptr);
  ASSERT_TRUE(effects);
  EXPECT_LT(effects->without.largest, 1e-4);
  EXPECT_GT(effects->with.largest, 0.1);
  const auto table = panels::order_table(*effects);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0][2].text, "0");
  EXPECT_NE(table.rows[0][3].text, "0");
  room.shell->undo();
  EXPECT_EQ(room.shell->document(), before);
}

TEST(PositionsPanel, EveryCodeAndViewIsDrawn) {
  for (const char* code : {"none", "sinusoidal", "learned"})
    for (const char* view : {"heatmap", "curves", "distance", "no such view"})
      for (const auto& [width, height] : {std::pair{1600.0f, 1000.0f}, {1280.0f, 720.0f}, {640.0f, 400.0f}}) {
        Document document = small();
        document.position = code;
        ViewState state;
        state.positions.picture = view;
        state.positions.dimensions = {3, 900};  // there is no dimension 900
        state.positions.count = 9999;
        ViewsRoom room("positions", document, state, width, height);
        if (width > 1000) {  // in a smaller window one would have to scroll, and what is out of sight is not drawn
          EXPECT_EQ(room.has("positions:heatmap"), std::string(code) != "none");
          EXPECT_TRUE(room.has("positions:order"));
        }
        EXPECT_EQ(room.window.errors(), 0);
        room.move(width * 0.2f, height * 0.6f);
        room.move(width * 0.6f, height * 0.6f);
      }
}

TEST(ComparePanel, PinChangeSwapAndDrop) {
  ViewsRoom room("compare");
  ASSERT_FALSE(room.shell->pinned());
  EXPECT_FALSE(room.has("compare:a"));
  room.click_part("compare:pin");
  ASSERT_TRUE(room.shell->pinned());
  EXPECT_EQ(room.shell->pinned()->document, room.shell->document());
  EXPECT_TRUE(room.shell->pinned()->trace) << "what is on show needs no second computation";

  const Document before = room.shell->document();
  Document hot = before;
  hot.temperature = 3;
  hot.masks = {{"causal", {}}};
  room.shell->edit(hot);
  room.settle();
  for (const char* name : {"compare:a", "compare:b", "compare:difference", "compare:changes", "compare:fields"})
    EXPECT_TRUE(room.has(name)) << name;
  gl::FigureView figures;
  gl::Fonts fonts;
  {
    const auto context = room.shell->context({fonts, figures, 1, false, 1.0});
    const auto sides = panels::sides_of(context);
    const auto found = panels::compared(context, sides, nullptr);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->rows.kind, Alignment::Kind::same);
    const auto a = room.shell->pinned()->trace->tile("layer.0.weights", {}),
               b = room.shell->published().trace->tile("layer.0.weights", {});
    ASSERT_TRUE(a.ok() && b.ok());
    for (std::int64_t r = 0; r < 4; ++r)
      for (std::int64_t c = 0; c < 4; ++c)
        EXPECT_NEAR(found->difference.difference.at({r, c}), a->at({r, c}) - b->at({r, c}), 1e-6);
    const auto fields = panels::differing_fields(room.shell->pinned()->document, room.shell->document());
    ASSERT_EQ(fields.size(), 2u);
    EXPECT_EQ(fields[0].id, "masks");
    EXPECT_EQ(fields[0].a, "none");
    EXPECT_EQ(fields[0].b, "causal (no peeking)");
    EXPECT_EQ(fields[1].id, "temperature");
    const auto taken = panels::with_field_of(before, hot, "temperature");
    ASSERT_TRUE(taken.ok());
    EXPECT_EQ(taken->temperature, 1);
    EXPECT_EQ(taken->masks, hot.masks);
  }
  room.click_part("compare:swap");
  room.settle();
  EXPECT_EQ(room.shell->document(), before);
  EXPECT_EQ(room.shell->pinned()->document, hot);
  EXPECT_TRUE(room.shell->pinned()->trace);
  room.shell->undo();
  room.settle();
  EXPECT_EQ(room.shell->document(), hot) << "undo goes on working";
  EXPECT_TRUE(room.shell->pinned());
  room.click_part("compare:drop");
  EXPECT_FALSE(room.shell->pinned());
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(ComparePanel, AnInterventionAModelAndATokenizerThatDifferAreSaidInWords) {
  ViewsRoom room("compare");
  room.click_part("compare:pin");
  const Document before = room.shell->document();
  Document without = before;
  ASSERT_TRUE(find_field("without")->set(without, {"layer.0.head.1,layer.1"}).ok());
  ASSERT_TRUE(find_field("scale_head")->set(without, {"layer.0.head.0=0.5"}).ok());
  room.shell->edit(without);
  room.settle();
  const auto differing = [&] { return panels::differing_fields(room.shell->pinned()->document, room.shell->document()); };
  ASSERT_EQ(differing().size(), 2u);
  EXPECT_EQ(differing()[0].label, "taken out");
  EXPECT_EQ(differing()[0].a, "none");
  EXPECT_EQ(differing()[0].b, "layer 0, head 1; layer 1");
  EXPECT_EQ(differing()[1].b, "layer 0, head 0: times 0.5");
  for (const char* part : {"compare:a", "compare:b", "compare:difference", "compare:fields"}) EXPECT_TRUE(room.has(part)) << part;
  gl::FigureView figures;
  gl::Fonts fonts;
  {
    room.shell->view().layer = 1;  // its input is what layer 0's heads changed
    room.settle();
    const auto context = room.shell->context({fonts, figures, 1, false, 1.0});
    const auto found = panels::compared(context, panels::sides_of(context), nullptr);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->rows.kind, Alignment::Kind::same);
    EXPECT_GT(found->difference.largest, 1e-4);
  }
  Document other = before;
  const auto model = open_stored_model("stories");
  ASSERT_TRUE(model.ok());
  use_model(other, **model);
  room.shell->edit(other);
  room.settle();
  ASSERT_FALSE(differing().empty());
  const auto fields = differing();
  const auto has = [&](const char* id) {
    return std::any_of(fields.begin(), fields.end(), [id](const auto& one) { return one.id == id && !one.b.empty(); });
  };
  EXPECT_TRUE(has("model"));
  EXPECT_TRUE(has("tokenizer"));
  const auto context = room.shell->context({fonts, figures, 1, false, 1.0});
  const auto found = panels::compared(context, panels::sides_of(context), nullptr);
  ASSERT_TRUE(found) << "other tokens are compared by the text they stand for";
  EXPECT_FALSE(panels::alignment_words(*found).empty());
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(ComparePanel, HoveringOneSideLightsTheOthers) {
  ViewsRoom room("compare");
  room.click_part("compare:tokenizer");
  room.settle();
  ASSERT_TRUE(room.shell->pinned());
  EXPECT_EQ(room.shell->pinned()->document.tokenizer, "words");
  EXPECT_EQ(room.shell->document().tokenizer, "wordpiece");
  // The second word in A is the second group in B.
  const auto at = room.search("compare:a", [&] {
    const auto& in_a = room.shell->transient.of<panels::CompareTransient>();
    return in_a.row == 1 && in_a.column == 0;
  });
  ASSERT_GE(at.x, 0);
  const auto& text = room.shell->published().trace->texts()[0];
  ASSERT_GE(room.shell->hover.now.row, 0);
  EXPECT_EQ(text.tokens[static_cast<std::size_t>(room.shell->hover.now.row)].start, 2) << "fluffy begins at byte 2";
  EXPECT_EQ(room.shell->hover.now.column, 0);
}

TEST(ComparePanel, TheLitCellIsReadOnAllThreePictures) {
  ViewsRoom room("compare");
  room.click_part("compare:temperature");
  room.settle();
  const auto at = room.search("compare:b", [&] { return room.shell->hover.now.row == 2 && room.shell->hover.now.column == 1; });
  ASSERT_GE(at.x, 0);
  std::vector<gl::DrawnText> texts;
  room.window.figures().watch_text(&texts);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  gl::FigureView figures;
  gl::Fonts fonts;
  const auto context = room.shell->context({fonts, figures, 1, false, 1.0});
  const auto sides = panels::sides_of(context);
  const auto found = panels::compared(context, sides, nullptr);
  ASSERT_TRUE(found && sides.left && sides.right);
  const double a = static_cast<double>(sides.left->values.at({2, 1})), b = static_cast<double>(sides.right->values.at({2, 1}));
  EXPECT_GT(std::abs(a - b), 1e-4);
  for (const double number : {a, b, static_cast<double>(found->difference.difference.at({2, 1}))})
    EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [&](const gl::DrawnText& text) {
      return text.text == panels::short_number(number);
    })) << number;
}

TEST(ComparePanel, ThePinnedSideNamesTheRowsOfAllThree) {
  ViewState view;
  view.presentation = true;
  ViewsRoom room("compare", small(), view, 1280, 720);
  room.click_part("compare:mask");
  room.settle();
  for (const char* name : {"compare:a", "compare:b", "compare:difference"}) ASSERT_TRUE(room.has(name)) << name;
  EXPECT_EQ(room.part("compare:a").y0, room.part("compare:b").y0);
  std::vector<gl::DrawnText> texts;
  room.window.figures().watch_text(&texts);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  const auto a = room.part("compare:a"), b = room.part("compare:b");
  const auto inside = [&](const gl::DrawnText& text, const panels::Parts::Place& part) {
    return text.low.x >= part.x0 && text.low.x < part.x1 && text.low.y >= part.y0 && text.low.y < part.y1;
  };
  int in_a = 0, in_b = 0;
  for (const gl::DrawnText& text : texts) {
    if (text.text != "blue") continue;
    in_a += inside(text, a) ? 1 : 0;
    in_b += inside(text, b) ? 1 : 0;
  }
  EXPECT_EQ(in_a, 2) << "its row and its column";
  EXPECT_EQ(in_b, 1) << "its column";
}

TEST(ComparePanel, TheDifferenceOfTheExperimentsIsReal) {
  for (const char* part : {"compare:mask", "compare:temperature", "compare:positions"}) {
    ViewsRoom room("compare");
    room.click_part(part);
    room.settle();
    ASSERT_TRUE(room.shell->pinned()) << part;
    EXPECT_FALSE(room.shell->pinned()->document == room.shell->document()) << part;
    gl::FigureView figures;
    gl::Fonts fonts;
    const auto context = room.shell->context({fonts, figures, 1, false, 1.0});
    const auto found = panels::compared(context, panels::sides_of(context), nullptr);
    ASSERT_TRUE(found) << part;
    EXPECT_GT(found->difference.largest, 1e-3) << part;
  }
}

TEST(ComparePanel, OtherModelsSentencesAndErrorsAreSaidInWords) {
  Document other = small();
  const auto draw = [](const Document& pinned, const Document& now) {
    for (const auto& [width, height] : {std::pair{1600.0f, 1000.0f}, {1280.0f, 720.0f}, {640.0f, 400.0f}})
      for (const bool transposed : {false, true}) {
        ViewState view;
        view.tab = "compare";
        view.transposed = transposed;
        view.shown = transposed ? "masked_scores" : "weights";
        NullWindow window(width, height);
        window::Setup setup;
        setup.session.document = now;
        setup.session.view = view;
        setup.session.pinned = pinned;
        setup.compute = run_on_backend();
        Shell shell(std::move(setup));
        for (int i = 0; i < 5; ++i) {
          shell.worker().wait();
          shell.lane().wait();
          window.frame(shell);
          ImGui::GetIO().AddMousePosEvent(width * 0.15f * static_cast<float>(i + 1), height * 0.5f);
        }
        EXPECT_EQ(window.errors(), 0);
        EXPECT_EQ(shell.parts.places.contains("compare:difference"), width > 1000) << "a smaller window has to scroll to it";
        ASSERT_TRUE(shell.pinned());
        EXPECT_EQ(shell.pinned()->trace != nullptr, shell.pinned()->error == nullptr);
      }
  };
  other.texts = {"nothing alike here"};
  draw(other, small());
  other = small();
  other.heads = 2;
  other.layers = 1;
  other.d_model = 32;
  draw(other, small());
  other = small();
  other.targets = {"le chat"};
  draw(other, small());
  draw(small(), other);
  other = small();
  other.texts = {""};
  draw(other, small());
  other = small();
  other.tokenizer = "/no/such/tokenizer";
  draw(other, small());
}

TEST(Pinned, SurvivesInTheSession) {
  ViewsRoom room("compare");
  room.shell->pin(true);
  Document later = room.shell->document();
  later.seed = 7;
  room.shell->edit(later);
  room.settle();
  const Session session = room.shell->session();
  ASSERT_TRUE(session.pinned);
  EXPECT_EQ(session.pinned->seed, 0u);
  const auto read = session_from_json(to_json(session), "a test");
  ASSERT_TRUE(read.ok()) << read.error().sentence();
  EXPECT_EQ(*read, session);
  Session without = session;
  without.pinned.reset();
  EXPECT_FALSE(Json::parse(to_json(without))->contains("pinned"));
  const auto plain = session_from_json(to_json(without), "a test");
  ASSERT_TRUE(plain.ok());
  EXPECT_FALSE(plain->pinned);
  const auto broken = session_from_json(R"({"headlight": 1, "document": {"version": 1}, "pinned": {"heads": "many"}})", "a test");
  ASSERT_FALSE(broken.ok());
  EXPECT_NE(broken.error().sentence().find("pinned"), std::string::npos);
}

TEST(Pinned, IsComputedAgainInTheBackground) {
  Document pinned = small();
  pinned.seed = 5;
  NullWindow window;
  window::Setup setup;
  setup.session.document = small();
  setup.session.view.tab = "compare";
  setup.session.pinned = pinned;
  setup.compute = run_on_backend();
  Shell shell(std::move(setup));
  ASSERT_TRUE(shell.pinned());
  EXPECT_FALSE(shell.pinned()->trace) << "not yet";
  shell.worker().wait();
  shell.lane().wait();
  window.frames(shell, 2);
  ASSERT_TRUE(shell.pinned()->trace);
  EXPECT_EQ(shell.pinned()->trace->document().seed, 5u);
  shell.undo();  // no undo step, because pinning is not an edit
  EXPECT_EQ(shell.document(), small());
}

}  // namespace
}  // namespace headlight
