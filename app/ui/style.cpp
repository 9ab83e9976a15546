#include "app/ui/style.h"

#include <cmath>

#include "app/gl/figure_view.h"
#include "imgui.h"

namespace headlight::ui {
namespace {

ImVec4 mixed(figures::Color a, figures::Color b, float t) {
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t, 1};
}
ImVec4 faded(figures::Color c, float alpha) { return {c.r, c.g, c.b, alpha}; }

}  // namespace

void apply_style(const figures::Theme& theme, const gl::Fonts& fonts, float scale) {
  ImGuiStyle style;
  const auto px = [scale](float points) { return std::round(points * scale); };
  style.FontSizeBase = kBody * scale * fonts.words_em;
  style.WindowPadding = {px(16), px(12)};
  style.WindowBorderSize = style.ChildBorderSize = style.FrameBorderSize = style.PopupBorderSize =
      std::max(1.0f, std::floor(scale));
  style.WindowRounding = style.PopupRounding = px(8);
  style.ChildRounding = style.FrameRounding = px(8);
  style.GrabRounding = style.ScrollbarRounding = px(6);
  style.WindowMinSize = {1, 1};
  style.FramePadding = {px(10), px(6)};
  style.ItemSpacing = {px(8), px(8)};
  style.ItemInnerSpacing = {px(8), px(6)};
  style.ScrollbarSize = px(12);
  style.GrabMinSize = px(16);
  style.CellPadding = {px(8), px(4)};
  style.DisabledAlpha = 0.5f;
  style.HoverDelayNormal = 0.5f;
  style.AntiAliasedLinesUseTex = true;
  style.CurveTessellationTol = 0.75f;

  ImVec4* c = style.Colors;
  const ImVec4 raised = gl::vec4(theme.raised), line = gl::vec4(theme.line), amber = gl::vec4(theme.selected);
  c[ImGuiCol_Text] = gl::vec4(theme.text);
  c[ImGuiCol_TextDisabled] = gl::vec4(theme.faint);
  c[ImGuiCol_WindowBg] = gl::vec4(theme.background);
  c[ImGuiCol_ChildBg] = {0, 0, 0, 0};
  c[ImGuiCol_PopupBg] = gl::vec4(theme.panel);
  c[ImGuiCol_Border] = line;
  c[ImGuiCol_BorderShadow] = {0, 0, 0, 0};
  c[ImGuiCol_FrameBg] = gl::vec4(theme.panel);
  c[ImGuiCol_FrameBgHovered] = raised;
  c[ImGuiCol_FrameBgActive] = raised;
  c[ImGuiCol_TitleBg] = c[ImGuiCol_TitleBgActive] = c[ImGuiCol_TitleBgCollapsed] = gl::vec4(theme.panel);
  c[ImGuiCol_ScrollbarBg] = {0, 0, 0, 0};
  c[ImGuiCol_ScrollbarGrab] = line;
  c[ImGuiCol_ScrollbarGrabHovered] = c[ImGuiCol_ScrollbarGrabActive] = gl::vec4(theme.faint);
  c[ImGuiCol_CheckMark] = amber;
  c[ImGuiCol_SliderGrab] = c[ImGuiCol_SliderGrabActive] = amber;
  c[ImGuiCol_Button] = raised;
  c[ImGuiCol_ButtonHovered] = mixed(theme.raised, theme.line, 0.6f);
  c[ImGuiCol_ButtonActive] = line;
  c[ImGuiCol_Header] = faded(theme.selected, 0.14f);
  c[ImGuiCol_HeaderHovered] = raised;
  c[ImGuiCol_HeaderActive] = line;
  c[ImGuiCol_Separator] = c[ImGuiCol_SeparatorHovered] = c[ImGuiCol_SeparatorActive] = line;
  c[ImGuiCol_ResizeGrip] = c[ImGuiCol_ResizeGripHovered] = c[ImGuiCol_ResizeGripActive] = {0, 0, 0, 0};
  c[ImGuiCol_TableHeaderBg] = raised;
  c[ImGuiCol_TableBorderStrong] = c[ImGuiCol_TableBorderLight] = line;
  c[ImGuiCol_TableRowBg] = c[ImGuiCol_TableRowBgAlt] = {0, 0, 0, 0};
  c[ImGuiCol_TextSelectedBg] = faded(theme.selected, 0.3f);
  c[ImGuiCol_InputTextCursor] = amber;
  c[ImGuiCol_NavCursor] = amber;
  c[ImGuiCol_ModalWindowDimBg] = faded(theme.background, 0.6f);
  c[ImGuiCol_NavWindowingDimBg] = faded(theme.background, 0.4f);
  ImGui::GetStyle() = style;
}

}  // namespace headlight::ui
