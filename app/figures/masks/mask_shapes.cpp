#include "app/figures/masks/mask_shapes.h"

#include <algorithm>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"

namespace headlight::figures {
namespace {

constexpr float kShapesMargin = 12, kShapesTitle = 18, kShapesName = 15, kShapesSmall = 13, kShapesSide = 92, kShapesGap = 12,
                kCard = 4;
constexpr float kNarrow = 430;
constexpr std::int64_t kMostBatch = 4, kMostCells = 128;

// One matrix of the mask, reduced to at most kMostCells a side: a block may attend if any of its cells may.
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
  std::fill_n(cells.values.data<float>(), mask.count(), 0.5f);  // a quiet colour of the map, because a mask has no values
  cells.mask = mask;
  cells.key = key;
  figure.add(std::move(cells));
}

}  // namespace

MaskThumbs mask_thumbs(const Tensor& mask, const Shape& scores) {
  MaskThumbs thumbs;
  if (mask.rank() != 4 || scores.size() != 4) return thumbs;
  const std::int64_t shown = std::min(scores[0], kMostBatch);
  for (std::int64_t b = 0; b < shown; ++b) {
    const Tensor one = mask.select(0, mask.dim(0) == 1 ? 0 : b).select(0, 0);
    if (b < mask.dim(0)) thumbs.made.push_back(thinned(one, mask.dim(2), mask.dim(3)));
    thumbs.broadcast.push_back(thinned(one, scores[2], scores[3]));
  }
  return thumbs;
}

Figure mask_shapes(const MaskShapesInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, 0, theme);
  const Composer pen{figure, theme, measure};
  float y = kShapesMargin;
  if (!input.title.empty()) {
    pen.text(kShapesMargin, y + 11, input.title, kShapesTitle, Font::words_bold, theme.text, Align::start,
             width - 2 * kShapesMargin);
    y += 32;
  }
  if (input.scores.size() != 4) {
    figure.height = y + kShapesMargin;
    return figure;
  }
  const std::int64_t batch = input.scores[0], heads = input.scores[1], queries = input.scores[2], keys = input.scores[3];
  const std::int64_t shown = std::min(batch, kMostBatch);

  // Names on the left (above, if the room is narrow), the array in the middle, the broadcast mask on the right.
  const bool narrow = width < kNarrow;
  const float names = narrow ? 0 : std::clamp(0.28f * width, 150.0f, 250.0f);
  const auto slots = static_cast<float>(shown);
  const float rest = width - 2 * kShapesMargin - names - 56;
  // The array needs the width of one picture for a [B, 1, 1, M], of one per sentence for a [B, 1, N, M].
  const float side = std::clamp((rest - (2 * slots - 1) * (kShapesGap + 2 * kCard)) / (2 * slots), 28.0f, kShapesSide);
  const float cell = side / static_cast<float>(std::max(queries, keys));
  const float tall = cell * static_cast<float>(queries), wide = cell * static_cast<float>(keys);
  // Where the arrays and their broadcasts begin.
  const float middle = kShapesMargin + names, right = middle + slots * (side + kShapesGap) + 56;

  // A text in as many lines as it takes; returns where the next one stands.
  const auto head = [&](float left, float top, const std::string& words, float size, Font font, Color color, float room) {
    for (const std::string& line : wrap(words, room, size, font, measure)) {
      pen.text(left, top, line, size, font, color);
      top += 18;
    }
    return top;
  };
  y = std::max(head(middle, y + 9, input.made, kShapesSmall, Font::words, theme.secondary, right - middle - 8),
               head(right, y + 9, input.broadcast, kShapesSmall, Font::words, theme.secondary, width - right - kShapesMargin));
  y = std::max(head(middle, y + 6, "[batch, head, query, key]", 12, Font::mono, theme.faint, right - middle - 8),
               head(right, y + 6, to_string(input.scores), 14, Font::mono, theme.info, width - right - kShapesMargin)) -
      3;

  std::uint64_t key = input.key;
  for (const auto& layer : input.layers) {
    if (layer.result) pen.line({kShapesMargin, y}, {width - kShapesMargin, y}, theme.line);
    if (layer.result) y += 10;
    // Its name, its shape, and what it masks: at least one line each.
    struct Words {
      std::string line;
      float size;
      Font font;
      Color color;
    };
    std::vector<Words> said;
    const auto say = [&](const std::string& words, float size, Font font, Color color) {
      for (std::string& line : wrap(words, narrow ? width - 2 * kShapesMargin : names - 12, size, font, measure))
        said.push_back({std::move(line), size, font, color});
    };
    say(layer.joint.empty() ? layer.name : layer.joint + "  " + layer.name, kShapesName,
        layer.result ? Font::words_bold : Font::words, theme.text);
    say(to_string(layer.mask.shape()), 14, Font::mono, theme.info);
    say(layer.words, kShapesSmall, Font::words, theme.secondary);
    const float said_high = 20 * static_cast<float>(said.size()) - 2;
    const float high = std::max(tall, narrow ? 28 : said_high) + 2 * kCard;
    float line_y = narrow ? y + 10 : y + high / 2 - 10 * static_cast<float>(said.size() - 1);
    for (const Words& words : said) {
      pen.text(kShapesMargin, line_y, words.line, words.size, words.font, words.color);
      line_y += 20;
    }
    if (narrow) y += said_high + 8;
    const float centre = y + high / 2;

    // The mask at its own shape, around `centre`.
    const Shape& shape = layer.mask.shape();
    const auto own = static_cast<float>(layer.thumbs.made.size());
    const bool strip = shape[2] == 1;  // rows of a matrix [B, M], below each other
    const float row = std::clamp(cell, 8.0f, 16.0f);
    const Box made{middle, strip ? centre - own * (row + 4) / 2 : centre - tall / 2, shape[3] == 1 ? row : wide,
                   strip ? row : tall};
    for (std::size_t b = 0; b < layer.thumbs.made.size(); ++b) {
      const auto step = static_cast<float>(b);
      add_mask(figure, layer.thumbs.made[b],
               {made.x + (strip ? 0 : step * (side + kShapesGap)), made.y + (strip ? step * (row + 4) : 0), made.w, made.h},
               key ? ++key : 0);
    }

    // An arrow, and behind each sentence's matrix the cards of the other heads.
    const float from = right - 44, to = right - 14;
    pen.line({from, centre}, {to, centre}, theme.secondary, 1.5f);
    pen.line({to - 6, centre - 4}, {to, centre}, theme.secondary, 1.5f);
    pen.line({to - 6, centre + 4}, {to, centre}, theme.secondary, 1.5f);
    for (std::size_t b = 0; b < layer.thumbs.broadcast.size(); ++b) {
      const float left = right + static_cast<float>(b) * (side + kShapesGap + 2 * kCard);
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

  // What stands under the layers.
  if (batch > 1) {
    const float room = side + kShapesGap;
    // Under small pictures only the numbers stand, and the word once before them.
    const bool spelled = measure.width(input.batch_word + " " + std::to_string(shown), 12, Font::words) <= room;
    if (!spelled) pen.text(right - 8, y, input.batch_word, 12, Font::words, theme.secondary, Align::end);
    for (std::int64_t b = 0; b < shown; ++b)
      pen.text(right + static_cast<float>(b) * (room + 2 * kCard), y,
               (spelled ? input.batch_word + " " : "") + std::to_string(b + 1), 12, Font::words, theme.secondary, Align::start,
               room);
  }
  if (batch > shown)
    pen.text(right + static_cast<float>(shown) * (side + kShapesGap + 2 * kCard), y, "+" + std::to_string(batch - shown),
             kShapesSmall, Font::mono, theme.secondary);
  if (batch > 1) y += 20;
  if (!input.heads_words.empty())
    y = head(right, y, input.heads_words, kShapesSmall, Font::words, theme.secondary, width - right - kShapesMargin) + 6;
  for (const std::string& note : input.notes)
    for (const std::string& line : wrap(note, width - 2 * kShapesMargin, kShapesSmall, Font::words, measure)) {
      pen.text(kShapesMargin, y, line, kShapesSmall, Font::words, theme.secondary);
      y += 20;
    }
  figure.height = y + kShapesMargin - 6;
  return figure;
}

}  // namespace headlight::figures
