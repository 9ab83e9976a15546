#include "engine/operations/isdpa.h"

#include "engine/operations/define.h"
#include "engine/operations/isdpa_cost.h"
#include "engine/operations/isdpa_plain.h"

namespace headlight::operations {
namespace {

Status describe_isdpa(const Isdpa& op, DType real, Signature& s) {
  HL_TRY(check_sizes("isdpa", {{"words", op.words}, {"length", op.length}, {"vocabulary", op.vocabulary}, {"d", op.d}}));
  if (op.pad_index < -1 || op.pad_index >= op.vocabulary) {
    return invalid("the padding index is {}", op.pad_index)
        .at("isdpa")
        .mend("it must be 0 to {}, or -1 for none", op.vocabulary - 1);
  }
  if (op.heads < 1 || op.d % op.heads != 0) {
    return invalid("d {} cannot be divided among {} heads", op.d, op.heads)
        .at("isdpa")
        .mend("give a number of heads that divides d");
  }
  if (Isdpa::is_shortcut(op.method) && (op.separate_position_weights || op.keep_q || op.keep_k || op.keep_v || op.keep_terms)) {
    return invalid("this method makes neither Q, K, V nor the four terms, and has no weights of the positions' own")
        .at("isdpa")
        .mend("keep qk, score and result only, or use direct");
  }
  if (Isdpa::is_folded(op.method) && op.heads > 1)
    return invalid("folding WQ WK^T saves nothing with several heads").at("isdpa").mend("use direct_distinct");
  if (!op.pooled && (op.method == Isdpa::Method::direct_pooled || Isdpa::is_folded(op.method))) {
    return invalid("this method pools over the queries").at("isdpa").mend("use index or direct for the ordinary layer");
  }
  s.input(real, {op.vocabulary, op.d});
  s.input(real, {op.length, op.d});
  for (int i = 0; i < (op.separate_position_weights ? 6 : 3); ++i) s.input(real, {op.d, op.d});
  s.ids({op.words, op.length}, op.vocabulary);
  for (const bool kept : {op.keep_q, op.keep_k, op.keep_v}) {
    if (kept) s.output({op.words, op.length, op.d}, {"word", "position", "d_model"});
  }
  // A single head has no axis of its own.
  const auto per_head = [&](Shape sizes, Axes axes) {
    if (op.heads > 1) {
      sizes.insert(sizes.begin() + 1, op.heads);
      axes.insert(axes.begin() + 1, "head");
    }
    s.output(std::move(sizes), std::move(axes));
  };
  const int squares = (op.keep_terms ? 4 : 0) + (op.keep_qk ? 1 : 0) + (op.keep_score && !op.pooled ? 1 : 0);
  for (int i = 0; i < squares; ++i) per_head({op.words, op.length, op.length}, {"word", "query", "key"});
  if (op.keep_score && op.pooled) per_head({op.words, op.length}, {"word", "key"});
  if (op.keep_result && op.pooled) s.output({op.words, op.d}, {"word", "d_model"});
  if (op.keep_result && !op.pooled) s.output({op.words, op.length, op.d}, {"word", "position", "d_model"});
  if (s.outputs.empty()) return invalid("nothing is kept").at("isdpa").mend("keep at least one output");
  return {};
}

struct IsdpaFunctions {
  static Status describe(const Isdpa& op, DType real, Signature& s) { return describe_isdpa(op, real, s); }
  template <class Real>
  static Status compute(const Isdpa& op, In in, Out out, const CancelToken& cancel) {
    const Tensor& ids = in[in.size() - 1];
    HL_TRY(check_ids(ids.values<std::int32_t>(), op.vocabulary, op.length, "isdpa"));
    const std::size_t position = op.separate_position_weights ? 5 : 2;
    plain::IsdpaArrays<Real> a;
    a.f = real<Real>(in[0]);
    a.p = real<Real>(in[1]);
    a.wq = real<Real>(in[2]);
    a.wk = real<Real>(in[3]);
    a.wv = real<Real>(in[4]);
    a.pwq = real<Real>(in[position]);
    a.pwk = real<Real>(in[position + 1]);
    a.pwv = real<Real>(in[position + 2]);
    a.ids = ids.data<std::int32_t>();
    std::size_t next = 0;
    if (op.keep_q) a.q = real<Real>(out[next++]);
    if (op.keep_k) a.k = real<Real>(out[next++]);
    if (op.keep_v) a.v = real<Real>(out[next++]);
    if (op.keep_terms)
      for (Real** term : {&a.mm, &a.mp, &a.pm, &a.pp}) *term = real<Real>(out[next++]);
    if (op.keep_qk) a.qk = real<Real>(out[next++]);
    if (op.keep_score) a.score = real<Real>(out[next++]);
    if (op.keep_result) a.result = real<Real>(out[next++]);
    return plain::isdpa(op, a, cancel) ? Status{} : cancelled();
  }
  static void add_to(const Isdpa& op, Fingerprint& key) {
    const auto& [words, length, vocabulary, d, heads, pooled, method, separate, pad_index, cached, q, k, v, terms, qk, score,
                 result] = op;
    add_all(key, words, length, vocabulary, d, heads, pooled, method, separate, pad_index, cached, q, k, v, terms, qk, score,
            result);
  }
  static double flops(const Isdpa& op, bool ready) { return isdpa_flops(op, ready); }
  static std::vector<Operation> examples() {
    Isdpa kept{3, 5, 7, 8};
    kept.keep_q = kept.keep_k = kept.keep_v = kept.keep_terms = kept.keep_qk = kept.keep_score = true;
    Isdpa padded{3, 5, 7, 8};
    padded.method = Isdpa::Method::direct_pooled;
    padded.pad_index = 0;
    padded.heads = 2;
    return {kept, padded};
  }
};

Kind make() {
  Kind kind = make_kind<Isdpa, IsdpaFunctions>("isdpa", "index-based attention",
                                               "Q K^T[i, j] = MM[c_i, c_j] + MP[c_i, j] + PM[i, c_j] + PP[i, j], looked up",
                                               "the course material, S1 to S3");
  kind.untouched = [](const void* op, bool ready, DType real) {
    return isdpa_untouched(*static_cast<const Isdpa*>(op), ready, static_cast<double>(size_of(real)));
  };
  return kind;
}

}  // namespace

template <>
const Kind& kind_of<Isdpa>() {
  static const Kind kind = make();
  return kind;
}

}  // namespace headlight::operations
