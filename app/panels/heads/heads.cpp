// The Heads tab: every head of every layer as a thumbnail, the selected head's statistics, and the chosen heads large.
#include <algorithm>

#include "app/panels/heads/heads_tab.h"
#include "app/panels/panels.h"
#include "app/panels/what_if/what_if.h"
#include "app/session/role_finder.h"
#include "app/text/language.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

constexpr float kGap = 24;
constexpr float kLowColumn = 480;
constexpr float kMostForGrid = 0.45f;  // of the tab's width
constexpr float kTight = 370;          // a lower tab has no room for controls above and below the picture

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  const AttentionChoice choice = choose_attention(context);
  if (says_no_attention(context, look, choice)) return;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = room.x / context.scale, height = room.y / context.scale;
  const HeadsTab tab{context, look, choice, height < kTight && !context.view.presentation};
  // In a low tab its height limits the thumbnails; the large picture gets the rest. In presentation mode they are small, in the
  // column beside it.
  const float wanted = std::min(width * (width < 1000 ? 0.33f : 0.36f), std::max(280.0f, height * (height < 520 ? 0.6f : 0.9f)));
  // Many heads get more of the width, so that those of a layer stand beside each other and can be read.
  const float many = std::min(thumbnails_width(context, choice), kMostForGrid * width);
  const float left = context.view.presentation || tab.tight ? 0 : std::max(std::clamp(wanted, 256.0f, 620.0f), many) + kGap;
  const ImGuiWindowFlags quiet =
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (left > 0) {
    // Attention and sentence take two rows, so a low column scrolls.
    const bool scrolls = height < kLowColumn && choice.kinds.size() > 1 && context.trace->texts().size() > 1;
    if (ImGui::BeginChild("grid side", {look.px(left - kGap), room.y}, ImGuiChildFlags_NavFlattened,
                          scrolls ? ImGuiWindowFlags_NoBackground : quiet))
      draw_heads_grid(tab, left - kGap - (scrolls ? 12 : 0), height);
    ImGui::Dummy({0, 0});  // the last call that moved the cursor may have drawn nothing
    ImGui::EndChild();
    ImGui::SameLine(0, look.px(kGap));
  }
  if (ImGui::BeginChild("head side", {0, room.y}, ImGuiChildFlags_NavFlattened, quiet))
    draw_heads_picture(tab, std::max(100.0f, width - left), height);
  ImGui::Dummy({0, 0});
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace

Entry heads_panel() {
  Entry entry = {"heads", tr_later("Heads"), "weights = softmax(q kᵀ / √d_k + mask)", "Vaswani et al. 2017",
                 draw,    figure_of_heads};
  entry.job = [](const JobHost& host) -> std::unique_ptr<Job> {
    return std::make_unique<RoleFinder>(host.wake, host.busy, host.measures_roles);
  };
  entry.pictures = {
      {"what-if-words", "the next words before the document's interventions and with them", what_if_words_figure},
      {"what-if-map", "each head taken out in turn: the change of the best word's probability", what_if_map_figure}};
  return entry;
}

}  // namespace headlight::panels
