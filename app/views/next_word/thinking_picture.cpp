#include <algorithm>

#include "app/figures/base/compose.h"
#include "app/figures/base/panes.h"
#include "app/views/next_word/pictures.h"
#include "app/views/next_word/titled_picture.h"

namespace headlight::figures {
namespace {

constexpr float kThinkingSentence = 20, kBody = 30, kThinkingPad = 12, kThinkingGap = 36, kLeastBesideThinking = 420;

// A round head whose eyes look at the sentence above it, at (x, y); small bubbles lead from it to where it thinks.
void draw_creature(Figure& figure, Point at, Point thought, const Theme& theme) {
  figure.items.push_back(Disc{at, kBody, theme.info, {}});
  for (const float side : {-1.0f, 1.0f}) {
    const Point eye{at.x + side * 10, at.y - 8};
    figure.items.push_back(Disc{eye, 7, theme.background, {}});
    figure.items.push_back(Disc{{eye.x + 2, eye.y - 3}, 3, theme.text, {}});
  }
  figure.items.push_back(
      Curve{{at.x - 9, at.y + 10}, {at.x - 4, at.y + 14}, {at.x + 4, at.y + 14}, {at.x + 9, at.y + 10}, theme.background, 2, {}});
  float radius = 3;
  for (const float way : {0.25f, 0.5f, 0.75f}) {
    const Point from{at.x + kBody * 0.9f, at.y - kBody * 0.5f};
    figure.items.push_back(
        Disc{{from.x + way * (thought.x - from.x), from.y + way * (thought.y - from.y)}, radius, theme.line, {}});
    radius += 2;
  }
}

}  // namespace

Figure thinking(const ThinkingInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  const Composer pen{figure, theme, measure};
  const float top = begin_titled(figure, input.candidates.title, width, theme, pen);
  const bool beside = width >= kLeastBesideThinking;
  const float left = beside ? width * 0.36f : width, thought_x = beside ? left + kThinkingGap : 0, wide = width - thought_x;
  CandidatesInput bare = input.candidates;
  bare.title.clear();
  Figure list = candidate_list(bare, wide - 2 * kThinkingPad, theme, measure);
  list.background.a = 0;

  // The sentence, and a line where the next word will stand.
  const float line = measure.line_height(kThinkingSentence, Font::words) + 4;
  std::vector<std::string> lines = wrap(input.sentence, left, kThinkingSentence, Font::words, measure);
  float y = top;
  for (const std::string& one : lines) {
    pen.text(0, y + line / 2, one, kThinkingSentence, Font::words, theme.text, Align::start, left);
    y += line;
  }
  const float end = lines.empty() ? 0 : measure.width(lines.back(), kThinkingSentence, Font::words) + 8;
  if (end + 40 <= left) pen.line({end, y - 5}, {end + 40, y - 5}, theme.secondary, 2);
  const Point creature{kBody + 8, y + 24 + kBody};

  const float thought_y = beside ? top : creature.y + kBody + 28, high = list.height + 2 * kThinkingPad;
  pen.box({thought_x, thought_y, wide, high}, theme.raised, theme.line, 1, 14);
  draw_creature(figure, creature,
                beside ? Point{thought_x, std::min(creature.y - kBody, thought_y + high - 14)} : Point{width * 0.4f, thought_y},
                theme);
  add_moved(figure, std::move(list), thought_x + kThinkingPad, thought_y + kThinkingPad);
  figure.height = std::max(creature.y + kBody + 4, thought_y + high + 1);
  return figure;
}

}  // namespace headlight::figures
