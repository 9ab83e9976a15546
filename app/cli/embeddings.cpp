// headlight embeddings: the tokens nearest to a word or a sum of words, and the cosine of two differences.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_option.h"
#include "app/cli/not_finite.h"
#include "engine/core/json.h"
#include "engine/core/one_nan.h"
#include "engine/insight/embedding_space.h"
#include "engine/insight/residual_stream.h"

namespace headlight::cli {
namespace {

struct EmbeddingsOptions {
  ModelOptions model;
  std::string sum, with;
  std::int64_t count = 10;
  bool target = false, json = false, strict = false;
};

struct Answer {
  EmbeddingSum sum;
  std::vector<EmbeddingNeighbour> nearest;
  EmbeddingComparison compared;  // two differences; without names: none
};

std::string embeddings_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", one_nan(value));
  return text;
}

// Two differences: those of --with, else of a - b + c and its best answer.
Status compare(const EmbeddingSpace& space, const EmbeddingsOptions& options, Answer& answer) {
  if (!options.with.empty()) {
    HL_ASSIGN(const EmbeddingSum with, embedding_sum(space, options.with));
    answer.compared = compare_vectors(options.sum, answer.sum.vector, options.with, with.vector);
  } else if (is_analogy(answer.sum)) {
    const std::int32_t token = counterpart_of(space, answer.sum, answer.nearest);
    if (token >= 0) answer.compared = compare_differences(space, answer.sum, token);
  }
  return {};
}

std::string embeddings_as_json(const EmbeddingSpace& space, const Answer& answer) {
  Json terms = Json::array(), nearest = Json::array();
  for (const EmbeddingTerm& term : answer.sum.terms) {
    Json tokens = Json::array();
    for (const std::int32_t token : term.tokens) tokens.push_back(static_cast<std::int64_t>(token));
    terms.push_back(Json::object({{"word", term.word}, {"sign", term.sign}, {"tokens", std::move(tokens)}}));
  }
  for (const EmbeddingNeighbour& one : answer.nearest)
    nearest.push_back(
        Json::object({{"token", space.tokenizer->display_text(one.token)}, {"id", one.token}, {"cosine", one.cosine}}));
  Json json =
      Json::object({{"terms", std::move(terms)}, {"length", length_of(answer.sum.vector)}, {"nearest", std::move(nearest)}});
  const EmbeddingComparison& two = answer.compared;
  if (!two.first.empty())
    json["differences"] = Json::object({{"first", two.first},
                                        {"second", two.second},
                                        {"first_length", two.first_length},
                                        {"second_length", two.second_length},
                                        {"cosine", two.cosine}});
  return json.dump() + "\n";
}

std::string embeddings_as_table(const EmbeddingSpace& space, const Answer& answer) {
  std::string table;
  for (const EmbeddingTerm& term : answer.sum.terms)
    if (term.tokens.size() > 1)
      table += term.word + " is " + std::to_string(term.tokens.size()) + " tokens: the mean of their vectors\n";
  for (const EmbeddingNeighbour& one : answer.nearest)
    table += embeddings_number(one.cosine) + "  " + space.tokenizer->display_text(one.token) + "\n";
  const EmbeddingComparison& two = answer.compared;
  if (!two.first.empty())
    table += "cosine of " + two.first + " (length " + embeddings_number(two.first_length) + ") and " + two.second + " (length " +
             embeddings_number(two.second_length) + "): " + embeddings_number(two.cosine) + "\n";
  return table;
}

Result<EmbeddingSpace> space_of(const EmbeddingsOptions& options) {
  // A folder of train-embeddings has no model, only its words and their vectors.
  std::error_code none;
  const std::filesystem::path folder = options.model.model;
  if (std::filesystem::exists(folder / kWordVectorFile, none)) return embedding_space(folder);
  HL_ASSIGN(const auto model, open_model(options.model));
  if (options.target && model->target_vocabulary == 0)
    return usage_error("this model has one table for both texts").at("--target").mend("leave it out");
  return embedding_space(*model, options.target);
}

// The tokens whose rows are not finite: they are near to nothing.
Status check_embedding_rows(const EmbeddingSpace& space, const EmbeddingsOptions& options) {
  const auto is_broken = [](double length) { return !std::isfinite(length); };
  const auto first = std::find_if(space.lengths.begin(), space.lengths.end(), is_broken);
  NotFinite not_finite;
  if (first != space.lengths.end())
    not_finite.add("the rows of " + std::to_string(std::count_if(first, space.lengths.end(), is_broken)) + " of " +
                   std::to_string(space.tokens()) + " tokens are not finite, the first that of token " +
                   std::to_string(first - space.lengths.begin()));
  HL_TRY(not_finite.check(options.model.model, options.strict));
  not_finite.say("embeddings", {});
  return {};
}

Status embeddings(const EmbeddingsOptions& options) {
  HL_ASSIGN(const EmbeddingSpace space, space_of(options));
  HL_TRY(check_embedding_rows(space, options));
  Answer answer;
  HL_ASSIGN(answer.sum, embedding_sum(space, options.sum));
  HL_ASSIGN(answer.nearest, nearest_tokens(space, answer.sum.vector, static_cast<std::size_t>(options.count),
                                           tokens_of(answer.sum), interrupt_token()));
  HL_TRY(compare(space, options, answer));
  return print(options.json ? embeddings_as_json(space, answer) : embeddings_as_table(space, answer));
}

std::function<int()> define_embeddings(Arguments& arguments) {
  auto options = std::make_shared<EmbeddingsOptions>();
  add_model_options(arguments, options->model);
  arguments.option("--with", options->with, "another sum, whose cosine with the first is told [of a - b + c: c's counterpart]")
      .type("SUM");
  arguments.option("--count", options->count, "how many tokens are listed, 1 to 1000").shows_default().within(1, 1000);
  arguments.flag("--target", options->target, "the table of the language that is translated into");
  add_strict_option(arguments, options->strict);
  arguments.flag("--json", options->json, "as JSON, in full precision");
  arguments.option("SUM", options->sum, "a word, or a sum of words with spaces around the signs: \"aunt - uncle + man\"")
      .required();
  return [options] {
    const Status done = embeddings(*options);
    return done.ok() ? kDone : fail("embeddings", done.error());
  };
}

}  // namespace

Entry embeddings_command() {
  return {"embeddings", "The tokens nearest to a word or a sum of words", "", "S18", define_embeddings};
}

}  // namespace headlight::cli
