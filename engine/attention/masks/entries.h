// The entries of the mask registry, one a file.
#pragma once

#include "engine/attention/masks/mask.h"

namespace headlight::masks {

Entry padding();
Entry causal();
Entry window();
Entry block();
Entry prefix();
Entry custom();

// u8 [1, 1, queries, keys] with may(query, key) in every cell.
template <class May>
Tensor by_cell(const Request& request, May may) {
  Tensor mask(DType::u8, {1, 1, request.queries, request.keys}, {"batch", "head", "query", "key"}, true);
  auto* cell = mask.data<std::uint8_t>();
  for (std::int64_t i = 0; i < request.queries; ++i)
    for (std::int64_t j = 0; j < request.keys; ++j) *cell++ = may(i, j) ? 1 : 0;
  return mask;
}

inline std::int64_t whole(const Values& values, const char* id, std::int64_t fallback) {
  const auto at = values.find(id);
  const auto* number = at == values.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
  return number ? *number : fallback;
}

}  // namespace headlight::masks
