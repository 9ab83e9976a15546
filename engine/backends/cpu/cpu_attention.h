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

// Null where an input is not given or an output is not kept; shapes as in backend.h.
struct AttentionArrays {
  const float *q = nullptr, *k = nullptr, *v = nullptr;
  const float* a = nullptr;  // of additive scores
  const std::uint8_t* keep = nullptr;
  const float* bias = nullptr;
  Shape mask_shape, bias_shape;
  std::int32_t counter = 0;  // of dropout
  float *context = nullptr, *scores = nullptr, *scaled = nullptr, *masked = nullptr, *weights = nullptr;
};

// Attention by tiles of query rows: without kept outputs a thread holds no more than one tile of [rows, keys]. `packed` keeps its
// memory between calls. False if cancelled.
bool attention(const Kernels& kernels, const Attention& op, const AttentionArrays& arrays, Scratch& packed,
               const CancelToken& cancel);

struct IsdpaArrays {
  const float *f = nullptr, *p = nullptr;
  const float* w[3] = {};           // WQ, WK, WV: act on F's rows
  const float* position_w[3] = {};  // act on P's rows
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
  // `same_inputs`: F, P and the weights are those of the last call that succeeded; only then may cached tables be used.
  Status run(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& arrays, bool same_inputs, const CancelToken& cancel);

  struct Tables;     // the index method
  struct Direct;     // the layer as its formula says
  struct Shortcuts;  // the written-out layer with every shortcut that needs no index

 private:
  std::unique_ptr<Tables> tables_;
  std::unique_ptr<Direct> direct_;
  std::unique_ptr<Shortcuts> shortcuts_;
};

}  // namespace headlight::backends::cpu
