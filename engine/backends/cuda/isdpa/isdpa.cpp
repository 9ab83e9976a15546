#include "engine/backends/cuda/isdpa/isdpa_work.h"

#include "engine/backends/cuda/isdpa/cuda_isdpa_parts.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/isdpa_rules.h"

namespace headlight::backends::cuda {
namespace {

using Method = Isdpa::Method;

}  // namespace

Status IsdpaWork::run(const IsdpaArrays& a, bool ready) {
  if (op_.method == Method::direct_attention) return a.qk || a.score ? direct(a) : attention(a);
  if (Isdpa::is_shortcut(op_.method)) return shortcut(a, ready);
  if (op_.method != Method::index) return direct(a);
  return facts_ && facts_->rows > 0 ? index_of_used(a) : index(op_, a, ready);
}

// --- the index method -------------------------------------------------------------------------------------------------------

// Projects n + l rows and multiplies them with each other into a table of scores per head. A word's scores are looked up in that
// table and never written. Its pooled weights, added up by symbol and by position, then weight the projected rows once.
Status IsdpaWork::index(const Isdpa& op, const IsdpaArrays& a, bool ready) {
  const std::int64_t n = op.vocabulary, l = op.length, d = op.d, width = n + l;
  HL_ASSIGN(const Projected projected, project(op, a, ready));
  const auto& [meta, table] = projected;
  for (std::size_t i = 0; i < 3; ++i)
    if (a.qkv[i]) HL_TRY(gather(meta[i], a.ids, cells(op), d, meta[i] + n * d, l, a.qkv[i]));
  if (!needs_scores(a)) return {};

  // Newer GPUs do all that is left in one launch.
  if (table && a.result && op.pooled && !a.terms[0] && !a.qk) {
    HL_ASSIGN(const bool is_done, pool_to_result(op, a, projected));
    if (is_done) return {};
  }
  // With few symbols one product gathers the value rows; with many, each word's own rows are gathered.
  float* spread = nullptr;  // [h, W, n + l]
  if (a.result && op.pooled && table && width <= 8 * l) {
    HL_ASSIGN(spread, floats(kSpread, op.heads * op.words * width));
  }
  float* weights = nullptr;  // [W, h, l] pooled, [W, h, l, l] not
  if (table) {
    HL_ASSIGN(weights, pool_table(op, a, table, spread));
  } else {
    HL_ASSIGN(weights, pool_rows(op, a, meta[0], meta[1]));
  }
  if (!a.result) return {};
  if (spread) return weigh_symbols(op, spread, meta[2], a.result);
  HL_ASSIGN(float* const v, floats(kV, cells(op) * d));
  HL_TRY(gather(meta[2], a.ids, cells(op), d, meta[2] + n * d, l, v));
  return weigh_values(op, weights, v, a.result);
}

Result<IsdpaWork::Projected> IsdpaWork::project(const Isdpa& op, const IsdpaArrays& a, bool ready) {
  const std::int64_t n = op.vocabulary, l = op.length, d = op.d, width = n + l;
  const bool scores = needs_scores(a);
  const bool wanted[] = {a.qkv[0] || scores, a.qkv[1] || scores, a.qkv[2] || a.result};
  Projected to;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!wanted[i]) continue;
    HL_ASSIGN(to.meta[i], floats(static_cast<Slot>(kMetaQ + i), width * d));
  }
  if (scores && makes_table(op)) {
    HL_ASSIGN(to.table, floats(kTable, op.heads * width * width));
  }
  if (ready) return to;
  ProductCall together = product_call(width, d, d);  // all weights that multiply both F and P, in one launch
  together.a = a.f;
  together.a2 = a.p;
  together.split = n;
  together.a_row = together.b_row = together.c_row = d;
  together.matrices = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!wanted[i]) continue;
    if (a.w[i] == a.position_w[i]) {
      together.b[together.matrices] = a.w[i];
      together.c[together.matrices++] = to.meta[i];
    } else {
      HL_TRY(product(n, d, d, a.f, d, a.w[i], d, false, to.meta[i], d));
      HL_TRY(product(l, d, d, a.p, d, a.position_w[i], d, false, to.meta[i] + n * d, d));
    }
  }
  if (together.matrices > 0) HL_TRY(launch(together));
  if (!to.table) return to;
  ProductCall p = product_call(width, op.d_k(), width);
  p.a = to.meta[0];
  p.b[0] = to.meta[1];
  p.c[0] = to.table;
  p.a_row = p.b_row = d;
  p.c_row = width;
  p.transposed = true;
  p.batch[1] = op.heads;
  p.a_step[1] = p.b_step[1] = op.d_k();
  p.c_step[1] = width * width;
  HL_TRY(launch(p));
  return to;
}

Result<bool> IsdpaWork::pool_to_result(const Isdpa& op, const IsdpaArrays& a, const Projected& projected) {
  PoolCall c = pool_call(op, a.ids);
  c.table = projected.table;
  c.precision = precision_;
  c.score = a.score;
  c.d_k = op.d_k();
  c.values = projected.meta[2];
  c.result = a.result;
  const auto turn = gpu_.turn();
  if (!gpu_.module().pools_to_result(gpu_.session(), c)) return false;
  HL_TRY(gpu_.checked(gpu_.module().pool(gpu_.session(), c)));
  return true;
}

Result<float*> IsdpaWork::pool_table(const Isdpa& op, const IsdpaArrays& a, const float* table, float* spread) {
  PoolCall c = pool_call(op, a.ids);
  c.table = table;
  c.precision = precision_;
  c.mm = a.terms[0];
  c.mp = a.terms[1];
  c.pm = a.terms[2];
  c.pp = a.terms[3];
  c.qk = a.qk;
  float* weights = nullptr;
  if (needs_weights(a)) {
    weights = a.score;
    if (!weights && !spread) {
      HL_ASSIGN(weights, floats(op.pooled ? kScores : kSoft, op.heads * cells(op) * (op.pooled ? 1 : op.length)));
    }
    (op.pooled ? c.score : c.soft) = weights;
    c.spread = spread;
  }
  const auto turn = gpu_.turn();
  HL_TRY(gpu_.checked(gpu_.module().pool(gpu_.session(), c)));
  return weights;
}

Result<float*> IsdpaWork::pool_rows(const Isdpa& op, const IsdpaArrays& a, const float* meta_q, const float* meta_k) {
  const std::int64_t l = op.length, d = op.d;
  const float* const position_q = meta_q + op.vocabulary * d;
  const float* const position_k = meta_k + op.vocabulary * d;
  HL_ASSIGN(float* const q, floats(kQ, cells(op) * d));
  HL_ASSIGN(float* const k, floats(kK, cells(op) * d));
  if (a.terms[0]) {
    HL_ASSIGN(float* const content_q, floats(kContent, cells(op) * d));
    HL_ASSIGN(float* const content_k, floats(kContentK, cells(op) * d));
    HL_TRY(gather(meta_q, a.ids, cells(op), d, nullptr, 1, content_q));
    HL_TRY(gather(meta_k, a.ids, cells(op), d, nullptr, 1, content_k));
    HL_TRY(terms_apart(op, a, content_q, content_k, position_q, position_k));
  }
  HL_TRY(gather(meta_q, a.ids, cells(op), d, position_q, l, q));
  HL_TRY(gather(meta_k, a.ids, cells(op), d, position_k, l, k));
  float* squares = a.qk;
  if (!squares) {
    HL_ASSIGN(squares, floats(kSquares, op.words * op.heads * square(op)));
  }
  HL_TRY(squares_of(op, q, k, op.d_k(), op.d_k(), squares));
  if (!needs_weights(a)) return nullptr;
  return pool_squares(op, a, squares);
}

Status IsdpaWork::weigh_symbols(const Isdpa& op, const float* spread, const float* meta_v, float* result) {
  const std::int64_t width = op.vocabulary + op.length;
  ProductCall p = product_call(op.words, width, op.d_k());
  p.a = spread;
  p.b[0] = meta_v;
  p.c[0] = result;
  p.a_row = width;
  p.b_row = p.c_row = op.d;
  p.batch[1] = op.heads;
  p.a_step[1] = op.words * width;
  p.b_step[1] = p.c_step[1] = op.d_k();
  p.skip_zeros = true;  // a NaN in one symbol's row must not reach words without that symbol
  return launch(p);
}

// Uses a smaller vocabulary: only the symbols that occur. The words are numbered accordingly.
Status IsdpaWork::index_of_used(const IsdpaArrays& a) {
  Isdpa small = op_;
  small.vocabulary = facts_->rows;
  small.pad_index = facts_->pad;
  HL_ASSIGN(float* const rows, floats(kUsedRows, small.vocabulary * op_.d));
  HL_TRY(gather(a.f, static_cast<const std::int32_t*>(facts_->symbols.get()), small.vocabulary, op_.d, nullptr, 1, rows));
  IsdpaArrays with_small = a;
  with_small.f = rows;
  with_small.ids = static_cast<const std::int32_t*>(facts_->row_of.get());
  return index(small, with_small, false);
}

// --- parts ------------------------------------------------------------------------------------------------------------------

// The four terms from the content [W, l, d] and position [l, d] parts of Q and K.
Status IsdpaWork::terms_apart(const Isdpa& op, const IsdpaArrays& a, const float* content_q, const float* content_k,
                              const float* position_q, const float* position_k) {
  const std::int64_t l = op.length, d = op.d;
  const float* const left[] = {content_q, content_q, position_q, position_q};
  const float* const right[] = {content_k, position_k, content_k, position_k};
  for (int t = 0; t < 4; ++t) {
    ProductCall p = product_call(l, op.d_k(), l);
    p.a = left[t];
    p.b[0] = right[t];
    p.c[0] = a.terms[static_cast<std::size_t>(t)];
    p.a_row = p.b_row = d;
    p.c_row = l;
    p.transposed = true;
    p.batch[0] = op.words;
    p.batch[1] = op.heads;
    p.a_step[0] = t < 2 ? l * d : 0;  // positions are the same in every word
    p.b_step[0] = t % 2 == 0 ? l * d : 0;
    p.a_step[1] = p.b_step[1] = op.d_k();
    p.c_step[0] = op.heads * square(op);
    p.c_step[1] = square(op);
    HL_TRY(launch(p));
  }
  return {};
}

// For every word and head: to [W, h, l, l] = q k^T over `width` columns; a head begins `head_step` columns after the last.
Status IsdpaWork::squares_of(const Isdpa& op, const float* q, const float* k, std::int64_t width, std::int64_t head_step,
                             float* to) {
  ProductCall p = product_call(op.length, width, op.length);
  p.a = q;
  p.b[0] = k;
  p.c[0] = to;
  p.a_row = p.b_row = op.d;
  p.c_row = op.length;
  p.transposed = true;
  p.batch[0] = op.words;
  p.batch[1] = op.heads;
  p.a_step[0] = p.b_step[0] = op.length * op.d;
  p.a_step[1] = p.b_step[1] = head_step;
  p.c_step[0] = op.heads * square(op);
  p.c_step[1] = square(op);
  return launch(p);
}

Result<float*> IsdpaWork::pool_squares(const Isdpa& op, const IsdpaArrays& a, const float* squares) {
  PoolCall c = pool_call(op, a.ids);
  c.squares = squares;
  float* weights = a.score;
  if (!weights) {
    HL_ASSIGN(weights, floats(op.pooled ? kScores : kSoft, op.heads * cells(op) * (op.pooled ? 1 : op.length)));
  }
  (op.pooled ? c.score : c.soft) = weights;
  const auto turn = gpu_.turn();
  HL_TRY(gpu_.checked(gpu_.module().pool(gpu_.session(), c)));
  return weights;
}

// Head by head, result [W, d] = scores [W, h, l] v, or [W, l, d] = weights [W, h, l, l] v; v [W, l, d].
Status IsdpaWork::weigh_values(const Isdpa& op, const float* weights, const float* v, float* result) {
  const std::int64_t rows = op.pooled ? 1 : op.length;
  ProductCall p = product_call(rows, op.length, op.d_k());
  p.a = weights;
  p.b[0] = v;
  p.c[0] = result;
  p.a_row = op.length;
  p.b_row = p.c_row = op.d;
  p.batch[0] = op.words;
  p.batch[1] = op.heads;
  p.a_step[0] = op.heads * rows * op.length;
  p.a_step[1] = rows * op.length;
  p.b_step[0] = op.length * op.d;
  p.c_step[0] = rows * op.d;
  p.b_step[1] = p.c_step[1] = op.d_k();
  return launch(p);
}

// result = (scores inputs) wv, head by head: inputs [W, l, d], whose words are `input_step` apart, are pooled first, to [W, h,
// d], then projected.
Status IsdpaWork::project_pooled(const Isdpa& op, const float* scores, const float* inputs, std::int64_t input_step,
                                 const float* wv, float* result) {
  HL_ASSIGN(float* const pooled, floats(kPooled, op.words * op.heads * op.d));
  ProductCall pool = product_call(op.heads, op.length, op.d);
  pool.a = scores;
  pool.b[0] = inputs;
  pool.c[0] = pooled;
  pool.a_row = op.length;
  pool.b_row = pool.c_row = op.d;
  pool.batch[0] = op.words;
  pool.a_step[0] = op.heads * op.length;
  pool.b_step[0] = input_step;
  pool.c_step[0] = op.heads * op.d;
  HL_TRY(launch(pool));
  ProductCall p = product_call(op.words, op.d, op.d_k());
  p.a = pooled;
  p.b[0] = wv;
  p.c[0] = result;
  p.a_row = op.heads * op.d;
  p.b_row = p.c_row = op.d;
  p.batch[1] = op.heads;
  p.a_step[1] = op.d;
  p.b_step[1] = p.c_step[1] = op.d_k();
  return launch(p);
}

Result<float*> IsdpaWork::floats(Slot slot, std::int64_t count) {
  Space& space = spaces_[static_cast<std::size_t>(slot)];
  const auto bytes = static_cast<std::size_t>(count) * sizeof(float);
  if (space.bytes < bytes) {
    if (space.memory) ++moved_;
    // An eighth of spare room: other ids may need a few symbols more, and then no workspace has to move.
    const std::size_t with_room = facts_ ? bytes + bytes / 8 : bytes;
    space = {};
    HL_ASSIGN(space.memory, gpu_.allocate(with_room));
    space.bytes = with_room;
  }
  return static_cast<float*>(space.memory.get());
}

Status IsdpaWork::product(std::int64_t rows, std::int64_t inner, std::int64_t columns, const float* a, std::int64_t a_row,
                          const float* b, std::int64_t b_row, bool transposed, float* c, std::int64_t c_row) {
  ProductCall p = product_call(rows, inner, columns);
  p.a = a;
  p.a_row = a_row;
  p.b[0] = b;
  p.b_row = b_row;
  p.transposed = transposed;
  p.c[0] = c;
  p.c_row = c_row;
  return launch(p);
}

Status IsdpaWork::launch(const ProductCall& call) {
  ProductCall with_precision = call;
  with_precision.precision = precision_;
  const auto turn = gpu_.turn();
  return gpu_.checked(gpu_.module().product(gpu_.session(), with_precision));
}

Status IsdpaWork::launch(const GatherCall& call) {
  const auto turn = gpu_.turn();
  return gpu_.checked(gpu_.module().gather(gpu_.session(), call));
}

Status IsdpaWork::gather(const float* table, const std::int32_t* ids, std::int64_t rows, std::int64_t d, const float* addend,
                         std::int64_t period, float* output) {
  GatherCall c = gather_call(table, addend, rows, d, output);
  c.ids = ids;
  c.period = period;
  return launch(c);
}

Status IsdpaWork::add(const float* input, const float* addend, std::int64_t rows, std::int64_t d, bool repeats, float* output) {
  AddCall c{};
  c.rows = rows;
  c.d = d;
  c.input = input;
  c.addend = addend;
  c.repeats = repeats;
  c.output = output;
  const auto turn = gpu_.turn();
  return gpu_.checked(gpu_.module().add(gpu_.session(), c));
}

}  // namespace headlight::backends::cuda
