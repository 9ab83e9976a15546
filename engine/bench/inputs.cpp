#include <algorithm>
#include <cmath>

#include "engine/backends/base/checks.h"
#include "engine/backends/base/host_backend.h"
#include "engine/backends/cuda/cuda_backend.h"
#include "engine/bench/benches.h"
#include "engine/core/rng.h"

namespace headlight::bench {
namespace {

template <class Make>
Tensor filled(const Shape& shape, const Make& make) {
  Tensor t(DType::f64, shape, {}, true);
  const std::int64_t columns = shape.back();
  for (std::int64_t i = 0; i < t.count(); ++i) t.data<double>()[i] = static_cast<float>(make(i / columns, i % columns));
  return t;
}

// How many in a thousand words of assets/corpus/sample.txt have 1, 2, ... letters.
constexpr int kLengths[] = {68, 156, 239, 169, 149, 94, 63, 28, 19, 9, 5, 1};

// The word length that a number in 0..1 draws, at most `most`.
std::int64_t drawn_length(double at, std::int64_t most) {
  double sum = 0;
  std::int64_t letters = 0;
  for (const int share : kLengths) {
    ++letters;
    sum += share / 1000.0;
    if (at < sum) break;
  }
  return std::min(letters, most);
}

}  // namespace

double expected_padding(const Request& r) {
  if (!r.word_lengths) return 1 / static_cast<double>(r.vocab);
  double mean = 0;
  std::int64_t letters = 0;
  for (const int share : kLengths) mean += share / 1000.0 * static_cast<double>(std::min(++letters, r.length));
  return 1 - mean / static_cast<double>(r.length);
}

std::vector<Tensor> notebook_inputs(const Request& r, std::uint64_t seed) {
  const double bound = 1 / std::sqrt(static_cast<double>(r.d));
  std::vector<Tensor> inputs;
  const Rng symbols(seed, "F");
  inputs.push_back(filled({r.vocab, r.d}, [&](std::int64_t i, std::int64_t j) { return i == 0 ? 0.0 : symbols.normal(i, j); }));
  inputs.push_back(filled({r.length, r.d}, [&](std::int64_t position, std::int64_t j) {
    const double w = std::exp(-static_cast<double>(j - j % 2) * std::log(10000.0) / static_cast<double>(r.d));
    const double angle = static_cast<double>(position) * w;
    return j % 2 == 0 ? std::sin(angle) : std::cos(angle);
  }));
  for (const char* name : {"WQ", "WK", "WV", "PWQ", "PWK", "PWV"}) {
    if (*name == 'P' && !r.position_weights) break;
    const Rng weights(seed, name);
    inputs.push_back(filled({r.d, r.d}, [&](std::int64_t i, std::int64_t j) { return bound * (2 * weights.uniform(i, j) - 1); }));
  }
  const Rng index(seed, "IC"), lengths(seed, "lengths");
  Tensor ids(DType::i32, {r.words, r.length});  // zeros: the rest of a word is padding
  for (std::int64_t word = 0; word < r.words; ++word) {
    const std::int64_t letters = r.word_lengths ? drawn_length(lengths.uniform(0, word), r.length) : r.length;
    for (std::int64_t place = 0; place < letters; ++place) {
      const double at = index.uniform(0, word * r.length + place);
      // If words have lengths, symbol 0 stands only behind a word's end.
      ids.data<std::int32_t>()[word * r.length + place] = static_cast<std::int32_t>(
          r.word_lengths ? std::min(1.0, static_cast<double>(r.vocab - 1)) + std::floor(at * static_cast<double>(r.vocab - 1))
                         : at * static_cast<double>(r.vocab));
    }
  }
  inputs.push_back(std::move(ids));
  return inputs;
}

Row row_of(const Request& request, std::string what, std::string variant, std::string mode) {
  Row row;
  row.what = std::move(what);
  row.variant = std::move(variant);
  row.mode = std::move(mode);
  const backends::Device device = request.backend->device();
  row.backend = device.id;
  row.device = device.label;
  row.precision = request.backend->precision();
  return row;
}

Result<bool> is_device(backends::Backend& backend) {
  HL_ASSIGN(const backends::Buffer one, backend.allocate(backend.dtype(), {1}, {}));
  return one.device != nullptr;
}

Effort effort_on(backends::Backend& backend, Effort effort) {
  if (effort.clock) return effort;
  effort.clock = [&backend](const std::function<Status()>& work) { return backend.timed(work); };
  effort.finish = [&backend] { return backend.finish(); };
  effort.replays = [&backend] { return backend.replays(); };
  return effort;
}

Status check_fits(const Request& request, const std::vector<Shape>& arrays) {
  std::uint64_t total = 0;
  for (const Shape& shape : arrays) {
    HL_ASSIGN(const std::uint64_t bytes, backends::checked_bytes(request.backend->dtype(), shape));
    total += bytes;
  }
  const std::uint64_t of_gpu = backends::cuda::memory_of(*request.backend);
  const std::uint64_t memory = of_gpu > 0 ? of_gpu : backends::physical_memory();
  if (memory == 0 || total <= memory) return {};
  const auto kind = ErrorKind::too_large;
  Failure too_large = of_gpu > 0 ? failure(kind, "these sizes take {} MiB and the GPU has {} MiB", total >> 20, memory >> 20)
                                 : failure(kind, "these sizes take {} MiB and the machine has {} MiB", total >> 20, memory >> 20);
  return std::move(too_large).mend("use smaller sizes");
}

ErrorFigures errors_of(const Tensor& actual, const Tensor& expected) {
  const Difference d = difference(actual.slice(0, 0, expected.dim(0)), expected);
  return {d.mean_abs, d.max_abs, std::sqrt(d.nmse)};
}

}  // namespace headlight::bench
