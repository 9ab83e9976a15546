#include <algorithm>
#include <array>
#include <cstddef>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/text/language.h"
#include "app/views/values/map_picture.h"
#include "app/views/values/row_names_picture.h"

namespace headlight::figures {
namespace {

constexpr float kMapSumHead = 76, kSumFoot = 44, kMapSumSign = 30, kSumMostRow = 40;

}  // namespace

Figure value_sum_picture(const ValueSumInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(tr("All heads add up to Concat W_O"), width, height, theme);
  const Composer pen{figure, theme, measure};
  pen.text(0, 10, figure.title, 16, Font::words_bold, theme.text, Align::start, width, kTitleTag);
  pen.text(0, 32, input.good_words, 14, Font::words, input.good ? theme.good : theme.wrong, Align::start, width);
  const std::int64_t rows = input.by_head.dim(0);
  const float pitch = std::min(kSumMostRow, std::max(0.5f, (height - kMapSumHead - kSumFoot) / static_cast<float>(rows)));
  const float names = row_names_width(input.labels, width, measure);
  const float wide = std::max(20.0f, (width - names - 2 * kMapSumSign) / 3);
  add_row_names(pen, input.labels, rows, input.hot, {names - 10, kMapSumHead}, pitch);
  const std::array<const Tensor*, 3> all{&input.by_head, &input.concat, &input.difference};
  // A difference within rounding is drawn on the scale of what is compared.
  std::vector<std::string> difference{tr("difference")};
  if (input.largest_difference != input.largest) difference.insert(difference.begin(), tr("difference, on a scale of its own"));
  const std::array<std::vector<std::string>, 3> titles{
      {{input.by_head_words, tr("Σ over heads"), "Σ"}, {tr("Concat W_O, as the model computed it"), "Concat W_O"}, difference}};
  const std::array<float, 3> ends{input.largest, input.largest, input.largest_difference};
  const float below = kMapSumHead + pitch * static_cast<float>(rows);
  for (std::size_t i = 0; i < 3; ++i) {
    const float x = names + static_cast<float>(i) * (wide + kMapSumSign);
    pen.text(x, kMapSumHead - 14, first_that_fits(titles[i], wide, 13, Font::words, measure), 13, Font::words, theme.text,
             Align::start, 0, kAxisTag);
    if (i > 0)
      pen.text(x - kMapSumSign / 2, (kMapSumHead + below) / 2, i == 1 ? "−" : "=", 20, Font::mono, theme.secondary,
               Align::middle);
    add_signed_map(pen, {.values = *all[i],
                         .largest = ends[i],
                         .box = {x, kMapSumHead, wide, below - kMapSumHead},
                         .key = input.key * 4 + i,
                         .tag = {Tag::cell_area, static_cast<std::int64_t>(i) * kValueSumMap, 0},
                         .hot = input.hot});
  }
  add_map_words(pen, input.note, names, width, below + 33);
  const std::array<std::string, 3> names_of{"sum over heads", "concat", "difference"};
  for (std::size_t i = 0; i < 3; ++i) figure.data.push_back({names_of[i], *all[i], {"token", "dimension"}, {input.labels, {}}});
  return figure;
}

}  // namespace headlight::figures
