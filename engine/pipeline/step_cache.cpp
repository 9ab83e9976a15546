#include "engine/pipeline/step_cache.h"

#include <bit>
#include <type_traits>

namespace headlight {
namespace {

std::uint64_t mix(std::uint64_t x) {  // finaliser of SplitMix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

template <class... Numbers>
void add_all(StepKey& key, Numbers... numbers) {
  (key.add(static_cast<std::uint64_t>(numbers)), ...);
}

// A structured binding names every member, so that a field added to an operation does not compile until it is in its key.
void add_fields(StepKey& key, const backends::Linear& op) {
  const auto& [rows, inner, columns, bias, activation] = op;
  add_all(key, rows, inner, columns, bias, activation);
}
void add_fields(StepKey& key, const backends::Gather& op) {
  const auto& [rows, table_rows, d] = op;
  add_all(key, rows, table_rows, d);
}
void add_fields(StepKey& key, const backends::Add& op) {
  const auto& [outer, inner, b_repeats] = op;
  add_all(key, outer, inner, b_repeats);
}
void add_fields(StepKey& key, const backends::LayerNorm& op) {
  const auto& [rows, d, epsilon, rms] = op;
  add_all(key, rows, d, rms);
  key.add(epsilon);
}
void add_fields(StepKey& key, const backends::SplitHeads& op) {
  const auto& [batch, length, heads, d_k] = op;
  add_all(key, batch, length, heads, d_k);
}
void add_fields(StepKey& key, const backends::MergeHeads& op) {
  const auto& [batch, length, heads, d_k] = op;
  add_all(key, batch, length, heads, d_k);
}
void add_fields(StepKey& key, const backends::Attention& op) {
  const auto& [batch, heads, queries, keys, d_k, d_v, kv_heads, scale, temperature, fill, has_mask, mask_is_additive, keep_scores,
               keep_scaled, keep_masked, keep_weights] = op;
  add_all(key, batch, heads, queries, keys, d_k, d_v, kv_heads, fill, has_mask, mask_is_additive, keep_scores, keep_scaled,
          keep_masked, keep_weights);
  key.add(scale).add(temperature);
}
void add_fields(StepKey& key, const backends::Isdpa& op) {
  const auto& [words, length, vocabulary, d, heads, pooled, method, separate, pad_index, cached, q, k, v, terms, qk, score,
               result] = op;
  add_all(key, words, length, vocabulary, d, heads, pooled, method, separate, pad_index, cached, q, k, v, terms, qk, score,
          result);
}

}  // namespace

StepKey& StepKey::add(std::uint64_t x) {
  a = mix(a ^ x) + 0x9e3779b97f4a7c15ULL;
  b = mix(b + x * 0xd1342543de82ef95ULL) ^ 0xcbf29ce484222325ULL;
  return *this;
}
StepKey& StepKey::add(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return add(h).add(static_cast<std::uint64_t>(text.size()));
}
StepKey& StepKey::add(double x) { return add(std::bit_cast<std::uint64_t>(x)); }
StepKey& StepKey::add(const backends::OpDesc& desc) {
  add(static_cast<std::uint64_t>(desc.index()));
  std::visit([this](const auto& op) { add_fields(*this, op); }, desc);
  return *this;
}

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
  const StepKey key = StepKey{}.add(reinterpret_cast<std::uintptr_t>(&backend)).add(desc);
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
  const StepKey key = StepKey{}.add(reinterpret_cast<std::uintptr_t>(&backend)).add(desc);
  std::unique_ptr<backends::Plan> dropped;
  const std::lock_guard lock(mutex_);
  plans_.push_front({key, std::move(plan)});
  if (plans_.size() > kPlans) {
    dropped = std::move(plans_.back().plan);
    plans_.pop_back();
  }
}

StepCache::StepCache(std::uint64_t budget_bytes) : state_(std::make_unique<State>(budget_bytes)) {}
StepCache::~StepCache() = default;

}  // namespace headlight
