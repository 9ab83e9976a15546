// The entries of the registry of methods, one per file, and the helpers that several of them share.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "engine/attention/long_texts/method.h"

namespace headlight::long_texts {

Entry full();
Entry blockwise();
Entry ring();
Entry window();
Entry dilated();
Entry block();
Entry global();
Entry adaptive();
Entry reformer();
Entry linformer();
Entry linear();

// A parameter that counts tokens, blocks, ...: count_of("block", "block", 8, 1, 64, "...") is 8 unless given, from 1 to 64.
Parameter count_of(const char* id, const char* label, std::int64_t fallback, std::int64_t least, std::int64_t most,
                   const char* help);

// The pattern of a softmax over the cells that `allowed` accepts and, if the task is causal, that do not lie behind the query.
// `bias` is added to the scaled score. A row without such a cell is all zeros. Rows are f64.
// softmax_pattern(task, rows, [](auto i, auto j) { return i == j; }) is the identity matrix.
Pattern softmax_pattern(const Task& task, const Rows& rows, const std::function<bool(std::int64_t, std::int64_t)>& allowed,
                        const std::function<double(std::int64_t, std::int64_t)>& bias = nullptr);

// An operation that is prepared once and called with different arrays.
class Call {
 public:
  // make(backend, operations::Linear{32, 64, 64}) prepares the operation and allocates its outputs.
  static Result<Call> make(backends::Backend& backend, const backends::OpDesc& desc);
  // Computes out() from the inputs, in the operation's order: run({x, w}, cancel).
  Status run(const std::vector<Tensor>& in, const CancelToken& cancel);
  const Tensor& out(std::size_t i = 0) const { return out_[i].host; }
  Tensor& out(std::size_t i = 0) { return out_[i].host; }
  const operations::Cost& cost() const { return cost_; }

 private:
  backends::Backend* backend_ = nullptr;
  std::unique_ptr<backends::Plan> plan_;
  std::vector<backends::Buffer> out_;
  operations::Cost cost_;
};

// Calls `function` with a zero of the backend's real type. for_real(DType::f32, function) calls function(float{}).
template <class Function>
Status for_real(DType type, const Function& function) {
  return type == DType::f64 ? function(double{}) : function(float{});
}

}  // namespace headlight::long_texts
