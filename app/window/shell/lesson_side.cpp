#include "app/window/shell/lesson_side.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "app/files/configuration.h"
#include "app/lessons/compared_runs.h"
#include "app/lessons/places.h"
#include "app/lessons/player.h"
#include "app/lessons/prose.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/focus.h"
#include "app/ui/style.h"
#include "app/views/base/view.h"
#include "app/window/shell/lesson_parts.h"
#include "app/window/shell/shell.h"
#include "imgui.h"
#include "imgui_internal.h"

namespace headlight::window::lesson_side {

using lessons::Lesson;
using lessons::Player;
using lessons::Recorder;
using lessons::Step;
using namespace lessons;
using namespace ui;

namespace {

using figures::Font;
using ui::Look;

constexpr float kLeast = 340, kMost = 420;  // width of the column
constexpr float kInspectorLeast = 200;
constexpr float kBothLeast = 900, kBothPresented = 720;  // width with room for the column and a view
constexpr float kShort = 360;                            // a column lower than this leaves out the line above the title

// Draws only the words, over an item that is already there.
void paint(const Look& look, const Prose& prose, ImVec2 at) {
  for (const auto& item : prose.figure.items)
    if (const auto* text = std::get_if<figures::Text>(&item))
      look.figures.text(*ImGui::GetWindowDrawList(),
                        {at.x + text->at.x * look.scale,
                         std::round(at.y + text->at.y * look.scale - line_height(look, text->size, text->font) / 2)},
                        text->text, text->size, text->font, text->color);
}

// --- the parts of the column ---

void draw_header(Shell& shell, const Look& look) {
  Player& player = shell.player();
  const Lesson& lesson = *player.lesson();
  const float close = look.px(28), width = ImGui::GetContentRegionAvail().x;
  const ImVec2 start = ImGui::GetCursorPos();
  const auto& all = player.list();
  const auto at = std::find_if(all.begin(), all.end(), [&](const auto& l) { return l->id == lesson.id; });
  std::string quiet = at == all.end()
                          ? std::string(tr("Lesson"))
                          : fill(tr("Lesson {0} of {1}"), {std::to_string(at - all.begin() + 1), std::to_string(all.size())});
  quiet += " · " + fill(tr("{} minutes"), {std::to_string(lesson.minutes)});
  // The column's height, with that of its buttons.
  const float column = ImGui::GetWindowHeight() + look.px(footer_height(shell)) + 2 * ImGui::GetStyle().WindowPadding.y;
  const bool low = column < look.px(kShort);
  if (!low) ui::words(look, quiet, look.theme.secondary);
  ImGui::SetCursorPos({start.x + width - close, start.y - look.px(4)});
  if (ui::button(look, "×##close lesson", close, 28)) {
    player.stop(shell);
    return;
  }
  ui::tooltip(look, tr("Close the lesson: the sentence and settings you had before it come back"));
  ImGui::SetCursorPos({start.x, start.y + look.px(low ? 0 : 22)});
  const std::string title = in_language(lesson.title, player.language(shell));
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  // A long title is drawn a little smaller before it is shortened.
  const float title_room = width - (low ? close + look.px(4) : 0.0f);
  float size = ui::kHeading + 1;
  while (size > ui::kBody && look.figures.width(title, size, Font::words_bold) * look.scale > title_room) size -= 1;
  look.figures.text(*ImGui::GetWindowDrawList(), corner, title, size, Font::words_bold, look.theme.text, title_room + 1);
  ImGui::Dummy({width, look.px(26)});
}

// One bar per step; a click goes to the step.
void draw_progress(Shell& shell, const Look& look) {
  Player& player = shell.player();
  const auto count = static_cast<std::int64_t>(player.lesson()->steps.size());
  const float width = ImGui::GetContentRegionAvail().x, gap = look.px(4), high = look.px(18);
  const float one = (width - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (std::int64_t i = 0; i < count; ++i) {
    const float x = low.x + static_cast<float>(i) * (one + gap);
    ImGui::SetCursorScreenPos({x, low.y});
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::InvisibleButton("step", {std::max(1.0f, one), high}, ImGuiButtonFlags_EnableNav)) player.go(shell, i);
    const bool hot = ImGui::IsItemHovered() || ImGui::IsItemFocused();
    ui::tooltip(look, fill(tr("Step {0} of {1}"), {std::to_string(i + 1), std::to_string(count)}));
    ImGui::PopID();
    const figures::Color color = i == player.step()  ? look.theme.selected
                                 : hot               ? look.theme.text
                                 : i < player.step() ? look.theme.secondary
                                                     : look.theme.line;
    list.AddRectFilled({x, low.y + look.px(7)}, {x + one, low.y + look.px(11)}, gl::packed(color), look.px(2));
  }
  ImGui::SetCursorScreenPos({low.x, low.y + high});
}

// A choice as a button as high as its text. True if chosen.
bool draw_choice(Shell& shell, const Look& look, const Step& step, std::int64_t index, const std::string& text) {
  const Player& player = shell.player();
  const std::int64_t answered = player.answered(), right = step.question->answer;
  const bool chosen = answered == index, revealed = answered >= 0 && index == right;
  const figures::Color edge = revealed ? look.theme.good : chosen ? look.theme.wrong : look.theme.line;
  const float inner = std::floor(ImGui::GetContentRegionAvail().x / look.scale) - 52;
  const auto shown = written(shell, look, step, text, inner, kQuestion, look.theme.text, "text");
  if (!shown) return false;
  const float height = look.px(shown->prose.figure.height + 14);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const ImVec2 high(low.x + ImGui::GetContentRegionAvail().x, low.y + height);
  ImGui::PushID(static_cast<int>(index));
  const bool clicked = ImGui::InvisibleButton("choice", {high.x - low.x, height}, ImGuiButtonFlags_EnableNav);
  const bool hot = ImGui::IsItemHovered() || ImGui::IsItemFocused();
  ui::tooltip(look, answered < 0 ? tr("Choose this answer; the keys 1, 2, 3 do the same") : "");
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(low, high, gl::packed(hot ? look.theme.line : look.theme.raised), look.px(8));
  if (revealed || chosen) list.AddRectFilled(low, high, gl::packed(edge, 0.12f), look.px(8));
  list.AddRect(low, high, gl::packed(edge), look.px(8), 0, std::max(1.0f, std::floor(look.scale * (revealed || chosen ? 2 : 1))));
  const std::string mark = revealed ? "✓" : chosen ? "✗" : std::to_string(index + 1);
  look.figures.text(list,
                    {low.x + look.px(14), std::round((low.y + high.y - line_height(look, kQuestion, Font::words_bold)) / 2)},
                    mark, kQuestion, Font::words_bold, revealed || chosen ? edge : look.theme.secondary);
  paint(look, shown->prose, {low.x + look.px(38), low.y + look.px(7)});
  ImGui::PopID();
  ImGui::Dummy({0, look.px(2)});
  return clicked;
}

void draw_question(Shell& shell, const Look& look, const Step& step) {
  Player& player = shell.player();
  const Question& question = *step.question;
  const std::string& language = player.language(shell);
  ImGui::Dummy({0, look.px(10)});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine(at, {at.x + ImGui::GetContentRegionAvail().x, at.y}, gl::packed(look.theme.line));
  ImGui::Dummy({0, look.px(8)});
  draw_text(shell, look, step, "**" + in_language(question.text, language) + "**", "question", kText, look.theme.text, "text");
  ImGui::Dummy({0, look.px(6)});
  for (std::size_t i = 0; i < question.choices.size(); ++i)
    if (draw_choice(shell, look, step, static_cast<std::int64_t>(i), in_language(question.choices[i], language)))
      player.answer(static_cast<std::int64_t>(i));
  if (player.answered() < 0) return;
  const bool right = player.answered() == question.answer;
  ImGui::Dummy({0, look.px(2)});
  ui::words(look, right ? tr("Right.") : tr("Not this one."), right ? look.theme.good : look.theme.wrong, ui::kBody);
  draw_text(shell, look, step, in_language(question.why, language), "why", kQuestion, look.theme.text, "text");
}

// The next step; after the last one the next lesson, after the last lesson the person's own work again.
void go_on(Shell& shell) {
  Player& player = shell.player();
  if (player.step() + 1 < static_cast<std::int64_t>(player.lesson()->steps.size()))
    player.next(shell);
  else if (auto following = player.following())
    player.play(shell, std::move(following));
  else
    player.stop(shell);
}

constexpr float kFooterButton = 36, kReturnButton = 34;

void draw_steps(Shell& shell, const Look& look) {
  Player& player = shell.player();
  const bool away = player.away(shell);
  const float gap = look.px(8), bottom = ImGui::GetCursorPosY() + ImGui::GetContentRegionAvail().y;
  float width = ImGui::GetContentRegionAvail().x;
  const bool exercise = player.current()->exercise.has_value();
  if (away) {
    const char* const label = exercise ? tr("Begin again") : tr("Back to the lesson");
    if (ui::button(look, (std::string(label) + "##return").c_str(), width, kReturnButton, !exercise)) player.come_back(shell);
    ui::tooltip(
        look, exercise
                  ? tr("Brings the exercise's sentence and view back")
                  : tr("You are playing freely: the numbers follow what you do. This brings the step's sentence and view back."));
  }
  ImGui::SetCursorPosY(bottom - look.px(kFooterButton));
  if (takes_turns(shell, (ImGui::GetMainViewport()->Size.x - shell.ui.rail) / look.scale)) {
    const float third = std::floor((width - 2 * gap) / 3);
    if (ui::button(look, (std::string(tr("See the view")) + "##lesson view").c_str(), third, kFooterButton))
      shell.ui.lesson_turn.reading = false;
    shell.name_part("lesson:view");
    ui::tooltip(look, tr("Shows the view that this step speaks of; the button beside the tokens brings the lesson back"));
    ImGui::SameLine(0, gap);
    width -= third + gap;
  }
  const auto count = static_cast<std::int64_t>(player.lesson()->steps.size());
  const bool last = player.step() + 1 >= count;
  const float one = (width - gap) * 0.4f;
  if (ui::button(look, (std::string(tr("Back")) + "##lesson").c_str(), one, kFooterButton, false, player.step() > 0))
    player.back(shell);
  ui::tooltip(look, tr("The step before (Shift+Space)"));
  ImGui::SameLine(0, gap);
  const auto following = last ? player.following() : nullptr;
  const char* label = !last ? tr("Next") : following ? tr("Next lesson") : tr("Finish");
  (void)shell.takes_focus("lesson");
  if (ui::button(look, (std::string(label) + "##lesson next").c_str(), width - gap - one, kFooterButton, exercise || !away)) {
    go_on(shell);
    return;
  }
  shell.name_part("lesson:next");
  ui::tooltip(look, !last       ? tr("The next step (Space)")
                    : following ? in_language(following->title, player.language(shell))
                                : tr("Close the lesson: the sentence and settings you had before it come back"));
}

// If there is more below the edge, the text fades there over an arrow.
void draw_more_below(const Look& look) {
  if (ImGui::GetScrollMaxY() - ImGui::GetScrollY() < look.px(8)) return;
  const ImVec2 low = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float right = low.x + size.x - ImGui::GetStyle().ScrollbarSize, bottom = low.y + size.y, top = bottom - look.px(34);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImU32 clear = gl::packed(look.theme.panel, 0), full = gl::packed(look.theme.panel);
  list.AddRectFilledMultiColor({low.x, top}, {right, bottom}, clear, clear, full, full);
  const float x = std::round((low.x + right) / 2), y = bottom - look.px(9), r = look.px(7);
  const ImVec2 arrow[] = {{x - r, y - r / 2}, {x, y + r / 2}, {x + r, y - r / 2}};
  list.AddPolyline(arrow, 3, gl::packed(look.theme.selected), 0, 2 * look.scale);
}

// On which model the lesson is played, where it is written for another one that is here.
void draw_models(Shell& shell, const Look& look) {
  const Lesson& lesson = *shell.player().lesson();
  std::vector<std::string> models = {{}};
  for (const std::string& name : lesson.also)
    if (std::error_code none; std::filesystem::is_directory(models_path() / name, none)) models.push_back(name);
  if (models.size() < 2) return;
  std::vector<const char*> labels, why;
  for (const std::string& name : models) {
    labels.push_back(name.empty() ? tr("small model") : name.c_str());
    why.push_back(name.empty() ? tr("The small model that this lesson was written for")
                               : tr("The same steps in a language model that others trained: its numbers stand in the text"));
  }
  const std::string shown = shell.ui.lesson_model.empty() ? lesson.model : shell.ui.lesson_model;
  const auto at = static_cast<int>(std::find(models.begin(), models.end(), shown) - models.begin());
  const int chosen = ui::segmented(look, "lesson model", labels.data(), static_cast<int>(labels.size()), at, why.data());
  shell.name_part("lesson:model");
  ImGui::Dummy({0, look.px(2)});
  if (chosen < 0 || chosen == at) return;
  const std::string& model = models[static_cast<std::size_t>(chosen)];
  shell.models().forget_opening();
  shell.ui.lesson_model.clear();
  if (model.empty()) {
    if (const Status status = shell.player().play_on(shell, model); !status.ok()) shell.say(spoken(status.error()), true);
    return;
  }
  shell.ui.lesson_model = model;  // it goes on when the model is open
  shell.models().open(model);
}

void draw_player(Shell& shell, const Look& look) {
  Player& player = shell.player();
  draw_header(shell, look);
  if (!player.active()) return;
  draw_models(shell, look);
  draw_progress(shell, look);
  const float height = std::max(look.px(60), ImGui::GetContentRegionAvail().y);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (ImGui::BeginChild(("step " + player.lesson()->id + std::to_string(player.step())).c_str(), {0, height},
                        ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoBackground)) {
    const Step& step = *player.current();
    ImGui::Dummy({0, look.px(2)});
    draw_text(shell, look, step, in_language(step.text, player.language(shell)), "text", kText, look.theme.text, "text");
    if (step.question) draw_question(shell, look, step);
    if (step.exercise) draw_exercise(shell, look, step);
    draw_more_below(look);
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace

float footer_height(Shell& shell) {
  if (!shell.player().active()) return 0;
  return shell.player().away(shell) ? kReturnButton + 8 + kFooterButton : kFooterButton;
}

void draw_footer(Shell& shell, const Look& look) {
  shell.player().focused |= ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
  draw_steps(shell, look);
}

bool has_column(Shell& shell) { return shell.player().active() || shell.recorder().active(); }

bool takes_turns(Shell& shell, float room) {
  return shell.player().active() && room < (shell.view().presentation ? kBothPresented : kBothLeast);
}

bool is_reading(Shell& shell, float room) {
  auto& turn = shell.ui.lesson_turn;
  if (!takes_turns(shell, room)) {
    turn = {};
    return false;
  }
  const Player& player = shell.player();
  const std::string& tab = shell.view().tab;
  if (turn.lesson != player.lesson()->id || turn.step != player.step())
    turn = {player.lesson()->id, tab, player.step(), true};
  else if (turn.tab != tab)
    turn.reading = false;
  turn.tab = tab;
  return turn.reading;
}

float draw_lesson_button(Shell& shell, const Look& look, float right, bool draw) {
  const Player& player = shell.player();
  const std::string place = std::to_string(player.step() + 1) + "/" + std::to_string(player.lesson()->steps.size());
  const float wide = ui::pill_width(look, tr("Lesson"), place);
  if (draw) {
    ImGui::SetCursorPosX(right - wide);
    if (ui::pill(look, "read lesson", tr("Lesson"), place, wide, false)) shell.ui.lesson_turn.reading = true;
    shell.name_part("lesson:read");
    ui::tooltip(look, tr("Back to what the lesson says of this step"));
  }
  return wide + look.px(8);
}

float column_width(float room) { return std::clamp(room * 0.29f, kLeast, kMost); }

float column_height(Shell& shell, float room, bool can_inspect) {
  if (!can_inspect || !shell.player().active()) return room;
  const Step* step = shell.player().current();
  const bool wanted = step && std::any_of(step->highlight.begin(), step->highlight.end(),
                                          [](const std::string& part) { return part.starts_with("inspector"); });
  if (room >= 700) return std::round(room * 0.56f);
  if (wanted) return std::round(std::max(room * 0.5f, room - kInspectorLeast));
  return room;
}

void draw_column(Shell& shell, const Look& look) {
  Player& player = shell.player();
  if (player.take_focus) {
    player.take_focus = false;
    shell.ui.focus_sentence = false;
    ImGui::ClearActiveID();
    ImGui::SetWindowFocus();
  }
  if (player.active())
    draw_player(shell, look);
  else if (shell.recorder().active())
    draw_recorder(shell, look);
  player.focused = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows);
}

void draw_rings(Shell& shell, const Look& look) {
  Player& player = shell.player();
  const Step* step = player.current();
  if (!step) return;
  const double now = steady_seconds();
  const bool still = shell.configuration().reduce_motion;
  constexpr double kIn = 0.2;
  const float t = still ? 1.0f : static_cast<float>(std::clamp((now - player.began_at) / kIn, 0.0, 1.0));
  const float ease = 1 - (1 - t) * (1 - t) * (1 - t);
  if (t < 1) shell.frame_in(0);
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->Pos);
  ImGui::SetNextWindowSize(viewport->Size);
  // A window of its own, so that rings are above the panels' windows and below popups and tooltips.
  if (ImGui::Begin("lesson rings", nullptr,
                   ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoBackground |
                       ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav)) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (const std::string& id : step->highlight) {
      const auto at = shell.parts.places.find(id);
      if (at == shell.parts.places.end()) continue;
      views::Parts::Place place = at->second;
      // Of a part in a scrolling view only the visible piece gets a ring.
      const std::size_t colon = id.find(':');
      const auto view = shell.parts.places.find("main");
      if (colon != std::string::npos && view != shell.parts.places.end() && views::registry().find(id.substr(0, colon))) {
        place.x0 = std::max(place.x0, view->second.x0 + look.px(4));
        place.y0 = std::max(place.y0, view->second.y0 + look.px(4));
        place.x1 = std::min(place.x1, view->second.x1 - look.px(4));
        place.y1 = std::min(place.y1, view->second.y1 - look.px(4));
        if (place.x1 - place.x0 < look.px(8) || place.y1 - place.y0 < look.px(8)) continue;
      }
      const float out = look.px(3) + look.px(14) * (1 - ease);
      list.AddRect({std::max(viewport->Pos.x + 2, place.x0 - out), std::max(viewport->Pos.y + 2, place.y0 - out)},
                   {std::min(viewport->Pos.x + viewport->Size.x - 2, place.x1 + out),
                    std::min(viewport->Pos.y + viewport->Size.y - 2, place.y1 + out)},
                   gl::packed(look.theme.selected, 0.25f + 0.75f * ease), look.px(9), 0,
                   std::max(2.0f, std::round(2.5f * look.scale)));
    }
  }
  ImGui::End();
}

void draw_menu(Shell& shell, const Look& look) {
  Player& player = shell.player();
  ui::words(look, tr("Lessons"), look.theme.text, ui::kHeading);
  ui::words(look, tr("A few minutes each. Change anything at any step; the lesson brings its own state back."),
            look.theme.secondary);
  ImGui::Dummy({0, look.px(2)});
  std::int64_t number = 0;
  const auto lessons = player.list();
  for (const auto& lesson : lessons) {
    ++number;
    const bool current = player.lesson() && player.lesson()->id == lesson->id;
    ImGui::PushID(lesson->id.c_str());
    const bool chosen = ImGui::Selectable("##lesson", current, 0, {look.px(360), look.px(30)});
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float y = std::round((low.y + high.y - line_height(look, ui::kBody, Font::words)) / 2);
    const std::string minutes = fill(tr("{} min"), {std::to_string(lesson->minutes)});
    const float wide = look.figures.width(minutes, ui::kSmall, Font::words) * look.scale;
    look.figures.text(list, {low.x + look.px(8), y}, std::to_string(number), ui::kBody, Font::words, look.theme.secondary);
    look.figures.text(list, {low.x + look.px(36), y}, in_language(lesson->title, player.language(shell)), ui::kBody, Font::words,
                      current ? look.theme.selected : look.theme.text, look.px(360) - look.px(52) - wide);
    look.figures.text(list, {high.x - look.px(8) - wide, y + look.px(1)}, minutes, ui::kSmall, Font::words, look.theme.secondary);
    ui::tooltip(look, lesson->own ? tr("A lesson of your own") : tr("Play this lesson"));
    ImGui::PopID();
    if (chosen) player.play(shell, lesson);
  }
  ImGui::Separator();
  if (ui::button(look, (std::string(tr("Write a lesson")) + "##recorder").c_str(), 0, 32)) {
    shell.recorder().open(shell);
    ImGui::CloseCurrentPopup();
  }
  ui::tooltip(look, tr("Record what the window shows, step by step, with your own words"));
  ImGui::SameLine(0, look.px(8));
  if (ui::button(look, (std::string(tr("Open a lesson…")) + "##lesson file").c_str(), 0, 32)) {
    ImGui::CloseCurrentPopup();
    shell.files.ask({FileDialog::Mode::open_file,
                     tr("Open a lesson"),
                     {".json"},
                     own_folder(),
                     {},
                     [&shell](const std::filesystem::path& path) -> Status {
                       HL_ASSIGN(Lesson lesson, load_lesson(path));
                       shell.player().play(shell, std::make_shared<const Lesson>(std::move(lesson)));
                       return {};
                     }});
  }
  ui::tooltip(look, tr("Play a lesson that somebody gave you"));
  for (const Error& error : player.errors()) ui::words(look, spoken(error), look.theme.wrong);
}

void handle_keys(Shell& shell) {
  Player& player = shell.player();
  if (!player.active()) return;
  const ImGuiIO& io = ImGui::GetIO();
  if (io.WantTextInput || io.KeyCtrl || io.KeyAlt || GImGui->OpenPopupStack.Size > 0) return;
  const views::View* const entry = views::registry().find(shell.view().tab);
  // A view may have its own use of Space; elsewhere a button with visible keyboard focus handles it.
  if (!player.focused && ((entry && entry->uses_space) || io.NavVisible)) return;
  ui::take_key(ImGuiKey_Space, "lesson keys");
  const auto pressed = [](ImGuiKey key) {
    if (!ImGui::IsKeyPressed(key, false)) return false;
    ImGuiKeyData* data = ImGui::GetKeyData(key);  // consumed: no panel may use it, too
    data->Down = false;
    data->DownDuration = -1;
    return true;
  };
  const bool shift = io.KeyShift;
  if (pressed(ImGuiKey_Space)) {
    if (shift)
      player.back(shell);
    else
      go_on(shell);
  }
  if (!player.active() || !player.focused || !player.current()->question) return;
  for (int i = 0; i < 9; ++i)
    if (pressed(static_cast<ImGuiKey>(ImGuiKey_1 + i)) || pressed(static_cast<ImGuiKey>(ImGuiKey_Keypad1 + i))) player.answer(i);
}

}  // namespace headlight::window::lesson_side
