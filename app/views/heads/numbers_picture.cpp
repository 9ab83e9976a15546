// A head's statistics as bars, and what they say in words.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/figures/base/compose.h"
#include "app/figures/explanation/role_words.h"
#include "app/text/language.h"
#include "app/views/heads/pictures.h"

namespace headlight::views::heads {

const char* pattern_label(const std::string& pattern) {
  // What is a role, too, has the role's name.
  static constexpr std::pair<const char*, HeadPattern> kRoles[] = {{"first-token head", HeadPattern::first},
                                                                   {"previous-token head", HeadPattern::previous},
                                                                   {"next-token head", HeadPattern::next},
                                                                   {"induction head", HeadPattern::induction}};
  for (const auto& [name, role] : kRoles)
    if (pattern == name) return tr(words_of(role).name);
  static constexpr std::pair<const char*, const char*> kOthers[] = {
      {"self head", tr_later("itself")}, {"even", tr_later("even")}, {"mixed", tr_later("mixed")}};
  for (const auto& [name, shown] : kOthers)
    if (pattern == name) return tr(shown);
  return pattern.c_str();
}

std::string pattern_words(const HeadStatistics& s) {
  if (std::isnan(s.worst_row_sum)) return tr("some of its weights are not a number");
  char number[24];
  if (s.pattern.empty()) return tr("one key a row: nothing to choose");
  if (s.pattern == "even") {
    std::snprintf(number, sizeof number, "%.0f", 100 * s.relative_entropy);
    return fill(tr("spreads evenly ({} % of the largest entropy)"), {number});
  }
  std::snprintf(number, sizeof number, "%.2f", s.score);
  if (s.pattern == "mixed") return fill(tr("mixed: no pattern above {}"), {number});
  return fill(tr("{} (score {})"), {pattern_label(s.pattern), number});
}

figures::Figure numbers_figure(const NumbersInput& input, float width, const figures::Theme& theme,
                               const figures::TextMeasure& measure) {
  using figures::Font;
  const HeadStatistics& s = input.statistics;
  figures::Figure figure;
  figure.width = width;
  const figures::Composer pen{figure, theme, measure};
  float y = 0;
  const auto line = [&](const std::string& words, float size, figures::Color color) {
    const float high = size >= 15 ? 21.0f : 18.0f;
    for (const std::string& one : figures::wrap(words, width, size, Font::words, measure)) {
      pen.text(0, y + high / 2, one, size, Font::words, color, figures::Align::start, width + 1);
      y += high;
    }
  };
  line(pattern_words(s), 15, theme.text);
  if (input.noted) {
    line(input.note.empty() ? tr("means over rows with a choice") : fill(tr("{}; means over rows with a choice"), {input.note}),
         13, theme.secondary);
  }
  if (input.explains) line(tr("click previews, click again pins, double click solos"), 13, theme.faint);
  y += 5;
  struct Bar {
    const char* name;
    double share;
    std::string number;
  };
  const auto number = [](const char* format, double value) {
    if (std::isnan(value)) return std::string("NaN");
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    return std::string(text);
  };
  std::vector<Bar> bars = {{tr("row entropy"), s.relative_entropy, fill(tr("{} nat"), {number("%.2f", s.entropy)})},
                           {tr("mass on first token"), s.first_token, number("%.2f", s.first_token)}};
  if (!input.cross) bars.push_back({tr("mean distance"), s.relative_distance, fill(tr("{} tok"), {number("%.2f", s.distance)})});
  float names = 0, numbers = 0;
  for (const Bar& bar : bars) {
    names = std::max(names, measure.width(bar.name, 13, Font::words) + 16);
    numbers = std::max(numbers, measure.width(bar.number, 13, Font::mono) + 12);
  }
  const bool below = width - names - numbers < 24;
  if (below) names = 0;
  const float track = std::min(240.0f, std::max(20.0f, width - names - numbers));
  for (const Bar& bar : bars) {
    pen.text(0, y + 9, bar.name, 13, Font::words, theme.secondary, figures::Align::start, below ? width : 0);
    if (below) y += 18;
    pen.bar({names, y + 4.5f, track, 9}, bar.share, theme.info);
    pen.text(names + track + 12, y + 9, bar.number, 13, Font::mono, theme.text);
    y += below ? 20.0f : 21.0f;
  }
  figure.height = y;
  return figure;
}

}  // namespace headlight::views::heads
