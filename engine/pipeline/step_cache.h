// The inside of StepCache: keys, completed steps, and plans kept for reuse.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/fingerprint.h"
#include "engine/pipeline/run.h"

namespace headlight {

using StepKey = Fingerprint;
using StepKeyHash = FingerprintHash;

struct StepCache::State {
  using Buffers = std::vector<backends::Buffer>;  // the outputs of one step, and what else is to live as long

  explicit State(std::uint64_t budget) : budget_(budget) {}
  bool find(const StepKey& key, Buffers& outputs);
  void put(const StepKey& key, const Buffers& outputs);

  // After a run on a device of its own that succeeded. Of what lies on a device only this run's steps are kept: the device makes
  // the others again in no time, and with two sets of arrays that take turns the next run gets the addresses of the one before
  // this, so that its work can be replayed.
  void end_on_device();

  // A plan for this operation that no one is using, or a new one; give_back keeps it for the next.
  Result<std::unique_ptr<backends::Plan>> take_plan(backends::Backend& backend, const backends::OpDesc& desc);
  void give_back(const backends::Backend& backend, const backends::OpDesc& desc, std::unique_ptr<backends::Plan> plan);

 private:
  struct Item {
    StepKey key;
    Buffers outputs;
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;  // in which run on a device, counted from 1
  };
  struct KeptPlan {
    StepKey key;
    std::unique_ptr<backends::Plan> plan;
  };
  static constexpr std::size_t kPlans = 32;  // a model has about ten different operations

  std::mutex mutex_;
  std::uint64_t budget_, bytes_ = 0;
  std::uint64_t runs_on_device_ = 0;  // that succeeded
  std::list<Item> items_;             // most recently used first
  std::unordered_map<StepKey, std::list<Item>::iterator, StepKeyHash> by_key_;
  std::list<KeptPlan> plans_;
};

}  // namespace headlight
