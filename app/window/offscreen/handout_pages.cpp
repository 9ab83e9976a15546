#include <algorithm>

#include "app/export/figure_file.h"
#include "app/export/figure_text.h"
#include "app/export/pager.h"
#include "app/figures/base/compose.h"
#include "app/lessons/prose.h"
#include "app/text/language.h"
#include "app/window/offscreen/handout_writers.h"

namespace headlight::window {
namespace {

using figures::Font;
using figures::Pager;

constexpr float kWords = 14, kIndent = 22, kPictureMost = 330;
constexpr float kGoal = 36;  // a goal's line of numbers, and the gaps around it

class Pages {
 public:
  explicit Pages(const figures::Theme& theme) : theme_(theme), pager_(theme, measure_) {}

  void step(const HandoutStep& step, std::size_t number) {
    const figures::Figure picture = scaled(step.picture);
    // A step's picture stays with its text, and an exercise's goals with both, where they fit on a page.
    float high = height(step.text, Pager::kInner) + picture.height + 20;
    for (const HandoutStep::Goal& goal : step.goals) high += height(goal.what, Pager::kInner - kIndent) + kGoal;
    pager_.heading(std::to_string(number), std::min(high, 900.0f));
    words(step.text);
    if (!picture.items.empty()) {
      pager_.skip(10);
      pager_.figure(picture);
    }
    if (!step.question.empty()) {
      pager_.skip(10);
      words(step.question);
      for (std::size_t i = 0; i < step.choices.size(); ++i) {
        LessonText choice = step.choices[i];
        choice.insert(choice.begin(), plain(std::to_string(i + 1) + ". "));
        words(choice, kIndent);
      }
    }
    for (const HandoutStep::Goal& goal : step.goals) {
      pager_.skip(6);
      words(goal.what, kIndent);
      pager_.words(goal.value + "   " + goal.wanted, kWords - 1, Font::mono, theme_.secondary, kIndent);
    }
  }

  void answers(const Handout& handout) {
    bool begun = false;
    for (std::size_t i = 0; i < handout.steps.size(); ++i) {
      const HandoutStep& step = handout.steps[i];
      if (step.question.empty() && step.goals.empty()) continue;
      if (!begun) {
        pager_.new_page();
        pager_.heading(tr("Answers"));
      }
      begun = true;
      if (!step.question.empty()) answer(std::to_string(i + 1) + ": " + std::to_string(step.answer + 1), step.why);
      if (step.goals.empty()) continue;
      answer(std::to_string(i + 1), step.solution);
      for (const HandoutStep::Goal& goal : step.goals) {
        words(goal.what, kIndent);
        pager_.words(goal.value + " → " + goal.solved + "   " + goal.wanted, kWords - 1, Font::mono, theme_.secondary, kIndent);
      }
    }
  }

  Pager& pager() { return pager_; }
  std::vector<figures::Figure> finish(const std::string& title) { return pager_.finish(title); }

 private:
  static lessons::Run plain(const std::string& text) {
    lessons::Run run;
    run.text = text;
    return run;
  }
  figures::Figure figure_of(const LessonText& text, float width) const {
    return lessons::prose(text, width, kWords, theme_.text, theme_, measure_).figure;
  }
  float height(const LessonText& text, float width) const { return figure_of(text, width).height; }
  void words(const LessonText& text, float indent = 0) {
    figures::Figure figure = figure_of(text, Pager::kInner - indent);
    figures::move(figure, indent, 0);
    pager_.figure(std::move(figure));
    pager_.skip(4);
  }
  void answer(const std::string& name, const LessonText& why) {
    pager_.skip(8);
    pager_.words(name, kWords, Font::words_bold, theme_.text);
    words(why);
  }
  // The picture as wide as the page, and no higher than half of one.
  static figures::Figure scaled(figures::Figure picture) {
    if (picture.items.empty() || picture.width <= 0 || picture.height <= 0) return {};
    picture.background.a = 0;
    return figures::scaled(picture, std::min({1.0f, Pager::kInner / picture.width, kPictureMost / picture.height}));
  }

  const figures::Theme& theme_;
  figures::FigureText measure_;
  Pager pager_;
};

}  // namespace

Result<std::string> handout_as_pages(const Handout& handout, const figures::Theme& theme) {
  Pages pages(theme);
  pages.pager().words(handout.title, 22, Font::words_bold, theme.text);
  pages.pager().words(fill(tr("a lesson of {} steps; numbers in blue are computed"), {std::to_string(handout.steps.size())}), 13,
                      Font::words, theme.secondary);
  for (std::size_t i = 0; i < handout.steps.size(); ++i) pages.step(handout.steps[i], i + 1);
  pages.answers(handout);
  return figures::encode_pages(pages.finish(handout.title + " · " + fill(tr("made with Headlight {}"), {handout.version})), theme,
                               {});
}

}  // namespace headlight::window
