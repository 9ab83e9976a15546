#include "app/window/screen/display_loss.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>
#include <utility>

namespace headlight::window {
namespace {

using Handler = int (*)(void* display);  // Xlib's XIOErrorHandler

struct State {
  std::function<void()> save;
  std::thread::id saver;  // the thread that may save
  std::atomic<bool> may_go{false}, lost{false};
};

// Never destroyed: the display may be lost during the process's own end.
State& state() {
  static State& instance = *new State;
  return instance;
}

int display_is_lost(void*) {
  State& now = state();
  if (now.may_go) ::_exit(0);
  const bool saves = std::this_thread::get_id() == now.saver;
  // Another thread has found it first, and is saving or about to end the process.
  while (now.lost.exchange(true) && !saves) ::pause();
  const std::function<void()> save = saves ? std::exchange(now.save, nullptr) : nullptr;
  if (save) save();
  std::fputs(save ? "headlight: the display has gone; the session was saved\n" : "headlight: the display has gone\n", stderr);
  ::_exit(1);
}

}  // namespace

void end_with_the_display() {
  // Xlib is here if GLFW brought it; it is asked for by name, since nothing else of it is needed.
  void* library = ::dlopen("libX11.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return;
  using Set = Handler (*)(Handler);
  if (const auto set = reinterpret_cast<Set>(::dlsym(library, "XSetIOErrorHandler"))) set(display_is_lost);
  ::dlclose(library);
}

void save_before_the_end(std::function<void()> save) {
  state().saver = std::this_thread::get_id();
  state().save = std::move(save);
}

void display_may_go() { state().may_go = true; }

}  // namespace headlight::window
