#include <algorithm>

#include "engine/attention/long_texts/method_entries.h"
#include "engine/operations/attention.h"
#include "engine/operations/linear.h"

namespace headlight::long_texts {
namespace {

// E [rank, tokens]: row r is the mean of the r-th of `rank` stretches of the text, as equal as they can be (Wang et al. 2020, 4,
// name pooling among their projections). The same for keys and values.
Tensor projection(const Task& task, std::int64_t rank, DType real) {
  Tensor out(DType::f64, {rank, task.tokens}, {"rank", "position"});
  for (std::int64_t r = 0; r < rank; ++r) {
    const std::int64_t begin = r * task.tokens / rank, end = (r + 1) * task.tokens / rank;
    for (std::int64_t t = begin; t < end; ++t) out.data<double>()[r * task.tokens + t] = 1 / static_cast<double>(end - begin);
  }
  return out.as(real);
}

class Linformer final : public Method {
 public:
  static Result<std::unique_ptr<Method>> make(backends::Backend& backend, const Values& values, const Task& task) {
    const std::int64_t rank = whole(values, "rank");
    HL_ASSIGN(Call keys, Call::make(backend, operations::Linear{rank, task.tokens, task.d}));
    HL_ASSIGN(Call sums, Call::make(backend, operations::Linear{rank, task.tokens, task.d}));
    operations::Attention op;
    op.batch = op.heads = 1;
    op.queries = task.tokens;
    op.keys = rank;
    op.d_k = op.d_v = task.d;
    op.scale = task.scale;
    HL_ASSIGN(Call attention, Call::make(backend, op));
    return std::unique_ptr<Method>(
        new Linformer(projection(task, rank, backend.dtype()), std::move(keys), std::move(sums), std::move(attention)));
  }
  Status run(const Rows& rows, Tensor& out, const CancelToken& cancel) override {
    HL_TRY(keys_.run({projection_, rows.k}, cancel));
    HL_TRY(values_.run({projection_, rows.v}, cancel));
    const std::int64_t rank = projection_.dim(0), d = rows.q.dim(1);
    HL_TRY(attention_.run({rows.q.reshaped({1, 1, rows.q.dim(0), d}), keys_.out().reshaped({1, 1, rank, d}),
                           values_.out().reshaped({1, 1, rank, d})},
                          cancel));
    std::copy_n(attention_.out().raw(), out.bytes(), out.raw());
    return {};
  }
  double cells() const override { return static_cast<double>(projection_.dim(0)) * static_cast<double>(projection_.dim(1)); }
  operations::Cost cost() const override {
    operations::Cost cost = keys_.cost();
    return (cost += values_.cost()) += attention_.cost();
  }

 private:
  Linformer(Tensor projection_of, Call keys, Call values, Call attention)
      : projection_(std::move(projection_of)),
        keys_(std::move(keys)),
        values_(std::move(values)),
        attention_(std::move(attention)) {}
  Tensor projection_;
  Call keys_, values_, attention_;
};

}  // namespace

Entry linformer() {
  Entry e;
  e.id = "linformer";
  e.label = "Linformer";
  e.formula = "softmax(q (E k)^T scale) (E v), E [rank, L]: row r is the mean of stretch r";
  e.source = "Wang et al. 2020";
  e.group = Group::low_rank;
  e.says =
      "Keys and values are mixed into a few rows first: here each is the mean of a stretch of the text; a model learns its own.";
  e.has_causal = false;
  e.formed = false;
  e.parameters = {count_of("rank", "rank", 8, 1, 1 << 20,
                           "Into how many rows the keys and values are mixed, one for each stretch of the text.")};
  e.check = [](const Values& values, const Task& task) -> Status {
    if (whole(values, "rank") <= task.tokens) return {};
    return usage_error("rank {} for {} tokens", whole(values, "rank"), task.tokens)
        .at("linformer")
        .mend("give a rank of at most the number of tokens");
  };
  e.prepare = Linformer::make;
  e.pattern = [](const Values& values, const Task& task, const Rows& rows) -> Result<Pattern> {
    const std::int64_t n = task.tokens, d = task.d, rank = whole(values, "rank");
    const Tensor mix = projection(task, rank, DType::f64);
    Rows few{rows.q, Tensor(DType::f64, {n, d}), rows.v};
    for (std::int64_t r = 0; r < rank; ++r)
      for (std::int64_t t = 0; t < n; ++t)
        for (std::int64_t c = 0; c < d; ++c)
          few.k.data<double>()[r * d + c] += mix.data<double>()[r * n + t] * rows.k.data<double>()[t * d + c];
    Task free = task;
    free.causal = false;
    const Pattern rows_of = softmax_pattern(free, few, [rank](std::int64_t, std::int64_t j) { return j < rank; });
    Pattern pattern{Tensor(DType::f64, {n, n}, {"query", "key"}), Tensor(DType::u8, {n, n}, {"query", "key"}), {}};
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t r = 0; r < rank; ++r)
        for (std::int64_t j = 0; j < n; ++j)
          pattern.weights.data<double>()[i * n + j] += rows_of.weights.data<double>()[i * n + r] * mix.data<double>()[r * n + j];
    return pattern;
  };
  e.for_length = [](std::int64_t tokens) { return Values{{"rank", std::min<std::int64_t>(tokens, 64)}}; };
  return e;
}

}  // namespace headlight::long_texts
