// headlight context: the vectors of one word in several texts, layer by layer.
#include <cstdio>
#include <memory>

#include "app/cli/backend_option.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_option.h"
#include "engine/core/json.h"
#include "engine/insight/word_context.h"

namespace headlight::cli {
namespace {

struct Options {
  ModelOptions model;
  std::string word;
  std::vector<std::string> texts, probes;
  bool json = false;
};

Json as_json(const std::vector<std::vector<double>>& matrix) {
  Json rows = Json::array();
  for (const std::vector<double>& row : matrix) rows.push_back(Json(row));
  return rows;
}

std::string as_json(const WordContext& context) {
  Json layers = Json::array();
  for (const WordContext::Layer& layer : context.layers) {
    Json probes = Json::object();
    for (const auto& [word, cosines] : layer.probes) probes[word] = Json(cosines);
    layers.push_back(Json::object({{"layer", layer.layer},
                                   {"cosine", as_json(layer.cosine)},
                                   {"distance", as_json(layer.distance)},
                                   {"probes", std::move(probes)}}));
  }
  return Json::object({{"layers", std::move(layers)}}).dump() + "\n";
}

// A line a layer and pair of texts, then a line a layer and probe.
std::string as_table(const WordContext& context) {
  std::string table;
  char line[160];
  for (const WordContext::Layer& layer : context.layers)
    for (std::size_t i = 0; i < layer.cosine.size(); ++i)
      for (std::size_t j = i + 1; j < layer.cosine.size(); ++j) {
        std::snprintf(line, sizeof line, "layer %lld  texts %zu and %zu  cosine %.4f  distance %.4f\n",
                      static_cast<long long>(layer.layer), i + 1, j + 1, layer.cosine[i][j], layer.distance[i][j]);
        table += line;
      }
  for (const WordContext::Layer& layer : context.layers)
    for (const auto& [word, cosines] : layer.probes) {
      table += "layer " + std::to_string(layer.layer) + "  cosine with " + word;
      for (const double cosine : cosines) {
        std::snprintf(line, sizeof line, "  %.4f", cosine);
        table += line;
      }
      table += "\n";
    }
  return table;
}

Status context(const Options& options) {
  HL_ASSIGN(const auto model, open_model(options.model));
  HL_ASSIGN(const auto backend, open_backend(options.model.backend));
  HL_ASSIGN(const WordContext made,
            word_context(*model, *backend, options.word, options.texts, options.probes, interrupt_token()));
  return print(options.json ? as_json(made) : as_table(made));
}

std::function<int()> define(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  add_model_options(arguments, options->model);
  arguments.option("--word", options->word, "the word, as it stands in every text").type("W").required();
  arguments.option("--probe", options->probes, "a word whose embedding is compared with it; may be given several times")
      .type("P")
      .one_value_each();
  arguments.flag("--json", options->json, "cosines and distances as JSON, in full precision");
  arguments.option("TEXT", options->texts, "the texts, at least two").required();
  return [options] {
    const Status done = context(*options);
    return done.ok() ? kDone : fail("context", done.error());
  };
}

}  // namespace

Entry context_command() { return {"context", "Compare one word's vectors in several texts, layer by layer", "", "S18", define}; }

}  // namespace headlight::cli
