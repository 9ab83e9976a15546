#include "app/ui/term_tip.h"

#include "app/gl/term_marks.h"
#include "app/ui/style.h"
#include "imgui.h"
#include "imgui_internal.h"

namespace headlight::ui {
namespace {

constexpr double kRest = 0.35;  // seconds that the mouse rests on a term before its meaning appears
constexpr float kRoom = 120;    // points below the term that a meaning may need

// What the mouse rests on; one thread draws the window.
struct Resting {
  const Glossary::Entry* entry = nullptr;
  double since = 0;
};
Resting& resting() {
  static Resting one;
  return one;
}

}  // namespace

double draw_pointed_term(const Look& look, double now) {
  const gl::PointedTerm term = gl::pointed_term();
  const ImGuiWindow* const other = ImGui::FindWindowByName("##Tooltip_00");
  const bool typing = ImGui::GetIO().WantTextInput && ImGui::GetIO().InputQueueCharacters.Size > 0;
  if (!term.entry || typing || (other && other->Active) || ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
    resting().entry = nullptr;
    return -1;
  }
  if (resting().entry != term.entry) resting() = {term.entry, now};
  if (const double rested = now - resting().since; rested < kRest) return kRest - rested;
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  const bool below = term.high.y + look.px(kRoom) <= screen.y, left = term.low.x <= screen.x / 2;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(12), look.px(8)));
  ImGui::SetNextWindowPos({left ? term.low.x : term.high.x, below ? term.high.y + look.px(6) : term.low.y - look.px(6)},
                          ImGuiCond_Always, {left ? 0.0f : 1.0f, below ? 0.0f : 1.0f});
  if (ImGui::BeginTooltip()) {
    ImGui::PushFont(look.fonts.words, kSmall * look.scale * look.fonts.words_em);
    ImGui::PushTextWrapPos(look.px(360));
    ImGui::PushStyleColor(ImGuiCol_Text, gl::vec4(look.theme.secondary));
    ImGui::TextUnformatted(term.entry->forms[0].c_str());
    ImGui::PopStyleColor();
    ImGui::TextUnformatted(term.entry->meaning.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
    ImGui::EndTooltip();
  }
  ImGui::PopStyleVar();
  return -1;
}

}  // namespace headlight::ui
