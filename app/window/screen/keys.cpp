#include "app/window/screen/keys.h"

#include <GLFW/glfw3.h>

#include <utility>
#include <vector>

#include "imgui.h"
#include "imgui_impl_glfw.h"

namespace headlight::window {
namespace {

struct KeyEvent {
  GLFWwindow* window;
  int key, scancode, action, mods;
};

// GLFW's callbacks have one user pointer per window, and the shell uses it. So this is static: there is one window, and one
// thread.
struct Waiting {
  std::vector<KeyEvent> keys;
  bool pressed = false;  // since the last frame a key was pressed that is not a modifier
} waiting;

int modifier_of(int key) {
  switch (key) {
    case GLFW_KEY_LEFT_CONTROL:
    case GLFW_KEY_RIGHT_CONTROL: return GLFW_MOD_CONTROL;
    case GLFW_KEY_LEFT_SHIFT:
    case GLFW_KEY_RIGHT_SHIFT: return GLFW_MOD_SHIFT;
    case GLFW_KEY_LEFT_ALT:
    case GLFW_KEY_RIGHT_ALT: return GLFW_MOD_ALT;
    case GLFW_KEY_LEFT_SUPER:
    case GLFW_KEY_RIGHT_SUPER: return GLFW_MOD_SUPER;
    default: return 0;
  }
}

void forward(const KeyEvent& k) {
  const int own = modifier_of(k.key);
  if (!own && k.action != GLFW_RELEASE) waiting.pressed = true;
  ImGui_ImplGlfw_KeyCallback(k.window, k.key, k.scancode, k.action, k.mods);
  // The modifiers at the time of the event, not at present.
  const int mods = k.action == GLFW_RELEASE ? k.mods & ~own : k.mods | own;
  ImGuiIO& io = ImGui::GetIO();
  io.AddKeyEvent(ImGuiMod_Ctrl, (mods & GLFW_MOD_CONTROL) != 0);
  io.AddKeyEvent(ImGuiMod_Shift, (mods & GLFW_MOD_SHIFT) != 0);
  io.AddKeyEvent(ImGuiMod_Alt, (mods & GLFW_MOD_ALT) != 0);
  io.AddKeyEvent(ImGuiMod_Super, (mods & GLFW_MOD_SUPER) != 0);
}

bool must_wait(const KeyEvent& k) { return waiting.pressed && modifier_of(k.key) && k.action == GLFW_RELEASE; }

void on_key(GLFWwindow* window, int key, int scancode, int action, int mods) {
  const KeyEvent k{window, key, scancode, action, mods};
  if (!waiting.keys.empty() || must_wait(k))
    waiting.keys.push_back(k);
  else
    forward(k);
}

}  // namespace

void install_keys(GLFWwindow* window) {
  waiting = {};
  glfwSetKeyCallback(window, on_key);
}

bool release_waiting_keys() {
  waiting.pressed = false;
  if (waiting.keys.empty()) return false;
  const std::vector<KeyEvent> keys = std::exchange(waiting.keys, {});
  for (const KeyEvent& k : keys) on_key(k.window, k.key, k.scancode, k.action, k.mods);
  return true;
}

}  // namespace headlight::window
