#include "app/lessons/prose.h"

#include <algorithm>
#include <cmath>

#include "engine/text/utf8.h"

namespace headlight::lessons {
namespace {

using figures::Font;

// Characters between which a line may break: Chinese, Japanese, and their punctuation.
bool breaks_anywhere(char32_t c) {
  return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF00 && c <= 0xFFEF);
}
bool closes(char32_t c) {
  static constexpr char32_t marks[] = U"，。；：！？、）》」』】”’…,.;:!?)]}%";
  return std::find(std::begin(marks), std::end(marks) - 1, c) != std::end(marks) - 1;
}
bool opens(char32_t c) {
  static constexpr char32_t marks[] = U"（《「『【“‘([{";
  return std::find(std::begin(marks), std::end(marks) - 1, c) != std::end(marks) - 1;
}

// A piece that is not broken across lines.
struct Unit {
  std::string text;
  std::size_t run = 0;
  bool space_before = false;
  bool glued = false;  // no break between it and the unit before
};

std::vector<Unit> units_of(const std::vector<Run>& runs) {
  std::vector<Unit> units;
  bool space = false, glue = false;
  char32_t before = 0;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const std::string& words = runs[r].text;
    if (words == "\n") {
      units.push_back({"\n", r, false, false});
      space = glue = false;
      before = 0;
      continue;
    }
    bool fresh = true;  // a run begins a new unit
    const bool whole = runs[r].mono;
    for (std::size_t i = 0; i < words.size();) {
      const text::CodePoint point = text::decode_at(words, static_cast<std::int64_t>(i));
      const std::size_t end = i + static_cast<std::size_t>(std::max<std::int64_t>(1, point.length));
      const std::string_view bytes = std::string_view(words).substr(i, end - i);
      const char32_t c = point.value;
      i = end;
      if (c == ' ' && !(whole && words.size() < 24)) {
        space = true;
        fresh = true;
        before = 0;
        continue;
      }
      const bool may_break = before != 0 && !closes(c) && !opens(before) && (breaks_anywhere(c) || breaks_anywhere(before));
      if (fresh || space || may_break || units.empty() || units.back().text == "\n") {
        glue = !space && before != 0 && !may_break;
        units.push_back({std::string(bytes), r, space, glue});
      } else {
        units.back().text += bytes;
      }
      space = fresh = false;
      before = c;
    }
  }
  return units;
}

}  // namespace

Prose prose(const std::vector<Run>& runs, float width, float size, figures::Color color, const figures::Theme& theme,
            const figures::TextMeasure& measure) {
  Prose out;
  out.figure.width = width;
  const std::vector<Unit> units = units_of(runs);
  const float line = std::round(size * 1.5f), gap = std::round(size * 0.55f);
  const auto font_of = [&](const Run& run) { return run.mono ? Font::mono : run.bold ? Font::words_bold : Font::words; };
  // Monospaced letters look larger than words of the same size.
  const auto size_of = [&](const Run& run) { return run.mono ? size - 1 : size; };
  const float space = measure.width(" ", size, Font::words);
  float x = 0, y = line / 2;
  for (std::size_t i = 0; i < units.size();) {
    if (units[i].text == "\n") {
      x = 0;
      y += line + gap;
      ++i;
      continue;
    }
    // Units that are glued together move to the next line together.
    std::size_t end = i + 1;
    while (end < units.size() && units[end].glued) ++end;
    float needed = units[i].space_before && x > 0 ? space : 0;
    for (std::size_t k = i; k < end; ++k)
      needed += measure.width(units[k].text, size_of(runs[units[k].run]), font_of(runs[units[k].run]));
    if (x > 0 && x + needed > width) {
      x = 0;
      y += line;
    } else if (units[i].space_before && x > 0) {
      x += space;
    }
    for (; i < end; ++i) {
      const Run& run = runs[units[i].run];
      const float wide = measure.width(units[i].text, size_of(run), font_of(run));
      if (run.live) out.live.push_back({{x, y - line / 2, wide, line}, units[i].run});
      const bool link = run.live && !run.value.step.empty();
      if (link) out.figure.add(figures::Line{{x, y + size * 0.62f}, {x + wide, y + size * 0.62f}, theme.info, 1});
      out.figure.add(figures::Text{units[i].text, {x, y}, size_of(run), font_of(run), run.live ? theme.info : color});
      x += wide;
    }
  }
  out.figure.height = y + line / 2;
  return out;
}

}  // namespace headlight::lessons
