// ValueAddress: one number of a trace, given by its step and its index there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headlight {

struct ValueAddress {
  std::string step;                 // "layer.0.weights", "parameters.layer.0.wq"; empty: no number
  std::vector<std::int64_t> index;  // one number per axis of the step: [batch, head, query, key]
  bool operator==(const ValueAddress&) const = default;
};

}  // namespace headlight
