// The option --model of commands that need a trained model, and the functions that open the model.
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
// Declares --model, --backend, and the options for interventions, as a document has them.
// add_model_options(arguments, options) reads "--model gpt2" into options.model.
void add_model_options(Arguments& arguments, ModelOptions& options);
// Declares --corpus. `text` is the help's description of the text for a model that reads one text. The option is required unless
// `required` is false.
// add_corpus_option(arguments, corpus, "a text")
Option add_corpus_option(Arguments& arguments, std::string& corpus, const std::string& text, bool required = true);

// Errors (usage): the sandbox, whose weights are random; a name that no model has; an intervention in a part that the model
// lacks. Other errors: the model folder's.
Result<std::shared_ptr<const StoredModel>> open_model(const ModelOptions& options);
// The document in which heads are looked at: without an end, which is still to be predicted, unless an encoder reads it in any
// case. `target` is for an encoder-decoder. document_of_heads(*model, "the cat sat", "")
Document document_of_heads(const StoredModel& model, const std::string& text, const std::string& target);
Result<Predictor> open_predictor(const ModelOptions& options);

// Reads a file, or standard input for "-". Error: it is empty.
Result<std::string> read_corpus(const std::string& corpus);

}  // namespace headlight::cli
