// Attention with dropout, and the gradient of attention, as products and row kernels.
//
// The query heads that share a key head are neighbours, so that their rows are one matrix: per key head, R = group x queries rows
// of q [R, d_k], of weights [R, keys] and of the context's gradient [R, d_v]. With P the weights, D what dropout multiplies them
// by:
//   G = dcontext v^T;  S = P (D G - sum of P D G) scale / temperature, row by row;  dq = S k;  dk = S^T q;  dv = (D P)^T dcontext
#include "engine/backends/cuda/gradients/attention_launches.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <vector>

#include "engine/operations/attention.h"
#include "engine/operations/dropout.h"

namespace headlight::backends::cuda {
namespace {

using In = std::span<const Buffer>;
using Out = std::span<Buffer>;

// Sizes per key head.
struct Sizes {
  explicit Sizes(const Attention& op)
      : batch(op.batch * op.key_heads()), rows(op.heads / op.key_heads() * op.queries), keys(op.keys), d_k(op.d_k), d_v(op.d_v) {}
  std::int64_t batch, rows, keys, d_k, d_v;
  Shape cells() const { return {batch, rows, keys}; }
};

std::size_t count_of_inputs(const Attention& op) {
  return 3 + static_cast<std::size_t>(op.has_mask) + static_cast<std::size_t>(op.has_bias) +
         static_cast<std::size_t>(op.dropout > 0);
}

// The counter is the last of the attention's inputs.
DropoutDraws draws_of(const Attention& op, In in) {
  DropoutDraws draws;
  clear(draws);
  if (op.dropout == 0) return draws;
  draws.counter = indices(in[count_of_inputs(op) - 1]);
  draws.seed = op.dropout_seed;
  draws.threshold = Draws(op.dropout, op.dropout_seed, 0).threshold();
  draws.factor = static_cast<float>(1 / (1 - op.dropout));
  return draws;
}

void set_steps(const Shape& shape, std::int64_t (&to)[4]) {
  const auto steps = mask_strides(shape);
  std::copy(steps.begin(), steps.end(), to);
}

// Mask and bias of an attention that has both, in one shape.
struct Masks {
  Buffer keep, bias;
};
Result<Masks> masks_of(const Attention& op, const Launches& launches, In in) {
  if (!op.has_mask || !op.has_bias) return Masks{op.has_mask ? in[3] : Buffer(), op.has_bias ? in[3] : Buffer()};
  const Buffer &keep = in[3], &bias = in[4];
  if (keep.shape() == bias.shape()) return Masks{keep, bias};
  Shape shape;
  for (std::size_t axis = 0; axis < 4; ++axis) shape.push_back(std::max(keep.shape()[axis], bias.shape()[axis]));
  Masks all;
  HL_ASSIGN(all.keep, launches.backend().allocate(DType::u8, shape, {}));
  HL_ASSIGN(all.bias, launches.scratch(shape));
  MasksCall c;
  clear(c);
  std::copy(shape.begin(), shape.end(), c.sizes);
  c.keep = static_cast<const std::uint8_t*>(keep.device.get());
  c.bias = real(bias);
  set_steps(keep.shape(), c.keep_step);
  set_steps(bias.shape(), c.bias_step);
  c.all_keep = static_cast<std::uint8_t*>(all.keep.device.get());
  c.all_bias = real(all.bias);
  HL_TRY(launches.submit(Launch::masks, c, {keep, bias}, {all.keep, all.bias}));
  return all;
}

// Without outputs.
AttentionCall call_of(const Attention& op, In in, const Masks& masks, Precision precision) {
  AttentionCall c;
  clear(c);
  c.batch = op.batch;
  c.heads = op.heads;
  c.kv_heads = op.key_heads();
  c.queries = op.queries;
  c.keys = op.keys;
  c.d_k = op.d_k;
  c.d_v = op.d_v;
  c.scale = static_cast<float>(op.scale);
  c.inverse_temperature = static_cast<float>(1 / op.temperature);
  c.fill = op.fill == MaskFill::minus_infinity ? -std::numeric_limits<float>::infinity() : -1e9f;
  c.q = real(in[0]);
  c.k = real(in[1]);
  c.v = real(in[2]);
  c.keep = static_cast<const std::uint8_t*>(masks.keep.device.get());
  c.bias = real(masks.bias);
  if (c.keep || c.bias) set_steps((c.keep ? masks.keep : masks.bias).shape(), c.mask_step);
  c.precision = precision;
  return c;
}

// What a launch reads: the attention's inputs, and more.
std::vector<Buffer> reading(In in, std::initializer_list<Buffer> more) {
  std::vector<Buffer> all(in.begin(), in.end());
  all.insert(all.end(), more);
  return all;
}

// [batch, rows, columns] -> [batch, columns, rows], with numbers dropped on the way if `draws` has a counter.
Result<Buffer> transposed(const Launches& launches, const Shape& shape, const Buffer& from, const DropoutDraws& draws, In in) {
  HL_ASSIGN(Buffer to, launches.scratch({shape[0], shape[2], shape[1]}));
  TransposeCall c;
  clear(c);
  c.batch = shape[0];
  c.rows = shape[1];
  c.columns = shape[2];
  c.input = real(from);
  c.draws = draws;
  c.output = real(to);
  HL_TRY(launches.submit(Launch::transpose, c, reading(in, {from}), std::span(&to, 1)));
  return to;
}

// The weights, once more: the forward pass did not keep them.
Result<Buffer> weights_of(const Attention& op, const Launches& launches, In in) {
  HL_ASSIGN(Buffer context, launches.scratch({op.batch, op.heads, op.queries, op.d_v}));
  HL_ASSIGN(Buffer weights, launches.scratch({op.batch, op.heads, op.queries, op.keys}));
  HL_ASSIGN(const Masks masks, masks_of(op, launches, in));
  AttentionCall c = call_of(op, in, masks, launches.precision());
  c.context = real(context);
  c.weights = real(weights);
  const Buffer made[] = {context, weights};
  HL_TRY(launches.submit(Launch::attention, c, reading(in, {masks.keep, masks.bias}), made));
  return weights;
}

// The gradient by the raw scores, [batch, rows, keys].
Result<Buffer> score_gradient(const Attention& op, const Launches& launches, In in, const Buffer& weights, const Buffer& dy) {
  const Sizes z(op);
  HL_ASSIGN(Buffer gradient, launches.scratch(z.cells()));
  HL_TRY(launches.multiply({z.batch, z.rows, z.d_v, z.keys, true}, dy, in[2], gradient));
  ScoreGradientCall c;
  clear(c);
  c.batch = op.batch;
  c.heads = op.heads;
  c.queries = op.queries;
  c.keys = op.keys;
  c.scale = static_cast<float>(op.scale);
  c.inverse_temperature = static_cast<float>(1 / op.temperature);
  c.weights = real(weights);
  if (op.has_mask) {
    set_steps(in[3].shape(), c.mask_step);
    c.keep = static_cast<const std::uint8_t*>(in[3].device.get());
  }
  c.draws = draws_of(op, in);
  c.gradient = real(gradient);
  HL_TRY(launches.submit(Launch::score_gradient, c, reading(in, {weights, gradient}), std::span(&gradient, 1)));
  return gradient;
}

}  // namespace

bool is_attention(const Operation& operation) { return operation.get_if<Attention>() != nullptr; }

bool supports_attention(const Operation& operation) {
  const auto* const op = operation.get_if<Attention>();
  return op && !op->additive && !op->side_by_side && op->score_cap == 0;
}

// With dropout the attention kernels give the weights, and a product of those that are kept overwrites their context.
Status attention(const Operation& operation, const Launches& launches, In in, Out out) {
  const auto& op = *operation.get_if<Attention>();
  HL_ASSIGN(const Masks masks, masks_of(op, launches, in));
  AttentionCall c = call_of(op, in, masks, launches.precision());
  std::size_t next = 0;
  c.context = real(out[next++]);
  if (op.keep_scores) c.scores = real(out[next++]);
  if (op.keep_scaled) c.scaled = real(out[next++]);
  if (op.keep_masked) c.masked = real(out[next++]);
  if (op.keep_weights) c.weights = real(out[next++]);
  const bool joined = op.has_mask && op.has_bias;
  const std::vector<Buffer> more = joined ? reading(in, {masks.keep, masks.bias}) : std::vector<Buffer>();
  const In read = joined ? In(more) : in;
  if (op.dropout == 0) return launches.submit(Launch::attention, c, read, out);
  Buffer weights;
  if (op.keep_weights) {
    weights = out.back();
  } else {
    HL_ASSIGN(weights, launches.scratch({op.batch, op.heads, op.queries, op.keys}));
    c.weights = real(weights);
  }
  HL_TRY(launches.submit(Launch::attention, c, read, reading(out, {weights})));
  const Sizes z(op);
  HL_ASSIGN(Buffer kept, launches.scratch(z.cells()));
  ElementsCall drop;
  clear(drop);
  drop.element = Element::dropout;
  drop.count = z.batch * z.rows * z.keys;
  drop.input = real(weights);
  drop.draws = draws_of(op, in);
  drop.output = real(kept);
  HL_TRY(launches.submit(Launch::elements, drop, {weights, in[count_of_inputs(op) - 1]}, {kept}));
  return launches.multiply({z.batch, z.rows, z.keys, z.d_v, false}, kept, in[2], out[0]);
}

Status attention_gradient(const Operation& operation, const Launches& launches, In in, std::span<Buffer* const> d) {
  const auto& op = *operation.get_if<Attention>();
  const std::size_t inputs = count_of_inputs(op);
  const In own = in.first(inputs);
  const Buffer& dy = in.back();
  const Sizes z(op);
  Buffer weights;
  if (op.keep_weights) {
    weights = in[in.size() - 2];  // the last output
  } else {
    HL_ASSIGN(weights, weights_of(op, launches, own));
  }
  if (d[2]) {
    HL_ASSIGN(const Buffer turned, transposed(launches, z.cells(), weights, draws_of(op, own), own));
    HL_TRY(launches.multiply({z.batch, z.keys, z.rows, z.d_v, false}, turned, dy, *d[2]));
  }
  if (!d[0] && !d[1]) return {};
  HL_ASSIGN(const Buffer scores, score_gradient(op, launches, own, weights, dy));
  if (d[0]) HL_TRY(launches.multiply({z.batch, z.rows, z.keys, z.d_k, false}, scores, in[1], *d[0]));
  if (d[1]) {
    Attention plain = op;
    plain.dropout = 0;
    HL_ASSIGN(const Buffer turned, transposed(launches, z.cells(), scores, draws_of(plain, own), own));
    HL_TRY(launches.multiply({z.batch, z.keys, z.rows, z.d_k, false}, turned, in[0], *d[1]));
  }
  return {};
}

}  // namespace headlight::backends::cuda
