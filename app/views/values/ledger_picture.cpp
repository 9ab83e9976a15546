// The ledger: a row for each vector that is added, with its strip, length, cosine and the running length.
#include <algorithm>
#include <bit>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/non_finite.h"
#include "app/text/language.h"
#include "app/views/values/ledger_picture.h"
#include "app/views/values/strip_picture.h"

namespace headlight::figures {
namespace {

constexpr float kLedgerTableTitle = 30, kLedgerTableHead = 22, kBracket = 8, kRule = 9, kCheck = 30, kLegend = 26, kNote = 22;
constexpr float kLedgerName = 14, kLedgerSmall = 13, kLedgerTableToken = 14, kLedgerTableSign = 24, kLedgerGap = 12,
                kLedgerNumber = 44;
constexpr float kCompact = 760;  // below it lengths and cosines have no bars

struct LedgerColumns {
  float name = kLedgerTableSign, name_wide = 0, key = 0, key_wide = 0, strip = 0, strip_wide = 0;
  float length = 0, length_wide = 0, cosine = 0, cosine_wide = 0, running = 0, running_wide = 0;
  float end = 0;
};

void add_ledger_data(Figure& figure, const LedgerInput& input) {
  const auto rows = static_cast<std::int64_t>(input.rows.size());
  if (rows == 0) return;
  const auto d = static_cast<std::int64_t>(input.rows.front().vector.size());
  Tensor vectors(DType::f32, {rows, d});
  std::vector<float> length, cosine, running;
  std::vector<std::string> names;
  float* to = vectors.data<float>();
  for (const LedgerInput::Row& row : input.rows) {
    std::copy_n(row.vector.begin(), std::min<std::size_t>(row.vector.size(), static_cast<std::size_t>(d)), to);
    to += d;
    length.push_back(static_cast<float>(row.length));
    cosine.push_back(static_cast<float>(row.cosine));
    running.push_back(static_cast<float>(row.running));
    names.push_back((row.sign.empty() ? "" : row.sign + " ") + row.name);
  }
  figure.data.push_back({"vectors", std::move(vectors), {"row", "dimension"}, {names, {}}});
  figure.data.push_back({"length", Tensor::of(length, {rows}), {"row"}, {names}});
  figure.data.push_back({"cosine with E", Tensor::of(cosine, {rows}), {"row"}, {names}});
  figure.data.push_back({"running length", Tensor::of(running, {rows}), {"row"}, {names}});
}

}  // namespace

float ledger_frame_height(const LedgerInput& input) {
  float height = kLedgerTableHead + 2 * kBracket + kCheck + kLegend + (input.title.empty() ? 0 : kLedgerTableTitle) +
                 (input.note.empty() ? 0 : kNote);
  for (const LedgerInput::Row& row : input.rows) height += row.rule ? kRule : 0;
  return height;
}

Figure ledger_table(const LedgerInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  const Composer pen{figure, theme, measure};
  const bool compact = width < kCompact;
  figure.width = width;
  figure.background = theme.background;
  figure.title = input.title;
  float y = 0;
  if (!input.title.empty()) {
    pen.text(0, 12, input.title, 17, Font::words_bold, theme.text, Align::start, width);
    y = kLedgerTableTitle;
  }

  // The columns.
  const auto wide = [&](const std::string& words, float size, Font font) { return measure.width(words, size, font); };
  LedgerColumns c;
  float key = 0, instead = 0;
  double longest = 0, farthest = 0;  // the largest length, and the largest running one
  for (const LedgerInput::Row& row : input.rows) {
    c.name_wide = std::max(c.name_wide, wide(row.name, kLedgerName, row.total ? Font::words_bold : Font::words));
    key = std::max(key, row.key.empty() ? 0 : wide(row.key, kLedgerTableToken, Font::mono) + 8 + 36);
    instead = std::max(instead, wide(row.instead, kLedgerSmall, Font::words));
    if (std::isfinite(row.length)) longest = std::max(longest, row.length);
    for (const double length : {row.running, row.before})
      if (std::isfinite(length)) farthest = std::max(farthest, length);
  }
  c.name_wide = std::min(c.name_wide, 0.22f * width);
  c.key = c.name + c.name_wide + kLedgerGap;
  c.key_wide = std::min(std::max({key, instead, wide(tr("looked at most"), kLedgerSmall, Font::words)}), 0.19f * width);
  c.end = width - 8;
  c.running_wide = std::max(compact ? 96.0f : 118.0f, wide(tr("running length"), kLedgerSmall, Font::words));
  c.running = c.end - c.running_wide;
  c.cosine_wide = compact ? kLedgerNumber : std::max(88.0f, wide(tr("cosine with E"), kLedgerSmall, Font::words));
  c.cosine = c.running - kLedgerGap - c.cosine_wide;
  c.length_wide = compact ? kLedgerNumber + 2 : 92;
  c.length = c.cosine - kLedgerGap - c.length_wide;
  c.strip = c.key + c.key_wide + kLedgerGap;
  c.strip_wide = std::max(24.0f, c.length - kLedgerGap - c.strip);

  const float head = y + kLedgerTableHead / 2;
  pen.text(c.key, head, tr("looked at most"), kLedgerSmall, Font::words, theme.secondary, Align::start, c.key_wide);
  pen.text(c.length + c.length_wide, head, tr("length"), kLedgerSmall, Font::words, theme.secondary, Align::end, c.length_wide);
  pen.text(c.cosine + c.cosine_wide, head, compact ? tr("cosine") : tr("cosine with E"), kLedgerSmall, Font::words,
           theme.secondary, Align::end, c.cosine_wide);
  pen.text(c.end, head, tr("running length"), kLedgerSmall, Font::words, theme.secondary, Align::end, c.running_wide);
  const auto at_dimension = [&](std::int64_t dimension) {
    const std::size_t d = input.rows.empty() ? 1 : std::max<std::size_t>(1, input.rows.front().vector.size());
    return c.strip + c.strip_wide * static_cast<float>(dimension) / static_cast<float>(d);
  };
  const bool bracketed = input.count > 0 && !input.rows.empty();
  if (bracketed) {
    const auto d = static_cast<std::int64_t>(input.rows.front().vector.size());
    const std::string last = std::to_string(d - 1);
    const std::string words = std::to_string(input.first) + "–" + std::to_string(input.first + input.count - 1);
    const float half = wide(words, kLedgerSmall, Font::mono) / 2;
    const float x = std::clamp((at_dimension(input.first) + at_dimension(input.first + input.count)) / 2, c.strip + half,
                               std::max(c.strip + half, c.strip + c.strip_wide - half));
    pen.text(x, head, words, kLedgerSmall, Font::mono, theme.selected, Align::middle);
    if (x - half > c.strip + 18) pen.text(c.strip, head, "0", kLedgerSmall, Font::mono, theme.secondary);
    if (x + half < c.strip + c.strip_wide - wide(last, kLedgerSmall, Font::mono) - 8)
      pen.text(c.strip + c.strip_wide, head, last, kLedgerSmall, Font::mono, theme.secondary, Align::end);
  }
  y += kLedgerTableHead + kBracket;

  const float top = y;
  // The amber bracket: open downwards above the strips, upwards below them.
  const auto draw_bracket = [&](float at, float to) {
    if (!bracketed) return;
    const float left = at_dimension(input.first), right = at_dimension(input.first + input.count);
    pen.line({left, at}, {right, at}, theme.selected, 1.5f);
    pen.line({left, at}, {left, to}, theme.selected, 1.5f);
    pen.line({right, at}, {right, to}, theme.selected, 1.5f);
  };
  draw_bracket(top - kBracket + 1, top - 1);

  for (std::size_t n = 0; n < input.rows.size(); ++n) {
    const LedgerInput::Row& row = input.rows[n];
    if (row.rule) {
      pen.line({0, y + kRule / 2}, {width, y + kRule / 2}, theme.line);
      y += kRule;
    }
    const Tag tag{Tag::row, static_cast<std::int64_t>(n), 0};
    const bool current = tag.a == input.current, hot = tag.a == input.hot, lit = current || hot;
    const float middle = y + input.row_height / 2;
    pen.box({1, y + 1, width - 2, input.row_height - 2}, lit ? with_alpha(theme.selected, 0.1f) : Color{0, 0, 0, 0},
            current ? theme.selected : Color{0, 0, 0, 0}, current ? 1.0f : 0.0f, 8, tag);
    const Color ink = lit ? theme.selected : theme.text;
    pen.text(12, middle, row.sign, kLedgerName, Font::mono, lit ? ink : theme.secondary, Align::middle, 0, tag);
    pen.text(c.name, middle, row.name, kLedgerName, row.total ? Font::words_bold : Font::words, ink, Align::start,
             c.name_wide + 4, tag);
    if (row.key.empty()) {
      pen.text(c.key, middle, row.instead, kLedgerSmall, Font::words, theme.secondary, Align::start, c.key_wide, tag);
    } else {
      if (row.hue >= 0)
        pen.box({c.key, middle - 8, 3, 16}, theme.hues[static_cast<std::size_t>(row.hue) % theme.hues.size()], {0, 0, 0, 0}, 0,
                1);
      pen.text(c.key + 8, middle, row.key, kLedgerTableToken, Font::mono, ink, Align::start, c.key_wide - 8 - 36, tag);
      pen.text(c.key + c.key_wide, middle, cell_number(row.weight), kLedgerSmall, Font::mono, lit ? ink : theme.secondary,
               Align::end, 0, tag);
    }
    const float high = std::min(20.0f, input.row_height - 6);
    add_strip(figure, {c.strip, middle - high / 2, c.strip_wide, high}, row.vector,
              row.part && !input.one_scale ? input.part_range : input.total_range, {Tag::cell_area, tag.a, 0});

    pen.text(c.length + c.length_wide, middle, cell_number(row.length), kLedgerSmall, Font::mono, theme.text, Align::end, 0, tag);
    pen.text(c.cosine + c.cosine_wide, middle, std::isnan(row.cosine) ? "–" : cell_number(row.cosine), kLedgerSmall, Font::mono,
             theme.text, Align::end, 0, tag);
    pen.text(c.end, middle, cell_number(row.running), kLedgerSmall, Font::mono, theme.text, Align::end, 0, tag);
    if (!compact) {
      pen.bar({c.length, middle - 4, c.length_wide - kLedgerNumber - 4, 8},
              longest > 0 || !std::isfinite(row.length) ? row.length / longest : 0, row.total ? theme.secondary : theme.info);
      const float both = c.cosine_wide - kLedgerNumber, centre = c.cosine + both / 2;  // from -1 to 1
      pen.box({c.cosine, middle - 4, both, 8}, theme.raised, {0, 0, 0, 0}, 0, 3);
      const auto share = static_cast<float>(std::isnan(row.cosine) ? 0 : row.cosine) * both / 2;
      pen.box({share < 0 ? centre + share : centre, middle - 4, std::abs(share), 8},
              share < 0 ? theme.signed_low : theme.signed_high, {0, 0, 0, 0}, 0, 2);
      pen.line({centre, middle - 6}, {centre, middle + 6}, theme.secondary);
    }
    const float track = c.running_wide - kLedgerNumber - 4;
    const auto x = [&](double length) { return farthest > 0 ? static_cast<float>(length / farthest) * track : 0.0f; };
    if (const NonFinite kind = non_finite(row.running); kind != NonFinite::none) {
      figure.add(gap_mark(kind, {c.running, middle - 4, track, 8}));
      y += input.row_height;
      continue;
    }
    const double before = std::isfinite(row.before) ? row.before : row.running;
    const float stays = x(std::min(before, row.running)), moves = x(std::abs(row.running - before));
    pen.box({c.running, middle - 4, track, 8}, theme.raised, {0, 0, 0, 0}, 0, 3);
    pen.box({c.running, middle - 4, stays, 8}, row.total ? theme.secondary : with_alpha(theme.secondary, 0.55f), {0, 0, 0, 0}, 0,
            3);
    if (moves > 0)
      pen.box({c.running + stays, middle - 6, std::max(1.0f, moves), 12},
              row.running < before ? theme.signed_low : theme.signed_high, {0, 0, 0, 0}, 0, 1);
    y += input.row_height;
  }
  if (farthest > 0 && input.start > 0) {  // the length of E, dotted down the column of running lengths
    const float x = c.running + static_cast<float>(input.start / farthest) * (c.running_wide - kLedgerNumber - 4);
    for (float at = top; at < y; at += 6) pen.line({x, at}, {x, std::min(at + 2, y)}, theme.secondary);
  }
  draw_bracket(y + kBracket - 1, y + 1);
  y += kBracket;

  // A tick drawn as two lines, because not every font has one.
  const float check = y + kCheck / 2;
  const Color color = input.good ? theme.good : theme.wrong;
  if (input.good) {
    pen.line({2, check}, {7, check + 5}, color, 2);
    pen.line({7, check + 5}, {16, check - 6}, color, 2);
  } else {
    pen.line({3, check - 5}, {13, check + 5}, color, 2);
    pen.line({3, check + 5}, {13, check - 5}, color, 2);
  }
  const float number = wide(input.difference, kLedgerSmall, Font::mono), room = width - 24;
  // Where there is room for one of the two it is the check.
  constexpr float kLeastCheck = 11;
  const float whole = wide(input.check, kLedgerName, Font::words), beside = std::max(40.0f, room - number - 16);
  const bool both = whole * kLeastCheck / kLedgerName <= 0.9f * beside;
  const float most = both ? beside : room, words = std::min(whole, most);
  const float size = whole > most ? std::max(kLeastCheck, 0.95f * kLedgerName * most / whole) : kLedgerName;
  // Larger type is not exactly as much wider.
  pen.text(24, check, input.check, size, Font::words, color, Align::start, 1.05f * words + 2);
  if (both)
    pen.text(24 + words + 16, check, input.difference, kLedgerSmall, Font::mono, color, Align::start,
             std::max(20.0f, room - words - 16));
  y += kCheck;

  float x = 0;
  const auto draw_scale = [&](const std::string& of, float range) {
    const auto say = [&](const std::string& text, Font font) {
      pen.text(x, y + kLegend / 2, text, kLedgerSmall, font, theme.secondary);
      x += wide(text, kLedgerSmall, font) + 8;
    };
    say(of, Font::words);
    say(range_number(-static_cast<double>(range)), Font::mono);
    figure.add(ColorBar{{x, y + kLegend / 2 - 4, 80, 8}, "signed", false});
    x += 88;
    say(range_number(static_cast<double>(range)), Font::mono);
    x += 16;
  };
  draw_scale(input.one_scale ? tr("all vectors") : tr("totals"), input.total_range);
  if (!input.one_scale) draw_scale(tr("heads, biases"), input.part_range);
  y += kLegend;
  if (!input.note.empty()) {
    pen.text(0, y + kNote / 2 - 2, input.note, kLedgerSmall, Font::words, theme.secondary, Align::start, width, kNoteTag);
    y += kNote;
  }
  figure.height = y;
  add_ledger_data(figure, input);
  return figure;
}

}  // namespace headlight::figures
