#include "engine/backends/cuda/runtime/index_ranges.h"

#include <algorithm>

namespace headlight::backends::cuda {

std::shared_ptr<const IndexRange> range_of(const Tensor& ids) {
  const auto values = ids.values<std::int32_t>();
  auto range = std::make_shared<IndexRange>();
  range->values.assign(values.begin(), values.end());
  if (!values.empty()) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    range->least = *least;
    range->most = *most;
  }
  return range;
}

Result<std::shared_ptr<const IndexRange>> range_of(Backend& backend, const Buffer& ids) {
  const GiveBack* const owner = std::get_deleter<GiveBack>(ids.device);
  if (owner && owner->range && static_cast<std::int64_t>(owner->range->values.size()) == ids.host.count()) return owner->range;
  HL_ASSIGN(const Tensor values, backend.download(ids));
  return range_of(values);
}

Result<std::shared_ptr<const IndexRange>> checked_ids(Backend& backend, const Buffer& ids, std::int64_t rows,
                                                      std::int64_t per_line, const char* where) {
  HL_ASSIGN(std::shared_ptr<const IndexRange> range, range_of(backend, ids));
  if (range->least < 0 || range->most >= rows) HL_TRY(check_ids(range->values, rows, per_line, where));
  return range;
}

}  // namespace headlight::backends::cuda
