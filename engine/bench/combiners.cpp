// The two ways to combine heads that are each of full width (S4), measured together: 8.4 GFLOP and 8.4 M weights against 0.26
// GFLOP and 528 weights at W = 500, d = 512, h = 32.
#include <algorithm>
#include <cmath>

#include "engine/attention/combiners/combiner.h"
#include "engine/backends/backends.h"
#include "engine/bench/benches.h"
#include "engine/core/rng.h"

namespace headlight::bench {
namespace {

using namespace backends;

constexpr std::int64_t kCheckedWords = 2;

Tensor uniform(std::string_view name, std::uint64_t seed, const Shape& shape, double bound) {
  const Rng rng(seed, name);
  Tensor t(DType::f64, shape, {}, true);
  for (std::int64_t i = 0; i < t.count(); ++i) t.data<double>()[i] = static_cast<float>(bound * (2 * rng.uniform(0, i) - 1));
  return t;
}

struct Problem {
  Tensor heads;  // [h, W, d]
  std::vector<Tensor> weights;
};

Problem problem(const combiners::Entry& entry, const combiners::Sizes& sizes, std::uint64_t seed) {
  Problem p;
  p.heads = uniform("heads", seed, {sizes.heads, sizes.words, sizes.d}, 1);
  for (const Shape& shape : entry.weights(sizes))
    p.weights.push_back(
        uniform("weights" + std::to_string(p.weights.size()), seed, shape, 1 / std::sqrt(static_cast<double>(shape[0]))));
  return p;
}

Result<std::vector<Buffer>> uploaded(Backend& backend, const std::vector<Tensor>& tensors) {
  std::vector<Buffer> buffers;
  for (const Tensor& t : tensors) {
    HL_ASSIGN(Buffer buffer, backend.upload(t));
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

// The result for the first words, computed in double.
Result<Tensor> expected(const combiners::Entry& entry, combiners::Sizes sizes, const Problem& p, const CancelToken& cancel) {
  HL_ASSIGN(const std::shared_ptr<Backend> reference, backends::open("reference"));
  sizes.words = std::min(sizes.words, kCheckedWords);
  HL_ASSIGN(const auto combiner, combiners::prepare(entry.id, sizes, *reference));
  HL_ASSIGN(const std::vector<Buffer> weights, uploaded(*reference, p.weights));
  HL_ASSIGN(const Buffer heads, reference->upload(p.heads.slice(1, 0, sizes.words).compact()));
  HL_ASSIGN(const Buffer made, combiner->combine(heads, weights, cancel));
  return reference->download(made);
}

}  // namespace

Result<std::vector<Contender>> combiner_contenders(const Request& r, std::int64_t heads, const CancelToken& cancel) {
  constexpr int kSets = 2;
  std::vector<Contender> contenders;
  for (const combiners::Entry& entry : combiners::registry().entries()) {
    combiners::Sizes sizes;
    sizes.words = r.words;
    sizes.d = r.d;
    sizes.heads = heads;
    struct Setting {
      std::unique_ptr<combiners::Combiner> combiner;
      std::vector<Buffer> heads, weights;  // heads: one buffer per set
    };
    auto setting = std::make_shared<Setting>();
    HL_ASSIGN(setting->combiner, combiners::prepare(entry.id, sizes, *r.backend));
    const Problem first = problem(entry, sizes, 1);
    HL_ASSIGN(setting->weights, uploaded(*r.backend, first.weights));
    for (int set = 0; set < kSets; ++set) {
      HL_ASSIGN(Buffer buffer,
                r.backend->upload(set == 0 ? first.heads : problem(entry, sizes, static_cast<std::uint64_t>(1 + set)).heads));
      setting->heads.push_back(std::move(buffer));
    }
    Contender contender;
    contender.row = row_of(r, "isdpa", "combiner:" + entry.id, "per-call");
    contender.row.sizes = {{"words", r.words}, {"length", r.length}, {"vocab", r.vocab}, {"d", r.d}, {"heads", heads}};
    // Two operations per weight and word; where the weights are shared by all dimensions, per weight, word and dimension.
    const auto weights = static_cast<double>(combiners::parameter_count(entry, sizes));
    const auto words = static_cast<double>(r.words), d = static_cast<double>(r.d);
    const bool shared = entry.id == "stack2d";
    contender.row.flops =
        2 * weights * words * (shared ? d : 1) + (shared ? words * d * static_cast<double>(sizes.hidden + sizes.outputs) : 0);
    contender.row.bytes = static_cast<double>(size_of(r.backend->dtype())) *
                          (weights + words * d * static_cast<double>(heads) + words * static_cast<double>(entry.width(sizes)));
    HL_ASSIGN(const Tensor truth, expected(entry, sizes, first, cancel));
    HL_ASSIGN(const Buffer made, setting->combiner->combine(setting->heads[0], setting->weights, cancel));
    HL_ASSIGN(const Tensor downloaded, r.backend->download(made));
    contender.row.error = errors_of(downloaded, truth);
    contender.run_once = [setting, &cancel](int round) -> Status {
      const auto done =
          setting->combiner->combine(setting->heads[static_cast<std::size_t>(round) % kSets], setting->weights, cancel);
      return done.ok() ? Status{} : Status{done.error()};
    };
    contenders.push_back(std::move(contender));
  }
  return contenders;
}

}  // namespace headlight::bench
