// The inspector: the hovered item, else the pinned one, else what the view names or the strongest cell, written out in numbers
// down to its inputs. Every number that is in the trace is a link to it; Back and Forward follow the history.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/inspector/inspector.h"

#include "app/gl/figure_view.h"
#include "app/inspector/inspector_subject.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/widgets.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/figure_menu.h"
#include "app/views/base/menu.h"
#include "imgui.h"

namespace headlight::views {
namespace {

using figures::Font;

void copy(const Context& context, const Subject& subject, bool latex) {
  ImGui::SetClipboardText((latex ? latex_of(subject) : text_of(subject)).c_str());
  context.say(latex ? tr("copied as LaTeX") : tr("copied as text"));
}

void draw_copy(const Context& context, const ui::Look& look, const Subject& subject, float width) {
  if (ui::button(look, ui::labelled(tr("Copy"), "copy").c_str(), width, 26)) ImGui::OpenPopup("copy menu");
  ui::tooltip(look, tr("Copies the written-out computation: C as text, Shift+C as LaTeX"));
  name_part(context, "inspector:copy");
  if (begin_menu(context, look, "copy menu", true)) {
    if (ImGui::MenuItem(tr("Copy as text"), "C")) copy(context, subject, false);
    if (ImGui::MenuItem(tr("Copy as LaTeX"), "Shift+C")) copy(context, subject, true);
    end_menu();
  }
  const ImGuiIO& io = ImGui::GetIO();
  if (ImGui::IsKeyPressed(ImGuiKey_C, false) && !io.WantTextInput && !io.KeyCtrl && !io.KeyAlt && !ImGui::IsAnyItemActive())
    copy(context, subject, io.KeyShift);
}

// Title, Back, Forward, Copy; what is shown and why is below them if there is no room beside them.
void draw_header(const Context& context, const ui::Look& look, const Subject& subject) {
  const ImVec2 start = ImGui::GetCursorPos();
  const float full = ImGui::GetContentRegionAvail().x, copy_width = look.px(58), arrow = look.px(28), gap = look.px(6);
  ui::words(look, tr("Inspector"), look.theme.text, ui::kHeading);
  // Left of the arrow that hides the column.
  float x = start.x + full - look.px(24) - copy_width - 2 * arrow - 2 * gap;
  const float buttons = x;
  const auto step = [&](const char* label, int direction, const char* words) {
    ImGui::SetCursorPos({x, start.y - look.px(2)});
    if (ui::button(look, label, arrow, 26, false, can_go(context, direction))) go(context, direction, subject.address);
    ui::tooltip(look, tr(words));
    x += arrow + gap;
  };
  step("‹##back", -1, "Back to the number before (Alt+Backspace)");
  name_part(context, "inspector:back");
  step("›##forward", 1, "Forward again (Alt+Shift+Backspace)");
  ImGui::SetCursorPos({x, start.y - look.px(2)});
  if (subject) draw_copy(context, look, subject, copy_width);

  float y = start.y + look.px(32);
  const std::string source = tr(subject.source);
  if (!source.empty()) {
    const float title = look.figures.width(tr("Inspector"), ui::kHeading, Font::words) * look.scale;
    const float words = look.figures.width(source, ui::kSmall, Font::words) * look.scale;
    // Uses the longest of them, so that the text below does not move when the mouse comes and goes.
    float longest = 0;
    for (const char* each : {"strongest cell", "in this view", "hovered", "pinned"})
      longest = std::max(longest,
                         look.figures.width(tr(each), ui::kSmall, Font::words) * look.scale + (each[0] == 'p' ? look.px(26) : 0));
    const bool beside = start.x + title + look.px(12) + longest <= buttons;
    const float left = beside ? start.x + title + look.px(12) : start.x, top = beside ? start.y + look.px(4) : y;
    ImGui::SetCursorPos({left, top});
    ui::words(look, source, subject.pinned ? look.theme.selected : look.theme.secondary);
    if (subject.pinned) {
      ImGui::SetCursorPos({left + words + look.px(6), top - look.px(2)});
      if (ui::button(look, "×##let go", look.px(20), 20)) let_go(context);
      ui::tooltip(look, tr("Let it go: the inspector follows the mouse and the strongest cell again"));
    }
    if (!beside) y += look.px(22);
  }
  ImGui::SetCursorPos({start.x, y});
}

// Highlights the number elsewhere: as itself, as a cell of the shown attention, or as the token it belongs to.
void light(const Context& context, const ValueAddress& at) {
  Hot& next = context.hover.next;
  next.value = at;
  if (is_shown_cell(context, at)) {
    next.row = at.index[2];
    next.column = at.index[3];
    return;
  }
  const Step* step = context.trace->find(at.step);
  const std::size_t rank = at.index.size();
  if (!step || step->axes.size() != rank || rank < 2 || step->axes[rank == 4 ? 2 : 1] != "position") return;
  const AttentionChoice choice = choose_attention(context);
  if (at.index[0] != choice.batch) return;
  const auto sentences = step->of_targets ? context.trace->targets() : context.trace->texts();
  const std::int64_t position = at.index[rank == 4 ? 2 : 1];
  if (choice.batch >= static_cast<std::int64_t>(sentences.size())) return;
  const auto& tokens = sentences[static_cast<std::size_t>(choice.batch)].tokens;
  if (position >= static_cast<std::int64_t>(tokens.size())) return;
  const auto& token = tokens[static_cast<std::size_t>(position)];
  next.byte_start = token.start;
  next.byte_end = token.end;
  next.in_target = step->of_targets;
  next.token = position;
}

void number_tooltip(const ui::Look& look, const std::string& number, const char* hint) {
  if (look.figures.uncovered(number) != number) return;
  // Below the link, or above: never over it.
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  const bool below = high.y + look.px(80) <= ImGui::GetMainViewport()->Size.y;
  const bool left = low.x <= 0.75f * ImGui::GetMainViewport()->Size.x;
  ImGui::SetNextWindowPos({left ? low.x : high.x, below ? high.y + look.px(4) : low.y - look.px(4)}, ImGuiCond_Always,
                          {left ? 0.0f : 1.0f, below ? 0.0f : 1.0f});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(12), look.px(8)));
  if (ImGui::BeginTooltip()) {
    ImGui::PushFont(look.fonts.mono, ui::kSmall * look.scale * look.fonts.mono_em);
    ImGui::TextUnformatted(number.c_str());
    ImGui::PopFont();
    if (*hint) {
      ImGui::PushFont(look.fonts.words, ui::kSmall * look.scale * look.fonts.words_em);
      ImGui::PushStyleColor(ImGuiCol_Text, gl::vec4(look.theme.secondary));
      ImGui::TextUnformatted(hint);
      ImGui::PopStyleColor();
      ImGui::PopFont();
    }
    ImGui::EndTooltip();
  }
  ImGui::PopStyleVar();
}

// The link under the mouse or the keyboard focus, in amber.
void draw_lit(const ui::Look& look, const figures::Text& text, ImVec2 low, ImVec2 high) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({low.x - 1, low.y}, {high.x + 1, high.y}, gl::packed(look.theme.panel));
  const float tall = look.figures.line_height(text.size, text.font) * look.scale;
  look.figures.text(list, {low.x, std::round((low.y + high.y - tall) / 2)}, text.text, text.size, text.font, look.theme.selected);
  list.AddRectFilled({low.x, high.y - look.px(2)}, {high.x, high.y - look.px(2) + std::max(1.0f, look.px(1.5f))},
                     gl::packed(look.theme.selected));
}

void draw_links(const Context& context, const ui::Look& look, const SubjectPage& page, ImVec2 origin, gl::Hit& hit) {
  const ImVec2 after = ImGui::GetCursorScreenPos();
  for (const auto& item : page.written.figure.items) {
    const auto* text = std::get_if<figures::Text>(&item);
    if (!text || text->tag.kind != figures::Tag::link) continue;
    const auto which = static_cast<std::size_t>(text->tag.a);
    const figures::Box& box = page.link_boxes[which];
    const ImVec2 low(origin.x + box.x * look.scale, origin.y + box.y * look.scale);
    const ImVec2 size(std::max(4.0f, box.w * look.scale), box.h * look.scale);
    ImGui::SetCursorScreenPos(low);
    ImGui::PushID(static_cast<int>(which));
    const bool clicked = ImGui::InvisibleButton("link", size, ImGuiButtonFlags_EnableNav);
    const bool hovered = ImGui::IsItemHovered(), lit = hovered || (ImGui::IsItemFocused() && ImGui::GetIO().NavVisible);
    hit.right_clicked |= hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right);
    ImGui::PopID();
    if (!lit) continue;
    const ValueAddress& at = page.written.links[which];
    draw_lit(look, *text, low, {low.x + size.x, low.y + size.y});
    light(context, at);
    if (context.transient) context.transient->visited.own_hover = true;
    if (hovered) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      number_tooltip(look, value_name(*context.trace, at),
                     at == page.subject.address && !page.subject.words ? "" : tr("click: written out here"));
    }
    if (clicked && !(at == page.subject.address && !page.subject.cell && !page.subject.words))
      follow(context, at, page.subject.address);
  }
  ImGui::SetCursorScreenPos(after);
  ImGui::Dummy({0, 0});  // ends the item group: the cursor was moved
}

void draw_page(const Context& context, const ui::Look& look, const SubjectPage& page) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImGui::SetNextItemAllowOverlap();
  gl::Hit hit = context.figures.draw(page.written.figure, "explanation");
  if (hit.hovered && hit.tag.kind == figures::Tag::bar && hit.tag.a < static_cast<std::int64_t>(page.written.pictures.size())) {
    const ExplainLine& picture = *page.written.pictures[static_cast<std::size_t>(hit.tag.a)];
    const ValueAddress at = figures::bar_address(picture, hit.tag.b);
    const bool leads = has_value(*context.trace, at);
    number_tooltip(look, figures::bar_words(picture, hit.tag.b), leads ? tr("click: written out here") : "");
    for (const auto& item : page.written.figure.items)
      if (const auto* box = std::get_if<figures::Rectangle>(&item);
          box && box->tag.kind == figures::Tag::bar && box->tag.a == hit.tag.a && box->tag.b == hit.tag.b)
        ImGui::GetWindowDrawList()->AddRect({origin.x + box->box.x * look.scale, origin.y + box->box.y * look.scale},
                                            {origin.x + (box->box.x + std::max(box->box.w, 2.0f)) * look.scale,
                                             origin.y + (box->box.y + box->box.h) * look.scale},
                                            gl::packed(look.theme.selected), 0, 0, std::max(1.0f, look.scale));
    if (leads) {
      light(context, at);
      if (context.transient) context.transient->visited.own_hover = true;
      if (hit.clicked) follow(context, at, page.subject.address);
    }
  }
  draw_links(context, look, page, origin, hit);
  figure_menu(context, "explanation menu", hit, [&page, &context] {
    figures::Figure figure = page.written.figure;
    figure.background = context.theme.panel;
    return figure;
  });
}

}  // namespace

void draw_inspector(const Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  notice_pins(context);
  const Subject subject = choose_subject(context);
  if (context.transient) {
    Visited& visited = context.transient->visited;
    // Keys come through the shell, which sees them before the sentence's field does; the mouse's extra buttons work everywhere.
    const int asked = ImGui::IsMouseClicked(3) ? -1 : ImGui::IsMouseClicked(4) ? 1 : visited.asked;
    visited.asked = 0;
    if (asked != 0) {
      go(context, asked, subject.address);
      if (context.frame_in) context.frame_in(0);
    }
    visited.shown = subject.address;
    visited.own_hover = false;
  }
  draw_header(context, look, subject);
  if (subject.error) {
    ui::words(look, spoken_in_window(*subject.error), look.theme.wrong);
    return;
  }
  if (!subject) {
    ui::words(look,
              context.computing || !subject.address.step.empty()
                  ? tr("computing …")
                  : tr("Hover a cell or a token: its numbers are written out here."),
              look.theme.secondary);
    return;
  }
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  // Another number is shown from its top.
  if (context.transient && std::exchange(context.transient->visited.scrolled, subject.key) != subject.key)
    ImGui::SetNextWindowScroll({0, 0});
  if (ImGui::BeginChild("written", {0, 0}, ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoBackground)) {
    // Room for a scrollbar is reserved, so that the text does not move when one appears.
    const float width = std::max(120.0f, ImGui::GetWindowWidth() / look.scale - 14);
    if (const auto page = page_of(context, subject, width)) draw_page(context, look, *page);
  }
  ImGui::EndChild();
  name_part(context, "inspector");
  ImGui::PopStyleVar();
}

}  // namespace headlight::views
