// "What if" in a window: a head is switched off, the words change, undo brings them back; the map, the badge and its list.
#include <gtest/gtest.h>

#include <cmath>

#include "app/inspector/what_if.h"
#include "app/session/session.h"
#include "app/views/base/head_switches.h"
#include "app/window/commands/actions.h"
#include "engine/pipeline/generate.h"
#include "engine/pipeline/run_anywhere.h"
#include "support/tiny_model.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using views::HeadSwitches;

ModelAddress head_at(const char* text) { return *address_from_text(text); }

Document trained_document(const tests::TinyModel& tiny) {
  Document document;
  EXPECT_TRUE(find_field("model")->set(document, {tiny.name()}).ok());
  document.texts = {"the dog"};
  return document;
}

ViewState what_if_view() {
  ViewState view;
  view.inspector.shows = "what if";
  return view;
}

struct WhatIfRoom : test::Room {
  explicit WhatIfRoom(const tests::TinyModel& tiny, float width = 1600, float height = 1000)
      : test::Room(trained_document(tiny), what_if_view(), width, height) {}
  std::shared_ptr<const PredictionChange> change() { return views::shown_change(shell->context(window.as_frame())); }
  std::shared_ptr<const HeadEffects> effects() { return views::shown_effects(shell->context(window.as_frame()), -1); }
};

const tests::TinyModel& tiny() {
  static const tests::TinyModel model = [] {
    auto made = tests::tiny_model("what-if");
    EXPECT_TRUE(made.write().ok());
    return made;
  }();
  return model;
}

TEST(HeadSwitches, AreInterventionsOfTheDocument) {
  Document document;
  const ModelAddress head = head_at("layer.1.head.2");
  HeadSwitches switches;
  EXPECT_EQ(views::switches_of(document, head), switches);
  switches = {HeadSwitches::Out::no, 0.5, true};
  document = views::with_switches(document, head, switches);
  EXPECT_EQ(views::switches_of(document, head), switches);
  EXPECT_EQ(find_field("scale_head")->get(document), (std::vector<std::string>{"layer.1.head.2=0.5"}));
  EXPECT_EQ(find_field("uniform")->get(document), (std::vector<std::string>{"layer.1.head.2"}));
  document = views::with_switches(document, head_at("layer.1.head.0"), {HeadSwitches::Out::mean, 1, false});
  document = views::with_switches(document, head, {HeadSwitches::Out::zero, 0.5, false});
  EXPECT_EQ(find_field("without")->get(document), (std::vector<std::string>{"layer.1.head.2"}));
  EXPECT_EQ(find_field("mean")->get(document), (std::vector<std::string>{"layer.1.head.0"}));
  EXPECT_EQ(views::intervention_words(document),
            (std::vector<std::string>{"layer 1, head 2: taken out", "layer 1, head 0: replaced by its mean"}));
  EXPECT_EQ(views::without_intervention(document, 0).interventions.size(), 1u);
  document = views::with_switches(document, head, {});
  document = views::with_switches(document, head_at("layer.1.head.0"), {});
  EXPECT_EQ(document, Document()) << "what is switched back is a document without interventions";
}

TEST(WhatIf, AHeadIsSwitchedOffTheWordsChangeAndUndoBringsThemBack) {
  WhatIfRoom room(tiny());
  const auto as_is = room.change();
  ASSERT_TRUE(as_is);
  EXPECT_EQ(as_is->words.size(), 8u);
  for (const auto& word : as_is->words) EXPECT_EQ(word.before, word.now);
  EXPECT_FALSE(room.has("interventions"));
  room.click_part("what if:without");
  ASSERT_EQ(room.shell->document().interventions.size(), 1u);
  EXPECT_EQ(find_field("without")->get(room.shell->document()), (std::vector<std::string>{"layer.0.head.0"}));
  room.settle();
  EXPECT_TRUE(room.shell->published().trace->find("layer.0.context_own"));
  const auto changed = room.change();
  ASSERT_TRUE(changed);
  // Against a run of its own.
  Document without = trained_document(tiny());
  ASSERT_TRUE(find_field("without")->set(without, {"layer.0.head.0"}).ok());
  const auto trace = run_anywhere(without, {}, {});
  ASSERT_TRUE(trace.ok());
  const Tensor shares = *(*trace)->values("probabilities");
  double moved = 0;
  for (const auto& word : changed->words) {
    EXPECT_NEAR(word.now, shares.at({0, changed->position, word.token}), 1e-6) << word.label;
    moved = std::max(moved, std::abs(word.now - word.before));
  }
  EXPECT_GT(moved, 1e-3) << "the list does not change";
  ASSERT_TRUE(changed->loss_before && changed->loss_now);
  EXPECT_NE(*changed->loss_before, *changed->loss_now);
  EXPECT_TRUE(room.has("interventions")) << "the badge says that something is changed";
  room.shell->undo();
  room.settle();
  EXPECT_TRUE(room.shell->document().interventions.empty());
  EXPECT_FALSE(room.has("interventions"));
  const auto back = room.change();
  ASSERT_TRUE(back);
  for (std::size_t i = 0; i < back->words.size(); ++i) {
    EXPECT_EQ(back->words[i].token, as_is->words[i].token);
    EXPECT_NEAR(back->words[i].now, as_is->words[i].now, 1e-9);
  }
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(WhatIf, AWholeLayerIsSwitchedOffCountedSavedAndBroughtBack) {
  WhatIfRoom room(tiny());
  const auto as_is = room.change();
  ASSERT_TRUE(as_is);
  room.click_part("what if:without layer", 0.1f);
  EXPECT_EQ(find_field("without")->get(room.shell->document()), (std::vector<std::string>{"layer.0"}));
  room.settle();
  // What leaves the layer is what entered it.
  const auto trace = room.shell->published().trace;
  const std::string last = [&] {
    std::string name;
    for (const Step& step : trace->steps())
      if (step.name.starts_with("layer.0.") && step.shape.size() == 3) name = step.name;
    return name;
  }();
  const Tensor before = *trace->values(trace->name_at("", Role::input)), behind = *trace->values(last);
  for (std::int64_t i = 0; i < before.dim(1); ++i)
    for (std::int64_t c = 0; c < before.dim(2); ++c) ASSERT_EQ(before.at({0, i, c}), behind.at({0, i, c})) << last;
  const auto changed = room.change();
  ASSERT_TRUE(changed);
  EXPECT_NE(*changed->loss_before, *changed->loss_now);
  EXPECT_TRUE(room.has("interventions")) << "the badge counts it";
  EXPECT_EQ(views::intervention_words(room.shell->document()), (std::vector<std::string>{"layer 0: taken out"}));
  const Session saved{room.shell->document(), room.shell->view()};
  const auto read = session_from_json(to_json(saved), "session");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->document, room.shell->document()) << "a session keeps it";
  room.click_part("what if:without layer as", 0.9f);
  EXPECT_EQ(find_field("mean")->get(room.shell->document()), (std::vector<std::string>{"layer.0"}));
  room.shell->undo();
  room.shell->undo();
  room.settle();
  EXPECT_TRUE(room.shell->document().interventions.empty());
  const auto back = room.change();
  ASSERT_TRUE(back);
  EXPECT_NEAR(back->words.front().now, as_is->words.front().now, 1e-9);
}

TEST(WhatIf, TheMapTellsWhatEachHeadDoesAndAClickSelectsIt) {
  WhatIfRoom room(tiny());
  const auto effects = room.effects();
  ASSERT_TRUE(effects);
  ASSERT_EQ(effects->heads.size(), 4u);
  const auto found =
      room.search("what if:map", [&] { return room.shell->hover.now.layer == 1 && room.shell->hover.now.head == 1; });
  ASSERT_GE(found.x, 0) << "no cell of layer 1, head 1";
  room.click(found.x, found.y);
  EXPECT_EQ(room.shell->view().layer, 1);
  EXPECT_EQ(room.shell->view().head, 1);
  EXPECT_TRUE(room.shell->document().interventions.empty());
  // Replaced by its mean, the map tells what each head's mean does.
  Document mean = room.shell->document();
  ASSERT_TRUE(find_field("mean")->set(mean, {"layer.1.head.1"}).ok());
  room.shell->edit(mean);
  room.settle();
  const auto means = room.effects();
  ASSERT_TRUE(means);
  EXPECT_NE(means->heads[3].without.logit, effects->heads[3].without.logit);
  room.shell->undo();
  room.settle();
  // The map is of the model as it is, whatever is switched.
  room.click_part("what if:without");
  room.settle();
  EXPECT_EQ(find_field("without")->get(room.shell->document()), (std::vector<std::string>{"layer.1.head.1"}));
  const auto same = room.effects();
  ASSERT_TRUE(same);
  EXPECT_EQ(same->with.logit, effects->with.logit);
  const auto words = room.change();
  ASSERT_TRUE(words);
  for (const auto& word : words->words)
    if (word.token == effects->token) {
      EXPECT_NEAR(word.now, effects->heads[3].without.probability, 1e-6) << "map and list agree";
    }
}

TEST(WhatIf, ThePinnedCellIsMaskedInThisHeadAlone) {
  WhatIfRoom room(tiny());
  EXPECT_FALSE(room.has("what if:cell")) << "nothing is pinned";
  room.shell->view().pinned_row = 3;
  room.shell->view().pinned_column = 1;
  room.settle();
  const Tensor before = *room.shell->published().trace->values("layer.0.weights");
  room.click_part("what if:cell");
  room.settle();
  EXPECT_EQ(find_field("mask_cells")->get(room.shell->document()), (std::vector<std::string>{"layer.0.head.0=3:1"}));
  const Tensor weights = *room.shell->published().trace->values("layer.0.weights");
  EXPECT_EQ(weights.at({0, 0, 3, 1}), 0);
  EXPECT_NEAR(weights.at({0, 0, 3, 0}), before.at({0, 0, 3, 0}) / (1 - before.at({0, 0, 3, 1})), 1e-5);
  EXPECT_EQ(weights.at({0, 1, 3, 1}), before.at({0, 1, 3, 1}));
  room.click_part("what if:cell");
  EXPECT_TRUE(room.shell->document().interventions.empty());
  room.shell->view().pinned_column = 4;  // behind the causal mask
  room.settle();
  EXPECT_FALSE(room.has("what if:cell"));
}

TEST(WhatIf, AClickWithShiftMasksACellOfTheMapAndTakesItBack) {
  WhatIfRoom room(tiny());
  const auto cells = room.part("heads:cells");
  const float n = static_cast<float>(room.shell->published().trace->texts()[0].tokens.size());
  const auto shift_click = [&](float row, float column) {
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, true);
    room.click(cells.x0 + (column + 0.5f) / n * (cells.x1 - cells.x0), cells.y0 + (row + 0.5f) / n * (cells.y1 - cells.y0));
    ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, false);
    room.settle();
  };
  shift_click(3, 1);
  EXPECT_EQ(find_field("mask_cells")->get(room.shell->document()), (std::vector<std::string>{"layer.0.head.0=3:1"}));
  EXPECT_EQ(room.shell->view().pinned_row, -1) << "such a click pins nothing";
  EXPECT_EQ(room.shell->published().trace->values("layer.0.weights")->at({0, 0, 3, 1}), 0);
  shift_click(2, 0);
  EXPECT_EQ(find_field("mask_cells")->get(room.shell->document()), (std::vector<std::string>{"layer.0.head.0=3:1,2:0"}));
  shift_click(3, 1);
  shift_click(2, 0);
  EXPECT_TRUE(room.shell->document().interventions.empty());
  shift_click(1, 4);
  EXPECT_TRUE(room.shell->document().interventions.empty()) << "the causal mask forbids it already";
  room.shell->view().inspector.shows = "numbers";
  room.settle();
  shift_click(3, 1);
  EXPECT_TRUE(room.shell->document().interventions.empty()) << "only while what if is shown";
}

TEST(WhatIf, APatternIsFrozenToThatOfAnotherSentenceOfAsManyTokens) {
  WhatIfRoom room(tiny());
  const auto type = [&](const char* text) {
    room.click_part("what if:sentence");
    room.window.key(*room.shell, ImGuiKey_A, true);
    room.window.type(*room.shell, text);
    room.settle();
  };
  const auto given = [&] { return find_field("pattern_from")->get(room.shell->document()); };
  EXPECT_FALSE(room.has("what if:sentence"));
  room.click_part("what if:pattern", 0.1f);
  ASSERT_TRUE(room.has("what if:sentence"));
  EXPECT_TRUE(given().empty()) << "nothing is typed";
  type("a cat sat there");
  EXPECT_TRUE(given().empty()) << "another number of tokens";
  type("god eht");
  ASSERT_EQ(given(), (std::vector<std::string>{"layer.0.head.0=god eht"}));
  // As the other sentence has it.
  Document other = trained_document(tiny());
  other.texts = {"god eht"};
  const auto trace = run_anywhere(other, {}, {});
  ASSERT_TRUE(trace.ok());
  const Tensor theirs = *(*trace)->values("layer.0.weights"), ours = *room.shell->published().trace->values("layer.0.weights");
  ASSERT_EQ(theirs.shape(), ours.shape());
  for (std::int64_t i = 0; i < ours.dim(2); ++i)
    for (std::int64_t j = 0; j < ours.dim(3); ++j) EXPECT_NEAR(ours.at({0, 0, i, j}), theirs.at({0, 0, i, j}), 1e-6);
  EXPECT_EQ(views::intervention_words(room.shell->document()),
            (std::vector<std::string>{"layer 0, head 0: the pattern of “god eht”"}));
  room.shell->undo();
  room.settle();
  EXPECT_TRUE(given().empty());
  room.shell->redo();
  room.settle();
  EXPECT_EQ(given().size(), 1u);
  ASSERT_TRUE(room.has("what if:sentence")) << "the field shows what came back";
  room.click_part("what if:uniform", 0.1f);
  room.settle();
  EXPECT_TRUE(given().empty()) << "equal weights stand in its place";
  EXPECT_EQ(find_field("uniform")->get(room.shell->document()).size(), 1u);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(WhatIf, ThePalettesActionsTakeTheSelectedHeadOutAndBack) {
  WhatIfRoom room(tiny());
  room.shell->view().inspector.shows = "numbers";
  room.shell->view().layer = room.shell->view().head = 1;
  room.settle();
  const auto act = [&](const char* id) {
    const window::Frame frame = room.window.as_frame();
    room.shell->frame_in_progress = &frame;
    window::actions().find(id)->run(*room.shell);
    room.shell->frame_in_progress = nullptr;
    room.settle();
  };
  act("what_if");
  EXPECT_TRUE(room.has("what if:words"));
  act("head_out");
  EXPECT_EQ(find_field("without")->get(room.shell->document()), (std::vector<std::string>{"layer.1.head.1"}));
  act("head_uniform");
  EXPECT_EQ(room.shell->document().interventions.size(), 2u);
  act("interventions_back");
  EXPECT_TRUE(room.shell->document().interventions.empty());
}

TEST(WhatIf, TheBadgeListsInterventionsAndTakesThemBack) {
  WhatIfRoom room(tiny());
  Document two = room.shell->document();
  ASSERT_TRUE(find_field("without")->set(two, {"layer.0.head.1,layer.1.feed_forward"}).ok());
  room.shell->edit(two);
  room.settle();
  room.click_part("interventions");
  ASSERT_TRUE(test::NullWindow::popup_open());
  room.click_part("interventions:1");
  room.settle();
  EXPECT_EQ(find_field("without")->get(room.shell->document()), (std::vector<std::string>{"layer.0.head.1"}));
  EXPECT_FALSE(room.has("interventions:1"));
  room.click_part("interventions:0");
  room.settle();
  EXPECT_TRUE(room.shell->document().interventions.empty());
  EXPECT_FALSE(test::NullWindow::popup_open()) << "an empty list closes";
  room.shell->undo();
  EXPECT_EQ(room.shell->document().interventions.size(), 1u);
  EXPECT_EQ(room.window.errors(), 0);
}

TEST(WhatIf, ATranslationIsWrittenAnewWithoutTheHead) {
  const auto pairs = tests::tiny_model("what-if-pairs", ModelTask::encoder_decoder);
  ASSERT_TRUE(pairs.write().ok());
  Document document;
  ASSERT_TRUE(find_field("model")->set(document, {pairs.name()}).ok());
  document.texts = {"the dog"};
  document.targets = {"le"};
  ASSERT_TRUE(find_field("without")->set(document, {"decoder.layer.0.cross,decoder.layer.1.cross"}).ok());
  test::Room room(document, what_if_view());
  const auto model = open_stored_model(pairs.name());
  const auto changed = with_interventions(*model, document.interventions);
  ASSERT_TRUE(changed.ok());
  const auto predictor = Predictor::open(*changed, *backends::open("cpu"));
  GenerateOptions how;
  how.tokens = 64;
  const auto made = generate(*predictor, {"the dog"}, how, {});
  ASSERT_TRUE(made.ok());
  ASSERT_FALSE(made->front().output.empty());
  std::vector<gl::DrawnText> drawn;
  room.window.figures().watch_text(&drawn);
  room.window.frame(*room.shell);
  room.window.figures().watch_text(nullptr);
  std::string all;
  for (const gl::DrawnText& one : drawn) all += one.text + "\n";
  EXPECT_NE(all.find("it would write:"), std::string::npos) << all;
  EXPECT_NE(all.find(made->front().output.substr(0, 8)), std::string::npos) << made->front().output << "\n" << all;
}

TEST(WhatIf, ASentenceThatHasACounterExampleShowsIt) {
  Document document;
  ASSERT_TRUE(find_field("model")->set(document, {"course"}).ok());
  document.texts = {"Ankara is the capital of"};
  test::Room room(document, what_if_view());
  for (int i = 0; i < 3; ++i) room.settle();
  EXPECT_TRUE(room.has("what if:contrast"));
  document.model = "sandbox";
  room.shell->edit(document);
  room.settle();
  EXPECT_FALSE(room.has("what if:contrast"));
}

TEST(WhatIf, WithRandomWeightsItSaysThatNothingIsPredicted) {
  test::Room room(test::small_document(), what_if_view());
  EXPECT_FALSE(room.has("what if:words"));
  EXPECT_TRUE(room.has("what if:without")) << "the head can be taken out of the patterns all the same";
  room.click_part("what if:without");
  room.settle();
  EXPECT_TRUE(room.shell->published().trace->find("layer.0.context_own"));
  EXPECT_EQ(room.window.errors(), 0);
}

}  // namespace
}  // namespace headlight
