#include "app/session/derived.h"

#include <list>
#include <mutex>
#include <unordered_map>

namespace headlight {

struct Derived::State {
  struct Item {
    std::string key;
    Slot slot;
    bool pending = false;
  };
  std::mutex mutex;
  std::list<Item> items;  // most recently used first
  std::unordered_map<std::string, std::list<Item>::iterator> by_key;
  std::size_t pending = 0, keep = 0;
  std::uint64_t bytes = 0, budget = 0;
  Lane lane;

  void evict() {  // call with the mutex held; values being made are kept, because their results will be stored
    auto it = items.end();
    while ((items.size() > keep || bytes > budget) && it != items.begin()) {
      --it;
      // The newest value stays, however large: it is about to be shown.
      if (it->pending || it == items.begin()) continue;
      it = drop(it);
    }
  }
  void add(const std::string& key, bool is_pending) {  // call with the mutex held
    items.push_front({key, {}, is_pending});
    by_key[key] = items.begin();
    if (is_pending) ++pending;
    evict();
  }
  void store(const std::string& key, Slot slot, bool was_pending) {
    const std::lock_guard lock(mutex);
    if (was_pending) --pending;
    const auto found = by_key.find(key);
    if (found == by_key.end()) return;
    found->second->pending = false;
    // A cancelled value is forgotten, so that it is made again when it is needed.
    if (slot.error && slot.error->kind == ErrorKind::cancelled) {
      drop(found->second);
      return;
    }
    bytes += slot.bytes - found->second->slot.bytes;
    found->second->slot = std::move(slot);
    evict();
  }
  std::list<Item>::iterator drop(std::list<Item>::iterator it) {
    bytes -= it->slot.bytes;
    by_key.erase(it->key);
    return items.erase(it);
  }
};

Derived::Derived(Lane lane, std::size_t keep, std::uint64_t budget) : state_(std::make_shared<State>()) {
  state_->lane = std::move(lane);
  state_->keep = keep;
  state_->budget = budget;
}
Derived::~Derived() = default;

void Derived::clear() {
  const std::lock_guard lock(state_->mutex);
  state_->items.clear();
  state_->by_key.clear();
  state_->bytes = 0;
}

Derived::Statistics Derived::statistics() const {
  const std::lock_guard lock(state_->mutex);
  return {state_->items.size(), state_->bytes};
}

bool Derived::pending() const {
  const std::lock_guard lock(state_->mutex);
  return state_->pending > 0;
}

Derived::Slot Derived::refused(const Error& error) { return {nullptr, std::make_shared<const Error>(error)}; }

bool Derived::known(const std::string& key, Slot& slot) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->by_key.find(key);
  if (found == state_->by_key.end()) return false;
  state_->items.splice(state_->items.begin(), state_->items, found->second);
  slot = found->second->slot;
  return true;
}

Derived::Slot Derived::begin(const std::string& key, std::function<Slot(const CancelToken&)> make) {
  if (!state_->lane) return find(key, make);
  {
    const std::lock_guard lock(state_->mutex);
    state_->add(key, true);
  }
  state_->lane(
      [state = state_, key, make = std::move(make)](const CancelToken& cancel) { state->store(key, make(cancel), true); });
  return {};
}

Derived::Slot Derived::find(const std::string& key, FunctionRef<Slot(const CancelToken&)> make) {
  {
    const std::lock_guard lock(state_->mutex);
    const auto found = state_->by_key.find(key);
    if (found == state_->by_key.end()) {
      state_->add(key, false);
    } else {
      state_->items.splice(state_->items.begin(), state_->items, found->second);
      if (!found->second->pending) return found->second->slot;
    }
  }
  Slot slot = make({});
  state_->store(key, slot, false);
  return slot;
}

}  // namespace headlight
