// The entries of the mask registry, one per file; mask_list.inc lists them.
#pragma once

#include <algorithm>

#include "engine/attention/masks/mask.h"
#include "engine/core/parallel.h"

namespace headlight::masks {

#define MASK(name) Entry name();
#include "engine/attention/masks/mask_list.inc"
#undef MASK

// A u8 mask [1, 1, queries, keys] with may(query, key) in every cell.
// by_cell(request, [](auto i, auto j) { return j <= i; }) is the causal mask.
template <class May>
Tensor by_cell(const Request& request, May may) {
  Tensor mask(DType::u8, {1, 1, request.queries, request.keys}, {"batch", "head", "query", "key"}, true);
  auto* cells = mask.data<std::uint8_t>();
  parallel_for(request.queries, std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(1, request.keys)),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i)
                   for (std::int64_t j = 0; j < request.keys; ++j) cells[i * request.keys + j] = may(i, j) ? 1 : 0;
               });
  return mask;
}

// A parameter that counts tokens: token_count("size", 4, 1, "...") is 4 unless given, from 1 to 1,000,000.
inline Parameter token_count(const char* id, std::int64_t fallback, double least, const char* help) {
  return {id, id, help, Parameter::Kind::integer, fallback, least, 1000000, {}};
}

// The whole number `id` among the values: whole(values, "size", 4) is 4 if there is none.
inline std::int64_t whole(const Values& values, const char* id, std::int64_t fallback) {
  const auto at = values.find(id);
  const auto* number = at == values.end() ? nullptr : std::get_if<std::int64_t>(&at->second);
  return number ? *number : fallback;
}

}  // namespace headlight::masks
