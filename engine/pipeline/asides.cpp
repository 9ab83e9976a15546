#include "engine/pipeline/asides.h"

#include <cstdint>

namespace headlight {

using Aside = models::Node::Aside;

bool is_of_tokens(Aside aside) { return aside == Aside::labels || aside == Aside::next_labels || aside == Aside::all_but_last; }

Tensor positions_aside(Aside aside, const positions::Entry& entry, std::int64_t length, std::int64_t d_model) {
  const std::int64_t pairs = (d_model + 1) / 2, rows = aside == Aside::frequencies ? 1 : length;
  const std::int64_t columns = aside == Aside::places ? 1 : pairs;
  Tensor made(DType::f64, {rows, columns}, {}, true);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t i = 0; i < columns; ++i) {
      const double place = aside == Aside::frequencies ? 1 : static_cast<double>(row);
      made.data<double>()[row * columns + i] = aside == Aside::places ? place : place * entry.frequency(i, d_model);
    }
  return made;
}

Tensor labels_aside(Aside aside, const BatchIds& batch) {
  const auto sentences = static_cast<std::int64_t>(batch.lengths.size());
  const std::int64_t shift = aside == Aside::labels ? 0 : 1, columns = batch.longest - shift;
  Tensor made(DType::i32, {sentences * columns}, {}, true);
  for (std::int64_t b = 0; b < sentences; ++b)
    for (std::int64_t i = 0; i < columns; ++i) {
      const std::int64_t from = b * batch.longest + i;
      const bool inside = i + shift < batch.lengths[static_cast<std::size_t>(b)];
      made.data<std::int32_t>()[b * columns + i] = aside == Aside::all_but_last ? static_cast<std::int32_t>(from)
                                                   : inside                     ? batch.ids.data<std::int32_t>()[from + shift]
                                                                                : -1;
    }
  return made;
}

}  // namespace headlight
