// Measures attention alone on the GPU, by its own clock: with and without its maps, over lengths and precisions. With --small it
// instead runs every operation once at small, uneven sizes, for compute-sanitizer. Rows have the format of `headlight bench
// --json`.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "conformance/inputs.h"
#include "engine/backends/backends.h"
#include "engine/backends/cuda/cuda_backend.h"
#include "engine/bench/harness.h"
#include "engine/core/json.h"
#include "engine/operations/activation.h"
#include "engine/operations/add.h"
#include "engine/operations/attention.h"
#include "engine/operations/gather.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/layer_norm.h"
#include "engine/operations/linear.h"
#include "engine/operations/merge_heads.h"
#include "engine/operations/rms_norm.h"
#include "engine/operations/split_heads.h"

namespace {

using namespace headlight;
using namespace headlight::backends;

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

// Median and percentiles of one shape, with four sets of inputs in turn, and the error of the first heads against double.
Result<Json> measure(Backend& backend, Backend& reference, const Attention& op, const std::string& variant) {
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
      const Tensor t = conformance::normal(name + std::to_string(set), s.inputs[0]);
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
  const std::string kernel = cuda::kernel_of(backend);
  HL_ASSIGN(const Tensor made, backend.download(out[0]));
  Attention one = op;  // the first queries of each head; rows of attention do not depend on each other
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
  return Json::object(
      {{"what", "attention"},
       {"variant", variant},
       {"mode", "per-call"},
       {"backend", device.id},
       {"device", device.label},
       {"precision", backend.precision()},
       {"kernel", kernel},
       {"sizes", Json::object({{"heads", op.heads}, {"length", op.queries}, {"d", op.d_k}})},
       {"median_s", bench::percentile(seconds, 0.5)},
       {"p10_s", bench::percentile(seconds, 0.1)},
       {"p90_s", bench::percentile(seconds, 0.9)},
       {"p99_s", bench::percentile(seconds, 0.99)},
       {"runs", seconds.size()},
       {"flops", 4 * pairs * width},
       {"bytes", 4.0 * (4 * static_cast<double>(op.heads * op.queries) * width + (op.keep_weights ? pairs : 0))},
       {"error", Json::object({{"mean_abs", d.mean_abs}, {"max_abs", d.max_abs}, {"relative", std::sqrt(d.nmse)}})}});
}

// The reference for the maps' goal: the same bytes read once and written once, as y = x + row.
Result<Json> measure_copy(Backend& backend, std::int64_t rows, std::int64_t d) {
  constexpr int kSets = 4, kWarmUp = 10, kRuns = 60;
  const Add op{rows, d, true};
  HL_ASSIGN(const std::unique_ptr<Plan> plan, backend.prepare(op));
  HL_ASSIGN(const Buffer row, backend.upload(conformance::normal("row", {d})));
  const Tensor values = conformance::normal("values", {rows, d});
  std::vector<std::vector<Buffer>> in(kSets), out(kSets);
  for (std::size_t set = 0; set < kSets; ++set) {
    HL_ASSIGN(Buffer from, backend.upload(values));
    HL_ASSIGN(Buffer to, backend.allocate(DType::f32, {rows, d}, {"outer", "inner"}));
    in[set] = {std::move(from), row};
    out[set].push_back(std::move(to));
  }
  std::vector<double> seconds;
  for (int run = 0; run < kWarmUp + kRuns; ++run) {
    const auto set = static_cast<std::size_t>(run % kSets);
    HL_ASSIGN(const double took, backend.timed([&] { return backend.execute(*plan, in[set], out[set], {}); }));
    if (run >= kWarmUp) seconds.push_back(took);
  }
  const Device device = backend.device();
  const double bytes = 8.0 * static_cast<double>(rows * d);
  return Json::object({{"what", "copy"},
                       {"variant", "headlight:read and write once"},
                       {"mode", "per-call"},
                       {"backend", device.id},
                       {"device", device.label},
                       {"precision", backend.precision()},
                       {"sizes", Json::object({{"rows", rows}, {"d", d}})},
                       {"median_s", bench::percentile(seconds, 0.5)},
                       {"p10_s", bench::percentile(seconds, 0.1)},
                       {"p90_s", bench::percentile(seconds, 0.9)},
                       {"p99_s", bench::percentile(seconds, 0.99)},
                       {"runs", seconds.size()},
                       {"flops", static_cast<double>(rows * d)},
                       {"bytes", bytes}});
}

// Every operation at sizes that no tile divides.
Status small(Backend& backend) {
  const auto run = [&](const OpDesc& desc) -> Status {
    std::vector<Buffer> in;
    for (const Tensor& t : conformance::inputs_for(desc, "x")) {
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
  for (const std::int64_t d : {7, 300, 1030}) {
    HL_TRY(run(LayerNorm{5, d}));
    HL_TRY(run(RmsNorm{5, d}));
  }
  HL_TRY(run(SplitHeads{2, 33, 3, 7}));
  HL_TRY(run(MergeHeads{2, 33, 3, 7}));
  for (const std::int64_t d : {20, 64, 100, 130})
    for (const bool maps : {false, true}) HL_TRY(run(attend(2, 67, d, maps)));
  HL_TRY(run(attend(1, 290, 32, true)));    // rows of scores in shared memory
  HL_TRY(run(attend(12, 915, 62, false)));  // many blocks
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

// Prints one row per line as soon as it is measured: if the program is stopped, earlier rows are already printed.
void print(const Json& row) {
  static bool first = true;
  std::printf("%s%s\n", first ? "" : ",", row.dump().c_str());
  std::fflush(stdout);
  first = false;
}

Status all(bool is_small) {
  HL_ASSIGN(const std::shared_ptr<Backend> reference, open("reference"));
  const char* const asked = std::getenv("HEADLIGHT_CUDA_ATTENTION");
  const std::string kernel = asked ? asked : "";
  Status worst;  // if a shape fails, the others are still measured
  for (const char* id : {"cuda", "cuda:tf32", "cuda:bf16"}) {
    HL_ASSIGN(const std::shared_ptr<Backend> backend, open(id));
    if (is_small) {
      HL_TRY(small(*backend));
      continue;
    }
    const auto add = [&](const Attention& op, const std::string& variant) {
      const Result<Json> row = measure(*backend, *reference, op, variant);
      if (row.ok()) {
        print(*row);
      } else {
        std::fprintf(stderr, "gpu_bench: %s of %d at %d: %s\n", variant.c_str(), static_cast<int>(op.heads),
                     static_cast<int>(op.queries), row.error().sentence().c_str());
        worst = row.error();
      }
    };
    const auto lengths = [&](const std::string& variant) {
      for (const std::int64_t length : {128, 256, 512, 1024, 2048, 4096}) add(attend(12, length, 64, false), variant);
    };
    if (kernel == "tensor") {  // bf16 without warpgroups
      if (backend->precision() == "bf16") lengths("headlight:fused:" + kernel);
      continue;
    }
    add(attend(12, 1024, 64, true), kernel.empty() ? "headlight:maps" : "headlight:maps:" + kernel);
    if (!kernel.empty()) continue;
    if (backend->precision() == "float32") {
      Result<Json> row = measure_copy(*backend, std::int64_t{12} * 1024, 1024);
      if (!row.ok()) return row.error();
      print(*row);
    }
    lengths("headlight:fused");
  }
  return worst;
}

}  // namespace

int main(int count, char** arguments) {
  const bool is_small = count > 1 && std::strcmp(arguments[1], "--small") == 0;
  std::printf("[\n");
  const Status done = all(is_small);
  std::printf("]\n");
  if (!done) std::fprintf(stderr, "gpu_bench: %s\n", done.error().sentence().c_str());
  return done ? 0 : 1;
}
