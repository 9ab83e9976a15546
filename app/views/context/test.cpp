// The Context view on trained models: the word in its sentences, what is pointed at, typed, added and taken away, and the way to
// the Heads view.
#include <gtest/gtest.h>

#include <cmath>

#include "app/views/base/view.h"
#include "app/views/context/data.h"
#include "engine/backends/backends.h"
#include "engine/document/stored_model.h"
#include "engine/pipeline/run.h"
#include "tests/ui/layout_eye.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::Room;
using views::contexts::Held;
using views::contexts::State;

Document document_of(const std::string& model, const std::string& text = "a fluffy blue creature") {
  Document document;
  const auto stored = open_stored_model(model);
  EXPECT_TRUE(stored.ok()) << model;
  if (!stored.ok()) return document;
  use_model(document, **stored);
  document.texts = {text};
  if ((*stored)->task == ModelTask::encoder_decoder) document.targets = {"une"};
  return document;
}

ViewState view_of(std::int64_t layer = -1) {
  ViewState view;
  view.tab = "context";
  view.own.of<State>().layer = layer;
  return view;
}

Held& kept(Room& room) { return room.shell->transient.of<Held>(); }
const State& view(Room& room) { return room.shell->view().own.of<State>(); }

// Types into a field in place of what stands there.
void type_into(Room& room, const std::string& part, const char* text) {
  room.click_part(part);
  room.window.key(*room.shell, ImGuiKey_A, true);
  room.window.type(*room.shell, text);
  room.settle();
}

// The last row of the stream after some layers, by a run of its own.
std::vector<double> row_of(const std::string& text, std::int64_t row, const std::string& step) {
  const auto backend = backends::open("reference");
  const auto trace = run(document_of("course", text), **backend, {});
  EXPECT_TRUE(trace.ok());
  const auto values = (*trace)->values(step);
  EXPECT_TRUE(values.ok()) << step;
  std::vector<double> out;
  for (std::int64_t c = 0; c < values->dim(2); ++c) out.push_back(values->at({0, row, c}));
  return out;
}

TEST(ContextView, TheMaterialsPhrasesLeaveOneVectorAsThree) {
  Room room(document_of("course"), view_of());
  const auto compared = kept(room).last.compared;
  ASSERT_TRUE(compared);
  for (const char* part : {"context:paths", "context:curves", "context:matrix", "context:probe-bars", "context:added"})
    EXPECT_TRUE(room.has(part)) << part;
  ASSERT_EQ(compared->texts.size(), 3u);
  EXPECT_EQ(compared->layers[0].distance[0][2], 0);
  const auto a = row_of("American shrew mole", 2, "layer.3.mlp_residual"),
             b = row_of("Take a biopsy of the mole", 5, "layer.3.mlp_residual");
  double square = 0;
  for (std::size_t c = 0; c < a.size(); ++c) square += (a[c] - b[c]) * (a[c] - b[c]);
  EXPECT_NEAR(compared->layers[4].distance[0][2], std::sqrt(square), 1e-2);
  EXPECT_EQ(compared->texts[1]->hidden, (std::vector<bool>{false, false, true, true, true}));
}

TEST(ContextView, ADotOfTheTrackMovesEveryPicture) {
  Room room(document_of("course"), view_of());
  room.click_part("context:layers", 0.05f, 0.4f);
  EXPECT_EQ(view(room).layer, 0);
  room.settle();
  room.click_part("context:curves", 0.5f, 0.95f);
  EXPECT_EQ(view(room).layer, 2) << "the middle of five";
  room.click_part("context:probe-bars", 0.985f, 0.5f);
  EXPECT_EQ(view(room).layer, 4);
}

TEST(ContextView, PlayPassesTheLayers) {
  Room room(document_of("course"), view_of());
  room.click_part("context:play");
  EXPECT_EQ(view(room).layer, 0) << "from the beginning, where all are passed";
  ASSERT_GE(kept(room).playing_since, 0);
  kept(room).playing_since -= 1.7;  // two steps
  room.window.frames(*room.shell, 2);
  EXPECT_EQ(view(room).layer, 2);
  kept(room).playing_since -= 10;
  room.window.frames(*room.shell, 2);
  EXPECT_EQ(view(room).layer, 4);
  EXPECT_LT(kept(room).playing_since, 0) << "it ends at the last layer";
}

TEST(ContextView, ACellOfTheMatrixLightsItsPairAndSoDoesACurve) {
  Room room(document_of("course"), view_of());
  const figures::SentencePair wanted{0, 2};
  EXPECT_GE(room.search("context:matrix", [&] { return kept(room).lit == wanted; }).x, 0);
  EXPECT_GE(room.search(
                    "context:curves", [&] { return kept(room).lit == wanted; }, 6)
                .x,
            0);
  EXPECT_GE(room.search(
                    "context:paths", [&] { return kept(room).lit == wanted; }, 7)
                .x,
            0);
  room.move(2, 2);
  EXPECT_EQ(kept(room).lit, figures::SentencePair{});
}

TEST(ContextView, ASourceLightsItsChip) {
  Room room(document_of("course"), view_of());
  EXPECT_GE(room.search(
                    "context:added", [&] { return kept(room).hot_source == 1; }, 8)
                .x,
            0);
  room.move(2, 2);
  EXPECT_EQ(kept(room).hot_source, -1);
  EXPECT_GE(room.search(
                    "context:chips:0", [&] { return kept(room).hot_source == 1; }, 8)
                .x,
            0);
}

TEST(ContextView, SentencesAreTypedIntoAndSayWhatIsWrong) {
  Room room(document_of("course"), view_of());
  type_into(room, "context:sentence:1", "exactly one mole");
  EXPECT_EQ(view(room).sentences[1], "exactly one mole");
  ASSERT_TRUE(kept(room).last.compared);
  EXPECT_EQ(kept(room).last.compared->texts[1]->sentence().text, "exactly one mole");
  type_into(room, "context:sentence:1", "no such word");
  EXPECT_TRUE(room.has("context:error:1"));
  const auto state = views::contexts::context_state(room.shell->context(room.window.as_frame()));
  EXPECT_EQ(state.sentences[1].error, "text 2: the text has no word 'mole'; give texts in which it stands");
  EXPECT_EQ(kept(room).last.compared->texts.size(), 2u) << "the others are compared";
  std::string longest = "mole";
  for (int i = 0; i < 300; ++i) longest += " the";
  type_into(room, "context:sentence:1", longest.c_str());
  const auto refused = views::contexts::context_state(room.shell->context(room.window.as_frame()));
  EXPECT_EQ(refused.sentences[1].error, "text 2: the text has 301 tokens; give texts of at most 256 tokens");
  type_into(room, "context:word", "biopsy");
  EXPECT_FALSE(kept(room).last.compared) << "one sentence alone has the word";
  room.click_part("context:reset");
  room.settle();
  EXPECT_TRUE(view(room).sentences.empty());
  EXPECT_TRUE(kept(room).last.compared);
}

TEST(ContextView, TwoToSixSentences) {
  Room room(document_of("course", "the old mole slept"), view_of());
  room.click_part("context:add");
  room.settle();
  ASSERT_EQ(view(room).sentences.size(), 4u);
  EXPECT_EQ(view(room).sentences[3], "the old mole slept") << "the typed one, which has the word";
  for (int i = 0; i < 5; ++i) room.click_part("context:add");
  room.settle();
  EXPECT_EQ(view(room).sentences.size(), 6u);
  ASSERT_TRUE(kept(room).last.compared);
  EXPECT_EQ(kept(room).last.compared->texts.size(), 6u);
  for (int i = 0; i < 6; ++i) room.click_part("context:remove:0");
  room.settle();
  EXPECT_EQ(view(room).sentences.size(), 2u);
}

TEST(ContextView, ProbeWordsAreTyped) {
  Room room(document_of("course"), view_of());
  type_into(room, "context:probes", "slept, xyzzy");
  const auto& probes = kept(room).last.probes;
  ASSERT_EQ(probes.size(), 2u);
  EXPECT_FALSE(probes[0]->unknown);
  EXPECT_TRUE(probes[1]->unknown);
  ASSERT_TRUE(kept(room).last.compared);
  EXPECT_EQ(kept(room).last.compared->layers[0].probes[1].first, "xyzzy");
}

TEST(ContextView, AHeadOpensInHeadsWithTheWordsRow) {
  ViewState start = view_of(3);
  start.own.of<State>().sentence = 2;
  Room room(document_of("course"), start);
  const auto at = room.search(
      "context:added", [&] { return kept(room).hot_head == 2; }, 8);
  ASSERT_GE(at.x, 0);
  room.click(at.x, at.y);
  room.settle();
  EXPECT_EQ(room.shell->view().tab, "heads");
  EXPECT_EQ(room.shell->document().texts[0], "Take a biopsy of the mole");
  EXPECT_EQ(room.shell->view().layer, 2);
  EXPECT_EQ(room.shell->view().head, 2);
  EXPECT_EQ(room.shell->view().pinned_row, 5);
}

TEST(ContextView, AQueryPointsAtItsStrongestKeys) {
  ViewState start = view_of(2);
  start.own.of<State>().head = 4;
  Room room(document_of("course"), start);
  room.click_part("context:plane", 0.8f, 0.5f);
  room.settle();
  EXPECT_EQ(view(room).plane, "queries");
  ASSERT_TRUE(room.has("context:space"));
  const auto at = room.search(
      "context:space", [&] { return kept(room).hot_source == 1; }, 7);
  ASSERT_GE(at.x, 0) << "a query or key of shrew";
  const auto context = room.shell->context(room.window.as_frame());
  const auto& state = kept(room).last;
  const auto choice = views::contexts::context_choice(context, state);
  const auto space = views::contexts::context_space(context, state, choice, nullptr);
  ASSERT_TRUE(space);
  const auto input = figures::query_key_of(*state.compared, *space, choice);
  EXPECT_EQ(input.query, 2) << "the word";
  EXPECT_EQ(input.weights, space->weights[2]);
  EXPECT_EQ(input.hidden, (std::vector<bool>{false, false, false}));
  room.click_part("context:head", 0.02f, 0.5f);
  EXPECT_EQ(view(room).head, 3);
  room.click_part("context:layers", 0.05f, 0.4f);
  room.settle();
  EXPECT_FALSE(context.view.own.of<State>().layer > 0);
}

TEST(ContextView, RandomWeightsSayThatTheyMeanNothing) {
  Room room(test::small_document("words"), view_of());
  ASSERT_TRUE(kept(room).last.compared);
  ASSERT_TRUE(room.has("context:model"));
  room.click_part("context:model");
  room.settle();
  EXPECT_EQ(room.shell->document().model, "course");
  EXPECT_FALSE(room.has("context:model"));
}

TEST(ContextView, EveryBundledModelShowsAWord) {
  for (const std::string& model : bundled_models()) {
    SCOPED_TRACE(model);
    Room room(document_of(model, model.starts_with("induction") ? "pa lar vu so mi ken pa lar" : "a fluffy blue creature"),
              view_of());
    const auto compared = kept(room).last.compared;
    ASSERT_TRUE(compared);
    for (const auto& text : compared->texts) EXPECT_FALSE(text->unknown) << text->sentence().text;
    EXPECT_GT(compared->layers.back().distance[0][1], 0.01);
    EXPECT_TRUE(room.has("context:added"));
    const auto context = room.shell->context(room.window.as_frame());
    for (const views::View& entry : views::registry().entries())
      if (entry.id == "context") {
        EXPECT_GE(views::figure_of_view(context, entry, 900, 600).data.size(), 4u);
      }
  }
}

TEST(ContextView, NothingIsCutOffAtAnySizeInBothLanguages) {
  struct Size {
    float width, height;
    bool presented;
  };
  for (const Size& size : {Size{1600, 1000, false}, Size{1280, 720, false}, Size{900, 640, false}, Size{1280, 720, true}})
    for (const std::string language : {"en", "zh"})
      for (const bool many : {false, true}) {
        ViewState view = view_of(2);
        view.presentation = size.presented;
        if (many) view.own.of<State>().plane = "queries";
        if (many)
          view.own.of<State>().sentences = {"a mole",  "one mole",  "the old mole slept in the garden of the chemist",
                                            "no such", "this mole", "that mole"};
        window::Setup setup = Room::setup_of(document_of(many ? "stories" : "course"), view);
        setup.configuration.language = language;
        setup.configuration.reduce_motion = true;
        test::NullWindow window(size.width, size.height, 1, true);
        if (!window.has_design_fonts()) GTEST_SKIP() << "skipped: Inter and JetBrains Mono are not installed";
        window::Shell shell(std::move(setup));
        test::LayoutEye eye(window);
        for (int i = 0; i < 10; ++i) {
          shell.worker().wait();
          shell.lane().wait();
          window.frame(shell);
        }
        for (const std::string& fault : eye.look(shell))
          ADD_FAILURE() << size.width << " x " << size.height << (size.presented ? " presented " : " ") << language << ": "
                        << fault;
      }
}

}  // namespace
}  // namespace headlight
