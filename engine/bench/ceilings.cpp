#include "engine/bench/ceilings.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "engine/core/parallel.h"

namespace headlight::bench {
namespace {

using namespace backends;

constexpr int kRounds = 5;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// The shortest of a few executions, the first not counted.
Result<double> fastest(Backend& backend, const OpDesc& desc, const std::vector<Buffer>& in, const Shape& made,
                       const CancelToken& cancel) {
  HL_ASSIGN(const auto plan, backend.prepare(desc));
  HL_ASSIGN(Buffer y, backend.allocate(backend.dtype(), made, {}));
  std::vector<Buffer> out{y};
  double best = 1e9;
  for (int round = 0; round <= kRounds; ++round) {
    // By its own clock: a device computes on after the call has returned.
    HL_ASSIGN(const double took, backend.timed([&] { return backend.execute(*plan, in, out, cancel); }));
    if (round > 0) best = std::min(best, took);
  }
  return best;
}

// 64 MiB each way: beyond what a core's own caches hold.
Result<double> host_copy(const CancelToken& cancel) {
  constexpr std::int64_t kBytes = std::int64_t{64} << 20, kChunk = std::int64_t{1} << 20;
  std::vector<char> from(static_cast<std::size_t>(kBytes), 1), to(static_cast<std::size_t>(kBytes), 2);
  double best = 0;
  for (int round = 0; round <= kRounds; ++round) {
    const double begin = seconds();
    const bool done = parallel_for(
        kBytes / kChunk, 1,
        [&](std::int64_t first, std::int64_t last) {
          std::memcpy(to.data() + first * kChunk, from.data() + first * kChunk,
                      static_cast<std::size_t>((last - first) * kChunk));
        },
        cancel);
    if (!done) return cancelled();
    if (round > 0) best = std::max(best, 2.0 * static_cast<double>(kBytes) / (seconds() - begin));
  }
  return best;
}

}  // namespace

Result<Ceilings> ceilings(Backend& backend, const CancelToken& cancel) {
  Ceilings best;
  const auto filled = [&](const Shape& shape) { return backend.upload(Tensor(DType::f64, shape, {}, true)); };
  HL_ASSIGN(Buffer x, filled({64, 64}));
  const bool on_device = x.device != nullptr;
  // A device needs a large product to be busy: twice as large until one takes its time, so that a slow one is not kept for long.
  constexpr std::int64_t kHost = 1024, kDevice = 4096;
  constexpr double kLongEnough = 2e-3;
  std::int64_t size = on_device ? 64 : kHost;
  double cube = 0;
  for (;; size *= 2) {
    HL_ASSIGN(x, filled({size, size}));
    cube = static_cast<double>(size);
    HL_ASSIGN(const double product, fastest(backend, Linear{size, size, size}, {x, x}, {size, size}, cancel));
    best.flops = 2 * cube * cube * cube / product;
    if (size >= (on_device ? kDevice : kHost) || product > kLongEnough) break;
  }
  if (!on_device) {
    HL_ASSIGN(best.bytes, host_copy(cancel));
    return best;
  }
  // A sum of two arrays into a third moves three arrays, as fast as a device copies.
  HL_ASSIGN(const double sum, fastest(backend, Add{size, size, false}, {x, x}, {size, size}, cancel));
  best.bytes = 3 * cube * cube * static_cast<double>(size_of(backend.dtype())) / sum;
  return best;
}

}  // namespace headlight::bench
