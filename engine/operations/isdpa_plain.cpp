// Index-based attention, both ways, one word at a time. Nothing is shared between the two, so that each checks the other.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/operations/isdpa_plain.h"
#include "engine/operations/isdpa_rules.h"
#include "engine/operations/linear.h"
#include "engine/operations/softmax.h"

namespace headlight::operations::plain {
namespace {

template <class Real>
using Row = std::vector<Real>;

template <class Real>
Row<Real> zeros(std::int64_t count) {
  return Row<Real>(static_cast<std::size_t>(count), 0.0);
}

// [rows, d] W, W [d, d].
template <class Real>
bool times(const Real* x, std::int64_t rows, const Real* w, std::int64_t d, Real* y, const CancelToken& cancel) {
  return linear<Real>(Linear{rows, d, d}, x, w, nullptr, y, cancel);
}

template <class Real>
Real dot(const Real* a, const Real* b, std::int64_t d) {
  Real sum = 0;
  for (std::int64_t i = 0; i < d; ++i) sum += a[i] * b[i];
  return sum;
}

// Softmax and, where the layer pools, the mean over queries of one head of one word: from its raw products qk [l, l] to score
// [l], or [l, l] unpooled.
template <class Real>
void pool(const Isdpa& op, const std::int32_t* ids, const Real* qk, Real* score) {
  const std::int64_t l = op.length;
  const auto is_pad = [&](std::int64_t position) { return op.pad_index >= 0 && ids[position] == op.pad_index; };
  std::int64_t queries = 0;
  for (std::int64_t j = 0; j < l && op.pooled; ++j) score[j] = 0;
  Row<Real> row = zeros<Real>(l);
  for (std::int64_t i = 0; i < l; ++i) {
    if (op.pooled && is_pad(i)) continue;  // a padding query leaves the mean
    ++queries;
    for (std::int64_t j = 0; j < l; ++j) {
      row[static_cast<std::size_t>(j)] =
          is_pad(j) ? -std::numeric_limits<Real>::infinity() : qk[i * l + j] / std::sqrt(static_cast<Real>(op.d_k()));
    }
    softmax(row.data(), l, 1.0, row.data());
    for (std::int64_t j = 0; j < l; ++j) {
      if (op.pooled) score[j] += row[static_cast<std::size_t>(j)];
      if (!op.pooled) score[i * l + j] = row[static_cast<std::size_t>(j)];
    }
  }
  for (std::int64_t j = 0; j < l && op.pooled; ++j) score[j] = queries ? score[j] / static_cast<Real>(queries) : 0;
}

// One head's columns of the result: sum over keys of score[key] V[key, :], for each query if the layer does not pool.
template <class Real>
void weigh(const Isdpa& op, std::int64_t head, const Real* score, const Real* v, Real* result) {
  const std::int64_t rows = op.pooled ? 1 : op.length;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t c = head * op.d_k(); c < (head + 1) * op.d_k(); ++c) {
      Real sum = 0;
      for (std::int64_t j = 0; j < op.length; ++j) sum += score[i * op.length + j] * v[j * op.d + c];
      result[i * op.d + c] = sum;
    }
  }
}

template <class Real>
void store(Real* kept, std::int64_t word, const Row<Real>& values) {
  if (!kept) return;
  const auto size = static_cast<std::int64_t>(values.size());
  for (std::int64_t i = 0; i < size; ++i) kept[word * size + i] = values[static_cast<std::size_t>(i)];
}

// The products of one word's rows with W (content) and PW (position): (F[ids] W + P PW), each as written.
template <class Real>
struct Projected {
  Row<Real> content, position;  // [l, d]
  Row<Real> sum() const {
    Row<Real> s = content;
    for (std::size_t i = 0; i < s.size(); ++i) s[i] += position[i];
    return s;
  }
};

// score, result and what else is kept of one word, from its raw products of all heads [h, l, l] and its values [l, d].
template <class Real>
void finish_word(const Isdpa& op, const IsdpaArrays<Real>& a, std::int64_t word, const Row<Real>& qk, const Row<Real>& v) {
  const std::int64_t l = op.length, square = l * l, score_size = op.pooled ? l : square;
  Row<Real> score = zeros<Real>(op.heads * score_size), result = zeros<Real>(op.pooled ? op.d : l * op.d);
  for (std::int64_t h = 0; h < op.heads; ++h) {
    Real* const own = score.data() + h * score_size;
    pool(op, a.ids + word * l, qk.data() + h * square, own);
    weigh(op, h, own, v.data(), result.data());
  }
  store(a.v, word, v);
  store(a.qk, word, qk);
  store(a.score, word, score);
  store(a.result, word, result);
}

template <class Real>
bool direct(const Isdpa& op, const IsdpaArrays<Real>& a, const CancelToken& cancel) {
  const std::int64_t l = op.length;
  const std::int64_t d = op.d, d_k = op.d_k();
  const bool one_weight = !op.separate_position_weights;
  for (std::int64_t word = 0; word < op.words; ++word) {
    const std::int32_t* ids = a.ids + word * l;
    Row<Real> f = zeros<Real>(l * d);
    for (std::int64_t i = 0; i < l; ++i) {
      for (std::int64_t c = 0; c < d; ++c) f[static_cast<std::size_t>(i * d + c)] = a.f[ids[i] * d + c];
    }
    // With one weight matrix, X = F[ids] + P is summed first and projected once, as the layer is written.
    const auto project = [&](const Real* w, const Real* pw, Row<Real>& out) {
      out = zeros<Real>(l * d);
      if (one_weight) {
        Row<Real> x = f;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += a.p[i];
        return times(x.data(), l, w, d, out.data(), cancel);
      }
      Projected<Real> both{zeros<Real>(l * d), zeros<Real>(l * d)};
      const bool done =
          times(f.data(), l, w, d, both.content.data(), cancel) && times(a.p, l, pw, d, both.position.data(), cancel);
      out = both.sum();
      return done;
    };
    Row<Real> q, k, v;
    if (!project(a.wq, a.pwq, q) || !project(a.wk, a.pwk, k) || !project(a.wv, a.pwv, v)) return false;
    if (a.mm) {
      // The four terms of QK^T, from the content and position parts of Q and K apart.
      Projected<Real> pq{zeros<Real>(l * d), zeros<Real>(l * d)}, pk{zeros<Real>(l * d), zeros<Real>(l * d)};
      if (!times(f.data(), l, a.wq, d, pq.content.data(), cancel) || !times(a.p, l, a.pwq, d, pq.position.data(), cancel) ||
          !times(f.data(), l, a.wk, d, pk.content.data(), cancel) || !times(a.p, l, a.pwk, d, pk.position.data(), cancel)) {
        return false;
      }
      for (std::int64_t h = 0; h < op.heads; ++h) {
        const auto part = [&](const Row<Real>& x, std::int64_t row) { return &x[static_cast<std::size_t>(row * d + h * d_k)]; };
        for (std::int64_t i = 0; i < l; ++i) {
          for (std::int64_t j = 0; j < l; ++j) {
            const std::int64_t cell = ((word * op.heads + h) * l + i) * l + j;
            a.mm[cell] = dot(part(pq.content, i), part(pk.content, j), d_k);
            a.mp[cell] = dot(part(pq.content, i), part(pk.position, j), d_k);
            a.pm[cell] = dot(part(pq.position, i), part(pk.content, j), d_k);
            a.pp[cell] = dot(part(pq.position, i), part(pk.position, j), d_k);
          }
        }
      }
    }
    Row<Real> qk = zeros<Real>(op.heads * l * l);
    for (std::int64_t h = 0; h < op.heads; ++h) {
      for (std::int64_t i = 0; i < l; ++i) {
        for (std::int64_t j = 0; j < l; ++j) {
          qk[static_cast<std::size_t>((h * l + i) * l + j)] =
              dot(&q[static_cast<std::size_t>(i * d + h * d_k)], &k[static_cast<std::size_t>(j * d + h * d_k)], d_k);
        }
      }
    }
    store(a.q, word, q);
    store(a.k, word, k);
    finish_word(op, a, word, qk, v);
  }
  return true;
}

template <class Real>
bool index(const Isdpa& op, const IsdpaArrays<Real>& a, const CancelToken& cancel) {
  const std::int64_t n = op.vocabulary;
  const std::int64_t l = op.length;
  const std::int64_t d = op.d;
  // The tables: n + l rows are projected, however many words there are.
  const auto table = [&](const Real* x, std::int64_t rows, const Real* w, Row<Real>& out) {
    out = zeros<Real>(rows * d);
    return times(x, rows, w, d, out.data(), cancel);
  };
  Row<Real> meta_q, meta_k, meta_v, pos_q, pos_k, pos_v;
  if (!table(a.f, n, a.wq, meta_q) || !table(a.f, n, a.wk, meta_k) || !table(a.f, n, a.wv, meta_v) ||
      !table(a.p, l, a.pwq, pos_q) || !table(a.p, l, a.pwk, pos_k) || !table(a.p, l, a.pwv, pos_v)) {
    return false;
  }
  // Of one head: x's rows with y's, over the head's columns.
  const auto products = [&](std::int64_t head, const Row<Real>& x, std::int64_t rows, const Row<Real>& y, std::int64_t columns) {
    Row<Real> out = zeros<Real>(rows * columns);
    const std::int64_t first = head * op.d_k();
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        out[static_cast<std::size_t>(i * columns + j)] =
            dot(&x[static_cast<std::size_t>(i * d + first)], &y[static_cast<std::size_t>(j * d + first)], op.d_k());
      }
    }
    return out;
  };
  // Of a large vocabulary the tables have rows for the symbols that occur: row number[s] is symbol s.
  const std::vector<std::int32_t> used = symbols_among({a.ids, static_cast<std::size_t>(op.words * l)}, n);
  const auto u = static_cast<std::int64_t>(used.size());
  std::vector<std::int64_t> number(static_cast<std::size_t>(n), 0);
  Row<Real> used_q = zeros<Real>(u * d), used_k = zeros<Real>(u * d);
  for (std::int64_t s = 0; s < u; ++s) {
    const std::int64_t symbol = used[static_cast<std::size_t>(s)];
    number[static_cast<std::size_t>(symbol)] = s;
    std::copy_n(meta_q.begin() + symbol * d, d, used_q.begin() + s * d);
    std::copy_n(meta_k.begin() + symbol * d, d, used_k.begin() + s * d);
  }
  struct Four {
    Row<Real> mm, mp, pm, pp;
  };
  std::vector<Four> tables;
  for (std::int64_t h = 0; h < op.heads; ++h) {
    tables.push_back({products(h, used_q, u, used_k, u), products(h, used_q, u, pos_k, l), products(h, pos_q, l, used_k, u),
                      products(h, pos_q, l, pos_k, l)});
  }

  for (std::int64_t word = 0; word < op.words; ++word) {
    if (cancel.cancelled()) return false;
    const std::int32_t* ids = a.ids + word * l;
    const auto look_up = [&](const Row<Real>& meta, const Row<Real>& pos) {
      Row<Real> x = pos;
      for (std::int64_t i = 0; i < l; ++i) {
        for (std::int64_t c = 0; c < d; ++c)
          x[static_cast<std::size_t>(i * d + c)] += meta[static_cast<std::size_t>(ids[i] * d + c)];
      }
      return x;
    };
    Row<Real> qk = zeros<Real>(op.heads * l * l);
    for (std::int64_t h = 0; h < op.heads; ++h) {
      const Four& t = tables[static_cast<std::size_t>(h)];
      for (std::int64_t i = 0; i < l; ++i) {
        const std::int64_t row = number[static_cast<std::size_t>(ids[i])];
        for (std::int64_t j = 0; j < l; ++j) {
          const std::int64_t column = number[static_cast<std::size_t>(ids[j])];
          // QK^T[i, j] = MM[ids i, ids j] + MP[ids i, j] + PM[i, ids j] + PP[i, j]
          const Real terms[] = {t.mm[static_cast<std::size_t>(row * u + column)], t.mp[static_cast<std::size_t>(row * l + j)],
                                t.pm[static_cast<std::size_t>(i * u + column)], t.pp[static_cast<std::size_t>(i * l + j)]};
          qk[static_cast<std::size_t>((h * l + i) * l + j)] = terms[0] + terms[1] + terms[2] + terms[3];
          Real* const kept[] = {a.mm, a.mp, a.pm, a.pp};
          for (int which = 0; which < 4 && a.mm; ++which) kept[which][((word * op.heads + h) * l + i) * l + j] = terms[which];
        }
      }
    }
    if (a.q) store(a.q, word, look_up(meta_q, pos_q));
    if (a.k) store(a.k, word, look_up(meta_k, pos_k));
    finish_word(op, a, word, qk, look_up(meta_v, pos_v));
  }
  return true;
}

}  // namespace

template <class Real>
bool isdpa(const Isdpa& op, const IsdpaArrays<Real>& arrays, const CancelToken& cancel) {
  // The other direct ways differ from it in the order of products alone; in Real the plain order serves as their oracle too.
  return op.method == Isdpa::Method::index ? index(op, arrays, cancel) : direct(op, arrays, cancel);
}
template bool isdpa(const Isdpa&, const IsdpaArrays<float>&, const CancelToken&);
template bool isdpa(const Isdpa&, const IsdpaArrays<double>&, const CancelToken&);

}  // namespace headlight::operations::plain
