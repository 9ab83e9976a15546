// Texts with live numbers.
#include <cmath>

#include "app/lessons/compared_runs.h"
#include "app/lessons/player.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/window/shell/lesson_parts.h"
#include "app/window/shell/lesson_side.h"
#include "app/window/shell/shell.h"
#include "imgui.h"

namespace headlight::window::lesson_side {

using namespace lessons;
using lessons::Step;
using ui::Look;

Source source_of(Shell& shell, const Step& step) {
  const auto& trace = shell.published().trace;
  return {trace,
          shell.view(),
          shell.trainer().result(),
          shell.ui.isdpa_ratio,
          step.names,
          compared_runs(shell.derived(), trace, step)};
}

float line_height(const Look& look, float size, figures::Font font) { return look.figures.line_height(size, font) * look.scale; }

DerivedKey key_of(Shell& shell, const Look& look, const Source& source, const std::string& text, float width, float size,
                  const std::string& color) {
  const auto& trace = shell.published().trace;
  const ViewState& view = shell.view();
  return DerivedKey("lesson", {trace ? trace->generation() : 0, view.site, view.layer, view.head, view.batch,
                               shell.ui.isdpa_ratio.value_or(0), width, size, look.scale, look.theme.id, color, text})
      .of(shell.trainer().result())
      .of(source.compared.before)
      .of(source.compared.written)
      .of(source.compared.written_before);
}

std::shared_ptr<const Written> written(Shell& shell, const Look& look, const Step& step, const std::string& text, float width,
                                       float size, figures::Color color, const std::string& color_name) {
  const Source source = source_of(shell, step);
  const auto answer = shell.derived().now<Written>(key_of(shell, look, source, text, width, size, color_name),
                                                   [&](const CancelToken&) -> Result<Written> {
                                                     Written out;
                                                     out.runs = fill_places(text, source);
                                                     out.prose = prose(out.runs, width, size, color, look.theme, look.figures);
                                                     return out;
                                                   });
  return answer.value;
}

namespace {

// A number under the mouse highlights its place everywhere; a click pins it, so that the inspector explains it.
void live_number(Shell& shell, const Look& look, const Run& run) {
  if (run.why) {
    ui::tooltip(look, tr("This number is not there in what you have made of the step."), spoken(run.why->what));
    return;
  }
  if (run.value.step.empty()) return;
  const ValueAddress& value = run.value;
  shell.hover.next.value = value;
  const auto trace = shell.published().trace;
  const headlight::Step* step = trace ? trace->find(value.step) : nullptr;
  const Role role = step ? step->role : Role::other;
  const bool cell = role == Role::scores || role == Role::scaled_scores || role == Role::masked_scores || role == Role::weights;
  if (cell) {
    shell.hover.next.row = value.index[2];
    shell.hover.next.column = value.index[3];
  }
  std::string place;
  for (const std::int64_t i : value.index) place += (place.empty() ? "[" : ", ") + std::to_string(i);
  ui::tooltip(look, tr("A live number: click to have it written out in the inspector."), value.step + " " + place + "]");
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return;
  if (cell) {
    shell.view().batch = value.index[0];
    shell.view().head = value.index[1];
    shell.view().pinned_row = value.index[2];
    shell.view().pinned_column = value.index[3];
    shell.view().inspector.step.clear();
    shell.view().inspector.index.clear();
  } else {
    shell.view().inspector.step = value.step;
    shell.view().inspector.index = value.index;
  }
}

}  // namespace

void draw_text(Shell& shell, const Look& look, const Step& step, const std::string& text, const char* id, float size,
               figures::Color color, const std::string& color_name, float width) {
  if (text.empty()) return;
  if (width <= 0) width = std::floor(ImGui::GetContentRegionAvail().x / look.scale) - 1;
  const auto shown = written(shell, look, step, text, width, size, color, color_name);
  if (!shown) return;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const gl::Hit hit = look.figures.draw(shown->prose.figure, id);
  if (!hit.hovered) return;
  for (const auto& live : shown->prose.live)
    if (live.box.contains(hit.at)) {
      const ImVec2 low(at.x + look.px(live.box.x), at.y + look.px(live.box.y));
      ImGui::GetWindowDrawList()->AddRect({low.x - look.px(2), low.y + look.px(1)},
                                          {low.x + look.px(live.box.w) + look.px(2), low.y + look.px(live.box.h) - look.px(1)},
                                          gl::packed(look.theme.selected), look.px(4));
      live_number(shell, look, shown->runs[live.run]);
    }
}

}  // namespace headlight::window::lesson_side
