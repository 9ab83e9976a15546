#include "engine/backends/cpu/attention_gradient.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/backends/cpu/gradient_kernels.h"
#include "engine/backends/cpu/mask_reach.h"
#include "engine/backends/cpu/products.h"
#include "engine/core/parallel.h"
#include "engine/operations/dropout.h"

namespace headlight::backends::cpu {
namespace {

using operations::Attention;

// The workspace of one task, cut from one array of floats.
struct Room {
  float *dweights, *dropped, *turned, *packed, *sum;
  static std::int64_t size(const Kernels& kernels, const Attention& op) {
    return 3 * op.queries * op.keys + packed_most(kernels, op) + op.keys * std::max(op.d_k, op.d_v);
  }
  static std::int64_t packed_most(const Kernels& kernels, const Attention& op) {
    return std::max({packed_size(kernels, op.d_v, op.keys), packed_size(kernels, op.keys, op.d_k),
                     packed_size(kernels, op.queries, op.d_k), packed_size(kernels, op.queries, op.d_v)});
  }
  Room(const Kernels& kernels, const Attention& op, float* at)
      : dweights(at),
        dropped(dweights + op.queries * op.keys),
        turned(dropped + op.queries * op.keys),
        packed(turned + op.queries * op.keys),
        sum(packed + packed_most(kernels, op)) {}
};

class OneHead {
 public:
  OneHead(const Kernels& kernels, const Attention& op, const AttentionGradientArrays& a, const MaskReach& reach, const Room& room)
      : kernels_(kernels),
        more_(*kernels.gradients),
        op_(op),
        a_(a),
        reach_(reach),
        room_(room),
        small_(is_small(op)),
        tile_(small_ && reach.ends_early() ? kernels.small_rows : 4 * kernels.row_multiple) {
    if (op.dropout > 0) draws_.emplace(op.dropout, op.dropout_seed, a.counter);
  }

  // `first`: of the key/value head's query heads, whose dk and dv are written and not added to.
  void descend(std::int64_t b, std::int64_t h, std::int64_t shared, bool first) {
    find_ends(b, h);
    const std::int64_t n = op_.queries, m = op_.keys, own = b * op_.heads + h, kv_heads = op_.key_heads();
    const Attention::Rows q = op_.rows_of(b, h, op_.heads, n, op_.d_k), context = op_.rows_of(b, h, op_.heads, n, op_.d_v);
    const Attention::Rows k = op_.rows_of(b, shared % kv_heads, kv_heads, m, op_.d_k);
    const Attention::Rows v = op_.rows_of(b, shared % kv_heads, kv_heads, m, op_.d_v);
    const float* const weights = a_.weights + own * n * m;
    const float* const dcontext = a_.dcontext + context.first;
    const float* used = weights;  // as they weighed the values
    if (draws_) {
      drop(weights, own, room_.dropped);
      used = room_.dropped;
    }
    if (a_.dv) turned_product(used, dcontext, context.step, op_.d_v, a_.dv + v.first, v.step, first);
    if (!a_.dq && !a_.dk) return;
    // By the weights: dcontext v^T; by the scores: through the softmax.
    pack(kernels_, a_.v + v.first, v.step, true, op_.d_v, m, room_.packed);
    for_tiles([&](std::int64_t row, std::int64_t rows, std::int64_t end) {
      multiply_packed(kernels_, rows, op_.d_v, end, dcontext + row * context.step, context.step, room_.packed,
                      room_.dweights + row * m, m);
    });
    if (draws_) drop(room_.dweights, own, room_.dweights);
    const auto factor = static_cast<float>(op_.scale / op_.temperature);
    for_tiles([&](std::int64_t row, std::int64_t rows, std::int64_t end) {
      for (std::int64_t i = row; i < row + rows; ++i) {
        float* const by_scores = room_.dweights + i * m;
        more_.softmax(weights + i * m, by_scores, end, factor, by_scores);
        std::fill(by_scores + end, by_scores + m, 0.0f);
      }
    });
    if (a_.keep && op_.fill == operations::MaskFill::minus_1e9) clear_masked(b, h);
    if (a_.dq) {
      if (!small_) pack(kernels_, a_.k + k.first, k.step, false, m, op_.d_k, room_.packed);
      for_tiles([&](std::int64_t row, std::int64_t rows, std::int64_t end) {
        const float* const by_scores = room_.dweights + row * m;
        float* const dq = a_.dq + q.first + row * q.step;
        if (small_)
          kernels_.multiply_small(rows, end, op_.d_k, by_scores, m, 1, a_.k + k.first, k.step, false, dq, q.step);
        else
          multiply_packed_rows(kernels_, rows, 0, end, m, op_.d_k, by_scores, m, room_.packed, dq, q.step);
      });
    }
    if (a_.dk) turned_product(room_.dweights, a_.q + q.first, q.step, op_.d_k, a_.dk + k.first, k.step, first);
  }

 private:
  // Keys that each tile of queries looks at.
  void find_ends(std::int64_t b, std::int64_t h) {
    if (!reach_.ends_early() && !ends_.empty()) return;
    ends_.clear();
    for (std::int64_t row = 0; row < op_.queries; row += tile_)
      ends_.push_back(reach_.of_rows(b, h, row, std::min(tile_, op_.queries - row)));
  }
  template <class Body>
  void for_tiles(const Body& body) const {
    for (std::int64_t row = 0; row < op_.queries; row += tile_)
      body(row, std::min(tile_, op_.queries - row), ends_[static_cast<std::size_t>(row / tile_)]);
  }
  // Of the first query that looks at key `key` or a later one, rounded down to a whole tile.
  std::int64_t first_row(std::int64_t key) const {
    std::int64_t row = 0;
    while (row < op_.queries && ends_[static_cast<std::size_t>(row / tile_)] <= key) row += tile_;
    return row;
  }
  void drop(const float* from, std::int64_t own, float* to) const {
    const std::int64_t m = op_.keys;
    const auto factor = static_cast<float>(1 / (1 - op_.dropout));
    for_tiles([&](std::int64_t row, std::int64_t rows, std::int64_t end) {
      for (std::int64_t i = row; i < row + rows; ++i) {
        more_.drop(from + i * m, end, (own * op_.queries + i) * m, draws_->key(), draws_->threshold(), factor, to + i * m);
        std::fill(to + i * m + end, to + (i + 1) * m, 0.0f);
      }
    });
  }
  // to [keys, width] = (or +=) cells^T [keys, queries] rows [queries, width]; the steps: from one row to the next.
  void turned_product(const float* cells, const float* rows, std::int64_t rows_step, std::int64_t width, float* to,
                      std::int64_t to_step, bool first) const {
    const std::int64_t n = op_.queries;
    if (small_) {
      for (std::int64_t key = 0; key < op_.keys; key += tile_) {
        const std::int64_t row = std::min(first_row(key), n);  // the end: nobody looks at them
        kernels_.multiply_small(std::min(tile_, op_.keys - key), n - row, width, cells + row * op_.keys + key, 1, op_.keys,
                                rows + row * rows_step, rows_step, !first, to + key * to_step, to_step);
      }
      return;
    }
    more_.transpose(cells, n, op_.keys, op_.keys, room_.turned, n);
    pack(kernels_, rows, rows_step, false, n, width, room_.packed);
    float* const product = first ? to : room_.sum;
    const std::int64_t step = first ? to_step : width;
    for (std::int64_t key = 0; key < op_.keys; key += tile_) {
      const std::int64_t keys = std::min(tile_, op_.keys - key), row = first_row(key);
      if (row >= n) {  // nobody looks at them
        for (std::int64_t j = key; j < key + keys; ++j) std::fill_n(product + j * step, width, 0.0f);
        continue;
      }
      multiply_packed_rows(kernels_, keys, row, n - row, n, width, room_.turned + key * n + row, n, room_.packed,
                           product + key * step, step);
    }
    for (std::int64_t j = 0; !first && j < op_.keys; ++j) more_.accumulate(product + j * step, width, to + j * to_step);
  }
  // A masked score was replaced by -1e9. Where a whole row was, its weights are not 0, but they do not depend on the scores.
  void clear_masked(std::int64_t b, std::int64_t h) const {
    const auto step = operations::mask_strides(a_.mask_shape);
    for (std::int64_t i = 0; i < op_.queries; ++i)
      for (std::int64_t j = 0; j < op_.keys; ++j)
        if (!a_.keep[b * step[0] + h * step[1] + i * step[2] + j * step[3]]) room_.dweights[i * op_.keys + j] = 0;
  }

  const Kernels& kernels_;
  const GradientKernels& more_;
  const Attention& op_;
  const AttentionGradientArrays& a_;
  const MaskReach& reach_;
  const Room& room_;
  const bool small_;
  const std::int64_t tile_;         // queries, or keys, of a product
  std::vector<std::int64_t> ends_;  // by tile of queries
  std::optional<operations::Draws> draws_;
};

}  // namespace

bool attention_gradient(const Kernels& kernels, const Attention& op, const AttentionGradientArrays& a, Scratch& scratch,
                        const CancelToken& cancel) {
  const std::int64_t kv_heads = op.key_heads(), group = op.heads / kv_heads, tasks = op.batch * kv_heads;
  // A workspace for each of so many stretches of tasks, whatever thread takes them.
  const std::int64_t lanes = std::min<std::int64_t>(tasks, thread_count());
  const std::int64_t size = Room::size(kernels, op);
  float* const memory = scratch.floats(lanes * size);
  const MaskReach reach(op, a.keep, a.mask_shape);
  return parallel_for(
             lanes, 1,
             [&](std::int64_t begin, std::int64_t end) {
               for (std::int64_t lane = begin; lane < end; ++lane) {
                 const Room room(kernels, op, memory + lane * size);
                 OneHead one(kernels, op, a, reach, room);
                 for (std::int64_t task = lane; task < tasks && !cancel.cancelled(); task += lanes)
                   for (std::int64_t i = 0; i < group; ++i)
                     one.descend(task / kv_heads, task % kv_heads * group + i, task, i == 0);
               }
             },
             cancel) &&
         !cancel.cancelled();
}

}  // namespace headlight::backends::cpu
