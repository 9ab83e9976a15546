// Derived: values computed from a trace for display (tiles, statistics, tokenizations), each a future with a key made of all its
// inputs. Panels have no state of their own: what is too costly to compute in every frame they store here, e.g. under
// "tile/<trace generation>/layer.0.weights/<batch>/<head>". When values are many or large, the least recently used are dropped.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "engine/core/cancel.h"
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

  // Computed on the calling thread if it is not there yet. For values that take well under a millisecond.
  template <class T>
  Answer<T> now(const std::string& key, const std::function<Result<T>(const CancelToken&)>& make) {
    return cast<T>(find(key, wrap<T>(make), false));
  }
  // Computed in the background lane; the window is redrawn when it is ready.
  template <class T>
  Answer<T> later(const std::string& key, std::function<Result<T>(const CancelToken&)> make) {
    return cast<T>(find(key, wrap<T>(std::move(make)), true));
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
  struct Slot {
    std::shared_ptr<const void> value;
    std::shared_ptr<const Error> error;
    std::uint64_t bytes = 0;
  };
  using Make = std::function<Slot(const CancelToken&)>;
  template <class T>
  static Make wrap(std::function<Result<T>(const CancelToken&)> make) {
    return [make = std::move(make)](const CancelToken& cancel) -> Slot {
      Result<T> made = make(cancel);
      if (!made.ok()) return {nullptr, std::make_shared<const Error>(made.error())};
      const std::uint64_t bytes = derived_bytes(*made);
      return {std::make_shared<const T>(std::move(made).value()), nullptr, bytes};
    };
  }
  template <class T>
  Answer<T> cast(const Slot& slot) {
    last_error_ = slot.error;
    return {std::static_pointer_cast<const T>(slot.value), last_error_.get()};
  }
  Slot find(const std::string& key, const Make& make, bool in_background);

  struct State;
  std::shared_ptr<State> state_;  // shared with running work
  std::shared_ptr<const Error> last_error_;
};

}  // namespace headlight
