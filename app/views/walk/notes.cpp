#include "app/views/walk/notes.h"

#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/gl/figure_view.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/figure_menu.h"
#include "app/views/walk/opened.h"
#include "app/views/walk/tries.h"
#include "engine/document/presets.h"
#include "imgui.h"

namespace headlight::views::walk {
namespace {

using figures::Font;
using figures::WalkBox;

// "layer < 2 >": one step down or up; returns the change. Numbers count from `from`.
int step_by(const ui::Look& look, const char* label, std::int64_t value, std::int64_t count, const char* why,
            std::int64_t from = 0) {
  int change = 0;
  ImGui::PushID(label);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float high = look.px(26), text = look.figures.line_height(13, Font::words) * look.scale;
  look.figures.text(*ImGui::GetWindowDrawList(), {at.x, std::round(at.y + (high - text) / 2)}, label, 13, Font::words,
                    look.theme.secondary);
  ImGui::SetCursorScreenPos({at.x + look.figures.width(label, 13, Font::words) * look.scale + look.px(6), at.y});
  if (ui::button(look, "<", look.px(26), 26, false, value > 0)) change = -1;
  ui::tooltip(look, why);
  ImGui::SameLine(0, look.px(6));
  const std::string number = std::to_string(value + from);
  const ImVec2 here = ImGui::GetCursorScreenPos();
  const float wide = std::max(look.px(18), look.figures.width(number, 15, Font::mono) * look.scale);
  look.figures.text(*ImGui::GetWindowDrawList(),
                    {here.x + (wide - look.figures.width(number, 15, Font::mono) * look.scale) / 2,
                     std::round(here.y + (high - look.figures.line_height(15, Font::mono) * look.scale) / 2)},
                    number, 15, Font::mono, look.theme.text);
  ImGui::Dummy({wide, high});
  ImGui::SameLine(0, look.px(6));
  if (ui::button(look, ">", look.px(26), 26, false, value + 1 < count)) change = 1;
  ui::tooltip(look, why);
  ImGui::PopID();
  return change;
}

// In `room` points of width.
void draw_choice(const Context& context, const ui::Look& look, const WalkScene& scene, float room) {
  const AttentionChoice& choice = scene.choice;
  if (!choice.site) return;
  ViewState& view = context.view;
  if (draw_attention_kinds(context, look, choice)) name_part(context, "walk:site");
  const float start = ImGui::GetCursorScreenPos().x;
  const auto layers = static_cast<std::int64_t>(choice.layers.size());
  const std::int64_t layer = std::find(choice.layers.begin(), choice.layers.end(), choice.site) - choice.layers.begin();
  if (const int change = step_by(look, tr("layer"), layer, layers, tr("Another layer (Alt+up, Alt+down)")))
    view.layer = layer + change;
  ImGui::SameLine(0, look.px(14));
  if (const int change = step_by(look, tr("head"), choice.head, choice.site->heads, tr("Another head (Alt+left, Alt+right)")))
    view.head = choice.head + change;
  const auto sentences = static_cast<std::int64_t>(context.trace->texts().size());
  if (sentences > 1) {
    const float wide = context.measure.width(tr("sentence"), 13, Font::words) + 90;
    const float used = (ImGui::GetItemRectMax().x - start) / context.scale;
    if (used + 14 + wide <= room) ImGui::SameLine(0, look.px(14));
    if (const int change = step_by(look, tr("sentence"), choice.batch, sentences, tr("Another sentence of the batch"), 1))
      view.batch = choice.batch + change;
  }
  ImGui::Dummy({0, look.px(2)});
}

// A line that changes the document when it is clicked.
bool suggestion(const ui::Look& look, const std::string& words, int index, float width) {
  const std::string lead = std::string(tr("try:")) + " ";
  const float size = 15, high = look.figures.line_height(size, Font::words) + 2;
  std::vector<std::string> lines = figures::wrap(lead + words, width - 22, size, Font::words, look.figures);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImGui::PushID(index);
  const bool clicked = ImGui::InvisibleButton("try", {look.px(width), look.px(high * static_cast<float>(lines.size()) + 8)},
                                              ImGuiButtonFlags_EnableNav);
  const bool hot = ImGui::IsItemHovered() || ImGui::IsItemFocused();
  ImGui::PopID();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 high_corner = ImGui::GetItemRectMax();
  const figures::Color ink = look.theme.info;
  const float alpha = ImGui::GetStyle().Alpha;
  list.AddRectFilled(low, high_corner, gl::packed(figures::with_alpha(ink, hot ? 0.2f : 0.09f), alpha), look.px(6));
  float y = low.y + look.px(4);
  for (const std::string& line : lines) {
    look.figures.text(list, {low.x + look.px(10), y}, line, size, Font::words, ink);
    y += look.px(high);
  }
  if (hot) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  return clicked;
}

// The export contains the whole text about the step, however much of it is shown.
constexpr float kPaper = 460;
figures::Figure notes_on_paper(const figures::WalkNotes& notes, float width, const Pen& pen) {
  figures::Figure paper = walk_notes(notes, width, pen.theme, pen.measure);
  paper.background = pen.theme.background;
  paper.title = notes.title;
  return paper;
}

// The text about the highlighted step, the choice of attention, and suggestions to try; and its values if they are wanted and the
// current window has room for them.
void draw_notes_inside(const Frame& frame, bool with_values) {
  const Context& context = frame.context;
  const ui::Look& look = frame.look;
  const WalkScene& scene = frame.walk;
  const float whole = ImGui::GetContentRegionAvail().x / context.scale;
  // A low, wide place: controls are left of the words instead of around them.
  constexpr float kControls = 250, kBetween = 22;
  const bool wide = whole >= 640;
  const auto suggestions = [&](float room) {
    const WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(scene.input.lit)];
    int index = 0;
    if (scene.next)
      for (const WalkViewTry& one : walk_view_tries(*scene.next, box)) {
        if (suggestion(look, one.words, index, room)) one.change(context);
        if (index++ == 0) name_part(context, "walk:try");
      }
    for (WalkTry& one : walk_tries(context.document, box)) {
      if (suggestion(look, one.words, index, room)) {
        context.say(fill(tr("tried: {} (Ctrl+Z takes it back)"), {one.words}));
        context.edit(std::move(one.document));
      }
      ui::tooltip(look, tr("Changes the model; Ctrl+Z takes it back"));
      if (index == 0) name_part(context, "walk:try");
      ++index;
    }
  };
  const ImVec2 start = ImGui::GetCursorPos();
  draw_choice(context, look, scene, wide ? kControls : whole);
  if (wide) {
    suggestions(kControls);
    ImGui::SetCursorPos({start.x + look.px(kControls + kBetween), start.y});
  }
  const float room = wide ? whole - kControls - kBetween : whole;
  const figures::WalkNotes notes = walk_notes_of(context, scene, scene.input.lit);
  figures::Figure figure = walk_notes(notes, room, context.theme, context.measure);
  const gl::Hit hit = context.figures.draw(figure, "walk notes");
  name_part(context, "walk:notes");
  figure_menu(context, "walk notes menu", hit, [&] { return notes_on_paper(notes, kPaper, {context.theme, context.measure}); });
  if (!wide) suggestions(room);
  // If there is room, the highlighted step in that size, with its tokens.
  const float left = ImGui::GetContentRegionAvail().y / context.scale;
  if (with_values && !wide && left >= 190)
    draw_walk_values(context, look, scene, scene.input.lit, room, std::min(left, room * 1.25f));
}

// In a bordered area of that many points.
void draw_notes(const Frame& frame, float width, float height) {
  const ui::Look& look = frame.look;
  ImGui::PushStyleColor(ImGuiCol_ChildBg, gl::vec4(look.theme.panel));
  ImGui::PushStyleColor(ImGuiCol_Border, gl::vec4(look.theme.line));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(16), look.px(12)));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(look.px(6), look.px(6)));
  if (ImGui::BeginChild("notes", {look.px(width), look.px(height)},
                        ImGuiChildFlags_Borders | ImGuiChildFlags_AlwaysUseWindowPadding | ImGuiChildFlags_NavFlattened)) {
    draw_notes_inside(frame, true);
  }
  ImGui::EndChild();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor(2);
}

// The step's name and operation, as much as fits in a line. In `whole` the step's sentence follows, which has two lines at every
// step, or three in a narrow place, so that the diagram stays where it is. A preset's remarks add a line: 28 points without
// remarks, 52 with them.
figures::Figure step_line(const Context& context, const WalkScene& scene, const figures::WalkNotes& notes, float width,
                          bool whole) {
  figures::Figure figure;
  figure.width = width;
  const figures::Composer pen{figure, context.theme, context.measure};
  const float name = context.measure.width(notes.title, ui::kHeading, Font::words_bold) + 16;
  pen.text(0, 12, notes.title, ui::kHeading, Font::words_bold, context.theme.selected, figures::Align::start, width);
  const WalkBox& box = scene.graph->boxes[static_cast<std::size_t>(scene.input.lit)];
  const auto fits = [&](const std::string& text, Font font, float room) {
    return context.measure.width(text, ui::kBody, font) <= room;
  };
  float x = name;
  // The whole text, with why the walk ends here, if it fits and does not stand below; else its first sentence, or what the step
  // does in a word or two.
  const std::string in_brief = tr(box.operation.c_str());
  const std::string text = notes.ends.empty() ? notes.words : notes.words + " " + notes.ends;
  const std::size_t stop = notes.words.find(". ");
  const std::string first = stop == std::string::npos ? notes.words : notes.words.substr(0, stop + 1);
  const std::string said =
      figures::first_that_fits(whole ? std::vector{in_brief} : std::vector{text, notes.words, first, in_brief}, width - x,
                               ui::kBody, Font::words, context.measure);
  if (!said.empty()) {
    pen.text(x, 12, said, ui::kBody, Font::words, context.theme.text);
    x += context.measure.width(said, ui::kBody, Font::words) + 16;
  }
  if (!box.formula.empty() && fits(box.formula, Font::mono, width - x))
    pen.text(x, 12, box.formula, ui::kBody, Font::mono, context.theme.secondary);
  figure.height = 28;
  if (whole) {
    constexpr float kLine = 21, kTwoLines = 640;
    const std::size_t most = width >= kTwoLines ? 2 : 3;
    std::vector<std::string> lines;
    float size = ui::kBody + 1;
    do lines = figures::wrap(text, width, --size, Font::words, context.measure);
    while (lines.size() > most && size > ui::kSmall);
    for (std::size_t i = most; i < lines.size(); ++i) lines[most - 1] += " " + lines[i];
    for (std::size_t i = 0; i < std::min(most, lines.size()); ++i)
      pen.text(0, figure.height + 8 + kLine * static_cast<float>(i), lines[i], size, Font::words, context.theme.text,
               figures::Align::start, width);
    figure.height += kLine * static_cast<float>(most) + 2;
  }
  // What a preset's notes say has a line of its own, at every step of it, so that the diagram stays where it is.
  if (const presets::Entry* const preset = presets::preset_of(context.trace->document()); preset && !preset->remarks.empty()) {
    const std::string& shapes = notes.chain.empty() ? notes.shape : notes.chain;
    const float line = figure.height + 10;
    x = 0;
    for (const std::string& one : notes.said) {
      if (x > 0 && !fits(one, Font::words, width - x)) break;
      pen.text(x, line, one, ui::kBody, Font::words, context.theme.info, figures::Align::start, width - x);
      x += context.measure.width(one, ui::kBody, Font::words) + 16;
    }
    if (x < width)
      pen.text(x, line, figures::first_that_fits({shapes, notes.shape}, width - x, ui::kBody, Font::mono, context.measure),
               ui::kBody, Font::mono, context.theme.secondary);
    figure.height += 24;
  }
  return figure;
}

void draw_more(const Frame& frame, float wide) {
  constexpr const char* kPopup = "walk all notes";
  const ui::Look& look = frame.look;
  if (ui::button(look, ui::labelled(tr("more"), "walk more").c_str(), look.px(wide), 26, ImGui::IsPopupOpen(kPopup)))
    ImGui::OpenPopup(kPopup);
  ui::tooltip(look, tr("All that is said of this step, its numbers, what one may try, and which layer and head is shown"));
  const ImVec2 end = ImGui::GetItemRectMax(), screen = ImGui::GetMainViewport()->Size;
  const float room = std::min(look.px(440), screen.x - look.px(16));
  ImGui::SetNextWindowPos({std::max(look.px(8), end.x - room), end.y + look.px(4)});
  ImGui::SetNextWindowSizeConstraints({room, 0}, {room, std::max(look.px(160), screen.y - end.y - look.px(12))});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(16), look.px(12)));
  if (ImGui::BeginPopup(kPopup)) {
    draw_notes_inside(frame, false);
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace

sheet::Node notes_part(Sheet& sheet, const Shared& frame) {
  return part_by_hand(sheet, "side", [frame](const ui::Look&, Size room) { draw_notes(*frame, room.w, room.h); });
}

sheet::Node line_part(Sheet& sheet, const Shared& frame, bool whole) {
  const auto notes =
      std::make_shared<const figures::WalkNotes>(walk_notes_of(frame->context, frame->walk, frame->walk.input.lit));
  return sheet.picture({.id = "notes",
                        .picture = [frame, notes, whole](
                                       Size s, const Pen&) { return step_line(frame->context, frame->walk, *notes, s.w, whole); },
                        .paper = {kPaper, 0},
                        .on_paper = [notes](Size s, const Pen& pen) { return notes_on_paper(*notes, s.w, pen); }},
                       {0, 0, sheet::kAny});
}

sheet::Node folded_notes(Sheet& sheet, const Shared& frame) {
  const float wide = std::ceil(frame->context.measure.width(tr("more"), 14, Font::words)) + 24;
  sheet::Node more = sheet.by_hand({.id = "more", .draw = [frame](const ui::Look&, Size room) { draw_more(*frame, room.w); }},
                                   wide, sheet::Span(26));
  return Sheet::row("line", 12, {line_part(sheet, frame, false), std::move(more)});
}

}  // namespace headlight::views::walk
