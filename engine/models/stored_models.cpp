#include "engine/models/stored_models.h"

#include <unistd.h>

#include <atomic>
#include <string>
#include <system_error>

#include "engine/core/files.h"
#include "engine/document/model_architecture.h"
#include "engine/models/checkpoint_weights.h"
#include "engine/models/composed_plan.h"
#include "engine/models/stored_weights.h"
#include "engine/tokenizers/files/headlight_file.h"

namespace headlight::models {
namespace {

namespace fs = std::filesystem;

Error folder_error(const std::error_code& problem, const fs::path& folder) {
  return failure(ErrorKind::io, "this folder cannot be made: {}", Message::term(problem.message()))
      .at(folder.string())
      .mend("choose one that you may write to");
}

// A folder that is gone at the end of the scope, with everything in it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(fs::path path) : path_(std::move(path)) {}
  ~TemporaryFolder() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Status check_size(const Message& which, std::int64_t is, std::int64_t should_be, const fs::path& folder) {
  if (is == should_be) return {};
  return failure(ErrorKind::internal, "{} has {} pieces and should have {}", which, is, should_be).at(folder.string());
}

// The files, by their names in the model's folder, in the order in which they take their places.
Result<std::vector<fs::path>> write_files(const fs::path& into, const StoredModel& model, const ModelParts& parts) {
  std::vector<fs::path> names = {tokenizers::kTokenizerFile};
  HL_TRY(tokenizers::save(parts.tokenizer, into));
  if (parts.target_tokenizer) {
    names.push_back(fs::path(kTargetTokenizerFolder) / tokenizers::kTokenizerFile);
    HL_TRY(tokenizers::save(*parts.target_tokenizer, into / kTargetTokenizerFolder));
  }
  if (!parts.card.empty()) {
    names.emplace_back(kModelCardFile);
    HL_TRY(write_file(into / kModelCardFile, parts.card));
  }
  names.emplace_back(kModelWeightsFile);
  HL_TRY(write_weights(into / kModelWeightsFile, model, parameters_of(model), parts.parameters));
  names.emplace_back(kModelConfigFile);
  HL_TRY(write_file(into / kModelConfigFile, model_config_to_json(model)));
  return names;
}

}  // namespace

std::vector<ParameterSpec> parameters_of(const StoredModel& model) {
  Sizes sizes;
  sizes.target_length = model.task == ModelTask::encoder_decoder ? 1 : 0;
  sizes.text_lengths = {1};
  if (sizes.target_length > 0) sizes.target_lengths = {1};
  sizes.text_tokens.vocabulary = model.vocabulary;
  take_tables(sizes, model);
  sizes.target_tokens.vocabulary = sizes.target_table ? model.target_vocabulary : model.vocabulary;
  return plan_of(*architecture_of(model), model.document, sizes, DType::f32).parameters;
}

Result<std::shared_ptr<const Weights>> open_weights(const StoredModel& model) {
  if (is_published(model)) return checkpoint_weights(model.checkpoint, [&] { return parameters_of(model); });
  return stored_weights(model, parameters_of(model));
}

Result<std::shared_ptr<const backends::StoredMatrix>> stored_table(const StoredModel& model, const CancelToken& cancel) {
  if (!is_published(model)) return std::shared_ptr<const backends::StoredMatrix>();
  HL_ASSIGN(const auto weights, open_weights(model));
  for (const ParameterSpec& spec : parameters_of(model)) {
    if (spec.name != "parameters.embedding") continue;
    ParameterSpec turned = spec;
    turned.name += "_turned";
    turned.shape = {spec.shape[1], spec.shape[0]};
    turned.part = {spec.name, spec.shape, 0, 0, true};
    return weights->stored(turned, cancel);
  }
  return std::shared_ptr<const backends::StoredMatrix>();
}

Result<backends::Buffer> output_matrix(const StoredModel& model, const std::string& parameter, backends::Backend& backend,
                                       const CancelToken& cancel) {
  HL_ASSIGN(const auto weights, open_weights(model));
  for (const ParameterSpec& spec : parameters_of(model))
    if (spec.name == parameter) return parameter_on(backend, *weights, spec, cancel);
  return not_found("this model has no matrix '{}'", parameter);
}

Status write_model(const fs::path& folder, const StoredModel& model, const ModelParts& parts) {
  HL_TRY(check_size(Message("the tokenizer"), parts.tokenizer.vocabulary_size(), model.vocabulary, folder));
  HL_TRY(check_size(Message("the targets' tokenizer"), parts.target_tokenizer ? parts.target_tokenizer->vocabulary_size() : 0,
                    model.target_vocabulary, folder));
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) return folder_error(problem, folder);
  static std::atomic<std::uint64_t> counter{0};
  const TemporaryFolder written(folder / (".headlight-" + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".tmp"));
  HL_ASSIGN(const std::vector<fs::path> names, write_files(written.path(), model, parts));
  if (parts.target_tokenizer) fs::create_directories(folder / kTargetTokenizerFolder, problem);
  for (const fs::path& name : names) {
    fs::rename(written.path() / name, folder / name, problem);
    if (problem)
      return failure(ErrorKind::io, "this file cannot be replaced: {}", Message::term(problem.message()))
          .at((folder / name).string())
          .mend("choose a folder that you may write to");
  }
  return {};
}

}  // namespace headlight::models
