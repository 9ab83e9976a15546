#include "engine/images/patch_attention.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/images/random_layers.h"

namespace headlight::images {
namespace {

Tensor sum_of(const Tensor& a, const Tensor& b) {
  Tensor sum(DType::f64, a.shape(), a.axes());
  std::transform(a.data<double>(), a.data<double>() + a.count(), b.data<double>(), sum.data<double>(),
                 [](double x, double y) { return x + y; });
  return sum;
}

Status check_sizes(const PatchModel& model, const PatchGrid& grid) {
  if (model.heads < 1 || model.d_model < 4 || model.d_model % 4 != 0)
    return invalid("d_model {} is no multiple of 4", model.d_model)
        .mend("half of it is for the row of a patch and half for the column, in sines and cosines");
  if (model.d_model % model.heads != 0)
    return invalid("d_model {} cannot be divided among {} heads", model.d_model, model.heads)
        .mend("give a number of heads that divides d_model");
  const std::int64_t n = grid.count(), inputs = grid.side * grid.side * 3;
  if (n > kMostWeights / n / model.heads)
    return failure(ErrorKind::too_large, "attention over {} patches takes too many weights", n).mend("take larger patches");
  if (inputs > kMostWeights / model.d_model)
    return failure(ErrorKind::too_large, "a patch of {} numbers takes too large a linear layer", inputs)
        .mend("take smaller patches");
  return {};
}

}  // namespace

Result<PatchGrid> patch_grid(const Picture& picture, std::int64_t side) {
  if (side < 1 || side > picture.width || side > picture.height)
    return invalid("patches of {} pixels a side do not fit into a picture of {} x {}", side, picture.width, picture.height)
        .mend("take a side from 1 to {}", std::min(picture.width, picture.height));
  PatchGrid grid;
  grid.side = side;
  grid.rows = picture.height / side;
  grid.columns = picture.width / side;
  grid.left_out_right = picture.width % side;
  grid.left_out_below = picture.height % side;
  return grid;
}

Tensor patch_pixels(const Picture& picture, const PatchGrid& grid) {
  const std::int64_t line = grid.side * 3;  // numbers of one row of pixels of a patch
  Tensor pixels(DType::f64, {grid.count(), grid.side * line}, {"patch", "pixel"});
  double* out = pixels.data<double>();
  for (std::int64_t row = 0; row < grid.rows; ++row)
    for (std::int64_t column = 0; column < grid.columns; ++column)
      for (std::int64_t y = 0; y < grid.side; ++y) {
        const std::uint8_t* from = picture.rgb.data() + ((row * grid.side + y) * picture.width + column * grid.side) * 3;
        for (std::int64_t i = 0; i < line; ++i) *out++ = from[i] / 127.5 - 1;
      }
  return pixels;
}

Tensor position_code_2d(std::int64_t rows, std::int64_t columns, std::int64_t d) {
  Tensor code(DType::f64, {rows * columns, d}, {"patch", "d_model"});
  const std::int64_t half = d / 2;
  for (std::int64_t n = 0; n < rows * columns; ++n) {
    const std::int64_t row = n / columns, column = n % columns;
    for (std::int64_t i = 0; i < half; i += 2) {
      const double w = std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(half));
      const double down = static_cast<double>(row) * w, across = static_cast<double>(column) * w;
      double* at = code.data<double>() + n * d + i;
      at[0] = std::sin(down);
      at[1] = std::cos(down);
      at[half] = std::sin(across);
      at[half + 1] = std::cos(across);
    }
  }
  return code;
}

Result<PatchAttention> attend_patches(const Picture& picture, const PatchModel& model, const CancelToken& cancel) {
  PatchAttention result;
  HL_ASSIGN(result.grid, patch_grid(picture, model.side));
  HL_TRY(check_sizes(model, result.grid));
  const std::int64_t d = model.d_model;
  result.pixels = patch_pixels(picture, result.grid);
  result.embedding = random_matrix(model.seed, "patches.embedding", result.pixels.dim(1), d);
  result.tokens = times(result.pixels, result.embedding, "patch", cancel);
  result.positions = model.positions ? position_code_2d(result.grid.rows, result.grid.columns, d)
                                     : Tensor(DType::f64, {result.grid.count(), d}, {"patch", "d_model"});
  result.input = sum_of(result.tokens, result.positions);
  HL_ASSIGN(result.norm, layer_norm(result.input, cancel));
  result.wq = random_matrix(model.seed, "patches.wq", d, d);
  result.wk = random_matrix(model.seed, "patches.wk", d, d);
  result.q = times(result.norm, result.wq, "patch", cancel);
  result.k = times(result.norm, result.wk, "patch", cancel);
  Attended attended = attend(result.q, result.k, model.heads, cancel);
  if (cancel.cancelled()) return cancelled();
  result.scores = std::move(attended.scores);
  result.weights = std::move(attended.weights);
  return result;
}

}  // namespace headlight::images
