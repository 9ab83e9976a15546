// The single list of actions: keys, palette, list of shortcuts and the manual agree.
#include "app/window/commands/actions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "app/views/base/view.h"
#include "app/window/commands/examples.h"
#include "app/window/commands/palette_commands.h"
#include "app/window/dialogs/command_palette.h"
#include "engine/core/files.h"
#include "engine/document/presets.h"
#include "test_data.h"
#include "tests/ui/room.h"

namespace headlight {
namespace {

using test::NullWindow;
using test::Room;
using window::Shell;

window::Setup english() {
  window::Setup setup = Room::setup_of(test::small_document(), {});
  setup.configuration.language = "en";
  return setup;
}

// The window as it opens, with the caret in the sentence.
struct OpenRoom : Room {
  OpenRoom() : Room(english(), 1600, 1000) {}
};

void chord(NullWindow& window, Shell& shell, ImGuiKeyChord keys) {
  ImGuiIO& io = ImGui::GetIO();
  for (const ImGuiKey mod : {ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiMod_Alt}) io.AddKeyEvent(mod, (keys & mod) != 0);
  const auto key = static_cast<ImGuiKey>(keys & ~ImGuiMod_Mask_);
  io.AddKeyEvent(key, true);
  window.frame(shell);
  io.AddKeyEvent(key, false);
  for (const ImGuiKey mod : {ImGuiMod_Ctrl, ImGuiMod_Shift, ImGuiMod_Alt}) io.AddKeyEvent(mod, false);
  window.frames(shell, 3);
}

TEST(Actions, EveryKeyMeansOneThingAndEveryActionSaysWhatItIs) {
  EXPECT_TRUE(window::actions().duplicate().empty());
  std::map<ImGuiKeyChord, std::string> taken;
  std::set<std::string> labels;
  for (const window::Action& action : window::actions().entries()) {
    EXPECT_TRUE(labels.insert(action.label).second) << action.label;
    EXPECT_FALSE(action.formula.empty()) << action.id;
    EXPECT_TRUE(action.run) << action.id;
    EXPECT_TRUE(action.source == "document" || action.source == "view" || action.source == "window") << action.id;
    for (const window::Key& key : action.keys) {
      EXPECT_TRUE(taken.emplace(key.chord, action.id).second) << action.id << " and " << taken[key.chord];
      EXPECT_NE(window::key_words(key.chord), "") << action.id;
    }
  }
}

Result<std::string> manual_page() {
  return read_file(std::filesystem::path(HEADLIGHT_TEST_DATA).parent_path().parent_path() / "docs" / "manual.md");
}

TEST(Actions, TheManualHasASectionForEachView) {
  const auto manual = manual_page();
  ASSERT_TRUE(manual.ok());
  std::size_t at = manual->find("\n## The views\n");
  ASSERT_NE(at, std::string::npos);
  for (const views::View& view : views::registry().entries()) {
    const std::size_t section = manual->find("\n### " + view.label + "\n", at);
    ASSERT_NE(section, std::string::npos) << view.label << " has no section, or not in the order of the rail";
    at = section;
  }
}

TEST(Actions, TheManualsTableIsTheList) {
  const auto manual = manual_page();
  ASSERT_TRUE(manual.ok());
  const std::size_t begin = manual->find("| key | |\n|---|---|\n");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t rows = begin + std::string("| key | |\n|---|---|\n").size();
  const std::string told = manual->substr(rows, manual->find("\n\n", rows) + 1 - rows);
  std::string wanted;
  for (const window::Action& action : window::actions().entries())
    if (action.is_for_people && !action.keys.empty())
      wanted += "| " + window::shortcut_words(action) + " | " + action.label + " |\n";
  EXPECT_EQ(told, wanted);
}

TEST(Actions, EachKeyDoesWhatItsActionDoes) {
  // Tests one of each kind by its effect.
  OpenRoom room;
  NullWindow& window = room.window;
  Shell& shell = *room.shell;
  chord(window, shell, ImGuiMod_Ctrl | ImGuiKey_I);
  EXPECT_FALSE(shell.configuration().inspector_open);
  chord(window, shell, ImGuiMod_Ctrl | ImGuiKey_I);
  EXPECT_TRUE(shell.configuration().inspector_open);
  chord(window, shell, ImGuiMod_Ctrl | ImGuiKey_D);
  EXPECT_TRUE(shell.pinned().has_value());
  const std::string tab = shell.view().tab;
  chord(window, shell, ImGuiMod_Ctrl | ImGuiKey_PageDown);
  EXPECT_NE(shell.view().tab, tab);
  chord(window, shell, ImGuiMod_Ctrl | ImGuiKey_PageUp);
  EXPECT_EQ(shell.view().tab, tab);
  chord(window, shell, ImGuiKey_F1);
  EXPECT_TRUE(NullWindow::popup_open());
  EXPECT_TRUE(shell.ui.sheet_open);
  chord(window, shell, ImGuiKey_F1);
  EXPECT_FALSE(NullWindow::popup_open());
  chord(window, shell, ImGuiKey_F1);
  chord(window, shell, ImGuiKey_Escape);
  EXPECT_FALSE(shell.ui.sheet_open);
  EXPECT_EQ(window.errors(), 0);
}

TEST(Presentation, LargeAndLoudAndEscapeLeavesIt) {
  OpenRoom room;
  NullWindow& window = room.window;
  Shell& shell = *room.shell;
  const float before = shell.wanted_scale(1);
  const figures::Theme& theme = shell.theme();
  chord(window, shell, ImGuiKey_F11);
  EXPECT_TRUE(shell.view().presentation);
  EXPECT_FLOAT_EQ(shell.wanted_scale(1), 1.6f * before);
  EXPECT_GT(figures::contrast(shell.theme().secondary, shell.theme().background),
            figures::contrast(theme.secondary, theme.background));
  EXPECT_GE(figures::contrast(shell.theme().secondary, shell.theme().background), 7) << "WCAG's enhanced contrast";
  // No part of the top bar is drawn.
  for (const ImGuiKey key : {ImGuiKey_F6, ImGuiKey_F6, ImGuiKey_F6}) {
    chord(window, shell, key);
    EXPECT_NE(shell.ui.region, 0);
    EXPECT_NE(shell.ui.region, 1);
  }
  shell.view().theme = "light";
  EXPECT_EQ(shell.theme().id, "contrast_light");
  chord(window, shell, ImGuiKey_Escape);
  EXPECT_FALSE(shell.view().presentation);
  EXPECT_EQ(shell.theme().id, "light");
  EXPECT_EQ(window.errors(), 0);
}

TEST(Focus, F6GoesThroughThePartsOfTheWindowAndTheRingIsSeen) {
  OpenRoom room;
  NullWindow& window = room.window;
  Shell& shell = *room.shell;
  std::set<ImGuiID> places;
  for (int i = 0; i < 4; ++i) {
    chord(window, shell, ImGuiKey_F6);
    EXPECT_TRUE(GImGui->NavCursorVisible) << i;
    EXPECT_NE(GImGui->NavId, 0u);
    EXPECT_TRUE(places.insert(GImGui->NavId).second) << "part " << i << " gave no control of its own";
  }
  chord(window, shell, ImGuiKey_F6);
  EXPECT_TRUE(ImGui::GetIO().WantTextInput) << "round again: the sentence";
  chord(window, shell, ImGuiMod_Shift | ImGuiKey_F6);
  EXPECT_TRUE(places.contains(GImGui->NavId));
  EXPECT_EQ(window.errors(), 0);
}

TEST(Fuzzy, WordBeginningsAndNeighboursCountMore) {
  using window::fuzzy_score;
  EXPECT_EQ(fuzzy_score("xyz", "causal"), 0);
  EXPECT_EQ(fuzzy_score("lsc", "causal"), 0) << "the order counts";
  EXPECT_GT(fuzzy_score("cau", "causal (no peeking)"), fuzzy_score("cau", "prefix, then causal") - 1);
  EXPECT_GT(fuzzy_score("nt", "Next tokenizer"), fuzzy_score("nt", "Presentation mode"));
  EXPECT_GT(fuzzy_score("save", "Save as…"), fuzzy_score("save", "spoken at various edges"));
  EXPECT_GT(fuzzy_score("SAVE", "Save"), 0);
  EXPECT_GT(fuzzy_score("掩码", "开关因果掩码"), 0);
  EXPECT_EQ(fuzzy_score("码掩", "开关因果掩码"), 0);
  EXPECT_GT(fuzzy_score("", "anything"), 0);
  EXPECT_EQ(fuzzy_score("a", ""), 0);
}

TEST(CommandPalette, FindsByWhatIsSaidOfIt) {
  OpenRoom room;
  NullWindow& window = room.window;
  Shell& shell = *room.shell;
  for (const auto& [query, wanted] :
       {std::pair{"record", "Write a lesson"}, {"projector", "Presentation mode on or off"}, {"pdf", "Save a report…"}}) {
    chord(window, shell, ImGuiMod_Ctrl | ImGuiKey_P);
    window.type(shell, query);
    bool found = false;
    for (const std::size_t i : shell.palette.found()) found = found || shell.palette.commands()[i].english == wanted;
    EXPECT_TRUE(found) << query;
    chord(window, shell, ImGuiKey_Escape);
  }
  chord(window, shell, ImGuiMod_Ctrl | ImGuiKey_P);
  window.type(shell, "rojector");
  EXPECT_TRUE(shell.palette.found().empty()) << "the middle of a word is no word";
}

TEST(CommandPalette, FindsRunsAndCloses) {
  OpenRoom room;
  NullWindow& window = room.window;
  Shell& shell = *room.shell;
  chord(window, shell, ImGuiMod_Ctrl | ImGuiKey_P);
  ASSERT_TRUE(shell.palette.open());
  const std::size_t all = shell.palette.found().size();
  EXPECT_GT(all, 50u);
  window.type(shell, "mask cau");
  EXPECT_LT(shell.palette.found().size(), all);
  EXPECT_EQ(shell.document().texts[0], test::small_document().texts[0]) << "the sentence does not get the letters";
  chord(window, shell, ImGuiKey_Enter);
  EXPECT_FALSE(shell.palette.open());
  EXPECT_FALSE(NullWindow::popup_open());
  ASSERT_EQ(shell.document().masks.size(), 1u);
  EXPECT_EQ(shell.document().masks[0].id, "causal");

  // Letters that are typed at once are not lost, though the field gets the focus only some frames later.
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, true);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_P, true);
  ImGui::GetIO().AddKeyEvent(ImGuiKey_P, false);
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, false);
  for (const char letter : std::string("undo")) ImGui::GetIO().AddInputCharacter(static_cast<unsigned int>(letter));
  window.frames(shell, 24);
  ASSERT_TRUE(shell.palette.open());
  EXPECT_EQ(shell.palette.query(), "undo");
  chord(window, shell, ImGuiKey_Escape);

  // The arrows choose; down and then up returns to the start.
  chord(window, shell, ImGuiMod_Ctrl | ImGuiKey_P);
  window.type(shell, "theme");
  ASSERT_GE(shell.palette.found().size(), 2u);
  const auto second = shell.palette.commands()[shell.palette.found()[1]].english;
  chord(window, shell, ImGuiKey_DownArrow);
  chord(window, shell, ImGuiKey_Enter);
  EXPECT_EQ(figures::themes().find(shell.view().theme)->label, second);

  // In the current language, and still in English.
  shell.configuration().language = "zh";
  window.frame(shell);
  for (const char* query : {"撤销", "undo"}) {
    chord(window, shell, ImGuiMod_Ctrl | ImGuiKey_P);
    window.type(shell, query);
    ASSERT_FALSE(shell.palette.found().empty()) << query;
    EXPECT_EQ(shell.palette.commands()[shell.palette.found()[0]].english, "Undo") << query;
    chord(window, shell, ImGuiKey_Escape);
    EXPECT_FALSE(shell.palette.open());
  }
  shell.configuration().language = "en";
  window.frame(shell);

  chord(window, shell, ImGuiMod_Ctrl | ImGuiKey_P);
  window.type(shell, "no such thing at all, qqq");
  EXPECT_TRUE(shell.palette.found().empty());
  chord(window, shell, ImGuiKey_Enter);
  EXPECT_TRUE(shell.palette.open()) << "nothing to run";
  chord(window, shell, ImGuiKey_Escape);
  EXPECT_EQ(window.errors(), 0);
}

TEST(CommandPalette, EveryCommandRuns) {
  OpenRoom room;
  NullWindow& window = room.window;
  Shell& shell = *room.shell;
  for (const auto& command : window::palette_commands(shell)) {
    SCOPED_TRACE(command.kind + " " + command.english);
    EXPECT_FALSE(command.why.empty());
    if (!command.enabled) continue;
    command.run();
    window.frames(shell, 2);
    shell.worker().wait();
    window.frames(shell, 2);
    EXPECT_FALSE(shell.published().error) << shell.published().error->sentence();
    // Closes the dialogs.
    while (NullWindow::popup_open()) chord(window, shell, ImGuiKey_Escape);
    shell.view().presentation = false;
  }
  shell.wants_quit = false;
  EXPECT_EQ(window.errors(), 0);
}

TEST(CommandPalette, WhatATrainedModelCannotChangeIsDoneInTheSandbox) {
  OpenRoom room;
  Shell& shell = *room.shell;
  Document trained = shell.document();
  ASSERT_TRUE(find_field("model")->set(trained, {"induction"}).ok());
  ASSERT_TRUE(find_field("without")->set(trained, {"positions"}).ok());
  for (const auto& command : window::palette_commands(shell)) {
    if (command.kind != "preset" && command.kind != "tokenizer" && command.kind != "positions") continue;
    SCOPED_TRACE(command.kind + " " + command.english);
    shell.edit(trained);
    command.run();
    room.settle();
    EXPECT_FALSE(shell.published().error) << shell.published().error->sentence();
    EXPECT_EQ(shell.document().model, "sandbox");
    const auto& presets = presets::registry().entries();
    const bool own_texts = std::any_of(presets.begin(), presets.end(), [&](const presets::Entry& preset) {
      return preset.own_texts && command.kind == "preset" && command.english == preset.label;
    });
    EXPECT_EQ(shell.document().texts == trained.texts, !own_texts);
    shell.undo();
    EXPECT_EQ(shell.document(), trained) << "one step back";
  }
}

TEST(Examples, EachIsReadShownAndComputed) {
  const auto examples = window::load_examples();
  ASSERT_TRUE(examples.ok()) << examples.error().sentence();
  EXPECT_GE(examples->size(), 12u);
  std::set<std::string> ids;
  const auto three = std::find_if(examples->begin(), examples->end(), [](const auto& e) { return e.id == "formula-alone"; });
  ASSERT_NE(three, examples->end());
  Document alone = three->session.document;
  presets::registry().find("lecture")->apply(alone);
  EXPECT_EQ(three->session.document, alone) << "by the formula alone";
  for (const window::Example& example : *examples) {
    SCOPED_TRACE(example.id);
    EXPECT_TRUE(ids.insert(example.id).second);
    const Status valid = validate(example.session.document);
    EXPECT_TRUE(valid.ok()) << valid.error().sentence();
    const auto trace = run_on_backend()(example.session.document, {});
    ASSERT_TRUE(trace.ok()) << trace.error().sentence();
    EXPECT_FALSE((*trace)->texts().empty());
    for (const Sentence& sentence : (*trace)->texts())
      for (const auto& token : sentence.tokens)
        EXPECT_NE(token.id, (*trace)->tokenizer()->unknown_id()) << "an example is no place for unknown tokens: " << token.piece;
  }
}

// The worked example of three words, with every number as it is printed there: whole numbers exactly, the others to their last
// digit.
TEST(Examples, TheThreeWordsHaveTheNumbersOfTheWorkedExample) {
  const auto examples = window::load_examples();
  ASSERT_TRUE(examples.ok()) << examples.error().sentence();
  const auto three = std::find_if(examples->begin(), examples->end(), [](const auto& e) { return e.id == "three-words"; });
  ASSERT_NE(three, examples->end());
  const auto trace = run_on_backend()(three->session.document, {});
  ASSERT_TRUE(trace.ok()) << trace.error().sentence();
  const std::map<std::string, std::vector<double>> exact = {{"input", {1, 0, 0, 1, 1, 1}},
                                                            {"parameters.layer.0.wq", {1, 0, 0, 1}},
                                                            {"parameters.layer.0.wk", {1, 1, 0, 1}},
                                                            {"parameters.layer.0.wv", {1, 2, 3, 0}},
                                                            {"layer.0.q", {1, 0, 0, 1, 1, 1}},
                                                            {"layer.0.k", {1, 1, 0, 1, 1, 2}},
                                                            {"layer.0.v", {1, 2, 3, 0, 4, 2}},
                                                            {"layer.0.scores", {1, 0, 1, 1, 1, 2, 2, 1, 3}},
                                                            {"layer.0.scaled_scores", {1, 0, 1, 1, 1, 2, 2, 1, 3}}};
  const std::map<std::string, std::vector<double>> printed = {
      {"layer.0.weights", {.4223, .1554, .4223, .2119, .2119, .5761, .2447, .0900, .6652}},
      {"layer.0.context", {2.5777, 1.6893, 3.1522, 1.5761, 3.1758, 1.8199}},
      {"layer.0.attention_output", {2.5777, 1.6893, 3.1522, 1.5761, 3.1758, 1.8199}}};
  for (const auto& [table, tolerance] : {std::pair(exact, 0.0), std::pair(printed, 5.1e-5)})
    for (const auto& [name, wanted] : table) {
      const auto values = (*trace)->values(name);
      ASSERT_TRUE(values.ok()) << name;
      const Tensor t = values->as(DType::f64).compact();
      ASSERT_EQ(t.count(), static_cast<std::int64_t>(wanted.size())) << name;
      for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(t.data<double>()[i], wanted[i], tolerance) << name << " " << i;
    }
  for (const Step& step : (*trace)->steps()) EXPECT_NE(step.origin, Origin::random) << step.name;
}

TEST(Examples, WhatIsWrongIsNamed) {
  EXPECT_NE(window::examples_from_json("{}", "f.json").error().sentence().find("f.json"), std::string::npos);
  EXPECT_NE(window::examples_from_json(R"([{"id":"a","label":"A"}])", "f.json").error().sentence().find("'why'"),
            std::string::npos);
  EXPECT_NE(window::examples_from_json(R"([{"id":"a","label":"A","why":"w","document":{"seed":"x"}}])", "f.json")
                .error()
                .sentence()
                .find("example 1"),
            std::string::npos);
}

}  // namespace
}  // namespace headlight
