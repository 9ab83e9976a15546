// The Walk-through with keyboard and mouse on a null renderer: every stop of every model, opened boxes, the suggestions.
#include <gtest/gtest.h>

#include <set>

#include "app/views/base/view.h"
#include "app/views/walk/data.h"
#include "app/views/walk/scene.h"
#include "app/views/walk/tries.h"
#include "engine/operations/attention_fill.h"
#include "tests/support/small_trace.h"
#include "tests/support/trace_of.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::NullWindow;

Document walk_small() { return test::small_document("bpe"); }

struct WalkRoom : test::Room {
  explicit WalkRoom(Document document = walk_small(), ViewState view = {}, float width = 1600, float height = 1000)
      : test::Room(setup_of(std::move(document), on_walk(std::move(view))), width, height, false) {}
  static ViewState on_walk(ViewState view) {
    view.tab = "walk";
    return view;
  }
  void space(bool back = false) { window.key(*shell, ImGuiKey_Space, false, back); }
  const std::string& step() { return shell->view().own.of<views::walk::State>().step; }
  figures::WalkGraph graph(std::size_t site = 0) {
    const Trace& trace = *shell->published().trace;
    return figures::walk_graph(trace, &trace.sites()[site]);
  }
};

TEST(WalkPanel, SpaceGoesThroughEveryStopAndBackInEveryModel) {
  for (const char* norm : {"none", "pre", "post"})
    for (const bool residual : {false, true})
      for (const bool feed : {false, true})
        for (const bool projected : {false, true})
          for (const bool target : {false, true}) {
            Document d = walk_small();
            d.norm = norm;
            d.residual = residual;
            d.feed_forward = feed;
            d.projected = projected;
            if (!projected) d.heads = 1;
            if (target) d.targets = {"le chat"};
            d.masks = {{"causal", {}}};
            ViewState view;
            view.own.of<views::walk::State>().step = "text";
            if (target) view.site = "decoder.cross.";
            SCOPED_TRACE(std::string(norm) + (residual ? " residual" : "") + (feed ? " feed" : "") +
                         (projected ? " projected" : "") + (target ? " target" : ""));
            WalkRoom room(d, view, target ? 1280.0f : 1600.0f, target ? 720.0f : 1000.0f);
            const Trace& trace = *room.shell->published().trace;
            const AttentionSite* site = nullptr;
            for (const AttentionSite& one : trace.sites())
              if (!site && one.site == (target ? masks::Site::cross : masks::Site::decoder_self)) site = &one;
            ASSERT_NE(site, nullptr);
            const figures::WalkGraph graph = figures::walk_graph(trace, site);
            const auto last = graph.stops.size() - 1;
            for (std::size_t i = 0; i <= last; ++i) {
              EXPECT_EQ(graph.stop_of(graph.find(room.step())), static_cast<int>(i)) << room.step();
              EXPECT_TRUE(room.shell->parts.places.contains("walk:" + room.step()));
              room.space();
            }
            EXPECT_EQ(graph.stop_of(graph.find(room.step())), static_cast<int>(last)) << "it stays at the end";
            for (std::size_t i = last; i-- > 0;) {
              room.space(true);
              EXPECT_EQ(graph.stop_of(graph.find(room.step())), static_cast<int>(i));
            }
            EXPECT_EQ(room.step(), "text");
            EXPECT_EQ(room.window.errors(), 0);
          }
}

TEST(WalkPanel, EnterOpensEveryBoxEscapeClosesIt) {
  for (const bool target : {false, true}) {
    Document d = walk_small();
    if (target) d.targets = {"le chat"};
    if (!target) {  // also the boxes between Q, K and the scores, and the gate's
      d.position = "rotary";
      d.score = "cosine";
      d.gated = d.final_norm = true;
    }
    ViewState view;
    view.own.of<views::walk::State>().step = "text";
    view.layer = target ? 0 : d.layers - 1;
    if (target) view.site = "decoder.cross.";
    WalkRoom room(d, view);
    room.window.key(*room.shell, ImGuiKey_Enter);
    EXPECT_EQ(room.shell->view().own.of<views::walk::State>().open, "text");
    // When a box is open, Space goes from values to values.
    std::set<std::string> seen;
    for (int i = 0; i < 25; ++i) {
      room.settle();
      seen.insert(room.shell->view().own.of<views::walk::State>().open);
      EXPECT_EQ(room.shell->view().own.of<views::walk::State>().open, room.step());
      EXPECT_TRUE(NullWindow::shows("opened"));
      EXPECT_EQ(room.shell->parts.places.contains("walk:values"), room.step() != "text" && room.step() != "tokens")
          << room.step();
      room.space();
    }
    EXPECT_GE(seen.size(), 18u);
    room.window.key(*room.shell, ImGuiKey_Escape);
    EXPECT_EQ(room.shell->view().own.of<views::walk::State>().open, "");
    EXPECT_FALSE(NullWindow::shows("opened"));
    EXPECT_TRUE(NullWindow::shows("diagram"));
    EXPECT_EQ(room.window.errors(), 0);
  }
}

TEST(WalkPanel, TypingASpaceIsTyping) {
  ViewState view;
  view.own.of<views::walk::State>().step = "weights";
  WalkRoom room(walk_small(), view);
  room.shell->ui.focus_sentence = true;
  room.window.frames(*room.shell, 3);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_Space, true);
  room.window.type(*room.shell, " ");
  ImGui::GetIO().AddKeyEvent(ImGuiKey_Space, false);
  room.window.frames(*room.shell, 2);
  EXPECT_EQ(room.step(), "weights");
  EXPECT_EQ(room.shell->document().texts[0], "a fluffy blue creature ");
}

TEST(WalkPanel, AClickLightsABoxADoubleClickOpensIt) {
  WalkRoom room;
  room.click_part("walk:context");
  EXPECT_EQ(room.step(), "context");
  EXPECT_EQ(room.shell->view().own.of<views::walk::State>().open, "");
  room.click_part("walk:softmax");  // the box of the weights, under the name that lessons use
  EXPECT_EQ(room.step(), "weights");
  for (int i = 0; i < 2; ++i) {
    ImGui::GetIO().AddMouseButtonEvent(0, true);
    room.window.frames(*room.shell, 1);
    ImGui::GetIO().AddMouseButtonEvent(0, false);
    room.window.frames(*room.shell, 1);
  }
  EXPECT_EQ(room.shell->view().own.of<views::walk::State>().open, "weights");
}

TEST(WalkPanel, ChoosingAPageClosesTheOpenedBox) {
  const views::View& walk = *views::registry().find("walk");
  for (const views::Page& page : walk.pages) {
    const std::string value = walk.value_of(page);
    ViewState view;
    view.own.of<views::walk::State>().open = "weights";
    WalkRoom room(walk_small(), view);
    ASSERT_TRUE(room.has("walk:values"));
    walk.show_value(room.shell->view(), value);
    room.window.frames(*room.shell, 2);
    EXPECT_EQ(room.shell->view().own.of<views::walk::State>().open, "") << page.label;
    EXPECT_EQ(room.shell->view().own.of<views::walk::State>().page, value);
    EXPECT_FALSE(room.has("walk:values")) << page.label;
    EXPECT_EQ(room.has("walk:diagram"), value.empty());
  }
}

TEST(WalkPanel, ANarrowPlaceOpensABoxWithoutTheInspector) {
  ViewState view;
  view.own.of<views::walk::State>().open = "weights";
  {
    WalkRoom wide(walk_small(), view);
    ASSERT_TRUE(wide.has("walk:opened") && wide.has("walk:explained"));
    EXPECT_LE(wide.part("walk:opened").x1, wide.part("walk:explained").x0);
  }
  WalkRoom narrow(walk_small(), view, 720, 700);
  EXPECT_TRUE(narrow.has("walk:opened"));
  EXPECT_FALSE(narrow.has("walk:explained"));
}

TEST(WalkPanel, TheBarsPartsGiveWayInTheirOrder) {
  std::set<std::string> gone;
  for (const float width : {1600.0f, 760.0f, 700.0f, 640.0f, 560.0f, 480.0f, 400.0f}) {
    WalkRoom room(walk_small(), {}, width, 700);
    EXPECT_TRUE(room.has("walk:play") && room.has("walk:open")) << width;
    bool there = true;
    for (const char* part : {"walk:shapes", "walk:heads", "walk:film", "walk:steps"}) {
      EXPECT_TRUE(there || !room.has(part)) << part << " at " << width;
      there = room.has(part);
      if (!there) gone.insert(part);
      if (there) EXPECT_LE(room.part(part).x1, width) << part;
    }
    if (width == 1600) EXPECT_TRUE(gone.empty()) << *gone.begin();
  }
  EXPECT_TRUE(gone.contains("walk:steps") && gone.contains("walk:film"));
}

TEST(WalkPanel, AnOpenedNumberIsHoveredAndPinnedByItsAddress) {
  ViewState view;
  view.own.of<views::walk::State>().step = view.own.of<views::walk::State>().open = "weights";
  view.layer = 1;
  view.head = 2;
  WalkRoom room(walk_small(), view);
  const views::Parts::Place p = room.shell->parts.places.at("walk:values");
  bool found = false;
  for (float y = p.y0 + 40; y < p.y1 && !found; y += 14)
    for (float x = p.x0 + 40; x < p.x1 && !found; x += 14) {
      room.move(x, y);
      const ValueAddress value = room.shell->hover.now.value;
      if (value.step.empty() || room.shell->hover.now.row < 1 || room.shell->hover.now.column < 2) continue;
      found = true;
      const views::Hot hot = room.shell->hover.now;
      EXPECT_EQ(value.step, "layer.1.weights");
      EXPECT_EQ(value.index, (std::vector<std::int64_t>{0, 2, hot.row, hot.column}));
      room.click(x, y);
      EXPECT_EQ(room.shell->view().inspector.step, "layer.1.weights");
      EXPECT_EQ(room.shell->view().inspector.index, value.index);
      EXPECT_EQ(room.shell->view().pinned_row, hot.row);
      room.click(x, y);
      EXPECT_EQ(room.shell->view().inspector.step, "");
      EXPECT_EQ(room.shell->view().pinned_row, -1);
    }
  EXPECT_TRUE(found);
}

TEST(WalkPanel, TheSmallPicturesLightTheirTokens) {
  WalkRoom room;
  const views::Parts::Place p = room.shell->parts.places.at("walk:weights");
  room.move(p.x0 + 16, p.y0 + 40);
  EXPECT_EQ(room.shell->hover.now.row, 0);
  EXPECT_EQ(room.shell->hover.now.column, 0);
  EXPECT_EQ(room.shell->hover.now.value.step, "layer.0.weights");
  const views::Parts::Place k = room.shell->parts.places.at("walk:k");
  room.move(k.x0 + 16, k.y0 + 40);
  EXPECT_EQ(room.shell->hover.now.row, -1) << "rows of K are keys";
  EXPECT_EQ(room.shell->hover.now.column, 0);
}

TEST(WalkPanel, PlayGoesOnByItselfAndSpaceTakesOver) {
  ViewState view;
  view.own.of<views::walk::State>().step = "scores";
  WalkRoom room(walk_small(), view);
  room.click_part("walk:play");
  auto& kept = room.shell->transient.of<views::walk::WalkTransient>();
  EXPECT_TRUE(kept.playing);
  EXPECT_EQ(room.step(), "scores");
  kept.next_at = 0;  // makes the next step due now
  room.window.frames(*room.shell, 1);
  EXPECT_EQ(room.step(), "scaled_scores");
  EXPECT_GT(kept.next_at, 0);
  EXPECT_GE(room.shell->redraw_in(0), 0) << "a frame is asked for";
  room.space();
  EXPECT_EQ(room.step(), "mask");
  EXPECT_FALSE(kept.playing);
}

TEST(WalkPanel, ASuggestionEditsTheDocumentAndIsUndone) {
  ViewState view;
  view.own.of<views::walk::State>().step = "mask";
  WalkRoom room(walk_small(), view);
  ASSERT_TRUE(room.shell->document().masks.empty());
  room.click_part("walk:try");
  ASSERT_EQ(room.shell->document().masks.size(), 1u);
  EXPECT_EQ(room.shell->document().masks[0].id, "causal");
  room.shell->undo();
  EXPECT_TRUE(room.shell->document().masks.empty());
}

TEST(WalkPanel, AStepThatASuggestionRemovedGivesWayToTheOneBeforeIt) {
  ViewState view;
  view.own.of<views::walk::State>().step = "attention_residual";
  WalkRoom room(walk_small(), view);
  room.click_part("walk:try");
  room.settle();
  ASSERT_FALSE(room.shell->document().residual);
  EXPECT_FALSE(room.shell->parts.places.contains("walk:attention_residual"));
  EXPECT_TRUE(room.shell->parts.places.contains("walk:try")) << "the step before it is lit and has its own";
  room.space();
  EXPECT_EQ(room.step(), "mlp_norm") << "on from the step before the one that is gone";
}

// Steps of roles that nothing knows, of every rank, behind the scores of a real trace.
std::shared_ptr<tests::SmallTrace> with_unknown_steps(const Trace& trace) {
  auto out = std::make_shared<tests::SmallTrace>();
  out->generation_ = std::uint64_t{1} << 40;
  out->document_ = trace.document();
  out->texts_.assign(trace.texts().begin(), trace.texts().end());
  out->sites_.assign(trace.sites().begin(), trace.sites().end());
  out->parameters_.assign(trace.parameters().begin(), trace.parameters().end());
  out->tokenizer_ = trace.tokenizer();
  const auto unknown = [&](const std::string& name, Shape shape, Axes axes) {
    Tensor values(DType::f32, shape);
    for (std::int64_t i = 0; i < values.count(); ++i) values.data<float>()[i] = static_cast<float>(i % 7) - 3;
    out->put(name, std::move(values), {"layer.0.scores"});
    out->steps_.back().operation = "sharpen";
    out->steps_.back().axes = std::move(axes);
  };
  for (const Step& step : trace.steps()) {
    out->steps_.push_back(step);
    out->values_[step.name] = *trace.values(step.name);
    if (step.name != "layer.0.scores") continue;
    unknown("layer.0.one", {5}, {"head"});
    unknown("layer.0.two", {5, 6}, {"d_k", "position"});
    unknown("layer.0.four", step.shape, step.axes);
    unknown("layer.0.turned", {1, 2, 3, 4}, {"batch", "head", "d_k", "position"});
    unknown("layer.0.five", {1, 2, 2, 3, 4}, {"batch", "head", "block", "row", "column"});
  }
  return out;
}

TEST(WalkPanel, StepsOfUnknownRolesHaveTheirPicturesNumbersAndWords) {
  WalkRoom room;
  const window::Frame frame = room.window.as_frame();
  views::Context context = room.shell->context(frame);
  context.trace = with_unknown_steps(*room.shell->published().trace);
  const views::walk::WalkScene scene = views::walk::walk_scene(context);
  for (const char* id : {"one", "two", "four", "turned", "five"}) {
    SCOPED_TRACE(id);
    const int at = scene.graph->find(id);
    ASSERT_GE(at, 0);
    const figures::WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(at)];
    ASSERT_EQ(box.inputs.size(), 1u);
    EXPECT_EQ(scene.graph->boxes[static_cast<std::size_t>(box.inputs[0].box)].id, "scores");
    const auto& picture = scene.input.pictures[static_cast<std::size_t>(at)];
    ASSERT_TRUE(picture);
    EXPECT_EQ(picture->values.rank(), 2);
    EXPECT_GT(picture->largest, 0);
    const figures::WalkNotes notes = walk_notes_of(context, scene, at);
    EXPECT_NE(notes.title.find(id), std::string::npos) << notes.title;
    EXPECT_EQ(notes.words, "sharpen");
    EXPECT_FALSE(notes.shape.empty());
    const Error* error = nullptr;
    const auto matrix = views::walk::walk_matrix(context, scene.choice, box, box.step(), &error);
    EXPECT_EQ(error, nullptr);
    ASSERT_TRUE(matrix);
    EXPECT_EQ(matrix->values.rank(), 2);
  }
}

TEST(WalkTries, EveryBoxHasSomeAndEachIsAValidOtherDocument) {
  std::vector<Document> documents{walk_small(), walk_small(), walk_small()};
  documents[1].targets = {"le chat"};
  documents[1].masks = {{"causal", {}}, {"padding", {}}};
  documents[1].norm = "post";
  documents[1].temperature = 2;
  documents[1].position = "none";
  documents[1].scale = "none";
  documents[2].projected = false;
  documents[2].heads = 1;
  documents[2].residual = false;
  documents[2].feed_forward = false;
  documents[2].bias = false;
  documents[2].mask_fill = operations::MaskFill::minus_1e9;
  documents.push_back(walk_small());
  documents.back().position = "rotary";
  documents.back().score = "cosine";
  documents.back().gated = documents.back().final_norm = true;
  std::set<std::string> seen;
  for (const Document& d : documents) {
    const auto trace = tests::trace_of(d);
    ASSERT_TRUE(trace);
    for (const AttentionSite& site : trace->sites())
      for (const figures::WalkBox& box : figures::walk_graph(*trace, &site).boxes) {
        seen.insert(box.id);
        const auto tries = views::walk::walk_tries(d, box);
        EXPECT_GE(tries.size(), 1u) << box.id;
        EXPECT_LE(tries.size(), 2u) << box.id;
        for (const auto& one : tries) {
          EXPECT_FALSE(one.words.empty());
          EXPECT_FALSE(one.document == d) << one.words;
          EXPECT_TRUE(validate(one.document).ok()) << one.words;
        }
      }
  }
  for (const char* id : {"text",
                         "tokens",
                         "embedding",
                         "position",
                         "input",
                         "x",
                         "memory",
                         "attention_norm",
                         "q",
                         "k",
                         "v",
                         "q_rotated",
                         "k_unit",
                         "scores",
                         "scaled_scores",
                         "mask",
                         "weights",
                         "context",
                         "concat",
                         "attention_output",
                         "attention_residual",
                         "mlp_norm",
                         "mlp_gate",
                         "mlp_up",
                         "mlp_hidden",
                         "mlp_output",
                         "mlp_residual",
                         "final_norm"})
    EXPECT_TRUE(seen.contains(id)) << id;
  figures::WalkBox text;
  text.kind = figures::WalkBox::Kind::text;
  EXPECT_EQ(views::walk::walk_tries(walk_small(), text)[0].document.texts[0], "creature blue fluffy a");
}

TEST(WalkFilm, EveryStopHasItsFramesAndTheyNeedNoWindow) {
  WalkRoom room;
  figures::Animation film;
  std::map<std::string, figures::Figure> posters;
  // The context as the panel sees it, without a film dialog.
  const window::Frame frame = room.window.as_frame();
  views::Context context = room.shell->context(frame);
  film = views::walk::walk_film(context, 1280, 720);
  const figures::WalkGraph graph = room.graph();
  ASSERT_EQ(film.frames % static_cast<int>(graph.stops.size()), 0);
  const int each = film.frames / static_cast<int>(graph.stops.size());
  EXPECT_GE(each, 10);
  for (int i = 0; i < film.frames; i += each / 2) {
    const figures::Figure picture = film.frame(i, context.measure);
    EXPECT_EQ(picture.width, 1280);
    EXPECT_EQ(picture.height, 720);
    EXPECT_EQ(picture.title, figures::walk_title(graph, i / each));
    EXPECT_GT(picture.items.size(), 100u);
  }
}

}  // namespace
}  // namespace headlight
