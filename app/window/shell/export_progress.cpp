#include "app/window/shell/export_progress.h"

#include <algorithm>
#include <cmath>

#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/window/shell/shell.h"

namespace headlight::window {
using namespace ui;

float draw_export_progress(Shell& shell, const Look& look, ImVec2 low, ImVec2 high) {
  using figures::Font;
  const auto running = shell.export_lane().running();
  if (!running) return high.x;
  std::string text = fill(tr("writing {}"), {running->name});
  if (running->share >= 0) text += ", " + std::to_string(std::lround(100 * running->share)) + " %";
  if (running->waiting > 0) text += " " + fill(tr("({} more)"), {std::to_string(running->waiting)});
  const char* stop = tr("Stop");
  const float button_width = look.figures.width(stop, 14, Font::words) * look.scale + look.px(24), gap = look.px(12);
  const float text_width = std::min(look.figures.width(text, kSmall, Font::words) * look.scale, (high.x - low.x) * 0.45f);
  const float track = look.px(120), height = look.px(24);
  const float left = high.x - look.px(16) - button_width - gap - track - gap - text_width;
  const float middle = (low.y + high.y) / 2;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  look.figures.text(list, {left, std::round(middle - look.figures.line_height(kSmall, Font::words) * look.scale / 2)}, text,
                    kSmall, Font::words, look.theme.text, text_width + 1);
  const float bar = left + text_width + gap, half = look.px(3);
  list.AddRectFilled({bar, middle - half}, {bar + track, middle + half}, gl::packed(look.theme.raised), half);
  if (running->share > 0)
    list.AddRectFilled({bar, middle - half}, {bar + track * static_cast<float>(std::min(1.0, running->share)), middle + half},
                       gl::packed(look.theme.info), half);
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos({bar + track + gap, std::round(middle - height / 2)});
  if (button(look, labelled(stop, "stop export").c_str(), button_width, 24)) shell.export_lane().cancel();
  tooltip(look, tr("Stops what is being exported; nothing half-written stays"));
  ImGui::SetCursorScreenPos(cursor);
  return left - gap;
}

}  // namespace headlight::window
