#include "app/views/tokens/word_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/text/language.h"
#include "engine/core/sorting.h"
#include "engine/text/grouped_number.h"

namespace headlight::figures {
namespace {

constexpr float kScoreBar = 34, kBarPitch = 44, kLetters = 30, kSums = 34, kWordLine = 26, kTry = 17;
constexpr float kRanks = 92;  // to the right of a merge tree

std::string piece_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}
std::string negative(double value) { return value < 0 ? "−" + piece_number(-value) : piece_number(value); }

bool is_lit(const TokenLight& light, const Letter& letter) {
  return light.start >= 0 && letter.start < light.end && letter.end > light.start;
}

// The columns of the letters.
struct LetterColumns {
  const std::vector<Letter>& letters;
  float left, each;
  LetterColumns(const std::vector<Letter>& all, float from, float width)
      : letters(all), left(from), each(width / static_cast<float>(std::max<std::size_t>(1, all.size()))) {}
  float at(std::size_t boundary) const { return left + each * static_cast<float>(boundary); }
  Box box(std::size_t from, std::size_t to, float y, float h) const { return {at(from) + 1.5f, y, at(to) - at(from) - 3, h}; }
};

// Lights the letters' columns and makes them what the mouse finds where nothing lies above.
void add_columns(const Composer& pen, const LetterColumns& columns, const TokenLight& light, float height) {
  for (std::size_t i = 0; i < columns.letters.size(); ++i)
    pen.box({columns.at(i), 0, columns.each, height},
            is_lit(light, columns.letters[i]) ? with_alpha(pen.theme.selected, 0.10f) : Color{0, 0, 0, 0}, {}, 0, 0,
            {Tag::column, static_cast<std::int64_t>(i), 0});
}
void add_letters(const Composer& pen, const LetterColumns& columns, const TokenLight& light, float y, float size) {
  for (std::size_t i = 0; i < columns.letters.size(); ++i) {
    const Letter& letter = columns.letters[i];
    const std::string shown = first_that_fits({letter.text}, columns.each + 2, size, Font::mono, pen.measure);
    pen.text(columns.at(i) + columns.each / 2, y, shown, size, Font::mono,
             is_lit(light, letter) ? pen.theme.selected : pen.theme.text, Align::middle);
  }
}

// The level of each bar: the longest ones above, none over another.
std::vector<std::size_t> levels_of(const std::vector<LatticeInput::Piece>& pieces, std::size_t& count) {
  std::vector<std::size_t> order(pieces.size()), levels(pieces.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  sort_stably(order, [&](std::size_t a, std::size_t b) { return pieces[a].to - pieces[a].from < pieces[b].to - pieces[b].from; });
  std::vector<std::vector<std::size_t>> taken;  // from below
  for (const std::size_t p : order) {
    std::size_t level = 0;
    const auto free = [&] {
      return std::none_of(taken[level].begin(), taken[level].end(), [&](std::size_t other) {
        return pieces[other].from < pieces[p].to && pieces[p].from < pieces[other].to;
      });
    };
    while (level < taken.size() && !free()) ++level;
    if (level == taken.size()) taken.emplace_back();
    taken[level].push_back(p);
    levels[p] = level;
  }
  count = taken.size();
  for (std::size_t& level : levels) level = count - 1 - level;
  return levels;
}

bool holds(const LatticeInput& input, std::size_t path, std::size_t piece) {
  return path < input.paths.size() &&
         std::find(input.paths[path].pieces.begin(), input.paths[path].pieces.end(), piece) != input.paths[path].pieces.end();
}
std::size_t runner_up(const LatticeInput& input) { return input.chosen == 0 ? 1 : 0; }

// The steps of a path from bar to bar.
void add_steps(const Composer& pen, const LatticeInput& input, std::size_t path, const LetterColumns& columns,
               const std::vector<std::size_t>& levels, Color color, float aside) {
  if (path >= input.paths.size()) return;
  const auto& pieces = input.paths[path].pieces;
  const auto middle = [&](std::size_t piece) { return static_cast<float>(levels[piece]) * kBarPitch + kScoreBar / 2; };
  for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
    const float x = columns.at(input.pieces[pieces[i]].to) + aside, from = middle(pieces[i]), to = middle(pieces[i + 1]);
    if (from != to) pen.line({x, from}, {x, to}, color, 2);
  }
}

}  // namespace

Figure lattice_picture(const LatticeInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  figure.title = tr("the lattice of a word");
  const Composer pen{figure, theme, measure};
  const LetterColumns columns(input.letters, 14, width - 28);
  std::size_t count = 0;
  const std::vector<std::size_t> levels = levels_of(input.pieces, count);
  const float bars = static_cast<float>(count) * kBarPitch;
  figure.height = bars + kLetters + kSums;
  add_columns(pen, columns, input.light, bars + kLetters);
  for (std::size_t i = 0; i <= input.letters.size(); ++i)
    pen.line({columns.at(i), 0}, {columns.at(i), bars}, with_alpha(theme.line, 0.7f));
  const std::size_t second = runner_up(input);
  add_steps(pen, input, second, columns, levels, theme.info, 1.5f);
  add_steps(pen, input, input.chosen, columns, levels, theme.selected, -1.5f);
  for (std::size_t p = 0; p < input.pieces.size(); ++p) {
    const auto& piece = input.pieces[p];
    const bool first = holds(input, input.chosen, p), also = holds(input, second, p);
    const Box box = columns.box(piece.from, piece.to, static_cast<float>(levels[p]) * kBarPitch, kScoreBar);
    const Color edge = piece.forbidden ? theme.wrong : first ? theme.selected : also ? theme.info : theme.line;
    pen.box(box, theme.raised);
    pen.box(box, first || also ? with_alpha(edge, 0.16f) : Color{0, 0, 0, 0}, edge, first ? 2.0f : 1.0f, 5,
            {Tag::bar, static_cast<std::int64_t>(p), 0});
    if (first && also) pen.line({box.x + 5, box.y + box.h - 4}, {box.x + box.w - 5, box.y + box.h - 4}, theme.info, 2);
    const Color ink = piece.forbidden ? theme.faint : theme.text, quiet = first  ? theme.selected
                                                                          : also ? theme.info
                                                                                 : theme.secondary;
    const std::string score = negative(piece.score);
    const float text = measure.width(piece.text, 14, Font::mono), scored = measure.width(score, 12, Font::mono);
    if (text + scored + 16 <= box.w) {
      pen.text(box.x + (box.w - scored - 6) / 2, box.y + kScoreBar / 2, piece.text, 14, Font::mono, ink, Align::middle);
      pen.text(box.x + (box.w + text + 6) / 2, box.y + kScoreBar / 2, score, 12, Font::mono, quiet, Align::middle);
    } else {
      const std::string below = first_that_fits({score, piece_number(std::abs(piece.score)), ""}, box.w, 12, Font::mono, measure);
      pen.text(box.x + box.w / 2, box.y + (below.empty() ? kScoreBar / 2 : 11),
               first_that_fits({piece.text, ""}, box.w, 14, Font::mono, measure), 14, Font::mono, ink, Align::middle);
      pen.text(box.x + box.w / 2, box.y + 25, below, 12, Font::mono, quiet, Align::middle);
    }
    if (piece.forbidden) pen.line({box.x + 4, box.y + box.h / 2}, {box.x + box.w - 4, box.y + box.h / 2}, theme.wrong, 1.5f);
  }
  add_letters(pen, columns, input.light, bars + kLetters / 2, 16);
  const float line = bars + kLetters + 4;
  pen.line({columns.at(0), line}, {columns.at(input.letters.size()), line}, theme.line);
  float free = 0;  // what is written so far ends here
  for (std::size_t i = 0; i < input.best.size(); ++i) {
    const bool on = i == 0 || (input.chosen < input.paths.size() &&
                               std::any_of(input.paths[input.chosen].pieces.begin(), input.paths[input.chosen].pieces.end(),
                                           [&](std::size_t p) { return input.pieces[p].to == i; }));
    figure.add(Disc{{columns.at(i), line}, on ? 3.5f : 2.0f, on ? theme.selected : theme.secondary});
    if (!std::isfinite(input.best[i])) continue;
    char sum[32];
    std::snprintf(sum, sizeof sum, "%.1f", std::abs(input.best[i]));
    const std::string shown = (input.best[i] < 0 ? "−" : "") + std::string(i == 0 ? "0" : sum);
    const float half = measure.width(shown, 12, Font::mono) / 2;
    const float x = std::clamp(columns.at(i), half, std::max(half, width - half));
    if (x - half < free || (!on && columns.each < 2 * half + 4 && i % 2)) continue;
    pen.text(x, line + 16, shown, 12, Font::mono, on ? theme.selected : theme.secondary, Align::middle);
    free = x + half + 4;
  }
  Data data{"pieces",
            Tensor(DType::f32, {static_cast<std::int64_t>(input.pieces.size()), 3}),
            {"piece", "of it"},
            {{}, {"from", "to", "log-probability"}}};
  for (std::size_t p = 0; p < input.pieces.size(); ++p) {
    float* const row = data.values.data<float>() + 3 * p;
    row[0] = static_cast<float>(input.pieces[p].from);
    row[1] = static_cast<float>(input.pieces[p].to);
    row[2] = static_cast<float>(input.pieces[p].score);
    data.labels[0].push_back(input.pieces[p].text);
  }
  figure.data.push_back(std::move(data));
  return figure;
}

Figure lattice_paths(const LatticeInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  figure.height = 22 + kWordLine * static_cast<float>(input.paths.size());
  const Composer pen{figure, theme, measure};
  const bool bars = width >= 420;
  const float share = bars ? 92.0f : 0.0f, sums = width - 64 - share;
  pen.text(0, 10, tr("the best paths"), 13, Font::words, theme.secondary);
  pen.text(sums, 10, tr("sum"), 13, Font::words, theme.secondary, Align::end);
  pen.text(width, 10, tr("share"), 13, Font::words, theme.secondary, Align::end);
  for (std::size_t i = 0; i < input.paths.size(); ++i) {
    const auto& path = input.paths[i];
    const float y = 22 + kWordLine * static_cast<float>(i);
    const Color color = i == input.chosen ? theme.selected : i == runner_up(input) ? theme.info : theme.text;
    pen.box({0, y, width, kWordLine}, {0, 0, 0, 0}, {}, 0, 4, {Tag::row, static_cast<std::int64_t>(i), 0});
    std::string words;
    for (const std::size_t p : path.pieces) words += (words.empty() ? "" : " | ") + input.pieces[p].text;
    pen.text(0, y + kWordLine / 2, words, 14, Font::mono, color, Align::start, sums - 76);
    pen.text(sums, y + kWordLine / 2, negative(path.sum), 13, Font::mono, color, Align::end);
    if (bars) pen.bar({sums + 16, y + kWordLine / 2 - 3, 76, 6}, path.share, color);
    char percent[32];
    std::snprintf(percent, sizeof percent, "%.1f %%", 100 * path.share);
    pen.text(width, y + kWordLine / 2, percent, 13, Font::mono, color, Align::end);
  }
  return figure;
}

Figure tries_picture(const TriesInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.width = width;
  figure.title = tr("WordPiece's tries for a word");
  const Composer pen{figure, theme, measure};
  const float lead = measure.width(input.prefix, 12, Font::mono) + 4;
  const LetterColumns columns(input.letters, lead, width - lead - 18);
  float y = kLetters;
  float height = kLetters;
  for (const auto& one : input.tries) height += one.found ? kTry + 12 : input.folded ? 0 : kTry;
  figure.height = height + 6;
  add_columns(pen, columns, input.light, figure.height);
  add_letters(pen, columns, input.light, kLetters / 2, 16);
  std::int64_t tried = 0;
  for (const auto& one : input.tries) {
    ++tried;
    if (!one.found && input.folded) continue;
    const float middle = y + kTry / 2 + (one.found ? 4 : 0);
    if (one.found) {
      const Box box = columns.box(one.from, one.to, y + 1, kTry + 6);
      pen.box(box, with_alpha(theme.good, 0.18f), theme.good, 1, 4);
    }
    const Color ink = one.found ? theme.text : theme.faint;
    if (one.from > 0) pen.text(columns.at(one.from) - 2, middle, input.prefix, 12, Font::mono, ink, Align::end);
    for (std::size_t i = one.from; i < one.to; ++i)
      pen.text(columns.at(i) + columns.each / 2, middle,
               first_that_fits({input.letters[i].text, ""}, columns.each, 13, Font::mono, measure), 13, Font::mono, ink,
               Align::middle);
    const float behind = columns.at(one.to) + 4;
    if (one.found) {
      const std::string words = fill(tried == 1 ? tr("first try") : tr("{} tries"), {text::grouped_number(tried)});
      const float room = measure.width(words, 13, Font::words);
      if (behind + room + 16 <= width) {
        pen.text(behind + 4, middle, "✓ " + words, 13, Font::words, theme.good);
      } else if (columns.at(one.from) - lead - room - 18 > 0) {
        pen.text(columns.at(one.from) - lead - 4, middle, "✓ " + words, 13, Font::words, theme.good, Align::end);
      }
      tried = 0;
      y += kTry + 12;
    } else {
      const float c = behind + 4, r = 3;
      pen.line({c - r, middle - r}, {c + r, middle + r}, theme.wrong, 1.5f);
      pen.line({c - r, middle + r}, {c + r, middle - r}, theme.wrong, 1.5f);
      y += kTry;
    }
  }
  return figure;
}

Figure joins_picture(const JoinsInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  constexpr float kPart = 22, kRank = 18, kLead = 24;
  Figure figure;
  figure.width = width;
  figure.height = static_cast<float>(input.states.size()) * (kPart + kRank) + 4;
  figure.title = tr("BPE's joins for a word");
  const Composer pen{figure, theme, measure};
  const LetterColumns columns(input.letters, kLead, width - kLead);
  add_columns(pen, columns, input.light, figure.height);
  for (std::size_t s = 0; s < input.states.size(); ++s) {
    const auto& state = input.states[s];
    const float y = static_cast<float>(s) * (kPart + kRank);
    if (s > 0) pen.text(kLead - 8, y + kPart / 2, std::to_string(s), 12, Font::mono, theme.secondary, Align::end);
    for (std::size_t p = 0; p < state.parts.size(); ++p) {
      const auto& part = state.parts[p];
      const bool fresh = s > 0 && static_cast<std::int64_t>(p) == input.states[s - 1].chosen;
      bool lit = false;
      for (std::size_t i = part.from; i < part.to; ++i) lit = lit || is_lit(input.light, input.letters[i]);
      const Box box = columns.box(part.from, part.to, y, kPart);
      pen.box(box, theme.raised, fresh ? theme.text : theme.line, fresh ? 1.6f : 1.0f, 4);
      pen.text(box.x + box.w / 2, y + kPart / 2, first_that_fits({part.text, "·"}, box.w, 13, Font::mono, measure), 13,
               Font::mono, lit ? theme.selected : theme.text, Align::middle);
    }
    float free = 0;
    for (std::size_t p = 0; p < state.ranks.size(); ++p) {
      const float x = columns.at(state.parts[p].to);
      const bool chosen = static_cast<std::int64_t>(p) == state.chosen;
      const std::string shown = state.ranks[p] < 0 ? "–" : std::to_string(state.ranks[p]);
      const float half = measure.width(shown, 12, Font::mono) / 2;
      const bool next = static_cast<std::int64_t>(p) + 1 == state.chosen;  // which needs the room itself
      if (chosen) {
        pen.line({x - 9, y + kPart + 1}, {x - 9, y + kPart + 3.5f}, theme.info, 1.5f);
        pen.line({x - 9, y + kPart + 3.5f}, {x + 9, y + kPart + 3.5f}, theme.info, 1.5f);
        pen.line({x + 9, y + kPart + 1}, {x + 9, y + kPart + 3.5f}, theme.info, 1.5f);
      }
      const float from = std::min(x - half, width - 2 * half);
      if (!chosen && (from < free || (next && x + half > columns.at(state.parts[p + 1].to) - 16))) continue;
      if (!chosen || from >= free)
        pen.text(from + half, y + kPart + kRank / 2 + 1, shown, 12, Font::mono, chosen ? theme.info : theme.secondary,
                 Align::middle);
      free = from + 2 * half + 3;
    }
  }
  return figure;
}

Figure merge_tree(const JoinsInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  constexpr float kTreeLine = 21, kTreeBox = 18, kTreeFoot = 24;
  Figure figure;
  figure.width = width;
  figure.title = tr("how a token came to be");
  const std::size_t joins = input.states.empty() ? 0 : input.states.size() - 1;
  figure.height = static_cast<float>(joins) * kTreeLine + kTreeFoot;
  const Composer pen{figure, theme, measure};
  if (input.states.empty()) return figure;
  const bool ranks = width >= 2 * kRanks;
  const LetterColumns columns(input.letters, 0, width - (ranks ? kRanks : 0) - 8);
  const float bottom = static_cast<float>(joins) * kTreeLine;
  for (std::size_t i = 0; i < input.letters.size(); ++i) {
    const auto& letter = input.letters[i];
    pen.text(columns.at(i) + columns.each / 2, bottom + kTreeFoot / 2,
             first_that_fits({letter.text, letter.text.starts_with("0x") ? letter.text.substr(2) : "", "·"}, columns.each + 3,
                             columns.each < 16 ? 12.0f : 14.0f, Font::mono, measure),
             columns.each < 16 ? 12.0f : 14.0f, Font::mono, is_lit(input.light, letter) ? theme.selected : theme.text,
             Align::middle);
  }
  struct Node {
    float x, y;  // where the line up begins
  };
  std::vector<Node> nodes;
  for (const auto& part : input.states.front().parts)
    nodes.push_back({(columns.at(part.from) + columns.at(part.to)) / 2, bottom + 4});
  Figure above;
  const Composer upper{above, theme, measure};
  for (std::size_t s = 0; s + 1 < input.states.size(); ++s) {
    const auto& state = input.states[s];
    if (state.chosen < 0) break;
    const auto at = static_cast<std::size_t>(state.chosen);
    const float y = bottom - static_cast<float>(s + 1) * kTreeLine, middle = y + kTreeBox / 2;
    const Node left = nodes[at], right = nodes[at + 1];
    const bool last = s + 2 == input.states.size();
    const auto& made = input.states[s + 1].parts[at];
    const float x = (left.x + right.x) / 2;
    pen.line({left.x, middle}, {left.x, left.y}, theme.secondary);
    pen.line({right.x, middle}, {right.x, right.y}, theme.secondary);
    pen.line({left.x, middle}, {right.x, middle}, theme.secondary);
    const float wide = std::min(measure.width(made.text, 12, Font::mono) + 10, columns.at(columns.letters.size()));
    const float from = std::clamp(x - wide / 2, 0.0f, std::max(0.0f, columns.at(columns.letters.size()) - wide));
    upper.box({from, y, wide, kTreeBox}, theme.raised, last ? theme.selected : theme.line, 1, 4);
    upper.text(from + wide / 2, middle, made.text, 12, Font::mono, last ? theme.selected : theme.text, Align::middle, wide - 4);
    if (ranks)
      pen.text(width, middle, text::grouped_number(state.ranks[at]), 12, Font::mono, last ? theme.selected : theme.secondary,
               Align::end);
    nodes[at] = {x, y};
    nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  for (Item& item : above.items) figure.items.push_back(std::move(item));
  return figure;
}

}  // namespace headlight::figures
