// A value that a view derives from a trace: a quick one within the frame, a slow one in the background.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/text/error_words.h"
#include "app/views/base/context.h"

namespace headlight::views {

// Makes the value within the frame if `work` is at most `at_once`, else in the background. The caller chooses the unit of both.
// Null while the value is being computed, and after an error; the error's sentence is then written to `error` unless that pointer
// is null.
// derived_value<Plane>(context, "plane/7", cells, 1 << 18, make, &words) calls `make` in the background for more than 262,144
// cells.
template <class T, class Make>
std::shared_ptr<const T> derived_value(const Context& context, const DerivedKey& key, std::int64_t work, std::int64_t at_once,
                                       const Make& make, std::string* error) {
  const auto answer = work > at_once ? context.derived.later<T>(key, make) : context.derived.now<T>(key, make);
  if (answer.error && error) *error = spoken_in_window(*answer.error);
  return answer.value;
}

}  // namespace headlight::views
