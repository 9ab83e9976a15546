#include <algorithm>
#include <cmath>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/legend.h"
#include "app/views/context/pictures.h"

namespace headlight::figures {
namespace {

constexpr float kHigh = 28, kBetweenChips = 4, kSentenceChipsToken = 15, kMark = 34;

float chip_width(const std::string& token, const TextMeasure& measure) {
  return std::min(200.0f, std::max(22.0f, measure.width(token, kSentenceChipsToken, Font::mono) + 14));
}

// The tokens around the word that fit: as many before it as there is room for behind the rest.
std::pair<std::size_t, std::size_t> shown(const std::vector<float>& widths, std::size_t word, float room) {
  std::size_t begin = word, end = word + 1;
  float used = widths[word];
  for (bool grew = true; grew;) {
    grew = false;
    if (begin > 0 && used + kBetweenChips + widths[begin - 1] <= room) {
      used += kBetweenChips + widths[--begin];
      grew = true;
    }
    if (end < widths.size() && used + kBetweenChips + widths[end] <= room) {
      used += kBetweenChips + widths[end++];
      grew = true;
    }
  }
  return {begin, end};
}

void draw_chip(const SentenceChipsInput& input, std::size_t at, Box box, const Composer& pen) {
  const Theme& theme = pen.theme;
  const auto token = static_cast<std::int64_t>(at);
  const Tag tag{Tag::token, token, 0};
  const bool word = token >= input.first && token <= input.row, counts = token == input.row, hot = token == input.hot;
  const bool hidden = at < input.hidden.size() && input.hidden[at];
  const Color hue = sentence_color(input.sentence, theme);
  if (hidden) pen.figure.add(hatched(box));
  const Color ground = counts ? theme.selected : hidden ? Color{0, 0, 0, 0} : with_alpha(hue, 0.16f);
  const Color edge = word || hot ? theme.selected : hidden ? theme.line : hue;
  pen.box(box, ground, edge, hot ? 2.0f : 1.0f, 6, tag);
  const Color ink = counts ? ink_on(theme.selected) : hot ? theme.selected : hidden ? theme.secondary : theme.text;
  pen.text(box.x + box.w / 2, box.y + box.h / 2, input.tokens[at], kSentenceChipsToken, Font::mono, ink, Align::middle, box.w - 6,
           tag);
}

}  // namespace

Color sentence_color(std::size_t sentence, const Theme& theme) {
  static constexpr std::array<std::size_t, kMostSentences> kHues = {1, 2, 4, 3, 5, 7};  // never amber, the first hue
  return theme.hues[kHues[sentence % kHues.size()]];
}

std::vector<SentencePair> sentence_pairs(std::size_t count) {
  std::vector<SentencePair> pairs;
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = a + 1; b < count; ++b) pairs.push_back({static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)});
  return pairs;
}

Figure sentence_chips(const SentenceChipsInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture("", width, kHigh + 2, theme);
  const Composer pen{figure, theme, measure};
  float x = 1;
  if (input.numbered) {
    pen.box({1, 3, 4, kHigh - 4}, sentence_color(input.sentence, theme), {0, 0, 0, 0}, 0, 2);
    pen.text(22, 1 + kHigh / 2, std::to_string(input.sentence + 1), kSentenceChipsToken, Font::mono, theme.text, Align::middle);
    x = kMark;
  }
  if (input.tokens.empty()) return figure;
  std::vector<float> widths;
  for (const std::string& token : input.tokens) widths.push_back(chip_width(token, measure));
  const std::size_t word = std::min(input.tokens.size() - 1, static_cast<std::size_t>(std::max<std::int64_t>(0, input.row)));
  const float dots = 20, whole = width - x - 2;
  auto [begin, end] = shown(widths, word, whole);
  if (begin > 0 || end < widths.size()) std::tie(begin, end) = shown(widths, word, whole - 2 * dots);
  if (begin > 0) {
    pen.text(x + dots / 2 - 2, 1 + kHigh / 2, "…", kSentenceChipsToken, Font::mono, theme.secondary, Align::middle);
    x += dots;
  }
  for (std::size_t at = begin; at < end; ++at) {
    const float wide = std::min(widths[at], std::max(1.0f, width - x - 1));
    draw_chip(input, at, {x, 1, wide, kHigh}, pen);
    x += wide + kBetweenChips;
  }
  if (end < widths.size())
    pen.text(x + dots / 2, 1 + kHigh / 2, "…", kSentenceChipsToken, Font::mono, theme.secondary, Align::middle);
  return figure;
}

}  // namespace headlight::figures
