// Weights drawn by a seed.
#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>

#include "engine/core/parallel.h"
#include "engine/core/parameter.h"
#include "engine/core/rng.h"
#include "engine/models/weights.h"

namespace headlight::models {
namespace {

void draw_row(const Rng& rng, const ParameterSpec& spec, std::uint64_t row, std::int64_t columns, float* to) {
  for (std::int64_t c = 0; c < columns; ++c)
    to[c] = static_cast<float>(spec.deviation * rng.normal(row, static_cast<std::uint64_t>(c)));
}

// Rows of embedding tables, each made when its token is first seen.
struct RowCache {
  static constexpr std::size_t kBytes = std::size_t{256} << 20;
  std::mutex mutex;
  std::unordered_map<std::string, std::unordered_map<std::int32_t, std::shared_ptr<const std::vector<float>>>> tables;
  std::size_t bytes = 0;
};

RowCache& row_cache() {
  static RowCache instance;
  return instance;
}

class SeededWeights final : public Weights {
 public:
  explicit SeededWeights(std::uint64_t seed) : seed_(seed), identity_("seeded " + std::to_string(seed)) {}
  const std::string& identity() const override { return identity_; }
  Origin origin() const override { return Origin::random; }
  std::string label() const override { return "random weights, seed " + std::to_string(seed_); }
  Result<Tensor> tensor(const ParameterSpec& spec, const CancelToken& cancel) const override;
  Result<Tensor> rows(const ParameterSpec& spec, std::span<const std::int32_t> ids, const CancelToken& cancel) const override;

 private:
  std::uint64_t seed_;
  std::string identity_;
};

Result<Tensor> SeededWeights::tensor(const ParameterSpec& spec, const CancelToken& cancel) const {
  try {
    Tensor t(DType::f32, spec.shape, spec.axes, true);
    if (spec.fill != ParameterSpec::Fill::normal) {
      std::fill_n(t.data<float>(), t.count(), spec.fill == ParameterSpec::Fill::ones ? 1.0f : 0.0f);
      return t;
    }
    const Rng rng(seed_, spec.name);
    const std::int64_t columns = spec.shape.back();
    const std::int64_t rows = t.count() / columns;
    float* values = t.data<float>();
    const bool done = parallel_for(
        rows, std::max<std::int64_t>(1, 4096 / columns),
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t r = begin; r < end; ++r) {
            if (r == spec.zero_row) {
              std::fill_n(values + r * columns, columns, 0.0f);
            } else {
              draw_row(rng, spec, static_cast<std::uint64_t>(r), columns, values + r * columns);
            }
          }
        },
        cancel);
    if (!done) return cancelled();
    return t;
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "no memory for {} numbers", to_string(spec.shape))
        .at(spec.name)
        .mend("use a smaller model");
  }
}

Result<Tensor> SeededWeights::rows(const ParameterSpec& spec, std::span<const std::int32_t> ids,
                                   const CancelToken& cancel) const {
  using Row = std::shared_ptr<const std::vector<float>>;
  const std::int64_t d = spec.shape[1];
  const auto width = static_cast<std::size_t>(d);
  const std::string key = identity_ + " " + spec.name + " " + to_string(spec.shape) + " " + to_string(Value(spec.deviation)) +
                          " " + std::to_string(spec.zero_row);
  RowCache& rows = row_cache();
  std::unordered_map<std::int32_t, Row> known;
  std::vector<std::int32_t> missing;
  {
    const std::lock_guard lock(rows.mutex);
    const auto& table = rows.tables[key];
    for (const std::int32_t id : ids) {
      if (id < 0 || id >= spec.shape[0] || id == spec.zero_row || known.count(id)) continue;
      const auto at = table.find(id);
      known[id] = at == table.end() ? nullptr : at->second;
      if (at == table.end()) missing.push_back(id);
    }
  }
  try {
    const Rng rng(seed_, spec.name);
    std::vector<Row> made(missing.size());
    const bool done = parallel_for(
        static_cast<std::int64_t>(missing.size()), std::max<std::int64_t>(1, 4096 / d),
        [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) {
            auto row = std::make_shared<std::vector<float>>(width);
            draw_row(rng, spec, static_cast<std::uint64_t>(missing[static_cast<std::size_t>(i)]), d, row->data());
            made[static_cast<std::size_t>(i)] = std::move(row);
          }
        },
        cancel);
    if (!done) return cancelled();
    {
      const std::lock_guard lock(rows.mutex);
      if (rows.bytes + missing.size() * width * sizeof(float) > RowCache::kBytes) {
        rows.tables.clear();
        rows.bytes = 0;
      }
      auto& table = rows.tables[key];
      for (std::size_t i = 0; i < missing.size(); ++i) {
        known[missing[i]] = made[i];
        if (table.emplace(missing[i], made[i]).second) rows.bytes += width * sizeof(float);
      }
    }
    Tensor out(DType::f32, {static_cast<std::int64_t>(ids.size()), d}, {"position", "d_model"}, true);
    float* to = out.data<float>();
    for (const std::int32_t id : ids) {
      const auto at = known.find(id);
      if (at == known.end()) {
        std::fill_n(to, d, 0.0f);
      } else {
        std::copy_n(at->second->data(), d, to);
      }
      to += d;
    }
    return out;
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "no memory for {} embeddings", ids.size()).mend("use a shorter text");
  }
}

}  // namespace

std::shared_ptr<const Weights> seeded_weights(std::uint64_t seed) { return std::make_shared<SeededWeights>(seed); }

}  // namespace headlight::models
