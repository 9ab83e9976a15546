// Attention and index-based attention on the CPU.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/backends/base/backend.h"
#include "engine/backends/cpu/cpu_kernels.h"
#include "engine/backends/cpu/scratch.h"
#include "engine/operations/isdpa.h"

namespace headlight::operations {
struct Attention;
}

namespace headlight::backends::cpu {

// The arrays of one attention; null where an input is not given or an output is not kept. Shapes as in operations/attention.h.
struct AttentionArrays {
  const float *q = nullptr, *k = nullptr, *v = nullptr;
  const float* a = nullptr;  // of additive scores
  const std::uint8_t* keep = nullptr;
  const float* bias = nullptr;
  Shape mask_shape, bias_shape;
  std::int32_t counter = 0;  // of dropout
  float *context = nullptr, *scores = nullptr, *scaled = nullptr, *masked = nullptr, *weights = nullptr;
};

// Attention by tiles of query rows: without kept outputs a thread holds no more than one tile [rows, keys]. `packed` keeps its
// memory between calls. False if cancelled.
// attention(kernels, op, {.q = q, .k = k, .v = v, .context = y}, packed, cancel) keeps no scores or weights.
bool attention(const Kernels& kernels, const Attention& op, const AttentionArrays& arrays, Scratch& packed,
               const CancelToken& cancel);

// y = cap tanh(x scale / cap), number by number. cap_row(kernels, scores, 64, 0.125f, 50, capped) bends 64 scaled scores.
inline void cap_row(const Kernels& kernels, const float* x, std::int64_t count, float scale, float cap, float* y) {
  kernels.scale(x, count, scale / cap, y);
  kernels.activate(Activation::tanh, y, count, y);
  kernels.scale(y, count, cap, y);
}

// The arrays of index-based attention; null where an output is not kept. Shapes as in operations/isdpa.h.
struct IsdpaArrays {
  const float *f = nullptr, *p = nullptr;
  const float* w[3] = {};           // WQ, WK, WV, which multiply the rows of F
  const float* position_w[3] = {};  // WQ, WK, WV, which multiply the rows of P
  const std::int32_t* ids = nullptr;
  float* qkv[3] = {};
  float* terms[4] = {};  // mm, mp, pm, pp
  float *qk = nullptr, *score = nullptr, *result = nullptr;
};

// The tables and workspaces of one Isdpa plan.
class IsdpaState {
 public:
  IsdpaState();
  ~IsdpaState();
  // `same_inputs`: F, P and the weights are those of the last call that succeeded; only then are cached tables used.
  // run(kernels, op, arrays, false, cancel) computes everything anew.
  Status run(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& arrays, bool same_inputs, const CancelToken& cancel);

  struct Tables;     // the index method
  struct Direct;     // the layer as its formula is written
  struct Shortcuts;  // the layer with every exact shortcut that needs no index

 private:
  std::unique_ptr<Tables> tables_;
  std::unique_ptr<Direct> direct_;
  std::unique_ptr<Shortcuts> shortcuts_;
};

}  // namespace headlight::backends::cpu
