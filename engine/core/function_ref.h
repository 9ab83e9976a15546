// FunctionRef: a reference to a callable, which a function takes as its argument and calls before it returns. Unlike a
// std::function, it owns nothing: the compiler writes no code that copies and destroys each of the hundreds of lambdas passed so.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

namespace headlight {

template <class Signature>
class FunctionRef;

// The callable must outlive the reference: make it an argument, not a member.
template <class R, class... Arguments>
class FunctionRef<R(Arguments...)> {
 public:
  template <class F, class = std::enable_if_t<!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>>>
  FunctionRef(F&& f)
      : callable_(const_cast<void*>(static_cast<const void*>(std::addressof(f)))),
        call_([](void* callable, Arguments... arguments) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(callable))(std::forward<Arguments>(arguments)...);
        }) {}

  R operator()(Arguments... arguments) const { return call_(callable_, std::forward<Arguments>(arguments)...); }

 private:
  void* callable_;
  R (*call_)(void*, Arguments...);
};

}  // namespace headlight
