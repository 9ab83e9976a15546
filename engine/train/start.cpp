#include "engine/train/start.h"

#include <algorithm>
#include <filesystem>

#include "engine/models/stored_models.h"

namespace headlight::train {
namespace {

constexpr Phrase<0> kMend = "give the model's own, or start from another one";

std::string words(bool truth) { return truth ? "true" : "false"; }

Status check_start(const StoredModel& start, const Config& config, const std::string& where) {
  const auto check = [&](const std::string& key, const std::string& is, const std::string& should_be) -> Status {
    if (is == should_be) return {};
    return invalid("'{}' is {} in the model '{}' and {} in this training", key, is, start.name, should_be)
        .at("{}: start", where)
        .mend(kMend);
  };
  HL_TRY(check("task", name_of(start.task), name_of(model_task(config.task))));
  for (const std::string& id : architecture_fields())
    HL_TRY(check(id, architecture_value(start.document, id), architecture_value(config.model, id)));
  HL_TRY(check("tied", words(start.tied), words(config.tied)));
  if (config.task == Task::pairs)
    HL_TRY(check("one_tokenizer", words(start.target_vocabulary == 0), words(config.one_tokenizer)));
  if (config.model.position == "learned")  // the rows of its table
    HL_TRY(check("length", std::to_string(start.length), std::to_string(config.length)));
  return {};
}

Status check_pieces(const StoredModel& start, const tokenizers::Tokenizer& its, const tokenizers::Tokenizer& ours,
                    const std::string& where) {
  if (its.vocabulary_size() != ours.vocabulary_size())
    return invalid("the model '{}' has a vocabulary of {} pieces, and this training has one of {}", start.name,
                   its.vocabulary_size(), ours.vocabulary_size())
        .at("{}: start", where)
        .mend(kMend);
  for (std::int32_t id = 0; id < its.vocabulary_size(); ++id)
    if (its.piece(id) != ours.piece(id))
      return invalid("piece {} of the vocabulary is '{}' in the model '{}' and '{}' in this training", id, its.piece(id),
                     start.name, ours.piece(id))
          .at("{}: start", where)
          .mend(kMend);
  return {};
}

}  // namespace

ModelTask model_task(Task task) {
  switch (task) {
    case Task::pairs: return ModelTask::encoder_decoder;
    case Task::masked: return ModelTask::encoder;
    default: break;
  }
  return ModelTask::decoder;
}

Result<std::shared_ptr<const StoredModel>> open_start(const Config& config, const std::string& config_folder,
                                                      const std::string& where) {
  const std::vector<std::string> bundled = bundled_models();
  const bool is_bundled = std::find(bundled.begin(), bundled.end(), config.start) != bundled.end();
  const std::filesystem::path beside = std::filesystem::path(config_folder) / config.start;
  HL_ASSIGN(auto start, open_stored_model(is_bundled ? config.start : beside.string()));
  HL_TRY(check_start(*start, config, where));
  return start;
}

Status take_vocabulary(const StoredModel& start, const Config& config, DataPlaces& places) {
  if (is_made_up(config.task)) return {};
  HL_ASSIGN(places.tokenizer, open_tokenizer(start.document));
  if (start.target_vocabulary > 0) {
    HL_ASSIGN(places.target_tokenizer, open_tokenizer(start.document, true));
  }
  return {};
}

Status check_vocabulary(const StoredModel& start, const Data& data, const std::string& where) {
  HL_ASSIGN(const TokenizerPointer its, open_tokenizer(start.document));
  HL_TRY(check_pieces(start, *its, *data.tokenizer(), where));
  if (start.target_vocabulary == 0) return {};
  HL_ASSIGN(const TokenizerPointer its_target, open_tokenizer(start.document, true));
  return check_pieces(start, *its_target, *data.target_tokenizer(), where);
}

Status take_weights(const StoredModel& start, Learner& learner, const CancelToken& cancel) {
  HL_ASSIGN(const std::shared_ptr<const models::Weights> weights, models::open_weights(start));
  for (Trained& one : learner.parameters()) {
    HL_ASSIGN(const Tensor stored, weights->tensor(one.spec, cancel));
    const auto values = stored.values<float>();
    // A copy: what was read is shared by everyone who opens the model.
    one.value = Tensor::of(std::vector<float>(values.begin(), values.end()), one.spec.shape, one.spec.axes);
  }
  return {};
}

}  // namespace headlight::train
