#include "engine/pipeline/on_host.h"

#include <set>

namespace headlight {

OnHost on_host(const Trace& trace) {
  OnHost found;
  std::set<std::string> named;
  for (const Step& step : trace.steps()) {
    if (!step.on_host) continue;
    ++found.steps;
    if (named.insert(step.operation).second) found.operations += (found.operations.empty() ? "" : ", ") + step.operation;
  }
  return found;
}

}  // namespace headlight
