// The whole window, frame by frame, without OpenGL: every panel in every state, typing, undo, shortcuts.
#include "app/window/shell/shell.h"
#include "app/views/base/view.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>
#include <tuple>

#include "app/window/shell/opening.h"
#include "engine/core/files.h"
#include "engine/core/npy.h"
#include "tests/ui/null_window.h"

namespace headlight {
namespace {

using test::NullWindow;
using window::Setup;
using window::Shell;

Document shell_small() {
  Document document;
  document.texts = {"man bites dog"};
  document.tokenizer = "characters";
  document.d_model = 16;
  document.heads = 2;
  document.layers = 2;
  return document;
}

Setup setup_of(Worker::Compute compute, Document document = shell_small()) {
  Setup setup;
  setup.session.document = std::move(document);
  setup.compute = std::move(compute);
  return setup;
}

enum class State { empty, computing, error, result };
constexpr State kStates[] = {State::empty, State::computing, State::error, State::result};

// A computation that a test can hold back.
struct Gate {
  std::atomic<bool> open = false;
  Worker::Compute compute(const Worker::Compute& then) {
    return [this, then](const Document& document, const CancelToken& cancel) -> Result<std::shared_ptr<const Trace>> {
      while (!open && !cancel.cancelled()) std::this_thread::yield();
      if (cancel.cancelled()) return cancelled();
      return then(document, cancel);
    };
  }
};

TEST(Shell, EveryPanelInEveryStateAtEverySize) {
  const std::pair<float, float> sizes[] = {{1600, 1000}, {1280, 720}, {640, 400}};
  ASSERT_FALSE(views::registry().entries().empty());
  for (const auto& [width, height] : sizes)
    for (const State state : kStates)
      for (const views::View& entry : views::registry().entries()) {
        SCOPED_TRACE(entry.id + ", state " + std::to_string(static_cast<int>(state)) + ", width " + std::to_string(width));
        NullWindow window(width, height);
        Gate gate;
        const Worker::Compute failing = [](const Document&, const CancelToken&) -> Result<std::shared_ptr<const Trace>> {
          return invalid("the sentence does not fit").at("texts").mend("shorten it");
        };
        Document document = shell_small();
        if (state == State::empty) document.texts = {""};
        Shell shell(setup_of(state == State::error       ? failing
                             : state == State::computing ? gate.compute(run_on_backend())
                                                         : run_on_backend(),
                             document));
        shell.view().tab = entry.id;
        if (state != State::computing) shell.worker().wait();
        for (int i = 0; i < 5; ++i) {
          window.frame(shell);
          // The mouse moves over the view, so that hovering is drawn, too.
          ImGui::GetIO().AddMousePosEvent(width * 0.15f * static_cast<float>(i + 1), height * 0.5f);
          if (state != State::computing) shell.lane().wait();
        }
        EXPECT_EQ(window.errors(), 0);
        EXPECT_GT(window.vertices(), 500);
        EXPECT_EQ(shell.view().tab, entry.id);
        EXPECT_EQ(NullWindow::shows("error"), state == State::error);
        EXPECT_EQ(shell.nothing_typed(), state == State::empty && shell.published().error.has_value());
        if (state == State::result) {
          ASSERT_TRUE(shell.published().trace);
          EXPECT_FALSE(shell.published().error);
          EXPECT_FALSE(shell.stale());
        }
        if (state == State::computing) {
          EXPECT_TRUE(shell.stale());
          EXPECT_FALSE(shell.published().trace);
          gate.open = true;
        }
      }
}

TEST(Shell, OpensWithTheSentenceFocusedAndTheCaretAtItsEnd) {
  NullWindow window;
  Shell shell(setup_of(run_on_backend()));
  window.frames(shell, 4);
  EXPECT_TRUE(ImGui::GetIO().WantTextInput);
  window.type(shell, "!");
  EXPECT_EQ(shell.document().texts[0], "man bites dog!");
}

TEST(Shell, TypingRecomputesAndUndoBringsTheOldSentenceBack) {
  NullWindow window;
  Shell shell(setup_of(run_on_backend()));
  window.frames(shell, 4);
  window.type(shell, " \xF0\x9F\x90\x95");  // an emoji outside the basic plane
  EXPECT_EQ(shell.document().texts[0], "man bites dog \xF0\x9F\x90\x95");
  shell.worker().wait();
  window.frame(shell);
  ASSERT_TRUE(shell.published().trace);
  EXPECT_EQ(shell.published().trace->document().texts[0], shell.document().texts[0]);

  window.key(shell, ImGuiKey_Z, true);
  EXPECT_EQ(shell.document().texts[0], "man bites dog");
  EXPECT_EQ(shell.ui.sentence, "man bites dog") << "the field follows";
  window.key(shell, ImGuiKey_Y, true);
  EXPECT_EQ(shell.document().texts[0], "man bites dog \xF0\x9F\x90\x95");
  window.key(shell, ImGuiKey_Z, true);
  window.type(shell, "s");
  EXPECT_EQ(shell.document().texts[0], "man bites dogs") << "typing goes on from what undo restored";
}

TEST(Shell, EscapeLeavesTheSentenceAndKeepsWhatWasTyped) {
  NullWindow window;
  Shell shell(setup_of(run_on_backend()));
  window.frames(shell, 4);
  window.type(shell, " twice");
  window.key(shell, ImGuiKey_Escape);
  EXPECT_FALSE(ImGui::GetIO().WantTextInput) << "the field is left";
  EXPECT_EQ(shell.document().texts[0], "man bites dog twice");
  EXPECT_EQ(shell.ui.sentence, "man bites dog twice");
  window.key(shell, ImGuiKey_L, true);
  window.type(shell, "!");
  EXPECT_EQ(shell.document().texts[0], "man bites dog twice!");
}

TEST(Shell, NoTooltipLiesOverTheWindowWhileOneTypes) {
  NullWindow window;
  Shell shell(setup_of(run_on_backend()));
  window.frames(shell, 4);
  const auto tooltip = [] {
    for (const ImGuiWindow* w : GImGui->Windows)
      if ((w->Flags & ImGuiWindowFlags_Tooltip) && w->Active && !w->Hidden) return true;
    return false;
  };
  const auto& place = shell.parts.places.at("sentence");
  ImGui::GetIO().AddMousePosEvent((place.x0 + place.x1) / 2, (place.y0 + place.y1) / 2);
  window.frames(shell, 120);
  EXPECT_FALSE(tooltip()) << "the field has the keyboard";
  window.key(shell, ImGuiKey_Escape);
  window.frames(shell, 120);
  EXPECT_TRUE(tooltip()) << "and left, it says what it is";
}

TEST(Shell, AnErrorKeepsTheLastGoodTraceInSight) {
  NullWindow window;
  const Worker::Compute compute = [good = run_on_backend()](const Document& document,
                                                            const CancelToken& cancel) -> Result<std::shared_ptr<const Trace>> {
    if (document.texts[0].find('x') != std::string::npos) return invalid("no x, please").at("texts").mend("leave it out");
    return good(document, cancel);
  };
  Shell shell(setup_of(compute));
  window.frames(shell, 3);
  shell.worker().wait();
  window.frame(shell);
  ASSERT_TRUE(shell.published().trace);
  window.type(shell, "x");
  shell.worker().wait();
  window.frames(shell, 2);
  EXPECT_TRUE(NullWindow::shows("error"));
  ASSERT_TRUE(shell.published().trace) << "the old picture stays";
  EXPECT_EQ(shell.published().trace->document().texts[0], "man bites dog");
  EXPECT_EQ(shell.document().texts[0], "man bites dogx") << "and nothing typed is lost";
}

TEST(Shell, ASecondSentenceMakesATargetAndClearingItRemovesIt) {
  NullWindow window;
  Shell shell(setup_of(run_on_backend()));
  window.frames(shell, 4);
  window.key(shell, ImGuiKey_Tab);
  window.type(shell, "dog");
  ASSERT_EQ(shell.document().targets.size(), 1u);
  EXPECT_EQ(shell.document().targets[0], "dog");
  for (int i = 0; i < 3; ++i) window.key(shell, ImGuiKey_Backspace);
  EXPECT_TRUE(shell.document().targets.empty());
}

TEST(Shell, ALongPasteGoesIn) {
  NullWindow window;
  // The computation answers with an error, as it does beyond its limits: this tests the field.
  const Worker::Compute refuse = [](const Document&, const CancelToken&) -> Result<std::shared_ptr<const Trace>> {
    return failure(ErrorKind::too_large, "too long").at("texts").mend("shorten it");
  };
  Shell shell(setup_of(refuse));
  window.frames(shell, 4);
  const std::string paste(100000, 'a');
  ImGui::SetClipboardText(paste.c_str());
  window.key(shell, ImGuiKey_V, true);
  EXPECT_EQ(shell.document().texts[0].size(), paste.size() + std::string("man bites dog").size());
  window.key(shell, ImGuiKey_Z, true);
  EXPECT_EQ(shell.document().texts[0], "man bites dog");
}

TEST(Shell, ShortcutsOpenTheirDialogsAndEscapeClosesThem) {
  NullWindow window;
  Shell shell(setup_of(run_on_backend()));
  window.frames(shell, 4);
  for (const ImGuiKey key : {ImGuiKey_O, ImGuiKey_S}) {
    window.key(shell, key, true);
    EXPECT_TRUE(shell.files.open());
    EXPECT_TRUE(NullWindow::popup_open());
    window.key(shell, ImGuiKey_Escape);
    EXPECT_FALSE(shell.files.open());
    window.frames(shell, 2);
    EXPECT_FALSE(NullWindow::popup_open());
  }
  window.key(shell, ImGuiKey_Q, true);
  EXPECT_TRUE(shell.wants_quit);
}

TEST(Shell, ExportsWhatIsShownInTheBackground) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("headlight-export-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  NullWindow window;
  Shell shell(setup_of(run_on_backend()));
  window.frames(shell, 3);
  shell.worker().wait();
  window.frames(shell, 2);
  window.key(shell, ImGuiKey_E, true);
  ASSERT_TRUE(shell.exports.open());
  window.key(shell, ImGuiKey_A, true);
  window.type(shell, (folder / "heads").c_str());
  window.key(shell, ImGuiKey_Enter);
  EXPECT_FALSE(shell.exports.open());
  shell.export_lane().wait();
  window.frames(shell, 2);
  EXPECT_NE(shell.ui.notice.find("exported"), std::string::npos) << shell.ui.notice;
  const auto bytes = read_file(folder / "heads.png");
  ASSERT_TRUE(bytes.ok()) << bytes.error().sentence();
  EXPECT_EQ(bytes->substr(1, 3), "PNG");
  Shell other(setup_of(run_on_backend(), Document()));
  ASSERT_TRUE(other.open(folder / "heads.png").ok()) << "the picture carries the document";
  EXPECT_EQ(other.document(), shell.document());
  std::filesystem::remove_all(folder);
}

TEST(Shell, SavesWhereItIsToldAndOpensItAgain) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("headlight-shell-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  NullWindow window;
  Shell shell(setup_of(run_on_backend()));
  window.frames(shell, 4);
  window.key(shell, ImGuiKey_S, true);
  ASSERT_TRUE(shell.files.open());
  window.key(shell, ImGuiKey_A, true);
  window.type(shell, (folder / "one.json").c_str());
  window.key(shell, ImGuiKey_Enter);
  EXPECT_FALSE(shell.files.open());
  ASSERT_TRUE(std::filesystem::exists(folder / "one.json"));

  Document changed = shell.document();
  changed.seed = 7;
  shell.edit(changed);
  window.frame(shell);
  ASSERT_TRUE(shell.open(folder / "one.json").ok());
  EXPECT_EQ(shell.document().seed, 0u);
  window.key(shell, ImGuiKey_Z, true);
  EXPECT_EQ(shell.document().seed, 7u) << "opening can be undone";

  ASSERT_TRUE(write_file(folder / "broken.json", "{\"headlight\": ").ok());
  const Status broken = shell.open(folder / "broken.json");
  ASSERT_FALSE(broken.ok());
  EXPECT_NE(broken.error().sentence().find("broken.json"), std::string::npos);
  EXPECT_EQ(shell.document().seed, 7u) << "a file that cannot be read changes nothing";
  std::filesystem::remove_all(folder);
}

TEST(Shell, SaysWhatAFileOfArraysIsThatIsOpenedOrDropped) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("headlight-arrays-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  NullWindow window;
  Shell shell(setup_of(run_on_backend()));
  const Document before = shell.document();
  const std::string header = R"({"q":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
  for (const auto& [name, bytes, words] :
       {std::tuple("m.safetensors", std::string(1, static_cast<char>(header.size())) + std::string(7, '\0') + header + "1234",
                   "none of them has rows and columns"),
        {"m.csv", std::string("1,2\n3,4\n"), "numpy.loadtxt"},
        {"m.json", std::string("{\"q\": [[1, 2]]}"), "give weights, scores, or q and k"},
        {"m.bin", std::string("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 77\n"), "a file of 77 bytes"},
        {"m.npy", write_npy(Tensor::of<float>({1}, {1})), "none of them has rows and columns"}}) {
    ASSERT_TRUE(write_file(folder / name, bytes).ok());
    const Status opened = shell.open(folder / name);
    ASSERT_FALSE(opened.ok()) << name;
    EXPECT_NE(opened.error().sentence().find(words), std::string::npos) << opened.error().sentence();
    EXPECT_EQ(shell.document(), before) << name;
  }
  std::filesystem::remove_all(folder);
}

TEST(Shell, ScaleKeysChangeTheScaleAndZeroFollowsTheDisplay) {
  NullWindow window;
  Shell shell(setup_of(run_on_backend()));
  window.frames(shell, 2);
  EXPECT_FLOAT_EQ(shell.wanted_scale(1.5f), 1.5f);
  window.key(shell, ImGuiKey_Equal, true);
  EXPECT_FLOAT_EQ(shell.wanted_scale(1.0f), 1.125f);
  window.key(shell, ImGuiKey_Minus, true);
  EXPECT_LT(shell.wanted_scale(1.0f), 1.125f);
  window.key(shell, ImGuiKey_0, true);
  EXPECT_FLOAT_EQ(shell.wanted_scale(2.0f), 2.0f);
}

TEST(Shell, WhatIsSaidStandsInTheStatusBarForSomeSeconds) {
  window::Setup setup;
  setup.session.document.texts = {"man bites dog"};
  setup.session.document.tokenizer = "characters";
  setup.compute = run_on_backend();
  setup.message = Message("the last session could not be read; it is kept");
  Shell shell(std::move(setup));
  NullWindow window(1280, 720);
  const auto says = [&](const std::string& words) {
    std::vector<gl::DrawnText> drawn;
    window.figures().watch_text(&drawn);
    window.frame(shell);
    window.figures().watch_text(nullptr);
    const auto bar = shell.parts.places.at("status");
    return std::any_of(drawn.begin(), drawn.end(),
                       [&](const auto& one) { return one.text == words && one.low.y >= bar.y0 && one.high.y <= bar.y1; });
  };
  EXPECT_TRUE(says("the last session could not be read; it is kept")) << "from the first frame on";
  shell.say("saved mine");
  EXPECT_TRUE(says("saved mine"));
  shell.ui.notice_until = 0;
  EXPECT_FALSE(says("saved mine"));
}

// A model's folder, or a file in it, opens with the sentence that is there; nothing is ever saved into the model.
TEST(Shell, OpensAModel) {
  const std::filesystem::path folder = *assets_folder() / "models" / "course";
  EXPECT_EQ(window::place_of_model(folder), folder);
  EXPECT_EQ(window::place_of_model(folder / "config.json"), folder);
  EXPECT_EQ(window::place_of_model(folder / "model.safetensors"), folder);
  EXPECT_EQ(window::place_of_model("a.gguf"), std::filesystem::absolute("a.gguf"));
  EXPECT_EQ(window::place_of_model(folder.parent_path()), std::nullopt);
  const std::filesystem::path fetched =
      std::filesystem::temp_directory_path() / ("headlight-fetched-" + std::to_string(::getpid()));
  std::filesystem::create_directories(fetched);
  ASSERT_TRUE(write_file(fetched / "weights.gguf", "GGUF").ok());
  EXPECT_EQ(window::place_of_model(fetched), fetched);
  std::filesystem::remove_all(fetched);
  EXPECT_FALSE(window::is_session_file(folder / "config.json"));
  const auto opened = window::load_any(folder);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->document.model, folder.string());
  EXPECT_EQ(opened->document.texts, window::first_session().document.texts);

  NullWindow window;
  Shell shell(setup_of(run_on_backend()));
  ASSERT_TRUE(shell.open(folder / "config.json").ok());
  shell.models().wait();
  window.frame(shell);
  EXPECT_EQ(shell.document().model, folder.string());
  EXPECT_EQ(shell.document().texts, std::vector<std::string>{"man bites dog"});
  const Status missing = shell.open("there-is-no.gguf");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().sentence().find("there-is-no.gguf"), std::string::npos);
  EXPECT_EQ(shell.document().model, folder.string()) << "the window keeps what it has";
}

}  // namespace
}  // namespace headlight
