// headlight evaluate: how well a model predicts a text, or the targets of pairs.
#include <cstdio>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_option.h"
#include "app/cli/not_finite.h"
#include "app/cli/progress.h"
#include "engine/core/json.h"
#include "engine/pipeline/evaluate.h"

namespace headlight::cli {
namespace {

struct EvaluateOptions {
  ModelOptions model;
  std::string corpus;
  bool json = false, strict = false;
};

std::string evaluate_as_json(const std::string& model, const Evaluation& e, bool masked) {
  Json json = Json::object({{"model", model},
                            {"tokens", e.tokens},
                            {"bytes", e.bytes},
                            {"nats_per_token", e.nats_per_token()},
                            {"bits_per_byte", e.bits_per_byte()},
                            {"perplexity", e.perplexity()}});
  if (masked) json.update(Json::object({{"top_1", e.first_share()}, {"top_5", e.five_share()}}));
  return json.dump() + "\n";
}

std::string evaluate_as_table(const Evaluation& e, bool masked) {
  char text[256], shares[128] = "";
  std::snprintf(text, sizeof text,
                "tokens          %lld\nbytes           %lld\nnats per token  %.4f\nbits per byte   %.4f\nperplexity      %.3f\n",
                static_cast<long long>(e.tokens), static_cast<long long>(e.bytes), e.nats_per_token(), e.bits_per_byte(),
                e.perplexity());
  if (masked)
    std::snprintf(shares, sizeof shares, "most probable   %.1f%%\namong five      %.1f%%\n", 100 * e.first_share(),
                  100 * e.five_share());
  return std::string(text) + shares;
}

Status evaluate(const EvaluateOptions& options) {
  HL_ASSIGN(const Predictor predictor, open_predictor(options.model));
  HL_ASSIGN(const std::string text, read_corpus(options.corpus));
  const CancelToken cancel = interrupt_token();  // only here: before, Ctrl+C must end the wait for standard input
  const std::string where = options.corpus == "-" ? "standard input" : options.corpus;
  const ModelTask task = predictor.model().task;
  const auto how = task == ModelTask::decoder ? evaluate_text : task == ModelTask::encoder ? evaluate_masked : evaluate_pairs;
  Evaluation result;
  {
    Progress progress(predictor.reads_two() ? "evaluating, pairs" : "evaluating, tokens");
    HL_ASSIGN(result,
              how(predictor, text, where, cancel, [&](std::int64_t done, std::int64_t total) { progress.show(done, total); }));
  }
  NotFinite not_finite;
  if (result.not_finite > 0)
    not_finite.add("the scores of " + std::to_string(result.not_finite) + " of " + std::to_string(result.tokens) +
                   " predicted tokens are not finite, so that the loss is no number");
  HL_TRY(not_finite.look_for_cause(predictor.model(), cancel));
  HL_TRY(not_finite.check(options.model.model, options.strict));
  not_finite.say("evaluate", {});
  const bool masked = task == ModelTask::encoder;
  return print(options.json ? evaluate_as_json(options.model.model, result, masked) : evaluate_as_table(result, masked));
}

std::function<int()> define_evaluate(Arguments& arguments) {
  auto options = std::make_shared<EvaluateOptions>();
  add_model_options(arguments, options->model);
  add_corpus_option(arguments, options->corpus, "a text");
  add_strict_option(arguments, options->strict);
  arguments.flag("--json", options->json, "the figures as JSON, in full precision");
  return [options] {
    const Status done = evaluate(*options);
    return done.ok() ? kDone : fail("evaluate", done.error());
  };
}

}  // namespace

Entry evaluate_command() {
  return {"evaluate", "How well a trained model predicts a text, or the targets of pairs", "", "S8", define_evaluate};
}

}  // namespace headlight::cli
