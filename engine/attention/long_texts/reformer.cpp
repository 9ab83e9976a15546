#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/attention/long_texts/gathered.h"
#include "engine/core/rng.h"
#include "engine/operations/linear.h"

namespace headlight::long_texts {
namespace {

// R [d, buckets / 2], normal: the bucket of x is the largest of [x R, -x R] (Andoni et al. 2015).
Tensor rotation(const Task& task, std::int64_t buckets, DType real) {
  const Rng rng(task.seed, "long_texts.reformer");
  Tensor out(DType::f64, {task.d, buckets / 2}, {}, true);
  for (std::int64_t i = 0; i < task.d; ++i)
    for (std::int64_t b = 0; b < buckets / 2; ++b)
      out.data<double>()[i * (buckets / 2) + b] =
          static_cast<float>(rng.normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(b)));
  return out.as(real);
}

template <class Real>
std::vector<std::int64_t> buckets_of(const Real* turned, std::int64_t tokens, std::int64_t half) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < tokens; ++i) {
    const Real* row = turned + i * half;
    std::int64_t best = 0;
    Real most = row[0];
    for (std::int64_t b = 0; b < 2 * half; ++b) {
      const Real value = b < half ? row[b] : -row[b - half];
      if (value <= most && b > 0) continue;
      most = value;
      best = b;
    }
    all.push_back(best);
  }
  return all;
}

// The tokens by bucket, and within one by place.
std::vector<std::int32_t> sorted_by(const std::vector<std::int64_t>& buckets) {
  std::vector<std::int32_t> order(buckets.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return buckets[static_cast<std::size_t>(a)] < buckets[static_cast<std::size_t>(b)];
  });
  return order;
}

std::int64_t chunk_of(const Values& values, const Task& task) {
  const std::int64_t buckets = whole(values, "buckets");
  return (task.tokens + buckets - 1) / buckets;
}

// k_j = q_j / |q_j|: queries and keys are shared.
template <class Real>
void unit_rows(const Tensor& from, Tensor& to) {
  const std::int64_t d = from.dim(1);
  for (std::int64_t i = 0; i < from.dim(0); ++i) {
    const Real* row = from.data<Real>() + i * d;
    Real sum = 0;
    for (std::int64_t c = 0; c < d; ++c) sum += row[c] * row[c];
    const Real factor = sum > 0 ? 1 / std::sqrt(sum) : Real(0);
    for (std::int64_t c = 0; c < d; ++c) to.data<Real>()[i * d + c] = row[c] * factor;
  }
}

// Whether query i sees key j, both in these chunks of the sorted order: in the same bucket, in its own chunk or the one before,
// not itself. A query that sees no other sees itself.
struct Sight {
  const Task& task;
  const std::vector<std::int64_t>& buckets;
  std::vector<std::int64_t> chunk;  // of each token
  bool other(std::int64_t i, std::int64_t j) const {
    const std::int64_t behind = chunk[static_cast<std::size_t>(i)] - chunk[static_cast<std::size_t>(j)];
    return i != j && (behind == 0 || behind == 1) &&
           buckets[static_cast<std::size_t>(i)] == buckets[static_cast<std::size_t>(j)] && (!task.causal || j <= i);
  }
};

class Reformer final : public Method {
 public:
  static Result<std::unique_ptr<Method>> make(backends::Backend& backend, const Values& values, const Task& task) {
    const std::int64_t buckets = whole(values, "buckets"), chunk = chunk_of(values, task),
                       count = (task.tokens + chunk - 1) / chunk;
    HL_ASSIGN(Call hash, Call::make(backend, operations::Linear{task.tokens, task.d, buckets / 2}));
    const Blocks shape(count, chunk, 2 * chunk);
    HL_ASSIGN(Gathered gathered, Gathered::make(backend, task, shape, false));
    auto made = std::unique_ptr<Reformer>(new Reformer(std::move(hash), std::move(gathered), task, chunk, count));
    made->rotation_ = rotation(task, buckets, backend.dtype());
    made->keys_ = Tensor(backend.dtype(), {task.tokens, task.d});
    return std::unique_ptr<Method>(std::move(made));
  }
  Status run(const Rows& rows, Tensor& out, const CancelToken& cancel) override {
    HL_TRY(hash_.run({rows.q, rotation_}, cancel));
    std::vector<std::int64_t> buckets;
    HL_TRY(for_real(keys_.dtype(), [&]<class Real>(Real) -> Status {
      buckets = buckets_of(hash_.out().data<Real>(), task_.tokens, rotation_.dim(1));
      unit_rows<Real>(rows.q, keys_);
      return {};
    }));
    return gathered_.run(chunks(buckets), {rows.q, keys_, rows.v}, out, cancel);
  }
  double cells() const override { return gathered_.cells(); }
  operations::Cost cost() const override {
    operations::Cost cost = hash_.cost();
    return cost += gathered_.cost();
  }

 private:
  Reformer(Call hash, Gathered gathered, const Task& task, std::int64_t chunk, std::int64_t count)
      : hash_(std::move(hash)), gathered_(std::move(gathered)), task_(task), chunk_(chunk), count_(count) {}
  Blocks chunks(const std::vector<std::int64_t>& buckets) const {
    const std::vector<std::int32_t> order = sorted_by(buckets);
    Blocks blocks(count_, chunk_, 2 * chunk_);
    Sight sight{task_, buckets, std::vector<std::int64_t>(order.size())};
    for (std::size_t at = 0; at < order.size(); ++at) {
      const auto place = static_cast<std::int64_t>(at), chunk = place / chunk_;
      sight.chunk[static_cast<std::size_t>(order[at])] = chunk;
      blocks.queries[at] = order[at];
      blocks.of_keys[static_cast<std::size_t>(2 * chunk * chunk_ + chunk_ + place % chunk_)] = order[at];
      if (chunk + 1 < count_) blocks.of_keys[static_cast<std::size_t>(2 * (chunk + 1) * chunk_ + place % chunk_)] = order[at];
    }
    blocks.allow([&](std::int64_t i, std::int64_t j) { return sight.other(i, j); }, nullptr, keys_.dtype());
    // A row without another key: itself, which stands in its own chunk.
    for (std::size_t at = 0; at < order.size(); ++at) {
      std::uint8_t* row = blocks.mask.data<std::uint8_t>() + static_cast<std::int64_t>(at) * 2 * chunk_;
      if (std::find(row, row + 2 * chunk_, std::uint8_t{1}) == row + 2 * chunk_)
        row[chunk_ + static_cast<std::int64_t>(at) % chunk_] = 1;
    }
    return blocks;
  }
  Call hash_;
  Gathered gathered_;
  Task task_;
  std::int64_t chunk_, count_;
  Tensor rotation_, keys_;
};

Result<Pattern> reformer_pattern_of(const Values& values, const Task& task, const Rows& rows) {
  const std::int64_t n = task.tokens, d = task.d, half = whole(values, "buckets") / 2;
  const Tensor turn = rotation(task, 2 * half, DType::f64);
  Tensor turned(DType::f64, {n, half});
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t c = 0; c < d; ++c)
      for (std::int64_t b = 0; b < half; ++b)
        turned.data<double>()[i * half + b] += rows.q.data<double>()[i * d + c] * turn.data<double>()[c * half + b];
  const std::vector<std::int64_t> buckets = buckets_of(turned.data<double>(), n, half);
  const std::vector<std::int32_t> order = sorted_by(buckets);
  Sight sight{task, buckets, std::vector<std::int64_t>(order.size())};
  for (std::size_t at = 0; at < order.size(); ++at)
    sight.chunk[static_cast<std::size_t>(order[at])] = static_cast<std::int64_t>(at) / chunk_of(values, task);
  std::vector<char> alone(static_cast<std::size_t>(n), 1);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      if (sight.other(i, j)) alone[static_cast<std::size_t>(i)] = 0;
  Rows shared{rows.q, Tensor(DType::f64, {n, d}), rows.v};
  unit_rows<double>(rows.q, shared.k);
  Pattern pattern = softmax_pattern(task, shared, [&](std::int64_t i, std::int64_t j) {
    return i == j ? alone[static_cast<std::size_t>(i)] != 0 : sight.other(i, j);
  });
  pattern.part_of = buckets;
  return pattern;
}

}  // namespace

Entry reformer() {
  Entry e;
  e.id = "reformer";
  e.label = "Reformer";
  e.formula =
      "k = q / |q|; bucket = argmax [q R, -q R]; query i sees key j of its bucket, in its chunk of the sorted text or the one "
      "before";
  e.source = "Kitaev et al. 2020";
  e.group = Group::sparse;
  e.says = "Tokens whose queries point the same way fall into one bucket and see each other; queries and keys are one.";
  e.parameters = {count_of("buckets", "buckets", 4, 2, 1 << 16, "Into how many buckets tokens are dealt, an even number.")};
  e.check = [](const Values& values, const Task& task) -> Status {
    const std::int64_t buckets = whole(values, "buckets");
    if (buckets % 2 != 0)
      return usage_error("{} buckets", buckets).at("reformer").mend("give an even number: a rotation makes pairs of them");
    if (buckets <= std::max<std::int64_t>(task.tokens, 2)) return {};
    return usage_error("{} buckets for {} tokens", buckets, task.tokens)
        .at("reformer")
        .mend("give at most as many buckets as there are tokens");
  };
  e.prepare = Reformer::make;
  e.pattern = reformer_pattern_of;
  e.for_length = [](std::int64_t tokens) { return Values{{"buckets", std::max<std::int64_t>(2, tokens / 128 * 2)}}; };
  return e;
}

}  // namespace headlight::long_texts
