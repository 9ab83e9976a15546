#include "app/window/offscreen/handout.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "app/export/figure_text.h"
#include "app/export/svg_writer.h"
#include "app/figures/tokens/training_step.h"
#include "app/gl/figure_view.h"
#include "app/lessons/compared_runs.h"
#include "app/lessons/lesson.h"
#include "app/lessons/places.h"
#include "app/panels/shared/panel.h"
#include "app/panels/tokens/training_film.h"
#include "app/text/language.h"
#include "app/window/shell/measure.h"
#include "engine/core/files.h"
#include "engine/pipeline/run_anywhere.h"
#include "engine/text/markup.h"

namespace headlight::window {
namespace {

constexpr float kWide = 900, kHigh = 620;  // of a picture, in points

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

// A text of runs as paragraphs. `tag` is that of each.
std::string paragraphs(const std::vector<lessons::Run>& runs, const std::string& tag) {
  std::string html, open;
  for (const lessons::Run& run : runs) {
    if (run.text == "\n") {
      if (!open.empty()) html += "<" + tag + ">" + open + "</" + tag + ">\n";
      open.clear();
      continue;
    }
    const std::string text = text::escaped_markup(run.text);
    open += run.live   ? "<b class=\"live\">" + text + "</b>"
            : run.mono ? "<code>" + text + "</code>"
            : run.bold ? "<b>" + text + "</b>"
                       : text;
  }
  if (!open.empty()) html += "<" + tag + ">" + open + "</" + tag + ">\n";
  return html;
}

// An SVG as a part of a page: without its first line, and with ids that no other picture of the page has.
std::string svg_inside(const std::string& svg, const std::string& prefix) {
  std::string out;
  const std::size_t begin = std::min(svg.find("<svg"), svg.size());
  for (std::size_t at = begin; at < svg.size();) {
    bool named = false;
    for (const std::string_view mark : {" id=\"", "url(#"})
      if (svg.compare(at, mark.size(), mark) == 0) {
        out += mark;
        out += prefix;
        at += mark.size();
        named = true;
        break;
      }
    if (!named) out += svg[at++];
  }
  return out;
}

// What a lesson's steps are played with, kept from one step to the next.
class Playing {
 public:
  Playing(const lessons::Lesson& lesson, const cli::HandoutOptions& options, const figures::Theme& theme)
      : lesson_(lesson), options_(options), theme_(theme) {}

  // The step's text and picture; questions too, and their answers into `answers`.
  Result<std::string> play(std::size_t number, std::string& answers) {
    const lessons::Step& step = lesson_.steps[number];
    HL_ASSIGN(const std::shared_ptr<const Trace> trace, run_anywhere(step.document, options_.cancel));
    ViewState view = step.view;
    view.theme = theme_.id;
    fit(view, *trace);
    if (step.training) HL_TRY(train(*step.training));
    if (asks_isdpa(step) && !isdpa_) isdpa_ = isdpa_ratio(options_.cancel);
    const lessons::Source source{trace,  view,       trainer_.result(),
                                 isdpa_, step.names, lessons::compared_runs(derived_, trace, step)};
    const auto say = [&](const lessons::Texts& text, const char* tag) {
      return paragraphs(lessons::fill_places(lessons::in_language(text, options_.language), source), tag);
    };
    const std::string name = std::to_string(number + 1);
    std::string html = "<section>\n<h2>" + name + "</h2>\n" + say(step.text, "p");
    HL_ASSIGN(const std::string picture, drawn(step, trace, view, name));
    html += picture;
    if (step.question) {
      html += "<div class=\"question\">\n" + say(step.question->text, "p") + "<ol>\n";
      for (const lessons::Texts& choice : step.question->choices) html += say(choice, "li");
      html += "</ol>\n</div>\n";
      answers += "<h3>" + name + ": " + std::to_string(step.question->answer + 1) + "</h3>\n" + say(step.question->why, "p");
    }
    return html + "</section>\n";
  }

 private:
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

  Result<std::string> drawn(const lessons::Step& step, const std::shared_ptr<const Trace>& trace, ViewState& view,
                            const std::string& name) {
    const panels::Entry* entry = panels::registry().find(view.tab);
    if (!entry || !entry->figure) return std::string();
    panels::Hover hover;
    panels::Context context{step.document, trace, false,   nullptr,  view,     hover, theme_,
                            fonts_,        1,     screen_, measure_, derived_, false};
    context.transient = &transient_;
    context.trainer = &trainer_;
    context.still = true;
    figures::Figure figure =
        step.training && trainer_.result()
            ? figures::training_step(panels::training_input(*trainer_.result(), step.training->step), kWide, theme_, measure_)
            : entry->figure(context, kWide, kHigh);
    if (figure.items.empty()) return std::string();
    if (figure.background.a <= 0) figure.background = theme_.background;
    HL_ASSIGN(const std::string svg, figures::svg_of(figure, theme_, {}));
    return "<figure role=\"img\" aria-label=\"" + text::escaped_markup(figure.title) + "\">" + svg_inside(svg, "s" + name + "-") +
           "</figure>\n";
  }

  const lessons::Lesson& lesson_;
  const cli::HandoutOptions& options_;
  const figures::Theme& theme_;
  figures::FigureText measure_;
  gl::FigureView screen_;  // draws nothing
  const gl::Fonts fonts_;
  Derived derived_;  // without a lane it computes everything at once
  Trainer trainer_;
  panels::Transient transient_;
  std::optional<double> isdpa_;
};

constexpr const char* kStyle = R"(
body { margin: 0 auto; padding: 2rem 1.5rem; max-width: 60rem; background: #fbfbfa; color: #14171d; font: 1.06rem/1.55 Inter, system-ui, "Noto Sans", "Noto Sans CJK SC", sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; }
h2 { font-size: 1.06rem; color: #9a5000; margin: 2.2rem 0 .3rem; border-top: 1px solid #d9dce2; padding-top: .8rem; }
h3 { font-size: 1.06rem; margin: 1rem 0 0; }
p { margin: .5rem 0; max-width: 46rem; }
code, .live { font-family: "JetBrains Mono", "DejaVu Sans Mono", monospace; font-size: .94em; }
.live { color: #1a5fd0; font-weight: 500; }
figure { margin: 1rem 0; }
svg { max-width: 100%; height: auto; border: 1px solid #d9dce2; border-radius: 8px; }
.question { border-left: 3px solid #9a5000; padding-left: 1rem; margin: 1rem 0; }
.quiet, footer { color: #4d5563; font-size: .88rem; }
footer { margin-top: 3rem; border-top: 1px solid #d9dce2; padding-top: .6rem; }
@media print { body { max-width: none; padding: 0; } section { break-inside: avoid; } .answers { break-before: page; } }
)";

}  // namespace

Status write_handout(const cli::HandoutOptions& options) {
  HL_ASSIGN(const std::shared_ptr<const lessons::Lesson> lesson, find_lesson(options.lesson));
  const figures::Theme& theme = *figures::themes().find("light");
  Playing playing(*lesson, options, theme);
  std::string body, answers;
  for (std::size_t i = 0; i < lesson->steps.size(); ++i) {
    if (options.cancel.cancelled()) return cancelled();
    HL_ASSIGN(const std::string step, playing.play(i, answers));
    body += step;
  }
  const std::string title = text::escaped_markup(lessons::in_language(lesson->title, options.language));
  std::string html =
      "<!doctype html>\n<html lang=\"" + text::escaped_markup(options.language) +
      "\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" content=\"Headlight " +
      text::escaped_markup(options.version) +
      "\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
      "data:\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      title + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<h1>" + title + "</h1>\n<p class=\"quiet\">" +
      text::escaped_markup(
          fill(tr("a lesson of {} steps; numbers in blue are computed"), {std::to_string(lesson->steps.size())})) +
      "</p>\n" + body;
  if (!answers.empty())
    html += "<section class=\"answers\">\n<h2>" + text::escaped_markup(tr("Answers")) + "</h2>\n" + answers + "</section>\n";
  html +=
      "<footer>" + text::escaped_markup(fill(tr("made with Headlight {}"), {options.version})) + "</footer>\n</body>\n</html>\n";
  return write_file(options.out, html);
}

}  // namespace headlight::window
