// Keys on their way from GLFW to Dear ImGui. ImGui reads the modifiers once per frame: a letter would arrive without Ctrl if Ctrl
// is pressed and released within one frame (remote desktops, automation, fast fingers on a slow machine). The release of a
// modifier therefore waits for the next frame once a key was pressed in this one, and later events wait behind it.
#pragma once

struct GLFWwindow;

namespace headlight::window {

void install_keys(GLFWwindow* window);  // call it after ImGui_ImplGlfw_Init
// Call it after each frame. Returns true if keys were waiting, so that another frame is needed.
bool release_waiting_keys();

}  // namespace headlight::window
