// headlight heads: every head of a trained model, scored for known patterns.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/heads_at.h"
#include "app/cli/heads_out.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_option.h"
#include "app/cli/not_finite.h"
#include "app/cli/progress.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/one_nan.h"
#include "engine/insight/found_roles.h"

namespace headlight::cli {
namespace {

struct HeadsOptions {
  ModelOptions model;
  std::string corpus, words, out;
  std::vector<std::string> cells;
  HeadsOutOptions taken_out;
  bool matter = false, json = false, strict = false;
};

Json numbers_as_json(const PatternScores& numbers) {
  Json all = Json::object();
  for (std::size_t p = 0; p < kHeadPatterns.size(); ++p)
    all[name_of(kHeadPatterns[p])] = numbers[p] ? Json(*numbers[p]) : Json(nullptr);
  return all;
}

std::string heads_as_json(const std::vector<HeadScores>& heads) {
  Json all = Json::array();
  for (const HeadScores& head : heads) {
    const auto role = found_role(head.scores, head.chance);
    all.push_back(Json::object({{"site", head.site},
                                {"layer", head.layer},
                                {"head", head.head},
                                {"role", role ? Json(name_of(role->pattern)) : Json(nullptr)},
                                {"scores", numbers_as_json(head.scores)},
                                {"chance", numbers_as_json(head.chance)}}));
  }
  return all.dump() + "\n";
}

std::string heads_number(double x) {
  char out[32];
  std::snprintf(out, sizeof out, "%.3f", one_nan(x));
  return out;
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(std::max(width, text.size()) - text.size(), ' ') + text;
}
std::string left(const std::string& text, std::size_t width) {
  return text + std::string(std::max(width, text.size()) - text.size(), ' ');
}

// A row a head with its role, then the best head of each pattern. A pattern that no head has a score for has no column.
std::string heads_as_table(const std::vector<HeadScores>& heads) {
  constexpr std::size_t kLeastColumn = 8;
  std::vector<std::size_t> shown;
  std::size_t names = 0;
  for (std::size_t p = 0; p < kHeadPatterns.size(); ++p)
    if (std::any_of(heads.begin(), heads.end(), [&](const HeadScores& head) { return head.scores[p].has_value(); })) {
      shown.push_back(p);
      names = std::max(names, std::string(name_of(kHeadPatterns[p])).size());
    }
  const auto width = [&](std::size_t p) { return std::max(kLeastColumn, std::string(name_of(kHeadPatterns[p])).size() + 2); };
  std::string table = "site     layer  head";
  for (const std::size_t p : shown) table += right(name_of(kHeadPatterns[p]), width(p));
  table += "  role\n";
  for (const HeadScores& head : heads) {
    table += left(head.site, 8) + right(std::to_string(head.layer), 6) + right(std::to_string(head.head), 6);
    for (const std::size_t p : shown) table += right(head.scores[p] ? heads_number(*head.scores[p]) : "-", width(p));
    const auto role = found_role(head.scores, head.chance);
    table += std::string("  ") + (role ? name_of(role->pattern) : "-") + "\n";
  }
  for (const std::size_t p : shown) {
    const HeadScores* best = nullptr;
    for (const HeadScores& head : heads)
      if (head.scores[p] && (!best || *head.scores[p] > *best->scores[p])) best = &head;
    table += "best for " + left(name_of(kHeadPatterns[p]), names) + "  " + best->site + " layer " + std::to_string(best->layer) +
             " head " + std::to_string(best->head) + ", " + heads_number(*best->scores[p]);
    if (best->chance[p])
      table += ", by chance " + heads_number(*best->chance[p]) + ", a role from " +
               heads_number(least_score(kHeadPatterns[p], best->chance[p]));
    table += "\n";
  }
  return table;
}

Status heads(const HeadsOptions& options) {
  if (!options.cells.empty()) return heads_at(options.model, options.taken_out, options.cells, options.json);
  if (options.matter) return heads_out(options.model, options.taken_out, options.json, options.strict);
  if (options.corpus.empty())
    return usage_error("there is no text to score the heads on")
        .at("--corpus")
        .mend("give --corpus, or --matter or --cell with a --text");
  HL_ASSIGN(const Predictor predictor, open_predictor(options.model));
  HL_ASSIGN(const std::string text, read_corpus(options.corpus));
  HL_ASSIGN(const WordLists words, WordLists::open(options.words));
  HL_ASSIGN(const std::vector<MarkedText> marked, open_marked_texts());
  const CancelToken cancel = interrupt_token();  // only here: before, Ctrl+C must end the wait for standard input
  MeasuredHeads measured;
  {
    Progress progress("scoring heads, texts");
    HL_ASSIGN(measured, score_heads(
                            predictor, text, options.corpus == "-" ? "standard input" : options.corpus, words, cancel,
                            [&](std::int64_t done, std::int64_t total) { progress.show(done, total); }, marked));
  }
  NotFinite not_finite;
  if (measured.not_finite > 0)
    not_finite.add(std::to_string(measured.not_finite) + " of " + std::to_string(measured.heads.size()) +
                   " heads have weights that are not finite, so that their scores mean nothing");
  HL_TRY(not_finite.look_for_cause(predictor.model(), cancel));
  HL_TRY(not_finite.check(options.model.model, options.strict));
  not_finite.say("heads", {});
  if (!options.out.empty()) {
    if (!predictor.model().document.interventions.empty())
      return usage_error("a model's heads are named by what it does itself").at("--out").mend("leave the interventions out");
    measured.corpus = options.corpus == "-" ? "" : std::filesystem::path(options.corpus).filename().string();
    HL_ASSIGN(const std::uint32_t weights, weights_checksum(predictor.model()));
    HL_TRY(write_file(options.out, measured_heads_to_json(measured, weights)));
  }
  return print(options.json ? heads_as_json(measured.heads) : heads_as_table(measured.heads));
}

std::function<int()> define_heads(Arguments& arguments) {
  auto options = std::make_shared<HeadsOptions>();
  add_model_options(arguments, options->model);
  const Option corpus = add_corpus_option(arguments, options->corpus, "a text with a sentence on each line", false);
  arguments
      .option("--words", options->words,
              "lists of adjectives and nouns, lines 'adjective: ...' and 'noun: ...'; without it common English ones")
      .type("FILE");
  arguments
      .option("--out", options->out,
              "also write the scores to this file; as heads.json in the model's folder it names its heads in the window")
      .type("FILE");
  arguments
      .flag("--matter", options->matter,
            "takes every head out in turn, alone, and prints by how much the score of one predicted token changes")
      .excludes(corpus);
  arguments
      .option("--cell", options->cells,
              "sorts all heads by the weight that they give this cell of the map of --text, by the mean if it is repeated; "
              "queries and keys count from 0")
      .type("QUERY,KEY")
      .one_value_each()
      .excludes(corpus);
  add_heads_out_options(arguments, options->taken_out);
  add_strict_option(arguments, options->strict);
  arguments.flag("--json", options->json, "the result as JSON, in full precision");
  return [options] {
    const Status done = heads(*options);
    return done.ok() ? kDone : fail("heads", done.error());
  };
}

}  // namespace

Entry heads_command() {
  return {"heads", "Score every head of a trained model for known patterns, or take each out", "", "S18, S23", define_heads};
}

}  // namespace headlight::cli
