#include "app/views/base/figure_menu.h"

#include "app/export/clipboard.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/widgets.h"
#include "app/views/base/menu.h"
#include "imgui.h"

namespace headlight::views {

void figure_menu(const Context& context, const char* id, const gl::Hit& hit, FunctionRef<figures::Figure()> make,
                 FunctionRef<void()> more) {
  if (hit.right_clicked) ImGui::OpenPopup(id);
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  if (!begin_menu(context, look, id, false)) return;
  more();
  if (ImGui::MenuItem(tr("Export this picture…"))) context.export_figure(make());
  ui::tooltip(look, tr("As PNG, SVG or PDF, or its numbers as CSV, NPY or NPZ"));
  if (context.copy_picture) {
    const auto program = picture_clipboard();
    if (ImGui::MenuItem(tr("Copy this picture"), nullptr, false, program.ok())) context.copy_picture(make());
    if (!program.ok()) {
      push_font(context, figures::Font::words, 13);
      ImGui::TextDisabled("%s", spoken(program.error()).c_str());
      ImGui::PopFont();
    }
  }
  if (context.copy_numbers) {
    if (ImGui::MenuItem(tr("Copy its numbers as text"))) context.copy_numbers(make());
    ui::tooltip(look, tr("With tabs and the tokens as headers: paste it into a spreadsheet"));
  }
  end_menu();
}

}  // namespace headlight::views
