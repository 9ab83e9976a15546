#include "app/window/offscreen/handout.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "app/export/figure_file.h"
#include "app/export/figure_text.h"
#include "app/figures/tokens/training_step.h"
#include "app/gl/figure_view.h"
#include "app/lessons/compared_runs.h"
#include "app/lessons/exercise.h"
#include "app/lessons/lesson.h"
#include "app/lessons/places.h"
#include "app/views/base/context.h"
#include "app/views/base/training_film.h"
#include "app/views/base/view.h"
#include "app/window/offscreen/handout_writers.h"
#include "app/window/shell/measure.h"
#include "engine/core/files.h"
#include "engine/pipeline/run_anywhere.h"

namespace headlight::window {
namespace {

constexpr float kPictureWide = 900, kPictureHigh = 620;  // of a picture, in points

Result<std::shared_ptr<const lessons::Lesson>> find_lesson(const std::string& name) {
  std::string known;
  for (const auto& lesson : lessons::all().lessons) {
    if (lesson->id == name) return lesson;
    known += (known.empty() ? "" : ", ") + lesson->id;
  }
  std::error_code ignored;
  if (std::filesystem::is_regular_file(name, ignored)) {
    HL_ASSIGN(lessons::Lesson own, lessons::load_lesson(name));
    return std::make_shared<const lessons::Lesson>(std::move(own));
  }
  return not_found("there is no lesson '{}'", name).at("--lesson").mend("use one of {}, or a lesson's file", known);
}

// What a lesson's steps are played with, kept from one step to the next.
class Playing {
 public:
  Playing(const lessons::Lesson& lesson, const cli::HandoutOptions& options, const figures::Theme& theme)
      : lesson_(lesson), options_(options), theme_(theme) {}

  // The step's text, picture, question and exercise, and the answers to both.
  Result<HandoutStep> play(std::size_t number) {
    const lessons::Step& step = lesson_.steps[number];
    HL_ASSIGN(const Computed now, computed(step));
    HandoutStep out;
    out.text = say(step.text, step, now);
    HL_ASSIGN(out.picture, drawn(step, now));
    if (step.question) {
      out.question = say(step.question->text, step, now);
      for (const lessons::Texts& choice : step.question->choices) out.choices.push_back(say(choice, step, now));
      out.answer = step.question->answer;
      out.why = say(step.question->why, step, now);
    }
    if (!step.exercise) return out;
    const lessons::Step solved = lessons::solved_step(step);
    const std::vector<lessons::Nearness> before = lessons::nearness(*step.exercise, source(step, now));
    HL_ASSIGN(const Computed then, computed(solved));
    const std::vector<lessons::Nearness> after = lessons::nearness(*step.exercise, source(solved, then));
    for (std::size_t i = 0; i < before.size(); ++i)
      out.goals.push_back({say(step.exercise->goal[i].what, step, now), before[i].value, before[i].wanted, after[i].value});
    out.solution = say(solved.text, solved, then);
    return out;
  }

 private:
  struct Computed {
    std::shared_ptr<const Trace> trace;
    ViewState view;
  };
  Result<Computed> computed(const lessons::Step& step) {
    Computed made;
    HL_ASSIGN(made.trace, run_anywhere(step.document, options_.cancel));
    made.view = step.view;
    made.view.theme = theme_.id;
    fit(made.view, *made.trace);
    if (step.training) HL_TRY(train(*step.training));
    if (asks_isdpa(step) && !isdpa_) isdpa_ = isdpa_ratio(options_.cancel);
    return made;
  }
  lessons::Source source(const lessons::Step& step, const Computed& now) {
    return {now.trace, now.view, trainer_.result(), isdpa_, step.names, lessons::compared_runs(derived_, now.trace, step)};
  }
  std::vector<lessons::Run> say(const lessons::Texts& text, const lessons::Step& step, const Computed& now) {
    return lessons::fill_places(lessons::in_language(text, options_.language), source(step, now));
  }

  Status train(const lessons::FilmAt& film) {
    TrainingRequest wanted;
    wanted.corpus = film.corpus == "sample" ? TrainingRequest::Corpus::sample : TrainingRequest::Corpus::lecture;
    wanted.kind = film.kind;
    wanted.vocabulary_size = film.vocabulary;
    if (!trainer_.result() || !(trainer_.result()->request == wanted)) {
      trainer_.request = wanted;
      trainer_.start();  // without a lane it is done when start() returns
      if (trainer_.error()) return *trainer_.error();
      trainer_.tick(0);
    }
    trainer_.go_to(film.step);
    return {};
  }

  bool asks_isdpa(const lessons::Step& step) const {
    return lessons::in_language(step.text, options_.language).find("{isdpa") != std::string::npos;
  }

  // A figure without items where the view has no picture.
  Result<figures::Figure> drawn(const lessons::Step& step, const Computed& now) {
    ViewState view = now.view;
    const views::View* entry = views::registry().find(view.tab);
    if (!entry) return figures::Figure();
    views::Hover hover;
    views::Context context{.document = step.document,
                           .trace = now.trace,
                           .view = view,
                           .hover = hover,
                           .theme = theme_,
                           .fonts = fonts_,
                           .figures = screen_,
                           .measure = measure_,
                           .derived = derived_,
                           .has_gl = false,
                           .transient = &transient_};
    context.job = [this](std::string_view name) {
      return name == views::view_that(views::Offers::tokenizer_training).id ? &trainer_ : nullptr;
    };
    context.still = true;
    figures::Figure figure = step.training && trainer_.result()
                                 ? figures::training_step(views::training_input(*trainer_.result(), step.training->step),
                                                          kPictureWide, theme_, measure_)
                                 : views::figure_of_view(context, *entry, kPictureWide, kPictureHigh);
    if (figure.background.a <= 0) figure.background = theme_.background;
    return figure;
  }

  const lessons::Lesson& lesson_;
  const cli::HandoutOptions& options_;
  const figures::Theme& theme_;
  figures::FigureText measure_;
  gl::FigureView screen_;  // draws nothing
  const gl::Fonts fonts_;
  Derived derived_;  // without a lane it computes everything at once
  Trainer trainer_;
  views::Transient transient_;
  std::optional<double> isdpa_;
};

}  // namespace

Status write_handout(const cli::HandoutOptions& options) {
  HL_ASSIGN(const std::shared_ptr<const lessons::Lesson> lesson, find_lesson(options.lesson));
  const figures::Theme& theme = *figures::themes().find("light");
  Playing playing(*lesson, options, theme);
  Handout handout;
  handout.title = lessons::in_language(lesson->title, options.language);
  handout.language = options.language;
  handout.version = options.version;
  for (std::size_t i = 0; i < lesson->steps.size(); ++i) {
    if (options.cancel.cancelled()) return cancelled();
    HL_ASSIGN(HandoutStep step, playing.play(i));
    handout.steps.push_back(std::move(step));
  }
  HL_ASSIGN(const std::string bytes, figures::file_kind(options.out) == figures::FileKind::pdf ? handout_as_pages(handout, theme)
                                                                                               : handout_as_html(handout, theme));
  return write_file(options.out, bytes);
}

}  // namespace headlight::window
