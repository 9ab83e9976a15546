// The badge that says that interventions are active, and the list that takes them back.
#include <algorithm>

#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/head_switches.h"
#include "app/window/shell/popups.h"
#include "app/window/shell/shell.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;

namespace {
using figures::Font;
constexpr const char* kPopup = "popup/interventions";
}  // namespace

std::string interventions_words(const Document& document) {
  const std::size_t count = document.interventions.size();
  return count == 1 ? std::string(tr("1 intervention")) : fill(tr("{} interventions"), {std::to_string(count)});
}

void draw_interventions(Shell& shell, const Look& look) {
  const std::vector<std::string> all = views::intervention_words(shell.document());
  for (std::size_t i = 0; i < all.size(); ++i) {
    ImGui::PushID(static_cast<int>(i));
    if (button(look, "\xC3\x97##take back", look.px(26), 26)) shell.edit(views::without_intervention(shell.document(), i));
    shell.name_part("interventions:" + std::to_string(i));
    tooltip(look, tr("Takes this intervention back"));
    ImGui::PopID();
    ImGui::SameLine(0, look.px(8));
    ImGui::AlignTextToFramePadding();
    words(look, all[i], look.theme.text, kBody);
  }
  if (const auto remarks = shown_remarks(shell); remarks && !remarks->lost_cells.empty()) {
    std::string cells;
    for (const std::string& lost : remarks->lost_cells) cells += (cells.empty() ? "" : ", ") + lost;
    ImGui::PushTextWrapPos(look.px(360));
    words(look, fill(tr("The sentence is too short for these cells, so nothing is masked there: {}"), {cells}),
          look.theme.selected);
    ImGui::PopTextWrapPos();
  }
  if (all.size() > 1) {
    if (button(look, labelled(tr("take all back"), "take all back").c_str(), 0, 28))
      shell.edit(views::untouched(shell.document()));
    tooltip(look, tr("The model as it is, without any intervention"));
  }
}

float draw_interventions_badge(Shell& shell, const Look& look, float right, bool draw) {
  if (shell.document().interventions.empty()) return 0;
  const std::string said = interventions_words(shell.document());
  const bool small = shell.view().presentation;
  const float size = small ? kSmall : 14, height = small ? 24 : kPillHeight, gap = look.px(8);
  const float width = look.figures.width(said, size, Font::words) * look.scale + look.px(small ? 20 : 28);
  if (!draw) return width + gap;
  ImGui::SetCursorPos({right - gap - width, ImGui::GetCursorPosY()});
  if (button(look, labelled(said.c_str(), "interventions").c_str(), width, height, true)) ImGui::OpenPopup(kPopup);
  shell.name_part("interventions");
  tooltip(look, tr("The model is changed while it computes: what is shown is not what it does itself. Click for the list."));
  ImGui::SetNextWindowPos({ImGui::GetItemRectMax().x, ImGui::GetItemRectMax().y + look.px(4)}, ImGuiCond_Always, {1, 0});
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  const float widest = std::min(look.px(400), screen.x - look.px(16));
  ImGui::SetNextWindowSizeConstraints({std::min(look.px(280), widest), 0}, {widest, look.px(400)});
  if (ImGui::BeginPopup(kPopup)) {
    draw_interventions(shell, look);
    if (shell.document().interventions.empty()) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
  }
  return width + gap;
}

}  // namespace headlight::window
