#include "engine/train/training_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <system_error>

#include "engine/document/stored_model.h"
#include "engine/models/stored_models.h"
#include "engine/tokenizers/files/open.h"
#include "engine/train/start.h"

namespace headlight::train {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Status make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return failure(ErrorKind::io, "this folder cannot be made: {}", Message::term(error.message()))
        .at(folder.string())
        .mend("choose another place");
  return {};
}

// One training while it runs.
class Run {
 public:
  Run(const Config& config, const TrainingOptions& options, const CancelToken& cancel)
      : config_(config), options_(options), cancel_(cancel) {}
  Status open(std::shared_ptr<backends::Backend> backend);
  Result<TrainingEnd> go();

 private:
  Status step();
  Status evaluate();
  Status save() {
    HL_TRY(save_checkpoint(options_.out, config_, data_->fingerprint(), *learner_, history_));
    return save_model(options_.out, config_, *data_, *learner_);
  }
  void report(std::optional<CurvePoint> held_out);

  const Config& config_;
  const TrainingOptions& options_;
  const CancelToken& cancel_;
  std::shared_ptr<const Data> data_;
  std::unique_ptr<Learner> learner_;
  History history_;
  Learner::Outcome last_;
  // Since the last report, and since the last evaluation.
  Clock::time_point since_ = Clock::now();
  double loss_ = 0, flops_ = 0, curve_loss_ = 0;
  std::int64_t steps_ = 0, labels_ = 0, curve_steps_ = 0;
  double seconds_a_step_ = 0;
};

Status Run::open(std::shared_ptr<backends::Backend> backend) {
  HL_TRY(make_folder(options_.out));
  const bool there = std::filesystem::exists(options_.out / kCheckpointFile);
  if (there && !options_.resume)
    return usage_error("this folder has a training already")
        .at(options_.out.string())
        .mend("go on with it by --resume, or choose another folder");
  if (!there && options_.resume)
    return usage_error("this folder has no checkpoint to go on from").at(options_.out.string()).mend("start it without --resume");
  DataPlaces places{options_.data_folder, options_.config_folder, options_.where};
  if (there) {
    HL_ASSIGN(places.tokenizer, tokenizers::open(std::filesystem::absolute(options_.out).string()));
    if (config_.task == Task::pairs && !config_.one_tokenizer) {
      HL_ASSIGN(places.target_tokenizer, tokenizers::open((options_.out / kTargetTokenizerFolder).string()));
    }
  }
  std::shared_ptr<const StoredModel> start;
  if (!there && !config_.start.empty()) {
    HL_ASSIGN(start, open_start(config_, options_.config_folder, options_.where));
    HL_TRY(take_vocabulary(*start, config_, places));
  }
  HL_ASSIGN(data_, open_data(config_, places, cancel_));
  HL_ASSIGN(learner_, Learner::make(config_, vocabularies_of(*data_), std::move(backend)));
  if (start) {
    HL_TRY(check_vocabulary(*start, *data_, options_.where));
    HL_TRY(take_weights(*start, *learner_, cancel_));
  }
  if (there) {
    HL_ASSIGN(history_, load_checkpoint(options_.out, config_, data_->fingerprint(), *learner_));
  }
  if (options_.started) options_.started(*data_, *learner_);
  return {};
}

Status Run::step() {
  const Clock::time_point start = Clock::now();
  std::vector<Batch> batches;
  for (std::int64_t i = 0; i < config_.accumulate; ++i)
    batches.push_back(data_->training(learner_->steps() * config_.accumulate + i));
  HL_ASSIGN(last_, learner_->step(batches, cancel_));
  for (const Batch& batch : batches) {
    labels_ += batch.labelled;
    history_.labels += batch.labelled;
    HL_ASSIGN(const double flops, learner_->flops(batch));
    flops_ += flops;
  }
  const double seconds = seconds_since(start);
  history_.seconds += seconds;
  seconds_a_step_ = seconds_a_step_ == 0 ? seconds : 0.95 * seconds_a_step_ + 0.05 * seconds;
  loss_ += last_.loss;
  curve_loss_ += last_.loss;
  ++steps_;
  ++curve_steps_;
  return {};
}

void Run::report(std::optional<CurvePoint> held_out) {
  const double seconds = std::max(1e-9, seconds_since(since_));
  if (options_.report && steps_ > 0)
    options_.report({learner_->steps(), config_.steps, loss_ / static_cast<double>(steps_), last_.rate, last_.gradient_norm,
                     static_cast<double>(labels_) / seconds, flops_ / seconds,
                     seconds_a_step_ * static_cast<double>(config_.steps - learner_->steps()), std::move(held_out)});
  since_ = Clock::now();
  loss_ = flops_ = 0;
  steps_ = labels_ = 0;
}

Status Run::evaluate() {
  if (steps_ > 0) report({});  // before: the evaluation's time is not the training's
  HL_ASSIGN(CurvePoint point, held_out_loss(*learner_, *data_, config_.evaluate_batches, cancel_));
  point.step = learner_->steps();
  point.loss = curve_steps_ > 0 ? curve_loss_ / static_cast<double>(curve_steps_) : 0;
  history_.curve.push_back(point);
  curve_loss_ = 0;
  curve_steps_ = 0;
  if (options_.report)
    options_.report({point.step, config_.steps, point.loss, last_.rate, last_.gradient_norm, 0, 0,
                     seconds_a_step_ * static_cast<double>(config_.steps - point.step), point});
  since_ = Clock::now();
  return {};
}

Result<TrainingEnd> Run::go() {
  bool saved = learner_->steps() > 0;
  while (learner_->steps() < config_.steps && !cancel_.cancelled()) {
    const Status done = step();
    if (!done.ok()) {
      if (done.error().kind == ErrorKind::cancelled) break;
      return done.error();
    }
    saved = false;
    const std::int64_t steps = learner_->steps();
    const bool last = steps == config_.steps;
    if (last || steps % config_.evaluate_every == 0) {
      const Status evaluated = evaluate();
      if (!evaluated.ok() && evaluated.error().kind != ErrorKind::cancelled) return evaluated.error();
    } else if (seconds_since(since_) > 1) {
      report({});
    }
    if (last || steps % config_.checkpoint_every == 0) {
      HL_TRY(save());
      saved = true;
    }
  }
  if (!saved) HL_TRY(save());
  return TrainingEnd{learner_->steps(), learner_->steps() < config_.steps, history_};
}

}  // namespace

Vocabularies vocabularies_of(const Data& data) {
  Vocabularies all;
  all.text = models::tokens_of(*data.tokenizer());
  all.target_table = data.target_tokenizer() && data.target_tokenizer() != data.tokenizer();
  all.target = all.target_table ? models::tokens_of(*data.target_tokenizer()) : all.text;
  return all;
}

Result<CurvePoint> held_out_loss(Learner& learner, const Data& data, std::int64_t batches, const CancelToken& cancel) {
  const std::int64_t all = data.held_out_batches();
  Learner::Loss sum;
  for (std::int64_t i = 0; i < (batches > 0 ? std::min(all, batches) : all); ++i) {
    HL_ASSIGN(const Learner::Loss one, learner.evaluate(data.held_out(i), cancel));
    sum.sum += one.sum;
    sum.labelled += one.labelled;
    sum.bytes += one.bytes;
  }
  CurvePoint point;
  point.step = learner.steps();
  if (sum.labelled > 0) point.held_out = sum.sum / static_cast<double>(sum.labelled);
  if (sum.bytes > 0) point.held_out_bits = sum.sum / std::numbers::ln2 / static_cast<double>(sum.bytes);
  return point;
}

Status save_model(const std::filesystem::path& folder, const Config& config, const Data& data, const Learner& learner) {
  NamedTensors values;
  for (const Trained& one : learner.parameters()) values.emplace_back(one.spec.name, one.value);
  return save_parameters(folder, config, data, values);
}

Status save_parameters(const std::filesystem::path& folder, const Config& config, const Data& data,
                       const NamedTensors& parameters) {
  StoredModel model;
  model.name = folder.string();
  model.folder = folder;
  model.title = config.name;
  model.trained_on = config.trained_on;
  model.language = config.language;
  model.target_language = config.target_language;
  model.task = model_task(config.task);
  model.length = config.length;
  model.tied = config.tied;
  const Vocabularies vocabularies = vocabularies_of(data);
  model.vocabulary = vocabularies.text.vocabulary;
  model.target_vocabulary = vocabularies.target_table ? vocabularies.target.vocabulary : 0;
  model.document = config.model;
  const tokenizers::Tokenizer* const target = vocabularies.target_table ? data.target_tokenizer().get() : nullptr;
  return models::write_model(folder, model, {parameters, *data.tokenizer(), target, {}});
}

Result<TrainingEnd> run_training(const Config& config, std::shared_ptr<backends::Backend> backend, const TrainingOptions& options,
                                 const CancelToken& cancel) {
  Run run(config, options, cancel);
  HL_TRY(run.open(std::move(backend)));
  return run.go();
}

}  // namespace headlight::train
