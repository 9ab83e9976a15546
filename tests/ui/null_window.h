// A window without OpenGL or a screen: a Dear ImGui context on a renderer that accepts everything and draws nothing, so that the
// whole shell runs frame by frame in a test.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>

#include "app/gl/figure_view.h"
#include "app/gl/font_set.h"
#include "app/ui/style.h"
#include "app/window/shell/shell.h"
#include "imgui.h"
#include "imgui_internal.h"

namespace headlight::test {

class NullWindow {
 public:
  // `system_fonts`: uses the fonts of the real window, for tests that depend on the widths of words.
  explicit NullWindow(float width = 1600, float height = 1000, float scale = 1, bool system_fonts = false) : scale_(scale) {
    ::setenv("LC_ALL", "C.UTF-8", 1);  // English, whatever the machine's language
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {width, height};
    io.DeltaTime = 1.0f / 60;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures | ImGuiBackendFlags_RendererHasVtxOffset;  // as OpenGL 3.3
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
    io.ConfigErrorRecoveryEnableAssert = false;  // errors are counted instead
    fonts_.load(system_fonts);
    ui::apply_style(figures::themes().entries().front(), fonts_.fonts(), scale);
  }
  ~NullWindow() {
    for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
      texture->SetTexID(ImTextureID_Invalid);
      texture->SetStatus(ImTextureStatus_Destroyed);
    }
    ImGui::DestroyContext();
  }

  // What the shell needs to draw.
  window::Frame as_frame() { return {fonts_.fonts(), view_, scale_, false, 1.0}; }
  void frame(window::Shell& shell) {
    if (const auto missing = view_.take_missing(); !missing.empty()) fonts_.cover(missing);
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    const float scale = shell.wanted_scale(scale_, limits_ ? size.x : 0, limits_ ? size.y : 0);
    if (scale != styled_ || theme_ != shell.theme().id) {
      ui::apply_style(shell.theme(), fonts_.fonts(), scale);
      styled_ = scale;
      theme_ = shell.theme().id;
    }
    view_.begin_frame(fonts_.fonts(), shell.theme(), scale, false);
    ImGui::NewFrame();
    shell.draw({fonts_.fonts(), view_, scale, false, 1.0});
    ImGui::Render();
    vertices_ = ImGui::GetDrawData()->TotalVtxCount;
    errors_ += GImGui->ErrorCountCurrentFrame;
    for (ImTextureData* texture : ImGui::GetPlatformIO().Textures)
      if (texture->Status != ImTextureStatus_OK && texture->Status != ImTextureStatus_Destroyed) {
        const bool gone = texture->Status == ImTextureStatus_WantDestroy;
        texture->SetTexID(gone ? ImTextureID_Invalid : 1);
        texture->SetStatus(gone ? ImTextureStatus_Destroyed : ImTextureStatus_OK);
      }
  }
  void frames(window::Shell& shell, int count) {
    for (int i = 0; i < count; ++i) frame(shell);
  }
  void key(window::Shell& shell, ImGuiKey key, bool ctrl = false, bool shift = false) {
    ImGuiIO& io = ImGui::GetIO();
    io.AddKeyEvent(ImGuiMod_Ctrl, ctrl);
    io.AddKeyEvent(ImGuiMod_Shift, shift);
    io.AddKeyEvent(key, true);
    frame(shell);
    io.AddKeyEvent(key, false);
    io.AddKeyEvent(ImGuiMod_Ctrl, false);
    io.AddKeyEvent(ImGuiMod_Shift, false);
    frames(shell, 2);
  }
  void alt(window::Shell& shell, ImGuiKey key) {
    ImGuiIO& io = ImGui::GetIO();
    io.AddKeyEvent(ImGuiMod_Alt, true);
    io.AddKeyEvent(ImGuiKey_LeftAlt, true);
    frame(shell);
    io.AddKeyEvent(key, true);
    frames(shell, 2);
    io.AddKeyEvent(key, false);
    io.AddKeyEvent(ImGuiKey_LeftAlt, false);
    io.AddKeyEvent(ImGuiMod_Alt, false);
    frames(shell, 3);
  }
  void type(window::Shell& shell, const char* text) {
    ImGui::GetIO().AddInputCharactersUTF8(text);
    frames(shell, 3);
  }
  void resize(float width, float height, float scale) {
    ImGui::GetIO().DisplaySize = {width, height};
    scale_ = scale;
  }
  void limit_scale() { limits_ = true; }  // as in a real window: a small window on a dense display is drawn at a smaller scale
  gl::FigureView& figures() { return view_; }
  // Whether the fonts that the window is designed with are installed.
  bool has_design_fonts() const {
    const auto named = [&](const char* name) {
      return std::any_of(fonts_.files().begin(), fonts_.files().end(),
                         [&](const std::string& file) { return file.find(name) != std::string::npos; });
    };
    return named("Inter") && named("JetBrainsMono");
  }
  int vertices() const { return vertices_; }
  int errors() const { return errors_; }  // wrong uses of ImGui so far

  // Whether a child window of this name was drawn in the last frame.
  static bool shows(const char* name) {
    for (const ImGuiWindow* window : GImGui->Windows)
      if (window->Active && std::string(window->Name).find(std::string("/") + name + "_") != std::string::npos) return true;
    return false;
  }
  static bool popup_open() { return GImGui->OpenPopupStack.Size > 0; }

 private:
  gl::FontSet fonts_;
  gl::FigureView view_;
  float scale_, styled_ = 0;  // scale of the display; scale of the present style
  std::string theme_;
  int vertices_ = 0, errors_ = 0;
  bool limits_ = false;
};

}  // namespace headlight::test
