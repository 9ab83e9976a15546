// headlight corpus: what a training configuration reads, and what it holds out.
#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "app/cli/model_option.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/train/corpus_files.h"
#include "engine/train/count_scores.h"
#include "engine/train/data.h"

namespace headlight::cli {
namespace {

struct CorpusOptions {
  std::string config, data, held_out;
  bool counts = false, json = false;
};

// The texts that are held out, a line each; of pairs the source, a tab and the target.
Result<std::string> held_out_lines(const train::Config& config, const std::string& data_folder, const std::string& config_folder,
                                   const std::string& where) {
  std::string lines;
  if (config.task == train::Task::pairs) {
    HL_ASSIGN(const train::Split<train::TextPair> pairs, train::read_pairs(config.corpus, data_folder, config.held_out, where));
    for (const auto& [source, target] : pairs.held_out) lines += source + "\t" + target + "\n";
    return lines;
  }
  HL_ASSIGN(const train::Split<std::string> texts, train::read_texts(config, data_folder, config_folder, where));
  for (const std::string& text : texts.held_out) lines += text + "\n";
  return lines;
}

std::string corpus_as_table(const train::Data::Sizes& sizes, const train::CountScores* counts) {
  char text[512], more[512] = "";
  std::snprintf(text, sizeof text, "              training    held out\ntexts     %12lld%12lld\ntokens    %12lld%12lld\n",
                static_cast<long long>(sizes.training_texts), static_cast<long long>(sizes.held_out_texts),
                static_cast<long long>(sizes.training_tokens), static_cast<long long>(sizes.held_out_tokens));
  if (counts)
    std::snprintf(more, sizeof more,
                  "counting predicts the held-out tokens\n              most probable    among five\n"
                  "unigram   %16.1f%%%13.1f%%\nbigram    %16.1f%%%13.1f%%\n",
                  100 * counts->unigram_first, 100 * counts->unigram_five, 100 * counts->bigram_first, 100 * counts->bigram_five);
  return std::string(text) + more;
}

std::string corpus_as_json(const train::Data::Sizes& sizes, const train::CountScores* counts) {
  Json json = Json::object({{"training_texts", sizes.training_texts},
                            {"held_out_texts", sizes.held_out_texts},
                            {"training_tokens", sizes.training_tokens},
                            {"held_out_tokens", sizes.held_out_tokens}});
  if (counts)
    json.update(Json::object({{"unigram_top_1", counts->unigram_first},
                              {"unigram_top_5", counts->unigram_five},
                              {"bigram_top_1", counts->bigram_first},
                              {"bigram_top_5", counts->bigram_five}}));
  return json.dump() + "\n";
}

Status corpus(const CorpusOptions& options) {
  HL_ASSIGN(const train::Config config, train::read_config(options.config));
  if (train::is_made_up(config.task))
    return usage_error("the configuration trains on random sequences, which are endless")
        .at("--config")
        .mend("choose one of texts or pairs");
  train::DataPlaces places;
  places.config_folder = std::filesystem::path(options.config).parent_path().string();
  places.data_folder = options.data.empty() ? places.config_folder : options.data;
  places.where = options.config;
  if (!options.held_out.empty()) {
    HL_ASSIGN(const std::string lines, held_out_lines(config, places.data_folder, places.config_folder, places.where));
    return write_file(options.held_out, lines);
  }
  const CancelToken cancel = interrupt_token();
  HL_ASSIGN(const std::shared_ptr<const train::Data> data, train::open_data(config, places, cancel));
  train::CountScores counts;
  if (options.counts) {
    HL_ASSIGN(counts, train::count_scores(*data, config.task, cancel));
  }
  const train::CountScores* shown = options.counts ? &counts : nullptr;
  return print(options.json ? corpus_as_json(data->sizes(), shown) : corpus_as_table(data->sizes(), shown));
}

std::function<int()> define_corpus(Arguments& arguments) {
  auto options = std::make_shared<CorpusOptions>();
  arguments.option("--config", options->config, "a training configuration, such as assets/models/NAME/train.json").required();
  arguments.option("--data", options->data, "the folder that the configuration's files are in (default: its own)");
  arguments.option("--held-out", options->held_out, "write what is held out to this file, a text or pair a line, and end");
  arguments.flag("--counts", options->counts, "how well counting tokens and pairs of tokens predicts what is held out");
  arguments.flag("--json", options->json, "the figures as JSON, in full precision");
  return [options] {
    const Status done = corpus(*options);
    return done.ok() ? kDone : fail("corpus", done.error());
  };
}

}  // namespace

Entry corpus_command() {
  return {"corpus", "What a training configuration reads: sizes, the held-out text, what counting predicts", "", "",
          define_corpus};
}

}  // namespace headlight::cli
