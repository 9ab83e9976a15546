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
  using Buffers = std::vector<backends::Buffer>;  // the outputs of one step, and other arrays that are kept as long as these

  explicit State(std::uint64_t budget) : budget_(budget) {}
  bool find(const StepKey& key, Buffers& outputs);
  void put(const StepKey& key, const Buffers& outputs);

  // To be called after a successful run on a device with memory of its own. Of the arrays on the device the cache then keeps only
  // those of this run. The device computes the others again quickly; and if only two runs' arrays exist at a time, the next run
  // gets the addresses of the run before this one, so that recorded work on those addresses can be replayed.
  void end_on_device();

  // A plan for this operation that no one is using, or a new one; give_back keeps it for the next.
  Result<std::unique_ptr<backends::Plan>> take_plan(backends::Backend& backend, const backends::OpDesc& desc);
  void give_back(const backends::Backend& backend, const backends::OpDesc& desc, std::unique_ptr<backends::Plan> plan);

 private:
  struct Item {
    StepKey key;
    Buffers outputs;
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;  // the last run on a device that used it, counted from 1
  };
  struct KeptPlan {
    StepKey key;
    std::unique_ptr<backends::Plan> plan;
  };
  static constexpr std::size_t kPlans = 32;  // a model has about ten different operations

  std::mutex mutex_;
  std::uint64_t budget_, bytes_ = 0;
  std::uint64_t runs_on_device_ = 0;  // successful ones
  std::list<Item> items_;             // most recently used first
  std::unordered_map<StepKey, std::list<Item>::iterator, StepKeyHash> by_key_;
  std::list<KeptPlan> plans_;
};

}  // namespace headlight
