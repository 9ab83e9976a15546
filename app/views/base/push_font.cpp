#include "app/ui/focus.h"
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

void Parts::add_item(const std::string& id) {
  constexpr float kRounding = 1;  // pixels
  const ImRect& item = GImGui->LastItemData.Rect;
  ImRect seen = GImGui->CurrentWindow->ClipRect;
  seen.Expand(kRounding);
  places[id] = {item.Min.x, item.Min.y, item.Max.x, item.Max.y, !seen.Contains(item)};
}

void name_part(const Context& context, const std::string& id) {
  if (!context.parts) return;
  context.parts->add_item(id);
  // A lesson's step that mentions this part has just begun: its panel scrolls to it.
  if (!context.transient) return;
  ShownPart& wanted = context.transient->shown_part;
  if (wanted.part.empty() || wanted.part != id) return;
  if (context.now - wanted.since < 0.6)
    ui::scroll_to_item();
  else
    wanted.part.clear();
}

}  // namespace headlight::views
