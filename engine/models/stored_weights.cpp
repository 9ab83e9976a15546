#include "engine/models/stored_weights.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <system_error>
#include <tuple>

#include "engine/core/files.h"
#include "engine/core/safetensors.h"
#include "engine/models/stored_names.h"

namespace headlight::models {
namespace {

namespace fs = std::filesystem;

constexpr Phrase<0> kMend = "copy the model's whole folder again, or train it again";

// Where the first number stands that is NaN or infinite.
std::optional<std::int64_t> not_finite(const Tensor& tensor) {
  const auto values = tensor.values<float>();
  const auto at = std::find_if(values.begin(), values.end(), [](float x) { return !std::isfinite(x); });
  if (at == values.end()) return {};
  return at - values.begin();
}

Failure wrong_tensor(const std::string& name, const Message& what, const std::string& where) {
  return invalid("the tensor '{}' {}", name, what).at(where).mend(kMend);
}

class StoredWeights final : public Weights {
 public:
  StoredWeights(std::string identity, Origin origin, std::string label)
      : identity_(std::move(identity)), origin_(origin), label_(std::move(label)) {}
  void add(const std::string& parameter, Tensor values) { tensors_.emplace(parameter, std::move(values)); }

  const std::string& identity() const override { return identity_; }
  Origin origin() const override { return origin_; }
  std::string label() const override { return label_; }
  Result<Tensor> tensor(const ParameterSpec& spec, const CancelToken&) const override {
    HL_ASSIGN(const Tensor t, find(spec));
    return t.named(spec.axes);
  }
  Result<Tensor> rows(const ParameterSpec& spec, std::span<const std::int32_t> ids, const CancelToken& cancel) const override;

 private:
  Result<Tensor> find(const ParameterSpec& spec) const {
    const auto at = tensors_.find(spec.name);
    if (at == tensors_.end()) return not_found("the model has no parameter '{}'", spec.name).at(label_).mend(kMend);
    if (at->second.shape() != spec.shape)
      return invalid("the parameter is {}, and {} is asked for", to_string(at->second.shape()), to_string(spec.shape))
          .at(spec.name)
          .mend("ask for the model as it was trained");
    return at->second;
  }

  std::string identity_;
  Origin origin_;
  std::string label_;
  std::map<std::string, Tensor, std::less<>> tensors_;  // by parameter, as they act from the right
};

Result<Tensor> StoredWeights::rows(const ParameterSpec& spec, std::span<const std::int32_t> ids,
                                   const CancelToken& cancel) const {
  HL_ASSIGN(const Tensor table, find(spec));
  if (cancel.cancelled()) return cancelled();
  try {
    const std::int64_t d = spec.shape[1];
    Tensor out(DType::f32, {static_cast<std::int64_t>(ids.size()), d}, {"position", "d_model"}, true);
    float* to = out.data<float>();
    for (const std::int32_t id : ids) {
      if (id < 0 || id >= spec.shape[0] || id == spec.zero_row) {
        std::fill_n(to, d, 0.0f);
      } else {
        std::copy_n(table.data<float>() + id * d, d, to);
      }
      to += d;
    }
    return out;
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "no memory for {} embeddings", ids.size()).mend("use a shorter text");
  }
}

// The tensors of `file`, each under the parameter that it is.
Status fill(StoredWeights& weights, const StoredModel& model, const std::vector<ParameterSpec>& parameters,
            const NamedTensors& file, const std::string& where) {
  std::set<std::string> expected;
  for (const ParameterSpec& spec : parameters) {
    if (!spec.part.of.empty()) continue;  // a part of another one, as a tied output matrix is
    HL_ASSIGN(const std::string name, stored_name(model, spec.name));
    expected.insert(name);
    const Tensor* const stored = find(file, name);
    if (!stored) return not_found("the tensor '{}' is missing", name).at(where).mend(kMend);
    const Shape shape = stored_shape(spec.name, spec.shape);
    if (stored->shape() != shape)
      return wrong_tensor(name, Message("is {}, and its config.json makes it {}", to_string(stored->shape()), to_string(shape)),
                          where);
    const Tensor reals = stored->as(DType::f32);
    if (const auto at = not_finite(reals)) return wrong_tensor(name, Message("has no finite number at place {}", *at), where);
    weights.add(spec.name, from_stored(model, spec.name, reals));
  }
  for (const auto& [name, tensor] : file)
    if (!expected.contains(name))
      return wrong_tensor(name, Message("has no place in the model that its config.json describes"), where);
  return {};
}

// What the numbers depend on: the file's bytes, and how they are turned.
std::string identity_of(const StoredModel& model, std::string_view bytes) {
  Fingerprint key;
  key.add(bytes).add(std::string_view(model.document.position)).add(static_cast<std::uint64_t>(model.document.heads));
  return "stored " + std::to_string(key.a) + " " + std::to_string(key.b);
}

struct Opened {
  std::mutex mutex;
  // By file and by the config.json beside it, each with its time of change and its size: the last few models.
  using Key = std::tuple<std::string, fs::file_time_type, std::uintmax_t, fs::file_time_type, std::uintmax_t>;
  std::vector<std::pair<Key, std::shared_ptr<const Weights>>> loaded;
};
Opened& opened() {
  static Opened all;
  return all;
}
constexpr std::size_t kKept = 4;

Result<std::shared_ptr<const Weights>> load(const StoredModel& model, const std::vector<ParameterSpec>& parameters,
                                            const fs::path& file) {
  try {
    HL_ASSIGN(const std::string bytes, read_file(file));
    HL_ASSIGN(const Safetensors read, read_safetensors(bytes, file.string()));
    const bool ours = !model.trained_on.empty();
    auto weights = std::make_shared<StoredWeights>(identity_of(model, bytes), ours ? Origin::trained : Origin::file,
                                                   ours ? "trained on " + model.trained_on : "weights of " + model.title);
    HL_TRY(fill(*weights, model, parameters, read.tensors, file.string()));
    return std::shared_ptr<const Weights>(std::move(weights));
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "the model does not fit in memory").at(file.string()).mend("use a smaller one");
  }
}

}  // namespace

Result<std::shared_ptr<const Weights>> stored_weights(const StoredModel& model, const std::vector<ParameterSpec>& parameters) {
  const fs::path file = model.folder / kModelWeightsFile, config = model.folder / kModelConfigFile;
  std::error_code none;
  if (!fs::is_regular_file(file, none))
    return not_found("this model has no model.safetensors").at(model.folder.string()).mend(kMend);
  const Opened::Key key{fs::absolute(file, none).string(), fs::last_write_time(file, none), fs::file_size(file, none),
                        fs::last_write_time(config, none), fs::file_size(config, none)};
  Opened& all = opened();
  const std::lock_guard lock(all.mutex);
  const auto at = std::find_if(all.loaded.begin(), all.loaded.end(), [&](const auto& one) { return one.first == key; });
  if (at != all.loaded.end()) {
    std::rotate(all.loaded.begin(), at, at + 1);  // the last one used comes first
    return all.loaded.front().second;
  }
  HL_ASSIGN(auto weights, load(model, parameters, file));
  all.loaded.insert(all.loaded.begin(), {key, weights});
  if (all.loaded.size() > kKept) all.loaded.pop_back();
  return weights;
}

Status write_weights(const fs::path& file, const StoredModel& model, const std::vector<ParameterSpec>& parameters,
                     const NamedTensors& values) {
  Safetensors out;
  out.metadata["format"] = "pt";  // as transformers asks: matrices lie as PyTorch's nn.Linear has them
  for (const ParameterSpec& spec : parameters) {
    if (!spec.part.of.empty()) continue;
    const Tensor* const own = find(values, spec.name);
    if (!own) return failure(ErrorKind::internal, "the parameter '{}' was not given", spec.name).at(file.string());
    if (own->shape() != spec.shape)
      return failure(ErrorKind::internal, "the parameter '{}' is {} and should be {}", spec.name, to_string(own->shape()),
                     to_string(spec.shape))
          .at(file.string());
    const Tensor reals = own->as(DType::f32).compact();
    if (const auto place = not_finite(reals))
      return invalid("the parameter '{}' has no finite number at place {}", spec.name, *place)
          .at(file.string())
          .mend("train again with a lower learning rate");
    HL_ASSIGN(std::string name, stored_name(model, spec.name));
    out.tensors.emplace_back(std::move(name), to_stored(model, spec.name, reals));
  }
  return write_safetensors(file, out, StoredReal::f16);
}

}  // namespace headlight::models
