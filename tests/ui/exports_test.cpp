// Exports: the numbers are the trace's, the clipboard works with programs that only record their input, films can be stopped, and
// the export lane neither blocks nor leaves partial files.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "app/export/child_process.h"
#include "app/export/clipboard.h"
#include "app/export/figure_data.h"
#include "app/files/configuration.h"
#include "app/files/embedded.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/view.h"
#include "app/window/dialogs/export_lane.h"
#include "app/window/shell/opening.h"
#include "engine/core/files.h"
#include "engine/core/npy.h"
#include "tests/ui/null_window.h"

namespace headlight::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using window::ExportLane;
using window::Setup;
using window::Shell;

Setup man_bites_dog() {
  Setup s;
  s.compute = run_on_backend();
  s.session.document.texts = {"man bites dog"};
  return s;
}

// A folder used only by this test, and an environment that is restored afterwards.
class Exports : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "headlight-exports-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override {
    for (const auto& [name, value] : before_) {
      if (value)
        ::setenv(name.c_str(), value->c_str(), 1);
      else
        ::unsetenv(name.c_str());
    }
    fs::remove_all(folder);
  }
  void environment(const std::string& name, const std::optional<std::string>& value) {
    const char* old = std::getenv(name.c_str());
    before_.emplace_back(name, old ? std::optional<std::string>(old) : std::nullopt);
    if (value)
      ::setenv(name.c_str(), value->c_str(), 1);
    else
      ::unsetenv(name.c_str());
  }
  // Creates a program of that name on a PATH that contains nothing else of ours.
  void program(const std::string& name, const std::string& script) {
    const fs::path path = folder / "bin" / name;
    fs::create_directories(path.parent_path());
    ASSERT_TRUE(write_file(path, "#!/bin/sh\n" + script).ok());
    ::chmod(path.c_str(), 0755);
    environment("PATH", (folder / "bin").string() + ":/bin:/usr/bin");
  }
  fs::path folder;

 private:
  std::vector<std::pair<std::string, std::optional<std::string>>> before_;
};

void settle(NullWindow& window, Shell& shell) {
  for (int i = 0; i < 3; ++i) {
    window.frames(shell, 2);
    shell.worker().wait();
    shell.lane().wait();
  }
  window.frames(shell, 2);
}

void wait_for_export(NullWindow& window, Shell& shell) {
  shell.export_lane().wait();
  window.frames(shell, 2);
}

// In the open dialog: a name in place of what stands there, a kind of file, and Enter.
void write_as(NullWindow& window, Shell& shell, const std::filesystem::path& name, const std::string& kind) {
  window.key(shell, ImGuiKey_A, true);
  window.type(shell, name.c_str());
  shell.exports.choose(kind);
  window.frames(shell, 2);
  window.key(shell, ImGuiKey_Enter);
  wait_for_export(window, shell);
}

TEST_F(Exports, NumbersAreThoseOfTheTrace) {
  NullWindow window;
  Shell shell(man_bites_dog());
  shell.view().layer = 2;
  shell.view().head = 3;
  settle(window, shell);
  window.key(shell, ImGuiKey_E, true);
  ASSERT_TRUE(shell.exports.open());
  write_as(window, shell, folder / "w", "npz");
  const auto arrays = read_npz(folder / "w.npz");
  ASSERT_TRUE(arrays.ok()) << shell.ui.notice;
  ASSERT_FALSE(arrays->empty());
  const Tensor& values = arrays->front().second;
  const auto& trace = *shell.published().trace;
  Trace::Tile tile;
  tile.head = 3;
  const Tensor expected = trace.tile("layer.2.weights", tile).value();
  ASSERT_EQ(values.shape(), expected.shape());
  for (std::int64_t i = 0; i < values.dim(0); ++i)
    for (std::int64_t j = 0; j < values.dim(1); ++j) EXPECT_EQ(values.at({i, j}), expected.at({i, j}));
  // The arrays contain their document, too.
  Shell other(man_bites_dog());
  ASSERT_TRUE(other.open(folder / "w.npz").ok());
  EXPECT_EQ(other.document(), shell.document());
  EXPECT_EQ(other.view().head, 3);
}

TEST_F(Exports, EveryTabsPictureHasNumbersOrSaysThatItHasNone) {
  NullWindow window;
  Shell shell(man_bites_dog());
  for (const views::View& entry : views::registry().entries()) {
    shell.view().tab = entry.id;
    settle(window, shell);
    ImGui::SetClipboardText("");
    window.key(shell, ImGuiKey_C, true, true);
    const std::string copied = ImGui::GetClipboardText();
    EXPECT_NE(shell.ui.notice.find(copied.empty() ? "no array" : "copied"), std::string::npos)
        << entry.id << ": " << shell.ui.notice;
  }
}

TEST_F(Exports, TheHeadsNumbersAreCopiedWithTheirTokens) {
  NullWindow window;
  Shell shell(man_bites_dog());
  shell.view().tab = "heads";
  settle(window, shell);
  window.key(shell, ImGuiKey_C, true, true);
  const std::string copied = ImGui::GetClipboardText();
  const auto labels = shell.published().trace->texts()[0].labels;
  std::string header = "query";
  for (const std::string& label : labels) header += "\t" + label;
  EXPECT_NE(copied.find(header + "\n" + labels[0] + "\t"), std::string::npos) << copied;
}

TEST_F(Exports, APictureGoesToTheProgramThatHoldsTheClipboard) {
  for (const bool wayland : {true, false}) {
    const std::string name = wayland ? "wl-copy" : "xclip";
    environment("WAYLAND_DISPLAY", wayland ? std::optional<std::string>("wayland-0") : std::nullopt);
    environment("DISPLAY", ":0");
    program(name,
            "printf '%s\\n' \"$@\" > '" + (folder / "arguments").string() + "'\ncat > '" + (folder / "got.png").string() + "'\n");
    NullWindow window;
    Shell shell(man_bites_dog());
    settle(window, shell);
    figures::Figure figure;
    figure.width = 40;
    figure.height = 30;
    figure.add(figures::Rectangle{{0, 0, 40, 30}, figures::rgb(0xff0000), {}, 0, 0, {}});
    shell.copy_picture(figure);
    wait_for_export(window, shell);
    EXPECT_NE(shell.ui.notice.find("on the clipboard"), std::string::npos) << shell.ui.notice;
    EXPECT_EQ(read_file(folder / "got.png").value().substr(1, 3), "PNG");
    EXPECT_TRUE(embedded_document(folder / "got.png").ok());
    EXPECT_NE(read_file(folder / "arguments").value().find("image/png"), std::string::npos);
    fs::remove(folder / "bin" / name);
    fs::remove(folder / "got.png");
  }
}

TEST_F(Exports, WithoutSuchAProgramItSaysWhatToInstall) {
  environment("PATH", (folder / "nothing").string());
  environment("WAYLAND_DISPLAY", std::nullopt);
  environment("DISPLAY", ":0");
  EXPECT_EQ(picture_clipboard().error().mend, "install xclip");
  environment("WAYLAND_DISPLAY", "wayland-0");
  EXPECT_EQ(picture_clipboard().error().mend, "install wl-clipboard");
  environment("WAYLAND_DISPLAY", std::nullopt);
  environment("DISPLAY", std::nullopt);
  EXPECT_EQ(picture_clipboard().error().kind, ErrorKind::unavailable);
}

TEST_F(Exports, AProgramThatFailsIsAnError) {
  const std::string large(3 << 20, 'x');
  program("deaf", "exit 0\n");
  EXPECT_NE(feed_program({"deaf"}, large, 5).error().sentence().find("did not read"), std::string::npos);
  program("broken", "cat > /dev/null\nexit 3\n");
  EXPECT_NE(feed_program({"broken"}, large, 5).error().sentence().find("status 3"), std::string::npos);
  program("sleeper", "exec sleep 60\n");
  EXPECT_NE(feed_program({"sleeper"}, large, 0.2).error().sentence().find("did not answer"), std::string::npos);
  EXPECT_FALSE(feed_program({"there-is-no-such-program"}, "x", 5).ok());
  program("good", "cat > '" + (folder / "copy").string() + "'\n");
  ASSERT_TRUE(feed_program({"good"}, large, 5).ok());
  EXPECT_EQ(read_file(folder / "copy").value(), large);
}

figures::Animation film_of(int frames) {
  figures::Animation film;
  film.title = "a walk";
  film.frames = frames;
  film.frame = [](int index, const figures::TextMeasure&) {
    figures::Figure figure;
    figure.width = figure.height = 20;
    figure.add(figures::Rectangle{{static_cast<float>(index % 10), 0, 5, 5}, figures::rgb(0x00ff00), {}, 0, 0, {}});
    return figure;
  };
  return film;
}

TEST_F(Exports, AFilmIsWrittenInItsOwnLaneAndOpensAgain) {
  NullWindow window;
  Shell shell(man_bites_dog());
  settle(window, shell);
  shell.export_animation(film_of(5));
  ASSERT_TRUE(shell.exports.open());
  window.frames(shell, 2);
  window.key(shell, ImGuiKey_A, true);
  window.type(shell, (folder / "film").c_str());
  shell.exports.choose("png");
  window.frames(shell, 2);
  window.key(shell, ImGuiKey_Enter);
  EXPECT_FALSE(shell.exports.open());
  wait_for_export(window, shell);
  Shell other(man_bites_dog());
  ASSERT_TRUE(other.open(folder / "film.png").ok()) << shell.ui.notice;
  EXPECT_EQ(other.document(), shell.document());
}

TEST_F(Exports, AStoppedFilmLeavesNothingAndDerivedValuesDoNotWaitForIt) {
  std::atomic<int> made = 0;
  std::atomic<bool> go = false;
  NullWindow window;
  Shell shell(man_bites_dog());
  settle(window, shell);
  shell.begin_export(folder / "film.gif", [&](const ExportLane::Run& run) -> Status {
    for (int i = 0; i < 1000; ++i) {
      run.progress(i / 1000.0);
      if (run.cancel.cancelled()) return cancelled();
      ++made;
      while (!go) std::this_thread::sleep_for(1ms);
    }
    return write_file(folder / "film.gif", "never");
  });
  while (made == 0) std::this_thread::sleep_for(1ms);
  // The lane of derived values is free while the film waits.
  std::atomic<bool> derived = false;
  shell.lane().add([&](const CancelToken&) { derived = true; });
  shell.lane().wait();
  EXPECT_TRUE(derived);
  window.frames(shell, 2);
  const auto running = shell.export_lane().running();
  ASSERT_TRUE(running);
  EXPECT_EQ(running->name, "film.gif");
  shell.export_lane().cancel();
  go = true;
  wait_for_export(window, shell);
  EXPECT_NE(shell.ui.notice.find("stopped"), std::string::npos) << shell.ui.notice;
  EXPECT_TRUE(fs::is_empty(folder));
  EXPECT_FALSE(shell.export_lane().running());
}

TEST_F(Exports, WhatCannotBeWrittenIsSaidInASentence) {
  NullWindow window;
  Shell shell(man_bites_dog());
  settle(window, shell);
  shell.begin_export(folder / "none" / "x.csv",
                     [path = folder / "none" / "x.csv"](const ExportLane::Run&) { return write_file(path, "1,2\n"); });
  wait_for_export(window, shell);
  EXPECT_NE(shell.ui.notice.find("does not exist"), std::string::npos) << shell.ui.notice;
  EXPECT_TRUE(shell.ui.notice_bad);
}

// The words that a figure shows.
std::vector<std::string> words_of(const figures::Figure& figure) {
  std::vector<std::string> all;
  for (const figures::Item& item : figure.items)
    if (const auto* text = std::get_if<figures::Text>(&item)) all.push_back(text->text);
  return all;
}
bool says(const figures::Figure& figure, const std::string& words) {
  const auto all = words_of(figure);
  return std::find(all.begin(), all.end(), words) != all.end();
}

TEST_F(Exports, ThePreviewIsWhatTheFileShowsAndItsChoicesAreRemembered) {
  NullWindow window;
  Shell shell(man_bites_dog());
  shell.view().tab = "heads";
  settle(window, shell);
  window.key(shell, ImGuiKey_E, true);
  ASSERT_TRUE(shell.exports.open());
  window.frames(shell, 2);
  ASSERT_NE(shell.exports.preview(), nullptr);
  const figures::Figure before = *shell.exports.preview();
  EXPECT_TRUE(says(before, "query (attends)"));
  // Choices take effect in the next frame.
  FigureChoices choices;
  choices.width = "84mm";
  choices.axes = "off";
  choices.title = "A bite";
  choices.background = "white";
  shell.exports.form().set(choices);
  window.frames(shell, 2);
  ASSERT_NE(shell.exports.preview(), nullptr) << shell.exports.style_error();
  const figures::Figure small = *shell.exports.preview();
  EXPECT_NEAR(static_cast<double>(small.width), 84 / 25.4 * 96, 1e-3);
  EXPECT_FALSE(says(small, "query (attends)"));
  EXPECT_TRUE(says(small, "A bite"));
  EXPECT_EQ(small.background, figures::rgb(0xffffff));
  // Of a matrix, tokens and the exchange of rows and columns, too.
  choices.tokens = "0,2/1";
  choices.transposed = true;
  choices.numbers = "on";
  shell.exports.form().set(choices);
  window.frames(shell, 2);
  ASSERT_NE(shell.exports.preview(), nullptr) << shell.exports.style_error();
  const auto cells =
      std::find_if(shell.exports.preview()->items.begin(), shell.exports.preview()->items.end(), [](const auto& item) {
        const auto* one = std::get_if<figures::Cells>(&item);
        return one && one->tag.kind == figures::Tag::cell_area;
      });
  ASSERT_NE(cells, shell.exports.preview()->items.end());
  Trace::Tile tile;
  tile.head = shell.view().head;
  const Tensor weights = shell.published().trace->tile("layer." + std::to_string(shell.view().layer) + ".weights", tile).value();
  EXPECT_EQ(std::get<figures::Cells>(*cells).values.shape(), (Shape{2, 1}));
  EXPECT_EQ(std::get<figures::Cells>(*cells).values.at({1, 0}), weights.at({1, 2}));
  // What cannot be read is said, and nothing is written.
  choices.tokens = "7";
  shell.exports.form().set(choices);
  window.frames(shell, 2);
  EXPECT_EQ(shell.exports.preview(), nullptr);
  EXPECT_NE(shell.exports.style_error().find("7"), std::string::npos);
  choices.tokens.clear();
  shell.exports.form().set(choices);
  window.frames(shell, 2);
  write_as(window, shell, folder / "figure", "svg");
  const auto svg = read_file(folder / "figure.svg");
  ASSERT_TRUE(svg.ok()) << shell.ui.notice;
  EXPECT_NE(svg->find("width=\"84mm\""), std::string::npos);
  EXPECT_NE(svg->find(">A bite</text>"), std::string::npos);
  // The next picture gets the style, but not the words of this one; so does the next start.
  EXPECT_EQ(shell.configuration().figure.choices.width, "84mm");
  EXPECT_EQ(shell.configuration().figure.choices.axes, "off");
  EXPECT_EQ(shell.configuration().figure.choices.title, "");
  EXPECT_EQ(shell.configuration().figure.format, "svg");
  ASSERT_TRUE(save_configuration(folder / "config.json", shell.configuration()).ok());
  EXPECT_EQ(load_configuration(folder / "config.json").value(), shell.configuration());
  shell.view().tab = "walk";
  settle(window, shell);
  window.key(shell, ImGuiKey_E, true);
  window.frames(shell, 2);
  ASSERT_TRUE(shell.exports.open());
  ASSERT_NE(shell.exports.preview(), nullptr) << shell.exports.style_error();
  EXPECT_NEAR(static_cast<double>(shell.exports.preview()->width), 84 / 25.4 * 96, 1e-3);
  EXPECT_EQ(shell.exports.form().choices().title, "");
}

TEST_F(Exports, EveryViewsPictureTakesEveryStyle) {
  NullWindow window;
  Shell shell(man_bites_dog());
  FigureChoices choices;
  choices.width = "120mm";
  choices.font_size = "8pt";
  choices.title = choices.note = choices.axes = choices.numbers = choices.legend = choices.caption = "off";
  choices.background = "transparent";
  for (const views::View& entry : views::registry().entries()) {
    shell.view().tab = entry.id;
    settle(window, shell);
    shell.ask_export();
    if (!shell.exports.open()) continue;
    shell.exports.form().set(choices);
    window.frames(shell, 3);
    ASSERT_NE(shell.exports.preview(), nullptr) << entry.id << ": " << shell.exports.style_error();
    EXPECT_NEAR(static_cast<double>(shell.exports.preview()->width), 120 / 25.4 * 96, 1e-3) << entry.id;
    EXPECT_GT(shell.exports.preview()->height, 10) << entry.id;
    EXPECT_EQ(shell.exports.preview()->background.a, 0) << entry.id;
    window.key(shell, ImGuiKey_Escape);
    EXPECT_FALSE(shell.exports.open()) << entry.id;
  }
}

}  // namespace
}  // namespace headlight::test
