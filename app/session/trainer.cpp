#include "app/session/trainer.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>

#include "app/text/language.h"
#include "engine/core/files.h"
#include "engine/core/text_file.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/training/training.h"

namespace headlight {
namespace {

// The corpus of S14.
constexpr const char* kLecture = "hug\t10\npug\t5\npun\t12\nbun\t4\nhugs\t5\n";
constexpr double kStepSeconds = 0.9, kFastestStep = 0.05;

struct Corpus {
  std::string text, words, name;
  bool word_counts = false;
};

Result<Corpus> read_corpus(const TrainingRequest& request) {
  switch (request.corpus) {
    case TrainingRequest::Corpus::lecture: return Corpus{kLecture, tr_later("a lecture's five words"), "lecture", true};
    case TrainingRequest::Corpus::sample: {
      HL_ASSIGN(const std::filesystem::path assets, assets_folder());
      HL_ASSIGN(std::string text, read_text_file(assets / "corpus" / "sample.txt", std::uint64_t{64} << 20));
      return Corpus{std::move(text), tr_later("the sample corpus"), "sample", false};
    }
    case TrainingRequest::Corpus::typed:
      if (request.text.empty()) return usage_error("no text is typed").at("corpus").mend("type some words to train on");
      return Corpus{request.text, tr_later("a typed text"), "typed", false};
    case TrainingRequest::Corpus::file: break;
  }
  if (request.path.empty()) return usage_error("no file is named").at("corpus").mend("give the path of a text file");
  HL_ASSIGN(std::string text, read_text_file(request.path, std::uint64_t{256} << 20));
  const std::filesystem::path path = request.path;
  return Corpus{std::move(text), path.filename().string(), path.stem().string(), false};
}

}  // namespace

Result<TrainingResult> train_tokenizer(const TrainingRequest& request, const CancelToken& cancel,
                                       const std::function<void(std::int64_t, std::int64_t)>& progress) {
  const auto began = std::chrono::steady_clock::now();
  HL_ASSIGN(const tokenizers::Entry* entry, tokenizers::trainers().get(request.kind));
  HL_ASSIGN(const Corpus corpus, read_corpus(request));
  tokenizers::TrainingOptions options;
  options.vocabulary_size = request.vocabulary_size;
  options.word_counts = corpus.word_counts;
  options.progress = progress;
  // A small corpus begins with its own characters, so that its few steps are not behind 256 bytes.
  if (corpus.word_counts || request.corpus == TrainingRequest::Corpus::typed) options.alphabet = "corpus";
  std::vector<tokenizers::WordCount> words;
  if (corpus.word_counts) {
    HL_ASSIGN(words, tokenizers::parse_word_counts(corpus.text, corpus.words));
  } else {
    HL_ASSIGN(words, entry->count_words(corpus.text, options, cancel));
  }
  if (words.empty()) return invalid("the corpus has no words").at(corpus.words).mend("choose a text with words in it");
  HL_ASSIGN(tokenizers::Training trained, entry->train(words, options, cancel));
  TrainingResult result;
  result.request = request;
  result.corpus_words = corpus.words;
  result.training = std::make_shared<const tokenizers::Training>(std::move(trained));
  HL_ASSIGN(result.film,
            tokenizers::Film::of(result.training, request.kind, request.kind == "bpe" && options.alphabet.empty(), cancel));
  result.name = corpus.name + "-" + request.kind + "-" + std::to_string(result.training->tokenizer->vocabulary_size());
  result.trained = tokenizers::make_trained(tokenizers::kTrainedPrefix + result.name, result.training->tokenizer);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return result;
}

struct Trainer::State {
  std::mutex mutex;
  bool running = false;
  double progress = 0;
  CancelSource cancel;
  std::shared_ptr<const TrainingResult> result;
  std::shared_ptr<const Error> error;
  std::function<void()> wake;
};

Trainer::Trainer(Derived::Lane lane, std::function<void()> wake) : state_(std::make_shared<State>()), lane_(std::move(lane)) {
  state_->wake = std::move(wake);
}

Trainer::~Trainer() {
  const std::lock_guard lock(state_->mutex);
  state_->cancel.cancel();
  state_->wake = {};
}

void Trainer::start() {
  CancelToken own;
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->running) return;
    state_->running = true;
    state_->progress = 0;
    state_->error = nullptr;
    state_->cancel = CancelSource();
    own = state_->cancel.token();
  }
  auto job = [state = state_, request = request, own](const CancelToken& lane) {
    const auto progress = [&](std::int64_t done, std::int64_t total) {
      const std::lock_guard lock(state->mutex);
      if (lane.cancelled()) state->cancel.cancel();  // the program is ending
      const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
      const bool visible = share - state->progress > 0.01;
      state->progress = share;
      if (visible && state->wake) state->wake();
    };
    Result<TrainingResult> made =
        lane.cancelled() ? Result<TrainingResult>(cancelled()) : train_tokenizer(request, own, progress);
    const std::lock_guard lock(state->mutex);
    state->running = false;
    if (made.ok())
      state->result = std::make_shared<const TrainingResult>(std::move(made).value());
    else if (made.error().kind != ErrorKind::cancelled)
      state->error = std::make_shared<const Error>(made.error());
    if (state->wake) state->wake();
  };
  if (lane_)
    lane_(std::move(job));
  else
    job({});
}

void Trainer::cancel() {
  const std::lock_guard lock(state_->mutex);
  state_->cancel.cancel();
}
bool Trainer::running() const {
  const std::lock_guard lock(state_->mutex);
  return state_->running;
}
double Trainer::progress() const {
  const std::lock_guard lock(state_->mutex);
  return state_->progress;
}
std::shared_ptr<const TrainingResult> Trainer::result() const {
  const std::lock_guard lock(state_->mutex);
  return state_->result;
}
std::shared_ptr<const Error> Trainer::error() const {
  const std::lock_guard lock(state_->mutex);
  return state_->error;
}

std::int64_t Trainer::steps() const { return shown_ ? shown_->film->steps() : 0; }

void Trainer::go_to(std::int64_t step) {
  step_ = std::clamp<std::int64_t>(step, 0, steps());
  playing_ = false;
}

void Trainer::play(bool on) {
  if (on && step_ >= steps()) step_ = 0;
  playing_ = on && steps() > 0;
  next_at_ = 0;
}

void Trainer::tick(double now) {
  if (auto latest = result(); latest != shown_) {
    shown_ = std::move(latest);
    step_ = std::min<std::int64_t>(1, steps());
    playing_ = false;
  }
  if (!playing_) return;
  if (next_at_ == 0) next_at_ = now + kStepSeconds;
  if (now < next_at_) return;
  // A long training plays faster, so that it ends within about a minute.
  const double pause = std::clamp(60.0 / static_cast<double>(std::max<std::int64_t>(steps(), 1)), kFastestStep, kStepSeconds);
  next_at_ = now + pause;
  step_ = std::min(step_ + std::max<std::int64_t>(1, steps() / 1200), steps());
  if (step_ >= steps()) playing_ = false;
}

}  // namespace headlight
