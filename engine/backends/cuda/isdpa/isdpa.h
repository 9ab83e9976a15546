// Index-based attention on the GPU, every method of backends::Isdpa, as a string of products, look-ups and one fused kernel.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/backends/cuda/runtime/gpu.h"

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

  // What the values of the ids decide (which symbols occur, which rows are different, what is padding) is found once a buffer of
  // ids and lies on the GPU from then on. To be called before run() with these ids, never while work is recorded. Gives a number
  // for all that a recording of run() rests on beside its arrays: under another number it must not be replayed.
  Result<std::uint64_t> prepare(const std::shared_ptr<const IndexRange>& ids);
  // With the ids prepared last. `ready`: F, P and the weights are those of the last call, and what was kept of them still holds.
  Status run(const IsdpaArrays& arrays, bool ready);

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
    kPairs,
    kSplitQ,
    kSplitK,
    kSplitV,
    kContext,
    kWorkspace,
    kSlots
  };

  // Of one buffer of ids. Arrays are on the GPU; those that the method does not need are null.
  struct Facts {
    std::shared_ptr<const IndexRange> ids;  // held, so that its address names it
    std::uint64_t number = 0;               // never given twice
    std::int64_t rows = 0;                  // symbols that occur, or different (symbol, position) pairs
    std::int64_t pad = -1;                  // the padding symbol among those that occur
    std::shared_ptr<void> symbols, places;  // i32 [rows]: of each row
    std::shared_ptr<void> row_of;           // i32 [W, l]
    std::shared_ptr<void> keep, mean;       // u8 and f32 [W, l]: 0 for padding, else 1, and a query's share in the mean
  };

  // isdpa.cpp
  Status index(const Isdpa& op, const IsdpaArrays& a, bool ready);
  Status index_of_used(const IsdpaArrays& a);

  // isdpa_baselines.cpp
  Status direct(const IsdpaArrays& a);
  Status shortcut(const IsdpaArrays& a, bool ready);
  Status attention(const IsdpaArrays& a);

  // isdpa_ids.cpp
  bool rests_on_ids() const;
  Status find_facts(Facts& facts);
  Status find_pairs(Facts& facts);
  Status find_padding(Facts& facts);
  template <class T>
  Result<std::shared_ptr<void>> uploaded(const std::vector<T>& values);

  Status terms_apart(const Isdpa& op, const IsdpaArrays& a, const float* content_q, const float* content_k,
                     const float* position_q, const float* position_k);
  Status squares_of(const Isdpa& op, const float* q, const float* k, std::int64_t width, std::int64_t head_step, float* to);
  // Softmax and pooling from squares; gives the scores (pooled) or weights (not pooled), kept or in a workspace.
  Result<float*> pool_squares(const Isdpa& op, const IsdpaArrays& a, const float* squares);
  Status weigh_values(const Isdpa& op, const float* weights, const float* v, float* result);
  Status project_pooled(const Isdpa& op, const float* scores, const float* x, std::int64_t x_step, const float* wv,
                        float* result);

  Result<float*> floats(Slot slot, std::int64_t count);
  Status product(std::int64_t rows, std::int64_t inner, std::int64_t columns, const float* a, std::int64_t a_row, const float* b,
                 std::int64_t b_row, bool transposed, float* c, std::int64_t c_row);
  Status launch(const ProductCall& call);
  Status launch(const GatherCall& call);
  Status gather(const float* table, const std::int32_t* ids, std::int64_t rows, std::int64_t d, const float* addend,
                std::int64_t period, float* output);
  Status add(const float* input, const float* addend, std::int64_t rows, std::int64_t d, bool repeats, float* output);

  Gpu& gpu_;
  const Isdpa op_;
  const Precision precision_;
  struct Space {
    std::shared_ptr<void> memory;
    std::size_t bytes = 0;
  };
  std::array<Space, kSlots> spaces_;
  std::uint32_t moved_ = 0;  // how often a workspace became another: what was recorded before must not be replayed
  std::vector<std::unique_ptr<Facts>> known_;  // the one used last at the end
  const Facts* facts_ = nullptr;               // of the ids prepared last; null where they decide nothing
  std::uint32_t numbers_ = 0;
  std::shared_ptr<void> pair_symbols_;  // i32 [n l]: the symbol of every pair, if all are projected
  std::shared_ptr<void> equal_shares_;  // f32 [l]: of the queries in their mean, where none is padding
};

}  // namespace headlight::backends::cuda
