// Below the thumbnails of a model whose heads were measured: the selected head's scores by role, or the roles that were found.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/explanation/role_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/heads/pictures.h"
#include "engine/core/sorting.h"

namespace headlight::views::heads {
namespace {

using figures::Font;

constexpr std::size_t kMostListed = 5, kMostRows = 3;
constexpr float kRow = 24, kSquare = 8, kRolesNumber = 36, kTwoColumns = 300;

std::string decimals(double value) {
  if (std::isnan(value)) return "NaN";
  char text[24];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

// The tick labels' way of a score: ".69".
std::string roles_score_words(const std::optional<double>& score) { return score ? figures::cell_number(*score) : "–"; }

}  // namespace

figures::Figure roles_figure(const RolesInput& input, float width, bool brief, const figures::Theme& theme,
                             const figures::TextMeasure& measure) {
  figures::Figure figure;
  const figures::Composer pen{figure, theme, measure};
  const std::optional<HeadRole>& own = input.own;
  const HeadStatistics& statistics = input.statistics;
  figure.width = width;
  const auto wide = [&](const std::string& words, float size, Font font = Font::words) {
    return measure.width(words, size, font);
  };
  const auto color_of = [&](HeadPattern pattern, figures::Color plain) {
    return input.filter == words_of(pattern).id ? theme.selected : plain;
  };
  float y = 0;
  const auto row_begins = [&](HeadPattern pattern, bool raised, float x, float room) {
    pen.box({x - 6, y, room + 6, kRow}, raised ? theme.raised : figures::Color{0, 0, 0, 0}, {0, 0, 0, 0}, 0, 6,
            {figures::Tag::link, static_cast<std::int64_t>(pattern), 0});
    pen.box({x, y + (kRow - kSquare) / 2, kSquare, kSquare}, hue_of(pattern, theme), {0, 0, 0, 0}, 0, 2);
  };
  const auto wrapped = [&](const std::string& words, figures::Color color) {
    for (const std::string& line : figures::wrap(words, width, ui::kSmall, Font::words, measure)) {
      pen.text(0, y + 9, line, ui::kSmall, Font::words, color, figures::Align::start, width + 1);
      y += 18;
    }
  };
  if (brief) {
    auto counts = input.counts;
    if (counts.empty()) {
      wrapped(tr("no head has a found role"), theme.secondary);
    } else {
      pen.text(0, y + 9, tr("found roles"), ui::kSmall, Font::words, theme.secondary);
      pen.text(width - 6, y + 9, tr("heads"), ui::kSmall, Font::words, theme.secondary, figures::Align::end);
      y += 20;
    }
    // Many in two columns, so that the thumbnails keep their room.
    const std::size_t across = counts.size() > kMostListed && width >= kTwoColumns ? 2 : 1;
    // In a narrow column only the most frequent ones and the head's own: the menu of heads has all.
    if (const std::size_t most = across * kMostRows; counts.size() > most) {
      const auto its =
          std::find_if(counts.begin(), counts.end(), [&](const auto& one) { return own && one.first == own->pattern; });
      if (its != counts.end() && its - counts.begin() >= static_cast<std::ptrdiff_t>(most)) counts[most - 1] = *its;
      counts.resize(most);
    }
    const std::size_t down = (counts.size() + across - 1) / across;
    const float gap = across > 1 ? 16 : 0, room = (width - gap) / static_cast<float>(across), begin = y;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const auto& [pattern, count] = counts[i];
      const std::size_t column = i / down;
      const float x = static_cast<float>(column) * (room + gap);
      y = begin + kRow * static_cast<float>(i % down);
      row_begins(pattern, own && own->pattern == pattern, x, room);
      pen.text(x + kSquare + 8, y + kRow / 2, tr(words_of(pattern).name), 14, Font::words, color_of(pattern, theme.text),
               figures::Align::start, room - kSquare - 8 - 34);
      pen.text(x + room - 6, y + kRow / 2, std::to_string(count), 13, Font::mono, theme.text, figures::Align::end);
    }
    y = begin + kRow * static_cast<float>(down);
    y += 6;
    const auto line = [&](const char* name, const std::string& number) {
      pen.text(0, y + 9, name, ui::kSmall, Font::words, theme.secondary, figures::Align::start,
               width - wide(number, 13, Font::mono) - 8);
      pen.text(width - 6, y + 9, number, 13, Font::mono, theme.text, figures::Align::end);
      y += 20;
    };
    line(tr("row entropy"), fill(tr("{} nat"), {decimals(statistics.entropy)}));
    line(tr("mass on first token"), decimals(statistics.first_token));
    if (!input.cross) line(tr("mean distance"), fill(tr("{} tok"), {decimals(statistics.distance)}));
  } else {
    const std::string now = tr("here"), measured = tr("measured");
    pen.text(0, y + 10, input.title, 15, Font::words_bold, theme.text, figures::Align::start,
             width - wide(now, 13) - wide(measured, 13) - 24);
    pen.text(width, y + 10, measured, ui::kSmall, Font::words, theme.secondary, figures::Align::end);
    pen.text(width - std::max(kRolesNumber + 8, wide(measured, 13) + 10), y + 10, now, ui::kSmall, Font::words, theme.secondary,
             figures::Align::end);
    y += 24;
    // The patterns that this head was measured for, the farthest above chance first.
    std::vector<HeadPattern> all;
    for (const HeadPattern pattern : kHeadPatterns)
      if (score_of(input.measured, pattern)) all.push_back(pattern);
    const auto above = [&](HeadPattern pattern) {
      return *score_of(input.measured, pattern) - score_of(input.chance, pattern).value_or(0);
    };
    sort_stably(all, [&](HeadPattern a, HeadPattern b) { return above(a) > above(b); });
    if (all.size() > kMostListed) all.resize(kMostListed);
    float names = 0;
    for (const HeadPattern pattern : all)
      names = std::max(names, measure.width(tr(words_of(pattern).name), 14, Font::words_bold));
    // Each one's name, a bar as long as its score, a tick at that of this sentence, dots where a name begins, both numbers.
    for (const HeadPattern pattern : all) {
      const bool is_own = own && own->pattern == pattern;
      row_begins(pattern, false, 0, width);
      const float middle = y + kRow / 2;
      pen.text(kSquare + 8, middle, tr(words_of(pattern).name), 14, is_own ? Font::words_bold : Font::words,
               color_of(pattern, is_own ? theme.text : theme.secondary));
      const float left = kSquare + 8 + names + 12, right = width - 2 * kRolesNumber - 8;
      if (right - left >= 40) {
        pen.bar({left, middle - 3, right - left, 6}, *score_of(input.measured, pattern), hue_of(pattern, theme));
        const auto place = [&](double score) { return left + static_cast<float>(std::clamp(score, 0.0, 1.0)) * (right - left); };
        const auto& chance = score_of(input.chance, pattern);
        if (chance) pen.box({place(*chance) - 0.5f, middle - 5, 1, 10}, theme.secondary);
        const float least = place(std::min(1.0, least_score(pattern, chance)));
        for (float dot = y + 1; dot < y + kRow; dot += 4) pen.box({least - 0.5f, dot, 1, 2}, theme.faint);
        if (const auto score = input.here ? score_of(*input.here, pattern) : std::nullopt)
          pen.box({place(*score) - 1, middle - 7, 2, 14}, theme.text);
      }
      pen.text(width - kRolesNumber - 8, middle, roles_score_words(input.here ? score_of(*input.here, pattern) : std::nullopt),
               13, Font::mono, theme.secondary, figures::Align::end);
      pen.text(width, middle, roles_score_words(score_of(input.measured, pattern)), 13, Font::mono, theme.text,
               figures::Align::end);
      y += kRow;
    }
    y += 4;
    wrapped(fill(tr("bar: {} texts; tick: this sentence; thin line: by chance; dots: named from here"),
                 {std::to_string(input.texts)}),
            theme.secondary);
    wrapped(
        fill(tr("row entropy {} nat; mean distance {} tokens"), {decimals(statistics.entropy), decimals(statistics.distance)}),
        theme.secondary);
  }
  figure.height = y;
  return figure;
}

std::string found_words(std::int64_t heads) {
  return heads == 1 ? std::string(tr("1 has a found role")) : fill(tr("{} have a found role"), {std::to_string(heads)});
}

}  // namespace headlight::views::heads
