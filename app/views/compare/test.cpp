// The Compare view under the mouse, frame by frame: what is pinned, what differs, and what is said of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/views/base/attention_bar.h"
#include "app/views/compare/data.h"
#include "engine/core/json.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::NullWindow;
using window::Shell;
namespace comparing = views::comparing;

Document small() { return test::small_document("words"); }

struct CompareRoom : test::Room {
  explicit CompareRoom(ViewState view = {}, float width = 1600, float height = 1000)
      : test::Room(small(), shown(std::move(view)), width, height) {}
  static ViewState shown(ViewState view) {
    view.tab = "compare";
    return view;
  }
};

TEST(CompareView, PinChangeSwapAndDrop) {
  CompareRoom room;
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
    const auto sides = comparing::sides_of(context);
    const auto found = comparing::compared(context, sides, nullptr);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->rows.kind, Alignment::Kind::same);
    const auto a = room.shell->pinned()->trace->tile("layer.0.weights", {}),
               b = room.shell->published().trace->tile("layer.0.weights", {});
    ASSERT_TRUE(a.ok() && b.ok());
    for (std::int64_t r = 0; r < 4; ++r)
      for (std::int64_t c = 0; c < 4; ++c)
        EXPECT_NEAR(found->difference.difference.at({r, c}), a->at({r, c}) - b->at({r, c}), 1e-6);
    const auto fields = comparing::differing_fields(room.shell->pinned()->document, room.shell->document());
    ASSERT_EQ(fields.size(), 2u);
    EXPECT_EQ(fields[0].id, "masks");
    EXPECT_EQ(fields[0].a, "none");
    EXPECT_EQ(fields[0].b, "causal (no peeking)");
    EXPECT_EQ(fields[1].id, "temperature");
    const auto taken = comparing::with_field_of(before, hot, "temperature");
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

TEST(CompareView, AnInterventionAModelAndATokenizerThatDifferAreSaidInWords) {
  CompareRoom room;
  room.click_part("compare:pin");
  const Document before = room.shell->document();
  Document without = before;
  ASSERT_TRUE(find_field("without")->set(without, {"layer.0.head.1,layer.1"}).ok());
  ASSERT_TRUE(find_field("scale_head")->set(without, {"layer.0.head.0=0.5"}).ok());
  room.shell->edit(without);
  room.settle();
  const auto differing = [&] { return comparing::differing_fields(room.shell->pinned()->document, room.shell->document()); };
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
    const auto found = comparing::compared(context, comparing::sides_of(context), nullptr);
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
  const auto found = comparing::compared(context, comparing::sides_of(context), nullptr);
  ASSERT_TRUE(found) << "other tokens are compared by the text they stand for";
  EXPECT_FALSE(comparing::alignment_words(*found).empty());
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(CompareView, HoveringOneSideLightsTheOthers) {
  CompareRoom room;
  room.click_part("compare:tokenizer");
  room.settle();
  ASSERT_TRUE(room.shell->pinned());
  EXPECT_EQ(room.shell->pinned()->document.tokenizer, "words");
  EXPECT_EQ(room.shell->document().tokenizer, "wordpiece");
  // The second word in A is the second group in B.
  const auto at = room.search("compare:a", [&] {
    const auto& in_a = room.shell->transient.of<comparing::Held>();
    return in_a.row == 1 && in_a.column == 0;
  });
  ASSERT_GE(at.x, 0);
  const auto& text = room.shell->published().trace->texts()[0];
  ASSERT_GE(room.shell->hover.now.row, 0);
  EXPECT_EQ(text.tokens[static_cast<std::size_t>(room.shell->hover.now.row)].start, 2) << "fluffy begins at byte 2";
  EXPECT_EQ(room.shell->hover.now.column, 0);
}

TEST(CompareView, TheLitCellIsReadOnAllThreePictures) {
  CompareRoom room;
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
  const auto sides = comparing::sides_of(context);
  const auto found = comparing::compared(context, sides, nullptr);
  ASSERT_TRUE(found && sides.left && sides.right);
  const double a = static_cast<double>(sides.left->values.at({2, 1})), b = static_cast<double>(sides.right->values.at({2, 1}));
  EXPECT_GT(std::abs(a - b), 1e-4);
  for (const double number : {a, b, static_cast<double>(found->difference.difference.at({2, 1}))})
    EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [&](const gl::DrawnText& text) {
      return text.text == views::short_number(number);
    })) << number;
}

TEST(CompareView, ThePinnedSideNamesTheRowsOfAllThree) {
  ViewState view;
  view.presentation = true;
  CompareRoom room(view, 1280, 720);
  room.click_part("compare:mask");
  room.settle();
  for (const char* name : {"compare:a", "compare:b", "compare:difference"}) ASSERT_TRUE(room.has(name)) << name;
  EXPECT_EQ(room.part("compare:a").y0, room.part("compare:b").y0);
  std::vector<gl::DrawnText> texts;
  room.window.figures().watch_text(&texts);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  const auto a = room.part("compare:a"), b = room.part("compare:b");
  const auto inside = [&](const gl::DrawnText& text, const views::Parts::Place& part) {
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

TEST(CompareView, TheDifferenceOfTheExperimentsIsReal) {
  for (const char* part : {"compare:mask", "compare:temperature", "compare:positions"}) {
    CompareRoom room;
    room.click_part(part);
    room.settle();
    ASSERT_TRUE(room.shell->pinned()) << part;
    EXPECT_FALSE(room.shell->pinned()->document == room.shell->document()) << part;
    gl::FigureView figures;
    gl::Fonts fonts;
    const auto context = room.shell->context({fonts, figures, 1, false, 1.0});
    const auto found = comparing::compared(context, comparing::sides_of(context), nullptr);
    ASSERT_TRUE(found) << part;
    EXPECT_GT(found->difference.largest, 1e-3) << part;
  }
}

TEST(CompareView, OtherModelsSentencesAndErrorsAreSaidInWords) {
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
        EXPECT_TRUE(shell.parts.places.contains("compare:difference"));
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
  CompareRoom room;
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
