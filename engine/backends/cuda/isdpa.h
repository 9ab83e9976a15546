// Index-based attention on the GPU, every method of backends::Isdpa, as a string of products, look-ups and one fused kernel.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/backends/backend.h"
#include "engine/backends/cuda/gpu.h"

namespace headlight::backends::cuda {

// Device pointers; null where an input is not given or an output is not kept. Shapes as in backend.h.
struct IsdpaArrays {
  const float *f = nullptr, *p = nullptr;
  std::array<const float*, 3> w{}, position_w{};  // equal pointers: one weight for both
  const std::int32_t* ids = nullptr;
  std::array<float*, 3> qkv{};
  std::array<float*, 4> terms{};  // mm, mp, pm, pp
  float *qk = nullptr, *score = nullptr, *result = nullptr;
};

// Workspaces and tables of one plan. Not for two threads at once.
class IsdpaWork {
 public:
  IsdpaWork(Gpu& gpu, const Isdpa& op, Precision precision) : gpu_(gpu), op_(op), precision_(precision) {}
  // `ready`: the tables of the last call still hold. `ids`: the values of arrays.ids, [words * length].
  Status run(const IsdpaArrays& arrays, const std::vector<std::int32_t>& ids, bool ready);
  // Whether run() does the same work for other values of the ids, so that it may be recorded.
  bool depends_on_ids(const std::vector<std::int32_t>& ids) const;

 private:
  enum Slot {
    kMetaQ,
    kMetaK,
    kMetaV,
    kTable,
    kX,
    kQ,
    kK,
    kV,
    kPosition,
    kSquares,
    kScores,
    kSoft,
    kSpread,
    kPooled,
    kFolded,
    kContent,
    kContentK,
    kUsedRows,
    kUsedIds,
    kNewIds,
    kPositionIds,
    kRowOf,
    kSlots
  };

  Status index(const Isdpa& op, const IsdpaArrays& a, bool ready);
  Status index_of_used(const IsdpaArrays& a, const std::vector<std::int32_t>& ids, const std::vector<std::int32_t>& used);
  Status direct(const IsdpaArrays& a);
  Status shortcut(const IsdpaArrays& a, const std::vector<std::int32_t>& ids);

  Status terms_apart(const Isdpa& op, const IsdpaArrays& a, const float* content_q, const float* content_k,
                     const float* position_q, const float* position_k);
  Status squares_of(const Isdpa& op, const float* q, const float* k, std::int64_t width, std::int64_t head_step, float* to);
  // Softmax and pooling from squares; gives the scores (pooled) or weights (not pooled), kept or in a workspace.
  Result<float*> pool_squares(const Isdpa& op, const IsdpaArrays& a, const float* squares);
  Status weigh_values(const Isdpa& op, const float* weights, const float* v, float* result);
  Status project_pooled(const Isdpa& op, const float* scores, const float* x, std::int64_t x_step, const float* wv,
                        float* result);

  Result<float*> floats(Slot slot, std::int64_t count);
  Result<std::int32_t*> upload_ids(Slot slot, const std::vector<std::int32_t>& ids);
  Status product(std::int64_t rows, std::int64_t inner, std::int64_t columns, const float* a, std::int64_t a_row, const float* b,
                 std::int64_t b_row, bool transposed, float* c, std::int64_t c_row);
  Status launch(const ProductCall& call);
  Status gather(const float* table, const std::int32_t* ids, std::int64_t rows, std::int64_t d, const float* other,
                std::int64_t period, float* y);
  Status add(const float* x, const float* other, std::int64_t rows, std::int64_t d, bool repeats, float* y);

  Gpu& gpu_;
  const Isdpa op_;
  const Precision precision_;
  struct Space {
    std::shared_ptr<void> memory;
    std::size_t bytes = 0;
  };
  std::array<Space, kSlots> spaces_;
};

}  // namespace headlight::backends::cuda
