#include "app/figures/next_word/next_lines.h"

#include <algorithm>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"

namespace headlight::figures {
namespace {

constexpr float kNextLinesName = 14, kNextLinesWord = 15, kShare = 13, kLeastCell = 112, kMostNextCell = 190,
                kBetweenNextLines = 18;
constexpr float kHeading = 20, kListed = 26;  // of a list: the height of a row's name and of a word

}  // namespace

Figure next_lines(const NextLinesInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  const Composer pen{figure, theme, measure};
  figure.width = width;
  figure.height = kNextLine * static_cast<float>(input.rows.size());
  // All rows have their names, or all the brief ones.
  const float most = width * 0.42f;
  float names = 0, brief = 0;
  for (const NextLinesInput::Row& row : input.rows) {
    names = std::max(names, measure.width(row.name, kNextLinesName, Font::words));
    brief = std::max(brief, measure.width(row.brief, kNextLinesName, Font::words));
  }
  const bool shorter = names > most;
  names = std::min(shorter ? brief : names, most) + kBetweenNextLines;
  const float room = width - names;
  const auto cells =
      static_cast<std::size_t>(std::clamp((room + kBetweenNextLines) / (kLeastCell + kBetweenNextLines), 1.0f, 6.0f));
  const float cell =
      std::min(kMostNextCell, (room - kBetweenNextLines * static_cast<float>(cells - 1)) / static_cast<float>(cells));
  std::vector<double> shares;
  for (std::size_t r = 0; r < input.rows.size(); ++r) {
    const NextLinesInput::Row& row = input.rows[r];
    const float y = kNextLine * static_cast<float>(r) + 11;
    pen.text(0, y, shorter ? row.brief : row.name, kNextLinesName, Font::words, theme.secondary, Align::start,
             names - kBetweenNextLines);
    if (row.words.empty() && !row.instead.empty())
      pen.text(names, y, row.instead, kNextLinesName, Font::words, theme.secondary, Align::start, room);
    for (std::size_t i = 0; i < cells; ++i) {
      shares.push_back(i < row.words.size() ? row.words[i].share : 0);
      if (i >= row.words.size()) continue;
      const float x = names + (cell + kBetweenNextLines) * static_cast<float>(i);
      const std::string share = percent(row.words[i].share);
      const float wide = measure.width(share, kShare, Font::mono);
      pen.text(x, y, row.words[i].word, kNextLinesWord, Font::mono, i == 0 ? theme.selected : theme.text, Align::start,
               cell - wide - 8);
      pen.text(x + cell, y, share, kShare, Font::mono, theme.secondary, Align::end);
      pen.bar({x, y + 10, cell, 4}, row.words[i].share, i == 0 ? theme.selected : theme.info);
    }
  }
  const auto rows = static_cast<std::int64_t>(input.rows.size());
  figure.data.push_back({"next_word", Tensor::of(shares, {rows, static_cast<std::int64_t>(cells)}), {"row", "place"}, {}});
  return figure;
}

Figure next_list(const NextLinesInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  const Composer pen{figure, theme, measure};
  figure.width = width;
  const std::size_t rows = input.rows.size();
  const float own = height / static_cast<float>(std::max<std::size_t>(1, rows));
  const auto words = static_cast<std::size_t>(std::clamp((own - kHeading) / kListed, 1.0f, 6.0f));
  std::vector<double> shares;
  float y = 0;
  for (const NextLinesInput::Row& row : input.rows) {
    const bool fits = measure.width(row.name, kNextLinesName, Font::words) <= width;
    pen.text(0, y + kHeading / 2, fits ? row.name : row.brief, kNextLinesName, Font::words, theme.secondary, Align::start, width);
    y += kHeading;
    if (row.words.empty() && !row.instead.empty())
      pen.text(0, y + kListed / 2 - 2, row.instead, kNextLinesName, Font::words, theme.secondary, Align::start, width);
    for (std::size_t i = 0; i < words; ++i, y += kListed) {
      shares.push_back(i < row.words.size() ? row.words[i].share : 0);
      if (i >= row.words.size()) continue;
      const std::string share = percent(row.words[i].share);
      const float wide = measure.width(share, kShare, Font::mono);
      pen.text(0, y + 9, row.words[i].word, kNextLinesWord, Font::mono, i == 0 ? theme.selected : theme.text, Align::start,
               width - wide - 8);
      pen.text(width, y + 9, share, kShare, Font::mono, theme.secondary, Align::end);
      pen.bar({0, y + 19, width, 4}, row.words[i].share, i == 0 ? theme.selected : theme.info);
    }
  }
  figure.height = y;
  figure.data.push_back({"next_word",
                         Tensor::of(shares, {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(words)}),
                         {"row", "place"},
                         {}});
  return figure;
}

}  // namespace headlight::figures
