#include "engine/models/weights.h"

#include <list>
#include <mutex>
#include <new>
#include <unordered_map>

#include "engine/backends/base/stored_matrix.h"

namespace headlight::models {
namespace {

class Cache {
 public:
  bool find(const Fingerprint& key, backends::Buffer& buffer) {
    const std::lock_guard lock(mutex_);
    const auto at = by_key_.find(key);
    if (at == by_key_.end()) return false;
    items_.splice(items_.begin(), items_, at->second);
    buffer = at->second->buffer;
    return true;
  }
  void put(const Fingerprint& key, const backends::Buffer& buffer) {
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
    Fingerprint key;
    backends::Buffer buffer;
  };
  std::mutex mutex_;
  std::list<Item> items_;  // most recently used first
  std::unordered_map<Fingerprint, std::list<Item>::iterator, FingerprintHash> by_key_;
  std::uint64_t bytes_ = 0;
};

Cache& cache() {
  // Never destroyed: it holds a GPU's memory, and at the process's end CUDA's own end comes before that of what was made earlier.
  static Cache& instance = *new Cache;
  return instance;
}

bool is_cut(const ParameterSpec& spec) { return !spec.part.of.empty(); }

// The tensor that the parameter is a part of.
ParameterSpec stored(const ParameterSpec& spec) {
  ParameterSpec whole = spec;
  whole.name = spec.part.of;
  whole.shape = spec.part.shape;
  whole.part = {};
  return whole;
}

Result<Tensor> cut(const Tensor& whole, const ParameterSpec& spec) {
  const bool vector = spec.shape.size() == 1;
  const std::int64_t rows = vector ? 1 : spec.shape[spec.part.transposed ? 1 : 0];
  const std::int64_t columns = vector ? spec.shape[0] : spec.shape[spec.part.transposed ? 0 : 1];
  const Tensor matrix = whole.rank() == 1 ? whole.reshaped({1, whole.dim(0)}) : whole;
  const std::int64_t row = spec.part.first_row, column = spec.part.first_column;
  if (matrix.rank() != 2 || row < 0 || column < 0 || row + rows > matrix.dim(0) || column + columns > matrix.dim(1))
    return invalid("rows {}..{} and columns {}..{} of a tensor of shape {}", row, row + rows, column, column + columns,
                   to_string(whole.shape()))
        .at(spec.name)
        .mend("the checkpoint is of another model");
  Tensor part = matrix.slice(0, row, row + rows).slice(1, column, column + columns);
  if (spec.part.transposed) part = part.permuted({1, 0});
  return part.compact().reshaped(spec.shape, spec.axes);
}

Fingerprint key_of(const Weights& weights, const ParameterSpec& spec) {
  Fingerprint key;
  add_to(key, weights, spec);
  return key;
}

}  // namespace

void add_to(Fingerprint& key, const Weights& weights, const ParameterSpec& spec) {
  key.add(std::string_view(weights.identity())).add(std::string_view(spec.name)).add(static_cast<std::uint64_t>(spec.fill));
  key.add(spec.deviation).add(static_cast<std::uint64_t>(spec.zero_row));
  for (const std::int64_t size : spec.shape) key.add(static_cast<std::uint64_t>(size));
  if (!is_cut(spec)) return;
  key.add(std::string_view(spec.part.of)).add(static_cast<std::uint64_t>(spec.part.transposed));
  key.add(static_cast<std::uint64_t>(spec.part.first_row)).add(static_cast<std::uint64_t>(spec.part.first_column));
  for (const std::int64_t size : spec.part.shape) key.add(static_cast<std::uint64_t>(size));
}

Result<Tensor> parameter(const Weights& weights, const ParameterSpec& spec, const CancelToken& cancel) {
  const Fingerprint key = key_of(weights, spec);
  backends::Buffer found;
  if (cache().find(key, found)) return found.host;
  Tensor t;
  if (is_cut(spec) && !weights.gives_parts()) {
    HL_ASSIGN(const Tensor whole, parameter(weights, stored(spec), cancel));
    try {
      HL_ASSIGN(t, cut(whole, spec));
    } catch (const std::bad_alloc&) {
      return failure(ErrorKind::too_large, "no memory for {} numbers", to_string(spec.shape))
          .at(spec.name)
          .mend("use a smaller model");
    }
  } else {
    HL_ASSIGN(t, weights.tensor(spec, cancel));
  }
  cache().put(key, {t, nullptr});
  return t;
}

Result<std::shared_ptr<const backends::StoredMatrix>> Weights::stored(const ParameterSpec&, const CancelToken&) const {
  return std::shared_ptr<const backends::StoredMatrix>();
}

Result<backends::Buffer> parameter_on(backends::Backend& backend, const Weights& weights, const ParameterSpec& spec,
                                      const CancelToken& cancel) {
  if (backends::reads_stored(backend)) {
    HL_ASSIGN(auto stored, weights.stored(spec, cancel));
    if (stored) return backends::stored_buffer(std::move(stored), spec.axes);
  }
  // On the host in float32 the tensor is the buffer.
  Fingerprint key = key_of(weights, spec);
  key.add(std::string_view(backend.device().id));
  backends::Buffer found;
  if (cache().find(key, found)) return found;
  HL_ASSIGN(const Tensor t, parameter(weights, spec, cancel));
  HL_ASSIGN(backends::Buffer buffer, backend.upload(t));
  cache().put(key, buffer);
  return buffer;
}

}  // namespace headlight::models
