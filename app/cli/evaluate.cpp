// headlight evaluate: how well a model predicts a text, or the targets of pairs.
#include <cstdio>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_option.h"
#include "app/cli/progress.h"
#include "engine/core/json.h"
#include "engine/pipeline/evaluate.h"

namespace headlight::cli {
namespace {

struct Options {
  ModelOptions model;
  std::string corpus;
  bool json = false;
};

std::string as_json(const std::string& model, const Evaluation& e) {
  return Json::object({{"model", model},
                       {"tokens", e.tokens},
                       {"bytes", e.bytes},
                       {"nats_per_token", e.nats_per_token()},
                       {"bits_per_byte", e.bits_per_byte()},
                       {"perplexity", e.perplexity()}})
             .dump() +
         "\n";
}

std::string as_table(const Evaluation& e) {
  char text[256];
  std::snprintf(text, sizeof text,
                "tokens          %lld\nbytes           %lld\nnats per token  %.4f\nbits per byte   %.4f\nperplexity      %.3f\n",
                static_cast<long long>(e.tokens), static_cast<long long>(e.bytes), e.nats_per_token(), e.bits_per_byte(),
                e.perplexity());
  return text;
}

Status evaluate(const Options& options) {
  HL_ASSIGN(const Predictor predictor, open_predictor(options.model));
  HL_ASSIGN(const std::string text, read_corpus(options.corpus));
  const CancelToken cancel = interrupt_token();  // only here: before, Ctrl+C must end the wait for standard input
  const std::string where = options.corpus == "-" ? "standard input" : options.corpus;
  Evaluation result;
  {
    Progress progress(predictor.reads_two() ? "evaluating, pairs" : "evaluating, tokens");
    const auto show = [&](std::int64_t done, std::int64_t total) { progress.show(done, total); };
    HL_ASSIGN(result, predictor.reads_two() ? evaluate_pairs(predictor, text, where, cancel, show)
                                            : evaluate_text(predictor, text, where, cancel, show));
  }
  return print(options.json ? as_json(options.model.model, result) : as_table(result));
}

std::function<int()> define(Arguments& arguments) {
  auto options = std::make_shared<Options>();
  add_model_options(arguments, options->model);
  arguments
      .option("--corpus", options->corpus,
              "a text; for a model that translates, lines of a text, a tab and its target; - for standard input")
      .type("FILE|-")
      .required();
  arguments.flag("--json", options->json, "the figures as JSON, in full precision");
  return [options] {
    const Status done = evaluate(*options);
    return done.ok() ? kDone : fail("evaluate", done.error());
  };
}

}  // namespace

Entry evaluate_command() {
  return {"evaluate", "How well a trained model predicts a text, or the targets of pairs", "", "S8", define};
}

}  // namespace headlight::cli
