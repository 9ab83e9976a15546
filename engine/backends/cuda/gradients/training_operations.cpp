#include "engine/backends/cuda/gradients/training_operations.h"

#include <algorithm>
#include <vector>

#include "engine/backends/cuda/gradients/attention_launches.h"
#include "engine/backends/cuda/runtime/index_ranges.h"
#include "engine/operations/activation.h"
#include "engine/operations/add.h"
#include "engine/operations/cross_entropy.h"
#include "engine/operations/dropout.h"
#include "engine/operations/gather.h"
#include "engine/operations/gradient.h"
#include "engine/operations/layer_norm.h"
#include "engine/operations/linear.h"
#include "engine/operations/mean_loss.h"
#include "engine/operations/merge_heads.h"
#include "engine/operations/multiply.h"
#include "engine/operations/repeat_rows.h"
#include "engine/operations/rms_norm.h"
#include "engine/operations/rotary.h"
#include "engine/operations/split_heads.h"
#include "engine/operations/transpose.h"

namespace headlight::backends::cuda {
namespace {

using In = std::span<const Buffer>;
using Out = std::span<Buffer>;

// --- what forward operations and gradients share ------------------------------------------------------------------------------

// `other`: null where the element-wise operation takes one input.
ElementsCall elements(Element element, std::int64_t count, const Buffer& input, const Buffer* other, Buffer& output) {
  ElementsCall c;
  clear(c);
  c.element = element;
  c.count = count;
  c.input = real(input);
  c.other = other ? real(*other) : nullptr;
  c.output = real(output);
  return c;
}

Status copy(const Launches& launches, std::int64_t count, const Buffer& from, Buffer& to) {
  return launches.submit(Launch::elements, elements(Element::copy, count, from, nullptr, to), {from}, {to});
}

Status multiply(const Launches& launches, std::int64_t count, const Buffer& a, const Buffer& b, Buffer& to) {
  return launches.submit(Launch::elements, elements(Element::multiply, count, a, &b, to), {a, b}, {to});
}

Status drop(const Dropout& op, const Launches& launches, const Buffer& from, const Buffer& counter, Buffer& to) {
  ElementsCall c = elements(Element::dropout, op.rows * op.columns, from, nullptr, to);
  c.draws.counter = indices(counter);
  c.draws.seed = op.seed;
  c.draws.threshold = Draws(op.rate, op.seed, 0).threshold();
  c.draws.factor = static_cast<float>(1 / (1 - op.rate));
  return launches.submit(Launch::elements, c, {from, counter}, {to});
}

// [rows, columns] -> [columns, rows]
Status turn(const Launches& launches, std::int64_t rows, std::int64_t columns, const Buffer& from, Buffer& to) {
  TransposeCall c;
  clear(c);
  c.batch = 1;
  c.rows = rows;
  c.columns = columns;
  c.input = real(from);
  c.output = real(to);
  return launches.submit(Launch::transpose, c, {from}, {to});
}

Status rotate(const Rotary& op, const Launches& launches, bool back, const Buffer& from, Buffer& to) {
  Buffer& turns = launches.memory().turns;
  if (!turns.device) {
    const std::vector<Turn> all = turns_of(op);
    Tensor table(DType::f32, {op.length, op.d_k / 2, 2}, {}, true);
    for (std::size_t i = 0; i < all.size(); ++i) {
      table.data<float>()[2 * i] = all[i].cosine;
      table.data<float>()[2 * i + 1] = all[i].sine;
    }
    HL_ASSIGN(turns, launches.backend().upload(table));
  }
  RotaryCall c;
  clear(c);
  c.rows = op.rows;
  c.length = op.length;
  c.d_k = op.d_k;
  c.halves = op.halves;
  c.back = back;
  c.turns = real(turns);
  c.input = real(from);
  c.output = real(to);
  return launches.submit(Launch::rotary, c, {from, turns}, {to});
}

template <class Heads>
Status move_heads(const Heads& op, const Launches& launches, bool split, const Buffer& from, Buffer& to) {
  return launches.submit(Launch::heads, heads_call(op, split, real(from), real(to)), {from}, {to});
}

// to [columns] = sum over the rows of from [rows, columns], or of from times the normalised x. Many rows are summed in parts
// first, so that more than a few blocks have work.
Status sum_rows(const Launches& launches, std::int64_t rows, std::int64_t columns, const Buffer& from, const Buffer* x,
                const Buffer* statistics, Buffer& to) {
  constexpr std::int64_t kRowsOfPart = 256, kMostParts = 64;
  RowSumCall c;
  clear(c);
  c.rows = rows;
  c.columns = columns;
  c.parts = std::clamp<std::int64_t>(rows / kRowsOfPart, 1, kMostParts);
  c.input = real(from);
  c.x = x ? real(*x) : nullptr;
  c.statistics = statistics ? real(*statistics) : nullptr;
  std::vector<Buffer> read{from};
  if (x) read.insert(read.end(), {*x, *statistics});
  if (c.parts == 1) {
    c.output = real(to);
    return launches.submit(Launch::row_sum, c, read, std::span(&to, 1));
  }
  HL_ASSIGN(Buffer sums, launches.scratch({c.parts, columns}));
  c.output = real(sums);
  HL_TRY(launches.submit(Launch::row_sum, c, read, std::span(&sums, 1)));
  return sum_rows(launches, c.parts, columns, sums, nullptr, nullptr, to);
}

// Labels run from -1 to classes - 1.
Status check_labels_of(const Launches& launches, const Buffer& labels, std::int64_t classes) {
  HL_ASSIGN(const auto range, range_of(launches.backend(), labels));
  if (range->least >= -1 && range->most < classes) return {};
  const auto count = static_cast<std::int64_t>(range->values.size());
  Tensor values(DType::i32, {count}, {}, true);
  std::copy(range->values.begin(), range->values.end(), values.data<std::int32_t>());
  return check_labels(values, classes);
}

// --- forward ------------------------------------------------------------------------------------------------------------------

Status compute(const Activate& op, const Launches& launches, In in, Out out) {
  ElementsCall c = elements(Element::activate, op.rows * op.columns, in[0], nullptr, out[0]);
  c.activation = static_cast<int>(op.activation);
  return launches.submit(Launch::elements, c, in, out);
}
Status compute(const Multiply& op, const Launches& launches, In in, Out out) {
  return multiply(launches, op.rows * op.columns, in[0], in[1], out[0]);
}
Status compute(const Dropout& op, const Launches& launches, In in, Out out) { return drop(op, launches, in[0], in[1], out[0]); }
Status compute(const Transpose& op, const Launches& launches, In in, Out out) {
  return turn(launches, op.rows, op.columns, in[0], out[0]);
}
Status compute(const Rotary& op, const Launches& launches, In in, Out out) { return rotate(op, launches, false, in[0], out[0]); }
Status compute(const RepeatRows& op, const Launches& launches, In in, Out out) {
  ElementsCall c = elements(Element::repeat, op.times * op.count, in[0], nullptr, out[0]);
  c.period = op.count;
  return launches.submit(Launch::elements, c, in, out);
}

CrossEntropyCall cross_entropy(const CrossEntropy& op, const Buffer& x, const Buffer& labels) {
  CrossEntropyCall c;
  clear(c);
  c.rows = op.rows;
  c.classes = op.classes;
  c.smoothing = static_cast<float>(op.smoothing);
  c.x = real(x);
  c.labels = indices(labels);
  return c;
}
Status compute(const CrossEntropy& op, const Launches& launches, In in, Out out) {
  HL_TRY(check_labels_of(launches, in[1], op.classes));
  CrossEntropyCall c = cross_entropy(op, in[0], in[1]);
  c.loss = real(out[0]);
  c.log_sum = real(out[1]);
  return launches.submit(Launch::cross_entropy, c, in, out);
}
Status compute(const MeanLoss& op, const Launches& launches, In in, Out out) {
  HL_TRY(check_labels_of(launches, in[1], op.classes));
  MeanLossCall c;
  clear(c);
  c.rows = op.rows;
  c.losses = real(in[0]);
  c.labels = indices(in[1]);
  c.output = real(out[0]);
  return launches.submit(Launch::mean_loss, c, in, out);
}

// --- gradients ----------------------------------------------------------------------------------------------------------------

// What the gradient of an operation is computed from, as of operations::GradientArrays.
struct Arrays {
  In all;      // inputs, outputs, dy
  In in, out;  // what the operation took and gave
  const Buffer& dy;
  std::vector<Buffer*> d;  // by each input; null where it is not wanted
};

// The gradient by x W + b: dy, or dy times the activation's slope there, for which that sum is computed once more.
Result<Buffer> before_activation(const Linear& op, const Launches& launches, const Arrays& g) {
  if (op.activation == ActivationKind::none) return g.dy;
  HL_ASSIGN(Buffer z, launches.scratch({op.rows, op.columns}));
  ProductCall c =
      product_call({1, op.rows, op.inner, op.columns, false}, real(g.in[0]), real(g.in[1]), real(z), launches.precision());
  c.bias = op.bias ? real(g.in[2]) : nullptr;
  HL_TRY(launches.submit(Launch::product, c, g.in, std::span(&z, 1)));
  ElementsCall slope = elements(Element::activation_gradient, op.rows * op.columns, z, &g.dy, z);
  slope.activation = static_cast<int>(op.activation);
  HL_TRY(launches.submit(Launch::elements, slope, {z, g.dy}, {z}));
  return z;
}

// dx = dz W^T, dW = x^T dz, db = the sum of dz over rows.
Status gradient(const Linear& op, const Launches& launches, const Arrays& g) {
  HL_ASSIGN(const Buffer dz, before_activation(op, launches, g));
  if (g.d[0]) HL_TRY(launches.multiply({1, op.rows, op.columns, op.inner, true}, dz, g.in[1], *g.d[0]));
  if (g.d[1]) {
    HL_ASSIGN(Buffer turned, launches.scratch({op.inner, op.rows}));
    HL_TRY(turn(launches, op.rows, op.inner, g.in[0], turned));
    HL_TRY(launches.multiply({1, op.inner, op.rows, op.columns, false}, turned, dz, *g.d[1]));
  }
  if (op.bias && g.d[2]) return sum_rows(launches, op.rows, op.columns, dz, nullptr, nullptr, *g.d[2]);
  return {};
}

Status gradient(const Gather& op, const Launches& launches, const Arrays& g) {
  HL_ASSIGN([[maybe_unused]] const auto range, checked_ids(launches.backend(), g.in[1], op.table_rows, 0, "gather"));
  if (!g.d[0]) return {};
  GatherGradientCall c;
  clear(c);
  c.rows = op.rows;
  c.table_rows = op.table_rows;
  c.d = op.d;
  c.ids = indices(g.in[1]);
  c.dy = real(g.dy);
  c.d_table = real(*g.d[0]);
  return launches.submit(Launch::gather_gradient, c, {g.in[1], g.dy}, {*g.d[0]});
}

// An addend that repeats takes part in every row.
Status gradient(const Add& op, const Launches& launches, const Arrays& g) {
  if (g.d[0]) HL_TRY(copy(launches, op.outer * op.inner, g.dy, *g.d[0]));
  if (!g.d[1]) return {};
  if (op.b_repeats) return sum_rows(launches, op.outer, op.inner, g.dy, nullptr, nullptr, *g.d[1]);
  return copy(launches, op.outer * op.inner, g.dy, *g.d[1]);
}

// dweight = the sum over rows of dy n, dbias that of dy, n being the normalised x.
Status norm_gradient(std::int64_t rows, std::int64_t d, double epsilon, bool centred, Buffer* dbias, const Launches& launches,
                     const Arrays& g) {
  if (g.d[0] || g.d[1]) {
    HL_ASSIGN(Buffer statistics, launches.scratch({rows, 3}));
    NormGradientCall c;
    clear(c);
    c.rows = rows;
    c.d = d;
    c.centred = centred;
    c.epsilon = static_cast<float>(epsilon);
    c.x = real(g.in[0]);
    c.weight = real(g.in[1]);
    c.dy = real(g.dy);
    c.dx = g.d[0] ? real(*g.d[0]) : nullptr;
    c.statistics = real(statistics);
    std::vector<Buffer> written{statistics};
    if (g.d[0]) written.push_back(*g.d[0]);
    HL_TRY(launches.submit(Launch::norm_gradient, c, g.all, written));
    if (g.d[1]) HL_TRY(sum_rows(launches, rows, d, g.dy, &g.in[0], &statistics, *g.d[1]));
  }
  return dbias ? sum_rows(launches, rows, d, g.dy, nullptr, nullptr, *dbias) : Status{};
}
Status gradient(const LayerNorm& op, const Launches& launches, const Arrays& g) {
  return norm_gradient(op.rows, op.d, op.epsilon, true, op.bias ? g.d[2] : nullptr, launches, g);
}
Status gradient(const RmsNorm& op, const Launches& launches, const Arrays& g) {
  return norm_gradient(op.rows, op.d, op.epsilon, false, nullptr, launches, g);
}

// Copies back; rotations back.
Status gradient(const SplitHeads& op, const Launches& launches, const Arrays& g) {
  return g.d[0] ? move_heads(op, launches, false, g.dy, *g.d[0]) : Status{};
}
Status gradient(const MergeHeads& op, const Launches& launches, const Arrays& g) {
  return g.d[0] ? move_heads(op, launches, true, g.dy, *g.d[0]) : Status{};
}
Status gradient(const Transpose& op, const Launches& launches, const Arrays& g) {
  return g.d[0] ? turn(launches, op.columns, op.rows, g.dy, *g.d[0]) : Status{};
}
Status gradient(const Rotary& op, const Launches& launches, const Arrays& g) {
  return g.d[0] ? rotate(op, launches, true, g.dy, *g.d[0]) : Status{};
}
Status gradient(const RepeatRows& op, const Launches& launches, const Arrays& g) {
  return g.d[0] ? sum_rows(launches, op.times, op.count, g.dy, nullptr, nullptr, *g.d[0]) : Status{};
}

Status gradient(const Activate& op, const Launches& launches, const Arrays& g) {
  if (!g.d[0]) return {};
  ElementsCall c = elements(Element::activation_gradient, op.rows * op.columns, g.in[0], &g.dy, *g.d[0]);
  c.activation = static_cast<int>(op.activation);
  return launches.submit(Launch::elements, c, {g.in[0], g.dy}, {*g.d[0]});
}
Status gradient(const Multiply& op, const Launches& launches, const Arrays& g) {
  const std::int64_t count = op.rows * op.columns;
  if (g.d[0]) HL_TRY(multiply(launches, count, g.dy, g.in[1], *g.d[0]));
  return g.d[1] ? multiply(launches, count, g.dy, g.in[0], *g.d[1]) : Status{};
}
// What was dropped gets none, the rest is scaled alike.
Status gradient(const Dropout& op, const Launches& launches, const Arrays& g) {
  return g.d[0] ? drop(op, launches, g.dy, g.in[1], *g.d[0]) : Status{};
}

Status gradient(const CrossEntropy& op, const Launches& launches, const Arrays& g) {
  HL_TRY(check_labels_of(launches, g.in[1], op.classes));
  if (!g.d[0]) return {};
  Buffer log_sum = g.out[1];
  CrossEntropyCall c = cross_entropy(op, g.in[0], g.in[1]);
  c.dy = real(g.dy);
  c.log_sum = real(log_sum);
  c.dx = real(*g.d[0]);
  return launches.submit(Launch::cross_entropy, c, g.all, std::span<const Buffer>(g.d[0], 1));
}
Status gradient(const MeanLoss& op, const Launches& launches, const Arrays& g) {
  if (!g.d[0]) return {};
  MeanLossCall c;
  clear(c);
  c.rows = op.rows;
  c.losses = real(g.in[0]);
  c.labels = indices(g.in[1]);
  c.dy = real(g.dy);
  c.output = real(*g.d[0]);
  return launches.submit(Launch::mean_loss, c, g.all, std::span<const Buffer>(g.d[0], 1));
}

template <class F>
bool visit_differentiated(const Operation& of, F&& f) {
  return visit<Linear, Gather, Add, LayerNorm, RmsNorm, SplitHeads, MergeHeads, Transpose, Rotary, RepeatRows, Activate, Multiply,
               Dropout, CrossEntropy, MeanLoss>(of, std::forward<F>(f));
}

Status compute(const Gradient& op, const Launches& launches, In in, Out out) {
  const std::vector<bool> wanted = op.wanted.empty() ? inputs_with_gradient(op.of) : op.wanted;
  const std::size_t inputs = wanted.size();
  Arrays arrays{in, in.first(inputs), in.subspan(inputs, in.size() - inputs - 1), in.back(), {}};
  std::size_t next = 0;
  for (const bool one : wanted) arrays.d.push_back(one ? &out[next++] : nullptr);
  if (is_attention(op.of)) return attention_gradient(op.of, launches, in, arrays.d);
  Status status;
  visit_differentiated(op.of, [&](const auto& of) { status = gradient(of, launches, arrays); });
  return status;
}

template <class F>
bool visit_forward(const Operation& operation, F&& f) {
  return visit<Activate, Multiply, Dropout, Transpose, Rotary, RepeatRows, CrossEntropy, MeanLoss, Gradient>(operation,
                                                                                                             std::forward<F>(f));
}

}  // namespace

bool supports_in_training(const Operation& operation) {
  // Slopes are kept where an exponential costs more than its number's way through memory, which on a GPU it does not.
  const auto keeps_slope = [](const Operation& of) {
    const auto* const activate = of.get_if<Activate>();
    return activate && activate->keep_slope;
  };
  // The kernel turns whole rows.
  const auto turns_a_part = [](const Operation& of) {
    const auto* const rotary = of.get_if<Rotary>();
    return rotary && rotary->turned > 0;
  };
  if (keeps_slope(operation) || turns_a_part(operation)) return false;
  if (const auto* const gradient = operation.get_if<Gradient>()) {
    if (keeps_slope(gradient->of) || turns_a_part(gradient->of)) return false;
    return supports_attention(gradient->of) || visit_differentiated(gradient->of, [](const auto&) {});
  }
  return visit_forward(operation, [](const auto&) {});
}

Status compute_in_training(const Operation& operation, const Launches& launches, In in, Out out) {
  Status status;
  visit_forward(operation, [&](const auto& op) { status = compute(op, launches, in, out); });
  return status;
}

}  // namespace headlight::backends::cuda
