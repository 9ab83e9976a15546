#include "engine/backends/cuda/isdpa.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace headlight::backends::cuda {
namespace {

using Method = Isdpa::Method;

// Larger tables of scores than this (256 MiB) are not made: scores are then multiplied out word by word.
constexpr std::int64_t kTableFloats = std::int64_t{1} << 26;

bool needs_scores(const IsdpaArrays& a) { return a.terms[0] || a.qk || a.score || a.result; }
bool needs_weights(const IsdpaArrays& a) { return a.score || a.result; }
std::int64_t cells(const Isdpa& op) { return op.words * op.length; }
std::int64_t square(const Isdpa& op) { return op.length * op.length; }

ProductCall product_call(std::int64_t rows, std::int64_t inner, std::int64_t columns) {
  ProductCall p{};
  p.rows = rows;
  p.inner = inner;
  p.columns = columns;
  p.split = rows;
  p.matrices = 1;
  p.batch[0] = p.batch[1] = 1;
  return p;
}

RowsCall rows_call(const float* x, const float* other, std::int64_t rows, std::int64_t d, float* y) {
  RowsCall c{};
  c.rows = rows;
  c.d = d;
  c.x = x;
  c.other = other;
  c.y = y;
  return c;
}

PoolCall pool_call(const Isdpa& op, const std::int32_t* ids) {
  PoolCall c{};
  c.words = op.words;
  c.heads = op.heads;
  c.length = op.length;
  c.vocabulary = op.vocabulary;
  c.ids = ids;
  c.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(op.d_k())));
  c.pad = static_cast<std::int32_t>(op.pad_index);
  return c;
}

// The symbols that occur, in rising order, if they are so few that projecting only them pays; else empty.
std::vector<std::int32_t> used_symbols(const Isdpa& op, const std::vector<std::int32_t>& ids) {
  if (op.method != Method::index || op.cached || op.vocabulary <= op.length) return {};
  std::vector<bool> seen(static_cast<std::size_t>(op.vocabulary), false);
  std::int64_t count = 0;
  for (const std::int32_t id : ids) {
    auto mark = seen[static_cast<std::size_t>(id)];
    if (!mark) ++count;
    mark = true;
  }
  if (count * 4 > op.vocabulary * 3) return {};
  std::vector<std::int32_t> used;
  for (std::int64_t s = 0; s < op.vocabulary; ++s)
    if (seen[static_cast<std::size_t>(s)]) used.push_back(static_cast<std::int32_t>(s));
  return used;
}

}  // namespace

bool IsdpaWork::depends_on_ids(const std::vector<std::int32_t>& ids) const {
  return Isdpa::is_shortcut(op_.method) || !used_symbols(op_, ids).empty();
}

Status IsdpaWork::run(const IsdpaArrays& a, const std::vector<std::int32_t>& ids, bool ready) {
  if (Isdpa::is_shortcut(op_.method)) return shortcut(a, ids);
  if (op_.method != Method::index) return direct(a);
  if (const std::vector<std::int32_t> used = used_symbols(op_, ids); !used.empty()) return index_of_used(a, ids, used);
  return index(op_, a, ready);
}

// --- the index way ----------------------------------------------------------------------------------------------------------

// n + l rows are projected, their products with each other are a table of scores a head, and a word's scores are looked up there
// without ever being written; its pooled weights, added up by symbol and by position, weigh the projected rows once.
Status IsdpaWork::index(const Isdpa& op, const IsdpaArrays& a, bool ready) {
  const std::int64_t n = op.vocabulary, l = op.length, d = op.d, d_k = op.d_k(), width = n + l;
  const bool scores = needs_scores(a);
  const bool wanted[] = {a.qkv[0] || scores, a.qkv[1] || scores, a.qkv[2] || a.result};
  const bool by_table = scores && op.heads * width * width <= kTableFloats;
  float* meta[3] = {};
  for (int i = 0; i < 3; ++i) {
    if (!wanted[i]) continue;
    HL_ASSIGN(meta[i], floats(static_cast<Slot>(kMetaQ + i), width * d));
  }
  float* table = nullptr;
  if (by_table) {
    HL_ASSIGN(table, floats(kTable, op.heads * width * width));
  }
  if (!ready) {
    ProductCall together = product_call(width, d, d);  // every weight that acts on F and P alike, in one launch
    together.a = a.f;
    together.a2 = a.p;
    together.split = n;
    together.a_row = together.b_row = together.c_row = d;
    together.matrices = 0;
    for (int i = 0; i < 3; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (!wanted[i]) continue;
      if (a.w[at] == a.position_w[at]) {
        together.b[together.matrices] = a.w[at];
        together.c[together.matrices++] = meta[i];
      } else {
        HL_TRY(product(n, d, d, a.f, d, a.w[at], d, false, meta[i], d));
        HL_TRY(product(l, d, d, a.p, d, a.position_w[at], d, false, meta[i] + n * d, d));
      }
    }
    if (together.matrices > 0) HL_TRY(launch(together));
    if (by_table) {
      ProductCall p = product_call(width, d_k, width);
      p.a = meta[0];
      p.b[0] = meta[1];
      p.c[0] = table;
      p.a_row = p.b_row = d;
      p.c_row = width;
      p.transposed = true;
      p.batch[1] = op.heads;
      p.a_step[1] = p.b_step[1] = d_k;
      p.c_step[1] = width * width;
      HL_TRY(launch(p));
    }
  }
  for (std::size_t i = 0; i < 3; ++i)
    if (a.qkv[i]) HL_TRY(gather(meta[i], a.ids, cells(op), d, meta[i] + n * d, l, a.qkv[i]));
  if (!scores) return {};

  float* weights = nullptr;  // [W, h, l] pooled, [W, h, l, l] not
  float* spread = nullptr;   // [h, W, n + l]
  // With few symbols the value rows are gathered by one product; with many, a word's own rows are.
  // On newer GPUs one launch does all that is left.
  if (by_table && a.result && op.pooled && !a.terms[0] && !a.qk) {
    PoolCall c = pool_call(op, a.ids);
    c.table = table;
    c.precision = precision_;
    c.score = a.score;
    c.d_k = d_k;
    c.values = meta[2];
    c.result = a.result;
    const auto turn = gpu_.turn();
    if (gpu_.module().pools_to_result(gpu_.session(), c)) return gpu_.checked(gpu_.module().pool(gpu_.session(), c));
  }
  if (a.result && op.pooled && by_table && width <= 8 * l) {
    HL_ASSIGN(spread, floats(kSpread, op.heads * op.words * width));
  }
  if (by_table) {
    PoolCall c = pool_call(op, a.ids);
    c.table = table;
    c.precision = precision_;
    c.mm = a.terms[0];
    c.mp = a.terms[1];
    c.pm = a.terms[2];
    c.pp = a.terms[3];
    c.qk = a.qk;
    if (needs_weights(a)) {
      weights = a.score;
      if (!weights && !spread) {
        HL_ASSIGN(weights, floats(op.pooled ? kScores : kSoft, op.heads * cells(op) * (op.pooled ? 1 : l)));
      }
      (op.pooled ? c.score : c.soft) = weights;
      c.spread = spread;
    }
    const auto turn = gpu_.turn();
    HL_TRY(gpu_.checked(gpu_.module().pool(gpu_.session(), c)));
  } else {
    HL_ASSIGN(float* const q, floats(kQ, cells(op) * d));
    HL_ASSIGN(float* const k, floats(kK, cells(op) * d));
    if (a.terms[0]) {
      HL_ASSIGN(float* const content_q, floats(kContent, cells(op) * d));
      HL_ASSIGN(float* const content_k, floats(kContentK, cells(op) * d));
      HL_TRY(gather(meta[0], a.ids, cells(op), d, nullptr, 1, content_q));
      HL_TRY(gather(meta[1], a.ids, cells(op), d, nullptr, 1, content_k));
      HL_TRY(terms_apart(op, a, content_q, content_k, meta[0] + n * d, meta[1] + n * d));
    }
    HL_TRY(gather(meta[0], a.ids, cells(op), d, meta[0] + n * d, l, q));
    HL_TRY(gather(meta[1], a.ids, cells(op), d, meta[1] + n * d, l, k));
    float* squares = a.qk;
    if (!squares) {
      HL_ASSIGN(squares, floats(kSquares, op.words * op.heads * square(op)));
    }
    HL_TRY(squares_of(op, q, k, d_k, d_k, squares));
    if (!needs_weights(a)) return {};
    HL_ASSIGN(weights, pool_squares(op, a, squares));
  }
  if (!a.result) return {};
  if (spread) {
    ProductCall p = product_call(op.words, width, d_k);
    p.a = spread;
    p.b[0] = meta[2];
    p.c[0] = a.result;
    p.a_row = width;
    p.b_row = p.c_row = d;
    p.batch[1] = op.heads;
    p.a_step[1] = op.words * width;
    p.b_step[1] = p.c_step[1] = d_k;
    p.skip_zeros = true;  // a NaN in one symbol's row must not reach words without it
    return launch(p);
  }
  HL_ASSIGN(float* const v, floats(kV, cells(op) * d));
  HL_TRY(gather(meta[2], a.ids, cells(op), d, meta[2] + n * d, l, v));
  return weigh_values(op, weights, v, a.result);
}

// A smaller vocabulary of the symbols that occur; the same words in its numbering.
Status IsdpaWork::index_of_used(const IsdpaArrays& a, const std::vector<std::int32_t>& ids,
                                const std::vector<std::int32_t>& used) {
  std::vector<std::int32_t> number(static_cast<std::size_t>(op_.vocabulary), -1);
  for (std::size_t i = 0; i < used.size(); ++i) number[static_cast<std::size_t>(used[i])] = static_cast<std::int32_t>(i);
  std::vector<std::int32_t> renumbered = ids;
  for (std::int32_t& id : renumbered) id = number[static_cast<std::size_t>(id)];
  Isdpa small = op_;
  small.vocabulary = static_cast<std::int64_t>(used.size());
  if (op_.pad_index >= 0) small.pad_index = number[static_cast<std::size_t>(op_.pad_index)];  // -1 where no word is padded
  HL_ASSIGN(float* const rows, floats(kUsedRows, small.vocabulary * op_.d));
  HL_ASSIGN(const std::int32_t* const used_ids, upload_ids(kUsedIds, used));
  HL_ASSIGN(const std::int32_t* const new_ids, upload_ids(kNewIds, renumbered));
  HL_TRY(gather(a.f, used_ids, small.vocabulary, op_.d, nullptr, 1, rows));
  IsdpaArrays with_small = a;
  with_small.f = rows;
  with_small.ids = new_ids;
  return index(small, with_small, false);
}

// --- as the layer is written ------------------------------------------------------------------------------------------------

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
    // The content and position parts of Q and K, each projected by itself.
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
  // Content and position have a value matrix each: pooled and projected apart, then added. Positions are the same in every word.
  HL_ASSIGN(float* const other, floats(kContent, op.words * d));
  HL_TRY(project_pooled(op, weights, x, l * d, a.w[2], a.result));
  HL_TRY(project_pooled(op, weights, a.p, 0, a.position_w[2], other));
  return add(a.result, other, op.words, d, false, a.result);
}

// --- with every exact shortcut that needs no index --------------------------------------------------------------------------

Status IsdpaWork::shortcut(const IsdpaArrays& a, const std::vector<std::int32_t>& ids) {
  const Isdpa& op = op_;
  const std::int64_t l = op.length, d = op.d, rows = cells(op);
  const bool folded = Isdpa::is_folded(op.method), distinct = op.method != Method::direct_folded;
  const float* left_weight = a.w[0];
  if (folded) {
    HL_ASSIGN(float* const m, floats(kFolded, d * d));
    HL_TRY(product(d, d, d, a.w[0], d, a.w[1], d, true, m, d));
    left_weight = m;
  }
  HL_ASSIGN(float* const x, floats(kX, rows * d));
  HL_TRY(gather(a.f, a.ids, rows, d, a.p, l, x));
  HL_ASSIGN(float* const left, floats(kQ, rows * d));
  float* right = x;
  if (!folded) {
    HL_ASSIGN(right, floats(kK, rows * d));
  }
  if (distinct) {
    // Each different (symbol, position) is projected once; words pick their rows.
    std::unordered_map<std::int64_t, std::int32_t> number;
    std::vector<std::int32_t> row_of(ids.size()), symbols, places;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::int64_t place = static_cast<std::int64_t>(i) % l;
      const auto [at, fresh] = number.try_emplace(ids[i] * l + place, static_cast<std::int32_t>(symbols.size()));
      if (fresh) {
        symbols.push_back(ids[i]);
        places.push_back(static_cast<std::int32_t>(place));
      }
      row_of[i] = at->second;
    }
    const auto different = static_cast<std::int64_t>(symbols.size());
    HL_ASSIGN(const std::int32_t* const symbol_ids, upload_ids(kUsedIds, symbols));
    HL_ASSIGN(const std::int32_t* const place_ids, upload_ids(kPositionIds, places));
    HL_ASSIGN(const std::int32_t* const row_ids, upload_ids(kRowOf, row_of));
    HL_ASSIGN(float* const rows_x, floats(kMetaQ, different * d));
    HL_ASSIGN(float* const rows_other, floats(kMetaK, different * d));
    HL_ASSIGN(float* const projected, floats(kMetaV, different * d));
    HL_TRY(gather(a.f, symbol_ids, different, d, nullptr, 1, rows_x));
    HL_TRY(gather(a.p, place_ids, different, d, nullptr, 1, rows_other));
    HL_TRY(add(rows_x, rows_other, different, d, false, rows_x));
    HL_TRY(product(different, d, d, rows_x, d, left_weight, d, false, projected, d));
    HL_TRY(gather(projected, row_ids, rows, d, nullptr, 1, left));
    if (!folded) {
      HL_TRY(product(different, d, d, rows_x, d, a.w[1], d, false, projected, d));
      HL_TRY(gather(projected, row_ids, rows, d, nullptr, 1, right));
    }
  } else {
    HL_TRY(product(rows, d, d, x, d, left_weight, d, false, left, d));
  }
  if (!a.qk && !needs_weights(a)) return {};
  float* squares = a.qk;
  if (!squares) {
    HL_ASSIGN(squares, floats(kSquares, op.words * op.heads * square(op)));
  }
  // A folded product has no heads: its sides are as wide as X.
  HL_TRY(squares_of(op, left, right, folded ? d : op.d_k(), op.d_k(), squares));
  if (!needs_weights(a)) return {};
  HL_ASSIGN(float* const weights, pool_squares(op, a, squares));
  return a.result ? project_pooled(op, weights, x, l * d, a.w[2], a.result) : Status{};
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

// Of every word and head: to [W, h, l, l] = q k^T over `width` columns, heads `head_step` apart.
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

// result = (scores x) wv, head by head: x [W, l, d], words `x_step` apart, is pooled first, to [W, h, d], then projected.
Status IsdpaWork::project_pooled(const Isdpa& op, const float* scores, const float* x, std::int64_t x_step, const float* wv,
                                 float* result) {
  HL_ASSIGN(float* const pooled, floats(kPooled, op.words * op.heads * op.d));
  ProductCall pool = product_call(op.heads, op.length, op.d);
  pool.a = scores;
  pool.b[0] = x;
  pool.c[0] = pooled;
  pool.a_row = op.length;
  pool.b_row = pool.c_row = op.d;
  pool.batch[0] = op.words;
  pool.a_step[0] = op.heads * op.length;
  pool.b_step[0] = x_step;
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
    space = {};
    HL_ASSIGN(space.memory, gpu_.allocate(bytes));
    space.bytes = bytes;
  }
  return static_cast<float*>(space.memory.get());
}

Result<std::int32_t*> IsdpaWork::upload_ids(Slot slot, const std::vector<std::int32_t>& ids) {
  static_assert(sizeof(std::int32_t) == sizeof(float));
  HL_ASSIGN(float* const space, floats(slot, static_cast<std::int64_t>(ids.size())));
  const auto turn = gpu_.turn();
  HL_TRY(gpu_.checked(gpu_.module().to_device(gpu_.session(), space, ids.data(), ids.size() * sizeof(std::int32_t))));
  return reinterpret_cast<std::int32_t*>(space);
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

Status IsdpaWork::gather(const float* table, const std::int32_t* ids, std::int64_t rows, std::int64_t d, const float* other,
                         std::int64_t period, float* y) {
  RowsCall c = rows_call(table, other, rows, d, y);
  c.ids = ids;
  c.period = period;
  const auto turn = gpu_.turn();
  return gpu_.checked(gpu_.module().gather(gpu_.session(), c));
}

Status IsdpaWork::add(const float* x, const float* other, std::int64_t rows, std::int64_t d, bool repeats, float* y) {
  RowsCall c = rows_call(x, other, rows, d, y);
  c.repeats = repeats;
  const auto turn = gpu_.turn();
  return gpu_.checked(gpu_.module().add(gpu_.session(), c));
}

}  // namespace headlight::backends::cuda
