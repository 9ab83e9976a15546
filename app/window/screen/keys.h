// Keys on their way from GLFW to Dear ImGui. ImGui reads the modifiers once a frame: when Ctrl is pressed and released around a
// letter within one frame (remote desktops, automation, fast fingers on a slow machine) the letter would arrive without it. A
// modifier's release therefore waits for the next frame once a key was pressed in this one, and what follows waits behind it.
#pragma once

struct GLFWwindow;

namespace headlight::window {

void install_keys(GLFWwindow* window);  // after ImGui_ImplGlfw_Init
// After each frame; true if keys were waiting, so that another frame is needed.
bool release_waiting_keys();

}  // namespace headlight::window
