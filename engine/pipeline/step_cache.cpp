#include "engine/pipeline/step_cache.h"

namespace headlight {

namespace {

StepKey plan_key(const backends::Backend& backend, const backends::OpDesc& desc) {
  StepKey key;
  key.add(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&backend)));
  operations::add_to(key, desc);
  return key;
}

}  // namespace

bool StepCache::State::find(const StepKey& key, Buffers& outputs) {
  const std::lock_guard lock(mutex_);
  const auto at = by_key_.find(key);
  if (at == by_key_.end()) return false;
  items_.splice(items_.begin(), items_, at->second);
  at->second->used = runs_on_device_ + 1;
  outputs = at->second->outputs;
  return true;
}

void StepCache::State::put(const StepKey& key, const Buffers& outputs) {
  std::uint64_t bytes = 0;
  for (const auto& buffer : outputs) bytes += buffer.host.bytes();
  if (bytes > budget_) return;
  std::list<Item> dropped;  // freed after the lock
  const std::lock_guard lock(mutex_);
  if (by_key_.count(key)) return;
  items_.push_front({key, outputs, bytes, runs_on_device_ + 1});
  by_key_[key] = items_.begin();
  bytes_ += bytes;
  while (bytes_ > budget_) {
    bytes_ -= items_.back().bytes;
    by_key_.erase(items_.back().key);
    dropped.splice(dropped.end(), items_, std::prev(items_.end()));
  }
}

void StepCache::State::end_on_device() {
  std::list<Item> dropped;  // freed after the lock
  const std::lock_guard lock(mutex_);
  ++runs_on_device_;
  for (auto item = items_.begin(); item != items_.end();) {
    const auto here = item++;
    if (here->used >= runs_on_device_ || here->outputs.empty() || !here->outputs[0].device) continue;
    bytes_ -= here->bytes;
    by_key_.erase(here->key);
    dropped.splice(dropped.end(), items_, here);
  }
}

Result<std::unique_ptr<backends::Plan>> StepCache::State::take_plan(backends::Backend& backend, const backends::OpDesc& desc) {
  const StepKey key = plan_key(backend, desc);
  {
    const std::lock_guard lock(mutex_);
    for (auto it = plans_.begin(); it != plans_.end(); ++it)
      if (it->key == key) {
        std::unique_ptr<backends::Plan> plan = std::move(it->plan);
        plans_.erase(it);
        return plan;
      }
  }
  return backend.prepare(desc);
}

void StepCache::State::give_back(const backends::Backend& backend, const backends::OpDesc& desc,
                                 std::unique_ptr<backends::Plan> plan) {
  const StepKey key = plan_key(backend, desc);
  std::unique_ptr<backends::Plan> dropped;
  const std::lock_guard lock(mutex_);
  plans_.push_front({key, std::move(plan)});
  if (plans_.size() > kPlans) {
    dropped = std::move(plans_.back().plan);
    plans_.pop_back();
  }
}

void StepCache::State::remember(EarlierRun run) {
  std::list<EarlierRun> dropped;  // freed after the lock
  const std::lock_guard lock(mutex_);
  runs_.push_front(std::move(run));
  if (runs_.size() > kRuns) dropped.splice(dropped.end(), runs_, std::prev(runs_.end()));
}

EarlierRun StepCache::State::earlier_than(std::span<const std::int32_t> ids) {
  const std::lock_guard lock(mutex_);
  const EarlierRun* best = nullptr;
  std::int64_t most = 0;
  for (const EarlierRun& run : runs_) {
    if (run.values.expired()) continue;
    const std::int64_t common = common_rows(run.ids, ids);
    if (common <= most) continue;
    best = &run;
    most = common;
  }
  return best ? *best : EarlierRun{};
}

StepCache::StepCache(std::uint64_t budget_bytes) : state_(std::make_unique<State>(budget_bytes)) {}
StepCache::~StepCache() = default;

}  // namespace headlight
