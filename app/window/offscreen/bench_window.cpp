// Measures how long frames and keystrokes take in a real window: every tab with every picture, while the mouse moves over it.
#include <GLFW/glfw3.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "app/views/base/view.h"
#include "app/window/offscreen/tour.h"
#include "app/window/offscreen/ways.h"
#include "app/window/screen/graphics.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

constexpr int kSettle = 8;             // frames in which layouts settle and derived values are computed
constexpr int kWhole = 10;             // frames that are painted completely
constexpr double kBetweenKeys = 0.06;  // seconds between the keys of someone who types very fast
constexpr int kAfterEvent = 4;         // frames after an event, as in the window's own loop
constexpr int kUnmeasured = 5;         // frames and edits that are not counted

// A sentence of `tokens` words, repeated from the default sentence.
std::string sentence_of(std::int64_t tokens) {
  static const char* const some[] = {"a", "fluffy", "blue", "creature", "roamed", "the", "verdant", "forest"};
  std::string text;
  for (std::int64_t i = 0; i < tokens; ++i) text += std::string(i ? " " : "") + some[i % 8];
  return text;
}

// A window as a user has it; as large as asked for, or as the screen allows.
Result<std::unique_ptr<Graphics>> real(int width, int height, bool input) {
  GraphicsOptions options;
  options.width = width;
  options.height = height;
  options.input = input;
  options.waits_for_screen = false;
  return Graphics::make(options);
}

class FrameBench {
 public:
  FrameBench(Graphics& graphics, Shell& shell, int frames) : graphics_(graphics), shell_(shell), frames_(frames) {
    glfwGetFramebufferSize(graphics.window(), &width_, &height_);
  }

  // Draws frames until everything shown has been computed.
  Status settle() {
    for (int i = 0; i < kSettle; ++i) {
      frame();
      shell_.lane().wait();
      shell_.worker().wait();
    }
    if (shell_.published().error) return *shell_.published().error;
    return {};
  }
  // `before` is called before each frame with its number: it changes something besides the position of the mouse.
  void measure(const std::string& variant, const std::function<void(int)>& before = {}) {
    count_ = 0;  // the mouse goes the same way over every picture
    cli::FrameTiming row{variant, {}, {}, {}, {}, width_, height_};
    for (int i = 0; i < kWhole; ++i) {  // the whole window is painted, as after an edit
      if (before) before(i);
      graphics_.forget();
      row.redraw.push_back(frame().total);
    }
    for (int i = 0; i < kUnmeasured + frames_; ++i) {
      if (before) before(i);
      const Graphics::Timing timing = frame();
      if (i < kUnmeasured) continue;
      row.build.push_back(timing.build);
      row.total.push_back(timing.total);
      row.processors.push_back(timing.processors);
    }
    rows_.push_back(std::move(row));
  }
  void measure_empty() {
    cli::FrameTiming row{"empty", {}, {}, {}, {}, width_, height_};
    for (int i = 0; i < kUnmeasured + frames_; ++i) {
      glfwPollEvents();
      const Graphics::Timing timing = graphics_.timed_frame(nullptr, 1);
      if (i < kUnmeasured) continue;
      row.build.push_back(timing.build);
      row.total.push_back(timing.total);
      row.processors.push_back(timing.processors);
    }
    rows_.push_back(std::move(row));
  }
  std::vector<cli::FrameTiming> take() { return std::move(rows_); }

 private:
  // The mouse moves over the shown picture, some pixels per frame.
  Graphics::Timing frame() {
    const double t = 0.11 * static_cast<double>(++count_);
    graphics_.point_at({static_cast<float>(width_ * (0.42 + 0.07 * std::sin(t))),
                        static_cast<float>(height_ * (0.62 + 0.08 * std::sin(1.3 * t)))});
    glfwPollEvents();
    return graphics_.timed_frame(&shell_, 1);
  }

  Graphics& graphics_;
  Shell& shell_;
  int frames_, width_ = 0, height_ = 0;
  std::int64_t count_ = 0;
  std::vector<cli::FrameTiming> rows_;
};

}  // namespace

Result<std::vector<cli::FrameTiming>> bench_frame(const cli::FrameBenchOptions& options) {
  HL_ASSIGN(const std::unique_ptr<Graphics> graphics, real(options.width, options.height, false));
  Setup setup;
  Document& document = setup.session.document;
  document.tokenizer = "words";
  document.texts = {sentence_of(options.tokens)};
  document.layers = options.layers;
  document.heads = options.heads;
  document.d_model = options.d_model;
  document.masks = {Choice{"causal", {}}};
  HL_TRY(validate(document));
  const Document causal = document;
  setup.compute = run_on_backend();
  Shell shell(std::move(setup));
  shell.ui.focus_sentence = false;
  shell.worker().wait();
  FrameBench bench(*graphics, shell, options.frames);
  for (const std::string& name : options.only) {
    const auto named = [&](const Way& way) { return name_of(way) == name; };
    if (std::none_of(ways().begin(), ways().end(), named)) return usage_error("there is no picture '{}'", name).at("--only");
  }
  bench.measure_empty();
  // A pinned state for the Compare tab: the same document without a mask.
  Document open = causal;
  open.masks.clear();
  shell.edit(open);
  HL_TRY(bench.settle());
  shell.pin(true);
  shell.edit(causal);
  const ViewState view = shell.view();
  const auto wanted = [&](const std::string& name) {
    return options.only.empty() || std::find(options.only.begin(), options.only.end(), name) != options.only.end();
  };
  for (const Way& way : ways()) {
    if (!views::registry().find(way.tab) || !wanted(name_of(way))) continue;
    shell.view() = view;
    shell.view().tab = way.tab;
    way.set(shell.view());
    fit(shell.view(), *shell.published().trace);
    HL_TRY(bench.settle());
    bench.measure(name_of(way));
  }
  if (!options.only.empty()) return bench.take();
  // The large heatmap with mouse wheel and drag: to its middle and back, along both axes.
  shell.view() = view;
  views::open_for(shell.view(), views::Offers::one_head);
  HL_TRY(bench.settle());
  bench.measure("heads-zoom-pan", [&](int i) {
    const double cells = static_cast<double>(options.tokens), turn = 2 * 3.14159265 * i / options.frames;
    ViewState& v = shell.view();
    v.zoom = std::max(1.0, std::pow(cells / 12, 0.5 - 0.5 * std::cos(turn)));
    v.pan_x = cells * (1 - 1 / v.zoom) * (0.5 + 0.4 * std::sin(turn));
    v.pan_y = cells * (1 - 1 / v.zoom) * (0.5 + 0.4 * std::cos(turn));
  });
  // A tokenizer trained in the window, its film stopped at one step.
  shell.view() = view;
  views::open_for(shell.view(), views::Offers::tokenizer_training);
  shell.trainer().request.corpus = TrainingRequest::Corpus::sample;
  shell.trainer().request.vocabulary_size = 600;
  shell.trainer().start();
  HL_TRY(bench.settle());
  shell.trainer().go_to(shell.trainer().steps() / 2);
  HL_TRY(bench.settle());
  bench.measure("tokens-training-half");
  // A lesson's column beside the user's own large document.
  shell.view() = view;
  HL_TRY(shell.player().start(shell, "heads"));
  HL_TRY(bench.settle());
  shell.edit(causal);
  views::open_for(shell.view(), views::Offers::one_head);
  HL_TRY(bench.settle());
  bench.measure("lesson");
  shell.player().stop(shell);
  shell.edit(causal);
  shell.view() = view;
  shell.view().presentation = true;
  HL_TRY(bench.settle());
  bench.measure("presentation");
  return bench.take();
}

namespace {

// A sentence of letters, a token each, unless the options bring a document.
Result<Setup> typed_into(const cli::PictureBenchOptions& options) {
  Setup setup;
  Document& document = setup.session.document;
  setup.compute = run_on_backend();
  setup.wake = [] { glfwPostEmptyEvent(); };
  if (options.document) {
    document = *options.document;
    return setup;
  }
  document.tokenizer = "characters";
  document.masks = {Choice{"causal", {}}};
  document.layers = options.layers;
  document.heads = options.heads;
  document.d_model = options.d_model;
  document.backend = options.backend;
  document.texts = {std::string(static_cast<std::size_t>(std::max<std::int64_t>(1, options.tokens - 1)), 'a')};
  for (std::size_t i = 0; i < document.texts[0].size(); ++i) document.texts[0][i] = static_cast<char>('a' + i * 7 % 26);
  HL_TRY(validate(document));
  return setup;
}

// Adds a letter, then removes it: the sentence keeps its length, and both are keystrokes.
void press_key(int i) {
  if (i % 2 == 0) {
    ImGui::GetIO().AddInputCharacter(static_cast<unsigned>('a' + i / 2 % 26));
  } else {
    ImGui::GetIO().AddKeyEvent(ImGuiKey_Backspace, true);
    ImGui::GetIO().AddKeyEvent(ImGuiKey_Backspace, false);
  }
}

Error not_reached() { return failure(ErrorKind::internal, "the keystroke did not reach the sentence").at("bench keystroke"); }

}  // namespace

Result<std::vector<double>> bench_picture(const cli::PictureBenchOptions& options) {
  HL_ASSIGN(const std::unique_ptr<Graphics> graphics, real(options.width, options.height, true));
  HL_ASSIGN(Setup setup, typed_into(options));
  Shell shell(std::move(setup));
  const auto shown = [&] {
    const auto& trace = shell.published().trace;
    return trace && !shell.stale() && trace->document() == shell.document() && !shell.derived().pending();
  };
  // The window's own loop: one frame per event, the worker's events included.
  const auto until_shown = [&]() -> Status {
    const double limit = steady_seconds() + 60;
    do {
      (void)graphics->timed_frame(&shell, 1);
      if (shell.published().error) return *shell.published().error;
      if (steady_seconds() > limit) return failure(ErrorKind::internal, "no picture came within a minute").at("bench keystroke");
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
    press_key(i);
    (void)graphics->timed_frame(&shell, 1);
    if (shell.document().texts[0] == before) return not_reached();
    // The frame that handles the key still shows the old picture; the measurement ends with the frame that shows the new one.
    HL_TRY(until_shown());
    if (i >= kUnmeasured) seconds.push_back(steady_seconds() - start);
    (void)graphics->timed_frame(&shell, 1);  // handles the key's release
  }
  return seconds;
}

Result<std::vector<double>> bench_echo(const cli::PictureBenchOptions& options) {
  HL_ASSIGN(const std::unique_ptr<Graphics> graphics, real(options.width, options.height, true));
  HL_ASSIGN(Setup setup, typed_into(options));
  Shell shell(std::move(setup));
  for (int i = 0; i < kSettle; ++i) {
    (void)graphics->timed_frame(&shell, 1);
    shell.lane().wait();
    shell.worker().wait();
  }
  // Somebody who types fast presses a key while the window does what it does: its time counts from then on, also while a frame
  // that began before is drawn to its end.
  std::atomic<double> pressed_at = 0;
  std::atomic<bool> done = false;
  std::thread typist([&] {
    while (!done) {
      std::this_thread::sleep_for(std::chrono::duration<double>(kBetweenKeys));
      if (pressed_at == 0) pressed_at = steady_seconds();
      glfwPostEmptyEvent();
    }
  });
  std::vector<double> seconds;
  Status status;
  for (int keys = 0, frames = 0; status.ok() && keys < kUnmeasured + options.edits;) {
    if (frames > 0)
      glfwPollEvents();
    else
      glfwWaitEventsTimeout(0.25);
    frames = frames > 0 ? frames - 1 : kAfterEvent;
    const double pressed = pressed_at;
    if (pressed == 0) {
      (void)graphics->timed_frame(&shell, 1);
      continue;
    }
    const std::string before = shell.document().texts[0];
    press_key(keys);
    (void)graphics->timed_frame(&shell, 1);
    if (shell.document().texts[0] == before) status = not_reached();
    if (keys++ >= kUnmeasured) seconds.push_back(steady_seconds() - pressed);
    (void)graphics->timed_frame(&shell, 1);  // handles the key's release
    pressed_at = 0;
  }
  done = true;
  typist.join();
  HL_TRY(status);
  return seconds;
}

}  // namespace headlight::window
