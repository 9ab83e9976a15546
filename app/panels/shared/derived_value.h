// A value that a view derives from a trace: within the frame where that is quick, else in the background.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/panels/shared/panel.h"
#include "app/text/error_words.h"

namespace headlight::panels {

// `work` above `at_once` goes to the background, both in whatever the caller counts. Null while the value is being computed, or
// after an error, whose sentence is then in `error` unless that is null.
template <class T, class Make>
std::shared_ptr<const T> derived_value(const Context& context, const std::string& key, std::int64_t work, std::int64_t at_once,
                                       const Make& make, std::string* error) {
  const auto answer = work > at_once ? context.derived.later<T>(key, make) : context.derived.now<T>(key, make);
  if (answer.error && error) *error = spoken_in_window(*answer.error);
  return answer.value;
}

}  // namespace headlight::panels
