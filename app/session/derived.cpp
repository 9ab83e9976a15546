#include "app/session/derived.h"

#include <list>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace headlight {

struct Derived::State {
  struct Item {
    std::type_index type;
    DerivedKey key;
    std::uint64_t serial = 0;  // no other item ever has it
    Slot slot;
    bool pending = false;
  };
  using Place = std::list<Item>::iterator;
  // An item's type and its key's bytes, which the item owns.
  struct Identity {
    std::type_index type;
    std::string_view bytes;
    bool operator==(const Identity&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Identity& one) const {
      return std::hash<std::string_view>()(one.bytes) * 31 + one.type.hash_code();
    }
  };
  std::mutex mutex;
  std::list<Item> items;  // most recently used first
  std::unordered_map<Identity, Place, Hash> by_name;
  std::size_t pending = 0, keep = 0;
  std::uint64_t bytes = 0, budget = 0, serials = 0;
  Lane lane;

  // The following are called with the mutex held.
  void evict() {  // values being made are kept, because their results will be stored
    auto it = items.end();
    while ((items.size() > keep || bytes > budget) && it != items.begin()) {
      --it;
      // The newest value stays, however large: it is about to be shown.
      if (it->pending || it == items.begin()) continue;
      it = drop(it);
    }
  }
  std::uint64_t add(const Name& name, bool is_pending) {
    items.push_front({name.type, name.key, ++serials, {}, is_pending});
    by_name[{name.type, items.front().key.bytes()}] = items.begin();
    if (is_pending) ++pending;
    evict();
    return serials;
  }
  // The item as the most recently used one; null: there is none, or an object that its value is made of is gone.
  Item* find(const Name& name) {
    const auto found = by_name.find({name.type, name.key.bytes()});
    if (found == by_name.end()) return nullptr;
    if (found->second->key.outdated()) {
      drop(found->second);
      return nullptr;
    }
    items.splice(items.begin(), items, found->second);
    return &items.front();
  }
  Place drop(Place it) {
    bytes -= it->slot.bytes;
    by_name.erase({it->type, it->key.bytes()});
    return items.erase(it);
  }

  void store(const Name& name, std::uint64_t serial, Slot slot, bool was_pending) {
    const std::lock_guard lock(mutex);
    if (was_pending) --pending;
    const auto found = by_name.find({name.type, name.key.bytes()});
    // Another item of this name is younger: its own value is still being made.
    if (found == by_name.end() || found->second->serial != serial) return;
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
};

Derived::Derived(Lane lane, std::size_t keep, std::uint64_t budget) : state_(std::make_shared<State>()) {
  state_->lane = std::move(lane);
  state_->keep = keep;
  state_->budget = budget;
}
Derived::~Derived() = default;

void Derived::clear() {
  const std::lock_guard lock(state_->mutex);
  state_->by_name.clear();
  state_->items.clear();
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

bool Derived::known(const Name& name, Slot& slot) {
  const std::lock_guard lock(state_->mutex);
  const State::Item* item = state_->find(name);
  if (item) slot = item->slot;
  return item != nullptr;
}

Derived::Slot Derived::begin(const Name& name, std::function<Slot(const CancelToken&)> make) {
  if (!state_->lane) return find(name, make);
  std::uint64_t serial = 0;
  {
    const std::lock_guard lock(state_->mutex);
    serial = state_->add(name, true);
  }
  state_->lane([state = state_, type = name.type, key = name.key, serial, make = std::move(make)](const CancelToken& cancel) {
    state->store({type, key}, serial, make(cancel), true);
  });
  return {};
}

Derived::Slot Derived::find(const Name& name, FunctionRef<Slot(const CancelToken&)> make) {
  std::uint64_t serial = 0;
  {
    const std::lock_guard lock(state_->mutex);
    const State::Item* item = state_->find(name);
    if (item && !item->pending) return item->slot;
    serial = item ? item->serial : state_->add(name, false);
  }
  Slot slot = make({});
  state_->store(name, serial, slot, false);
  return slot;
}

}  // namespace headlight
