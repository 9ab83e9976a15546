// Readability: no text too small, every control has a tooltip.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/views/base/view.h"
#include "app/views/heads/state.h"
#include "app/views/masks/state.h"
#include "app/views/positions/state.h"
#include "app/views/walk/state.h"
#include "app/window/dialogs/command_palette.h"
#include "tests/ui/null_window.h"

namespace headlight {
namespace {

using test::NullWindow;
using window::Shell;

window::Setup setup_for(bool target) {
  window::Setup setup;
  Document& document = setup.session.document;
  document.texts = {"a fluffy blue creature", "man bites dog"};
  if (target) document.targets = {"un animal bleu", "homme"};
  document.tokenizer = "words";
  document.d_model = 16;
  document.heads = 4;
  document.layers = 2;
  document.masks = {{"causal", {}}, {"window", {}}};
  setup.compute = run_on_backend();
  setup.configuration.language = "en";
  return setup;
}

void settle(NullWindow& window, Shell& shell) {
  for (int i = 0; i < 4; ++i) {
    window.frame(shell);
    shell.worker().wait();
    shell.lane().wait();
  }
  window.frame(shell);
}

// Every tab with every picture it can show.
template <class Visit>
void every_look(Shell& shell, const Visit& visit) {
  const ViewState plain = shell.view();
  for (const views::View& entry : views::registry().entries()) {
    std::vector<ViewState> looks{plain};
    for (const char* view : {"dots", "arcs", "neuron"}) looks.emplace_back(plain).own.of<views::heads::State>().picture = view;
    for (const char* together : {"side", "overlay", "mean", "max", "rollout"}) {
      looks.emplace_back(plain).own.of<views::heads::State>().together = together;
      looks.back().chosen_heads = {{0, 0}, {1, 1}};
    }
    ViewState& opened = looks.emplace_back(plain);
    opened.own.of<views::walk::State>().step = opened.own.of<views::walk::State>().open = "softmax";
    for (const char* shows : {"before", "difference", "all"})
      looks.emplace_back(plain).own.of<views::masked::State>().shows = shows;
    for (const char* view : {"curves", "distance"}) looks.emplace_back(plain).own.of<views::placed::State>().picture = view;
    const auto concerns = [&](const ViewState& v) {
      if (v == plain) return true;
      if (v.own.of<views::walk::State>().open != plain.own.of<views::walk::State>().open) return entry.id == "walk";
      if (v.own.of<views::masked::State>().shows != plain.own.of<views::masked::State>().shows) return entry.id == "masks";
      if (v.own.of<views::placed::State>() != plain.own.of<views::placed::State>()) return entry.id == "positions";
      return entry.id == "heads";
    };
    for (ViewState& look : looks) {
      if (!concerns(look)) continue;
      look.tab = entry.id;
      shell.view() = look;
      visit(entry.id);
    }
  }
  shell.view() = plain;
}

TEST(Readable, NoTextIsUnderTwelveAndTokensAreLarge) {
  for (const bool target : {false, true})
    for (const auto& [width, height] : {std::pair{1600.0f, 1000.0f}, std::pair{1280.0f, 720.0f}}) {
      NullWindow window(width, height);
      Shell shell(setup_for(target));
      settle(window, shell);
      std::vector<gl::DrawnText> drawn;
      window.figures().watch_text(&drawn);
      every_look(shell, [&](const std::string& tab) {
        settle(window, shell);
        drawn.clear();
        window.frame(shell);
        EXPECT_GT(drawn.size(), 20u) << tab;
        std::map<std::string, float> largest;
        for (const gl::DrawnText& text : drawn) {
          EXPECT_GE(text.size, 12) << tab << ": \"" << text.text << "\"";
          float& size = largest[text.text];
          size = std::max(size, text.size);
        }
        // The chips show every token of the sentence, at the size of words.
        for (const auto& token : shell.published().trace->texts()[0].labels)
          EXPECT_GE(largest[token], 15) << tab << ": the token \"" << token << "\"";
      });
      window.figures().watch_text(nullptr);
    }
}

TEST(Readable, EveryControlSaysWhatItDoes) {
  ui::ControlLog log;
  std::set<std::string> silent;
  for (const bool target : {false, true}) {
    NullWindow window(1600, 1000);
    Shell shell(setup_for(target));
    settle(window, shell);
    ui::watch_controls(&log);
    const auto look = [&](const std::string& where) {
      log = {};
      window.frame(shell);
      for (const auto& [id, shown] : log.controls)
        if (!log.explained.contains(id)) silent.insert(where + ": \"" + shown + "\"");
    };
    every_look(shell, [&](const std::string& tab) {
      settle(window, shell);
      look(tab);
      EXPECT_GT(log.controls.size(), 8u);
    });
    for (const char* picker : {"model", "tokenizer", "positions", "mask", "score", "size", "backend"}) {
      shell.ui.popup_next = picker;
      window.frames(shell, 3);
      EXPECT_TRUE(NullWindow::popup_open()) << picker;
      look(std::string("popup ") + picker);
      window.key(shell, ImGuiKey_Escape);
    }
    window.key(shell, ImGuiKey_S, true);
    look("file dialog");
    window.key(shell, ImGuiKey_Escape);
    shell.ask_export();
    window.frames(shell, 2);
    ui::watch_controls(&log);
    look("export dialog");
    window.key(shell, ImGuiKey_Escape);
    ui::watch_controls(nullptr);
  }
  for (const std::string& control : silent) ADD_FAILURE() << "no tooltip: " << control;
}

}  // namespace
}  // namespace headlight
