#include "engine/bench/harness.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace headlight::bench {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

struct Taken {
  double seconds = 0;  // by the effort's clock
  double around = 0;   // what the host's clock saw beyond that
};
Result<Taken> timed(const Contender& contender, int round, const Effort& effort) {
  const double begin = now();
  if (effort.clock) {
    HL_ASSIGN(const double seconds, effort.clock([&] { return contender.run_once(round); }));
    return Taken{seconds, std::max(0.0, now() - begin - seconds)};
  }
  HL_TRY(contender.run_once(round));
  return Taken{now() - begin, 0};
}

// Median of a few by the steady clock, the first not counted.
Result<double> moved(const std::function<Status()>& move, const CancelToken& cancel) {
  constexpr int kRounds = 11;
  std::vector<double> samples;
  for (int round = 0; round <= kRounds; ++round) {
    if (cancel.cancelled()) return cancelled();
    const double begin = now();
    HL_TRY(move());
    if (round > 0) samples.push_back(now() - begin);
  }
  return percentile(std::move(samples), 0.5);
}

}  // namespace

double percentile(std::vector<double> samples, double share) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const double at = share * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (at - static_cast<double>(below)) * (samples[above] - samples[below]);
}

Result<std::vector<Row>> measure(std::vector<Contender> contenders, const Effort& effort, const CancelToken& cancel,
                                 const std::function<void(const std::string&)>& progress) {
  constexpr int kMostRounds = 1000;
  std::vector<int> turns(contenders.size(), 1);
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    if (progress) progress("warming up " + contenders[i].row.variant);
    double least = 1e9;
    for (int round = 0; round < 3; ++round) {
      if (cancel.cancelled()) return cancelled();
      HL_ASSIGN(const Taken took, timed(contenders[i], round, effort));
      least = std::min(least, took.seconds);
      if (took.seconds > 1) break;
    }
    // Short contenders fill about 20 ms of each round, so that their percentiles rest on more than a handful of samples.
    turns[i] = static_cast<int>(std::clamp(0.02 / std::max(least, 1e-9), 1.0, 20.0));
  }
  std::vector<std::vector<double>> around(contenders.size());
  const double begin = now();
  for (int round = 0; round < kMostRounds && (round < effort.least_rounds || now() - begin < effort.seconds); ++round) {
    if (progress) progress("round " + std::to_string(round + 1));
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      for (int turn = 0; turn < turns[i]; ++turn) {
        if (cancel.cancelled()) return cancelled();
        const std::uint64_t before = effort.disturbances ? effort.disturbances() : 0;
        HL_ASSIGN(const Taken took, timed(contenders[i], round * turns[i] + turn, effort));
        if (effort.disturbances && effort.disturbances() != before) continue;
        contenders[i].row.samples.push_back(took.seconds);
        around[i].push_back(took.around);
      }
    }
  }
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    Contender& contender = contenders[i];
    if (!contender.upload || !contender.download) continue;
    contender.row.launch = percentile(around[i], 0.5);
    HL_ASSIGN(contender.row.upload, moved(contender.upload, cancel));
    HL_ASSIGN(contender.row.download, moved(contender.download, cancel));
  }
  std::vector<Row> rows;
  for (Contender& contender : contenders) rows.push_back(std::move(contender.row));
  return rows;
}

}  // namespace headlight::bench
