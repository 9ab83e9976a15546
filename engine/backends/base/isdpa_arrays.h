// The arrays of index-based attention that a backend works on, from its buffers in the order of operations/isdpa.h.
#pragma once

#include <cstdint>
#include <span>

#include "engine/backends/base/backend.h"
#include "engine/operations/isdpa.h"

namespace headlight::backends {

// Arrays: a backend's own IsdpaArrays. `at` gives the pointer to a buffer's numbers. Outputs that are not kept stay null.
// isdpa_arrays<IsdpaArrays>(op, in, out, ids, at): f is at(in[0]), and result is the last kept output.
template <class Arrays, class At>
Arrays isdpa_arrays(const Isdpa& op, std::span<const Buffer> in, std::span<Buffer> out, const std::int32_t* ids, At&& at) {
  Arrays a;
  a.f = at(in[0]);
  a.p = at(in[1]);
  for (std::size_t i = 0; i < 3; ++i) {
    a.w[i] = at(in[2 + i]);
    a.position_w[i] = at(in[(op.separate_position_weights ? 5 : 2) + i]);
  }
  a.ids = ids;
  std::size_t next = 0;
  const bool kept[] = {op.keep_q, op.keep_k, op.keep_v};
  for (std::size_t i = 0; i < 3; ++i) a.qkv[i] = kept[i] ? at(out[next++]) : nullptr;
  for (std::size_t i = 0; i < 4; ++i) a.terms[i] = op.keep_terms ? at(out[next++]) : nullptr;
  if (op.keep_qk) a.qk = at(out[next++]);
  if (op.keep_score) a.score = at(out[next++]);
  if (op.keep_result) a.result = at(out[next++]);
  return a;
}

}  // namespace headlight::backends
