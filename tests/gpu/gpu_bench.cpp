// Attention alone on the GPU, by its own clock: with its maps and without, over lengths and precisions. --small runs every
// operation once at small, uneven sizes instead, for compute-sanitizer. Rows as of `headlight bench --json`.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/backends/backend.h"
#include "engine/bench/harness.h"
#include "engine/core/rng.h"

namespace {

using namespace headlight;
using namespace headlight::backends;
using Json = nlohmann::ordered_json;

Tensor numbers(const std::string& name, Shape shape) {
  const Rng rng(5, name);
  Tensor t(DType::f32, std::move(shape), {}, true);
  for (std::int64_t i = 0; i < t.count(); ++i)
    t.data<float>()[i] = static_cast<float>(rng.normal(0, static_cast<std::uint64_t>(i)));
  return t;
}

Attention attend(std::int64_t heads, std::int64_t length, std::int64_t d, bool maps) {
  Attention op;
  op.batch = 1;
  op.heads = heads;
  op.queries = op.keys = length;
  op.d_k = op.d_v = d;
  op.scale = 1 / std::sqrt(static_cast<double>(d));
  op.keep_weights = maps;
  return op;
}

// Median and percentiles of one shape; inputs of four sets take turns; the error of the first heads against double.
Result<Json> measure(Backend& backend, Backend& reference, const Attention& op, const char* variant) {
  constexpr int kSets = 4, kWarmUp = 10, kRuns = 60;
  HL_ASSIGN(const std::unique_ptr<Plan> plan, backend.prepare(op));
  HL_ASSIGN(const Signature s, signature(op, DType::f32));
  std::vector<Buffer> out;
  for (std::size_t i = 0; i < s.outputs.size(); ++i) {
    HL_ASSIGN(Buffer buffer, backend.allocate(DType::f32, s.outputs[i], s.output_axes[i]));
    out.push_back(std::move(buffer));
  }
  std::vector<std::vector<Buffer>> sets(kSets);
  std::vector<Tensor> first;
  for (int set = 0; set < kSets; ++set) {
    for (const char* name : {"q", "k", "v"}) {
      const Tensor t = numbers(name + std::to_string(set), s.inputs[0]);
      if (set == 0) first.push_back(t);
      HL_ASSIGN(Buffer buffer, backend.upload(t));
      sets[static_cast<std::size_t>(set)].push_back(std::move(buffer));
    }
  }
  std::vector<double> seconds;
  for (int run = 0; run < kWarmUp + kRuns; ++run) {
    const auto& in = sets[static_cast<std::size_t>(run % kSets)];
    HL_ASSIGN(const double took, backend.timed([&] { return backend.execute(*plan, in, out, {}); }));
    if (run >= kWarmUp) seconds.push_back(took);
  }
  HL_TRY(backend.execute(*plan, sets[0], out, {}));
  HL_ASSIGN(const Tensor made, backend.download(out[0]));
  Attention one = op;  // a head's first queries: attention's rows do not depend on each other
  one.heads = 1;
  one.queries = std::min<std::int64_t>(op.queries, 16);
  one.keep_weights = false;
  std::vector<Buffer> in;
  for (std::size_t i = 0; i < 3; ++i) {
    Tensor t = first[i].slice(1, 0, 1);
    if (i == 0) t = t.slice(2, 0, one.queries);
    HL_ASSIGN(Buffer buffer, reference.upload(t.compact()));
    in.push_back(std::move(buffer));
  }
  HL_ASSIGN(const std::vector<Buffer> truth, reference.apply(one, in));
  const Difference d = difference(made.slice(1, 0, 1).slice(2, 0, one.queries).compact(), truth[0].host);
  const double pairs = static_cast<double>(op.heads * op.queries * op.keys), width = static_cast<double>(op.d_k);
  const Device device = backend.device();
  return Json{{"what", "attention"},
              {"variant", variant},
              {"mode", "per-call"},
              {"backend", device.id},
              {"device", device.label},
              {"precision", backend.precision()},
              {"sizes", {{"heads", op.heads}, {"length", op.queries}, {"d", op.d_k}}},
              {"median_s", bench::percentile(seconds, 0.5)},
              {"p10_s", bench::percentile(seconds, 0.1)},
              {"p90_s", bench::percentile(seconds, 0.9)},
              {"p99_s", bench::percentile(seconds, 0.99)},
              {"runs", seconds.size()},
              {"flops", 4 * pairs * width},
              {"bytes", 4.0 * (4 * static_cast<double>(op.heads * op.queries) * width + (op.keep_weights ? pairs : 0))},
              {"error", {{"mean_abs", d.mean_abs}, {"max_abs", d.max_abs}, {"relative", std::sqrt(d.nmse)}}}};
}

// Every operation at sizes that no tile divides.
Status small(Backend& backend) {
  const auto run = [&](const OpDesc& desc) -> Status {
    HL_ASSIGN(const Signature s, signature(desc, DType::f32));
    std::vector<Buffer> in;
    for (std::size_t i = 0; i < s.inputs.size(); ++i) {
      Tensor t = s.input_types[i] == DType::i32 ? Tensor(DType::i32, s.inputs[i]) : numbers("x" + std::to_string(i), s.inputs[i]);
      if (s.input_types[i] == DType::i32)
        for (std::int64_t j = 0; j < t.count(); ++j) t.data<std::int32_t>()[j] = static_cast<std::int32_t>(j % 5);
      HL_ASSIGN(Buffer buffer, backend.upload(t));
      in.push_back(std::move(buffer));
    }
    HL_ASSIGN(const std::vector<Buffer> out, backend.apply(desc, in));
    HL_ASSIGN([[maybe_unused]] const std::vector<Tensor> all, backend.download_all(out));
    return {};
  };
  HL_TRY(run(Linear{33, 31, 50, true, ActivationKind::gelu}));
  HL_TRY(run(Linear{130, 70, 67, true, ActivationKind::relu}));
  HL_TRY(run(Linear{300, 130, 257, false}));
  HL_TRY(run(Gather{9, 5, 7}));
  HL_TRY(run(Add{9, 12, true}));
  for (const std::int64_t d : {7, 300, 1030}) HL_TRY(run(LayerNorm{5, d}));
  HL_TRY(run(SplitHeads{2, 33, 3, 7}));
  HL_TRY(run(MergeHeads{2, 33, 3, 7}));
  for (const std::int64_t d : {20, 64, 100, 130})
    for (const bool maps : {false, true}) HL_TRY(run(attend(2, 67, d, maps)));
  for (const auto method :
       {Isdpa::Method::index, Isdpa::Method::direct, Isdpa::Method::direct_pooled, Isdpa::Method::direct_distinct_folded}) {
    Isdpa op;
    op.words = 7;
    op.length = 9;
    op.vocabulary = 11;
    op.d = 24;
    op.method = method;
    op.pad_index = 0;
    op.keep_qk = op.keep_score = true;
    HL_TRY(run(op));
  }
  return {};
}

Status all(bool is_small, Json& rows) {
  HL_ASSIGN(const std::shared_ptr<Backend> reference, open("reference"));
  for (const char* id : {"cuda", "cuda:tf32", "cuda:bf16"}) {
    HL_ASSIGN(const std::shared_ptr<Backend> backend, open(id));
    if (is_small) {
      HL_TRY(small(*backend));
      continue;
    }
    HL_ASSIGN(Json maps, measure(*backend, *reference, attend(12, 1024, 64, true), "headlight:maps"));
    rows.push_back(std::move(maps));
    for (const std::int64_t length : {128, 256, 512, 1024, 2048, 4096}) {
      HL_ASSIGN(Json row, measure(*backend, *reference, attend(12, length, 64, false), "headlight:fused"));
      rows.push_back(std::move(row));
    }
  }
  return {};
}

}  // namespace

int main(int count, char** arguments) {
  const bool is_small = count > 1 && std::strcmp(arguments[1], "--small") == 0;
  Json rows = Json::array();
  const Status done = all(is_small, rows);
  std::printf("%s\n", rows.dump(1).c_str());
  if (!done) std::fprintf(stderr, "gpu_bench: %s\n", done.error().sentence().c_str());
  return done ? 0 : 1;
}
