// The arrays of attention that a host backend works on, from its buffers in the order of operations/attention.h.
#pragma once

#include <cstdint>
#include <span>

#include "engine/backends/base/backend.h"
#include "engine/operations/attention.h"

namespace headlight::backends {

// Arrays: a backend's own AttentionArrays. `at` gives the pointer to a buffer's numbers. Outputs that are not kept stay null.
// attention_arrays<AttentionArrays>(op, in, out, at): q, k and v are at(in[0]), at(in[1]) and at(in[2]).
template <class Arrays, class At>
Arrays attention_arrays(const Attention& op, std::span<const Buffer> in, std::span<Buffer> out, At&& at) {
  Arrays a;
  a.q = at(in[0]);
  a.k = at(in[1]);
  a.v = at(in[2]);
  std::size_t given = 3;
  if (op.additive) a.a = at(in[given++]);
  if (op.has_mask) {
    a.mask_shape = in[given].shape();
    a.keep = in[given++].host.data<std::uint8_t>();
  }
  if (op.has_bias) {
    const Buffer& bias = in[given];
    a.bias_shape = bias.shape();
    a.bias = at(bias);
  }
  std::size_t next = 0;
  a.context = at(out[next++]);
  if (op.keep_scores) a.scores = at(out[next++]);
  if (op.keep_scaled) a.scaled = at(out[next++]);
  if (op.keep_masked) a.masked = at(out[next++]);
  if (op.keep_weights) a.weights = at(out[next++]);
  return a;
}

}  // namespace headlight::backends
