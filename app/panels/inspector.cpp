// The inspector: the hovered thing, else the pinned cell, else the strongest one, written out in numbers down to its inputs.
#include <algorithm>

#include "app/figures/explanation.h"
#include "app/gl/figure_view.h"
#include "app/panels/attention_choice.h"
#include "app/text/language.h"
#include "app/window/style.h"
#include "app/window/widgets.h"
#include "engine/pipeline/explain.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

struct Written {
  figures::Figure figure;
  std::string text, source;  // source: "strongest cell", "pinned", "hovered"
  const Error* error = nullptr;
};

std::string random_note(bool random, const Trace& trace) {
  return random ? fill(tr("random weights, seed {}"), {std::to_string(trace.document().seed)}) : std::string();
}

Written written(const Context& context, float width) {
  Written out;
  if (!context.trace) return out;
  const auto trace = context.trace;
  const std::string generation = std::to_string(trace->generation());
  const Hot& hot = context.hover.now;
  const AttentionChoice choice = choose_attention(context);

  if (hot.byte_start >= 0 && hot.token >= 0) {
    const std::string key = "token/" + generation + "/" + (hot.in_target ? "t" : "s") + std::to_string(choice.batch) + "/" +
                            std::to_string(hot.token);
    const auto token = context.derived.now<TokenExplanation>(key, [trace, hot, batch = choice.batch](const CancelToken&) {
      return explain_token(*trace, hot.in_target, batch, hot.token);
    });
    if (token.value) {
      out.source = tr("hovered token");
      const std::string note = random_note(token.value->random_weights, *trace);
      out.figure =
          figures::explanation(*token.value, "token " + std::to_string(token.value->position) + (note.empty() ? "" : ", " + note),
                               width, context.theme, context.measure);
      out.text = to_text(*token.value);
      return out;
    }
  }
  if (!choice.site || choice.site->queries == 0 || choice.site->keys == 0) return out;
  CellAddress cell{choice.prefix(), choice.batch, choice.head, hot.row, hot.column};
  const auto inside = [&](std::int64_t row, std::int64_t column) {
    return row >= 0 && column >= 0 && row < choice.site->queries && column < choice.site->keys;
  };
  if (hot.byte_start < 0 && inside(hot.row, hot.column)) {
    out.source = tr("hovered cell");
  } else if (inside(context.view.pinned_row, context.view.pinned_column)) {
    cell.query = context.view.pinned_row;
    cell.key = context.view.pinned_column;
    out.source = tr("pinned cell");
  } else {
    const std::string key =
        "strongest/" + generation + "/" + cell.prefix + "/" + std::to_string(cell.batch) + "/" + std::to_string(cell.head);
    const auto find = [trace, cell](const CancelToken&) { return strongest_cell(*trace, cell.prefix, cell.batch, cell.head); };
    const bool large = choice.site->queries * choice.site->keys > 512 * 512;
    const auto strongest = large ? context.derived.later<CellAddress>(key, find) : context.derived.now<CellAddress>(key, find);
    if (!strongest.value) return out;
    cell = *strongest.value;
    out.source = tr("strongest cell");
  }
  const std::string key = "cell/" + generation + "/" + cell.prefix + "/" + std::to_string(cell.batch) + "/" +
                          std::to_string(cell.head) + "/" + std::to_string(cell.query) + "/" + std::to_string(cell.key);
  const auto explained =
      context.derived.now<CellExplanation>(key, [trace, cell](const CancelToken&) { return explain_cell(*trace, cell); });
  if (!explained.value) {
    out.error = explained.error;
    return out;
  }
  const std::string note = random_note(explained.value->random_weights, *trace);
  out.figure = figures::explanation(*explained.value,
                                    "layer " + std::to_string(explained.value->layer) + ", head " + std::to_string(cell.head) +
                                        (note.empty() ? "" : "; " + note),
                                    width, context.theme, context.measure);
  out.text = to_text(*explained.value);
  return out;
}

}  // namespace

void draw_inspector(Context& context) {
  const window::Look look{context.theme, context.fonts, context.figures, context.scale};
  const ImVec2 start = ImGui::GetCursorPos();
  const float full = ImGui::GetContentRegionAvail().x;
  window::words(look, tr("Inspector"), look.theme.text, window::kHeading);
  // A scrollbar's room is kept free, so that the text does not jump when one appears.
  const float width = std::max(120.0f, full / context.scale - 12);
  Written shown = written(context, width);
  if (!shown.source.empty()) {
    ImGui::SetCursorPos({start.x + look.px(92), start.y + look.px(4)});
    window::words(look, shown.source, look.theme.secondary);
  }
  if (!shown.text.empty()) {
    // Left of the arrow that folds the column.
    const float button = look.px(56);
    ImGui::SetCursorPos({start.x + full - button - look.px(24), start.y - look.px(2)});
    const bool key = ImGui::IsKeyPressed(ImGuiKey_C, false) && !ImGui::GetIO().WantTextInput && !ImGui::GetIO().KeyCtrl &&
                     !ImGui::IsAnyItemActive();
    if (window::button(look, window::labelled(tr("Copy"), "copy").c_str(), button, 26) || key) {
      ImGui::SetClipboardText(shown.text.c_str());
      context.say(tr("copied as text"));
    }
    window::tooltip(look, tr("Copies the written-out computation as text (C)"));
  }
  ImGui::SetCursorPos({start.x, start.y + look.px(34)});
  if (shown.error) {
    window::words(look, shown.error->sentence(), look.theme.wrong);
    return;
  }
  if (shown.figure.items.empty()) {
    window::words(look, context.computing ? tr("computing …") : tr("Hover a cell or a token: its numbers are written out here."),
                  look.theme.secondary);
    return;
  }
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (ImGui::BeginChild("written", {0, 0}, ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoBackground)) {
    const gl::Hit hit = context.figures.draw(shown.figure, "explanation");
    if (hit.right_clicked) ImGui::OpenPopup("explanation menu");
    if (ImGui::BeginPopup("explanation menu")) {
      push_font(context, figures::Font::words, 14);
      if (ImGui::MenuItem(tr("Copy as text"))) ImGui::SetClipboardText(shown.text.c_str());
      if (ImGui::MenuItem(tr("Export this picture…"))) {
        figures::Figure figure = shown.figure;
        figure.background = context.theme.background;
        context.export_figure(std::move(figure));
      }
      ImGui::PopFont();
      ImGui::EndPopup();
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace headlight::panels
