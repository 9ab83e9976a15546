// How things look: theme, colour map, orientation, size. Nothing here computes anew.
#include <cmath>
#include <string>

#include "app/window/popups.h"
#include "app/window/shell.h"
#include "app/window/style.h"
#include "imgui.h"

namespace headlight::window {
namespace {

template <class Entries>
void choose(const Look& look, const char* id, const Entries& entries, std::string& chosen) {
  ImGui::PushID(id);
  bool first = true;
  for (const auto& entry : entries) {
    if (!first) ImGui::SameLine(0, look.px(4));
    first = false;
    if (button(look, entry.label.c_str(), 0, 28, entry.id == chosen)) chosen = entry.id;
    tooltip(look, entry.formula, entry.source);
  }
  ImGui::PopID();
}

}  // namespace

void view_popup(Shell& shell, const Look& look) {
  ViewState& view = shell.view();
  words(look, "View", look.theme.text, kHeading);
  caption(look, "theme");
  choose(look, "themes", figures::themes().entries(), view.theme);
  caption(look, "colours of weights");
  std::vector<figures::Colormap> maps;
  for (const figures::Colormap& map : figures::colormaps().entries())
    if (!map.is_signed) maps.push_back(map);
  choose(look, "maps", maps, view.colormap);
  toggle(look, "transposed: keys down, queries across", &view.transposed);
  caption(look, "size of everything (Ctrl + and Ctrl -)");
  const double now = view.ui_scale > 0 ? view.ui_scale : shell.last_scale;
  const auto scaled = [&](int eighths) { view.ui_scale = std::min(4.0, std::max(0.5, std::round(now * 8 + eighths) / 8)); };
  if (button(look, "-", look.px(30), 28)) scaled(-1);
  ImGui::SameLine(0, look.px(4));
  if (button(look, (std::to_string(std::lround(now * 100)) + " %##size").c_str(), look.px(72), 28, view.ui_scale == 0))
    view.ui_scale = 0;
  tooltip(look, "Back to the display's own size");
  ImGui::SameLine(0, look.px(4));
  if (button(look, "+", look.px(30), 28)) scaled(1);
}

}  // namespace headlight::window
