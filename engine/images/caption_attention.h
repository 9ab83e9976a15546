// The words of a caption attend to a picture, as in a decoder's cross-attention (Xu et al. 2015, "Show, attend and tell"; in the
// form of Vaswani et al. 2017). Each word is a query; the regions of the picture are keys and values. A region is a square of
// patches, and its vector is the mean of their vectors. The weights are random: the arithmetic is real, the patterns mean
// nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/images/patch_attention.h"

namespace headlight::images {

inline constexpr std::int64_t kMostCaptionWords = 256;

// The text's words, which white space divides.
std::vector<std::string> caption_words(std::string_view text);

struct CaptionModel {
  std::int64_t region = 1;  // patches a side of a region; regions at the right and the bottom may have fewer
  std::int64_t heads = 4;
  std::uint64_t seed = 0;
};

// All f64. R regions, row by row; T words.
struct CaptionAttention {
  std::int64_t region = 1, rows = 0, columns = 0;  // R = rows * columns
  Tensor regions;                                  // [R, d]: the mean of PatchAttention::norm over a region's patches
  Tensor words;       // [T, d]: standard normal numbers, drawn from the seed and the word's letters: equal words, equal vectors
  Tensor positions;   // [T, d]: PE[p, 2i] = sin(p w_i), PE[p, 2i+1] = cos(p w_i), w_i = 10000^(-2i/d)
  Tensor norm;        // LayerNorm of words + positions
  Tensor wq, wk, wv;  // [d, d], normal, divided by sqrt(d)
  Tensor q;           // norm W_Q [T, d]
  Tensor k, v;        // regions W_K, regions W_V [R, d]
  Tensor scores;      // [head, word, region]: q k^T / sqrt(d_k)
  Tensor weights;     // softmax of the scores' rows
  Tensor output;      // [T, d]: every head's weights times its columns of v, side by side
};
// The positions of the patches are part of `picture`. Errors: no word; a region below 1 or above the picture's rows or columns of
// patches; a d_model that the heads do not divide (all invalid); more than kMostCaptionWords (too_large); cancelled.
// attend_caption(picture, {"a", "boat"}, {.region = 2, .heads = 4}) gives weights [4, 2, R].
Result<CaptionAttention> attend_caption(const PatchAttention& picture, const std::vector<std::string>& words,
                                        const CaptionModel& model, const CancelToken& cancel = {});

}  // namespace headlight::images
