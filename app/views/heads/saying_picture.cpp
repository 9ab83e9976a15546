// Above the picture of one head of a trained model: which head it is, the role that was found for it, and what it does with the
// sentence that is typed, in words.
#include <algorithm>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/explanation/role_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/heads/pictures.h"
#include "engine/text/utf8.h"

namespace headlight::views::heads {
namespace {

using figures::Font;

constexpr float kTall = 600;      // points of a tab's height that has room for two lines
constexpr float kMeasured = 128;  // the bar of the measured score, with its number
constexpr float kLeastBeside = 420;
constexpr int kMostLines = 3;

// Where a line may be broken: behind spaces, and between ideographs.
std::vector<SayingPart> pieces_of(const Saying& saying) {
  std::vector<SayingPart> pieces;
  for (const SayingPart& part : saying) {
    if (part.marked) {
      pieces.push_back(part);
      continue;
    }
    std::string piece;
    text::for_each_code_point(part.text, [&](std::int64_t at, const text::CodePoint& c) {
      piece += part.text.substr(static_cast<std::size_t>(at), static_cast<std::size_t>(c.length));
      if (c.value != U' ' && c.value < 0x2e80) return;
      pieces.push_back({piece, false});
      piece.clear();
    });
    if (!piece.empty()) pieces.push_back({piece, false});
  }
  return pieces;
}

}  // namespace

figures::Figure saying_figure(const SayingInput& input, float width, float room, const figures::Theme& theme,
                              const figures::TextMeasure& measure) {
  figures::Figure figure;
  const figures::Composer pen{figure, theme, measure};
  const auto wide = [&](const std::string& words, float size, Font font) { return measure.width(words, size, font); };
  float y = 0;

  // In two lines, where a shorter title helps.
  const bool beside = input.role && width >= kLeastBeside;
  const float text_room = beside ? width - kMeasured - 16 : width;
  const float title_line = measure.line_height(ui::kHeading, Font::words_bold) + 2;
  std::vector<std::string> lines = figures::wrap(input.title, text_room, ui::kHeading, Font::words_bold, measure);
  if (lines.size() > 2 && !input.brief_title.empty())
    lines = figures::wrap(input.brief_title, text_room, ui::kHeading, Font::words_bold, measure);
  for (std::size_t i = 0; i < lines.size(); ++i, y += title_line)
    pen.text(0, y + title_line / 2, lines[i], ui::kHeading, Font::words_bold, theme.text, figures::Align::start, text_room + 1);
  if (beside) {  // the measured score with this sentence's as a tick, at the right of the first line
    const std::string number = figures::cell_number(input.role->score), label = tr("measured");
    const float left = width - kMeasured, track = kMeasured - wide(number, 16, Font::mono) - 8;
    pen.text(width, 11, number, 16, Font::mono, theme.text, figures::Align::end);
    pen.bar({left, 8, track, 6}, input.role->score, hue_of(input.role->pattern, theme));
    if (wide(input.title, ui::kHeading, Font::words_bold) + wide(label, ui::kSmall, Font::words) + 24 < left)
      pen.text(left - 8, 11, label, ui::kSmall, Font::words, theme.secondary, figures::Align::end);
    if (input.score) pen.box({left + static_cast<float>(std::clamp(*input.score, 0.0, 1.0)) * track - 1, 4, 2, 14}, theme.text);
  }

  // Which heads share its keys and values: at the right of the first line, or on a line of its own where there is height.
  if (const std::string& shared = input.shared; !shared.empty()) {
    const float own = wide(shared, ui::kSmall, Font::words);
    const bool fits = !beside && lines.size() == 1 && wide(input.title, ui::kHeading, Font::words_bold) + own + 24 < width;
    if (fits || room >= kTall) {
      pen.text(fits ? width : 0, fits ? title_line / 2 : y + 9, shared, ui::kSmall, Font::words, theme.secondary,
               fits ? figures::Align::end : figures::Align::start, width);
      if (!fits) y += 18;
    }
  }

  // The number of lines that a saying takes; draws it unless `only_count`.
  const float size = input.words;
  const auto say = [&](const Saying& saying, bool only_count) {
    const float high = measure.line_height(size, Font::words) + 3;
    float x = 0;
    int count = 1;
    for (const SayingPart& piece : pieces_of(saying)) {
      const Font font = piece.marked ? Font::words_bold : Font::words;
      const float piece_wide = wide(piece.text, size, font);
      // A stop or a comma stays with the word before it.
      const bool sticks = piece.text.front() == '.' || piece.text.front() == ',';
      if (x > 0 && x + piece_wide > width && !sticks) {
        x = 0;
        ++count;
        y += only_count ? 0 : high;
      }
      if (!only_count)
        pen.text(x, y + high / 2, piece.text, size, font, piece.marked ? theme.selected : theme.text, figures::Align::start,
                 std::max(20.0f, width - x) + 8);
      x += piece_wide;
    }
    if (!only_count) y += high;
    return count;
  };
  const Saying& saying = say(input.saying, true) > (room >= kTall ? 2 : 1) ? input.brief : input.saying;
  if (!saying.empty() && say(saying, true) <= kMostLines) say(saying, false);
  figure.width = width;
  figure.height = y + 4;
  return figure;
}

}  // namespace headlight::views::heads
