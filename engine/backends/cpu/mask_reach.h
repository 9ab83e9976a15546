// MaskReach: the number of keys that each row of a mask reaches. Behind the last key that a query may attend to, all weights are
// 0, and no product needs them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "engine/operations/attention.h"

namespace headlight::backends::cpu {

// Whether a head's matrices are so small that its products read them unpacked: packing and transposing would take as long as the
// products.
inline bool is_small(const operations::Attention& op) {
  constexpr std::int64_t kSmall = 64;
  return op.queries <= kSmall && op.keys <= kSmall && op.d_k <= kSmall && op.d_v <= kSmall;
}

class MaskReach {
 public:
  // keep: the mask, of the given shape, or null. Every row reaches all keys without a mask, and under minus_1e9, because its
  // weights are small but not always 0.
  MaskReach(const operations::Attention& op, const std::uint8_t* keep, const Shape& shape) : keys_(op.keys) {
    if (!keep || op.fill != operations::MaskFill::minus_infinity) return;
    step_ = operations::mask_strides(shape);
    if (step_[3] == 1) keep_ = keep;
  }
  bool ends_early() const { return keep_ != nullptr; }
  // The reach of query `i`: it may attend to no key from of() on. All keys if it may attend to none.
  // With a causal mask of(0, 0, 4) is 5.
  std::int64_t of(std::int64_t text, std::int64_t head, std::int64_t i) const {
    if (!keep_) return keys_;
    const std::uint8_t* const row = keep_ + text * step_[0] + head * step_[1] + i * step_[2];
    std::int64_t end = keys_;
    std::uint64_t eight = 0;
    for (; end >= 8; end -= 8) {
      std::memcpy(&eight, row + end - 8, sizeof(eight));
      if (eight != 0) break;
    }
    while (end > 0 && !row[end - 1]) --end;
    return end > 0 ? end : keys_;
  }
  // The largest reach of the queries first .. first + count - 1. With a causal mask of_rows(0, 0, 10, 5) is 15.
  std::int64_t of_rows(std::int64_t text, std::int64_t head, std::int64_t first, std::int64_t count) const {
    std::int64_t most = keep_ ? 0 : keys_;
    for (std::int64_t i = first; keep_ && i < first + count; ++i) most = std::max(most, of(text, head, i));
    return most;
  }

 private:
  std::int64_t keys_;
  const std::uint8_t* keep_ = nullptr;
  std::array<std::int64_t, 4> step_{};
};

}  // namespace headlight::backends::cpu
