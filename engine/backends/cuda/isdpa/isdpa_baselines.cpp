// The methods that index-based attention is compared with, on the GPU: the layer as its formula says, and the layer with every
// exact shortcut that needs no index. They get the same advantages as the index method: no work on the host within a call, as few
// launches as the kernels allow, and cached tables where weights are fixed.
#include <limits>

#include "engine/backends/cuda/isdpa/cuda_isdpa_parts.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/isdpa_rules.h"

namespace headlight::backends::cuda {
namespace {

using Method = Isdpa::Method;

const std::int32_t* numbers(const std::shared_ptr<void>& array) { return static_cast<const std::int32_t*>(array.get()); }

}  // namespace

// --- the layer as its formula says ------------------------------------------------------------------------------------------

Status IsdpaWork::direct(const IsdpaArrays& a) {
  const Isdpa& op = op_;
  const std::int64_t l = op.length, d = op.d, d_k = op.d_k(), rows = cells(op);
  const bool scores = needs_scores(a), pools_first = op.method == Method::direct_pooled;
  HL_ASSIGN(float* const x, floats(kX, rows * d));
  HL_TRY(gather(a.f, a.ids, rows, d, op.separate_position_weights ? nullptr : a.p, l, x));
  const bool wanted[] = {a.qkv[0] || scores, a.qkv[1] || scores, a.qkv[2] || (a.result && !pools_first)};
  float* made[3] = {};
  ProductCall together = product_call(rows, d, d);
  together.a = x;
  together.a_row = together.b_row = together.c_row = d;
  together.matrices = 0;
  for (int i = 0; i < 3; ++i) {
    if (!wanted[i]) continue;
    made[i] = a.qkv[static_cast<std::size_t>(i)];
    if (!made[i]) {
      HL_ASSIGN(made[i], floats(static_cast<Slot>(kQ + i), rows * d));
    }
    together.b[together.matrices] = a.w[static_cast<std::size_t>(i)];
    together.c[together.matrices++] = made[i];
  }
  if (together.matrices > 0) HL_TRY(launch(together));
  if (op.separate_position_weights) {
    HL_ASSIGN(float* const position, floats(kPosition, l * d));
    for (int i = 0; i < 3; ++i) {
      if (!made[i]) continue;
      HL_TRY(product(l, d, d, a.p, d, a.position_w[static_cast<std::size_t>(i)], d, false, position, d));
      HL_TRY(add(made[i], position, op.words, l * d, true, made[i]));
    }
  }
  if (a.terms[0]) {
    // The content and position parts of Q and K, each projected on its own.
    HL_ASSIGN(float* const content_q, floats(kContent, rows * d));
    HL_ASSIGN(float* const content_k, floats(kContentK, rows * d));
    HL_ASSIGN(float* const position, floats(kMetaQ, 2 * l * d));
    HL_ASSIGN(float* const content, floats(kMetaK, rows * d));
    HL_TRY(gather(a.f, a.ids, rows, d, nullptr, 1, content));
    HL_TRY(product(rows, d, d, content, d, a.w[0], d, false, content_q, d));
    HL_TRY(product(rows, d, d, content, d, a.w[1], d, false, content_k, d));
    HL_TRY(product(l, d, d, a.p, d, a.position_w[0], d, false, position, d));
    HL_TRY(product(l, d, d, a.p, d, a.position_w[1], d, false, position + l * d, d));
    HL_TRY(terms_apart(op, a, content_q, content_k, position, position + l * d));
  }
  if (!a.qk && !needs_weights(a)) return {};
  float* squares = a.qk;
  if (!squares) {
    HL_ASSIGN(squares, floats(kSquares, op.words * op.heads * square(op)));
  }
  HL_TRY(squares_of(op, made[0], made[1], d_k, d_k, squares));
  if (!needs_weights(a)) return {};
  HL_ASSIGN(float* const weights, pool_squares(op, a, squares));
  if (!a.result) return {};
  if (!pools_first) return weigh_values(op, weights, made[2], a.result);
  if (!op.separate_position_weights) return project_pooled(op, weights, x, l * d, a.w[2], a.result);
  // Content and position have a value matrix each. Both are pooled and projected on their own, then added. Positions are the same
  // in every word.
  HL_ASSIGN(float* const of_positions, floats(kContent, op.words * d));
  HL_TRY(project_pooled(op, weights, x, l * d, a.w[2], a.result));
  HL_TRY(project_pooled(op, weights, a.p, 0, a.position_w[2], of_positions));
  return add(a.result, of_positions, op.words, d, false, a.result);
}

// --- with every exact shortcut that needs no index --------------------------------------------------------------------------

Status IsdpaWork::shortcut(const IsdpaArrays& a, bool ready) {
  const Isdpa& op = op_;
  const std::int64_t l = op.length, d = op.d, rows = cells(op);
  const bool folded = Isdpa::is_folded(op.method), distinct = op.method != Method::direct_folded;
  const bool weighs_x = op.pooled && a.result, weighs_v = !op.pooled && a.result;
  const float* left_weight = a.w[0];
  if (folded) {
    HL_ASSIGN(float* const m, floats(kFolded, d * d));
    if (!ready) HL_TRY(product(d, d, d, a.w[0], d, a.w[1], d, true, m, d));
    left_weight = m;
  }
  float* x = nullptr;
  if (folded || weighs_x) {
    HL_ASSIGN(x, floats(kX, rows * d));
    HL_TRY(gather(a.f, a.ids, rows, d, a.p, l, x));
  }
  float *left = nullptr, *right = x, *v = nullptr;
  HL_ASSIGN(left, floats(kQ, rows * d));
  if (!distinct) {
    HL_TRY(product(rows, d, d, x, d, left_weight, d, false, left, d));
  } else {
    // Each different (symbol, position) pair is projected once; words then pick their rows.
    const bool every_pair = keeps_every_pair(op);
    const std::int64_t pairs = every_pair ? op.vocabulary * l : facts_->rows;
    const bool wanted[] = {true, !folded, weighs_v};
    const float* const by[] = {left_weight, a.w[1], a.w[2]};
    float* projected[3] = {};
    for (int i = 0; i < 3; ++i) {
      if (!wanted[i]) continue;
      HL_ASSIGN(projected[i], floats(static_cast<Slot>(kMetaQ + i), pairs * d));
    }
    if (!every_pair || !ready) {
      HL_ASSIGN(float* const pair_x, floats(kPairs, pairs * d));
      GatherCall make = gather_call(a.f, a.p, pairs, d, pair_x);
      make.ids = numbers(every_pair ? pair_symbols_ : facts_->symbols);
      make.addend_ids = every_pair ? nullptr : numbers(facts_->places);
      make.period = l;
      HL_TRY(launch(make));
      ProductCall together = product_call(pairs, d, d);
      together.a = pair_x;
      together.a_row = together.b_row = together.c_row = d;
      together.matrices = 0;
      for (int i = 0; i < 3; ++i) {
        if (!wanted[i]) continue;
        together.b[together.matrices] = by[i];
        together.c[together.matrices++] = projected[i];
      }
      HL_TRY(launch(together));
    }
    const auto pick = [&](const float* from, float* to) {
      GatherCall c = gather_call(from, nullptr, rows, d, to);
      c.ids = every_pair ? a.ids : numbers(facts_->row_of);
      c.places = every_pair ? l : 0;
      return launch(c);
    };
    HL_TRY(pick(projected[0], left));
    if (!folded) {
      HL_ASSIGN(right, floats(kK, rows * d));
      HL_TRY(pick(projected[1], right));
    }
    if (weighs_v) {
      HL_ASSIGN(v, floats(kV, rows * d));
      HL_TRY(pick(projected[2], v));
    }
  }
  if (!a.qk && !needs_weights(a)) return {};
  float* squares = a.qk;
  if (!squares) {
    HL_ASSIGN(squares, floats(kSquares, op.words * op.heads * square(op)));
  }
  // A folded product has no heads: its two factors are as wide as X.
  HL_TRY(squares_of(op, left, right, folded ? d : op.d_k(), op.d_k(), squares));
  if (!needs_weights(a)) return {};
  HL_ASSIGN(float* const weights, pool_squares(op, a, squares));
  if (!a.result) return {};
  return op.pooled ? project_pooled(op, weights, x, l * d, a.w[2], a.result) : weigh_values(op, weights, v, a.result);
}

// --- through the fused attention kernel -------------------------------------------------------------------------------------

// Projects X in one launch. The kernel computes every query's output without writing scores; the mean of these outputs over the
// queries is the pooled result, because pooling is linear. With several heads the kernel needs the rows of a head side by side,
// so they are moved first.
Status IsdpaWork::attention(const IsdpaArrays& a) {
  const Isdpa& op = op_;
  const std::int64_t l = op.length, d = op.d, d_k = op.d_k(), rows = cells(op);
  const auto move = [&](const float* from, float* to, bool split) -> Status {
    const auto turn = gpu_.turn();
    HeadsCall c{};
    c.batch = op.words;
    c.length = l;
    c.heads = op.heads;
    c.d_k = d_k;
    c.split = split;
    c.input = from;
    c.output = to;
    return gpu_.checked(gpu_.module().move_heads(gpu_.session(), c));
  };
  HL_ASSIGN(float* const x, floats(kX, rows * d));
  HL_TRY(gather(a.f, a.ids, rows, d, a.p, l, x));
  float* made[3] = {};
  ProductCall together = product_call(rows, d, d);
  together.a = x;
  together.a_row = together.b_row = together.c_row = d;
  together.matrices = 3;
  for (int i = 0; i < 3; ++i) {
    HL_ASSIGN(made[i], floats(static_cast<Slot>(kQ + i), rows * d));
    together.b[i] = a.w[static_cast<std::size_t>(i)];
    together.c[i] = made[i];
  }
  HL_TRY(launch(together));
  for (int i = 0; op.heads > 1 && i < 3; ++i) {
    HL_ASSIGN(float* const apart, floats(static_cast<Slot>(kSplitQ + i), rows * d));
    HL_TRY(move(made[i], apart, true));
    made[i] = apart;
  }
  AttentionCall c{};
  c.batch = op.words;
  c.heads = c.kv_heads = op.heads;
  c.queries = c.keys = l;
  c.d_k = c.d_v = d_k;
  c.scale = scale_of(op);
  c.inverse_temperature = 1;
  c.fill = -std::numeric_limits<float>::infinity();
  c.q = made[0];
  c.k = made[1];
  c.v = made[2];
  if (facts_) {  // keys of padding are masked, for every head and query alike
    c.keep = static_cast<const std::uint8_t*>(facts_->keep.get());
    c.mask_step[0] = l;
    c.mask_step[3] = 1;
  }
  c.precision = precision_;
  c.context = a.result;
  if (op.pooled || op.heads > 1) {
    HL_ASSIGN(c.context, floats(kContext, rows * d));
  }
  if (const std::size_t bytes = gpu_.module().attention_workspace(gpu_.session(), c); bytes > 0) {
    HL_ASSIGN(float* const workspace, floats(kWorkspace, static_cast<std::int64_t>(bytes / sizeof(float) + 1)));
    c.workspace = workspace;
  }
  {
    const auto turn = gpu_.turn();
    HL_TRY(gpu_.checked(gpu_.module().attention(gpu_.session(), c)));
  }
  if (!op.pooled) return op.heads > 1 ? move(c.context, a.result, false) : Status{};
  ProductCall mean = product_call(1, l, d_k);
  mean.a = static_cast<const float*>((facts_ ? facts_->mean : equal_shares_).get());
  mean.b[0] = c.context;
  mean.c[0] = a.result;
  mean.a_row = l;
  mean.b_row = mean.c_row = d_k;
  mean.batch[0] = op.words;
  mean.batch[1] = op.heads;
  mean.a_step[0] = facts_ ? l : 0;
  mean.b_step[0] = l * d;
  mean.b_step[1] = l * d_k;
  mean.c_step[0] = d;
  mean.c_step[1] = d_k;
  return launch(mean);
}

}  // namespace headlight::backends::cuda
