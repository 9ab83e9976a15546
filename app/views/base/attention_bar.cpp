#include "app/views/base/attention_bar.h"

#include <cmath>
#include <cstdio>

#include "app/text/language.h"
#include "app/ui/style.h"
#include "imgui.h"

namespace headlight::views {

using figures::Font;

std::string short_number(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "-" : value < 0 ? "-∞" : "∞";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value == 0 ? 0.0 : value);
  return text;
}

std::string attention_title(const AttentionChoice& choice) {
  if (!choice.site) return {};
  const std::string kind = choice.kinds.size() < 2           ? ""
                           : choice.kind == "encoder."       ? tr("encoder")
                           : choice.kind == "decoder.cross." ? tr("cross")
                                                             : tr("decoder");
  return (kind.empty() ? "" : kind + ", ") +
         fill(tr("layer {}, head {}"), {std::to_string(choice.site->layer), std::to_string(choice.head)});
}

std::string random_note(const Trace& trace, const std::string& step) {
  const Step* const made = trace.find(step);
  std::string note;
  if (made && made->origin == Origin::random) note = fill(tr("random weights, seed {}"), {std::to_string(trace.document().seed)});
  const std::size_t changed = trace.document().interventions.size();
  if (changed > 0)
    note += (note.empty() ? "" : "; ") +
            (changed == 1 ? std::string(tr("1 intervention")) : fill(tr("{} interventions"), {std::to_string(changed)}));
  return note;
}

void next_on_line(const ui::Look& look, float width, float gap) {
  ImGui::SameLine(0, look.px(gap));
  if (ImGui::GetContentRegionAvail().x < look.px(width)) ImGui::NewLine();
}

std::int64_t stepper(const ui::Look& look, const char* id, const std::string& text, std::int64_t at, std::int64_t count,
                     const char* tip) {
  constexpr float kHigh = 28, kButton = 26, kSize = 14;
  std::int64_t to = -1;
  ImGui::PushID(id);
  ImGui::BeginGroup();
  if (ui::button(look, "‹##less", look.px(kButton), kHigh, false, at > 0)) to = at - 1;
  ui::tooltip(look, tip);
  ImGui::SameLine(0, look.px(8));
  const float wide = look.figures.width(text, kSize, Font::words) * look.scale;
  const ImVec2 low = ImGui::GetCursorScreenPos();
  look.figures.text(*ImGui::GetWindowDrawList(),
                    {low.x, std::round(low.y + (look.px(kHigh) - look.figures.line_height(kSize, Font::words) * look.scale) / 2)},
                    text, kSize, Font::words, look.theme.text);
  ImGui::Dummy({wide, look.px(kHigh)});
  ui::tooltip(look, tip);
  ImGui::SameLine(0, look.px(8));
  if (ui::button(look, "›##more", look.px(kButton), kHigh, false, at + 1 < count)) to = at + 1;
  ui::tooltip(look, tip);
  ImGui::EndGroup();
  ImGui::PopID();
  return to;
}

bool draw_attention_kinds(const Context& context, const ui::Look& look, const AttentionChoice& choice) {
  if (choice.kinds.size() < 2) return false;
  std::vector<const char*> labels;
  int selected = 0;
  for (std::size_t i = 0; i < choice.kinds.size(); ++i) {
    labels.push_back(tr(choice.kinds[i].label.c_str()));
    if (choice.kinds[i].id == choice.kind) selected = static_cast<int>(i);
  }
  const int clicked = ui::segmented(look, "site", labels.data(), static_cast<int>(labels.size()), selected,
                                    tr("Which attention is looked at: the encoder's, the decoder's, or the one between them"));
  if (clicked >= 0) {
    context.view.site = choice.kinds[static_cast<std::size_t>(clicked)].id;
    context.view.pinned_row = context.view.pinned_column = -1;
  }
  return true;
}

bool number_slider(const ui::Look& look, const char* id, double* value, double low, double high, bool log, float width) {
  ImGui::PushFont(look.fonts.mono, 13 * look.scale * look.fonts.mono_em);
  ImGui::SetNextItemWidth(width);
  // Without a format the slider shows no number of its own, which its handle would hide.
  const bool moved = ImGui::SliderScalar(
      id, ImGuiDataType_Double, value, &low, &high, "",
      (log ? ImGuiSliderFlags_Logarithmic : 0) | ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_NoRoundToFormat);
  ImGui::PopFont();
  return moved;
}

void slider_number(const ui::Look& look, const std::string& text, float width) {
  const gl::Uncovered control(look.figures);
  ImGui::SameLine(0, look.px(8));
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float high = ImGui::GetItemRectSize().y;
  look.figures.text(*ImGui::GetWindowDrawList(),
                    {low.x, std::round(low.y + (high - look.figures.line_height(15, Font::mono) * look.scale) / 2)}, text, 15,
                    Font::mono, look.theme.text);
  ImGui::Dummy({look.px(width), high});
  ImGui::SameLine(0, look.px(8));
}

}  // namespace headlight::views
