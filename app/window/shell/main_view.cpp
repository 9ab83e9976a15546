// Chips, the selected view on the left and the inspector on the right; an error is shown above the view it concerns.
#include <algorithm>
#include <cmath>

#include "app/gl/non_finite_search.h"
#include "app/inspector/inspector.h"
#include "app/inspector/what_if.h"
#include "app/text/error_words.h"
#include "app/ui/style.h"
#include "app/views/base/view.h"
#include "app/window/shell/array_form.h"
#include "app/window/shell/chips.h"
#include "app/window/shell/counted_line.h"
#include "app/window/shell/lesson_side.h"
#include "app/window/shell/model_offer.h"
#include "app/window/shell/popups.h"
#include "app/window/shell/shell.h"
#include "engine/document/array_source.h"
#include "imgui.h"

namespace headlight::window {
using namespace ui;
namespace {

using figures::Font;

constexpr float kStatusHeight = 32, kInspectorWidth = 336, kInspectorLeast = 264;
constexpr float kBorder = 5;        // points of the view's edge that can be dragged
constexpr double kDimAfter = 0.15;  // seconds; dimming for shorter waits would only flicker

// A line from `left` pixels of the window to its right side.
void rule(const Look& look, float left, float y) {
  const ImVec2 origin = ImGui::GetWindowPos();
  ImGui::GetWindowDrawList()->AddRectFilled({origin.x + left, y},
                                            {origin.x + ImGui::GetWindowWidth(), y + std::max(1.0f, std::floor(look.scale))},
                                            gl::packed(look.theme.line));
}

// Why the newest document has no result; shown above the last good one.
void draw_error(const Look& look, const Error& error) {
  ImGui::PushStyleColor(ImGuiCol_ChildBg, gl::vec4(look.theme.panel));
  ImGui::PushStyleColor(ImGuiCol_Border, gl::vec4(look.theme.wrong));
  if (ImGui::BeginChild("error", {0, 0},
                        ImGuiChildFlags_Borders | ImGuiChildFlags_AutoResizeY | ImGuiChildFlags_AlwaysUseWindowPadding)) {
    words(look, spoken_in_window(Error(error.kind, error.what, error.where)), look.theme.wrong, kBody);
    if (!error.mend.empty()) words(look, spoken(error.mend), look.theme.text, kBody);
  }
  ImGui::EndChild();
  ImGui::PopStyleColor(2);
}

constexpr const char* kTranslator = "english-french";

// Whether the only thing wrong is a second sentence under a model that reads one, where a model that translates can be had.
bool wants_translator(const Shell& shell) {
  const Document& document = shell.document();
  if (document.targets.empty() || document.model == "sandbox" || document.model == kTranslator) return false;
  const auto model = open_stored_model(document.model);
  return model.ok() && (*model)->task != ModelTask::encoder_decoder && open_stored_model(kTranslator).ok();
}

// A line and a button in place of an error.
void draw_translator_offer(Shell& shell, const Look& look) {
  words(look,
        fill(tr("{} reads one sentence, so it has nothing to do with the second one."), {model_label(shell.document().model)}),
        look.theme.text, kBody);
  const std::string label = fill(tr("Translate with {}"), {kTranslator});
  if (button(look, labelled(label.c_str(), "translator").c_str(), 0, 34, true)) (void)choose_model(shell, kTranslator);
  shell.name_part("translator");
  tooltip(look,
          tr("Both sentences stay; an encoder reads the first, a decoder the second. Ctrl+Z brings the present model back."));
  ImGui::SameLine(0, look.px(8));
  if (button(look, labelled(tr("Drop the second sentence"), "drop target").c_str(), 0, 34)) {
    Document next = shell.document();
    next.targets.clear();
    shell.edit(std::move(next));
  }
  shell.name_part("drop target");
  tooltip(look, tr("The model goes on with the first one alone"));
}

// The column at the right: a lesson, the inspector, or the inspector below a lesson.
struct Side {
  ImVec2 at;
  float width = 0, lesson_height = 0, height = 0;  // lesson_height: 0 where there is no lesson
  bool inspector = false;
  float footer = 0;  // of the height: a lesson's buttons, at the lower edge
};

void draw_side_ground(const Look& look, ImVec2 low, ImVec2 high) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(low, high, gl::packed(look.theme.panel));
  list.AddRectFilled(low, {low.x + std::max(1.0f, std::floor(look.scale)), high.y}, gl::packed(look.theme.line));
}

void draw_lesson_side(Shell& shell, const Look& look, const Side& side) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 1.0f);
  const ImGuiWindowFlags quiet =
      ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
  const float words = side.lesson_height - side.footer, line = std::max(1.0f, std::floor(look.scale));
  if (ImGui::BeginChild("lesson", {side.width, words}, ImGuiChildFlags_AlwaysUseWindowPadding, quiet))
    lesson_side::draw_column(shell, look);
  ImGui::EndChild();
  if (side.footer > 0 && shell.player().active()) {
    ImGui::SetCursorScreenPos({side.at.x, side.at.y + side.height - side.footer});
    if (ImGui::BeginChild("lesson footer", {side.width, side.footer}, ImGuiChildFlags_AlwaysUseWindowPadding, quiet))
      lesson_side::draw_footer(shell, look);
    ImGui::EndChild();
  }
  ImGui::PopStyleVar();
  ImGui::SetCursorScreenPos({side.at.x, side.at.y + words});
  if (!side.inspector) return;
  for (const float y : {side.at.y + words, side.at.y + side.height - side.footer})
    list.AddRectFilled({side.at.x, y}, {side.at.x + side.width, y + line}, gl::packed(look.theme.line));
}

// What the inspector's column shows: numbers written out, or what if the selected head were not there.
void draw_side_choice(Shell& shell, const Look& look) {
  std::string& shows = shell.view().inspector.shows;
  const char* labels[] = {tr("numbers"), tr("what if")};
  const char* why[] = {tr("Writes out where each number comes from"),
                       tr("Takes the selected head out, and shows what becomes of the next word")};
  const int clicked = segmented(look, "inspector shows", labels, 2, shows == "what if" ? 1 : 0, why);
  if (clicked >= 0) shows = clicked == 1 ? "what if" : "numbers";
  shell.name_part("inspector:shows");
}

void draw_inspector_side(Shell& shell, const Look& look, views::Context& context, const Side& side) {
  if (ImGui::BeginChild("inspector", {side.width, side.height - side.lesson_height},
                        ImGuiChildFlags_AlwaysUseWindowPadding | ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoBackground)) {
    shell.takes_focus("inspector");
    if (shell.ui.guess.is_secret()) {
      draw_covered_inspector(shell, look);
    } else {
      draw_side_choice(shell, look);
      if (shell.view().inspector.shows == "what if")
        views::draw_what_if(context);
      else
        views::draw_inspector(context);
    }
  }
  ImGui::EndChild();
  shell.name_part("inspector");
}

// The widths that the inspector may be dragged to, in pixels of a window that is `width` wide.
float dragged_width(const Look& look, float points, float width) {
  constexpr float kLeast = 200, kMostShare = 0.6f;
  return std::round(std::clamp(look.px(points), look.px(kLeast), std::max(look.px(kLeast), width * kMostShare)));
}

// The border between the view and the inspector, at its left: a drag moves it, a double click puts it where the program had it.
void draw_border(Shell& shell, const Look& look, ImVec2 low, float height, float width) {
  ImGui::SetCursorScreenPos(low);
  ImGui::InvisibleButton("inspector border", {look.px(kBorder), height});
  shell.name_part("inspector:border");
  int& kept = shell.configuration().inspector_width;
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    const float middle = low.x + look.px(kBorder) - std::max(1.0f, std::floor(look.scale));
    ImGui::GetWindowDrawList()->AddRectFilled({middle - look.px(1), low.y}, {middle + look.px(1), low.y + height},
                                              gl::packed(ImGui::IsItemActive() ? look.theme.selected : look.theme.secondary));
  }
  tooltip(look, tr("Drag it for a wider or narrower inspector; a double click puts it back"));
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left))
    kept = 0;
  else if (ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left, 1))
    kept = static_cast<int>(
        dragged_width(look, (ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - ImGui::GetIO().MousePos.x) / look.scale, width) /
        look.scale);
}

// The arrow that folds the inspector away and brings it back, around `at`.
void draw_fold(Shell& shell, const Look& look, ImVec2 at, bool inspector) {
  const float r = look.px(5);
  const float cx = at.x, cy = at.y;
  ImGui::SetCursorScreenPos({cx - look.px(12), cy - look.px(12)});
  if (ImGui::InvisibleButton("fold", {look.px(24), look.px(24)}, ImGuiButtonFlags_EnableNav)) shell.inspector_open() = !inspector;
  const bool hot = ImGui::IsItemHovered() || ImGui::IsItemFocused();
  tooltip(look, inspector ? tr("Folds the inspector away, for a wider picture")
                          : tr("Shows the inspector, which writes out where each number comes from"));
  const float d = inspector ? 1.0f : -1.0f;
  const ImVec2 arrow[] = {{cx - d * r / 2, cy - r}, {cx + d * r / 2, cy}, {cx - d * r / 2, cy + r}};
  // Drawn above the inspector's child window.
  ImGui::GetForegroundDrawList()->AddPolyline(arrow, 3, gl::packed(hot ? look.theme.text : look.theme.secondary), 0,
                                              1.5f * look.scale);
}

// The tokens. In a low window the pickers are behind one button to the left of them; where a lesson and the view take turns, the
// lesson is behind one to the right. In presentation mode, which hides the pickers, the badge stands to the right.
void draw_chips_row(Shell& shell, const Look& look, views::Context& context, float strength, bool lesson_button) {
  const float width = ImGui::GetWindowWidth(), margin = look.px(16), left = shell.ui.rail + margin;
  const float beside = shell.ui.pickers_width;
  const bool badge = shell.view().presentation;
  const float lesson_width = lesson_button ? lesson_side::draw_lesson_button(shell, look, 0, false) : 0.0f;
  const float marks = badge ? draw_interventions_badge(shell, look, 0, false) : 0.0f,
              trained = badge ? draw_badge(shell, look, 0, false) : 0;
  const float badge_width = badge ? trained + marks + look.px(4) : 0.0f;
  const float chips_width = width - left - margin - beside - lesson_width - badge_width;
  const float top = ImGui::GetCursorPosY(), above = beside > 0 ? look.px(4) : 0.0f;
  if (lesson_button) {
    ImGui::SetCursorPosY(top);
    lesson_side::draw_lesson_button(shell, look, width - margin, true);
  }
  if (badge) {
    ImGui::SetCursorPosY(top + look.px(2));
    draw_badge(shell, look, width - margin - lesson_width, true);
    ImGui::SetCursorPosY(top + look.px(2));
    draw_interventions_badge(shell, look, width - margin - lesson_width - trained, true);
  }
  ImGui::SetCursorPos({left + beside, top + above});
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, strength);
  if (ImGui::BeginChild("chips", {chips_width, look.px(chips_height(context, chips_width / look.scale))},
                        ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoBackground))
    draw_chips(context);
  ImGui::EndChild();
  if (beside > 0 || lesson_button) ImGui::SetCursorPosY(std::max(ImGui::GetCursorPosY(), top + look.px(kPillHeight + 4)));
  ImGui::PopStyleVar();
}

// Why the view has nothing to show of attention that was read from arrays; empty: it has.
std::string lacks(const views::Context& context, const views::View& entry) {
  if (!context.trace || !is_of_arrays(context.document) || !is_of_arrays(context.trace->document())) return {};
  const auto steps = context.trace->steps();
  for (const Role role : entry.needs)
    if (std::none_of(steps.begin(), steps.end(), [&](const Step& step) { return step.role == role; }))
      return fill(
          role == Role::q || role == Role::k || role == Role::v
              ? tr("{0} shows q, k or v, and {1} has none: an array named q, k or v would be shown here.")
              : tr("{0} shows what a model computes around its attention, and {1} holds attention alone. A model, chosen above, "
                   "computes the rest."),
          {tr(entry.label.c_str()), arrays_label(context.document)});
  return {};
}

// The selected view, below what went wrong.
void draw_view(Shell& shell, const Look& look, views::Context& context, const views::View* entry, const Error* error,
               ImVec2 size) {
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  const float margin = look.px(16), line = counted_height(shell, look, size.x - 2 * margin);
  size.y = std::max(1.0f, size.y - line);
  if (ImGui::BeginChild("main", size, ImGuiChildFlags_AlwaysUseWindowPadding | ImGuiChildFlags_NavFlattened,
                        ImGuiWindowFlags_NoBackground)) {
    if (error || shell.nothing_typed()) {
      ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 1.0f);
      if (error && wants_translator(shell))
        draw_translator_offer(shell, look);
      else if (error)
        draw_error(look, *error);
      else
        words(look, tr("Type a sentence (Ctrl+L): everything here follows it, letter by letter."), look.theme.secondary, kBody);
      ImGui::PopStyleVar();
    }
    if (const auto opening = shell.models().opening(); shell.waits() && opening) {
      words(look, opening_words(*opening), look.theme.secondary, kBody);
    } else if (entry) {
      shell.takes_focus("main");
      ImGui::PushID(entry->id.c_str());
      begin_counted(look);
      if (const std::string why = lacks(context, *entry); why.empty())
        views::draw_sheet(context, *entry);
      else
        words(look, why, look.theme.secondary, kBody);
      end_counted(shell, look);
      ImGui::PopID();
    }
  }
  ImGui::EndChild();
  shell.name_part("main");
  if (line > 0) {
    ImGui::SetCursorScreenPos({corner.x + margin, corner.y + size.y});
    if (ImGui::BeginChild("counted line", {size.x - 2 * margin, line}, ImGuiChildFlags_None,
                          ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground))
      draw_counted(shell, look, size.x - 2 * margin);
    ImGui::EndChild();
  }
  if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) look.figures.search().forget();
}

}  // namespace

void draw_main(Shell& shell, const Look& look, const Frame& frame) {
  const float rail = shell.ui.rail, width = ImGui::GetWindowWidth() - rail;
  const bool waiting = shell.worker().computing_for() > kDimAfter;
  const Error* error =
      shell.published().error && shell.published().error->kind != ErrorKind::cancelled ? &*shell.published().error : nullptr;
  const float strength = waiting || (error && !wants_translator(shell)) ? 0.5f : 1.0f;
  if (shell.nothing_typed()) error = nullptr;  // a hint says what to do
  views::Context context = shell.context(frame);

  const bool reading = lesson_side::is_reading(shell, width / look.scale);
  const bool turned_away = !reading && lesson_side::takes_turns(shell, width / look.scale);
  if (turned_away) shell.player().focused = false;
  draw_chips_row(shell, look, context, strength, turned_away);

  float y = std::round(ImGui::GetCursorScreenPos().y);
  rule(look, rail, y);
  ++y;

  const float below = shell.view().presentation || room_of(look) == Room::least ? 0 : look.px(kStatusHeight);
  const float bottom = ImGui::GetWindowPos().y + ImGui::GetWindowHeight() - below - shell.ui.strip.height -
                       model_offer_height(shell, look) - guess_height(shell, look);
  const float height = std::max(1.0f, bottom - y);
  // In a narrow window the view must stay readable: the inspector first becomes narrower, then is hidden.
  const views::View* entry = views::registry().find(shell.view().tab);
  const bool presented = shell.view().presentation;
  const bool full_width = entry && (entry->full_width || (entry->wide && entry->wide(shell.view())));
  const bool can_inspect = width >= look.px(presented ? 720 : 900) && !full_width;
  // A lesson's column is on the right; the inspector is below it if both have room.
  const bool lesson = lesson_side::has_column(shell) && !turned_away;
  const float lesson_height = lesson ? look.px(lesson_side::column_height(shell, height / look.scale, can_inspect)) : 0.0f;
  const bool inspector = can_inspect && (lesson ? lesson_height < height : shell.inspector_open());
  const float inspector_width =
      reading  ? width
      : lesson ? look.px(lesson_side::column_width(width / look.scale))
      : shell.configuration().inspector_width > 0
          ? dragged_width(look, static_cast<float>(shell.configuration().inspector_width), width)
          : std::round(std::min(look.px(kInspectorWidth),
                                presented ? width * 0.36f : std::max(look.px(kInspectorLeast), width * 0.25f)));
  const float folded = presented ? 0 : look.px(28);
  const bool column = inspector || lesson, may_fold = can_inspect && !lesson && (!presented || inspector);
  const float main_width = width - (column ? inspector_width : can_inspect ? folded : 0.0f);
  const bool may_drag = inspector && !lesson;

  const ImVec2 origin(ImGui::GetWindowPos().x + rail, ImGui::GetWindowPos().y);
  ImGui::SetCursorScreenPos({origin.x, y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(16), look.px(presented ? 5 : 12)));
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, strength);
  begin_covered(shell, look);
  if (!reading) draw_view(shell, look, context, entry, error, {main_width - (may_drag ? look.px(kBorder) : 0), height});

  ImGui::SetCursorScreenPos({origin.x + main_width, y});
  if (column || (can_inspect && !presented)) draw_side_ground(look, {origin.x + main_width, y}, {origin.x + width, y + height});
  const float footer = lesson ? lesson_side::footer_height(shell) : 0.0f;
  const Side side{{origin.x + main_width, y},
                  inspector_width,
                  lesson ? lesson_height : 0.0f,
                  height,
                  inspector,
                  footer > 0 ? look.px(footer) + 2 * ImGui::GetStyle().WindowPadding.y : 0.0f};
  if (lesson) draw_lesson_side(shell, look, side);
  if (inspector) draw_inspector_side(shell, look, context, side);
  end_covered(shell, look);
  ImGui::PopStyleVar(2);

  if (may_drag) draw_border(shell, look, {origin.x + main_width - look.px(kBorder), y}, height, width);
  // The arrow that hides and shows the inspector, if there is room for the inspector.
  if (may_fold)
    draw_fold(shell, look, {inspector ? origin.x + width - look.px(20) : origin.x + main_width + folded / 2, y + look.px(22)},
              inspector);
  draw_guess(shell, look, {origin.x, bottom}, width);
  ImGui::SetCursorScreenPos({ImGui::GetWindowPos().x, bottom + guess_height(shell, look)});
  if (!shell.ui.guess.on()) return;
  // Its line is part of the window, even where it ends with a drawing; what stands below follows without a gap.
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::Dummy({0, 0});
  ImGui::PopStyleVar();
}

}  // namespace headlight::window
