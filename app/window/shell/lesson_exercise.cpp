// The exercise of a step: how near the shown state is to its goal, and its solution.
#include "app/lessons/exercise.h"

#include <algorithm>
#include <cmath>

#include "app/lessons/player.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/window/shell/lesson_parts.h"
#include "app/window/shell/lesson_side.h"
#include "app/window/shell/shell.h"
#include "imgui.h"

namespace headlight::window::lesson_side {

using figures::Font;
using namespace lessons;
using lessons::Step;
using ui::Look;

namespace {

// How near the shown state is to the exercise's goal: a bar for each condition.
std::shared_ptr<const std::vector<Nearness>> nearness_of(Shell& shell, const Look& look, const Step& step) {
  const Source source = source_of(shell, step);
  std::string conditions;
  for (const Condition& one : step.exercise->goal) conditions += one.that + "\n";
  return shell.derived()
      .now<std::vector<Nearness>>(
          key_of(shell, look, source, conditions, 0, 0, "exercise"),
          [&](const CancelToken&) -> Result<std::vector<Nearness>> { return nearness(*step.exercise, source); })
      .value;
}

void draw_condition(Shell& shell, const Look& look, const Step& step, std::size_t index, const Nearness& now, double begun) {
  const std::string& words = in_language(step.exercise->goal[index].what, shell.player().language(shell));
  const std::string numbers = now.value + "   " + now.wanted;
  const figures::Color color = now.holds ? look.theme.good : look.theme.secondary;
  const float width = ImGui::GetContentRegionAvail().x,
              wide = look.figures.width(numbers, ui::kBody, Font::mono) * look.scale + look.px(28);
  draw_text(shell, look, step, words, ("condition " + std::to_string(index)).c_str(), kQuestion, look.theme.text, "text");
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float line = line_height(look, ui::kBody, Font::mono), y = std::round(low.y + line / 2), high = look.px(4);
  const float bar = std::max(look.px(60), width - wide);
  const auto gone = static_cast<float>(share_of(now, begun));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({low.x, y - high}, {low.x + bar, y + high}, gl::packed(look.theme.line), high);
  if (gone > 0)
    list.AddRectFilled({low.x, y - high}, {low.x + std::max(2 * high, bar * gone), y + high},
                       gl::packed(now.holds ? look.theme.good : look.theme.selected), high);
  look.figures.text(list, {low.x + bar + look.px(10), low.y}, now.holds ? "✓" : " ", ui::kBody, Font::words_bold, color);
  look.figures.text(list, {low.x + bar + look.px(28), low.y}, numbers, ui::kBody, Font::mono, color);
  ImGui::Dummy({width, line});
  ui::tooltip(look, now.why ? tr("This number is not there in what you have made of the step.") : tr("now, and what is wanted"),
              now.why ? spoken(now.why->what) : step.exercise->goal[index].that);
  ImGui::Dummy({0, look.px(4)});
}

}  // namespace

void draw_exercise(Shell& shell, const Look& look, const Step& step) {
  Player& player = shell.player();
  const auto goal = nearness_of(shell, look, step);
  if (!goal) return;
  ImGui::Dummy({0, look.px(10)});
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const std::vector<double> begun = player.begun(shell, *goal);
  for (std::size_t i = 0; i < goal->size(); ++i) draw_condition(shell, look, step, i, (*goal)[i], begun[i]);
  const bool done = solved(*goal);
  ui::words(look, done ? tr("Solved.") : tr("Anything that leads there counts."), done ? look.theme.good : look.theme.secondary,
            ui::kBody);
  shell.parts.add("lesson:goal", top.x, top.y, top.x + ImGui::GetContentRegionAvail().x, ImGui::GetCursorScreenPos().y);
  const bool shown = player.solution_shown(shell);
  if (shown)
    draw_text(shell, look, step, in_language(step.exercise->text, player.language(shell)), "solution", kQuestion, look.theme.text,
              "text");
  ImGui::Dummy({0, look.px(2)});
  if (!shown && ui::button(look, (std::string(tr("Show a solution")) + "##solution").c_str(), 0, 32)) player.show_solution(shell);
  if (!shown) {
    shell.name_part("lesson:solution");
    ui::tooltip(look, tr("Puts one state that reaches the goal into the window; Begin again takes it back"));
  }
}

}  // namespace headlight::window::lesson_side
