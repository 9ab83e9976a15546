// The steps of a trace that plain loops on the host computed, because the backend had no way of its own for them.
#pragma once

#include <string>

#include "engine/pipeline/trace.h"

namespace headlight {

struct OnHost {
  std::int64_t steps = 0;
  std::string operations;  // "rotate pairs, divide by length", each once
};
OnHost on_host(const Trace& trace);

}  // namespace headlight
