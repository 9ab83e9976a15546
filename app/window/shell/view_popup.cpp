// How things look: theme, colour map, orientation, size. Nothing here is computed again.
#include <cmath>
#include <string>

#include "app/ui/style.h"
#include "app/views/base/attention_choice.h"
#include "app/window/shell/popups.h"
#include "app/window/shell/shell.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

template <class Entries>
void choose_view_popup(const Look& look, const char* id, const Entries& entries, std::string& chosen) {
  ImGui::PushID(id);
  bool first = true;
  for (const auto& entry : entries) {
    if (!first) ImGui::SameLine(0, look.px(4));
    first = false;
    const float width = look.figures.width(tr(entry.label.c_str()), 14, figures::Font::words) * look.scale + look.px(32);
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
    if (button(look, labelled(tr(entry.label.c_str()), entry.id.c_str()).c_str(), 0, 28, entry.id == chosen)) chosen = entry.id;
    tooltip(look, tr(entry.formula.c_str()), entry.source);
  }
  ImGui::PopID();
}

// Each language is listed under its own name, so that everyone finds their own. Language files are looked for when the popup
// opens.
void draw_languages(Shell& shell, const Look& look) {
  caption(look, tr("language"));
  const auto known = shell.derived().now<std::vector<LanguageName>>(
      DerivedKey("languages", {shell.ui.view_opened}),
      [](const CancelToken&) -> Result<std::vector<LanguageName>> { return languages(); });
  std::string& chosen = shell.configuration().language;
  if (button(look, labelled(tr("system"), "system").c_str(), 0, 28, chosen.empty())) chosen.clear();
  tooltip(look, tr("The language of the system, where there is a table for it"));
  for (const LanguageName& language : *known.value) {
    ImGui::SameLine(0, look.px(4));
    const float width = look.figures.width(language.label, 14, figures::Font::words) * look.scale + look.px(32);
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
    if (button(look, labelled(language.label.c_str(), language.id.c_str()).c_str(), 0, 28, language.id == chosen))
      chosen = language.id;
    tooltip(look, tr("The language of the window's words; more can be added as files languages/xx.tsv"));
  }
}

}  // namespace

void view_popup(Shell& shell, const Look& look) {
  ViewState& view = shell.view();
  words(look, tr("View"), look.theme.text, kHeading);
  caption(look, tr("theme"));
  choose_view_popup(look, "themes", figures::themes().entries(), view.theme);
  caption(look, tr("colours of weights"));
  std::vector<figures::Colormap> maps;
  for (const figures::Colormap& map : figures::colormaps().entries())
    if (!map.is_signed) maps.push_back(map);
  choose_view_popup(look, "maps", maps, view.colormap);
  toggle(look, labelled(tr("transposed: keys down, queries across"), "transposed").c_str(), &view.transposed);
  tooltip(look, tr("Usually a row is a query and a column a key; some books draw it the other way"));
  toggle(look, labelled(tr("words instead of pieces"), "words together").c_str(), &view.words_together);
  tooltip(look, tr(views::kWordsTogether));
  caption(look, tr("size of everything (Ctrl + and Ctrl -)"));
  const double now = view.ui_scale > 0 ? view.ui_scale : shell.display_scale();
  const auto scaled = [&](int eighths) { view.ui_scale = std::min(4.0, std::max(0.5, std::round(now * 8 + eighths) / 8)); };
  if (button(look, "-", look.px(30), 28)) scaled(-1);
  tooltip(look, tr("Smaller, so that more fits (Ctrl+minus)"));
  ImGui::SameLine(0, look.px(4));
  if (button(look, (std::to_string(std::lround(now * 100)) + " %##size").c_str(), look.px(72), 28, view.ui_scale == 0))
    view.ui_scale = 0;
  tooltip(look, tr("Back to the display's own size"));
  ImGui::SameLine(0, look.px(4));
  if (button(look, "+", look.px(30), 28)) scaled(1);
  tooltip(look, tr("Larger, for the back of the room (Ctrl+plus)"));
  toggle(look, labelled(tr("presentation: large type, nothing but the picture (F11)"), "presentation").c_str(),
         &view.presentation);
  tooltip(look, tr("For the projector; Escape leaves it"));
  toggle(look, labelled(tr("reduce motion"), "motion").c_str(), &shell.configuration().reduce_motion);
  tooltip(look, tr("Nothing moves by itself: each change is shown at once"));
  draw_languages(shell, look);
}

}  // namespace headlight::window
