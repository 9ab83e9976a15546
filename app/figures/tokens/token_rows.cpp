#include "app/figures/tokens/token_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/tokens/chip_rows.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kRuler = 36, kNarrowest = 16, kRowsWidest = 40, kCutPiece = 46;
constexpr float kColumn = 70;
// What a piece needs: its text at the smallest size and some space, up to a limit; a byte of it is at most kByteWidth wide.
constexpr float kSmallest = 12, kPad = 8, kMostForPiece = 64, kByteWidth = 7.5f;
constexpr std::size_t kLongest = 6;

// The positions of the parts of a row, for a given distance between rows.
struct Rows {
  // heights of the ruler and of a chip; the middles of two lines beside the chip, from its top
  float pitch, ruler, chip, first, second;
  explicit Rows(float distance)
      : pitch(distance),
        ruler(distance < kTokenPitch ? 28 : kRuler),
        chip(distance < kTokenPitch ? distance - 6 : distance - 16),
        first(2 + chip * 0.27f),
        second(2 + chip * 0.73f) {}
  float top(std::size_t row) const { return ruler + static_cast<float>(row) * pitch; }
};

// The character that contains byte `at`.
std::size_t character_at(const TokenRowsInput& input, std::int64_t at) {
  const auto after = std::upper_bound(input.characters.begin(), input.characters.end(), at,
                                      [](std::int64_t byte, const auto& character) { return byte < character.start; });
  return after == input.characters.begin() ? 0 : static_cast<std::size_t>(after - input.characters.begin()) - 1;
}

float place_of(const TokenRowsInput& input, const CharacterPlaces& places, std::int64_t byte) {
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
  for (const TokenRow& row : input.rows)
    for (const auto& piece : row.pieces) {
      if (piece.end <= piece.start) continue;
      const std::size_t first = character_at(input, piece.start);
      const auto& character = input.characters[first];
      const std::int64_t bytes = character.end - character.start;
      // wide enough for each part of the character to show its bytes
      if (piece.end <= character.end && piece.end - piece.start < bytes) {
        wide[first] = std::max(wide[first], kCutPiece * static_cast<float>(bytes) / static_cast<float>(piece.end - piece.start));
        continue;
      }
      // A short piece is shown completely ("##y" over one narrow letter); a long one has room, or gets an ellipsis.
      std::size_t last = first;
      float has = wide[first];
      while (last + 1 < wide.size() && input.characters[last + 1].start < piece.end) has += wide[++last];
      if (last - first >= kLongest || static_cast<float>(piece.text.size()) * kByteWidth + kPad <= has) continue;
      const float needs = std::min(measure.width(piece.text, kSmallest, Font::mono) + kPad, kMostForPiece);
      for (std::size_t c = first; c <= last && has < needs; ++c) wide[c] += (needs - has) / static_cast<float>(last - first + 1);
    }
  return wide;
}

}  // namespace

CharacterPlaces place_characters(const TokenRowsInput& input, float room, const TextMeasure& measure) {
  const auto count = static_cast<float>(std::max<std::size_t>(1, input.characters.size()));
  float base = std::clamp(std::floor(room / count), kNarrowest, kRowsWidest);
  CharacterPlaces places;
  for (;; base -= 1) {  // the characters that need more take it from the others, while possible
    places.left.assign(1, 0.0f);
    places.plain = base;
    for (const float w : widths_of(input, base, measure)) places.left.push_back(places.left.back() + w);
    if (places.width() <= room || base - 1 < kNarrowest || count * kNarrowest > room) return places;
  }
}

float token_rows_height(const TokenRowsInput& input, float pitch) {
  return Rows(pitch).top(input.rows.size()) - (pitch < kTokenPitch ? 2 : 10);
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
    pen.text(0, y + rows.second, input.rows[r].count, 13, Font::words, theme.secondary, Align::start, kNamesWidth - 8);
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
  for (std::size_t r = 0; r < input.rows.size(); ++r) {
    const auto& pieces = input.rows[r].pieces;
    const auto seen =
        std::partition_point(pieces.begin(), pieces.end(), [&](const auto& piece) { return piece.end <= first_byte; });
    for (auto p = static_cast<std::size_t>(seen - pieces.begin()); p < pieces.size(); ++p) {
      const auto& piece = pieces[p];
      if (piece.end <= piece.start) continue;
      const float left = place_of(input, places, piece.start), right = place_of(input, places, piece.end);
      if (left > to) break;
      Chip chip;
      chip.text = piece.text;
      // The id of a single character is shown if all such ids of its length fit, not only those above wider characters.
      const bool narrow = right - left < kCutPiece && character_at(input, piece.start) == character_at(input, piece.end - 1);
      if (!narrow || measure.width(piece.id, kChipId, Font::mono) <= places.plain - 7) chip.id = piece.id;
      chip.hue = static_cast<int>(p % 12);
      chip.unknown = piece.unknown;
      chip.added = piece.added;
      chip.hot = is_hot(light, piece.start, piece.end);
      const float gap = right - left > 20 ? 1.5f : 0.5f;
      add_chip(figure, {left + gap, rows.top(r) + 2, std::max(right - left - 2 * gap, 2.0f), rows.chip}, chip, 15, theme, measure,
               {Tag::token, static_cast<std::int64_t>(r), static_cast<std::int64_t>(p)});
    }
  }
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
      if (auto* text = std::get_if<Text>(&item)) {
        text->at.x += x;
        text->at.y += y;
      } else if (auto* box = std::get_if<Rectangle>(&item)) {
        box->box.x += x;
        box->box.y += y;
      }
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
