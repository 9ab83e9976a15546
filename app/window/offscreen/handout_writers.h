// A played lesson, and what writes it: one HTML file without scripts, or pages to print.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/lessons/places.h"
#include "engine/core/status.h"

namespace headlight::window {

using LessonText = std::vector<lessons::Run>;

struct HandoutStep {
  struct Goal {
    LessonText what;
    std::string value, wanted;  // as the exercise begins
    std::string solved;         // as its solution ends
  };
  LessonText text;
  figures::Figure picture;  // without items: none
  LessonText question;      // empty: none
  std::vector<LessonText> choices;
  std::int64_t answer = 0;
  LessonText why;
  std::vector<Goal> goals;  // empty: no exercise
  LessonText solution;
};

struct Handout {
  std::string title, language, version;
  std::vector<HandoutStep> steps;
};

// handout_as_html(handout, theme) begins with "<!doctype html>".
Result<std::string> handout_as_html(const Handout& handout, const figures::Theme& theme);
// A PDF of A4 pages, the answers on the last ones.
Result<std::string> handout_as_pages(const Handout& handout, const figures::Theme& theme);

}  // namespace headlight::window
