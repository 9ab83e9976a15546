// Derived: values computed from a trace for display (tiles, statistics, tokenizations), each a future with a key made of all its
// inputs. Panels have no state of their own: what is too costly to compute in every frame they store here:
//   derived.now<Tensor>(DerivedKey("tile", {trace->generation(), step, batch, head}), make)
// A value is found again by its key and its type together, so equal keys of two types are two values. When values are many or
// large, the least recently used are dropped.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <typeindex>
#include <utility>

#include "app/session/derived_key.h"
#include "engine/core/cancel.h"
#include "engine/core/function_ref.h"
#include "engine/core/status.h"

namespace headlight {

// A value's size in the budget: its bytes() if it has that function (types that hold tensors should), else a small number.
template <class T>
std::uint64_t derived_bytes(const T& value) {
  if constexpr (requires {
                  { value.bytes() } -> std::convertible_to<std::uint64_t>;
                })
    return value.bytes();
  else
    return 1024;
}

class Derived {
 public:
  // `later` receives work for the background lane; without it (tests, exports) later() computes values at once.
  using Lane = std::function<void(std::function<void(const CancelToken&)>)>;
  static constexpr std::uint64_t kBudget = std::uint64_t{256} << 20;
  explicit Derived(Lane lane = {}, std::size_t keep = 4096, std::uint64_t budget = kBudget);
  ~Derived();

  template <class T>
  struct Answer {
    std::shared_ptr<const T> value;  // null: not ready yet, or an error
    const Error* error = nullptr;    // valid until the next call
    explicit operator bool() const { return value != nullptr; }
  };

  // Computed on the calling thread if it is not there yet. For values that take well under a millisecond. `make` takes a
  // const CancelToken& and gives a Result<T>, here and below.
  template <class T, class Make>
  Answer<T> now(const DerivedKey& key, const Make& make) {
    return cast<T>(find({typeid(T), key}, [&make](const CancelToken& cancel) { return slot_of<T>(make(cancel)); }));
  }
  // Computed in the background lane; the window is redrawn when it is ready.
  template <class T, class Make>
  Answer<T> later(const DerivedKey& key, const Make& make) {
    Slot slot;
    const Name name{typeid(T), key};
    if (!known(name, slot))
      slot = begin(name, [make = Make(make)](const CancelToken& cancel) mutable { return slot_of<T>(make(cancel)); });
    return cast<T>(slot);
  }
  // Forgets all values, also those being computed; called after a change of language, because values contain words.
  void clear();
  // Whether values are still being computed.
  bool pending() const;
  struct Statistics {
    std::size_t values = 0;
    std::uint64_t bytes = 0;
  };
  Statistics statistics() const;

 private:
  struct Name {
    std::type_index type;
    const DerivedKey& key;
  };
  struct Slot {
    std::shared_ptr<const void> value;
    std::shared_ptr<const Error> error;
    std::uint64_t bytes = 0;
  };
  // The compiler writes what depends on T or on a lambda a hundred times, so it does no more than it must.
  template <class T>
  static void forget(const void* value) {
    delete static_cast<const T*>(value);
  }
  template <class T>
  static Slot slot_of(Result<T> made) {
    if (!made.ok()) return refused(made.error());
    const std::uint64_t bytes = derived_bytes(*made);
    return {std::shared_ptr<const void>(static_cast<const void*>(new T(std::move(made).value())), &forget<T>), nullptr, bytes};
  }
  static Slot refused(const Error& error);
  template <class T>
  Answer<T> cast(const Slot& slot) {
    last_error_ = slot.error;
    return {std::static_pointer_cast<const T>(slot.value), last_error_.get()};
  }
  // Whether there is a value, or one is being made.
  bool known(const Name& name, Slot& slot);
  Slot begin(const Name& name, std::function<Slot(const CancelToken&)> make);
  Slot find(const Name& name, FunctionRef<Slot(const CancelToken&)> make);

  struct State;
  std::shared_ptr<State> state_;  // shared with running work
  std::shared_ptr<const Error> last_error_;
};

}  // namespace headlight
