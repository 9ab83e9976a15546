#include "app/window/shell/export_menu.h"

#include "app/export/clipboard.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/window/shell/shell.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;

void draw_export_menu(Shell& shell, const Look& look) {
  ImGui::PushFont(look.fonts.words, 14 * look.scale * look.fonts.words_em);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.px(8), look.px(10)));
  if (ImGui::MenuItem(tr("This picture, or its numbers…"), "Ctrl+E")) shell.ask_export();
  tooltip(look, tr("As PNG, SVG or PDF, or its numbers as CSV, NPY or NPZ"));
  if (ImGui::MenuItem(tr("Save a page…"))) shell.ask_page();
  tooltip(
      look,
      tr("One HTML file that any browser shows: the sentence, all heads, the selected one large, with its numbers to point at"));
  if (ImGui::MenuItem(tr("Save a report…"))) shell.ask_report();
  tooltip(
      look,
      tr("A PDF of several pages: sentence, settings, tokens, all heads, the chosen ones large, masks, one weight written out"));
  ImGui::Separator();
  const auto program = picture_clipboard();
  if (ImGui::MenuItem(tr("Copy the picture"), nullptr, false, program.ok())) shell.copy_shown_picture();
  if (!program.ok()) words(look, spoken(program.error()), look.theme.secondary);
  if (ImGui::MenuItem(tr("Copy its numbers as text"), "Ctrl+Shift+C")) shell.copy_shown_numbers();
  tooltip(look, tr("With tabs and the tokens as headers: paste it into a spreadsheet"));
  ImGui::PopStyleVar();
  ImGui::PopFont();
}

}  // namespace headlight::window
