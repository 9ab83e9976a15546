#include "app/session/live_settings.h"

#include <algorithm>
#include <filesystem>

#include "app/text/language.h"
#include "engine/core/files.h"

namespace headlight {
namespace {

using train::Config;
using train::Task;

struct LiveTask {
  const char* id;
  Task task;
  std::int64_t length;
  const char* trained_on;
};
constexpr LiveTask kTasks[] = {
    {"induction", Task::repeat, 32, "random syllables that repeat themselves"},
    {"copy", Task::copy, 18, "random letters that are copied"},
    {"reverse", Task::reverse, 18, "random letters that are reversed"},
    {"sort", Task::sort, 18, "random letters that are sorted"},
    {"majority", Task::majority, 12, "random letters, of which the most frequent is asked for"},
    {"hello", Task::spell, 16, "the word hello"},
    {"text", Task::text, 64, "a text of one's own"},
};

const LiveTask& task_of(const LiveSettings& settings) {
  for (const LiveTask& one : kTasks)
    if (settings.task == one.id) return one;
  return kTasks[0];
}

// The file of a training on text; the sample corpus where none is named.
Result<std::filesystem::path> text_of(const LiveSettings& settings) {
  if (!settings.path.empty()) return std::filesystem::path(settings.path);
  HL_ASSIGN(const std::filesystem::path assets, assets_folder());
  return assets / "corpus" / "sample.txt";
}

Config config_of(const LiveSettings& settings) {
  const LiveTask& task = task_of(settings);
  Config config;
  config.name = settings.task;
  config.trained_on = task.trained_on;
  config.task = task.task;
  config.length = task.length;
  config.batch = 32;
  config.seed = static_cast<std::uint64_t>(settings.seed);
  config.learning_rate = config.least_learning_rate = settings.rate;
  config.warmup = 20;
  config.decay = 0.05;
  // Of fewer symbols some stand twice in a segment: one symbol then does not say which comes next, and the heads find the place
  // by several, a few columns beside the pattern that bears the name.
  config.repeat = {64, 8, 16, false};
  config.letters.symbols = 10;
  Document& model = config.model;
  model.d_model = settings.width;
  model.heads = settings.heads;
  model.layers = settings.layers;
  model.feed_forward = task.task != Task::repeat;  // attention alone continues what repeats itself
  model.norm_kind = "layer";
  model.final_norm = true;
  model.position = settings.positions ? "rotary" : "none";
  model.bias = false;
  model.masks = {Choice{"causal", {}}};
  return config;
}

}  // namespace

const std::vector<std::string>& live_tasks() {
  static const std::vector<std::string> ids = [] {
    std::vector<std::string> all;
    for (const LiveTask& one : kTasks) all.emplace_back(one.id);
    return all;
  }();
  return ids;
}

Result<std::vector<LivePlan>> live_plans(const LiveSettings& settings) {
  std::vector<LivePlan> plans(1);
  plans[0].config = config_of(settings);
  HL_TRY(validate(plans[0].config.model));
  if (settings.task == "text") {
    HL_ASSIGN(const std::filesystem::path file, text_of(settings));
    train::Corpus corpus;
    corpus.files = file.filename().string();
    plans[0].config.corpus = {corpus};
    plans[0].config.held_out = 0.1;
    plans[0].config.tokenizer.kind = "characters";
    plans[0].config.tokenizer.size = 0;
    plans[0].places.data_folder = file.parent_path().string();
    plans[0].places.where = file.string();
  }
  if (settings.compare.empty()) return plans;
  LiveSettings other = settings;
  if (settings.compare == "positions") {
    other.positions = !settings.positions;
  } else {
    other.layers = settings.layers == 1 ? 2 : 1;
  }
  plans.push_back(plans[0]);
  plans[1].config.model = config_of(other).model;
  for (LivePlan& plan : plans) {
    const Document& model = plan.config.model;
    if (settings.compare == "positions")
      plan.label = model.position == "none" ? tr_later("without positions") : tr_later("with positions");
    else
      plan.label = model.layers == 1   ? tr_later("one layer")
                   : model.layers == 2 ? tr_later("two layers")
                                       : tr_later("more layers");
  }
  return plans;
}

}  // namespace headlight
