// What attention added to the word: one bar for all heads together, cut by source, and one for each head.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/context/pictures.h"
#include "engine/core/one_nan.h"

namespace headlight::figures {
namespace {

constexpr float kAttentionAddedBarsSmall = 13, kAddedToken = 14, kAddedName = 76, kAddedNumber = 62, kAllHigh = 40,
                kAddedRow = 26, kAddedBar = 15, kAddedTrack = 40;

std::string number_of(double v) {
  char text[32];
  std::snprintf(text, sizeof text, std::abs(v) >= 100 ? "%.0f" : std::abs(v) >= 10 ? "%.1f" : "%.2f", one_nan(v));
  return text;
}

// Shades of the sentence's hue in turn, so that neighbours differ; amber is the word itself.
Color source_color(const AddedInput& input, std::size_t source, const Theme& theme) {
  static constexpr float kShades[] = {0.45f, 1.0f, 0.7f};
  const AddedInput::Source& one = input.sources[source];
  if (one.word) return theme.selected;
  if (one.quiet || one.token < 0) return theme.faint;
  const Color hue = sentence_color(input.sentence, theme), ground = theme.background;
  const float a = kShades[source % 3];
  return {ground.r + a * (hue.r - ground.r), ground.g + a * (hue.g - ground.g), ground.b + a * (hue.b - ground.b), 1};
}

// How far the bars reach to either side of their line.
struct Reach {
  double left = 0, right = 0;
  float zero = 0, scale = 1;  // points
};

Reach reach_of(const AddedInput& input, bool heads, float from, float width) {
  Reach reach;
  const auto take = [&](auto part_of) {
    double left = 0, right = 0;
    for (std::size_t s = 0; s < input.sources.size(); ++s) (part_of(s) < 0 ? left : right) += std::abs(part_of(s));
    reach.left = std::max(reach.left, left);
    reach.right = std::max(reach.right, right);
  };
  if (!heads) take([&](std::size_t s) { return input.sources[s].all; });
  if (heads)
    for (const AddedInput::Head& head : input.heads)
      take([&](std::size_t s) { return s < head.parts.size() ? head.parts[s] : 0.0; });
  const double whole = std::max(reach.left + reach.right, 1e-12);
  reach.scale = width / static_cast<float>(whole);
  reach.zero = from + static_cast<float>(reach.left) * reach.scale;
  return reach;
}

template <class Part>
void draw_segments(const AddedInput& input, const Reach& reach, float y, float high, std::int64_t head, bool words, Part part_of,
                   const Composer& pen) {
  float right = reach.zero, left = reach.zero;
  for (std::size_t s = 0; s < input.sources.size(); ++s) {
    const auto wide = static_cast<float>(std::abs(part_of(s))) * reach.scale;
    const bool back = part_of(s) < 0;
    if (back) left -= wide;
    const float x = back ? left : right;
    if (!back) right += wide;
    if (wide < 0.4f) continue;
    const AddedInput::Source& source = input.sources[s];
    const bool hot = source.token >= 0 && source.token == input.hot_source;
    const Color fill = source_color(input, s, pen.theme);
    const Box box{x, y, std::max(0.6f, wide - 1), high};
    pen.box(box, fill, hot ? pen.theme.text : Color{0, 0, 0, 0}, hot ? 2.0f : 0.0f, std::min(3.0f, box.w / 2),
            {Tag::token, source.token, head});
    if (!words || wide < 30) continue;
    const Color ink = ink_on(fill);
    pen.text(x + wide / 2, y + high / 2 - 8, source.name, kAddedToken, source.quiet ? Font::words : Font::mono, ink,
             Align::middle, wide - 6, {Tag::token, source.token, head});
    pen.text(x + wide / 2, y + high / 2 + 9, number_of(part_of(s)), 12, Font::mono, ink, Align::middle, wide - 4,
             {Tag::token, source.token, head});
  }
}

float draw_heads(const AddedInput& input, float y, float width, const Composer& pen) {
  const Theme& theme = pen.theme;
  const Reach reach = reach_of(input, true, kAddedName, std::max(30.0f, width - kAddedName - kAddedNumber));
  const float top = y;
  for (const AddedInput::Head& head : input.heads) {
    const bool hot = head.head == input.hot_head;
    const Tag tag{Tag::row, head.head, 0};
    pen.box({0, y, width, kAddedRow - 2}, hot ? theme.raised : Color{0, 0, 0, 0}, {0, 0, 0, 0}, 0, 4, tag);
    pen.text(2, y + kAddedRow / 2 - 1, fill(tr("head {}"), {std::to_string(head.head)}), kAttentionAddedBarsSmall, Font::words,
             hot ? theme.selected : theme.text, Align::start, kAddedName - 6, tag);
    draw_segments(
        input, reach, y + (kAddedRow - kAddedBar) / 2 - 1, kAddedBar, head.head, false,
        [&](std::size_t s) { return s < head.parts.size() ? head.parts[s] : 0.0; }, pen);
    pen.text(width - 2, y + kAddedRow / 2 - 1, number_of(head.along), kAttentionAddedBarsSmall, Font::mono, theme.text,
             Align::end, 0, tag);
    y += kAddedRow;
  }
  pen.line({reach.zero, top - 2}, {reach.zero, y}, theme.secondary, 1);
  return y;
}

// Where the layer moved the word: its cosine with each probe before and after.
float draw_moves(const AddedInput& input, float x, float y, float width, const Composer& pen) {
  const Theme& theme = pen.theme;
  const Color hue = sentence_color(input.sentence, theme);
  double low = -0.1, high = 0.1;
  for (const AddedInput::Probe& probe : input.probes) {
    low = std::min({low, probe.before, probe.after});
    high = std::max({high, probe.before, probe.after});
  }
  const auto at = [&](double v) { return x + 8 + (width - 16) * static_cast<float>((v - low) / (high - low)); };
  for (const AddedInput::Probe& probe : input.probes) {
    const std::string numbers = cell_number(probe.before) + " → " + cell_number(probe.after);
    const float wide = pen.measure.width(numbers, kAttentionAddedBarsSmall, Font::mono) + 4;
    pen.text(x, y + 9, probe.word, kAddedToken, Font::words, theme.text, Align::start, width - wide - 8);
    pen.text(x + width, y + 9, numbers, kAttentionAddedBarsSmall, Font::mono, theme.text, Align::end);
    const float line = y + 26;
    pen.box({x, line - 2, width, 4}, theme.raised, {0, 0, 0, 0}, 0, 2);
    pen.line({at(0), line - 6}, {at(0), line + 6}, theme.secondary, 1);
    pen.line({at(probe.before), line}, {at(probe.after), line}, hue, 3);
    pen.figure.add(Disc{{at(probe.before), line}, 4.5f, hue, {}});
    pen.figure.add(Disc{{at(probe.before), line}, 2.8f, theme.background, {}});
    pen.figure.add(Disc{{at(probe.after), line}, 4.5f, hue, {}});
    y += kAddedTrack;
  }
  return y;
}

void add_added_data(const AddedInput& input, Figure& figure) {
  std::vector<float> all, heads;
  std::vector<std::string> sources, names;
  for (const AddedInput::Source& source : input.sources) {
    all.push_back(static_cast<float>(source.all));
    sources.push_back(source.name);
  }
  for (const AddedInput::Head& head : input.heads) {
    names.push_back(std::to_string(head.head));
    for (std::size_t s = 0; s < sources.size(); ++s)
      heads.push_back(s < head.parts.size() ? static_cast<float>(head.parts[s]) : 0.0f);
  }
  const auto columns = static_cast<std::int64_t>(sources.size());
  figure.data.push_back(
      {"added", Tensor::of(heads, {static_cast<std::int64_t>(names.size()), columns}), {"head", "source"}, {names, sources}});
  figure.data.push_back({"all", Tensor::of(all, {columns}), {"source"}, {sources}});
}

}  // namespace

Figure attention_added_bars(const AddedInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, 0, theme);
  const Composer pen{figure, theme, measure};
  float y = 0;
  if (!input.title.empty()) {
    pen.heading(input.title, input.quiet_title, 17);
    y = 32;
  }
  const Reach reach = reach_of(input, false, kAddedName, std::max(30.0f, width - kAddedName - kAddedNumber));
  pen.text(2, y + kAllHigh / 2, tr("all heads"), kAddedToken, Font::words, theme.text, Align::start, kAddedName - 6);
  draw_segments(
      input, reach, y, kAllHigh, -1, true, [&](std::size_t s) { return input.sources[s].all; }, pen);
  pen.line({reach.zero, y - 2}, {reach.zero, y + kAllHigh + 2}, theme.secondary, 1);
  pen.text(width - 2, y + kAllHigh / 2, number_of(input.length), 15, Font::mono, theme.text, Align::end);
  y += kAllHigh + 12;
  // Heads left, where the layer moved the word right, if there is room for both.
  const bool two = width >= 440 && (!input.probes.empty() || !input.summary.empty());
  const float left = two ? std::floor(width * 0.56f) : width, right = width - left - 20;
  float end = draw_heads(input, y, left, pen);
  float other = two ? y : end + 8;
  const float x = two ? left + 20 : 0, room = two ? right : width;
  if (!input.probes.empty()) {
    pen.text(x, other + 8, tr("cosine, before → after"), kAttentionAddedBarsSmall, Font::words, theme.secondary, Align::start,
             room);
    other = draw_moves(input, x, other + 24, room, pen);
  }
  for (const std::string& line : wrap(input.summary, room, kAddedToken, Font::words, measure)) {
    pen.text(x, other + 10, line, kAddedToken, Font::words, theme.text, Align::start, room);
    other += 20;
  }
  y = std::max(end, other) + 4;
  for (const std::string& line : wrap(input.note, width, kAttentionAddedBarsSmall, Font::words, measure)) {
    pen.text(0, y + 9, line, kAttentionAddedBarsSmall, Font::words, theme.secondary, Align::start, width);
    y += 18;
  }
  figure.height = y + 2;
  add_added_data(input, figure);
  return figure;
}

}  // namespace headlight::figures
