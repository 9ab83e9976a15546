#include "app/figures/masks/mask_fill.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "app/figures/base/compose.h"
#include "engine/core/one_nan.h"

namespace headlight::figures {
namespace {

constexpr float kFillMargin = 12, kFillTitle = 18, kBody = 15, kFillSmall = 13, kFillRow = 26, kFillHead = 62, kFillBetween = 16,
                kLeastPanel = 152;
constexpr double kFills[] = {-std::numeric_limits<double>::infinity(), -1e9};
constexpr const char* kFillNames[] = {"−∞", "−1e9"};

std::string score_text(double value) {
  if (std::isnan(value)) return "nan";  // not "+nan"
  if (std::isinf(value)) return value < 0 ? "−∞" : "∞";
  if (value == -1e9) return "−1e9";
  char text[32];
  std::snprintf(text, sizeof text, "%+.2f", value);
  return text;
}

}  // namespace

FilledRow fill_row(const std::vector<double>& scaled, const std::vector<std::uint8_t>& visible, double fill, double temperature) {
  FilledRow row;
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < scaled.size(); ++j) {
    row.masked.push_back(visible[j] ? scaled[j] : fill);
    largest = std::max(largest, row.masked.back());
  }
  row.weights.assign(scaled.size(), 0.0);
  if (std::isinf(largest)) return row;
  double sum = 0;
  for (std::size_t j = 0; j < scaled.size(); ++j) sum += row.weights[j] = std::exp((row.masked[j] - largest) / temperature);
  for (double& weight : row.weights) row.sum += weight /= sum;
  return row;
}

Figure mask_fill(const MaskFillInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  constexpr float kNumber = 64;
  Figure figure;
  const Composer pen{figure, theme, measure};
  const std::size_t keys = std::min(input.scaled.size(), input.keys.size());
  const FilledRow rows[2] = {fill_row(input.scaled, input.visible, kFills[0], input.temperature),
                             fill_row(input.scaled, input.visible, kFills[1], input.temperature)};
  figure.background = theme.background;
  figure.title = input.title;
  figure.width = width;
  float y = kFillMargin;
  if (!input.title.empty()) {
    pen.text(kFillMargin, y + 11, input.title, kFillTitle, Font::words_bold, theme.text, Align::start, width - 2 * kFillMargin);
    y += 36;
  }

  // Key and score on the left, then two panels of the same width.
  float names = measure.width(input.key_word, kFillSmall, Font::words);
  for (std::size_t j = 0; j < std::min<std::size_t>(keys, 256); ++j)
    names = std::max(names, measure.width(input.keys[j], kBody, Font::mono));
  const float scores = std::max(76.0f, measure.width(input.score_word, kFillSmall, Font::words) + 12);
  const float most_names = width < kLeastBeside ? width - 2 * kFillMargin - 28 - scores - kLeastPanel : 0.2f * width;
  names = std::clamp(most_names, std::min(names, 48.0f), names) + 16;
  const float first = kFillMargin + names + scores + 12;
  // Side by side or, if there is no room for that, below each other, each with its own keys and scores.
  const int across = width < kLeastBeside ? 1 : 2;
  const float panel =
      std::max(60.0f, (width - kFillMargin - first - 16 * static_cast<float>(across - 1)) / static_cast<float>(across));
  std::vector<std::string> lines[2];  // the words under the panels
  for (int f = 0; f < 2; ++f) lines[f] = wrap(input.words[f], panel - 20, kFillSmall, Font::words, measure);
  std::vector<std::string> notes;
  for (const std::string& note : input.notes)
    for (std::string& line : wrap(note, width - 2 * kFillMargin, kFillSmall, Font::words, measure))
      notes.push_back(std::move(line));
  const std::vector<std::string> more = wrap(input.more, width - 2 * kFillMargin, kFillSmall, Font::words, measure);
  // Of the words under the panels of a group.
  const auto words_high = [&](int group) {
    std::size_t most = 0;
    for (int f = group; f < group + across; ++f) most = std::max(most, lines[f].size());
    return 34 + 19 * static_cast<float>(most);
  };
  // The height that is left for rows, with one panel or two.
  float around = 20 * static_cast<float>(notes.size()) + 30;
  for (int f = 0; f < 2; f += across) around += kFillHead + words_high(f) + (f > 0 ? kFillBetween : 0);
  const float places = across == 1 ? 2 : 1;
  const auto fits = static_cast<std::size_t>(std::max(1.0f, (height - y - around) / places / kFillRow));
  const std::size_t shown = fits >= keys ? keys : std::clamp<std::size_t>(fits - 1, std::min(keys, input.least_keys), keys);
  if (shown < keys) notes.insert(notes.begin(), more.begin(), more.end());

  for (int group = 0; group < 2; group += across) {
    if (group > 0) y += kFillBetween;
    const float top = y;
    const float bottom = top + kFillHead + kFillRow * static_cast<float>(shown) + words_high(group);
    const auto left_of = [&](int f) { return first + static_cast<float>(f - group) * (panel + 16); };

    // Frames and headings of the panels that stand beside each other.
    for (int f = group; f < group + across; ++f) {
      const float x = left_of(f);
      const bool chosen = f == input.chosen;
      pen.box({x, top, panel, bottom - top}, theme.panel, chosen ? theme.selected : theme.line, chosen ? 2.0f : 1.0f, 8);
      pen.text(x + 12, top + 16, kFillNames[f], 17, Font::mono, chosen ? theme.selected : theme.text);
      const std::vector<std::string> masked =
          wrap(input.masked_word, panel - 36 - measure.width(input.weight_word, kFillSmall, Font::words), kFillSmall, Font::words,
               measure);
      for (std::size_t i = 0; i < masked.size(); ++i)
        pen.text(x + 12, top + 46 - 16 * static_cast<float>(masked.size() - 1 - i), masked[i], kFillSmall, Font::words,
                 theme.secondary);
      pen.text(x + panel - 12, top + 46, input.weight_word, kFillSmall, Font::words, theme.secondary, Align::end);
    }

    pen.text(kFillMargin, top + 46, input.key_word, kFillSmall, Font::words, theme.secondary);
    pen.text(first - 20, top + 46, input.score_word, kFillSmall, Font::words, theme.secondary, Align::end);
    y = top + kFillHead;

    for (std::size_t j = 0; j < shown; ++j, y += kFillRow) {
      const float middle = y + kFillRow / 2;
      const Tag tag{Tag::column, static_cast<std::int64_t>(j), 0};
      const bool hot = static_cast<std::int64_t>(j) == input.hot_key, seen = input.visible[j] != 0;
      pen.box({kFillMargin - 4, y, width - 2 * kFillMargin + 8, kFillRow},
              hot ? with_alpha(theme.selected, 0.12f) : Color{0, 0, 0, 0}, {0, 0, 0, 0}, 0, 4, tag);
      pen.text(kFillMargin, middle, input.keys[j], kBody, Font::mono,
               hot    ? theme.selected
               : seen ? theme.text
                      : theme.faint,
               Align::start, names - 8);
      pen.text(first - 20, middle, score_text(input.scaled[j]), kFillSmall, Font::mono, theme.text, Align::end);
      for (int f = group; f < group + across; ++f) {
        const float x = left_of(f);
        pen.text(x + 12 + 56, middle, score_text(rows[f].masked[j]), kFillSmall, Font::mono, seen ? theme.text : theme.wrong,
                 Align::end);
        const float left = x + 12 + 72, room = x + panel - 12 - kNumber - left;
        if (room >= 20) pen.bar({left, middle - 4.5f, room, 9}, rows[f].weights[j], theme.info);
        char text[32];
        std::snprintf(text, sizeof text, "%.4f", one_nan(rows[f].weights[j]));
        pen.text(x + panel - 12, middle, text, kFillSmall, Font::mono, rows[f].weights[j] == 0 ? theme.secondary : theme.text,
                 Align::end);
      }
    }

    // Whether each row sums to 1, and what that means.
    for (int f = group; f < group + across; ++f) {
      const float x = left_of(f);
      char text[64];
      // As many decimals as fit beside the words.
      int decimals = 6;
      do {
        std::snprintf(text, sizeof text, "%.*f", decimals, one_nan(rows[f].sum));
        decimals -= 2;
      } while (decimals >= 2 &&
               measure.width(input.sum_word, kFillSmall, Font::words) + measure.width(text, kFillSmall, Font::mono) + 32 > panel);
      pen.text(x + 12, y + 14, input.sum_word, kFillSmall, Font::words, theme.secondary);
      pen.text(x + panel - 12, y + 14, text, kFillSmall, Font::mono, std::abs(rows[f].sum - 1) < 1e-9 ? theme.good : theme.wrong,
               Align::end);
      float line = y + 36;
      for (const std::string& words : lines[f]) {
        pen.text(x + 12, line, words, kFillSmall, Font::words, theme.text);
        line += 19;
      }
    }
    y = bottom;
  }

  y += 18;
  for (const std::string& note : notes) {
    pen.text(kFillMargin, y, note, kFillSmall, Font::words, theme.secondary);
    y += 20;
  }
  figure.height = y + 2;
  for (int f = 0; f < 2; ++f) {
    const auto n = static_cast<std::int64_t>(rows[f].weights.size());
    const std::string of = f == 0 ? " with -inf" : " with -1e9";
    figure.data.push_back({"masked scores" + of, Tensor::of<double>(rows[f].masked, {n}), {"key"}, {input.keys}});
    figure.data.push_back({"weights" + of, Tensor::of<double>(rows[f].weights, {n}), {"key"}, {input.keys}});
  }
  return figure;
}

}  // namespace headlight::figures
