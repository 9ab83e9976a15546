#include "app/figures/tokens/training_step.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "app/figures/base/compose.h"
#include "app/figures/tokens/chip_rows.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kTrainingRow = 44, kLowRow = 38, kBox = 36, kTrainingHead = 30, kTrainingStepGap = 6, kBelowTrainingRow = 8;

// A symbol has the same hue everywhere.
int symbol_hue(const std::string& symbol) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const char c : symbol) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return static_cast<int>(hash % 12);
}

float chip_width(const Composer& pen, const std::string& symbol) {
  return std::max(26.0f, pen.measure.width(symbol, 16, Font::mono) + 16);
}

constexpr float kBetweenSymbols = 4;  // space between two symbols
constexpr float kThreeColumns = 860, kTwoColumns = 480;

// A symbol in a row of chips: its position before and after the pairs are merged.
struct SymbolPlace {
  std::string symbol;
  float before = 0, after = 0, width_before = 0, width_after = 0;
  bool lit = false;
};

// The symbols before the step; symbols that it merges share the position of the result. Empty: nothing is merged.
std::vector<SymbolPlace> fusing_places(const Composer& pen, const TrainingStepInput::Word& word) {
  std::vector<SymbolPlace> places;
  float before = 0, after = 0;
  std::size_t at = 0;
  for (std::size_t s = 0; s < word.symbols.size() && at < word.before.size(); ++s) {
    const bool fresh = s < word.fresh.size() && word.fresh[s] && at + 1 < word.before.size();
    const std::size_t parts = fresh ? 2 : 1;
    const float whole = chip_width(pen, word.symbols[s]);
    float sum = 0;
    for (std::size_t i = 0; i < parts; ++i) sum += chip_width(pen, word.before[at + i]);
    float inside = after;
    for (std::size_t i = 0; i < parts; ++i, ++at) {
      const float wide = chip_width(pen, word.before[at]), share = whole * wide / sum;
      places.push_back({word.before[at], before, inside, wide, share, fresh});
      before += wide + kBetweenSymbols;
      inside += share;
    }
    after += whole + kBetweenSymbols;
  }
  return at == word.before.size() ? places : std::vector<SymbolPlace>{};
}

float words_column(const Composer& pen, const TrainingStepInput& input, float x, float y, float width, float pitch) {
  pen.text(x, y + 10, input.words_title, 13, Font::words, pen.theme.secondary, Align::start, width);
  y += kTrainingHead;
  for (const auto& word : input.words) {
    const float room = width - pen.measure.width(word.count, 14, Font::mono) - 12;
    const auto chip = [&](const std::string& symbol, float at, float wide, bool hot) {
      if (at + wide > room) return false;
      Chip c;
      c.text = symbol;
      c.hue = symbol_hue(symbol);
      c.hot = hot;
      add_chip(pen.figure, {x + at, y, wide, kBox}, c, 16, pen.theme, pen.measure, {});
      return true;
    };
    const auto moving = input.fusing < 1 ? fusing_places(pen, word) : std::vector<SymbolPlace>{};
    float at = 0;
    bool fits = true;
    for (const SymbolPlace& place : moving) {
      const auto between = [&](float from, float to) { return from + (to - from) * input.fusing; };
      at = between(place.before, place.after);
      const float wide = between(place.width_before, place.width_after);
      if (fits) fits = chip(place.symbol, at, wide, place.lit);
      if (!fits) break;
    }
    for (std::size_t s = 0; s < word.symbols.size() && moving.empty() && fits; ++s) {
      const float wide = chip_width(pen, word.symbols[s]);
      fits = chip(word.symbols[s], at, wide, input.fusing >= 1 && s < word.fresh.size() && word.fresh[s]);
      if (fits) at += wide + kBetweenSymbols;
    }
    if (!fits) pen.text(x + at, y + kBox / 2, "…", 14, Font::mono, pen.theme.secondary);
    pen.text(x + width, y + kBox / 2, word.count, 14, Font::mono, pen.theme.secondary, Align::end);
    y += pitch;
  }
  return y;
}

float candidates_column(const Composer& pen, const TrainingStepInput& input, float x, float y, float width, float pitch) {
  const bool fits = pen.measure.width(input.candidates_title, 13, Font::words) <= width;
  pen.text(x, y + 10, fits ? input.candidates_title : input.candidates_brief, 13, Font::words, pen.theme.secondary, Align::start,
           width);
  y += kTrainingHead;
  // The pair is read first, so the bars get the room that the longest pair leaves.
  float widest = 0, number = 0;
  for (const auto& candidate : input.candidates) {
    widest = std::max(widest, pen.measure.width(candidate.text, 15, Font::mono));
    number = std::max(number, pen.measure.width(candidate.number, 15, Font::mono));
  }
  const float numbers = std::max(number + 24, std::min(84.0f, width * 0.2f));
  const float names = std::clamp(widest + 28, width * 0.46f, std::max(width * 0.46f, width - numbers - 20));
  for (const auto& candidate : input.candidates) {
    const Theme& t = pen.theme;
    pen.box({x, y, width, kBox}, candidate.chosen ? with_alpha(t.selected, 0.12f) : t.panel,
            candidate.chosen ? t.selected : t.line, 1, 6);
    pen.text(x + 12, y + kBox / 2, candidate.text, 15, Font::mono, t.text, Align::start, names - 16);
    pen.bar({x + names, y + kBox / 2 - 5, std::max(width - names - numbers, 12.0f), 10}, candidate.share,
            candidate.chosen ? t.selected : t.info);
    pen.text(x + width - 12, y + kBox / 2, candidate.number, 15, Font::mono, t.text, Align::end);
    y += pitch;
  }
  return y;
}

float vocabulary_block(const Composer& pen, const TrainingStepInput& input, float x, float y, float width) {
  pen.text(x, y + 10,
           fill(tr("vocabulary after it: {} entries, special tokens included"), {std::to_string(input.vocabulary_size)}), 13,
           Font::words, pen.theme.secondary, Align::start, width);
  y += kTrainingHead;
  // The end of the vocabulary, as much as fits in two rows, filled from the last piece backwards.
  constexpr int kRows = 2;
  std::vector<float> wide;
  float line = 0;
  int rows = 1;
  std::size_t first = input.vocabulary.size();
  while (first > 0) {
    const float w = std::min(width, std::max(28.0f, pen.measure.width(input.vocabulary[first - 1], 15, Font::mono) + 18));
    const float reserve = rows == kRows && first > 1 ? 40.0f : 0.0f;
    if (line + w > width - reserve) {
      if (rows == kRows) break;
      ++rows;
      line = 0;
    }
    line += w + kTrainingStepGap;
    --first;
  }
  float at = x;
  if (first > 0) {
    pen.text(at, y + kBox / 2, "…", 15, Font::mono, pen.theme.secondary);
    at += 28;
  }
  for (std::size_t i = first; i < input.vocabulary.size(); ++i) {
    const float w = std::min(width, std::max(28.0f, pen.measure.width(input.vocabulary[i], 15, Font::mono) + 18));
    if (at + w > x + width + 1) {
      at = x;
      y += kBox;
    }
    const bool newest = input.newest && i + 1 == input.vocabulary.size();
    pen.box({at, y, w, kBox - 6}, newest ? pen.theme.selected : pen.theme.raised, {0, 0, 0, 0}, 0, 6);
    pen.text(at + w / 2, y + (kBox - 6) / 2, input.vocabulary[i], 15, Font::mono,
             newest ? ink_on(pen.theme.selected) : pen.theme.text, Align::middle, w - 4);
    at += w + kTrainingStepGap;
  }
  return y + kBox;
}

constexpr float kCurve = 110, kLowCurve = 70, kAroundCurve = kTrainingHead + 28;

float curve_block(const Composer& pen, const TrainingStepInput& input, float x, float y, float width, float height) {
  constexpr float kAxis = 28;
  pen.text(x, y + 10, tr("tokens per word"), 13, Font::words, pen.theme.secondary);
  y += kTrainingHead;
  const double top = std::max(1.0, std::ceil(*std::max_element(input.curve.begin(), input.curve.end())));
  const float left = x + kAxis, room = std::max(10.0f, width - kAxis - 8);
  const auto place = [&](std::size_t i) {
    const double share = input.curve.size() > 1 ? static_cast<double>(i) / static_cast<double>(input.curve.size() - 1) : 0;
    return Point{left + room * static_cast<float>(share), y + height * static_cast<float>(1 - input.curve[i] / top)};
  };
  const int every = top > 6 ? 2 : 1;
  for (int tick = 0; tick <= static_cast<int>(top); tick += every) {
    const float at = y + height * static_cast<float>(1 - tick / top);
    pen.line({left, at}, {left + room, at}, pen.theme.line);
    pen.text(left - 8, at, std::to_string(tick), 12, Font::mono, pen.theme.secondary, Align::end);
  }
  // At most one segment per point of width: a long training has more steps than the curve has pixels.
  const std::size_t stride = std::max<std::size_t>(1, input.curve.size() / static_cast<std::size_t>(std::max(room, 1.0f)));
  for (std::size_t i = 0; i + 1 < input.curve.size(); i += stride)
    pen.line(place(i), place(std::min(i + stride, input.curve.size() - 1)), pen.theme.info, 2);
  const auto here =
      static_cast<std::size_t>(std::clamp<std::int64_t>(input.step, 0, static_cast<std::int64_t>(input.curve.size()) - 1));
  pen.figure.items.emplace_back(Disc{place(here), 5, pen.theme.selected, {}});
  char value[32];
  std::snprintf(value, sizeof value, "%.2f", input.curve[here]);
  const bool right_end = place(here).x > left + room - 60;
  pen.text(place(here).x + (right_end ? -8.0f : 8.0f), place(here).y - 12, value, 13, Font::mono, pen.theme.text,
           right_end ? Align::end : Align::start);
  pen.text(left + room / 2, y + height + 16, tr("merges"), 13, Font::words, pen.theme.secondary, Align::middle);
  return y + height + 28;
}

void add_training_data(Figure& figure, const TrainingStepInput& input) {
  if (!input.candidates.empty()) {
    Data table{"candidates", Tensor(DType::f64, {static_cast<std::int64_t>(input.candidates.size())}), {"candidate"}, {{}}};
    for (std::size_t i = 0; i < input.candidates.size(); ++i) {
      table.values.data<double>()[i] = std::strtod(input.candidates[i].number.c_str(), nullptr);
      table.labels[0].push_back(input.candidates[i].text);
    }
    figure.data.push_back(std::move(table));
  }
  if (!input.curve.empty())
    figure.data.push_back(
        {"tokens per word", Tensor::of(input.curve, {static_cast<std::int64_t>(input.curve.size())}), {"merge"}, {{}}});
}

}  // namespace

Figure training_step(const TrainingStepInput& input, float width, const Theme& theme, const TextMeasure& measure, float room) {
  Figure figure;
  figure.width = width;
  figure.title = input.title;
  add_training_data(figure, input);
  const Composer pen{figure, theme, measure};
  // Words, candidates and the result side by side; if there is no room, the last, or the last two, are below.
  const float gap = 28;
  const bool below = width < kThreeColumns, narrow = width < kTwoColumns;
  const float first = narrow ? width : below ? 0.38f * width : std::max(180.0f, width * 0.19f);
  const float second = narrow ? width : below ? width - first - gap : width * 0.30f;
  const float third = below ? 0 : first + second + 2 * gap;
  const auto most = static_cast<float>(std::max<std::size_t>({input.words.size(), input.candidates.size(), 1}));
  const float pitch =
      room > 0 ? std::clamp((room - kTrainingHead - kBelowTrainingRow) / most, kLowRow, kTrainingRow) : kTrainingRow;
  float bottom = words_column(pen, input, 0, 0, first, pitch);
  bottom = narrow ? candidates_column(pen, input, 0, bottom + gap / 2, second, pitch)
                  : std::max(bottom, candidates_column(pen, input, first + gap, 0, second, pitch));
  float y = vocabulary_block(pen, input, third, below ? bottom + gap / 2 : 0, width - third) + 14;
  if (!input.why.empty()) {
    pen.text(third, y + 10, tr("why this one"), 13, Font::words, theme.secondary);
    y += kTrainingHead;
    for (const std::string& line : wrap(input.why, width - third, 15, Font::words, measure)) {
      pen.text(third, y + 8, line, 15, Font::words, theme.text);
      y += 22;
    }
    for (const std::string& line : wrap(input.compare, width - third, 14, Font::words, measure)) {
      pen.text(third, y + 8, line, 14, Font::words, theme.secondary);
      y += 21;
    }
    y += 10;
  }
  const float height = room > 0 ? std::clamp(room - y - kAroundCurve - kBelowTrainingRow, kLowCurve, kCurve) : kCurve;
  if (input.curve.size() > 1) y = curve_block(pen, input, third, y, width - third, height);
  figure.height = std::max(bottom, y) + kBelowTrainingRow;
  return figure;
}

}  // namespace headlight::figures
