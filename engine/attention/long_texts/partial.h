// Exact attention in pieces. Each piece of the keys gives its own softmax and weighted sum of values; the pieces are put together
// by the logarithms of the sums of their exponentials (Milakov and Gimelshein 2018; Rabe and Staats 2021).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/attention/long_texts/method_entries.h"

namespace headlight::long_texts {

// `parts` groups of `rows` queries; each group attends to `keys` keys at a time. Call begin(), add() once a piece, then end().
class Pieces {
 public:
  // make(backend, task, 1, 4096, 512): one group of 4096 queries, 512 keys a piece.
  static Result<Pieces> make(backends::Backend& backend, const Task& task, std::int64_t parts, std::int64_t rows,
                             std::int64_t keys);
  void begin();  // forgets all pieces
  // Adds one piece: q [parts, 1, rows, d]; k and v [parts, 1, keys, d]; mask u8 [parts, 1, rows, keys].
  // add(q, k, v, mask, cancel) with the first 512 keys, then with the next 512, and so on.
  Status add(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, const CancelToken& cancel);
  // Writes the output to `out` [tokens, d]: the rows of all parts, one behind the other, as many as `out` has.
  void end(Tensor& out) const;
  const operations::Cost& cost() const { return call_.cost(); }  // of one piece

 private:
  explicit Pieces(Call call) : call_(std::move(call)) {}
  Call call_;
  std::int64_t rows_ = 0, keys_ = 0, d_ = 0;  // rows of all parts
  // Of the pieces so far: the output [rows, d], and the logarithm of the sum of exponentials [rows].
  Tensor sum_, log_;
};

}  // namespace headlight::long_texts
