// Causal linear attention, computed as a recurrent network, with its gradients. Plain loops in double.
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight::recurrence {

// S_t = S_{t-1} + phi(k_t) v_t^T, z_t = z_{t-1} + phi(k_t), out_t = S_t^T phi(q_t) / (z_t . phi(q_t)) (Katharopoulos et al. 2020,
// equations 16 to 20). phi by `similarity`: "elu+1", "relu", or "squared", all products of two numbers, so that phi(q) . phi(k) =
// (q . k)^2. A row without similar keys is zeros. q, k, v, the result: f64 [T, d]. O(T F d) operations for F features. Errors
// (usage): another similarity, shapes that differ.
// linear_attention("elu+1", q, k, v): its first row is the first row of v.
Result<Tensor> linear_attention(const std::string& similarity, const Tensor& q, const Tensor& k, const Tensor& v);

struct AttentionGradients {
  Tensor q, k, v;  // f64 [T, d]
};
// The gradients of sum_t <out_t, d_out_t>. The gradient by q uses the states from the first step on, and those by k and v use
// sums from the last step back, so that no weight of a query and a key is computed. Errors: those of linear_attention().
// linear_attention_gradients("elu+1", q, k, v, d_out): three tensors [T, d].
Result<AttentionGradients> linear_attention_gradients(const std::string& similarity, const Tensor& q, const Tensor& k,
                                                      const Tensor& v, const Tensor& d_out);

}  // namespace headlight::recurrence
