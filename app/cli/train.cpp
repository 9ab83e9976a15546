// headlight train: trains a model from a configuration.
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/cli/backend_option.h"
#include "app/cli/command.h"
#include "app/cli/interrupt.h"
#include "engine/core/json.h"
#include "engine/train/training_run.h"
#ifdef HEADLIGHT_APP
#include "app/export/figure_file.h"
#include "app/export/figure_text.h"
#include "app/figures/charts/curves.h"
#endif

namespace headlight::cli {
namespace {

struct TrainOptions {
  std::string config, out, data, backend = "cpu";
  bool resume = false, json = false;
};

std::string time_words(double seconds) {
  const auto whole = static_cast<long long>(std::lround(seconds));
  char words[32];
  if (whole >= 3600)
    std::snprintf(words, sizeof(words), "%lld h %02lld min", whole / 3600, whole / 60 % 60);
  else
    std::snprintf(words, sizeof(words), "%lld min %02lld s", whole / 60, whole % 60);
  return words;
}

// A line for every evaluation on standard output; between them, on a terminal, a line on stderr that is rewritten.
class Words {
 public:
  ~Words() { clear(); }
  void show(const train::Report& r) {
    if (r.held_out) {
      clear();
      std::printf("step %lld of %lld: loss %.4f, held out %.4f nats a token", static_cast<long long>(r.step),
                  static_cast<long long>(r.steps), r.loss, r.held_out->held_out);
      if (r.held_out->held_out_bits > 0) std::printf(", %.4f bits a byte", r.held_out->held_out_bits);
      std::printf(", %s left\n", time_words(r.seconds_left).c_str());
      std::fflush(stdout);
    } else if (terminal_) {
      shown_ = true;
      std::fprintf(stderr, "\r\x1b[Kstep %lld of %lld: loss %.4f, %.0f tokens/s, %.1f GFLOP/s, %s left",
                   static_cast<long long>(r.step), static_cast<long long>(r.steps), r.loss, r.tokens_per_second,
                   r.flops_per_second * 1e-9, time_words(r.seconds_left).c_str());
      std::fflush(stderr);
    }
  }

 private:
  void clear() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
    shown_ = false;
  }
  bool terminal_ = isatty(STDERR_FILENO) == 1, shown_ = false;
};

void print_json(const train::Report& r, const std::string& products) {
  Json line = Json::object({{"step", r.step}, {"steps", r.steps}, {"loss", r.loss}, {"learning_rate", r.rate}});
  if (r.held_out) {
    line["held_out"] = r.held_out->held_out;
    if (r.held_out->held_out_bits > 0) line["held_out_bits_per_byte"] = r.held_out->held_out_bits;
  } else {
    line["gradient_norm"] = r.gradient_norm;
    line["tokens_per_second"] = r.tokens_per_second;
    line["gflops"] = r.flops_per_second * 1e-9;
  }
  line["seconds_left"] = r.seconds_left;
  line["products"] = products;
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

// The loss of training and held-out text by step, as curve.svg beside the model: its card shows it.
Status save_curve([[maybe_unused]] const train::Config& config, [[maybe_unused]] const train::History& history,
                  [[maybe_unused]] const std::filesystem::path& folder) {
#ifdef HEADLIGHT_APP
  if (history.curve.size() < 2) return {};
  figures::CurvesInput input;
  input.title = config.name;
  input.x_axis = "step";
  input.y_axis = "loss, nats a token";
  input.curves = {{"training", {}}, {"held out", {}}};
  input.y_from_zero = true;
  for (const train::CurvePoint& point : history.curve) {
    input.x.push_back(static_cast<double>(point.step));
    input.curves[0].y.push_back(point.loss);
    input.curves[1].y.push_back(point.held_out);
  }
  const figures::Theme& theme = *figures::themes().find("light");
  return figures::save_figure(folder / "curve.svg", figures::curves(input, 640, 360, theme, figures::FigureText()), theme, {});
#else
  return {};
#endif
}

Status run_train(const TrainOptions& options) {
  HL_ASSIGN(const train::Config config, train::read_config(options.config));
  HL_ASSIGN(const std::shared_ptr<backends::Backend> backend, open_backend(options.backend));
  train::TrainingOptions training;
  training.out = options.out;
  training.where = options.config;
  training.config_folder = std::filesystem::path(options.config).parent_path().string();
  training.data_folder = options.data.empty() ? training.config_folder : options.data;
  training.resume = options.resume;
  Words words;
  std::string products;  // what their operands are rounded to
  training.started = [&](const train::Data& data, const train::Learner& learner) {
    products = learner.backend().precision() == "bf16" ? "bfloat16" : learner.backend().precision();
    const train::Data::Sizes& sizes = data.sizes();
    std::fprintf(stderr, "%s: %lld parameters, %lld training tokens and %lld held out, on %s%s\n", config.name.c_str(),
                 static_cast<long long>(learner.count()), static_cast<long long>(sizes.training_tokens),
                 static_cast<long long>(sizes.held_out_tokens), learner.backend().device().label.c_str(),
                 products == config.products || config.products == "float32" ? "" : ", which has no bfloat16 products");
  };
  training.report = [&](const train::Report& r) {
    if (options.json)
      print_json(r, products);
    else
      words.show(r);
  };
  HL_ASSIGN(const train::TrainingEnd end, train::run_training(config, backend, training, interrupt_token(TimeFor::saving)));
  HL_TRY(save_curve(config, end.history, options.out));
  if (end.interrupted)
    return failure(ErrorKind::cancelled, "stopped after step {}, and saved", end.steps)
        .at(options.out)
        .mend("go on with --resume");
  return {};
}

std::function<int()> define_train(Arguments& arguments) {
  auto options = std::make_shared<TrainOptions>();
  arguments.option("--config", options->config, "what to train: a commented JSON file, such as assets/models/NAME/train.json")
      .required();
  arguments.option("--out", options->out, "the folder of the model and its checkpoint").required();
  arguments.option("--data", options->data, "the folder that the configuration's files are in (default: its own)");
  arguments.flag("--resume", options->resume, "go on from the checkpoint in the folder");
  arguments.flag("--json", options->json, "progress as JSON, a line each");
  add_backend_option(arguments, options->backend);
  return [options] {
    const Status done = run_train(*options);
    return done.ok() ? kDone : fail("train", done.error());
  };
}

}  // namespace

Entry train_command() { return {"train", "train a model", "", "", define_train}; }

}  // namespace headlight::cli
