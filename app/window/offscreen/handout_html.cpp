#include <algorithm>
#include <string_view>

#include "app/export/svg_writer.h"
#include "app/text/language.h"
#include "app/window/offscreen/handout_writers.h"
#include "engine/text/markup.h"

namespace headlight::window {
namespace {

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
.question, .exercise { border-left: 3px solid #9a5000; padding-left: 1rem; margin: 1rem 0; }
.goal { margin-left: 1.2rem; }
.quiet, footer { color: #4d5563; font-size: .88rem; }
footer { margin-top: 3rem; border-top: 1px solid #d9dce2; padding-top: .6rem; }
@media print { body { max-width: none; padding: 0; } section { break-inside: avoid; } .answers { break-before: page; } }
)";

Result<std::string> picture_html(const figures::Figure& figure, const figures::Theme& theme, const std::string& number) {
  if (figure.items.empty()) return std::string();
  HL_ASSIGN(const std::string svg, figures::svg_of(figure, theme, {}));
  return "<figure role=\"img\" aria-label=\"" + text::escaped_markup(figure.title) + "\">" + svg_inside(svg, "s" + number + "-") +
         "</figure>\n";
}

// The answer to the step's question and the solution of its exercise.
std::string answers_html(const HandoutStep& step, const std::string& number) {
  std::string html;
  if (!step.question.empty())
    html += "<h3>" + number + ": " + std::to_string(step.answer + 1) + "</h3>\n" + paragraphs(step.why, "p");
  if (step.goals.empty()) return html;
  html += "<h3>" + number + "</h3>\n" + paragraphs(step.solution, "p");
  for (const HandoutStep::Goal& goal : step.goals)
    html += "<div class=\"goal\">" + paragraphs(goal.what, "p") + "<p><code>" +
            text::escaped_markup(goal.value + " → " + goal.solved + "   " + goal.wanted) + "</code></p></div>\n";
  return html;
}

Result<std::string> step_html(const HandoutStep& step, const figures::Theme& theme, const std::string& number) {
  std::string html = "<section>\n<h2>" + number + "</h2>\n" + paragraphs(step.text, "p");
  HL_ASSIGN(const std::string picture, picture_html(step.picture, theme, number));
  html += picture;
  if (!step.question.empty()) {
    html += "<div class=\"question\">\n" + paragraphs(step.question, "p") + "<ol>\n";
    for (const LessonText& choice : step.choices) html += paragraphs(choice, "li");
    html += "</ol>\n</div>\n";
  }
  if (!step.goals.empty()) {
    html += "<div class=\"exercise\">\n";
    for (const HandoutStep::Goal& goal : step.goals)
      html += paragraphs(goal.what, "p") + "<p class=\"goal\"><code>" + text::escaped_markup(goal.value + "   " + goal.wanted) +
              "</code></p>\n";
    html += "</div>\n";
  }
  return html + "</section>\n";
}

}  // namespace

Result<std::string> handout_as_html(const Handout& handout, const figures::Theme& theme) {
  std::string body, answers;
  for (std::size_t i = 0; i < handout.steps.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    HL_ASSIGN(const std::string step, step_html(handout.steps[i], theme, number));
    body += step;
    answers += answers_html(handout.steps[i], number);
  }
  const std::string title = text::escaped_markup(handout.title);
  std::string html =
      "<!doctype html>\n<html lang=\"" + text::escaped_markup(handout.language) +
      "\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"generator\" content=\"Headlight " +
      text::escaped_markup(handout.version) +
      "\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
      "data:\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      title + "</title>\n<style>" + kStyle + "</style>\n</head>\n<body>\n<h1>" + title + "</h1>\n<p class=\"quiet\">" +
      text::escaped_markup(
          fill(tr("a lesson of {} steps; numbers in blue are computed"), {std::to_string(handout.steps.size())})) +
      "</p>\n" + body;
  if (!answers.empty())
    html += "<section class=\"answers\">\n<h2>" + text::escaped_markup(tr("Answers")) + "</h2>\n" + answers + "</section>\n";
  html +=
      "<footer>" + text::escaped_markup(fill(tr("made with Headlight {}"), {handout.version})) + "</footer>\n</body>\n</html>\n";
  return html;
}

}  // namespace headlight::window
