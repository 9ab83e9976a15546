#include "engine/models/parameters.h"

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>

#include "engine/core/parallel.h"
#include "engine/core/rng.h"

namespace headlight::models {
namespace {

// Everything a parameter's values depend on.
std::string key_of(const ParameterSpec& spec, std::uint64_t seed) {
  return std::to_string(seed) + " " + spec.name + " " + to_string(spec.shape) + " " +
         std::to_string(static_cast<int>(spec.fill)) + " " + to_string(Value(spec.deviation)) + " " +
         std::to_string(spec.zero_row);
}

class Cache {
 public:
  bool find(const std::string& key, backends::Buffer& buffer) {
    const std::lock_guard lock(mutex_);
    const auto at = by_key_.find(key);
    if (at == by_key_.end()) return false;
    items_.splice(items_.begin(), items_, at->second);
    buffer = at->second->buffer;
    return true;
  }
  void put(const std::string& key, const backends::Buffer& buffer) {
    const std::lock_guard lock(mutex_);
    if (by_key_.count(key)) return;
    items_.push_front({key, buffer});
    by_key_[key] = items_.begin();
    bytes_ += buffer.host.bytes();
    while (bytes_ > kCacheBytes && items_.size() > 1) {
      bytes_ -= items_.back().buffer.host.bytes();
      by_key_.erase(items_.back().key);
      items_.pop_back();
    }
  }

 private:
  struct Item {
    std::string key;
    backends::Buffer buffer;
  };
  std::mutex mutex_;
  std::list<Item> items_;  // most recently used first
  std::unordered_map<std::string, std::list<Item>::iterator> by_key_;
  std::uint64_t bytes_ = 0;
};

Cache& cache() {
  // Never destroyed: it holds a GPU's memory, and at the process's end CUDA's own end comes before that of what was made earlier.
  static Cache& instance = *new Cache;
  return instance;
}

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

}  // namespace

Result<Tensor> make_parameter(const ParameterSpec& spec, std::uint64_t seed, const CancelToken& cancel) {
  try {
    Tensor t(DType::f32, spec.shape, spec.axes, true);
    if (spec.fill != ParameterSpec::Fill::normal) {
      std::fill_n(t.data<float>(), t.count(), spec.fill == ParameterSpec::Fill::ones ? 1.0f : 0.0f);
      return t;
    }
    const Rng rng(seed, spec.name);
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
    return Error{ErrorKind::too_large, "no memory for " + to_string(spec.shape) + " numbers", spec.name, "use a smaller model"};
  }
}

Result<Tensor> parameter(const ParameterSpec& spec, std::uint64_t seed, const CancelToken& cancel) {
  const std::string key = key_of(spec, seed);
  backends::Buffer found;
  if (cache().find(key, found)) return found.host;
  HL_ASSIGN(Tensor t, make_parameter(spec, seed, cancel));
  cache().put(key, {t, nullptr});
  return t;
}

Result<backends::Buffer> parameter_on(backends::Backend& backend, const ParameterSpec& spec, std::uint64_t seed,
                                      const CancelToken& cancel) {
  // On the host in float32 the tensor is the buffer.
  const std::string key = backend.device().id + " " + key_of(spec, seed);
  backends::Buffer found;
  if (cache().find(key, found)) return found;
  HL_ASSIGN(const Tensor t, parameter(spec, seed, cancel));
  HL_ASSIGN(backends::Buffer buffer, backend.upload(t));
  cache().put(key, buffer);
  return buffer;
}

Result<Tensor> embedding_rows(const ParameterSpec& spec, std::uint64_t seed, std::span<const std::int32_t> ids,
                              const CancelToken& cancel) {
  using Row = std::shared_ptr<const std::vector<float>>;
  const std::int64_t d = spec.shape[1];
  const auto width = static_cast<std::size_t>(d);
  const std::string key = key_of(spec, seed);
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
    const Rng rng(seed, spec.name);
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
    return Error{ErrorKind::too_large, "no memory for " + std::to_string(ids.size()) + " embeddings", {}, "use a shorter text"};
  }
}

}  // namespace headlight::models
