#include "app/ui/focus.h"

#include "imgui_internal.h"

namespace headlight::ui {

void take_key(ImGuiKey key, const char* owner) { ImGui::SetKeyOwner(key, ImGui::GetID(owner)); }

bool control_has_focus() { return GImGui->NavCursorVisible && GImGui->NavId != 0; }

void scroll_to_item() { ImGui::ScrollToItem(ImGuiScrollFlags_KeepVisibleEdgeY); }

}  // namespace headlight::ui
