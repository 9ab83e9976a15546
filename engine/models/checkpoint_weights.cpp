// Weights as a checkpoint has them. A matrix of the plan multiplies from the right, [inputs, outputs], and a stored one is
// [outputs, inputs]: each is widened and turned when it is asked for.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <new>
#include <set>

#include "engine/backends/base/stored_matrix.h"
#include "engine/checkpoints/finite.h"
#include "engine/core/parallel.h"
#include "engine/models/checkpoint_weights.h"

namespace headlight::models {
namespace {

using architectures::Checkpoint;
using architectures::StoredPlace;
using checkpoints::StoredTensor;

constexpr Phrase<0> kCopyAgain = "copy the model's files again from where they were published";

std::string_view plain_name(std::string_view parameter) {
  constexpr std::string_view kPrefix = "parameters.";
  return parameter.starts_with(kPrefix) ? parameter.substr(kPrefix.size()) : parameter;
}

// Tables have a row for every token or place; other matrices are turned.
bool is_rows(const ParameterSpec& spec) {
  if (!spec.part.of.empty()) return false;  // the head that is the embedding table's transpose
  const std::string_view name = plain_name(spec.name);
  return spec.shape.size() == 2 && (name == "embedding" || name == "position" || name == "token_types");
}

// A parameter with the tensor that it is read from.
struct Found {
  const StoredPlace* place = nullptr;
  const StoredTensor* tensor = nullptr;
};

// The shape that the tensor must have. A table of positions or token types may have more rows than are used.
Shape expected_shape(const ParameterSpec& spec, const StoredPlace& place, const Shape& stored) {
  if (place.row_of_table) return {stored.empty() ? 1 : std::max(stored[0], place.first + 1), spec.shape[0]};
  const bool table = is_rows(spec);
  const std::int64_t outputs = spec.shape.size() == 1 || table ? spec.shape[0] : spec.shape[1];
  const std::int64_t rows = place.rows > 0 ? place.rows : place.first + outputs;
  if (spec.shape.size() == 1) return {rows};
  if (table) return {rows, spec.shape[1]};
  return place.turned ? Shape{spec.shape[0], rows} : Shape{rows, spec.shape[0]};
}

// The rows of a stored tensor that are the columns of one parameter.
class MappedMatrix final : public backends::StoredMatrix {
 public:
  MappedMatrix(std::shared_ptr<const Checkpoint> checkpoint, const Found& found, std::int64_t inner, std::int64_t columns)
      : checkpoint_(std::move(checkpoint)), found_(found), inner_(inner), columns_(columns) {
    const checkpoints::StoredTypeEntry& entry = checkpoints::entry_of(type());
    if (inner % entry.block != 0 || !checkpoints::can_multiply(type())) return;
    for (std::int64_t j = 0; j < columns; ++j)
      starts_.push_back(found_.tensor->bytes.data() + found_.place->row(j) * (inner / entry.block) * entry.bytes);
  }
  std::int64_t inner() const override { return inner_; }
  std::int64_t columns() const override { return columns_; }
  checkpoints::StoredType type() const override { return found_.tensor->type; }
  const std::byte* const* starts() const override { return starts_.empty() ? nullptr : starts_.data(); }
  bool worth_packing() const override { return type() == checkpoints::StoredType::f32 || type() == checkpoints::StoredType::f64; }
  void widen(std::int64_t first, std::int64_t count, float* to) const override {
    const StoredPlace& place = *found_.place;
    if (place.paired == 0 && place.block == 0) return widen_rows(place.first + first, count, to);
    for (std::int64_t j = 0; j < count; ++j) widen_rows(place.row(first + j), 1, to + j * inner_);
  }

 private:
  void widen_rows(std::int64_t row, std::int64_t count, float* to) const {
    // Type and range were checked when the matrix was made.
    [[maybe_unused]] const Status widened = checkpoints::widen(*found_.tensor, row * inner_, count * inner_, to);
  }
  std::shared_ptr<const Checkpoint> checkpoint_;
  Found found_;
  std::int64_t inner_, columns_;
  std::vector<const std::byte*> starts_;
};

class CheckpointWeights final : public Weights {
 public:
  explicit CheckpointWeights(std::shared_ptr<const Checkpoint> checkpoint)
      : checkpoint_(std::move(checkpoint)),
        identity_("checkpoint " + checkpoint_->architecture.id + " " + checkpoint_->file->identity()) {}
  Status check(const std::vector<ParameterSpec>& parameters) const;
  bool are_of(const std::shared_ptr<const Checkpoint>& checkpoint) const { return checkpoint_ == checkpoint; }

  const std::string& identity() const override { return identity_; }
  Origin origin() const override { return Origin::file; }
  std::string label() const override { return "weights of " + checkpoint_->title; }
  bool gives_parts() const override { return true; }
  Result<std::shared_ptr<const backends::StoredMatrix>> stored(const ParameterSpec& spec,
                                                               const CancelToken& cancel) const override;
  Result<Tensor> tensor(const ParameterSpec& spec, const CancelToken& cancel) const override;
  Result<Tensor> rows(const ParameterSpec& spec, std::span<const std::int32_t> ids, const CancelToken& cancel) const override;

 private:
  Result<Found> find(const ParameterSpec& spec) const;
  Failure wrong(const Message& what) const {
    return invalid("{}", what).at(checkpoint_->file->files().front().string()).mend(kCopyAgain);
  }
  // The rows begin .. end - 1 of outputs, each `width` numbers, one after another.
  Status read_rows(const Found& found, std::int64_t begin, std::int64_t end, std::int64_t width, float* to) const;
  Status finish(const Found& found, Tensor& values) const;

  std::shared_ptr<const Checkpoint> checkpoint_;
  std::string identity_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const backends::StoredMatrix>, std::less<>> matrices_;  // by parameter
};

Result<Found> CheckpointWeights::find(const ParameterSpec& spec) const {
  const architectures::Architecture& a = checkpoint_->architecture;
  const std::string_view name = plain_name(spec.part.of.empty() ? spec.name : spec.part.of);
  const StoredPlace* const place = a.place_of(name);
  if (!place) return failure(ErrorKind::internal, "the parameter '{}' has no place in a checkpoint", name);
  const StoredTensor* const tensor = a.find(*checkpoint_->file, *place, name);
  if (!tensor) {
    std::string wanted = place->tensor.substr(0, place->tensor.find('|'));
    if (const std::size_t at = wanted.find(".N."); at != std::string::npos) {
      const std::size_t dot = name.find('.', 6);
      wanted.replace(at + 1, 1, name.substr(6, dot - 6));
    }
    return wrong(Message("the tensor '{}' is missing", a.prefix + wanted));
  }
  const Shape shape = expected_shape(spec, *place, tensor->shape);
  if (tensor->shape != shape)
    return wrong(Message("the tensor '{}' is {}, and the model's description makes it {}", tensor->name, to_string(tensor->shape),
                         to_string(shape)));
  return Found{place, tensor};
}

Status CheckpointWeights::check(const std::vector<ParameterSpec>& parameters) const {
  std::set<std::string_view> used;
  for (const ParameterSpec& spec : parameters) {
    if (!spec.part.of.empty()) continue;  // a tied output matrix is the embedding table
    HL_ASSIGN(const Found found, find(spec));
    if (!checkpoints::can_widen(found.tensor->type))
      return invalid("the tensor '{}' is of the type {}, which is not read here; read are {}", found.tensor->name,
                     checkpoints::name_of(found.tensor->type), checkpoints::widened_names())
          .at(checkpoint_->file->files().front().string())
          .mend("take the model in one of these types, or save it again in one: model.float().save_pretrained(...)");
    used.insert(found.tensor->name);
  }
  for (const StoredTensor& tensor : checkpoint_->file->tensors())
    if (!used.contains(tensor.name) && !checkpoint_->architecture.ignores(tensor.name))
      return wrong(
          Message("the tensor '{}' has no place in a model of the architecture {}", tensor.name, checkpoint_->architecture.id));
  return {};
}

Status CheckpointWeights::read_rows(const Found& found, std::int64_t begin, std::int64_t end, std::int64_t width,
                                    float* to) const {
  for (std::int64_t j = begin; j < end; ++j)
    HL_TRY(checkpoints::widen(*found.tensor, found.place->row(j) * width, width, to + (j - begin) * width));
  return {};
}

// Adds what the place adds, and looks for numbers that are none.
Status CheckpointWeights::finish(const Found& found, Tensor& values) const {
  float* const all = values.data<float>();
  const std::int64_t count = values.count();
  const auto added = static_cast<float>(found.place->added);
  bool finite = true;
  for (std::int64_t i = 0; i < count; ++i) {
    all[i] += added;
    finite = finite && std::isfinite(all[i]);
  }
  if (!finite) return wrong(Message("the tensor '{}' has a number that is not finite", found.tensor->name));
  return {};
}

Result<Tensor> CheckpointWeights::tensor(const ParameterSpec& spec, const CancelToken& cancel) const {
  try {
    HL_ASSIGN(const Found found, find(spec));
    const StoredPlace& place = *found.place;
    Tensor values(DType::f32, spec.shape, spec.axes, true);
    float* const to = values.data<float>();
    if (place.row_of_table) {
      HL_TRY(checkpoints::widen(*found.tensor, place.first * spec.shape[0], spec.shape[0], to));
    } else if (spec.shape.size() == 1) {
      HL_TRY(read_rows(found, 0, spec.shape[0], 1, to));
    } else if (is_rows(spec)) {
      HL_TRY(read_rows(found, 0, spec.shape[0], spec.shape[1], to));
    } else if (place.turned) {  // as the plan has it
      const std::int64_t inputs = spec.shape[0], outputs = spec.shape[1], all = found.tensor->shape[1];
      for (std::int64_t i = 0; i < inputs; ++i)
        HL_TRY(checkpoints::widen(*found.tensor, i * all + place.first, outputs, to + i * outputs));
    } else {
      const std::int64_t inputs = spec.shape[0], outputs = spec.shape[1];
      constexpr std::int64_t kTile = 32;
      std::vector<Status> failed(static_cast<std::size_t>((outputs + kTile - 1) / kTile));
      const bool done = parallel_for(
          static_cast<std::int64_t>(failed.size()), 1,
          [&](std::int64_t begin, std::int64_t end) {
            std::vector<float> tile(static_cast<std::size_t>(kTile * inputs));
            for (std::int64_t t = begin; t < end; ++t) {
              const std::int64_t first = t * kTile, count = std::min(kTile, outputs - first);
              Status& status = failed[static_cast<std::size_t>(t)];
              status = read_rows(found, first, first + count, inputs, tile.data());
              if (!status) continue;
              for (std::int64_t i = 0; i < inputs; ++i)
                for (std::int64_t j = 0; j < count; ++j)
                  to[i * outputs + first + j] = tile[static_cast<std::size_t>(j * inputs + i)];
            }
          },
          cancel);
      if (!done) return cancelled();
      for (const Status& status : failed) HL_TRY(status);
    }
    HL_TRY(finish(found, values));
    HL_TRY(checkpoint_->file->check_intact());
    return values;
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "no memory for {} numbers", to_string(spec.shape))
        .at(spec.name)
        .mend("use a smaller model");
  }
}

Result<std::shared_ptr<const backends::StoredMatrix>> CheckpointWeights::stored(const ParameterSpec& spec,
                                                                                const CancelToken& cancel) const {
  using Matrix = std::shared_ptr<const backends::StoredMatrix>;
  if (spec.shape.size() != 2 || is_rows(spec)) return Matrix();
  HL_TRY(checkpoint_->file->check_intact());
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = matrices_.find(spec.name); at != matrices_.end()) return at->second;
  }
  HL_ASSIGN(const Found found, find(spec));
  if (found.place->turned || found.place->added != 0) return Matrix();
  const std::int64_t inner = spec.shape[0], columns = spec.shape[1];
  const Matrix matrix = std::make_shared<MappedMatrix>(checkpoint_, found, inner, columns);
  // Numbers that are none are found once, before the first product.
  std::atomic<bool> finite = true;
  const bool done = parallel_for(
      columns, 64,
      [&](std::int64_t begin, std::int64_t end) {
        if (const std::byte* const* const starts = matrix->starts()) {
          const std::int64_t blocks = inner / checkpoints::entry_of(matrix->type()).block;
          for (std::int64_t j = begin; j < end && finite; ++j)
            if (!checkpoints::are_finite(matrix->type(), starts[j], blocks)) finite = false;
          return;
        }
        std::vector<float> column(static_cast<std::size_t>(inner));
        for (std::int64_t j = begin; j < end && finite; ++j) {
          matrix->widen(j, 1, column.data());
          float zeros = 0;  // 0 x is 0 for every number, and NaN for what is none
          for (const float x : column) zeros += 0 * x;
          if (!(zeros == 0)) finite = false;
        }
      },
      cancel);
  if (!done) return cancelled();
  if (!finite) return wrong(Message("the tensor '{}' has a number that is not finite", found.tensor->name));
  const std::lock_guard lock(mutex_);
  return matrices_.emplace(spec.name, matrix).first->second;
}

Result<Tensor> CheckpointWeights::rows(const ParameterSpec& spec, std::span<const std::int32_t> ids,
                                       const CancelToken& cancel) const {
  try {
    HL_ASSIGN(const Found found, find(spec));
    const std::int64_t width = spec.shape[1];
    Tensor values(DType::f32, {static_cast<std::int64_t>(ids.size()), width}, {"position", "d_model"}, true);
    float* to = values.data<float>();
    for (const std::int32_t id : ids) {
      if (cancel.cancelled()) return cancelled();
      if (id < 0 || id >= spec.shape[0] || id == spec.zero_row) {
        std::fill_n(to, width, 0.0f);
      } else {
        HL_TRY(checkpoints::widen(*found.tensor, found.place->row(id) * width, width, to));
      }
      to += width;
    }
    HL_TRY(finish(found, values));
    HL_TRY(checkpoint_->file->check_intact());
    return values;
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "no memory for {} embeddings", ids.size()).mend("use a shorter text");
  }
}

}  // namespace

Result<std::shared_ptr<const Weights>> checkpoint_weights(const std::shared_ptr<const Checkpoint>& checkpoint,
                                                          FunctionRef<std::vector<ParameterSpec>()> parameters) {
  // One for all runs while a trace keeps it: a matrix's numbers are looked through once.
  static std::mutex mutex;
  static std::map<const Checkpoint*, std::weak_ptr<CheckpointWeights>> opened;
  const std::lock_guard lock(mutex);
  std::erase_if(opened, [](const auto& one) { return one.second.expired(); });
  std::weak_ptr<CheckpointWeights>& slot = opened[checkpoint.get()];
  std::shared_ptr<CheckpointWeights> weights = slot.lock();
  if (weights && weights->are_of(checkpoint)) return std::shared_ptr<const Weights>(std::move(weights));
  weights = std::make_shared<CheckpointWeights>(checkpoint);
  HL_TRY(weights->check(parameters()));
  slot = weights;
  return std::shared_ptr<const Weights>(std::move(weights));
}

}  // namespace headlight::models
