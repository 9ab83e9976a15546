#include "app/ui/turned_input.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/text_input.h"
#include "imgui_internal.h"

namespace headlight::ui {
namespace {

using figures::Font;

// While one of these lives, the mouse is mirrored about the middle of the field, and the arrows to the left and right are
// exchanged.
class Turned {
 public:
  explicit Turned(float middle) : mouse_(ImGui::GetIO().MousePos) {
    if (ImGui::IsMousePosValid(&mouse_)) ImGui::GetIO().MousePos.x = 2 * middle - mouse_.x;
    swap_keys();
  }
  ~Turned() {
    swap_keys();
    ImGui::GetIO().MousePos = mouse_;
  }
  Turned(const Turned&) = delete;
  Turned& operator=(const Turned&) = delete;

 private:
  static void swap_keys() { std::swap(*ImGui::GetKeyData(ImGuiKey_LeftArrow), *ImGui::GetKeyData(ImGuiKey_RightArrow)); }
  ImVec2 mouse_;
};

}  // namespace

bool turned_text_input(const Look& look, const char* id, std::string& text, ImGuiInputTextFlags flags, float size) {
  const float width = ImGui::CalcItemWidth();
  bool changed = false;
  {
    const Turned turned(ImGui::GetCursorScreenPos().x + width / 2);
    const ImVec4 none(0, 0, 0, 0);
    for (const ImGuiCol color : {ImGuiCol_Text, ImGuiCol_InputTextCursor, ImGuiCol_TextSelectedBg})
      ImGui::PushStyleColor(color, none);
    changed = live_text_input(id, text, "", flags);
    ImGui::PopStyleColor(3);
  }
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(), padding = ImGui::GetStyle().FramePadding;
  const auto wide = [&](std::size_t bytes) {
    return look.figures.width(std::string_view(text).substr(0, std::min(bytes, text.size())), size, Font::words) * look.scale;
  };
  const ImGuiInputTextState* const state = ImGui::IsItemActive() ? ImGui::GetInputTextState(ImGui::GetItemID()) : nullptr;
  const float room = high.x - low.x - 2 * padding.x, whole = wide(text.size());
  const float caret = state ? wide(static_cast<std::size_t>(std::max(0, state->GetCursorPos()))) : 0;
  // A longer text shows its beginning, or the part with the caret.
  const float right = high.x - padding.x + std::clamp(caret - room, 0.0f, std::max(0.0f, whole - room));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect({low.x + padding.x - 1, low.y}, {high.x - padding.x + 1, high.y}, true);
  const float line = look.figures.line_height(size, Font::words) * look.scale, top = std::round((low.y + high.y - line) / 2);
  if (state && state->HasSelection()) {
    float from = wide(static_cast<std::size_t>(std::max(0, state->GetSelectionStart()))),
          to = wide(static_cast<std::size_t>(std::max(0, state->GetSelectionEnd())));
    if (from > to) std::swap(from, to);
    list.AddRectFilled({right - to, top}, {right - from, top + line}, ImGui::GetColorU32(ImGuiCol_TextSelectedBg));
  }
  look.figures.text(list, {right - whole, top}, text, size, Font::words, look.theme.text);
  constexpr float kBlink = 1.2f, kSeen = 0.8f;  // seconds, as ImGui's own caret
  if (state &&
      (state->CursorAnim <= 0 || std::fmod(state->CursorAnim, kBlink) <= kSeen || !ImGui::GetIO().ConfigInputTextCursorBlink)) {
    const float x = std::round(right - caret);
    list.AddLine({x, top}, {x, top + line}, ImGui::GetColorU32(ImGuiCol_InputTextCursor), std::max(1.0f, look.px(1)));
  }
  list.PopClipRect();
  return changed;
}

}  // namespace headlight::ui
