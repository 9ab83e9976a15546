#include "app/panels/figure_menu.h"

#include "app/text/language.h"
#include "imgui.h"

namespace headlight::panels {

void figure_menu(Context& context, const char* id, const gl::Hit& hit, const std::function<figures::Figure()>& make) {
  if (hit.right_clicked) ImGui::OpenPopup(id);
  if (!ImGui::BeginPopup(id)) return;
  push_font(context, figures::Font::words, 14);
  if (ImGui::MenuItem(tr("Export this picture…"))) context.export_figure(make());
  ImGui::PopFont();
  ImGui::EndPopup();
}

}  // namespace headlight::panels
