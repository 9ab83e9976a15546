// Patches of a picture as tokens (Dosovitskiy et al. 2021, "An image is worth 16x16 words"). The picture is cut into squares of
// P x P pixels. Each patch goes through one linear layer, gets a code of its place in two dimensions, and attends to all patches.
// The weights are random, drawn from a seed: the arithmetic is real, the patterns have no meaning.
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/images/png_picture.h"

namespace headlight::images {

// The most numbers that the weights [head, query, key] may have, and the patches' linear layer [P*P*3, d].
inline constexpr std::int64_t kMostWeights = 16 << 20;

// How a picture is cut: whole patches from the top left. Pixels at the right and below that fill no patch are left out.
struct PatchGrid {
  std::int64_t side = 0, rows = 0, columns = 0;         // pixels a side of a patch; patches
  std::int64_t left_out_right = 0, left_out_below = 0;  // pixels
  std::int64_t count() const { return rows * columns; }
};
// Error (invalid): a side below 1 or above a side of the picture.
// patch_grid(picture of 100 x 50 pixels, 16): 3 rows, 6 columns, 4 pixels left out at the right and 2 below.
Result<PatchGrid> patch_grid(const Picture& picture, std::int64_t side);

// f64 [patch, pixel] = [N, P*P*3]: patches row by row, and in each its pixels row by row, red, green, blue. A byte b becomes
// b / 127.5 - 1, so that black is -1 and white is 1. patch_pixels(picture, grid) is [18, 768] for the grid of that example.
Tensor patch_pixels(const Picture& picture, const PatchGrid& grid);

// f64 [rows * columns, d]: the first half of a row is the sinusoidal code of the patch's row, the second that of its column, each
// PE[p, 2i] = sin(p w_i), PE[p, 2i+1] = cos(p w_i), w_i = 10000^(-2i/(d/2)) (Vaswani et al. 2017, taken twice as in He et al.
// 2022). d is a multiple of 4. position_code_2d(3, 6, 64) is [18, 64]; its first row is 0, 1, 0, 1, ...
Tensor position_code_2d(std::int64_t rows, std::int64_t columns, std::int64_t d);

struct PatchModel {
  std::int64_t side = 16, d_model = 64, heads = 4;
  bool positions = true;
  std::uint64_t seed = 0;
};

// All f64. Rows are queries, columns keys.
struct PatchAttention {
  PatchGrid grid;
  Tensor pixels;     // [N, P*P*3]
  Tensor embedding;  // W_E [P*P*3, d], normal, divided by sqrt(P*P*3); no bias
  Tensor tokens;     // pixels W_E [N, d]
  Tensor positions;  // [N, d]; zeros without positions
  Tensor input;      // tokens + positions
  Tensor norm;       // LayerNorm of its rows, epsilon 1e-5, gamma 1, beta 0
  Tensor wq, wk;     // [d, d], normal, divided by sqrt(d)
  Tensor q, k;       // norm W [N, d]; head h owns columns h d/h .. (h+1) d/h
  Tensor scores;     // [head, query, key]: q k^T / sqrt(d_k)
  Tensor weights;    // softmax of the scores' rows
};
// Errors: those of patch_grid(); d_model no multiple of 4 or of the heads (invalid); more than kMostWeights (too_large);
// cancelled. attend_patches(picture, {.side = 32, .heads = 2}) gives weights [2, N, N].
Result<PatchAttention> attend_patches(const Picture& picture, const PatchModel& model, const CancelToken& cancel = {});

}  // namespace headlight::images
