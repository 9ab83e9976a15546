// Which steps of a trace its backend left to the plain loops on the host, having no way of its own for them.
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
