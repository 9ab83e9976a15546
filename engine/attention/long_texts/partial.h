// Exact attention in pieces: each piece of the keys gives its own softmax and sum, and the pieces are put together by the
// logarithm of the sum of their exponentials (Milakov and Gimelshein 2018; Rabe and Staats 2021).
#pragma once

#include <cstdint>
#include <vector>

#include "engine/attention/long_texts/method_entries.h"

namespace headlight::long_texts {

// `parts` groups of `rows` queries, each attending to `keys` keys at a time.
class Pieces {
 public:
  static Result<Pieces> make(backends::Backend& backend, const Task& task, std::int64_t parts, std::int64_t rows,
                             std::int64_t keys);
  void begin();  // nothing is seen yet
  // q [parts, 1, rows, d]; k and v [parts, 1, keys, d]; mask u8 [parts, 1, rows, keys].
  Status add(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask, const CancelToken& cancel);
  // The first rows of all parts, one behind the other, to `out` [tokens, d].
  void end(Tensor& out) const;
  const operations::Cost& cost() const { return call_.cost(); }  // of one piece

 private:
  explicit Pieces(Call call) : call_(std::move(call)) {}
  Call call_;
  std::int64_t rows_ = 0, keys_ = 0, d_ = 0;  // rows of all parts
  Tensor sum_, log_;                          // what is seen so far: [rows, d], [rows]
};

}  // namespace headlight::long_texts
