#include "app/ui/text_input.h"

#include "imgui_internal.h"

namespace headlight::ui {
namespace {

int grow(ImGuiInputTextCallbackData* data) {
  if (data->EventFlag == ImGuiInputTextFlags_CallbackResize) {
    auto& text = *static_cast<std::string*>(data->UserData);
    text.resize(static_cast<std::size_t>(data->BufTextLen));
    data->Buf = text.data();
  }
  return 0;
}

}  // namespace

bool text_input(const char* id, std::string& text, const char* hint, ImGuiInputTextFlags flags) {
  flags |= ImGuiInputTextFlags_CallbackResize;
  // A zero byte would end the text for ImGui.
  return ImGui::InputTextWithHint(id, hint ? hint : "", text.data(), text.capacity() + 1, flags, grow, &text);
}

bool live_text_input(const char* id, std::string& text, const char* hint, ImGuiInputTextFlags flags) {
  // ImGui's own Escape restores the text that the field had when it got the focus.
  if (!ImGui::IsKeyPressed(ImGuiKey_Escape)) return text_input(id, text, hint, flags);
  const std::string typed = text;
  const bool changed = text_input(id, text, hint, flags);
  if (!ImGui::IsItemDeactivated()) return changed;
  text = typed;
  return false;
}

bool text_area(const char* id, std::string& text, ImVec2 size) {
  return ImGui::InputTextMultiline(id, text.data(), text.capacity() + 1, size, ImGuiInputTextFlags_CallbackResize, grow, &text);
}

void reload_text_input(ImGuiID id) {
  if (ImGuiInputTextState* state = ImGui::GetInputTextState(id)) state->ReloadUserBufAndMoveToEnd();
}

void focus_next_control() {
  if (GImGui->NavWindow != ImGui::GetCurrentWindow()) GImGui->NavId = 0;
  ImGui::SetKeyboardFocusHere();
}

}  // namespace headlight::ui
