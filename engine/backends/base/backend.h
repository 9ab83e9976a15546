// The backend seam. An operation is a descriptor; a backend prepares it once (packed weights, workspaces, tables,
// captured graphs) and executes it on buffers. reference/ is plain loops in double, the teaching code and the oracle;
// cpu/ is Eigen, vectorised and threaded; cuda/ is a module loaded at run time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight::backends {

// Values where the backend computes. On the host backends `host` is the tensor itself; a device backend keeps shape and
// dtype in `host` (without values) and the values behind `device`.
struct Buffer {
  Tensor host;
  std::shared_ptr<void> device;
  const Shape& shape() const { return host.shape(); }
};

enum class ActivationKind { none, relu, gelu, tanh };  // gelu: x/2 (1 + erf(x / sqrt 2))

// y[rows, columns] = activation(x[rows, inner] W[inner, columns] + b).  in: x, W, b if bias.  out: y
struct Linear {
  std::int64_t rows = 0, inner = 0, columns = 0;
  bool bias = false;
  ActivationKind activation = ActivationKind::none;
};

// Rows of a table.  in: table [table_rows, d], ids i32 [rows].  out: [rows, d]. An id outside the table is an error.
struct Gather {
  std::int64_t rows = 0, table_rows = 0, d = 0;
};

// y = a + b, b repeated over leading axes.  in: a [outer, inner], b [inner] or [outer, inner].  out: [outer, inner]
struct Add {
  std::int64_t outer = 0, inner = 0;
  bool b_repeats = false;
};

// y = gamma (x - mean) / sqrt(variance + epsilon) + beta over the last axis, biased variance (Ba et al. 2016).
// rms: y = gamma x / sqrt(mean of x^2 + epsilon), without beta (Zhang and Sennrich 2019).
// in: x [rows, d], gamma [d], beta [d] unless rms.  out: y
struct LayerNorm {
  std::int64_t rows = 0, d = 0;
  double epsilon = 1e-5;
  bool rms = false;
};

// [B, L, h*d_k] -> [B, h, L, d_k] (S6) and back; both copy.
struct SplitHeads {
  std::int64_t batch = 0, length = 0, heads = 0, d_k = 0;
};
struct MergeHeads {
  std::int64_t batch = 0, length = 0, heads = 0, d_k = 0;
};

enum class MaskFill { minus_infinity, minus_1e9 };

// Scaled dot-product attention, per batch item and head (S5, S6):
//   scores = q k^T; scaled = scores * scale; masked = mask ? scaled : fill; weights = softmax(masked / temperature) over keys;
//   context = weights v.
// in: q [B,h,N,d_k], k [B,h,M,d_k], v [B,h,M,d_v]; mask u8 or additive float of the backend's type, rank 4, sizes 1 or
//   [B,h,N,M], when has_mask.
// out: context [B,h,N,d_v], then each kept one in this order: scores, scaled, masked, weights [B,h,N,M]. Nothing else is kept:
//   without any the fused form is used. k and v may have fewer heads (grouped queries): kv_heads divides heads.
// A fully masked row gives weights (and context) of all zeros under minus_infinity, uniform weights under minus_1e9.
struct Attention {
  std::int64_t batch = 0, heads = 0, queries = 0, keys = 0, d_k = 0, d_v = 0;
  std::int64_t kv_heads = 0;  // 0: as heads
  double scale = 1.0;
  double temperature = 1.0;
  MaskFill fill = MaskFill::minus_infinity;
  bool has_mask = false;
  bool mask_is_additive = false;  // masked = scaled + mask
  bool keep_scores = false, keep_scaled = false, keep_masked = false, keep_weights = false;
};

// Index-based attention (S1, S2, S3) over W words of l symbols. One descriptor, not a string of small ones.
// in: F [n,d], P [l,d], WQ, WK, WV [d,d], then PWQ, PWK, PWV [d,d] if separate_position_weights, ids i32 [W,l].
// out, each if kept, in this order: Q, K, V [W,l,d]; mm, mp, pm, pp [W,l,l]; qk [W,l,l]; score [W,l]; result [W,d]. With several
// heads, head i owns columns i d_k .. (i+1) d_k, d_k = d / heads, and squares and scores have a head axis: [W,h,l,l], [W,h,l].
// score = mean over queries of softmax(QK^T / sqrt(d_k)); result = sum over keys of score V. qk is the raw Q K^T, before scale
// and padding. A word of nothing but padding has a score and a result of zeros.
// Not pooled (the ordinary layer): score is the softmax itself, [W,l,l], and result [W,l,d] = softmax V.
struct Isdpa {
  enum class Method {
    index,          // index first: MetaX = F W, PosX = P W, then look-ups
    direct,         // as written: X = F[ids] + P, Q, K, V = X W, then products
    direct_pooled,  // as direct, but pools before the value product: result = (score X) WV, the same by linearity
    // Further exact ways without tables; they keep qk, score and result only, and need one weight for F and P. The folded ones
    // are for the pooled layer.
    direct_folded,           // as direct_pooled, with QK^T = (X WQ WK^T) X^T: one projection less; a single head
    direct_distinct,         // as direct_pooled, but each distinct row of X (symbol and position) is projected once; not pooled,
                             // its Q, K and V are
    direct_distinct_folded,  // both
    direct_attention,        // as direct, through the backend's fused attention kernel, whose output rows are pooled: the same by
                             // linearity. On the host, and where qk or score is kept, as direct.
  };
  static bool is_shortcut(Method method) { return method >= Method::direct_folded; }
  static bool is_folded(Method method) { return method == Method::direct_folded || method == Method::direct_distinct_folded; }
  std::int64_t d_k() const { return d / heads; }
  std::int64_t words = 0, length = 0, vocabulary = 0, d = 0;
  std::int64_t heads = 1;
  bool pooled = true;
  Method method = Method::index;
  bool separate_position_weights = false;
  std::int64_t pad_index = -1;  // >= 0: keys with this symbol are masked, and queries with it leave the mean
  bool cached = false;  // what F, P and the weights alone give (tables, folded weights, projected rows) may be kept in the
                        // Plan between calls with the same ones
  bool keep_q = false, keep_k = false, keep_v = false;
  bool keep_terms = false, keep_qk = false, keep_score = false, keep_result = true;
};

using OpDesc = std::variant<Linear, Gather, Add, LayerNorm, SplitHeads, MergeHeads, Attention, Isdpa>;
std::string name_of(const OpDesc& desc);  // "linear", "attention", ...

class Plan {
 public:
  virtual ~Plan() = default;
};

struct Device {
  std::string id;     // "reference", "cpu", "cuda"
  std::string label;  // "CPU, 2 threads, AVX-512"
  bool available = true;
  std::string why;  // when it is not: one sentence
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual Device device() const = 0;
  virtual DType dtype() const = 0;  // of floating-point buffers: f64 for reference, f32 otherwise
  virtual bool supports(const OpDesc& desc) const = 0;

  virtual Result<Buffer> allocate(DType dtype, Shape shape, Axes axes) = 0;
  virtual Result<Buffer> upload(const Tensor& tensor) = 0;  // floats are converted to dtype()
  virtual Result<Tensor> download(const Buffer& buffer) = 0;
  // All of them at once, as a run does at its end: a device waits for its work and transfers in one go.
  virtual Result<std::vector<Tensor>> download_all(std::span<const Buffer> buffers);

  virtual Result<std::unique_ptr<Plan>> prepare(const OpDesc& desc) = 0;
  // A device may still be computing on return; download and timed wait for it, and report what went wrong meanwhile.
  virtual Status execute(Plan& plan, std::span<const Buffer> in, std::span<Buffer> out, const CancelToken& cancel) = 0;

  // Waits until all that was asked for is done, and reports what went wrong meanwhile.
  virtual Status finish() { return {}; }
  // How many calls of execute were answered by replaying recorded work so far; 0 where nothing is recorded.
  virtual std::uint64_t replays() const { return 0; }

  // How long `work` takes here, in seconds: by the device's own clock, or the steady clock on the host. A device is kept waiting
  // until all of `work` is queued, so that its time holds none of the host's; where that wait was too short, `work` is asked for
  // once more.
  virtual Result<double> timed(const std::function<Status()>& work);
  // Whether execute may return before the work is done, so that a result is certain only once something was downloaded.
  virtual bool computes_later() const { return false; }
  // Work that waits and whose results nobody holds any more is not done: a run that is given up says so when it has let go of
  // them.
  virtual void drop_unused() {}
  // Of the arithmetic: "float32", "float64", or "tf32" and "bf16" where only products are rounded so.
  virtual std::string precision() const { return name_of(dtype()); }

  // Convenience for callers that run an operation once: checks shapes, allocates the outputs, prepares, executes.
  Result<std::vector<Buffer>> apply(const OpDesc& desc, std::span<const Buffer> in, const CancelToken& cancel = {});
};

// The outputs of an operation, in order, as shapes and axes; and a check of inputs against the descriptor, shared by all
// backends.
struct Signature {
  std::vector<Shape> inputs;  // a size of -1 may be 1 or anything that broadcasts (masks)
  std::vector<DType> input_types;
  std::vector<Shape> outputs;
  std::vector<Axes> output_axes;
};
Result<Signature> signature(const OpDesc& desc, DType real);
Status check_inputs(const OpDesc& desc, std::span<const Buffer> in, DType real);

}  // namespace headlight::backends
