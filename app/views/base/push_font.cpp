#include "app/views/base/context.h"
#include "imgui.h"
#include "imgui_internal.h"

namespace headlight::views {

void push_font(const Context& context, figures::Font font, float points) {
  ImFont* face = context.fonts.words;
  float em = context.fonts.words_em;
  if (font == figures::Font::words_bold) {
    face = context.fonts.words_bold;
    em = context.fonts.words_bold_em;
  } else if (font == figures::Font::mono) {
    face = context.fonts.mono;
    em = context.fonts.mono_em;
  }
  ImGui::PushFont(face, points * context.scale * em);
}

void name_part(const Context& context, const std::string& id) {
  if (!context.parts) return;
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  context.parts->add(id, low.x, low.y, high.x, high.y);
  // A lesson's step that mentions this part has just begun: its panel scrolls to it.
  if (!context.transient) return;
  ShownPart& wanted = context.transient->shown_part;
  if (wanted.part.empty() || wanted.part != id) return;
  if (context.now - wanted.since < 0.6)
    ImGui::ScrollToItem(ImGuiScrollFlags_KeepVisibleEdgeY);
  else
    wanted.part.clear();
}

}  // namespace headlight::views
