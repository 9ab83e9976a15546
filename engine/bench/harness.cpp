#include "engine/bench/harness.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace headlight::bench {
namespace {

double now() { return steady_seconds(); }

Result<double> timed(const Contender& contender, int round, const Effort& effort) {
  const auto work = [&] { return contender.run_once(round); };
  if (effort.clock) return effort.clock(work);
  const double begin = now();
  HL_TRY(work());
  return now() - begin;
}

// The median time until the device is done, by the steady clock; the first run is not counted.
Result<double> until_done(const std::function<Status(int)>& work, const Effort& effort, const CancelToken& cancel) {
  constexpr int kRounds = 25;
  constexpr double kLong = 0.5;  // seconds for all runs, of which there are at least three
  std::vector<double> samples;
  const double start = now();
  for (int round = 0; round <= kRounds && (round <= 3 || now() - start < kLong); ++round) {
    if (cancel.cancelled()) return cancelled();
    if (effort.over()) break;
    if (effort.finish) HL_TRY(effort.finish());
    const double begin = now();
    HL_TRY(work(round));
    if (effort.finish) HL_TRY(effort.finish());
    if (round > 0) samples.push_back(now() - begin);
  }
  return percentile(std::move(samples), 0.5);
}

// Warms every way up; returns how often each runs a turn. What a limit leaves no time for is not run; what it is over after has
// this one sample.
Result<std::vector<int>> warmed_up(std::vector<Contender>& contenders, const Effort& effort, const CancelToken& cancel,
                                   const std::function<void(const std::string&)>& progress) {
  std::vector<int> turns(contenders.size(), 1);
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    Contender& contender = contenders[i];
    if (!contender.run_once || (i > 0 && effort.over())) continue;
    if (progress) progress("warming up " + contender.row.variant);
    // Half of a limit is for warming up; where it is over, one call of each way is enough.
    const int rounds = effort.passed() > 0.5 ? std::min(contender.warm_up, 1) : contender.warm_up;
    double least = 1e9;
    for (int round = 0; round < rounds; ++round) {
      if (cancel.cancelled()) return cancelled();
      HL_ASSIGN(const double took, timed(contender, round, effort));
      least = std::min(least, took);
      if (effort.over()) contender.row.samples.push_back(took);
      if (took > 1 || effort.passed() > 0.5) break;
    }
    // Short contenders fill about 20 ms of each round, so that their percentiles come from more than a few samples.
    turns[i] = static_cast<int>(std::clamp(0.02 / std::max(least, 1e-9), 1.0, 20.0));
  }
  return turns;
}

// The times around calls on a device, where the row is of one.
Status measure_around(Contender& contender, const Effort& effort, const CancelToken& cancel) {
  const auto median = percentile(contender.row.samples, 0.5);
  HL_ASSIGN(const double called, until_done(contender.run_once, effort, cancel));
  // At least 1e-9, even if the medians say less: 0 means that nothing is launched.
  contender.row.launch = std::max(called - median, 1e-9);
  HL_ASSIGN(contender.row.upload, until_done([&](int) { return contender.upload(); }, effort, cancel));
  HL_ASSIGN(contender.row.download, until_done([&](int) { return contender.download(); }, effort, cancel));
  return {};
}

}  // namespace

double steady_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double Effort::passed() const { return begun ? (steady_seconds() - *begun) / std::max(seconds, 1e-9) : 0; }

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
  HL_ASSIGN(const std::vector<int> turns, warmed_up(contenders, effort, cancel, progress));
  std::vector<double> replayed(contenders.size(), 0);
  const double begin = now();
  const auto goes_on = [&](int round) {
    return effort.begun ? !effort.over() : round < effort.least_rounds || now() - begin < effort.seconds;
  };
  for (int round = 0; round < kMostRounds && (round == 0 || goes_on(round)); ++round) {
    if (progress) progress("round " + std::to_string(round + 1));
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      for (int turn = 0; turn < turns[i] && contenders[i].run_once; ++turn) {
        if (cancel.cancelled()) return cancelled();
        if (effort.over() && !contenders[i].row.samples.empty()) break;
        const std::uint64_t before = effort.disturbances ? effort.disturbances() : 0;
        const std::uint64_t replays = effort.replays ? effort.replays() : 0;
        HL_ASSIGN(const double took, timed(contenders[i], round * turns[i] + turn, effort));
        if (effort.disturbances && effort.disturbances() != before) continue;
        contenders[i].row.samples.push_back(took);
        if (effort.replays && effort.replays() != replays) ++replayed[i];
      }
    }
  }
  std::vector<Row> rows;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    Contender& contender = contenders[i];
    if (contender.upload && contender.download) {
      if (!contender.row.samples.empty()) {
        contender.row.replayed = replayed[i] / static_cast<double>(contender.row.samples.size());
        HL_TRY(measure_around(contender, effort, cancel));
      }
    }
    rows.push_back(std::move(contender.row));
  }
  return rows;
}

}  // namespace headlight::bench
