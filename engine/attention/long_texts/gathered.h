// Attention of groups of queries to groups of keys. The rows are gathered into blocks, all blocks are computed as one attention
// with a mask, and its output rows are written back. Windows, blocks, global tokens and buckets are such groups.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/attention/long_texts/method_entries.h"

namespace headlight::long_texts {

// `count` blocks of `rows` queries and `keys` keys. Queries and keys are given as indices of tokens; -1 marks an empty place.
struct Blocks {
  std::int64_t count = 0, rows = 0, keys = 0;
  std::vector<std::int32_t> queries, of_keys;  // [count, rows] and [count, keys]
  Tensor mask;                                 // u8 [count, 1, rows, keys]: 1 may attend
  Tensor bias;                                 // of the backend's type, [count, 1, rows, keys]; empty: none
  Blocks(std::int64_t count, std::int64_t rows, std::int64_t keys);
  // Sets the mask to 1 where neither place is empty and `allowed` is true, and there sets the bias, unless `bias` is null.
  // allow([](auto query, auto key) { return key <= query; }, nullptr, DType::f32) makes a causal mask.
  void allow(const std::function<bool(std::int64_t query, std::int64_t key)>& allowed,
             const std::function<double(std::int64_t query, std::int64_t key)>& bias, DType real);
};

// The attention over blocks of one shape, prepared once and run with the blocks of any rows.
class Gathered {
 public:
  // Only the sizes of `shape` count. `biased`: the blocks will have a bias. make(backend, task, blocks, false) has none.
  static Result<Gathered> make(backends::Backend& backend, const Task& task, const Blocks& shape, bool biased);
  // Computes the output of the queries in the blocks and writes it to their rows of `out` [tokens, d]; other rows stay.
  // run(blocks, rows, out, cancel) takes `blocks` of the sizes that make() got.
  Status run(const Blocks& blocks, const Rows& rows, Tensor& out, const CancelToken& cancel);
  double cells() const { return cells_; }
  const operations::Cost& cost() const { return call_->cost(); }

 private:
  std::optional<Call> call_;
  Tensor q_, k_, v_;
  double cells_ = 0;
};

// Blocks for windows over rows that stand `step` apart: each query with `size` keys before it and, unless causal, behind it.
// Besides, every block has the first `first` tokens as keys. The mask is still zeros. For 1000 causal tokens,
// window_blocks(task, 64, 1, 0) gives 16 blocks of 64 queries and 128 keys.
Blocks window_blocks(const Task& task, std::int64_t size, std::int64_t step, std::int64_t first);

// A method whose blocks are the same for all rows: blocks_method(backend, task, std::move(blocks), false), without a bias.
Result<std::unique_ptr<Method>> blocks_method(backends::Backend& backend, const Task& task, Blocks blocks, bool biased);

}  // namespace headlight::long_texts
