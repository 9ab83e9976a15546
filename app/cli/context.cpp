// headlight context: the vectors of one word in several texts, layer by layer.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "app/cli/backend_option.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_option.h"
#include "app/cli/not_finite.h"
#include "engine/core/json.h"
#include "engine/core/one_nan.h"
#include "engine/insight/attention_added.h"
#include "engine/insight/explain.h"
#include "engine/insight/word_context.h"

namespace headlight::cli {
namespace {

struct ContextOptions {
  ModelOptions model;
  std::string word;
  std::vector<std::string> texts, probes;
  bool json = false, strict = false;
};

Json as_json(const std::vector<std::vector<double>>& matrix) {
  Json rows = Json::array();
  for (const std::vector<double>& row : matrix) rows.push_back(Json(row));
  return rows;
}

// What the attention of every layer added to the word of one text, by head and by source token.
Result<Json> added_as_json(const WordInText& text, const CancelToken& cancel) {
  Json layers = Json::array();
  for (std::int64_t n = 0; n < text.trace->document().layers; ++n) {
    const AttentionSite* const site = find_site(*text.trace, text.stack + "layer." + std::to_string(n) + ".");
    if (!site) continue;
    HL_ASSIGN(const AttentionAdded added, attention_added(*text.trace, *site, 0, text.row, cancel));
    Json heads = Json::array();
    for (const AttentionAdded::Head& head : added.heads)
      heads.push_back(Json::object({{"length", head.length}, {"along", head.along}, {"by_source", Json(head.by_source)}}));
    layers.push_back(Json::object({{"layer", n},
                                   {"length", added.length},
                                   {"by_source", Json(added.by_source)},
                                   {"bias", added.bias},
                                   {"rest", added.rest},
                                   {"heads", std::move(heads)}}));
  }
  return layers;
}

Json path_as_json(const std::vector<std::array<double, 2>>& path) {
  Json points = Json::array();
  for (const std::array<double, 2>& point : path) points.push_back(Json(std::vector<double>(point.begin(), point.end())));
  return points;
}

Result<std::string> as_json(const WordContext& context, const CancelToken& cancel) {
  Json layers = Json::array();
  for (const WordContext::Layer& layer : context.layers) {
    Json probes = Json::object();
    for (const auto& [word, cosines] : layer.probes) probes[word] = Json(cosines);
    layers.push_back(Json::object({{"layer", layer.layer},
                                   {"cosine", as_json(layer.cosine)},
                                   {"distance", as_json(layer.distance)},
                                   {"probes", std::move(probes)}}));
  }
  Json texts = Json::array();
  for (std::size_t i = 0; i < context.texts.size(); ++i) {
    const WordInText& text = *context.texts[i];
    HL_ASSIGN(Json added, added_as_json(text, cancel));
    texts.push_back(Json::object({{"text", text.sentence().text},
                                  {"tokens", Json(text.sentence().labels)},
                                  {"first", text.first},
                                  {"row", text.row},
                                  {"path", path_as_json(context.paths[i])},
                                  {"added", std::move(added)}}));
  }
  return Json::object({{"layers", std::move(layers)},
                       {"from_before_positions", context.from_before_positions},
                       {"share", Json(std::vector<double>(context.share.begin(), context.share.end()))},
                       {"texts", std::move(texts)}})
             .dump() +
         "\n";
}

// A line a layer and pair of texts, then a line a layer and probe.
std::string as_table(const WordContext& context) {
  std::string table;
  char line[160];
  for (const WordContext::Layer& layer : context.layers)
    for (std::size_t i = 0; i < layer.cosine.size(); ++i)
      for (std::size_t j = i + 1; j < layer.cosine.size(); ++j) {
        std::snprintf(line, sizeof line, "layer %lld  texts %zu and %zu  cosine %.4f  distance %.4f\n",
                      static_cast<long long>(layer.layer), i + 1, j + 1, one_nan(layer.cosine[i][j]),
                      one_nan(layer.distance[i][j]));
        table += line;
      }
  for (const WordContext::Layer& layer : context.layers)
    for (const auto& [word, cosines] : layer.probes) {
      table += "layer " + std::to_string(layer.layer) + "  cosine with " + word;
      for (const double cosine : cosines) {
        std::snprintf(line, sizeof line, "  %.4f", one_nan(cosine));
        table += line;
      }
      table += "\n";
    }
  return table;
}

// Of each text the first layer behind which the word's vector is not finite.
Status check_word_vectors(const WordContext& made, const ContextOptions& options) {
  NotFinite not_finite;
  for (std::size_t i = 0; i < made.texts.size(); ++i) {
    const auto& vectors = made.texts[i]->vectors;
    const auto is_broken = [](const std::vector<double>& vector) {
      return !std::all_of(vector.begin(), vector.end(), [](double x) { return std::isfinite(x); });
    };
    const auto broken = std::find_if(vectors.begin(), vectors.end(), is_broken);
    if (broken == vectors.end()) continue;
    not_finite.add("text " + std::to_string(i + 1) + ": the vector of '" + options.word + "' is not finite from layer " +
                   std::to_string(broken - vectors.begin()) + " on");
  }
  HL_TRY(not_finite.look_for_cause(*made.texts.front()->trace, interrupt_token()));
  HL_TRY(not_finite.check(options.model.model, options.strict));
  not_finite.say("context", {});
  return {};
}

Status context(const ContextOptions& options) {
  HL_ASSIGN(const auto model, open_model(options.model));
  HL_ASSIGN(const auto backend, open_backend(options.model.backend));
  HL_ASSIGN(const WordContext made,
            word_context(*model, *backend, options.word, options.texts, options.probes, interrupt_token()));
  HL_TRY(check_word_vectors(made, options));
  if (!options.json) return print(as_table(made));
  HL_ASSIGN(const std::string json, as_json(made, interrupt_token()));
  return print(json);
}

std::function<int()> define_context(Arguments& arguments) {
  auto options = std::make_shared<ContextOptions>();
  add_model_options(arguments, options->model);
  arguments.option("--word", options->word, "the word, as it stands in every text").type("W").required();
  arguments.option("--probe", options->probes, "a word whose embedding is compared with it; may be given several times")
      .type("P")
      .one_value_each();
  add_strict_option(arguments, options->strict);
  arguments.flag("--json", options->json,
                 "JSON in full precision: cosines and distances, of each text the word's path in the plane of all, and what the "
                 "attention of "
                 "every layer added to it, by head and by source token");
  arguments.option("TEXT", options->texts, "the texts, at least two").required();
  return [options] {
    const Status done = context(*options);
    return done.ok() ? kDone : fail("context", done.error());
  };
}

}  // namespace

Entry context_command() {
  return {"context", "Compare one word's vectors in several texts, layer by layer", "", "S18", define_context};
}

}  // namespace headlight::cli
