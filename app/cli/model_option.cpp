#include "app/cli/model_option.h"

#include "app/cli/backend_option.h"
#include "engine/core/text_file.h"

namespace headlight::cli {

void add_model_options(Arguments& arguments, ModelOptions& options) {
  std::string names;
  for (const std::string& name : bundled_models()) names += (names.empty() ? "" : ", ") + name;
  arguments.option("--model", options.model, (names.empty() ? "" : names + ", or ") + "a trained model's folder")
      .type("NAME")
      .required();
  add_backend_option(arguments, options.backend);
  for (const char* id : {"without", "mean", "uniform", "scale_head", "mask_cells"}) {
    const Field& field = *find_field(id);
    arguments.option("--" + field.option, options.interventions[id], field.parameter.help)
        .type("PLACE")
        .one_value_each()
        .group("Interventions");
  }
}

Option add_corpus_option(Arguments& arguments, std::string& corpus, const std::string& text, bool required) {
  Option option = arguments.option(
      "--corpus", corpus, text + "; for a model that translates, lines of a text, a tab and its target; - for standard input");
  option.type("FILE|-");
  if (required) option.required();
  return option;
}

Result<std::shared_ptr<const StoredModel>> open_model(const ModelOptions& options) {
  if (options.model == "sandbox")
    return usage_error("the sandbox's weights are random, so it predicts nothing")
        .at("--model")
        .mend("name a trained model, or its folder");
  auto model = open_stored_model(options.model);
  if (!model && model.error().kind == ErrorKind::not_found && model.error().where.empty())
    return usage_error(model.error().what).at("--model").mend(model.error().mend);
  if (!model) return model;
  Document document;
  for (const auto& [id, texts] : options.interventions) HL_TRY(find_field(id)->set(document, texts));
  return with_interventions(std::move(model).value(), document.interventions);
}

Document document_of_heads(const StoredModel& model, const std::string& text, const std::string& target) {
  Document document;
  use_model(document, model);
  document.texts = {text};
  if (model.task != ModelTask::encoder) document.add_end = false;
  if (model.task == ModelTask::encoder_decoder) document.targets = {target};
  return document;
}

Result<Predictor> open_predictor(const ModelOptions& options) {
  HL_ASSIGN(auto model, open_model(options));
  HL_ASSIGN(auto backend, open_backend(options.backend));
  return Predictor::open(std::move(model), std::move(backend));
}

Result<std::string> read_corpus(const std::string& corpus) {
  HL_ASSIGN(std::string text, read_text_input(corpus));
  if (text.empty())
    return invalid("the corpus is empty").at(corpus == "-" ? Message("standard input") : Message(corpus)).mend("give a text");
  return text;
}

}  // namespace headlight::cli
