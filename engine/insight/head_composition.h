// Composition of heads (Elhage et al., "A Mathematical Framework for Transformer Circuits", 2021): how much of what one head
// writes is read by the queries, keys or values of a head in a later layer. It is told from the weights alone, for any text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// With W_OV = W_V W_O and W_QK = W_Q W_K^T in row convention, head A feeds head B's
//   queries by |W_OV^A W_QK^B|_F / (|W_OV^A|_F |W_QK^B|_F), its keys by the same with W_QK^B transposed,
//   values by |W_OV^A W_OV^B|_F / (|W_OV^A|_F |W_OV^B|_F).
// The norm before an attention is folded into W_Q, W_K and W_V by its gamma. Positions and biases are left out.
struct HeadComposition {
  enum class Kind { queries, keys, values };
  struct Head {
    std::string prefix;  // AttentionSite::prefix
    std::int64_t layer = 0, head = 0;
  };
  std::vector<Head> heads;  // in order of computation
  // [from, to] for each kind, in the order of Kind; 0 where `to` is not in a later layer than `from`.
  std::vector<double> numbers[3];
  // What independent random matrices of these sizes would give: 1 / sqrt(d_model).
  double chance = 0;
  double of(Kind kind, std::size_t from, std::size_t to) const {
    return numbers[static_cast<std::size_t>(kind)][from * heads.size() + to];
  }
  struct Pair {
    std::size_t from = 0, to = 0;
    double strength = 0;
  };
  // The `most` strongest pairs of a kind, strongest first.
  std::vector<Pair> strongest(Kind kind, std::size_t most) const;
  std::uint64_t bytes() const { return sizeof *this + 3 * heads.size() * heads.size() * sizeof(double); }
};

// Of a decoder's or an encoder's own attention; of an encoder-decoder the decoder's. `backend` computes the products. Errors: an
// attention has no projections, or its heads are mixed (unavailable); the trace's and the backend's own; cancelled. `progress` is
// called with the number of steps that are done and of all: about two for each attention.
// head_composition(*trace, backend, cancel).of(HeadComposition::Kind::keys, 3, 8): how the fourth head feeds the ninth one's
// keys.
Result<HeadComposition> head_composition(const Trace& trace, backends::Backend& backend, const CancelToken& cancel,
                                         const std::function<void(std::int64_t, std::int64_t)>& progress = {});

}  // namespace headlight
