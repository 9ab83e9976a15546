#include "engine/attention/masks/mask_entries.h"

namespace headlight::masks {

// Without this mask padded positions are attended to like any other: a key of zeros scores 0, and e^0 = 1 (S5).
Entry padding() {
  Entry e;
  e.id = "padding";
  e.label = "padding";
  e.formula = "key j may be attended if j < length of the sentence: [B, 1, 1, M]";
  e.source = "Vaswani et al. 2017, 3.2.3 (illegal connections set to -∞)";
  e.by_sentence = true;
  e.applies_to_encoder = e.applies_to_decoder = e.applies_to_cross = true;
  e.example = {"", {"11100", "11100", "11100", "11100"}};
  e.make = [](const Request& request, const Values&, const Matrix*) -> Result<Tensor> {
    Tensor mask(DType::u8, {request.batch, 1, 1, request.keys}, {"batch", "head", "query", "key"}, true);
    auto* cell = mask.data<std::uint8_t>();
    for (std::int64_t b = 0; b < request.batch; ++b) {
      const auto index = static_cast<std::size_t>(b);
      const std::int64_t length = index < request.key_lengths.size() ? request.key_lengths[index] : request.keys;
      for (std::int64_t j = 0; j < request.keys; ++j) *cell++ = j < length ? 1 : 0;
    }
    return mask;
  };
  return e;
}

}  // namespace headlight::masks
