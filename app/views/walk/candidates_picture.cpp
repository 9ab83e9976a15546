#include "app/views/walk/candidates_picture.h"

#include <algorithm>

#include "app/figures/base/compose.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kCandidate = 13, kBesideBar = 6, kLeastBar = 12, kBeside = 170;

float row_height(const TextMeasure& measure) { return measure.line_height(kCandidate, Font::mono) + 2; }

// The chosen word, as large as it fits, with its number below.
void add_single(const Composer& pen, const WalkCandidates::Row& row, const Box& place) {
  const float below = row.number.empty() ? 0 : row_height(pen.measure);
  float size = 22;
  while (size > kCandidate && (pen.measure.width(row.word, size, Font::mono) > place.w ||
                               pen.measure.line_height(size, Font::mono) > std::max(place.h - below, 0.0f)))
    size -= 1;
  const float high = pen.measure.line_height(size, Font::mono);
  const bool both = high + below <= place.h + 2;
  const float y = place.y + std::max(0.0f, place.h - high - (both ? below : 0)) / 2;
  pen.text(place.x + place.w / 2, y + high / 2, row.word, size, Font::mono, pen.theme.selected, Align::middle, place.w);
  if (both && below > 0)
    pen.text(place.x + place.w / 2, y + high + below / 2, row.number, kCandidate, Font::mono, pen.theme.text, Align::middle,
             place.w);
}

}  // namespace

float candidates_height(std::size_t rows, const TextMeasure& measure) {
  return row_height(measure) * static_cast<float>(rows + 1);
}

void add_candidates(Figure& figure, const WalkCandidates& candidates, const Box& place, const Theme& theme,
                    const TextMeasure& measure) {
  const Composer pen{figure, theme, measure};
  if (candidates.rows.empty() || place.w <= 0) return;
  if (candidates.single) return add_single(pen, candidates.rows.front(), place);
  const float high = row_height(measure);
  const auto fits = static_cast<std::size_t>(std::max(1.0f, (place.h + 3) / high));
  std::size_t shown = std::min(fits, candidates.rows.size());
  const auto all = static_cast<std::int64_t>(candidates.rows.size()) + candidates.others;
  // With five lines or more the last one counts the rest.
  const bool rest = static_cast<std::int64_t>(shown) < all && fits >= 5;
  if (rest && shown == fits) --shown;
  float word = 0, number = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    word = std::max(word, measure.width(candidates.rows[i].word, kCandidate, Font::mono));
    number = std::max(number, measure.width(candidates.rows[i].number, kCandidate, Font::mono));
  }
  const bool cells = !candidates.cells.empty();
  const std::string left = std::to_string(all - static_cast<std::int64_t>(shown));
  if (!cells && place.w < kBeside) {
    // In a narrow place the bars lie behind the words, and a number stands where its word leaves room.
    for (std::size_t i = 0; i < shown; ++i) {
      const WalkCandidates::Row& row = candidates.rows[i];
      const float y = place.y + high * (static_cast<float>(i) + 0.5f);
      const Color color = row.chosen ? theme.selected : theme.info;
      const auto share = static_cast<float>(std::clamp(row.share, 0.0, 1.0));
      pen.box({place.x, y - high / 2 + 1, std::max(1.0f, place.w * share), high - 2}, with_alpha(color, 0.22f), {}, 0, 2);
      pen.text(place.x + 2, y, row.word, kCandidate, Font::mono, row.chosen ? theme.selected : theme.text, Align::start,
               place.w - 2);
      const float both = measure.width(row.word, kCandidate, Font::mono) + measure.width(row.number, kCandidate, Font::mono);
      if (both + 8 <= place.w)
        pen.text(place.x + place.w, y, row.number, kCandidate, Font::mono, row.chosen ? theme.selected : theme.secondary,
                 Align::end);
    }
    if (rest)
      pen.text(place.x, place.y + high * (static_cast<float>(shown) + 0.5f),
               first_that_fits({fill(tr("and {} more"), {left}), "+" + left}, place.w, kCandidate, Font::words, measure),
               kCandidate, Font::words, theme.secondary);
    return;
  }
  if (number > place.w * 0.6f) number = 0;
  const float room = place.w - (number > 0 ? number + kBesideBar : 0);
  word = std::min(word, cells ? room * 0.45f : std::max(room * 0.6f, room - kBesideBar - 160));
  const Box bars{place.x + word + kBesideBar, place.y, room - word - kBesideBar, high * static_cast<float>(shown)};
  for (std::size_t i = 0; i < shown; ++i) {
    const WalkCandidates::Row& row = candidates.rows[i];
    const float y = place.y + high * (static_cast<float>(i) + 0.5f);
    pen.text(place.x, y, row.word, kCandidate, Font::mono, row.chosen ? theme.selected : theme.text, Align::start, word + 1);
    if (!cells && bars.w >= kLeastBar)
      pen.bar({bars.x, y - 4, bars.w, 8}, std::clamp(row.share, 0.0, 1.0), row.chosen ? theme.selected : theme.info);
    if (number > 0)
      pen.text(place.x + place.w, y, row.number, kCandidate, Font::mono, row.chosen ? theme.selected : theme.secondary,
               Align::end);
  }
  if (cells && bars.w >= kLeastBar) {
    Cells map;
    map.box = {bars.x, bars.y + 2, bars.w, bars.h - 4};
    map.values = candidates.cells;
    map.rows = static_cast<std::int64_t>(shown);
    map.columns = candidates.cells.dim(1);
    map.colormap = "signed";
    map.high = candidates.largest > 0 ? static_cast<float>(candidates.largest) : 1.0f;
    map.low = -map.high;
    map.key = candidates.key;
    figure.add(std::move(map));
  }
  if (rest)
    pen.text(place.x, place.y + high * (static_cast<float>(shown) + 0.5f),
             first_that_fits({fill(tr("and {} more"), {left}), "+" + left}, place.w, kCandidate, Font::words, measure),
             kCandidate, Font::words, theme.secondary);
}

}  // namespace headlight::figures
