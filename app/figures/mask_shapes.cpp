#include "app/figures/mask_shapes.h"

#include <algorithm>

#include "app/figures/compose.h"

namespace headlight::figures {
namespace {

constexpr float kMargin = 12, kTitle = 18, kName = 15, kSmall = 13, kSide = 92, kGap = 12, kCard = 4;
constexpr std::int64_t kMostSentences = 4, kMostCells = 128;

// One matrix of the mask, thinned to at most kMostCells a side: a block may attend if any cell of it may.
Tensor thinned(const Tensor& mask, std::int64_t rows, std::int64_t columns) {
  const std::int64_t step_r = (rows + kMostCells - 1) / kMostCells, step_c = (columns + kMostCells - 1) / kMostCells;
  const std::int64_t r_count = (rows + step_r - 1) / step_r, c_count = (columns + step_c - 1) / step_c;
  Tensor out(DType::u8, {r_count, c_count});
  const Tensor whole = mask.broadcast_to({rows, columns});
  const auto* cells = whole.data<std::uint8_t>();
  for (std::int64_t r = 0; r < r_count; ++r)
    for (std::int64_t c = 0; c < c_count; ++c) {
      std::uint8_t may = 0;
      for (std::int64_t i = r * step_r; i < std::min(rows, (r + 1) * step_r) && !may; ++i)
        for (std::int64_t j = c * step_c; j < std::min(columns, (c + 1) * step_c) && !may; ++j)
          may = cells[i * whole.strides()[0] + j * whole.strides()[1]];
      out.data<std::uint8_t>()[r * c_count + c] = may;
    }
  return out;
}

void add_mask(Figure& figure, const Tensor& mask, Box box, std::uint64_t key) {
  Cells cells;
  cells.box = box;
  cells.rows = mask.dim(0);
  cells.columns = mask.dim(1);
  cells.values = Tensor(DType::f32, mask.shape(), {}, true);
  std::fill_n(cells.values.data<float>(), mask.count(), 0.5f);  // a quiet colour of the map: a mask has no values
  cells.mask = mask;
  cells.key = key;
  figure.add(std::move(cells));
}

}  // namespace

MaskThumbs mask_thumbs(const Tensor& mask, const Shape& scores) {
  MaskThumbs thumbs;
  if (mask.rank() != 4 || scores.size() != 4) return thumbs;
  const std::int64_t shown = std::min(scores[0], kMostSentences);
  for (std::int64_t b = 0; b < shown; ++b) {
    const Tensor one = mask.select(0, mask.dim(0) == 1 ? 0 : b).select(0, 0);
    if (b < mask.dim(0)) thumbs.made.push_back(thinned(one, mask.dim(2), mask.dim(3)));
    thumbs.broadcast.push_back(thinned(one, scores[2], scores[3]));
  }
  return thumbs;
}

Figure mask_shapes(const MaskShapesInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.background = theme.background;
  figure.title = input.title;
  figure.width = width;
  const Composer pen{figure, theme, measure};
  float y = kMargin;
  if (!input.title.empty()) {
    pen.text(kMargin, y + 11, input.title, kTitle, Font::words_bold, theme.text, Align::start, width - 2 * kMargin);
    y += 32;
  }
  if (input.scores.size() != 4) {
    figure.height = y + kMargin;
    return figure;
  }
  const std::int64_t batch = input.scores[0], heads = input.scores[1], queries = input.scores[2], keys = input.scores[3];
  const std::int64_t shown = std::min(batch, kMostSentences);
  // Names on the left, the array in the middle, the broadcast on the right.
  const float names = std::clamp(0.28f * width, 150.0f, 250.0f);
  const auto slots = static_cast<float>(shown);
  const float rest = width - 2 * kMargin - names - 56;
  // The array needs one picture's width for a [B, 1, 1, M], as many as sentences for a [B, 1, N, M].
  const float side = std::clamp((rest - (2 * slots - 1) * (kGap + 2 * kCard)) / (2 * slots), 28.0f, kSide);
  const float longest = static_cast<float>(std::max(queries, keys));
  const float cell = side / longest, tall = cell * static_cast<float>(queries), wide = cell * static_cast<float>(keys);
  const float middle = kMargin + names, right = middle + slots * (side + kGap) + 56;

  pen.text(middle, y + 9, input.made, kSmall, Font::words, theme.secondary, Align::start, right - middle - 8);
  pen.text(right, y + 9, input.broadcast, kSmall, Font::words, theme.secondary, Align::start, width - right - kMargin);
  y += 26;
  pen.text(middle, y + 7, "[batch, head, query, key]", 12, Font::mono, theme.faint, Align::start, right - middle - 8);
  pen.text(right, y + 7, to_string(input.scores), 14, Font::mono, theme.info, Align::start, width - right - kMargin);
  y += 22;
  std::uint64_t key = input.key;
  for (const auto& layer : input.layers) {
    const Shape& shape = layer.mask.shape();
    const float high = std::max(tall, 58.0f) + 2 * kCard;
    if (layer.result) pen.line({kMargin, y}, {width - kMargin, y}, theme.line);
    if (layer.result) y += 10;
    const float centre = y + high / 2;
    pen.text(kMargin, centre - 20, layer.joint.empty() ? layer.name : layer.joint + "  " + layer.name, kName,
             layer.result ? Font::words_bold : Font::words, theme.text, Align::start, names - 12);
    pen.text(kMargin, centre, to_string(shape), 14, Font::mono, theme.info, Align::start, names - 12);
    pen.text(kMargin, centre + 20, layer.words, kSmall, Font::words, theme.secondary, Align::start, names - 12);

    const auto own = static_cast<float>(layer.thumbs.made.size());
    const bool strip = shape[2] == 1;  // rows of a matrix [B, M], one below the other
    const float row = std::clamp(cell, 8.0f, 16.0f);
    const Box made{middle, strip ? centre - own * (row + 4) / 2 : centre - tall / 2, shape[3] == 1 ? row : wide,
                   strip ? row : tall};
    for (std::size_t b = 0; b < layer.thumbs.made.size(); ++b) {
      const auto step = static_cast<float>(b);
      add_mask(figure, layer.thumbs.made[b],
               {made.x + (strip ? 0 : step * (side + kGap)), made.y + (strip ? step * (row + 4) : 0), made.w, made.h},
               key ? ++key : 0);
    }
    // An arrow, and behind each sentence's matrix the cards of the other heads.
    const float from = right - 44, to = right - 14;
    pen.line({from, centre}, {to, centre}, theme.secondary, 1.5f);
    pen.line({to - 6, centre - 4}, {to, centre}, theme.secondary, 1.5f);
    pen.line({to - 6, centre + 4}, {to, centre}, theme.secondary, 1.5f);
    for (std::size_t b = 0; b < layer.thumbs.broadcast.size(); ++b) {
      const float left = right + static_cast<float>(b) * (side + kGap + 2 * kCard);
      for (int card = heads > 2 ? 2 : static_cast<int>(heads) - 1; card > 0; --card) {
        const float off = kCard * static_cast<float>(card);
        pen.box({left + off, centre - tall / 2 - off, wide, tall}, theme.panel, theme.line, 1, 2);
      }
      pen.box({left, centre - tall / 2, wide, tall}, theme.background);
      add_mask(figure, layer.thumbs.broadcast[b], {left, centre - tall / 2, wide, tall}, key ? ++key : 0);
    }
    y += high + 14;
    if (input.with_data) figure.data.push_back({layer.name, layer.mask, {"batch", "head", "query", "key"}, {}});
  }
  if (batch > 1)
    for (std::int64_t b = 0; b < shown; ++b)
      pen.text(right + static_cast<float>(b) * (side + kGap + 2 * kCard), y, input.batch_word + " " + std::to_string(b + 1), 12,
               Font::words, theme.secondary, Align::start, side + kGap);
  if (batch > shown)
    pen.text(right + slots * (side + kGap + 2 * kCard), y, "+" + std::to_string(batch - shown), kSmall, Font::mono,
             theme.secondary);
  if (batch > 1) y += 20;
  if (!input.heads_words.empty()) {
    pen.text(right, y, input.heads_words, kSmall, Font::words, theme.secondary, Align::start, width - right - kMargin);
    y += 24;
  }
  for (const std::string& note : input.notes)
    for (const std::string& line : wrap(note, width - 2 * kMargin, kSmall, Font::words, measure)) {
      pen.text(kMargin, y, line, kSmall, Font::words, theme.secondary);
      y += 20;
    }
  figure.height = y + kMargin - 6;
  return figure;
}

}  // namespace headlight::figures
