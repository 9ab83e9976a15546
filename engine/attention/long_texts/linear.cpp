#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/attention/long_texts/method_entries.h"
#include "engine/core/parallel.h"
#include "engine/operations/attention.h"
#include "engine/operations/linear.h"

namespace headlight::long_texts {
namespace {

constexpr std::int64_t kChunk = 64;  // tokens whose cells are computed one by one in the causal form

std::string kernel_of(const Values& values) {
  const auto at = values.find("similarity");
  const auto* text = at == values.end() ? nullptr : std::get_if<std::string>(&at->second);
  return text ? *text : "elu+1";
}

// How many numbers phi(x) has.
std::int64_t features(const std::string& kernel, std::int64_t d) { return kernel == "squared" ? d * (d + 1) / 2 : d; }

// phi(x), so that the similarity is phi(q) . phi(k): elu(x) + 1 and max(x, 0) number by number; of (q . k)^2 all products of two
// numbers, each once, those of two different ones times the root of 2.
template <class Real>
void feature_row(const std::string& kernel, const Real* x, std::int64_t d, Real* phi, std::int64_t step) {
  if (kernel == "squared") {
    std::int64_t at = 0;
    for (std::int64_t i = 0; i < d; ++i)
      for (std::int64_t j = i; j < d; ++j) phi[at++ * step] = x[i] * x[j] * (i == j ? Real(1) : Real(std::numbers::sqrt2));
    return;
  }
  const bool elu = kernel == "elu+1";
  for (std::int64_t c = 0; c < d; ++c) phi[c * step] = x[c] > 0 ? (elu ? x[c] + 1 : x[c]) : elu ? std::exp(x[c]) : Real(0);
}

// The features of rows begin .. begin + count - 1 as [count, F], or turned, [F, count].
template <class Real>
void feature_rows(const std::string& kernel, const Tensor& rows, std::int64_t begin, std::int64_t count, bool turned,
                  Tensor& to) {
  const std::int64_t d = rows.dim(1), f = features(kernel, d);
  parallel_for(count, 64, [&](std::int64_t from, std::int64_t until) {
    for (std::int64_t i = from; i < until; ++i)
      feature_row(kernel, rows.data<Real>() + (begin + i) * d, d, to.data<Real>() + (turned ? i : i * f), turned ? count : 1);
  });
}

// [v, 1]: the last number of a row adds up to the denominator.
template <class Real>
void with_ones(const Tensor& v, std::int64_t begin, std::int64_t count, Tensor& to) {
  const std::int64_t d = v.dim(1);
  for (std::int64_t i = 0; i < count; ++i) {
    std::copy_n(v.data<Real>() + (begin + i) * d, d, to.data<Real>() + i * (d + 1));
    to.data<Real>()[i * (d + 1) + d] = 1;
  }
}

// The sums by their denominators; a row without similar keys is zeros.
template <class Real>
void divide(const Real* sums, std::int64_t count, std::int64_t d, Real* out) {
  for (std::int64_t i = 0; i < count; ++i) {
    const Real below = sums[i * (d + 1) + d];
    for (std::int64_t c = 0; c < d; ++c) out[i * d + c] = below > 0 ? sums[i * (d + 1) + c] / below : Real(0);
  }
}

// All keys at once: S = phi(k)^T [v, 1], out = phi(q) S.
class Whole final : public Method {
 public:
  static Result<std::unique_ptr<Method>> make(backends::Backend& backend, const std::string& kernel, const Task& task) {
    const std::int64_t f = features(kernel, task.d);
    HL_ASSIGN(Call state, Call::make(backend, operations::Linear{f, task.tokens, task.d + 1}));
    HL_ASSIGN(Call out, Call::make(backend, operations::Linear{task.tokens, f, task.d + 1}));
    auto made = std::unique_ptr<Whole>(new Whole(kernel, std::move(state), std::move(out)));
    made->q_ = Tensor(backend.dtype(), {task.tokens, f});
    made->k_ = Tensor(backend.dtype(), {f, task.tokens});
    made->v_ = Tensor(backend.dtype(), {task.tokens, task.d + 1});
    return std::unique_ptr<Method>(std::move(made));
  }
  Status run(const Rows& rows, Tensor& out, const CancelToken& cancel) override {
    return for_real(out.dtype(), [&]<class Real>(Real) -> Status {
      feature_rows<Real>(kernel_, rows.q, 0, rows.q.dim(0), false, q_);
      feature_rows<Real>(kernel_, rows.k, 0, rows.k.dim(0), true, k_);
      with_ones<Real>(rows.v, 0, rows.v.dim(0), v_);
      HL_TRY(state_.run({k_, v_}, cancel));
      HL_TRY(out_.run({q_, state_.out()}, cancel));
      divide(out_.out().data<Real>(), out.dim(0), out.dim(1), out.data<Real>());
      return {};
    });
  }
  double cells() const override { return 0; }
  operations::Cost cost() const override {
    operations::Cost cost = state_.cost();
    return cost += out_.cost();
  }

 private:
  Whole(std::string kernel, Call state, Call out) : kernel_(std::move(kernel)), state_(std::move(state)), out_(std::move(out)) {}
  std::string kernel_;
  Call state_, out_;
  Tensor q_, k_, v_;
};

// By prefix sums: what is behind a chunk is in S; the cells within it are computed one by one.
class Prefix final : public Method {
 public:
  static Result<std::unique_ptr<Method>> make(backends::Backend& backend, const std::string& kernel, const Task& task) {
    const std::int64_t f = features(kernel, task.d), rows = std::min(kChunk, task.tokens), wide = task.d + 1;
    HL_ASSIGN(Call cells, Call::make(backend, operations::Linear{rows, f, rows}));
    HL_ASSIGN(Call within, Call::make(backend, operations::Linear{rows, rows, wide}));
    HL_ASSIGN(Call before, Call::make(backend, operations::Linear{rows, f, wide}));
    HL_ASSIGN(Call state, Call::make(backend, operations::Linear{f, rows, wide}));
    std::vector<Call> calls;
    for (Call* call : {&cells, &within, &before, &state}) calls.push_back(std::move(*call));
    auto made = std::unique_ptr<Prefix>(new Prefix(kernel, std::move(calls), task.tokens, rows));
    const DType real = backend.dtype();
    made->q_ = Tensor(real, {rows, f});
    made->k_ = Tensor(real, {f, rows});
    made->v_ = Tensor(real, {rows, wide});
    made->sum_ = Tensor(real, {f, wide});
    made->padded_ = {Tensor(real, {rows, task.d}), Tensor(real, {rows, task.d}), Tensor(real, {rows, task.d})};
    return std::unique_ptr<Method>(std::move(made));
  }
  Status run(const Rows& rows, Tensor& out, const CancelToken& cancel) override {
    return for_real(out.dtype(), [&]<class Real>(Real) -> Status {
      std::fill_n(sum_.data<Real>(), sum_.count(), Real(0));
      for (std::int64_t begin = 0; begin < tokens_; begin += rows_) HL_TRY(chunk<Real>(rows, begin, out, cancel));
      return {};
    });
  }
  double cells() const override { return 0; }
  operations::Cost cost() const override {
    operations::Cost one;
    for (const Call& call : calls_) one += call.cost();
    const std::int64_t chunks = (tokens_ + rows_ - 1) / rows_;
    return {one.flops * static_cast<double>(chunks), one.bytes * static_cast<double>(chunks)};
  }

 private:
  Prefix(std::string kernel, std::vector<Call> calls, std::int64_t tokens, std::int64_t rows)
      : kernel_(std::move(kernel)), calls_(std::move(calls)), tokens_(tokens), rows_(rows) {}

  template <class Real>
  Status chunk(const Rows& rows, std::int64_t begin, Tensor& out, const CancelToken& cancel) {
    const std::int64_t count = std::min(rows_, tokens_ - begin), d = out.dim(1), wide = d + 1;
    const Tensor* const all[] = {&rows.q, &rows.k, &rows.v};
    // The last chunk may be shorter: the rows behind it are never seen by earlier ones, and are not written.
    for (std::size_t i = 0; i < 3; ++i) std::copy_n(all[i]->data<Real>() + begin * d, count * d, padded_[i].data<Real>());
    feature_rows<Real>(kernel_, padded_[0], 0, rows_, false, q_);
    feature_rows<Real>(kernel_, padded_[1], 0, rows_, true, k_);
    with_ones<Real>(padded_[2], 0, rows_, v_);
    Call &cells = calls_[0], &within = calls_[1], &before = calls_[2], &state = calls_[3];
    HL_TRY(cells.run({q_, k_}, cancel));
    for (std::int64_t i = 0; i < rows_; ++i)
      std::fill(cells.out().data<Real>() + i * rows_ + i + 1, cells.out().data<Real>() + (i + 1) * rows_, Real(0));
    HL_TRY(within.run({cells.out(), v_}, cancel));
    HL_TRY(before.run({q_, sum_}, cancel));
    for (std::int64_t i = 0; i < count * wide; ++i) before.out().data<Real>()[i] += within.out().data<Real>()[i];
    divide(before.out().data<Real>(), count, d, out.data<Real>() + begin * d);
    HL_TRY(state.run({k_, v_}, cancel));
    for (std::int64_t i = 0; i < sum_.count(); ++i) sum_.data<Real>()[i] += state.out().data<Real>()[i];
    return {};
  }

  std::string kernel_;
  std::vector<Call> calls_;
  std::int64_t tokens_, rows_;
  Tensor q_, k_, v_, sum_;
  std::vector<Tensor> padded_;
};

Result<Pattern> pattern_of(const Values& values, const Task& task, const Rows& rows) {
  const std::string kernel = kernel_of(values);
  if (kernel == "exp") return registry().find("full")->pattern({}, task, rows);
  const std::int64_t n = task.tokens, d = task.d, f = features(kernel, d);
  Tensor q(DType::f64, {n, f}), k(DType::f64, {n, f});
  feature_rows<double>(kernel, rows.q, 0, n, false, q);
  feature_rows<double>(kernel, rows.k, 0, n, false, k);
  Pattern pattern{Tensor(DType::f64, {n, n}, {"query", "key"}), Tensor(DType::u8, {n, n}, {"query", "key"}), {}};
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0;
    double* row = pattern.weights.data<double>() + i * n;
    for (std::int64_t j = 0; j < (task.causal ? i + 1 : n); ++j) {
      for (std::int64_t c = 0; c < f; ++c) row[j] += q.data<double>()[i * f + c] * k.data<double>()[j * f + c];
      sum += row[j];
    }
    for (std::int64_t j = 0; j < n; ++j) row[j] = sum > 0 ? row[j] / sum : 0;
  }
  return pattern;
}

}  // namespace

Entry linear() {
  Entry e;
  e.id = "linear";
  e.label = "linear";
  e.formula = "out_i = sum_j sim(q_i, k_j) v_j / sum_j sim(q_i, k_j), sim = phi(q) . phi(k): phi(q_i) (sum_j phi(k_j) [v_j, 1])";
  e.source = "Katharopoulos et al. 2020";
  e.group = Group::low_rank;
  e.says = "Another similarity in place of exp, so that keys and values are added up once for all queries.";
  e.formed = false;
  Parameter kernel;
  kernel.id = "similarity";
  kernel.label = "similarity";
  kernel.help =
      "phi is elu(x) + 1 or max(x, 0), or the similarity is (q . k)^2; exp is softmax itself, which has no finite phi and stays "
      "quadratic.";
  kernel.kind = Parameter::Kind::choice;
  kernel.fallback = std::string("elu+1");
  kernel.choices = {"elu+1", "relu", "squared", "exp"};
  e.parameters = {kernel};
  e.prepare = [](backends::Backend& backend, const Values& values, const Task& task) -> Result<std::unique_ptr<Method>> {
    const std::string kernel_id = kernel_of(values);
    if (kernel_id == "exp") return registry().find("full")->prepare(backend, {}, task);
    return task.causal ? Prefix::make(backend, kernel_id, task) : Whole::make(backend, kernel_id, task);
  };
  e.pattern = pattern_of;
  e.for_length = [](std::int64_t) { return Values{{"similarity", std::string("elu+1")}}; };
  return e;
}

}  // namespace headlight::long_texts
