// The inside of StepCache: keys, completed steps, and plans that are kept for reuse.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/fingerprint.h"
#include "engine/pipeline/kept_rows.h"
#include "engine/pipeline/run.h"

namespace headlight {

using StepKey = Fingerprint;
using StepKeyHash = FingerprintHash;

struct StepCache::State {
  using Buffers = std::vector<backends::Buffer>;  // the outputs of one step, and other arrays that must live as long as they do

  explicit State(std::uint64_t budget) : budget_(budget) {}
  // False: the cache has no such step. find(key, outputs) sets `outputs` otherwise.
  bool find(const StepKey& key, Buffers& outputs);
  // Keeps a step; find(key, outputs) gives it again.
  void put(const StepKey& key, const Buffers& outputs);

  // To be called after a successful run on a device with memory of its own. The cache then keeps only this run's arrays on the
  // device. The device computes the other arrays again quickly. If only two runs' arrays exist at a time, the next run gets the
  // addresses of the run before this one, so that recorded work on those addresses can be replayed.
  void end_on_device();

  // An unused plan for this operation, or a new one; give_back() keeps a plan for the next take_plan().
  // take_plan(backend, Linear{8, 64, 64}), then give_back(backend, Linear{8, 64, 64}, std::move(plan)).
  Result<std::unique_ptr<backends::Plan>> take_plan(backends::Backend& backend, const backends::OpDesc& desc);
  void give_back(const backends::Backend& backend, const backends::OpDesc& desc, std::unique_ptr<backends::Plan> plan);

  // Notes a finished run. Of the noted runs whose traces still exist, earlier_than() gives the one that has most tokens at the
  // beginning in common with `ids`. It has no values if there is none.
  void remember(EarlierRun run);
  EarlierRun earlier_than(std::span<const std::int32_t> ids);

 private:
  struct Item {
    StepKey key;
    Buffers outputs;
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;  // number, from 1, of the last run on a device that used it
  };
  struct KeptPlan {
    StepKey key;
    std::unique_ptr<backends::Plan> plan;
  };
  static constexpr std::size_t kPlans = 32;  // a model has about ten different operations
  static constexpr std::size_t kRuns = 4;    // a trace is held by its reader, and a reader holds one or two

  std::mutex mutex_;
  std::uint64_t budget_, bytes_ = 0;
  std::uint64_t runs_on_device_ = 0;  // successful ones
  std::list<Item> items_;             // most recently used first
  std::unordered_map<StepKey, std::list<Item>::iterator, StepKeyHash> by_key_;
  std::list<KeptPlan> plans_;
  std::list<EarlierRun> runs_;  // the latest first
};

}  // namespace headlight
