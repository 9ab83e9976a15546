#include "engine/insight/device_comparison.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "engine/core/sorting.h"

namespace headlight {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// A step that is computed again is held completely, once per device: 64 MiB of float32.
constexpr std::int64_t kMostRemade = std::int64_t{1} << 24;

std::int64_t count_of(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

Error of_device(Error error, const std::string& id) {
  error.where = error.where.empty() ? Message(id) : Message("{}, {}", id, error.where);
  return error;
}

Status compare_steps(const Trace& a, const Trace& b, const DeviceEffort& effort, const CancelToken& cancel,
                     DeviceComparison& result) {
  const Clock::time_point begin = Clock::now();
  for (const Step& step : a.steps()) {
    const Step* const other = b.find(step.name);
    if (!other || step.dtype == DType::i32 || step.dtype == DType::u8) continue;
    if (cancel.cancelled()) return cancelled();
    const bool kept = step.kept && other->kept;
    if (!kept && (count_of(step.shape) > kMostRemade || since(begin) > effort.difference_seconds)) {
      ++result.left_out;
      continue;
    }
    HL_ASSIGN(const Tensor x, a.values(step.name, cancel));
    HL_ASSIGN(const Tensor y, b.values(step.name, cancel));
    const Difference d = difference(x, y);
    result.steps.push_back({step.name, d.max_abs, std::sqrt(d.nmse), d.nan_mismatch || !d.same_shape});
  }
  return {};
}

}  // namespace

double DeviceRuns::median() const {
  std::vector<double> sorted = seconds;
  sort_stably(sorted);
  const std::size_t n = sorted.size();
  if (n == 0) return 0;
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

const StepDifference* DeviceComparison::worst() const {
  const auto at = std::max_element(steps.begin(), steps.end(), [](const StepDifference& x, const StepDifference& y) {
    return std::pair(x.one_is_not_a_number, x.relative) < std::pair(y.one_is_not_a_number, y.relative);
  });
  return at == steps.end() ? nullptr : &*at;
}

Result<DeviceComparison> compare_devices(const Document& document, const std::array<std::string, 2>& ids,
                                         const DeviceEffort& effort, const CancelToken& cancel,
                                         const std::function<void(const std::string&, int, int)>& doing,
                                         const OpenBackend& open) {
  DeviceComparison result;
  std::array<std::shared_ptr<backends::Backend>, 2> opened;
  std::array<std::shared_ptr<const Trace>, 2> traces;
  for (std::size_t i = 0; i < 2; ++i) {
    auto backend = open(ids[i]);
    if (!backend) return backend.error();
    opened[i] = std::move(backend).value();
    result.devices[i] = {ids[i], opened[i]->device().label, opened[i]->precision(), {}};
  }
  const Clock::time_point begin = Clock::now();
  for (int turn = 0; turn <= effort.runs; ++turn) {
    // The first run makes weights and plans and is not counted. Even on a slow device one more run follows, which is counted.
    if (turn > 1 && since(begin) > effort.seconds) break;
    for (std::size_t i = 0; i < 2; ++i) {
      if (cancel.cancelled()) return cancelled();
      if (doing) doing(ids[i], turn, effort.runs);
      Document here = document;
      here.backend = ids[i];
      auto trace = run(here, *opened[i], cancel, {});
      if (!trace) return of_device(trace.error(), ids[i]);
      if (turn > 0) result.devices[i].seconds.push_back((*trace)->seconds());
      if (turn == 0) traces[i] = std::move(trace).value();
    }
  }
  if (doing) doing({}, 0, 0);
  HL_TRY(compare_steps(*traces[0], *traces[1], effort, cancel, result));
  return result;
}

}  // namespace headlight
