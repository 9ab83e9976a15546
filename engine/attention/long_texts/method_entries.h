// The entries of the registry of methods, one per file, and what several of them are written with.
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

// A parameter that counts tokens, blocks, ...
Parameter count_of(const char* id, const char* label, std::int64_t fallback, std::int64_t least, std::int64_t most,
                   const char* help);

// The pattern of a softmax over the cells that `allowed` says (and, causal, over none behind the query), with `bias` added to the
// scaled score; a row without any is all zeros.
Pattern softmax_pattern(const Task& task, const Rows& rows, const std::function<bool(std::int64_t, std::int64_t)>& allowed,
                        const std::function<double(std::int64_t, std::int64_t)>& bias = nullptr);

// An operation that is prepared once and called with other arrays.
class Call {
 public:
  static Result<Call> make(backends::Backend& backend, const backends::OpDesc& desc);
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

// The backend's own real type.
template <class Function>
Status for_real(DType type, const Function& function) {
  return type == DType::f64 ? function(double{}) : function(float{});
}

}  // namespace headlight::long_texts
