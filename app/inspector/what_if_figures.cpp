#include "app/inspector/what_if_figures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/text/language.h"

namespace headlight::views {
namespace {

using figures::Align;
using figures::Color;
using figures::Composer;
using figures::Font;
using figures::Tag;

constexpr float kRow = 22, kNumber = 46, kChange = 58, kLeastBar = 24, kMostWord = 92;
constexpr Color kLost = figures::rgb(0x4a90e2), kGained = figures::rgb(0xff9650);  // the signed colour map's ends

std::string number(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// Where the columns of the list stand.
struct Columns {
  float word, bar, numbers;  // widths; 0: there is no bar
};
Columns columns_of(float width, bool changed) {
  Columns c{kMostWord, 0, changed ? 2 * kNumber + kChange : kNumber};
  c.bar = width - c.word - c.numbers - 16;
  if (c.bar >= kLeastBar) return c;
  c.word = std::max(56.0f, width - c.numbers - 8);
  c.bar = 0;
  return c;
}

void draw_change_bar(const Composer& pen, figures::Box track, double before, double now, double most) {
  const auto x = [&](double share) { return static_cast<float>(share / most) * track.w; };
  pen.box(track, pen.theme.raised, {0, 0, 0, 0}, 0, 3);
  const double stays = std::min(before, now);
  if (x(stays) >= 0.5f) pen.box({track.x, track.y, x(stays), track.h}, pen.theme.secondary, {0, 0, 0, 0}, 0, 2);
  const float changes = x(std::abs(now - before));
  if (changes >= 0.5f)
    pen.box({track.x + x(stays), track.y, changes, track.h}, now < before ? kLost : kGained, {0, 0, 0, 0}, 0, 2);
}

// The colour of a cell, and of a number on it.
Color cell_color(double points, double most, const figures::Theme& theme) {
  const auto a = 0.85f * static_cast<float>(std::min(1.0, std::abs(points) / most));
  const Color hue = points < 0 ? kLost : kGained, ground = theme.raised;
  return {ground.r + a * (hue.r - ground.r), ground.g + a * (hue.g - ground.g), ground.b + a * (hue.b - ground.b), 1};
}
Color number_color(Color cell) {
  const bool light = 0.299f * cell.r + 0.587f * cell.g + 0.114f * cell.b > 0.5f;
  return figures::rgb(light ? 0x0e1014 : 0xe8eaf0);
}

Color change_color(double points, const figures::Theme& theme) {
  if (std::abs(points) < 0.05) return theme.secondary;
  return points < 0 ? theme.info : theme.selected;
}

}  // namespace

std::string percent_text(double share) { return number("%.1f", 100 * share); }
std::string points_text(double points) {
  return number(std::abs(points) < 0.05 ? "%.1f" : "%+.1f", std::abs(points) < 0.05 ? 0 : points);
}

figures::Figure change_list(const PredictionChange& change, bool changed, std::int64_t lit, std::size_t rows, float width,
                            const figures::Theme& theme, const figures::TextMeasure& measure) {
  figures::Figure figure;
  figure.width = width;
  const Composer pen{figure, theme, measure};
  const Columns c = columns_of(width, changed);
  double most = 0.01;
  for (const auto& word : change.words) most = std::max({most, word.before, word.now});
  const auto at = [&](int column) {
    return column == 2 ? width - 4 : width - c.numbers + static_cast<float>(column + 1) * kNumber - 4;
  };
  float y = 0;
  pen.text(4, y + 9, tr("word"), 13, Font::words, theme.faint, Align::start, c.word);
  const std::vector<const char*> titles =
      changed ? std::vector<const char*>{tr("before"), tr("now"), tr("change")} : std::vector<const char*>{"%"};
  for (std::size_t i = 0; i < titles.size(); ++i)
    pen.text(at(static_cast<int>(i)), y + 9, titles[i], 13, Font::words, theme.faint, Align::end,
             (i == 2 ? kChange : kNumber) - 4);
  y += 20;
  std::vector<float> numbers;
  std::vector<std::string> names;
  const auto row = [&](const std::string& label, double before, double now, std::int64_t index, bool others) {
    const bool current = index == lit && !others;
    const Tag tag = others ? Tag{} : Tag{Tag::row, index, 0};
    pen.box({0, y, width, kRow}, current ? figures::with_alpha(theme.selected, 0.12f) : Color{0, 0, 0, 0},
            current ? theme.selected : Color{0, 0, 0, 0}, current ? 1.0f : 0.0f, 4, tag);
    const Color color = current ? theme.selected : others ? theme.secondary : theme.text;
    pen.text(4, y + kRow / 2, label, others ? 13 : 15, others ? Font::words : Font::mono, color, Align::start, c.word - 8,
             {tag.kind, tag.a, tag.b, others ? figures::Part::picture : figures::Part::predicted});
    if (c.bar > 0 && !others) draw_change_bar(pen, {c.word + 4, y + 8, c.bar, 8}, before, now, most);
    pen.text(at(0), y + kRow / 2, percent_text(before), 13, Font::mono, color, Align::end);
    if (changed) {
      const double points = 100 * (now - before);
      pen.text(at(1), y + kRow / 2, percent_text(now), 13, Font::mono, color, Align::end);
      pen.text(at(2), y + kRow / 2, points_text(points), 13, Font::mono, change_color(points, theme), Align::end);
    }
    y += kRow;
    numbers.insert(numbers.end(), {static_cast<float>(before), static_cast<float>(now)});
    names.push_back(label);
  };
  double others_before = change.others_before, others_now = change.others_now;
  for (std::size_t i = 0; i < change.words.size(); ++i) {
    const auto& word = change.words[i];
    if (i < rows) {
      row(word.label, word.before, word.now, static_cast<std::int64_t>(i), false);
    } else {
      others_before += word.before;
      others_now += word.now;
    }
  }
  row(tr("others"), others_before, others_now, -1, true);
  figure.height = y;
  figure.title = fill(tr("what follows “{}”"), {change.behind});
  const auto listed = static_cast<std::int64_t>(names.size());
  figure.data.push_back({"probability", Tensor::of(numbers, {listed, 2}), {"word", "before_now"}, {names, {"before", "now"}}});
  return figure;
}

figures::Figure head_map(const HeadMap& map, float width, const figures::Theme& theme, const figures::TextMeasure& measure) {
  figures::Figure figure;
  figure.width = width;
  const Composer pen{figure, theme, measure};
  constexpr float kLeft = 24, kTop = 20;
  const float cell = std::min(44.0f, (width - kLeft) / static_cast<float>(std::max<std::int64_t>(1, map.heads)));
  const float high = map.layers > 8 || map.low ? 18 : 24;
  double most = 0.1;
  for (const double one : map.points) most = std::max(most, std::abs(one));
  const bool names = cell >= 14;
  for (std::int64_t head = 0; head < map.heads && names; ++head)
    pen.text(kLeft + (static_cast<float>(head) + 0.5f) * cell, 9, std::to_string(head), 13, Font::mono,
             head == map.head ? theme.selected : theme.faint, Align::middle);
  std::vector<float> numbers;
  for (std::int64_t layer = 0; layer < map.layers; ++layer) {
    const float y = kTop + static_cast<float>(layer) * high;
    pen.text(kLeft - 8, y + high / 2, std::to_string(map.first_layer + layer), 13, Font::mono,
             layer == map.layer ? theme.selected : theme.faint, Align::end);
    for (std::int64_t head = 0; head < map.heads; ++head) {
      const double points = map.points[static_cast<std::size_t>(layer * map.heads + head)];
      numbers.push_back(static_cast<float>(points));
      const float x = kLeft + static_cast<float>(head) * cell;
      const Tag tag{Tag::thumbnail, layer, head};
      const Color color = cell_color(points, most, theme);
      pen.box({x + 0.5f, y + 0.5f, cell - 1, high - 1}, color, {0, 0, 0, 0}, 0, 2, tag);
      if (cell >= 32 && high >= 18)
        pen.text(x + cell / 2, y + high / 2,
                 std::abs(points) < 0.05 ? std::string("0") : number(std::abs(points) >= 9.95 ? "%+.0f" : "%+.1f", points), 12,
                 Font::mono, number_color(color), Align::middle, 0, tag);
      const bool selected = layer == map.layer && head == map.head, hot = layer == map.hot_layer && head == map.hot_head;
      if (selected || hot) pen.box({x, y, cell, high}, {0, 0, 0, 0}, theme.selected, selected ? 2.0f : 1.0f, 3);
    }
  }
  figure.height = kTop + static_cast<float>(map.layers) * high + 4;
  figure.title = tr("one head out at a time");
  figure.data.push_back({"points", Tensor::of(numbers, {map.layers, map.heads}), {"layer", "head"}, {{}, {}}});
  return figure;
}

}  // namespace headlight::views
