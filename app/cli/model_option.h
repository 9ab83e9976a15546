// The option --model of commands that need a trained model, and what they read with it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "app/cli/output.h"
#include "engine/document/stored_model.h"
#include "engine/pipeline/predict.h"

namespace headlight::cli {

struct ModelOptions {
  std::string model, backend = "cpu";
  // By the id of the document's field: "without", "mean", ...
  std::map<std::string, std::vector<std::string>> interventions;
};
// --model, --backend, and the interventions that a document has, too.
void add_model_options(Arguments& arguments, ModelOptions& options);
// --corpus; `text`: what a model that reads one text is given. It is required unless its use is a choice.
Option add_corpus_option(Arguments& arguments, std::string& corpus, const std::string& text, bool required = true);

// Errors (usage): the sandbox, whose weights are random; a name that no model has; an intervention in what it has not; and those
// of the model's folder.
Result<std::shared_ptr<const StoredModel>> open_model(const ModelOptions& options);
Result<Predictor> open_predictor(const ModelOptions& options);

// A file, or standard input for "-". Error: it is empty.
Result<std::string> read_corpus(const std::string& corpus);
// The lines of a text, without their ends; an empty last one does not count.
std::vector<std::string> lines_of_text(std::string_view text);

}  // namespace headlight::cli
