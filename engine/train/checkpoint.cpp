#include "engine/train/checkpoint.h"

#include <algorithm>
#include <cmath>

#include "engine/core/safetensors.h"

namespace headlight::train {
namespace {

std::string words_of(const Fingerprint& data) { return std::to_string(data.a) + "-" + std::to_string(data.b); }

Json json_of(const History& history, std::int64_t steps) {
  Json curve = Json::array();
  for (const CurvePoint& p : history.curve) curve.push_back(Json::array({p.step, p.loss, p.held_out, p.held_out_bits}));
  return Json::object({{"steps", steps}, {"seconds", history.seconds}, {"labels", history.labels}, {"curve", std::move(curve)}});
}

History history_of(const Json& json) {
  History history;
  history.seconds = json["seconds"].number();
  history.labels = json["labels"].integer();
  for (const Json& p : json["curve"].elements())
    history.curve.push_back({p[std::size_t{0}].integer(), p[1].number(), p[2].number(), p[3].number()});
  return history;
}

// A parameter's three tensors by their names in the file.
struct Names {
  explicit Names(const Trained& one) : value(one.spec.name), first("first." + value), second("second." + value) {}
  std::string value, first, second;
};

Result<Tensor> tensor_of(const Safetensors& file, const std::string& name, const Shape& shape, const std::string& where) {
  const Tensor* found = find(file.tensors, name);
  constexpr Phrase<0> mend = "start the training anew, without --resume";
  if (!found) return invalid("there is no tensor '{}'", name).at(where).mend(mend);
  if (found->dtype() != DType::f32 || found->shape() != shape)
    return invalid("the tensor '{}' is of shape {}, and the model's is {}", name, to_string(found->shape()), to_string(shape))
        .at(where)
        .mend(mend);
  const auto values = found->values<float>();
  if (!std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); }))
    return invalid("the tensor '{}' has numbers that are not finite", name).at(where).mend(mend);
  // A copy, since moments are changed in place and the file's tensors share one block of memory.
  return Tensor::of(std::vector<float>(values.begin(), values.end()), shape, found->axes());
}

}  // namespace

Status save_checkpoint(const std::filesystem::path& folder, const Config& config, const Fingerprint& data, const Learner& learner,
                       const History& history) {
  Safetensors file;
  for (const Trained& one : learner.parameters()) {
    const Names names(one);
    file.tensors.emplace_back(names.value, one.value);
    file.tensors.emplace_back(names.first, one.moments.first);
    file.tensors.emplace_back(names.second, one.moments.second);
  }
  file.metadata = {{"training", what_determines(config).dump()},
                   {"data", words_of(data)},
                   {"history", json_of(history, learner.steps()).dump()}};
  return write_safetensors(folder / kCheckpointFile, file, StoredReal::f32);
}

Result<History> load_checkpoint(const std::filesystem::path& folder, const Config& config, const Fingerprint& data,
                                Learner& learner) {
  const std::filesystem::path path = folder / kCheckpointFile;
  const std::string where = path.string();
  HL_ASSIGN(const Safetensors file, read_safetensors_file(path));
  const auto entry = [&](const char* key) {
    const auto at = file.metadata.find(key);
    return at == file.metadata.end() ? std::string() : at->second;
  };
  HL_ASSIGN(const Json training, Json::parse(entry("training"), where, Message("this is no checkpoint of a training")));
  HL_TRY(check_same_training(training, config, where));
  if (entry("data") != words_of(data))
    return invalid("this training read other data than there are now")
        .at(where)
        .mend("give it the files that it began with, or start anew without --resume");
  HL_ASSIGN(const Json history, Json::parse(entry("history"), where, Message("this is no checkpoint of a training")));
  std::vector<Trained> read = learner.parameters();
  for (Trained& one : read) {
    const Names names(one);
    HL_ASSIGN(one.value, tensor_of(file, names.value, one.spec.shape, where));
    HL_ASSIGN(one.moments.first, tensor_of(file, names.first, one.spec.shape, where));
    HL_ASSIGN(one.moments.second, tensor_of(file, names.second, one.spec.shape, where));
  }
  learner.parameters() = std::move(read);
  learner.set_steps(history["steps"].integer());
  return history_of(history);
}

}  // namespace headlight::train
