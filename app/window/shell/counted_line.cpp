#include "app/window/shell/counted_line.h"

#include "app/figures/base/legend.h"
#include "app/gl/non_finite_search.h"
#include "app/text/language.h"
#include "app/window/shell/shell.h"
#include "imgui.h"

namespace headlight::window {
namespace {

constexpr float kBrief = 460;  // points; a narrower line says less

figures::Legend legend_of(const Shell& shell, float points) {
  figures::Legend legend;
  legend.non_finite = shell.ui.counted.parts.cells;
  legend.gaps = shell.ui.counted.parts.gaps;
  legend.brief = points < kBrief;
  return legend;
}

}  // namespace

void begin_counted(const ui::Look& look) { look.figures.search().begin(); }

void end_counted(Shell& shell, const ui::Look& look) {
  figures::NonFiniteParts parts = look.figures.search().end();
  if (parts.counts_them) parts.cells = {};  // the view has a legend that counts them, and leads to them
  auto& counted = shell.ui.counted;
  const void* const trace = shell.published().trace.get();
  if (parts.any() || counted.tab != shell.view().tab || counted.trace != trace)
    counted = {parts, shell.view().tab, trace, parts.any()};
  else
    counted.parts = parts;
}

float counted_height(const Shell& shell, const ui::Look& look, float width) {
  if (!shell.ui.counted.shown) return 0;
  const float points = width / look.scale;
  return look.px(std::max(24.0f, figures::legend_height(legend_of(shell, points), points, look.figures) + 4));
}

void draw_counted(Shell& shell, const ui::Look& look, float width) {
  const float points = width / look.scale;
  const gl::Hit hit =
      look.figures.draw(figures::legend_figure(legend_of(shell, points), 0, 0, points, look.theme, look.figures), "counted");
  shell.name_part("counted");
  if (!hit.hovered || hit.tag.kind != figures::Tag::non_finite) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ui::tooltip(look, tr("A click goes to the first of them, the next click to the next"));
  if (hit.clicked) look.figures.search().go_to_next(static_cast<figures::NonFinite>(hit.tag.a), hit.tag.b == 1);
}

}  // namespace headlight::window
