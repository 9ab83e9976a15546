#include "app/window/screen/loop.h"

#include <GLFW/glfw3.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <thread>

#include "app/text/error_words.h"
#include "app/window/screen/display_loss.h"
#include "app/window/screen/graphics.h"
#include "app/window/screen/keys.h"
#include "app/window/shell/array_form.h"
#include "app/window/shell/opening.h"
#include "engine/document/array_source.h"
#include "engine/pipeline/array_document.h"
#include "imgui.h"
#include "imgui_internal.h"

namespace headlight::window {
using namespace ui;
namespace {

namespace fs = std::filesystem;

constexpr int kFrames = 4;          // after an event: the sizes of ImGui's windows settle over a few frames
constexpr double kUnshown = 0.012;  // seconds between frames that show nothing new
constexpr double kCaretBlinks = 5;  // seconds after the last event; then the window sleeps

// SIGTERM and SIGINT are handled on a thread of their own, which wakes the loop. Threads created later inherit the blocked
// signals.
class Signals {
 public:
  Signals() {
    sigemptyset(&set_);
    sigaddset(&set_, SIGTERM);
    sigaddset(&set_, SIGINT);
    sigaddset(&set_, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
    // A display that goes is an error that is told, and what was open is saved: writing to it must not end the program.
    std::signal(SIGPIPE, SIG_IGN);
    thread_ = std::thread([this] {
      int signal = 0;
      sigwait(&set_, &signal);
      asked_ = true;
      const std::lock_guard lock(mutex_);
      if (wakes_) glfwPostEmptyEvent();
    });
  }
  ~Signals() {
    // SIGHUP is blocked in every thread and waited for in this one: it ends the wait and nothing else.
    if (!asked_) pthread_kill(thread_.native_handle(), SIGHUP);
    thread_.join();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  bool asked() const { return asked_; }
  // The loop has ended: a signal wakes nobody any more. GLFW must not be called while and after it ends.
  void stop_waking() {
    const std::lock_guard lock(mutex_);
    wakes_ = false;
  }

 private:
  sigset_t set_{}, before_{};
  std::atomic<bool> asked_ = false;
  std::mutex mutex_;
  bool wakes_ = true;
  std::thread thread_;
};

// The session of a file; of one whose models take their time what there is to see until the window has opened them.
Result<Session> first_seen(const fs::path& path, Setup& setup) {
  if (!waits_for_models(path)) return load_any(path);
  HL_ASSIGN(SessionOutline outline, session_outline(path));
  setup.opens = path;
  return std::move(outline.session);
}

// What to open and where to save it. A file that cannot be read is reported in the window and left unchanged.
Result<Setup> setup_from(const cli::WindowOptions& options) {
  Setup setup;
  setup.session = first_session();
  std::error_code ignored;
  if (!options.fresh) {
    auto configuration = load_configuration(configuration_path());
    if (configuration.ok())
      setup.configuration = *configuration;
    else
      setup.message = configuration.error().whole();
  }
  setup.autosave = options.session.empty() ? last_session_path() : options.session;
  if (!options.open.empty()) {
    if (is_array_file(options.open) && !place_of_model(options.open)) {
      HL_TRY(show_arrays(setup.session, options.open, options.axes));
    } else if (!options.axes.empty()) {
      return usage_error("{} holds no arrays", options.open.string()).at("--axes").mend("leave it out");
    } else {
      HL_ASSIGN(setup.session, first_seen(options.open, setup));
    }
    if (is_session_file(options.open)) setup.file = options.open;
  } else if (!options.session.empty()) {
    if (place_of_model(options.session))
      return usage_error("this is a model, and --session names a file that the session is saved in")
          .at(options.session.string())
          .mend("open the model with: headlight open");
    if (is_array_file(options.session))
      return usage_error("these are arrays, and --session names a file that the session is saved in")
          .at(options.session.string())
          .mend("open them with: headlight open");
    setup.file = options.session;
    if (fs::exists(options.session, ignored)) {
      HL_ASSIGN(setup.session, first_seen(options.session, setup));
      if (setup.opens.empty()) setup.on_disk = setup.session;
    }
  } else if (!options.fresh && fs::exists(setup.autosave, ignored)) {
    auto last = first_seen(setup.autosave, setup);
    if (last.ok()) {
      setup.session = *last;
      if (setup.opens.empty()) setup.on_disk = *last;
    } else {
      setup.message = put_aside(setup.autosave, last.error());
    }
  }
  fs::create_directories(setup.autosave.parent_path(), ignored);
  if (options.ui_scale > 0) setup.session.view.ui_scale = options.ui_scale;
  setup.compute = run_on_backend();
  setup.measure_isdpa = setup.measure_roles = true;
  setup.offers_model = true;
  setup.wake = [] { glfwPostEmptyEvent(); };
  return setup;
}

// Presentation mode fills the screen that the window is on; leaving it restores the window's place.
class FullScreen {
 public:
  explicit FullScreen(GLFWwindow* window) : window_(window) {}
  ~FullScreen() { follow(false); }
  // True if it changed something.
  bool follow(bool wanted) {
    if (wanted == on_) return false;
    on_ = wanted;
    if (!wanted) {
      if (glfwGetWindowMonitor(window_)) glfwSetWindowMonitor(window_, nullptr, x_, y_, width_, height_, GLFW_DONT_CARE);
      return true;
    }
    glfwGetWindowPos(window_, &x_, &y_);
    glfwGetWindowSize(window_, &width_, &height_);
    GLFWmonitor* monitor = under(x_ + width_ / 2, y_ + height_ / 2);
    const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
    if (mode) glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    return true;
  }

 private:
  static GLFWmonitor* under(int x, int y) {
    int count = 0;
    GLFWmonitor** monitors = glfwGetMonitors(&count);
    for (int i = 0; i < count; ++i) {
      int left = 0, top = 0;
      glfwGetMonitorPos(monitors[i], &left, &top);
      const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
      if (mode && x >= left && y >= top && x < left + mode->width && y < top + mode->height) return monitors[i];
    }
    return glfwGetPrimaryMonitor();
  }

  GLFWwindow* window_;
  int x_ = 0, y_ = 0, width_ = 0, height_ = 0;
  bool on_ = false;
};

void remember_size(const Graphics& graphics, Configuration& configuration) {
  GLFWwindow* window = graphics.window();
  configuration.maximised = glfwGetWindowAttrib(window, GLFW_MAXIMIZED) != 0;
  if (configuration.maximised) return;
  glfwGetWindowSize(window, &configuration.width, &configuration.height);
  for (int* side : {&configuration.width, &configuration.height})
    *side = static_cast<int>(std::lround(*side / graphics.size_scale()));
}

// What the window's callbacks need.
struct Here {
  Shell* shell;
  Graphics* graphics;
};

// The window server has lost the window's content: nothing changed, but all of it must be shown again.
void uncovered(GLFWwindow* window) {
  if (auto* here = static_cast<Here*>(glfwGetWindowUserPointer(window))) here->graphics->show_again();
}

void dropped(GLFWwindow* window, int count, const char** paths) {
  auto* here = static_cast<Here*>(glfwGetWindowUserPointer(window));
  if (!here || count < 1) return;
  if (const Status status = here->shell->open(paths[0]); !status.ok()) here->shell->say(spoken(status.error()), true);
}

void loop(Graphics& graphics, Shell& shell, const Signals& signals) {
  GLFWwindow* window = graphics.window();
  std::string title;
  int frames = kFrames;
  double last_event = steady_seconds();
  FullScreen full_screen(window);
  while (!glfwWindowShouldClose(window) && !signals.asked() && !shell.wants_quit) {
    if (frames > 0) {
      glfwPollEvents();
    } else {
      const double now = steady_seconds();
      const bool blinking = ImGui::GetIO().WantTextInput && now - last_event < kCaretBlinks;
      bool& blinks = ImGui::GetIO().ConfigInputTextCursorBlink;
      if (blinks && !blinking) {  // one more frame, so that the caret stays visible
        blinks = false;
        frames = 1;
        continue;
      }
      double wait = shell.redraw_in(now);
      if (blinking && (wait < 0 || wait > 0.4)) wait = 0.4;
      // A tooltip appears while the mouse rests, when there is no event.
      const bool resting =
          GImGui->HoverItemDelayId != 0 && GImGui->HoverItemDelayTimer < ImGui::GetStyle().HoverDelayNormal + 0.1f;
      if (resting && (wait < 0 || wait > 0.1)) wait = 0.1;
      // Without something to show there was no swap that waited for the screen: motions slower than a pixel per frame must not
      // keep a processor busy.
      if (wait >= 0 && !graphics.showed()) wait = std::max(wait, kUnshown);
      if (wait < 0) {
        glfwWaitEvents();
      } else if (wait > 0) {
        glfwWaitEventsTimeout(wait);
      }
      const double after = steady_seconds();
      const bool event = wait < 0 || after - now < wait * 0.98;
      frames = event ? kFrames : 1;
      if (event) {
        last_event = after;
        ImGui::GetIO().ConfigInputTextCursorBlink = true;
      }
    }
    if (glfwGetWindowAttrib(window, GLFW_ICONIFIED)) {
      glfwWaitEventsTimeout(0.5);
      continue;
    }
    if (full_screen.follow(shell.view().presentation)) {
      graphics.show_again();
      frames = kFrames;
    }
    int width = 0, height = 0;
    glfwGetFramebufferSize(window, &width, &height);
    graphics.frame(shell, shell.wanted_scale(graphics.display_scale(), static_cast<float>(width), static_cast<float>(height)));
    --frames;
    // ImGui handles a key's press and release in different frames: events still in its queue must not wait for the next event.
    if (release_waiting_keys() || !GImGui->InputEventsQueue.empty()) frames = kFrames;
    if (std::string wanted = shell.title(); wanted != title) {
      title = std::move(wanted);
      glfwSetWindowTitle(window, title.c_str());
    }
  }
}

}  // namespace

int run_window(const cli::WindowOptions& options) {
  auto setup = setup_from(options);
  if (!setup.ok()) {
    std::fprintf(stderr, "headlight: %s\n", setup.error().sentence().c_str());
    return 1;
  }
  Signals signals;
  const Configuration& c = setup->configuration;
  auto graphics = Graphics::make({c.width, c.height, true, c.maximised, true, true, setup->session.view.ui_scale});
  if (!graphics.ok()) {
    std::fprintf(stderr, "headlight: %s\n", graphics.error().sentence().c_str());
    return 1;
  }
  if (setup->message.empty()) setup->message = (*graphics)->message();
  {
    Shell shell(std::move(setup).value());
    if (options.axes.empty() && !options.open.empty() && is_of_arrays(shell.document()) && is_array_file(options.open))
      ask_reading(shell);
    Here here{&shell, graphics->get()};
    glfwSetWindowUserPointer((*graphics)->window(), &here);
    glfwSetDropCallback((*graphics)->window(), dropped);
    glfwSetWindowRefreshCallback((*graphics)->window(), uncovered);
    save_before_the_end([&shell] { shell.quit_cleanly(); });
    loop(**graphics, shell, signals);
    signals.stop_waking();
    remember_size(**graphics, shell.configuration());
    shell.quit_cleanly();
    display_may_go();
    glfwSetWindowUserPointer((*graphics)->window(), nullptr);
  }
  return 0;
}

}  // namespace headlight::window
