#include "engine/attention/positions/position.h"

#include "engine/attention/positions/position_entries.h"

namespace headlight::positions {
namespace {

Entry none() {
  Entry e;
  e.id = "none";
  e.label = "none";
  e.formula = "nothing is added: without a causal mask the outputs of a permuted sentence are the same, permuted";
  e.source = "Vaswani et al. 2017, 3.5: without them attention sees a set, not a sequence";
  e.make = nullptr;
  return e;
}

template <class Real>
void fill_bias(const Entry& entry, const BiasPart& part, Real* cell) {
  for (std::int64_t h = part.head; h < part.head + part.heads; ++h)
    for (std::int64_t i = part.row; i < part.row + part.rows; ++i)
      for (std::int64_t j = part.column; j < part.column + part.columns; ++j)
        *cell++ = static_cast<Real>(entry.bias(part.all_heads, h, i, j));
}

}  // namespace

Tensor bias_of(const Entry& entry, const BiasPart& part, DType real) {
  Tensor bias(real, {1, part.heads, part.rows, part.columns}, {"batch", "head", "query", "key"}, true);
  if (real == DType::f64)
    fill_bias(entry, part, bias.data<double>());
  else
    fill_bias(entry, part, bias.data<float>());
  return bias;
}

const Registry<Entry>& registry() {
  static const Registry<Entry> positions(
      "position encoding", {none(), binary(), sinusoidal(), learned(), rotary(), rotary_split(), alibi(), relative()});
  return positions;
}

}  // namespace headlight::positions
