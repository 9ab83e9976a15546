// Index-based attention on the GPU: every method of operations/isdpa.h as a sequence of products, look-ups and one fused kernel.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/backends/cuda/runtime/gpu.h"
#include "engine/operations/isdpa.h"

namespace headlight::backends::cuda {

// Device pointers; null where an input is not given or an output is not kept. Shapes as in operations/isdpa.h.
struct IsdpaArrays {
  const float *f = nullptr, *p = nullptr;
  std::array<const float*, 3> w{}, position_w{};  // WQ, WK, WV of F and of P; equal pointers: F and P share a weight
  const std::int32_t* ids = nullptr;
  std::array<float*, 3> qkv{};
  std::array<float*, 4> terms{};  // mm, mp, pm, pp
  float *qk = nullptr, *score = nullptr, *result = nullptr;
};

// The workspaces and tables of one plan. Two threads must not use it at once.
class IsdpaWork {
 public:
  IsdpaWork(Gpu& gpu, const Isdpa& op, Precision precision) : gpu_(gpu), op_(op), precision_(precision) {}

  // Finds the facts that depend on the values of the ids: the symbols that occur, the distinct rows, the cells that are padding.
  // The facts are found once for each buffer of ids and stay on the GPU. Call it before run() with these ids, and never while
  // work is recorded. Returns a number for everything that a recording of run() depends on besides its arrays: with another
  // number, the recording must not be replayed.
  Result<std::uint64_t> prepare(const std::shared_ptr<const IndexRange>& ids);
  // Computes with the ids that were prepared last. `ready`: F, P and the weights are those of the last call, so that the cached
  // tables are still valid. run(arrays, false) computes everything anew.
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

  // The facts about one buffer of ids. Arrays are on the GPU; arrays that the method does not need are null.
  struct Facts {
    std::shared_ptr<const IndexRange> ids;  // held, so that no other buffer gets its address
    std::uint64_t number = 0;               // unique: never given to two Facts
    std::int64_t rows = 0;                  // the number of symbols that occur, or of distinct (symbol, position) pairs
    std::int64_t pad = -1;                  // number of the padding symbol among those that occur; -1: none
    std::shared_ptr<void> symbols, places;  // i32 [rows]: the symbol and the position of each row
    std::shared_ptr<void> row_of;           // i32 [W, l]: the row of each cell
    std::shared_ptr<void> keep, mean;       // u8 [W, l]: 0 for padding, else 1; f32 [W, l]: a query's share in the mean
  };

  // The arrays that the index method makes of F, P and the weights alone, in workspaces; null if a call does not need them.
  struct Projected {
    std::array<float*, 3> meta{};  // [n + l, d]: Q, K and V of the symbols, then of the positions
    float* table = nullptr;        // [h, n + l, n + l]: scores of all symbols and positions with each other
  };

  // isdpa.cpp
  Status index(const Isdpa& op, const IsdpaArrays& a, bool ready);
  Status index_of_used(const IsdpaArrays& a);
  // `ready`: the workspaces still hold the results of the last call, from the same F, P and weights.
  Result<Projected> project(const Isdpa& op, const IsdpaArrays& a, bool ready);
  // Everything from the table to the pooled result in one launch. False, and nothing is launched, if the GPU cannot do this.
  Result<bool> pool_to_result(const Isdpa& op, const IsdpaArrays& a, const Projected& projected);
  // Look-up, softmax and pooling. Both return the scores [W, h, l] (pooled) or weights [W, h, l, l] (not pooled), or null if no
  // output needs them. pool_table also adds the scores up by symbol and position into `spread` [h, W, n + l], unless it is null,
  // and then returns the scores only if they are an output. pool_rows multiplies every word's own rows, for calls without a
  // table.
  Result<float*> pool_table(const Isdpa& op, const IsdpaArrays& a, const float* table, float* spread);
  Result<float*> pool_rows(const Isdpa& op, const IsdpaArrays& a, const float* meta_q, const float* meta_k);
  // result [W, d] = spread [h, W, n + l] times the projected symbols and positions [n + l, d], head by head.
  Status weigh_symbols(const Isdpa& op, const float* spread, const float* meta_v, float* result);

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
  // Softmax and pooling from squares [W, h, l, l]. Returns the scores [W, h, l] (pooled) or weights [W, h, l, l] (not pooled), in
  // their output if they are kept, else in a workspace.
  Result<float*> pool_squares(const Isdpa& op, const IsdpaArrays& a, const float* squares);
  Status weigh_values(const Isdpa& op, const float* weights, const float* v, float* result);
  Status project_pooled(const Isdpa& op, const float* scores, const float* inputs, std::int64_t input_step, const float* wv,
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
  std::uint32_t moved_ = 0;                    // how often a workspace was replaced: recordings made before must not be replayed
  std::vector<std::unique_ptr<Facts>> known_;  // the most recently used one is last
  // The facts about the ids prepared last; null if the method does not depend on the ids' values.
  const Facts* facts_ = nullptr;
  std::uint32_t numbers_ = 0;
  std::shared_ptr<void> pair_symbols_;  // i32 [n l]: the symbol of every pair, if all pairs are projected
  std::shared_ptr<void> equal_shares_;  // f32 [l]: each query's share in the mean, where no position is padding
};

}  // namespace headlight::backends::cuda
