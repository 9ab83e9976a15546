// headlight generate: a decoder continues texts, an encoder-decoder translates them.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "app/cli/backend_option.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_option.h"
#include "app/cli/not_finite.h"
#include "app/cli/progress.h"
#include "engine/core/json.h"
#include "engine/core/text_file.h"
#include "engine/pipeline/generate.h"

namespace headlight::cli {
namespace {

struct GenerateCommandOptions {
  ModelOptions model;
  std::vector<std::string> texts;
  std::string file;
  std::int64_t seed = 0;
  GenerateOptions how;
  bool chat = false, json = false, strict = false;
};

// An output that ends in half a character is no UTF-8: JSON has U+FFFD for its bytes.
Json generate_as_json(const Predictor& predictor, const std::string& text, const Generated& made) {
  const tokenizers::Tokenizer& tokenizer = predictor.output_tokenizer();
  const auto token = [&](std::int32_t id) { return Json::object({{"token", tokenizer.piece(id)}, {"id", id}}); };
  Json steps = Json::array();
  for (const Generated::Step& step : made.steps) {
    Json one = token(step.token);
    one["candidates"] = Json::array();
    for (const Generated::Candidate& candidate : step.candidates) {
      Json listed = token(candidate.token);
      listed["probability"] = candidate.probability;
      one["candidates"].push_back(std::move(listed));
    }
    steps.push_back(std::move(one));
  }
  return Json::object({{"text", text}, {"output", made.output}, {"steps", std::move(steps)}});
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text + "\n";
}

// Says which texts are longer than what the model reads at once.
Status print_windows(const Predictor& predictor, const std::vector<std::string>& texts, const CancelToken& cancel) {
  if (predictor.reads_two()) return {};  // a source that is too long is an error
  for (std::size_t i = 0; i < texts.size(); ++i) {
    HL_ASSIGN(const TokenIds ids, predictor.beginning(texts[i], cancel));
    const std::int64_t length = predictor.model().length;
    if (static_cast<std::int64_t>(ids.size()) > length)
      std::fprintf(stderr, "headlight: text %zu has %zu tokens, and %s was trained on at most %lld: it reads the last %lld\n",
                   i + 1, ids.size(), predictor.model().name.c_str(), static_cast<long long>(length),
                   static_cast<long long>(length));
  }
  return {};
}

// Of each text the first token whose scores are not finite.
Status check_generated(const Predictor& predictor, const std::vector<Generated>& made, const GenerateCommandOptions& options,
                       const CancelToken& cancel) {
  NotFinite not_finite;
  for (std::size_t i = 0; i < made.size(); ++i)
    for (std::size_t step = 0; step < made[i].steps.size(); ++step) {
      const Generated::Step& one = made[i].steps[step];
      if (one.nan + one.infinite == 0) continue;
      std::string counts = one.nan > 0 ? std::to_string(one.nan) + " NaN" : "";
      if (one.infinite > 0) counts += (counts.empty() ? "" : ", ") + std::to_string(one.infinite) + " inf";
      not_finite.add("text " + std::to_string(i + 1) + ": the scores for its added token " + std::to_string(step + 1) + " hold " +
                     counts + ": what follows is no prediction");
      break;
    }
  HL_TRY(not_finite.look_for_cause(predictor.model(), cancel));
  HL_TRY(not_finite.check(options.model.model, options.strict));
  not_finite.say("generate", {});
  return {};
}

Status generate(const GenerateCommandOptions& options) {
  if (options.texts.empty() && options.file.empty())
    return usage_error("there is no text to begin from").at("--text").mend("give --text, or --texts with a file of one a line");
  HL_ASSIGN(auto model, open_model(options.model));
  if (options.chat) {
    HL_ASSIGN(model, with_chat(model));
  }
  HL_ASSIGN(auto backend, open_backend(options.model.backend));
  HL_ASSIGN(const Predictor predictor, Predictor::open(std::move(model), std::move(backend)));
  std::vector<std::string> texts = options.texts;
  if (!options.file.empty()) {
    HL_ASSIGN(const std::string bytes, read_text_input(options.file));
    texts = lines_of_text(bytes);
  }
  const CancelToken cancel = interrupt_token();  // only here: before, Ctrl+C must end the wait for standard input
  GenerateOptions how = options.how;
  how.seed = static_cast<std::uint64_t>(options.seed);
  if (!options.json) how.candidates = 1;
  HL_TRY(print_windows(predictor, texts, cancel));
  std::vector<Generated> made;
  {
    Progress progress("generating, texts");
    HL_ASSIGN(made, headlight::generate(predictor, texts, how, cancel,
                                        [&](std::int64_t done, std::int64_t total) { progress.show(done, total); }));
  }
  HL_TRY(check_generated(predictor, made, options, cancel));
  if (!options.json) {
    std::string out;
    for (const Generated& one : made) out += one_line(one.output);
    return print(out);
  }
  Json all = Json::array();
  for (std::size_t i = 0; i < made.size(); ++i) all.push_back(generate_as_json(predictor, texts[i], made[i]));
  return print(all.dump() + "\n");
}

std::function<int()> define_generate(Arguments& arguments) {
  auto options = std::make_shared<GenerateCommandOptions>();
  add_model_options(arguments, options->model);
  const Option text = arguments.option("--text", options->texts, "the text to continue or translate; may be given several times")
                          .type("TEXT")
                          .one_value_each();
  arguments.option("--texts", options->file, "a file with one text a line, or - for standard input")
      .type("FILE|-")
      .excludes(text);
  arguments.flag("--chat", options->chat, find_field("chat")->parameter.help);
  GenerateOptions& how = options->how;
  arguments.option("--tokens", how.tokens, "the most tokens that are added to each text")
      .type("N")
      .within(1, 100'000)
      .shows_default();
  arguments
      .option("--temperature", how.temperature, "0: the best token each time; above: drawn from softmax(scores / temperature)")
      .type("X")
      .within_reals(0, 1000)
      .shows_default();
  arguments.option("--top-k", how.top_k, "draws from the best k tokens alone; 0 for all")
      .type("N")
      .within(0, 10'000'000)
      .shows_default();
  arguments.option("--top-p", how.top_p, "draws from the fewest best tokens with this probability together")
      .type("X")
      .within_reals(0, 1)
      .shows_default();
  arguments.option("--seed", options->seed, "of the draws; the same seed gives the same texts")
      .type("N")
      .within(0, 9007199254740991)
      .shows_default();
  add_strict_option(arguments, options->strict);
  arguments.flag("--json", options->json, "each step's token and best candidates with their probabilities");
  return [options] {
    const Status done = generate(*options);
    return done.ok() ? kDone : fail("generate", done.error());
  };
}

}  // namespace

Entry generate_command() {
  return {"generate", "Continue texts with a trained model, or translate them", "", "S8, S22", define_generate};
}

}  // namespace headlight::cli
