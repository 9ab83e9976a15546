// Attention of groups of rows to groups of keys: rows are gathered into blocks, all blocks are one attention with a mask, and its
// rows are written back. Windows, blocks, global tokens and buckets are such groups.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/attention/long_texts/method_entries.h"

namespace headlight::long_texts {

// `count` blocks of `rows` queries and `keys` keys, as numbers of tokens; -1: nothing stands there.
struct Blocks {
  std::int64_t count = 0, rows = 0, keys = 0;
  std::vector<std::int32_t> queries, of_keys;  // count * rows, count * keys
  Tensor mask;                                 // u8 [count, 1, rows, keys]: 1 may attend
  Tensor bias;                                 // of the backend's type, [count, 1, rows, keys]; empty: none
  Blocks(std::int64_t count, std::int64_t rows, std::int64_t keys);
  // Sets the mask to 1 where both stand somewhere and `allowed` says so; and the bias, if there is to be one.
  void allow(const std::function<bool(std::int64_t query, std::int64_t key)>& allowed,
             const std::function<double(std::int64_t query, std::int64_t key)>& bias, DType real);
};

class Gathered {
 public:
  static Result<Gathered> make(backends::Backend& backend, const Task& task, const Blocks& shape, bool biased);
  // Writes the rows of `out` whose queries stand in the blocks.
  Status run(const Blocks& blocks, const Rows& rows, Tensor& out, const CancelToken& cancel);
  double cells() const { return cells_; }
  const operations::Cost& cost() const { return call_->cost(); }

 private:
  std::optional<Call> call_;
  Tensor q_, k_, v_;
  double cells_ = 0;
};

// Windows over rows that stand `step` apart: each query and `size` keys before it and, unless causal, behind it. `first` tokens
// besides, that every query may see.
Blocks window_blocks(const Task& task, std::int64_t size, std::int64_t step, std::int64_t first);

// A method that is one set of blocks, the same for all rows.
Result<std::unique_ptr<Method>> blocks_method(backends::Backend& backend, const Task& task, Blocks blocks, bool biased);

}  // namespace headlight::long_texts
