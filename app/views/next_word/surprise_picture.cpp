// The cards of what really follows, and the boxes of generated words.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/next_word/pictures.h"
#include "engine/core/one_nan.h"

namespace headlight::figures {
namespace {

constexpr float kSurpriseCardsHead = 26, kSurpriseCardsLine = 24, kSurpriseCardsToken = 15, kSurpriseCardsSmall = 13,
                kSurpriseCardsPad = 9, kBetweenCards = 8;

std::array<std::string, 3> line_words() { return {tr("really follows"), tr("loss, nat"), tr("rank, chance")}; }

std::string two_decimals(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", one_nan(value));
  return text;
}

void draw_card(const SurpriseInput& input, std::int64_t at, float x, const Composer& pen) {
  const Theme& theme = pen.theme;
  const SurpriseInput::Card& card = input.cards[static_cast<std::size_t>(at)];
  const bool current = at == input.current, hot = at == input.hot;
  const Color hue = theme.hues[static_cast<std::size_t>(card.hue) % theme.hues.size()];
  const float card_wide = input.pitch - kBetweenCards, high = kSurpriseCardsHead + 3 * kSurpriseCardsLine + kSurpriseCardsPad;
  const float right = x + card_wide - kSurpriseCardsPad, room = card_wide - 2 * kSurpriseCardsPad;
  const Tag tag{Tag::token, at, 0};
  pen.box({x, 0, card_wide, high}, current ? with_alpha(theme.selected, 0.1f) : theme.panel, {0, 0, 0, 0}, 0, 8, tag);
  pen.box({x, 0, card_wide, kSurpriseCardsHead}, with_alpha(hue, 0.22f), {0, 0, 0, 0}, 0, 8, tag);
  pen.box({x, 0, card_wide, high}, {0, 0, 0, 0}, current || hot ? theme.selected : theme.line, current ? 2.0f : 1.0f, 8, tag);
  pen.text(x + card_wide / 2, kSurpriseCardsHead / 2, card.token, kSurpriseCardsToken, Font::mono,
           current ? theme.selected : theme.text, Align::middle, room, tag);
  float y = kSurpriseCardsHead + kSurpriseCardsPad / 2 + kSurpriseCardsLine / 2;
  const std::string chance = percent(card.chance);
  const float wide = pen.measure.width(chance, kSurpriseCardsSmall, Font::mono);
  if (card.follows.empty()) {
    pen.text(x + kSurpriseCardsPad, y, tr("nothing yet"), kSurpriseCardsSmall, Font::words, theme.secondary, Align::start, room,
             tag);
    pen.text(x + kSurpriseCardsPad, y + kSurpriseCardsLine, tr("best guess"), kSurpriseCardsSmall, Font::words, theme.secondary,
             Align::start, room, tag);
    pen.text(x + kSurpriseCardsPad, y + 2 * kSurpriseCardsLine, card.best, kSurpriseCardsSmall, Font::mono, theme.text,
             Align::start, room - wide - 6, {tag.kind, tag.a, tag.b, Part::predicted});
  } else {
    const float arrow = pen.measure.width("→ ", kSurpriseCardsToken, Font::mono);
    pen.text(x + kSurpriseCardsPad, y, "→", kSurpriseCardsToken, Font::mono, theme.secondary, Align::start, 0, tag);
    pen.text(x + kSurpriseCardsPad + arrow, y, card.follows, kSurpriseCardsToken, Font::mono, theme.text, Align::start,
             room - arrow, tag);
    const std::string loss = two_decimals(card.loss);
    // A bar of 6 nats is full: a chance of one in four hundred.
    pen.bar({x + kSurpriseCardsPad, y + kSurpriseCardsLine - 4, room - 48, 8}, card.loss / 6, theme.info);
    pen.text(right, y + kSurpriseCardsLine, loss, kSurpriseCardsSmall, Font::mono, theme.text, Align::end, 0, tag);
    pen.text(x + kSurpriseCardsPad, y + 2 * kSurpriseCardsLine, std::to_string(card.rank), kSurpriseCardsSmall, Font::mono,
             card.rank == 1 ? theme.good : theme.text, Align::start, room - wide - 6, tag);
  }
  pen.text(right, y + 2 * kSurpriseCardsLine, chance, kSurpriseCardsSmall, Font::mono, theme.secondary, Align::end, 0, tag);
}

void add_data_surprise_cards(Figure& figure, const SurpriseInput& input) {
  std::vector<float> loss, chance;
  std::vector<std::int32_t> rank;
  std::vector<std::string> tokens;
  for (const SurpriseInput::Card& card : input.cards) {
    const bool last = card.follows.empty();
    loss.push_back(last ? std::nanf("") : static_cast<float>(card.loss));
    chance.push_back(static_cast<float>(card.chance));
    rank.push_back(static_cast<std::int32_t>(card.rank));
    tokens.push_back(card.token);
  }
  const Shape shape{static_cast<std::int64_t>(tokens.size())};
  const Axes axes{"position"};
  figure.data.push_back({"loss", Tensor::of(loss, shape), axes, {tokens}});
  figure.data.push_back({"rank", Tensor::of(rank, shape), axes, {tokens}});
  figure.data.push_back({"chance", Tensor::of(chance, shape), axes, {tokens}});
}

}  // namespace

float surprise_labels_width(const TextMeasure& measure) {
  float widest = 0;
  for (const std::string& words : line_words()) widest = std::max(widest, measure.width(words, kSurpriseCardsSmall, Font::words));
  return widest + 12;
}

float card_pitch(std::int64_t count, float width) {
  constexpr float kLeast = 126, kMost = 172;
  const float fit = std::max(1.0f, std::floor(width / kLeast));
  return std::min(kMost, width / std::min(fit, static_cast<float>(std::max<std::int64_t>(1, count))));
}

Figure surprise_cards(const SurpriseInput& input, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  const Composer pen{figure, theme, measure};
  const float left = input.labels ? surprise_labels_width(measure) : 0;
  const auto count = static_cast<std::int64_t>(input.cards.size());
  figure.width = left + input.pitch * static_cast<float>(count);
  figure.height = kSurpriseCardsHead + 3 * kSurpriseCardsLine + kSurpriseCardsPad + 2;
  figure.background = theme.background;
  figure.title = tr("What really follows");
  if (input.labels) {
    float y = kSurpriseCardsHead + kSurpriseCardsPad / 2 + kSurpriseCardsLine / 2;
    for (const std::string& words : line_words()) {
      pen.text(left - 10, y, words, kSurpriseCardsSmall, Font::words, theme.secondary, Align::end);
      y += kSurpriseCardsLine;
    }
  }
  const std::int64_t end = input.count < 0 ? count : std::min(count, input.first + input.count);
  for (std::int64_t at = std::max<std::int64_t>(0, input.first); at < end; ++at)
    draw_card(input, at, left + 1 + input.pitch * static_cast<float>(at), pen);
  add_data_surprise_cards(figure, input);
  return figure;
}

Figure generated_words(const GeneratedInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  constexpr float kHigh = 42, kBetween = 6, kPitch = kHigh + kBetween;
  Figure figure = begin_picture("", width, 0, theme);
  const Composer pen{figure, theme, measure};
  // Where each word stands, and in which line.
  std::vector<Box> boxes;
  float x = 0, y = 0;
  for (const GeneratedInput::Word& word : input.words) {
    const float wide = std::min(width, std::max(34.0f, measure.width(word.token, kSurpriseCardsToken, Font::mono) + 14));
    if (x > 0 && x + wide > width) {
      x = 0;
      y += kPitch;
    }
    boxes.push_back({x, y, wide, kHigh});
    x += wide + kBetween;
  }
  const float fitting = std::max(1.0f, std::floor((height + kBetween + 0.01f) / kPitch)) * kPitch;
  const float above = height > 0 ? std::max(0.0f, y + kPitch - fitting) : 0;  // of the lines that have no room
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Box box{boxes[i].x, boxes[i].y - above, boxes[i].w, boxes[i].h};
    if (box.y < 0) continue;
    const GeneratedInput::Word& word = input.words[i];
    pen.box(box, theme.panel, theme.line, 1, 6);
    pen.text(box.x + box.w / 2, box.y + 14, word.token, kSurpriseCardsToken, Font::mono, theme.text, Align::middle, box.w - 8,
             {Tag::none, 0, 0, Part::predicted});
    pen.text(box.x + box.w / 2, box.y + 31, cell_number(word.chance), 12, Font::mono, theme.secondary, Align::middle);
  }
  figure.height = input.words.empty() ? 0 : y - above + kHigh;
  return figure;
}

}  // namespace headlight::figures
