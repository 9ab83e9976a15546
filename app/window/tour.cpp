#include "app/window/tour.h"

#include <GLFW/glfw3.h>

#include <cstdio>
#include <system_error>

#include "app/cli/interrupt.h"
#include "app/window/graphics.h"
#include "app/window/opening.h"
#include "app/window/png.h"
#include "app/window/tour_film.h"
#include "imgui.h"

namespace headlight::window {
namespace {

namespace fs = std::filesystem;

// Enough frames for layouts to settle and for derived values to be made in between.
constexpr int kSettle = 8;
constexpr int kUnmeasured = 5;  // frames and edits before the clock counts

void settle(Graphics& graphics, Shell& shell, int width, int height, float scale) {
  shell.worker().wait();
  for (int i = 0; i < kSettle; ++i) {
    (void)graphics.picture(shell, width, height, scale);
    shell.lane().wait();
    shell.worker().wait();
  }
}

Result<std::unique_ptr<Graphics>> hidden() {
  GraphicsOptions options;
  options.width = options.height = 64;
  options.visible = options.input = false;
  return Graphics::make(options);
}

// The other ways of looking that a tab has, each a picture of its own.
struct OtherView {
  const char* tab;
  const char* name;
  void (*set)(ViewState&);
};
constexpr OtherView kOthers[] = {
    {"walk", "softmax", [](ViewState& v) { v.walk_step = v.walk_open = "softmax"; }},
    {"heads", "dots", [](ViewState& v) { v.head_view = "dots"; }},
    {"heads", "arcs", [](ViewState& v) { v.head_view = "arcs"; }},
    {"heads", "neuron", [](ViewState& v) { v.head_view = "neuron"; }},
    {"heads", "several",
     [](ViewState& v) {
       v.chosen_heads = {{0, 0}, {1, 1}, {2, 2}};
     }},
    {"heads", "scores", [](ViewState& v) { v.shown = "scores"; }},
    {"masks", "difference", [](ViewState& v) { v.mask_shows = "difference"; }},
    {"masks", "all", [](ViewState& v) { v.mask_shows = "all"; }},
    {"positions", "curves", [](ViewState& v) { v.position_view = "curves"; }},
    {"positions", "distance", [](ViewState& v) { v.position_view = "distance"; }},
};

Status tour(const cli::TourOptions& options) {
  Setup setup;
  if (!options.session.empty()) {
    HL_ASSIGN(setup.session, load_any(options.session));
  }
  setup.session.view.presentation = options.theme == "presentation";
  if (!setup.session.view.presentation) {
    HL_ASSIGN(const auto* theme, figures::themes().get(options.theme));
    setup.session.view.theme = theme->id;
  }
  HL_TRY(load_language(options.language));
  setup.configuration.language = options.language;
  setup.configuration.reduce_motion = true;  // every picture is the end of its motion
  setup.compute = run_on_backend();
  HL_ASSIGN(const std::unique_ptr<Graphics> graphics, hidden());
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error) return Error{ErrorKind::io, "the folder cannot be made: " + error.message(), options.folder.string(), {}};
  Shell shell(std::move(setup));
  shell.ui.focus_sentence = false;
  const float scale = shell.wanted_scale(static_cast<float>(options.ui_scale));
  const auto take = [&](const std::string& name) -> Status {
    settle(*graphics, shell, options.width, options.height, scale);
    HL_ASSIGN(const std::vector<std::uint8_t> pixels, graphics->picture(shell, options.width, options.height, scale));
    const fs::path path = options.folder / (name + ".png");
    HL_TRY(write_png(path, pixels, options.width, options.height));
    std::printf("%s\n", path.string().c_str());
    return {};
  };
  const ViewState view = shell.view();
  for (const panels::Entry& entry : panels::registry().entries()) {
    shell.view() = view;
    shell.view().tab = entry.id;
    HL_TRY(take(entry.id));
    for (const OtherView& other : kOthers) {
      if (entry.id != other.tab) continue;
      shell.view() = view;
      shell.view().tab = entry.id;
      other.set(shell.view());
      HL_TRY(take(entry.id + "-" + other.name));
    }
  }
  return {};
}

// A sentence of `tokens` words of the default one.
std::string sentence_of(std::int64_t tokens) {
  static const char* const some[] = {"a", "fluffy", "blue", "creature", "roamed", "the", "verdant", "forest"};
  std::string text;
  for (std::int64_t i = 0; i < tokens; ++i) text += std::string(i ? " " : "") + some[i % 8];
  return text;
}

}  // namespace

int run_tour(const cli::TourOptions& options) {
  const Status status = options.film.empty() ? tour(options) : film_tour(options, cli::interrupt_token());
  if (status.ok()) return 0;
  std::fprintf(stderr, "headlight tour: %s\n", status.error().sentence().c_str());
  return status.error().kind == ErrorKind::usage ? 2 : 1;
}

namespace {

// A window as a person has it; as large as asked for, or as the screen allows.
Result<std::unique_ptr<Graphics>> real(int width, int height) {
  GraphicsOptions options;
  options.width = width;
  options.height = height;
  options.waits_for_screen = false;
  return Graphics::make(options);
}

}  // namespace

Result<std::vector<cli::FrameTiming>> bench_frame(const cli::FrameBenchOptions& options) {
  HL_ASSIGN(const std::unique_ptr<Graphics> graphics, real(options.width, options.height));
  Setup setup;
  Document& document = setup.session.document;
  document.tokenizer = "words";
  document.texts = {sentence_of(options.tokens)};
  document.layers = options.layers;
  document.heads = options.heads;
  document.d_model = options.d_model;
  HL_TRY(validate(document));
  setup.compute = run_on_backend();
  Shell shell(std::move(setup));
  shell.ui.focus_sentence = false;
  shell.worker().wait();
  std::vector<cli::FrameTiming> rows;
  const auto measure = [&](const std::string& variant, Shell* shown) {
    cli::FrameTiming row{variant, {}, {}, 0, 0};
    glfwGetFramebufferSize(graphics->window(), &row.width, &row.height);
    for (int i = 0; i < kUnmeasured + options.frames; ++i) {
      glfwPollEvents();
      const Graphics::Timing timing = graphics->timed_frame(shown, 1);
      if (i < kUnmeasured) continue;
      row.build.push_back(timing.build);
      row.total.push_back(timing.total);
    }
    rows.push_back(std::move(row));
  };
  measure("empty", nullptr);
  for (const panels::Entry& entry : panels::registry().entries()) {
    shell.view().tab = entry.id;
    for (int i = 0; i < kSettle; ++i) {
      glfwPollEvents();
      (void)graphics->timed_frame(&shell, 1);
      shell.lane().wait();
      shell.worker().wait();
    }
    if (shell.published().error) return *shell.published().error;
    measure(entry.id, &shell);
  }
  return rows;
}

Result<std::vector<double>> bench_picture(const cli::PictureBenchOptions& options) {
  HL_ASSIGN(const std::unique_ptr<Graphics> graphics, real(options.width, options.height));
  Setup setup;
  Document& document = setup.session.document;
  document.tokenizer = "characters";
  document.masks = {Choice{"causal", {}}};
  document.layers = options.layers;
  document.heads = options.heads;
  document.d_model = options.d_model;
  document.backend = options.backend;
  document.texts = {std::string(static_cast<std::size_t>(std::max<std::int64_t>(1, options.tokens - 1)), 'a')};
  for (std::size_t i = 0; i < document.texts[0].size(); ++i) document.texts[0][i] = static_cast<char>('a' + i * 7 % 26);
  HL_TRY(validate(document));
  setup.compute = run_on_backend();
  setup.wake = [] { glfwPostEmptyEvent(); };
  Shell shell(std::move(setup));
  const auto shown = [&] {
    const auto& trace = shell.published().trace;
    return trace && !shell.stale() && trace->document() == shell.document() && !shell.derived().pending();
  };
  // The window's own loop: a frame for each event, the worker's among them.
  const auto until_shown = [&]() -> Status {
    const double limit = steady_seconds() + 60;
    do {
      (void)graphics->timed_frame(&shell, 1);
      if (shell.published().error) return *shell.published().error;
      if (steady_seconds() > limit) return Error{ErrorKind::internal, "no picture came within a minute", "bench keystroke", {}};
      if (shown()) break;
      glfwWaitEventsTimeout(0.25);
    } while (true);
    return {};
  };
  for (int i = 0; i < kSettle; ++i) HL_TRY(until_shown());
  std::vector<double> seconds;
  for (int i = 0; i < kUnmeasured + options.edits; ++i) {
    const std::string before = shell.document().texts[0];
    const double start = steady_seconds();
    // One more letter, then it is taken away again: the sentence keeps its length, and each of them is a keystroke.
    if (i % 2 == 0) {
      ImGui::GetIO().AddInputCharacter(static_cast<unsigned>('a' + i / 2 % 26));
    } else {
      ImGui::GetIO().AddKeyEvent(ImGuiKey_Backspace, true);
      ImGui::GetIO().AddKeyEvent(ImGuiKey_Backspace, false);
    }
    (void)graphics->timed_frame(&shell, 1);
    if (shell.document().texts[0] == before)
      return Error{ErrorKind::internal, "the keystroke did not reach the sentence", "bench keystroke", {}};
    // The frame that took the key shows the old picture still; the one that shows the new ends the measurement.
    HL_TRY(until_shown());
    if (i >= kUnmeasured) seconds.push_back(steady_seconds() - start);
    (void)graphics->timed_frame(&shell, 1);  // the key's release
  }
  return seconds;
}

}  // namespace headlight::window
