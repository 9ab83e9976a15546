#include "engine/bench/ceilings.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "engine/bench/benches.h"
#include "engine/core/parallel.h"
#include "engine/operations/add.h"
#include "engine/operations/linear.h"

namespace headlight::bench {
namespace {

using namespace backends;

struct CeilingsSetting {
  std::unique_ptr<Plan> plan;
  std::vector<Buffer> in, out;
};

// An operation that computes a square array from two.
Result<Contender> contender_of(Backend& backend, const char* variant, const OpDesc& desc, std::int64_t size,
                               const CancelToken& cancel) {
  auto setting = std::make_shared<CeilingsSetting>();
  HL_ASSIGN(setting->plan, backend.prepare(desc));
  HL_ASSIGN(const Buffer x, backend.upload(Tensor(DType::f64, {size, size}, {}, true)));
  HL_ASSIGN(const Buffer y, backend.allocate(backend.dtype(), {size, size}, {}));
  setting->in = {x, x};
  setting->out = {y};
  Contender contender;
  contender.row.what = "ceiling";
  contender.row.variant = variant;
  contender.row.backend = backend.device().id;
  const auto side = static_cast<double>(size);
  contender.row.flops = 2 * side * side * side;
  contender.row.bytes = 3 * side * side * static_cast<double>(size_of(backend.dtype()));
  contender.run_once = [&backend, setting, &cancel](int) {
    return backend.execute(*setting->plan, setting->in, setting->out, cancel);
  };
  return contender;
}

// Copies 64 MiB: more than a core's caches hold.
Contender host_copy(const Backend& backend, const CancelToken& cancel) {
  constexpr std::int64_t kBytes = std::int64_t{64} << 20, kChunk = std::int64_t{1} << 20;
  auto from = std::make_shared<std::vector<char>>(static_cast<std::size_t>(kBytes), 1);
  auto to = std::make_shared<std::vector<char>>(static_cast<std::size_t>(kBytes), 2);
  Contender contender;
  contender.row.what = "ceiling";
  contender.row.variant = "copy";
  contender.row.backend = backend.device().id;
  contender.row.bytes = 2.0 * static_cast<double>(kBytes);
  contender.run_once = [from, to, &cancel](int) -> Status {
    const auto copy = [&](std::int64_t first, std::int64_t last) {
      std::memcpy(to->data() + first * kChunk, from->data() + first * kChunk, static_cast<std::size_t>((last - first) * kChunk));
    };
    return parallel_for(kBytes / kChunk, 1, copy, cancel) ? Status{} : Status{cancelled()};
  };
  return contender;
}

double best_of(const Row& row) { return percentile(row.samples, 0.1); }

}  // namespace

Result<std::vector<Contender>> ceiling_contenders(Backend& backend, const CancelToken& cancel) {
  HL_ASSIGN(const bool on_device, is_device(backend));
  std::vector<Contender> both;
  // A device needs a large product to be busy. The size is doubled until a product takes long enough, so that a slow device is
  // not kept busy for long.
  constexpr std::int64_t kHost = 1024, kDevice = 8192;
  constexpr double kLongEnough = 2e-3;
  for (std::int64_t size = on_device ? 64 : kHost;; size *= 2) {
    HL_ASSIGN(Contender product,
              contender_of(backend, "product", Linear{.rows = size, .inner = size, .columns = size, .fixed_weights = true}, size,
                           cancel));
    double took = 0;
    for (int round = 0; round < 2; ++round) {
      HL_ASSIGN(took, backend.timed([&] { return product.run_once(round); }));
    }
    if (size < (on_device ? kDevice : kHost) && took < kLongEnough) continue;
    both.push_back(std::move(product));
    if (!on_device) break;
    HL_ASSIGN(Contender sum, contender_of(backend, "copy", Add{size, size, false}, size, cancel));
    sum.row.flops = 0;
    both.push_back(std::move(sum));
    break;
  }
  if (!on_device) both.push_back(host_copy(backend, cancel));
  return both;
}

void apply_ceilings(std::vector<Row>& rows) {
  std::map<std::string, Ceilings> of_backend;
  for (const Row& row : rows) {
    if (row.what != "ceiling" || best_of(row) <= 0) continue;
    Ceilings& best = of_backend[row.backend];
    (row.variant == "copy" ? best.bytes : best.flops) = (row.variant == "copy" ? row.bytes : row.flops) / best_of(row);
  }
  std::erase_if(rows, [](const Row& row) { return row.what == "ceiling"; });
  for (Row& row : rows) {
    row.flops_ceiling = of_backend[row.backend].flops;
    row.bytes_ceiling = of_backend[row.backend].bytes;
  }
}

Result<Ceilings> ceilings(Backend& backend, const CancelToken& cancel) {
  HL_ASSIGN(std::vector<Contender> both, ceiling_contenders(backend, cancel));
  HL_ASSIGN(std::vector<Row> rows, measure(std::move(both), effort_on(backend, {0.05, 2}), cancel, {}));
  rows.emplace_back();
  rows.back().backend = backend.device().id;
  apply_ceilings(rows);
  return Ceilings{rows.back().flops_ceiling, rows.back().bytes_ceiling};
}

}  // namespace headlight::bench
