#include "engine/train/batch_parts.h"

#include <algorithm>

namespace headlight::train {
namespace {

// Numbers of all parameters of a small model: each part packs them for its products and has a gradient of its own by them.
constexpr std::int64_t kMostParameters = std::int64_t{1} << 20;
// Numbers of the residual stream in a part: its arrays then stay in a core's second-level cache.
constexpr std::int64_t kNumbersOfPart = std::int64_t{1} << 15;
constexpr std::int64_t kMostParts = 16;

}  // namespace

std::int64_t parts_of(const Batch& batch, std::int64_t d, std::int64_t parameters) {
  if (parameters > kMostParameters) return 1;
  const std::int64_t rows = batch.ids.dim(0), numbers = (batch.ids.count() + batch.targets.count()) * d;
  return std::clamp<std::int64_t>(numbers / kNumbersOfPart, 1, std::min(rows, kMostParts));
}

Batch part_of(const Batch& batch, std::int64_t part, std::int64_t parts) {
  const std::int64_t rows = batch.ids.dim(0), begin = part * rows / parts, end = (part + 1) * rows / parts;
  const auto some = [&](const std::vector<std::int64_t>& all) {
    return all.empty() ? all : std::vector<std::int64_t>(all.begin() + begin, all.begin() + end);
  };
  const std::int64_t labels = batch.labels.count() / rows;  // of a row
  Batch out;
  out.ids = batch.ids.slice(0, begin, end);
  if (!batch.targets.empty()) out.targets = batch.targets.slice(0, begin, end);
  out.lengths = some(batch.lengths);
  out.target_lengths = some(batch.target_lengths);
  out.labels = batch.labels.reshaped({rows * labels}).slice(0, begin * labels, end * labels);
  const auto all = out.labels.values<std::int32_t>();
  out.labelled = std::count_if(all.begin(), all.end(), [](std::int32_t label) { return label >= 0; });
  return out;
}

}  // namespace headlight::train
