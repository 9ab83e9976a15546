// Keys on their way from GLFW to Dear ImGui. ImGui reads the modifiers once per frame: if Ctrl is pressed and released around a
// letter within one frame (remote desktops, automation, fast fingers on a slow machine), the letter would arrive without it. So
// once a key was pressed in a frame, the release of a modifier waits for the next frame, and later events wait behind it.
#pragma once

struct GLFWwindow;

namespace headlight::window {

void install_keys(GLFWwindow* window);  // call it after ImGui_ImplGlfw_Init
// Call after each frame; true if keys were waiting, so that another frame is needed.
bool release_waiting_keys();

}  // namespace headlight::window
