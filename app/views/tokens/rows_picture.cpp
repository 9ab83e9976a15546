#include "app/views/tokens/rows_picture.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>

#include "app/figures/base/compose.h"
#include "app/figures/tokens/chip_rows.h"
#include "app/text/language.h"
#include "engine/core/sorting.h"

namespace headlight::figures {
namespace {

constexpr float kRuler = 36, kNarrowest = 16, kRowsWidest = 40, kCutPiece = 46;
constexpr float kColumn = 70, kChip = 46;
constexpr float kStageHead = 34, kStagePitch = 34, kStageCell = 24;
// What a piece needs: its text at the smallest size and some space, up to a limit; a byte of it is at most kByteWidth wide.
constexpr float kSmallest = 12, kPiecePad = 11, kMostForPiece = 64, kByteWidth = 7.5f;
constexpr std::size_t kLongest = 6;

// The positions of the parts of a row, for a given distance between rows.
struct Rows {
  // heights of the ruler and of a chip; the middles of two lines beside the chip, from its top
  float pitch, ruler, chip, first, second;
  explicit Rows(float distance)
      : pitch(distance),
        ruler(distance < kTokenPitch ? 28 : kRuler),
        chip(distance < kTokenPitch ? std::min(distance - 6, kChip) : kChip),
        first(2 + chip * 0.27f),
        second(2 + chip * 0.73f) {}
  float top(std::size_t row) const { return ruler + static_cast<float>(row) * pitch; }
  // the top of the stages' heading, behind so many rows
  float below(std::size_t rows) const { return top(rows) - pitch + chip + 12; }
};

// The character that contains byte `at`.
std::size_t character_at(const TokenRowsInput& input, std::int64_t at) {
  const auto after = std::upper_bound(input.characters.begin(), input.characters.end(), at,
                                      [](std::int64_t byte, const auto& character) { return byte < character.start; });
  return after == input.characters.begin() ? 0 : static_cast<std::size_t>(after - input.characters.begin()) - 1;
}

float byte_place(const TokenRowsInput& input, const CharacterPlaces& places, std::int64_t byte) {
  if (input.characters.empty()) return 0;
  if (byte >= input.characters.back().end) return places.width();
  const std::size_t i = character_at(input, byte);
  const auto& character = input.characters[i];
  const float share =
      static_cast<float>(byte - character.start) / static_cast<float>(std::max<std::int64_t>(1, character.end - character.start));
  return places.left[i] + (places.left[i + 1] - places.left[i]) * std::clamp(share, 0.0f, 1.0f);
}

bool is_hot(const TokenLight& light, std::int64_t start, std::int64_t end) {
  return light.start >= 0 && start < light.end && end > light.start;
}

}  // namespace

namespace {

std::vector<float> widths_of(const TokenRowsInput& input, float base, const TextMeasure& measure) {
  std::vector<float> wide(input.characters.size(), base);
  if (wide.empty()) return wide;
  for (std::size_t c = 0; input.by_bytes && c < wide.size(); ++c)
    wide[c] *= static_cast<float>(input.characters[c].end - input.characters[c].start);
  for (const TokenRow& row : input.rows) {
    std::int64_t reached = 0;
    for (const auto& piece : row.pieces) {
      if (piece.end <= piece.start) continue;
      // A piece before it stands for its character, too: a sign for a space, or another byte of an unknown character.
      const bool shares = reached > piece.start;
      reached = std::max(reached, piece.end);
      const std::size_t first = character_at(input, piece.start);
      const auto& character = input.characters[first];
      const std::int64_t bytes = character.end - character.start;
      // wide enough for each part of the character to show its bytes
      if (piece.end <= character.end && piece.end - piece.start < bytes) {
        const std::int64_t shown = bytes + (shares ? piece.end - piece.start : 0);
        wide[first] = std::max(wide[first], kCutPiece * static_cast<float>(shown) / static_cast<float>(piece.end - piece.start));
        continue;
      }
      // A short piece is shown completely ("##y" over one narrow letter); a long one has room, or gets an ellipsis.
      std::size_t last = first;
      float has = wide[first];
      while (last + 1 < wide.size() && input.characters[last + 1].start < piece.end) has += wide[++last];
      const float times = shares ? 2 : 1;
      if (last - first >= kLongest || times * (static_cast<float>(piece.text.size()) * kByteWidth + kPiecePad) <= has) continue;
      const float needs = times * std::min(measure.width(piece.text, kSmallest, Font::mono) + kPiecePad, kMostForPiece);
      for (std::size_t c = first; c <= last && has < needs; ++c) wide[c] += (needs - has) / static_cast<float>(last - first + 1);
    }
  }
  return wide;
}

// Where the chip of a piece stands. Pieces that stand for the same characters (the bytes of one that is unknown) share its room,
// and so do a sign for a space before the text, which stands for the first character, and the pieces of that character.
std::pair<float, float> extent_of(const TokenRowsInput& input, const CharacterPlaces& places,
                                  const std::vector<TokenRow::Piece>& pieces, std::size_t p) {
  constexpr std::size_t kLooked = 8;  // pieces before this one that may reach beyond its beginning
  std::size_t first = p;
  for (std::size_t q = p; q-- > 0 && first - q <= kLooked;)
    if (pieces[q].end > pieces[first].start) first = q;
  const auto bytes = [&](std::size_t q) {
    return static_cast<float>(std::max<std::int64_t>(pieces[q].end - pieces[q].start, 0));
  };
  std::int64_t end = pieces[first].end;
  float all = 0, before = 0, own = 0;
  for (std::size_t q = first; q < pieces.size() && (q == first || pieces[q].start < end); ++q) {
    const bool is_covered = q + 1 < pieces.size() && pieces[q + 1].start < pieces[q].end && bytes(q + 1) > 0;
    const float share = is_covered ? std::min(bytes(q), bytes(q + 1)) : bytes(q);
    if (q < p) before += share;
    if (q == p) own = share;
    all += share;
    end = std::max(end, pieces[q].end);
  }
  const float left = byte_place(input, places, pieces[first].start), right = byte_place(input, places, end);
  return {left + (right - left) * before / all, left + (right - left) * (before + own) / all};
}

float stage_top(const Rows& rows, const TokenRowsInput& input, std::size_t stage) {
  return rows.below(input.rows.size()) + kStageHead + static_cast<float>(stage) * kStagePitch;
}

// What a body is drawn from.
struct Axis {
  const TokenRowsInput& input;
  const CharacterPlaces& places;
  TokenLight light;
  float from, to;
  const Theme& theme;
  float at(std::int64_t byte) const { return byte_place(input, places, byte); }
  bool seen(std::int64_t start, std::int64_t end) const { return at(end) >= from && at(start) <= to; }
};

// Hatching from box.x to `right`, for text that has no token.
void add_hatching(Figure& figure, Box box, float right, const Theme& theme) {
  box.w = right - box.x;
  if (box.w < 2) return;
  figure.add(Rectangle{box, {0, 0, 0, 0}, theme.line, 1, std::min(4.0f, box.w / 3)});
  for (float d = 7 - box.h; d < box.w; d += 7) {  // a line from (d, h) up to (d + h, 0), inside the box
    const float low = std::max(0.0f, d), high = std::min(box.w, d + box.h);
    if (high - low > 1)
      figure.add(Line{{box.x + low, box.y + box.h - (low - d)}, {box.x + high, box.y + box.h - (high - d)}, theme.line});
  }
}

// The bytes at which a row's tokens begin or end, and whether a byte is in a token.
struct Cuts {
  std::vector<std::int64_t> at;
  std::vector<std::pair<std::int64_t, std::int64_t>> covered;
  bool has(std::int64_t byte) const { return std::binary_search(at.begin(), at.end(), byte); }
  bool covers(std::int64_t byte) const {
    const auto after =
        std::upper_bound(covered.begin(), covered.end(), byte, [](std::int64_t b, const auto& one) { return b < one.first; });
    return after != covered.begin() && (after - 1)->second > byte;
  }
};
Cuts cuts_of(const TokenRow& row, const Axis& axis) {
  Cuts cuts;
  for (const auto& piece : row.pieces) {
    if (piece.end <= piece.start || !axis.seen(piece.start, piece.end)) continue;
    cuts.at.push_back(piece.start);
    cuts.at.push_back(piece.end);
    if (cuts.covered.empty() || cuts.covered.back().second < piece.start)
      cuts.covered.emplace_back(piece.start, piece.end);
    else
      cuts.covered.back().second = std::max(cuts.covered.back().second, piece.end);
  }
  sort_stably(cuts.at);
  cuts.at.erase(std::unique(cuts.at.begin(), cuts.at.end()), cuts.at.end());
  return cuts;
}

// The ribbons between row r and the next one, from y = `high` to `low`.
void add_ribbons(Figure& figure, const Axis& axis, std::size_t r, float high, float low) {
  if (low - high < 4) return;
  const TokenRowsInput& input = axis.input;
  const Theme& theme = axis.theme;
  const Cuts above = cuts_of(input.rows[r], axis), below = cuts_of(input.rows[r + 1], axis);
  std::vector<std::int64_t> all;
  std::set_union(above.at.begin(), above.at.end(), below.at.begin(), below.at.end(), std::back_inserter(all));
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    if (!above.covers(all[i]) || !below.covers(all[i])) continue;
    const int word = input.characters[character_at(input, all[i])].word;
    const Color hue = is_hot(axis.light, all[i], all[i + 1]) ? with_alpha(theme.selected, 0.26f)
                      : word < 0                             ? with_alpha(theme.secondary, 0.12f)
                                 : with_alpha(theme.hues[static_cast<std::size_t>(word) % theme.hues.size()], 0.12f);
    const float left = axis.at(all[i]) + (above.has(all[i]) && below.has(all[i]) ? 1.5f : 0.0f);
    const float right = axis.at(all[i + 1]) - (above.has(all[i + 1]) && below.has(all[i + 1]) ? 1.5f : 0.0f);
    figure.add(Rectangle{{left, high, std::max(0.5f, right - left), low - high}, hue});
  }
  for (const std::int64_t cut : all) {
    const bool upper = above.has(cut), lower = below.has(cut);
    if (upper == lower || !above.covers(cut - 1) || !below.covers(cut - 1) || !above.covers(cut) || !below.covers(cut)) continue;
    const float x = axis.at(cut), base = upper ? high : low, tip = upper ? low - 2 : high + 2, half = 3;
    figure.add(Polygon{{{x - half, base}, {x + half, base}, {x, tip}}, theme.background});
  }
}

// The stages before the model, on the same axis.
void add_stages(Figure& figure, const Axis& axis, const Rows& rows, const TextMeasure& measure) {
  const TokenRowsInput& input = axis.input;
  const Theme& theme = axis.theme;
  if (input.stages.empty()) return;
  const Composer pen{figure, theme, measure};
  const float head = rows.below(input.rows.size());
  pen.line({axis.from, head}, {std::min(axis.to, axis.places.width()), head}, theme.line);
  const char* const changed = tr("blue is changed,");
  const float middle = head + kStageHead / 2 + 2, behind = axis.from + measure.width(changed, 13, Font::words) + 6;
  pen.text(axis.from, middle, changed, 13, Font::words, theme.info);
  const char* const lost = tr("hatched is thrown away");
  if (behind + measure.width(lost, 13, Font::words) <= std::min(axis.to, axis.places.width()))
    pen.text(behind, middle, lost, 13, Font::words, theme.secondary);
  for (std::size_t i = 0; i < input.stages.size(); ++i) {
    const auto& stage = input.stages[i];
    const float y = stage_top(rows, input, i) + 2;
    for (const auto& [start, end] : stage.lost)
      if (axis.seen(start, end)) add_hatching(figure, {axis.at(start) + 1, y, 0, kStageCell}, axis.at(end) - 1, theme);
    for (const auto& [start, end] : stage.parts) {
      if (end <= start || !axis.seen(start, end)) continue;
      const bool hot = is_hot(axis.light, start, end);
      pen.box({axis.at(start) + 1, y, axis.at(end) - axis.at(start) - 2, kStageCell},
              hot ? with_alpha(theme.selected, 0.14f) : theme.raised, hot ? theme.selected : theme.line, hot ? 1.5f : 1.0f, 5);
    }
    // Digits of some bytes alone would be read as all of them.
    bool fits = true;
    for (std::size_t c = 0; c < stage.cells.size() && fits;) {
      const auto& cell = stage.cells[c];
      const std::size_t first = c;
      float widest = 0;
      for (; c < stage.cells.size() && stage.cells[c].start == cell.start && stage.cells[c].end == cell.end; ++c)
        widest = std::max(widest, measure.width(stage.cells[c].text, 13, Font::mono));
      const float room = axis.at(cell.end) - axis.at(cell.start);
      fits = room <= 0 || widest * static_cast<float>(c - first) <= room;
    }
    if (!fits) {
      const float width = std::min(axis.to, axis.places.width()) - axis.from;
      pen.text(axis.from, y + kStageCell / 2,
               first_that_fits({tr("the characters are too narrow here for two digits a byte"), tr("too narrow here"), ""}, width,
                               13, Font::words, measure),
               13, Font::words, theme.secondary);
      continue;
    }
    for (std::size_t c = 0; c < stage.cells.size();) {
      const auto& cell = stage.cells[c];
      std::size_t last = c + 1;  // cells that stand for the same characters share their room
      while (last < stage.cells.size() && stage.cells[last].start == cell.start && stage.cells[last].end == cell.end) ++last;
      const float left = axis.at(cell.start), each = (axis.at(cell.end) - left) / static_cast<float>(last - c);
      const bool seen = axis.seen(cell.start, cell.end);
      for (std::size_t k = 0; seen && each > 0 && c + k < last; ++k) {
        const auto& one = stage.cells[c + k];
        const float x = left + each * static_cast<float>(k);
        if (one.changed) pen.box({x + 1, y + 2, each - 2, kStageCell - 4}, with_alpha(theme.info, 0.24f), {}, 0, 3);
        const bool hot = is_hot(axis.light, one.start, one.end);
        if (measure.width(one.text, 13, Font::mono) <= each)
          pen.text(x + each / 2, y + kStageCell / 2, one.text, 13, Font::mono,
                   hot           ? theme.selected
                   : one.changed ? theme.info
                                 : theme.text,
                   Align::middle);
      }
      c = last;
    }
  }
}

}  // namespace

CharacterPlaces place_characters(const TokenRowsInput& input, float room, const TextMeasure& measure) {
  const auto bytes = static_cast<std::size_t>(input.characters.empty() ? 0 : input.characters.back().end);
  const auto count = static_cast<float>(std::max<std::size_t>(1, input.by_bytes ? bytes : input.characters.size()));
  float base = std::clamp(std::floor(room / count), kNarrowest, kRowsWidest);
  CharacterPlaces places;
  for (;; base -= 1) {  // the characters that need more take it from the others, while possible
    places.left.assign(1, 0.0f);
    places.plain = base;
    for (const float w : widths_of(input, base, measure)) places.left.push_back(places.left.back() + w);
    if (places.width() <= room || base - 1 < kNarrowest || count * kNarrowest > room) return places;
  }
}

float token_stages_height(const TokenRowsInput& input) {
  return input.stages.empty() ? 0 : kStageHead + kStagePitch * static_cast<float>(input.stages.size());
}
float token_rows_height(const TokenRowsInput& input, float pitch) {
  return Rows(pitch).below(input.rows.size()) - 8 + token_stages_height(input);
}
float token_table_width(const TokenRowsInput& input) { return kColumn * static_cast<float>(input.columns.size()) + 8; }

Figure token_names(const TokenRowsInput& input, const Theme& theme, const TextMeasure& measure, float pitch) {
  const Rows rows(pitch);
  Figure figure;
  figure.width = kNamesWidth;
  figure.height = token_rows_height(input, pitch);
  const Composer pen{figure, theme, measure};
  pen.text(0, rows.ruler / 2, tr("aligned to characters"), 13, Font::words, theme.secondary, Align::start, kNamesWidth);
  for (std::size_t r = 0; r < input.rows.size(); ++r) {
    const float y = rows.top(r);
    pen.box({0, y, kNamesWidth, rows.chip}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, {Tag::row, static_cast<std::int64_t>(r), 0});
    pen.text(0, y + rows.first, input.rows[r].name, 16, Font::words_bold, input.rows[r].current ? theme.selected : theme.text,
             Align::start, kNamesWidth - 8);
    pen.text(0, y + rows.second, input.rows[r].kind, 13, Font::words, theme.secondary, Align::start, kNamesWidth - 8);
  }
  if (!input.stages.empty()) {
    const float top = rows.below(input.rows.size());
    pen.line({0, top}, {kNamesWidth, top}, theme.line);
    pen.text(0, top + kStageHead / 2 + 2, tr("Before the model"), 15, Font::words_bold, theme.text, Align::start, kNamesWidth);
  }
  for (std::size_t i = 0; i < input.stages.size(); ++i) {
    const auto& stage = input.stages[i];
    const float y = stage_top(rows, input, i);
    pen.text(0, y + 8, stage.name, 13, Font::words, theme.text, Align::start, kNamesWidth - 8);
    // Changes are left out at the end where they do not fit.
    std::string caption = stage.caption;
    while (measure.width(caption, 12, Font::words) > kNamesWidth - 8) {
      const std::size_t comma = caption.rfind(", ");
      caption.resize(comma == std::string::npos ? 0 : comma);
    }
    pen.text(0, y + 22, caption, 12, Font::words, theme.secondary);
  }
  return figure;
}

Figure token_body(const TokenRowsInput& input, const CharacterPlaces& places, TokenLight light, float from, float to,
                  const Theme& theme, const TextMeasure& measure, float pitch) {
  const Rows rows(pitch);
  Figure figure;
  figure.width = std::max(1.0f, places.width());
  figure.height = token_rows_height(input, pitch);
  figure.title = tr("tokens");
  const Composer pen{figure, theme, measure};
  const auto first =
      static_cast<std::size_t>(std::upper_bound(places.left.begin(), places.left.end(), from) - places.left.begin());
  const std::size_t begin = first > 0 ? first - 1 : 0;
  const std::int64_t first_byte = begin < input.characters.size() ? input.characters[begin].start : 0;
  for (std::size_t i = begin; i < input.characters.size() && places.left[i] < to; ++i) {
    const auto& character = input.characters[i];
    const float x = places.left[i], w = places.left[i + 1] - x;
    const Tag tag{Tag::token, -1, static_cast<std::int64_t>(i)};
    pen.box({x, 0, w, rows.ruler}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, tag);
    pen.text(x + w / 2, rows.ruler / 2, character.text, 14, Font::mono,
             is_hot(light, character.start, character.end) ? theme.selected : theme.secondary, Align::middle, w);
  }
  for (std::size_t r = 0; r + 1 < input.rows.size(); ++r) {
    const float high = rows.top(r) + 2 + rows.chip, low = rows.top(r + 1) + 2;
    add_ribbons(figure, {input, places, light, from, to, theme}, r, high, low);
  }
  for (std::size_t r = 0; r < input.rows.size(); ++r) {
    const auto& pieces = input.rows[r].pieces;
    const float top = rows.top(r) + 2;
    const auto seen =
        std::partition_point(pieces.begin(), pieces.end(), [&](const auto& piece) { return piece.end <= first_byte; });
    std::int64_t reached = seen == pieces.begin() ? 0 : (seen - 1)->end;
    const auto gap_until = [&](std::int64_t end) {
      if (end > reached && !pieces.empty())
        add_hatching(figure, {byte_place(input, places, reached) + 1, top, 0, rows.chip}, byte_place(input, places, end) - 1,
                     theme);
      reached = std::max(reached, end);
    };
    for (auto p = static_cast<std::size_t>(seen - pieces.begin()); p < pieces.size(); ++p) {
      const auto& piece = pieces[p];
      if (piece.end <= piece.start) continue;
      const auto [left, right] = extent_of(input, places, pieces, p);
      gap_until(piece.start);
      reached = std::max(reached, piece.end);
      if (left > to) break;
      Chip chip;
      chip.text = piece.text;
      // The id of a single character is shown if all such ids of its length fit, not only those above wider characters.
      const bool narrow = right - left < kCutPiece && character_at(input, piece.start) == character_at(input, piece.end - 1);
      if (!narrow || measure.width(piece.id, kChipId, Font::mono) <= places.plain - 7) chip.id = piece.id;
      const int word = input.characters.empty() ? -1 : input.characters[character_at(input, piece.start)].word;
      chip.hue = static_cast<int>((word >= 0 ? static_cast<std::size_t>(word) : p) % theme.hues.size());
      chip.unknown = piece.unknown;
      chip.added = piece.added;
      chip.hot = is_hot(light, piece.start, piece.end);
      const float gap = right - left > 20 ? 1.5f : 0.5f;
      add_chip(figure, {left + gap, top, std::max(right - left - 2 * gap, 2.0f), rows.chip}, chip, 15, theme, measure,
               {Tag::token, static_cast<std::int64_t>(r), static_cast<std::int64_t>(p)});
    }
    if (!input.characters.empty() && byte_place(input, places, reached) <= to) gap_until(input.characters.back().end);
  }
  add_stages(figure, {input, places, light, from, to, theme}, rows, measure);
  return figure;
}

Figure token_table(const TokenRowsInput& input, const Theme& theme, const TextMeasure& measure, float pitch) {
  const Rows rows(pitch);
  Figure figure;
  figure.width = token_table_width(input);
  figure.height = token_rows_height(input, pitch);
  const Composer pen{figure, theme, measure};
  for (std::size_t c = 0; c < input.columns.size(); ++c)
    pen.text(kColumn * static_cast<float>(c + 1), rows.ruler / 2, input.columns[c], 13, Font::words, theme.secondary, Align::end);
  for (std::size_t r = 0; r < input.rows.size(); ++r) {
    const TokenRow& row = input.rows[r];
    pen.box({0, rows.top(r), figure.width, rows.chip}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0,
            {Tag::row, static_cast<std::int64_t>(r), 0});
    for (std::size_t c = 0; c < row.numbers.size(); ++c)
      pen.text(kColumn * static_cast<float>(c + 1), rows.top(r) + rows.first, row.numbers[c], 14, Font::mono, theme.text,
               Align::end);
    // "unknown 3 (extraordinary, …)": if the word does not fit, the number alone.
    std::string verdict = row.verdict;
    if (measure.width(verdict, 13, Font::words) > figure.width - 8) verdict = verdict.substr(0, verdict.find(" ("));
    pen.text(kColumn * static_cast<float>(input.columns.size()), rows.top(r) + rows.second, verdict, 13, Font::words,
             row.verdict_good ? theme.good : theme.wrong, Align::end, figure.width - 8);
  }
  if (!input.stages.empty())
    pen.line({0, rows.below(input.rows.size())}, {figure.width, rows.below(input.rows.size())}, theme.line);
  for (std::size_t i = 0; i < input.stages.size(); ++i) {
    const auto& stage = input.stages[i];
    const float right = kColumn * static_cast<float>(input.columns.size()), y = stage_top(rows, input, i);
    pen.text(right, y + (stage.of.empty() ? 14.0f : 8.0f), stage.count, 13, Font::words, theme.secondary, Align::end);
    pen.text(right, y + 22, stage.of, 12, Font::words_bold, theme.text, Align::end, figure.width - 8);
  }
  return figure;
}

namespace {

// One tokenizer's tokens: ids (-1: unknown) and the byte ranges that they cover.
Data tokens_of(const TokenRow& row) {
  const auto count = static_cast<std::int64_t>(row.pieces.size());
  Data data{row.name, Tensor(DType::i32, {count, 3}), {"token", "of it"}, {{}, {"id", "start", "end"}}};
  std::int32_t* out = data.values.data<std::int32_t>();
  for (const TokenRow::Piece& piece : row.pieces) {
    std::int32_t id = -1;
    std::from_chars(piece.id.data(), piece.id.data() + piece.id.size(), id);
    *out++ = piece.unknown ? -1 : id;
    *out++ = static_cast<std::int32_t>(piece.start);
    *out++ = static_cast<std::int32_t>(piece.end);
    data.labels[0].push_back(piece.text);
  }
  return data;
}

}  // namespace

Figure token_legend(const TokenRowsInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  constexpr float kHigh = 22, kSample = 26;
  Figure figure;
  figure.width = width;
  const Composer pen{figure, theme, measure};
  const bool any = std::any_of(input.rows.begin(), input.rows.end(), [](const TokenRow& row) {
    return std::any_of(row.pieces.begin(), row.pieces.end(), [](const TokenRow::Piece& piece) { return piece.added; });
  });
  float x = 0;
  if (any) {
    Chip sample;
    sample.added = true;
    add_chip(figure, {0, 3, kSample, kHigh - 6}, sample, 12, theme, measure, {});
    x = kSample + 8;
    const char* const words = tr("a special or added token that the sentence names");
    pen.text(x, kHigh / 2, words, 13, Font::words, theme.secondary, Align::start, width - x);
    x += measure.width(words, 13, Font::words) + 24;
  }
  if (input.plain)
    pen.text(x, kHigh / 2, tr("special tokens are read as plain text"), 13, Font::words, theme.selected, Align::start, width - x);
  figure.height = any || input.plain ? kHigh : 0;
  return figure;
}

Figure token_rows(const TokenRowsInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  constexpr float kMargin = 16;
  const float table = token_table_width(input);
  const CharacterPlaces places = place_characters(input, width - 2 * kMargin - kNamesWidth - table, measure);
  Figure figure;
  figure.title = tr("tokens, aligned by character");
  for (const TokenRow& row : input.rows) figure.data.push_back(tokens_of(row));
  figure.background = theme.background;
  // For a sentence longer than the page the picture becomes wider instead of smaller.
  figure.width = std::max(width, kMargin * 2 + kNamesWidth + places.width() + table);
  Figure legend = token_legend(input, figure.width - 2 * kMargin, theme, measure);
  figure.height = token_rows_height(input) + 2 * kMargin + legend.height + (input.note.empty() ? 0 : 24);
  const auto place = [&](Figure part, float x, float y) {
    for (Item& item : part.items) {
      moved(item, x, y);
      figure.items.push_back(std::move(item));
    }
  };
  place(token_names(input, theme, measure), kMargin, kMargin);
  place(token_body(input, places, {}, 0, places.width(), theme, measure), kMargin + kNamesWidth, kMargin);
  place(token_table(input, theme, measure), figure.width - kMargin - table, kMargin);
  place(std::move(legend), kMargin, kMargin + token_rows_height(input));
  const Composer pen{figure, theme, measure};
  if (!input.note.empty())
    pen.text(kMargin, figure.height - kMargin - 6, input.note, 13, Font::words, theme.secondary, Align::start, 0, kNoteTag);
  return figure;
}

}  // namespace headlight::figures
