// What the pictures of the Patches view are given, and how one of their numbers came about.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "app/text/language.h"
#include "app/views/patches/data.h"
#include "engine/core/one_nan.h"

namespace headlight::views::vision {
namespace {

std::string colormap_of_view(const ViewState& view) { return view.colormap.empty() ? "viridis" : view.colormap; }

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, std::abs(value) < 1e-3 && value != 0 ? "%.2e" : "%.4f", one_nan(value));
  return text;
}

// A row of f64 numbers as f32 [rows, columns].
Tensor as_grid(const double* from, std::int64_t rows, std::int64_t columns) {
  Tensor grid(DType::f32, {rows, columns}, {"row", "column"}, true);
  for (std::int64_t i = 0; i < rows * columns; ++i) grid.data<float>()[i] = static_cast<float>(from[i]);
  return grid;
}

float largest(const Tensor& values) {
  float most = 0;
  for (std::int64_t i = 0; i < values.count(); ++i) most = std::max(most, values.data<float>()[i]);
  return most > 0 ? most : 1.0f;
}

// The row of one query in [head, query, key].
const double* row_of(const Tensor& all, std::int64_t head, std::int64_t query) {
  return all.data<double>() + (head * all.dim(1) + query) * all.dim(2);
}

Tensor weights_of(const Seen& seen, std::int64_t head) {
  return as_grid(row_of(seen.attention().weights, head, seen.query), seen.grid().rows, seen.grid().columns);
}
Tensor weights_of_word(const Seen& seen, std::int64_t word) {
  const images::CaptionAttention& caption = seen.caption->attention;
  return as_grid(row_of(caption.weights, seen.head, word), caption.rows, caption.columns);
}

// f32 [N, d]. It is shown, too, where the patches are not told it.
std::shared_ptr<const Tensor> code_of(const Context& context, const Seen& seen) {
  const images::PatchGrid& grid = seen.grid();
  const std::int64_t rows = grid.rows, columns = grid.columns, d = seen.attention().tokens.dim(1);
  const DerivedKey key("patches/code", {rows, columns, d});
  return context.derived
      .now<Tensor>(key,
                   [=](const CancelToken&) -> Result<Tensor> {
                     return images::position_code_2d(rows, columns, d).as(DType::f32).compact();
                   })
      .value;
}

std::int64_t strongest(const double* row, std::int64_t count) { return std::max_element(row, row + count) - row; }

// "q · k = -3.2100", "/ √16 = -0.8025", and the softmax over `row`.
std::vector<std::string> softmax_lines(const Tensor& scores, const Tensor& weights, std::int64_t head, std::int64_t query,
                                       std::int64_t key, std::int64_t d_k) {
  const double* const row = row_of(scores, head, query);
  const std::int64_t n = scores.dim(2);
  const double most = *std::max_element(row, row + n);
  double total = 0;
  for (std::int64_t j = 0; j < n; ++j) total += std::exp(row[j] - most);
  const double root = std::sqrt(static_cast<double>(d_k));
  return {"q · k / √" + std::to_string(d_k) + " = " + number(row[key] * root) + " / " + number(root) + " = " + number(row[key]),
          "exp(" + number(row[key]) + " − " + number(most) + ") / " + number(total) + " = " +
              number(row_of(weights, head, query)[key])};
}

}  // namespace

std::string patch_place(const images::PatchGrid& grid, std::int64_t patch) {
  return "(" + std::to_string(patch / grid.columns) + ", " + std::to_string(patch % grid.columns) + ")";
}
std::string picture_words(const Seen& seen) {
  const images::Picture& picture = seen.opened->picture;
  std::string words = fill(tr("{}: {} x {} pixels"), {seen.name, std::to_string(picture.width), std::to_string(picture.height)});
  if (!seen.shown) return words;
  const images::PatchGrid& grid = seen.grid();
  words += fill(tr(", {} rows of {} patches"), {std::to_string(grid.rows), std::to_string(grid.columns)});
  if (grid.left_out_right > 0 || grid.left_out_below > 0)
    words += fill(tr("; left out: {} at the right, {} below"),
                  {std::to_string(grid.left_out_right), std::to_string(grid.left_out_below)});
  return words;
}
std::string note_of(const State& state) { return fill(tr("random weights, seed {}"), {std::to_string(state.seed)}); }

std::int64_t strongest_key(const Seen& seen) {
  return strongest(row_of(seen.attention().weights, seen.head, seen.query), seen.grid().count());
}
std::int64_t strongest_region(const Seen& seen) {
  const images::CaptionAttention& caption = seen.caption->attention;
  return strongest(row_of(caption.weights, seen.head, seen.word), caption.rows * caption.columns);
}

std::int64_t region_at(const Seen& seen, std::int64_t patch) {
  const images::CaptionAttention& caption = seen.caption->attention;
  const std::int64_t columns = seen.grid().columns;
  return patch / columns / caption.region * caption.columns + patch % columns / caption.region;
}

figures::PatchPictureInput bare_input(const Context& context, const Seen& seen) {
  figures::PatchPictureInput input;
  input.photo.rgba = seen.opened->rgba;
  input.photo.key = seen.opened->key;
  input.width = static_cast<float>(seen.opened->picture.width);
  input.height = static_cast<float>(seen.opened->picture.height);
  input.colormap = colormap_of_view(context.view);
  if (!seen.shown) return input;
  input.side = seen.grid().side;
  input.rows = seen.grid().rows;
  input.columns = seen.grid().columns;
  input.query = seen.query;
  input.pinned = state_of(context).key;
  input.note = note_of(state_of(context));
  return input;
}

figures::PatchPictureInput attention_input(const Context& context, const Seen& seen) {
  figures::PatchPictureInput input = bare_input(context, seen);
  input.heat = weights_of(seen, seen.head);
  input.high = largest(input.heat);
  input.quantity = tr("weight");
  input.title = fill(tr("patch {} looks at, head {}"), {patch_place(seen.grid(), seen.query), std::to_string(seen.head)});
  return input;
}

figures::PatchPictureInput similarity_input(const Context& context, const Seen& seen) {
  figures::PatchPictureInput input = bare_input(context, seen);
  const images::PatchGrid& grid = seen.grid();
  const auto code = code_of(context, seen);
  const std::int64_t d = code->dim(1);
  input.heat = Tensor(DType::f32, {grid.rows, grid.columns}, {"row", "column"}, true);
  const float* const own = code->data<float>() + seen.query * d;
  // Every row has the length sqrt(d / 2): sin² + cos² = 1 in each of its pairs.
  for (std::int64_t n = 0; n < grid.count(); ++n) {
    float dot = 0;
    for (std::int64_t c = 0; c < d; ++c) dot += own[c] * code->data<float>()[n * d + c];
    input.heat.data<float>()[n] = dot / (static_cast<float>(d) / 2);
  }
  input.low = -1;
  input.high = 1;
  input.colormap = "signed";
  input.quantity = tr("cosine of the two codes");
  input.note.clear();
  input.data_name = "cosine";
  input.title = fill(tr("position {} beside all others"), {patch_place(grid, seen.query)});
  return input;
}

figures::PatchPictureInput caption_input(const Context& context, const Seen& seen) {
  figures::PatchPictureInput input = bare_input(context, seen);
  input.query = input.pinned = -1;
  input.region = seen.caption->attention.region;
  input.heat = weights_of_word(seen, seen.word);
  input.high = largest(input.heat);
  input.quantity = tr("weight");
  input.title =
      fill(tr("{} looks at, head {}"), {seen.caption->words[static_cast<std::size_t>(seen.word)], std::to_string(seen.head)});
  return input;
}

figures::PatchPictureInput page_input(const Context& context, const Seen& seen) {
  if (!seen.shown) return bare_input(context, seen);
  switch (topic_of(state_of(context))) {
    case Topic::token: break;
    case Topic::positions: return similarity_input(context, seen);
    case Topic::attention: return attention_input(context, seen);
    case Topic::caption:
      if (seen.caption) return caption_input(context, seen);
      break;
  }
  return bare_input(context, seen);
}

figures::PatchTilesInput head_tiles(const Context& context, const Seen& seen) {
  figures::PatchTilesInput input;
  input.picture = bare_input(context, seen);
  input.picture.pinned = -1;
  input.picture.high = 0;
  const std::int64_t heads = seen.attention().weights.dim(0);
  for (std::int64_t h = 0; h < heads; ++h) {
    input.tiles.push_back({fill(tr("head {}"), {std::to_string(h)}), weights_of(seen, h)});
    input.picture.high = std::max(input.picture.high, largest(input.tiles.back().heat));
  }
  input.selected = seen.head;
  input.title = fill(tr("patch {} looks at, every head"), {patch_place(seen.grid(), seen.query)});
  return input;
}

figures::PatchTilesInput word_tiles(const Context& context, const Seen& seen) {
  figures::PatchTilesInput input;
  input.picture = bare_input(context, seen);
  input.picture.query = input.picture.pinned = -1;
  input.picture.region = seen.caption->attention.region;
  input.picture.high = 0;
  for (std::size_t t = 0; t < seen.caption->words.size(); ++t) {
    input.tiles.push_back({seen.caption->words[t], weights_of_word(seen, static_cast<std::int64_t>(t))});
    input.picture.high = std::max(input.picture.high, largest(input.tiles.back().heat));
  }
  input.selected = seen.word;
  input.tokens = true;
  input.title = fill(tr("where each word of the caption looks, head {}"), {std::to_string(seen.head)});
  return input;
}

namespace {

// What every map of attention here has: the weights' colours from 0 to the largest, and whose weights they are.
void show_weights(figures::HeatmapInput& input, const Context& context) {
  input.low = 0;
  input.high = largest(input.values);
  input.colormap = colormap_of_view(context.view);
  input.quantity = tr("weight");
  input.note = note_of(state_of(context));
}

}  // namespace

figures::HeatmapInput patch_map_input(const Context& context, const Seen& seen) {
  figures::HeatmapInput input;
  const Tensor& all = seen.attention().weights;
  const std::int64_t n = all.dim(1);
  const DerivedKey key("patches/map", {seen.shown->key, seen.head});
  const auto head = context.derived.now<Tensor>(
      key, [&all, at = seen.head, n](const CancelToken&) -> Result<Tensor> { return as_grid(row_of(all, at, 0), n, n); });
  input.values = *head.value;
  input.key = seen.shown->key + 16 + static_cast<std::uint64_t>(seen.head);
  input.row_axis = tr("query patch");
  input.column_axis = tr("key patch");
  show_weights(input, context);
  input.title = fill(tr("all patches, head {}"), {std::to_string(seen.head)});
  input.most_cell = 40;
  input.fit = figures::CellFit::square;
  input.hot_row = seen.query;
  input.hot_column = state_of(context).key;
  return input;
}

figures::HeatmapInput word_map_input(const Context& context, const Seen& seen) {
  figures::HeatmapInput input;
  const images::CaptionAttention& caption = seen.caption->attention;
  const auto words = static_cast<std::int64_t>(seen.caption->words.size());
  input.values = as_grid(row_of(caption.weights, seen.head, 0), words, caption.rows * caption.columns);
  std::string text;
  for (const std::string& word : seen.caption->words) text += " " + word;
  input.key = seen.shown->key ^ (std::hash<std::string>()(text) << 16) ^
              (static_cast<std::uint64_t>(256 + seen.head) + 32 * static_cast<std::uint64_t>(caption.region));
  input.row_labels = seen.caption->words;
  input.row_axis = tr("word, the query");
  input.column_axis = fill(tr("region, the key: row by row, {} in a row"), {std::to_string(caption.columns)});
  input.row_name = "word";
  input.column_name = "region";
  input.data_name = "word map";
  show_weights(input, context);
  input.title = fill(tr("words by regions, head {}: rows sum to 1"), {std::to_string(seen.head)});
  input.fit = figures::CellFit::box;
  input.legend = false;
  input.hot_row = seen.word;
  return input;
}

figures::HeatmapInput patch_code_input(const Context& context, const Seen& seen) {
  figures::HeatmapInput input;
  input.values = *code_of(context, seen);
  input.key = seen.shown->key + 128;
  input.row_axis = tr("patch");
  input.column_axis = tr("dimension: half of row, half of column");
  input.row_name = "patch";
  input.column_name = "dimension";
  input.data_name = "positions";
  input.low = -1;
  input.high = 1;
  input.colormap = "signed";
  input.quantity = tr("number of the code");
  input.title = tr("codes of row and column");
  input.fit = figures::CellFit::box;
  input.hot_row = seen.query;
  return input;
}

figures::PatchTokenInput patch_token_input(const Context& context, const Seen& seen, std::int64_t dimension) {
  figures::PatchTokenInput input;
  const images::PatchAttention& a = seen.attention();
  const std::int64_t side = seen.grid().side, inputs = side * side * 3, d = a.tokens.dim(1), n = seen.query;
  input.patch.rgba = Tensor(DType::u8, {side, side, 4}, {"row", "column", "channel"});
  const double* const pixels = a.pixels.data<double>() + n * inputs;
  for (std::int64_t i = 0; i < side * side; ++i)
    for (std::int64_t c = 0; c < 4; ++c)
      input.patch.rgba.data<std::uint8_t>()[4 * i + c] =
          c == 3 ? std::uint8_t{255} : static_cast<std::uint8_t>(std::lround((pixels[3 * i + c] + 1) * 127.5));
  input.key = seen.shown->key + 1024 + static_cast<std::uint64_t>(n) * 8;
  input.patch.key = input.key;
  input.pixels = as_grid(pixels, inputs, 1);
  const DerivedKey key("patches/embedding", {seen.shown->key});
  const auto matrix = context.derived.now<Tensor>(key, [&a](const CancelToken&) -> Result<Tensor> {
    return as_grid(a.embedding.data<double>(), a.embedding.dim(0), a.embedding.dim(1));
  });
  input.matrix = *matrix.value;
  input.token = as_grid(a.tokens.data<double>() + n * d, 1, d);
  input.position = as_grid(a.positions.data<double>() + n * d, 1, d);
  input.input = as_grid(a.input.data<double>() + n * d, 1, d);
  input.side = side;
  input.hot = dimension;
  input.note = note_of(state_of(context));
  input.patch_words = fill(tr("patch {}: {} x {} pixels, {} numbers"),
                           {patch_place(seen.grid(), n), std::to_string(side), std::to_string(side), std::to_string(inputs)});
  input.title = tr("from pixels to a token");
  return input;
}

std::vector<std::string> weight_lines(const Seen& seen, std::int64_t key) {
  const images::PatchAttention& a = seen.attention();
  std::vector<std::string> lines = {fill(tr("patch {} looks at {}, head {}: {}"),
                                         {patch_place(seen.grid(), seen.query), patch_place(seen.grid(), key),
                                          std::to_string(seen.head), number(row_of(a.weights, seen.head, seen.query)[key])})};
  for (std::string& line : softmax_lines(a.scores, a.weights, seen.head, seen.query, key, a.q.dim(1) / a.weights.dim(0)))
    lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> word_lines(const Seen& seen, std::int64_t region) {
  const images::CaptionAttention& c = seen.caption->attention;
  const std::string place = "(" + std::to_string(region / c.columns) + ", " + std::to_string(region % c.columns) + ")";
  std::vector<std::string> lines = {fill(tr("{} looks at region {}, head {}: {}"),
                                         {seen.caption->words[static_cast<std::size_t>(seen.word)], place,
                                          std::to_string(seen.head), number(row_of(c.weights, seen.head, seen.word)[region])})};
  for (std::string& line : softmax_lines(c.scores, c.weights, seen.head, seen.word, region, c.q.dim(1) / c.weights.dim(0)))
    lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> token_lines(const Seen& seen, std::int64_t dimension) {
  const images::PatchAttention& a = seen.attention();
  const std::int64_t d = a.tokens.dim(1), n = seen.query, inputs = a.pixels.dim(1);
  const std::int64_t at = std::clamp<std::int64_t>(dimension, 0, d - 1);
  const auto pixel = [&](std::int64_t i) { return a.pixels.data<double>()[n * inputs + i]; };
  const auto weight = [&](std::int64_t i) { return a.embedding.data<double>()[i * d + at]; };
  std::string sum;
  for (std::int64_t i = 0; i < std::min<std::int64_t>(3, inputs); ++i)
    sum += (i > 0 ? " + " : "") + number(pixel(i)) + " · " + number(weight(i));
  std::vector<std::string> lines = {
      fill(tr("number {} of the token, over {} pixel numbers: {}"),
           {std::to_string(at), std::to_string(inputs), number(a.tokens.data<double>()[n * d + at])}),
      sum + " + … = " + number(a.tokens.data<double>()[n * d + at])};
  if (const double code = a.positions.data<double>()[n * d + at]; code != 0) {
    const bool across = at >= d / 2;
    const std::int64_t i = across ? at - d / 2 : at, place = across ? n % seen.grid().columns : n / seen.grid().columns;
    lines.push_back(fill(across ? tr("+ the column's code {}") : tr("+ the row's code {}"),
                         {std::string(i % 2 == 0 ? "sin" : "cos") + "(" + std::to_string(place) + " / 10000^(" +
                          std::to_string(i - i % 2) + "/" + std::to_string(d / 2) + ")) = " + number(code)}) +
                    "   = " + number(a.input.data<double>()[n * d + at]));
  }
  return lines;
}

}  // namespace headlight::views::vision
