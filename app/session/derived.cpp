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

Derived::Slot Derived::find(const std::string& key, const Make& make, bool in_background) {
  std::unique_lock lock(state_->mutex);
  if (auto found = state_->by_key.find(key); found != state_->by_key.end()) {
    state_->items.splice(state_->items.begin(), state_->items, found->second);
    if (!found->second->pending || in_background) return found->second->slot;
  } else {
    state_->items.push_front({key, {}, false});
    state_->by_key[key] = state_->items.begin();
    state_->evict();
  }
  const auto store = [](State& state, const std::string& name, Slot slot, bool was_pending) {
    const std::lock_guard guard(state.mutex);
    if (was_pending) --state.pending;
    auto found = state.by_key.find(name);
    if (found == state.by_key.end()) return;
    found->second->pending = false;
    // A cancelled value is forgotten, so that it is made again when it is needed.
    if (slot.error && slot.error->kind == ErrorKind::cancelled) {
      state.drop(found->second);
      return;
    }
    state.bytes += slot.bytes - found->second->slot.bytes;
    found->second->slot = std::move(slot);
    state.evict();
  };
  if (in_background && state_->lane) {
    state_->by_key[key]->pending = true;
    ++state_->pending;
    lock.unlock();
    state_->lane([state = state_, key, make, store](const CancelToken& cancel) { store(*state, key, make(cancel), true); });
    return {};
  }
  lock.unlock();
  Slot slot = make({});
  store(*state_, key, slot, false);
  return slot;
}

}  // namespace headlight
