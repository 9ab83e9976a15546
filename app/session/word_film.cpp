#include "app/session/word_film.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "app/session/worker.h"
#include "engine/core/background_thread.h"
#include "engine/core/files.h"
#include "engine/core/text_file.h"
#include "engine/train/grammar.h"
#include "engine/train/word_text.h"
#include "engine/train/word_vectors.h"

namespace headlight {
namespace {

constexpr std::uint64_t kParagraphs = 6000, kLargestText = std::uint64_t{64} << 20;
constexpr double kShowEvery = 0.1;  // seconds

Result<std::string> word_film_text_of(const WordFilmSettings& settings, const CancelToken& cancel) {
  if (!settings.path.empty()) {
    HL_ASSIGN(std::string text, read_text_file(settings.path, kLargestText));
    if (text.empty()) return invalid("the corpus is empty").at(settings.path).mend("give a text");
    return text;
  }
  HL_ASSIGN(const std::filesystem::path assets, assets_folder());
  const std::filesystem::path file = assets / "models" / "course" / "grammar.txt";
  HL_ASSIGN(const std::string rules, read_text_file(file, kLargestText));
  HL_ASSIGN(const train::Grammar grammar, train::Grammar::parse(rules, file.string()));
  std::string text;
  for (std::uint64_t i = 0; i < kParagraphs; ++i) {
    if (cancel.cancelled()) return cancelled();
    text += grammar.paragraph(true, i) + "\n";
  }
  return text;
}

// The training goes on writing into the tensor.
Tensor copy_of(const Tensor& table) {
  const float* const numbers = table.data<float>();
  return Tensor::of(std::vector<float>(numbers, numbers + table.count()), {table.dim(0), table.dim(1)}, {"token", "d_model"});
}

struct FilmHooks {
  std::function<void(const WordFilmState&)> show;      // something new that is to be seen
  std::function<void(const WordFilmState&)> progress;  // waits while the training is to wait
};

// Fills `state` while it trains.
Status film(WordFilmState& state, const FilmHooks& hooks, const CancelToken& cancel) {
  HL_ASSIGN(const std::string text, word_film_text_of(state.settings, cancel));
  WordTextOptions words;
  words.vocabulary = 5000;
  words.min_count = 3;
  HL_ASSIGN(const WordText read, word_text(text, words, cancel));
  WordVectorOptions options;
  options.bag = state.settings.bag;
  options.dimensions = state.settings.dimensions;
  options.epochs = state.settings.epochs;
  options.window = 3;
  options.rate = 0.05;
  // Of a small text nothing is left out.
  options.subsample = read.ids.size() < 1'000'000 ? 0 : 1e-3;
  state.words = read.tokenizer->vocabulary_size();
  state.places = static_cast<std::int64_t>(read.ids.size());
  WordVectorReport report;
  report.snapshots = kWordCheckpoints;
  report.snapshot = [&](const WordVectorSnapshot& now) {
    auto kept = std::make_shared<WordCheckpoint>();
    kept->done = state.done = now.done;
    kept->total = state.total = now.total;
    kept->loss = now.loss;
    kept->space = std::make_shared<const EmbeddingSpace>(embedding_space(copy_of(now.embedding), read.tokenizer));
    kept->context = copy_of(now.context);
    state.checkpoints.push_back(std::move(kept));
    state.preparing = false;
    if (hooks.show) hooks.show(state);
  };
  report.progress = [&](std::int64_t done, std::int64_t) {
    state.done = done;
    if (hooks.progress) hooks.progress(state);
  };
  const auto learnt = train_word_vectors(read.ids, state.words, options, report, cancel);
  if (!learnt.ok()) return learnt.error();
  state.finished = true;
  state.playing = false;
  return {};
}

Status store(const WordFilmState& state, std::size_t index, const std::filesystem::path& folder, const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
    return usage_error("'{}' is no name for a folder", name).mend("give one of letters and digits, without a slash");
  if (index >= state.checkpoints.size()) return usage_error("there is no training to save").mend("start one");
  std::error_code error;
  if (std::filesystem::exists(folder / name, error))
    return usage_error("there is something of this name already").at((folder / name).string()).mend("choose another name");
  const WordCheckpoint& kept = *state.checkpoints[index];
  return save_word_vectors(folder / name, *kept.space->tokenizer, kept.space->table, kept.context,
                           state.settings.bag ? "cbow" : "skipgram");
}

struct FilmSaveWish {
  std::size_t index = 0;
  std::filesystem::path folder;
  std::string name;
};

}  // namespace

std::uint64_t WordFilmState::bytes() const {
  std::uint64_t sum = 1024;
  for (const auto& one : checkpoints) sum += one->space->bytes() + one->context.bytes();
  return sum;
}

Result<WordFilmState> train_word_film(const WordFilmSettings& settings, const CancelToken& cancel) {
  WordFilmState state;
  state.settings = settings;
  HL_TRY(film(state, {}, cancel));
  return state;
}

// What both threads see.
struct WordFilm::Shared {
  std::function<bool()> busy;
  std::function<void()> wake;
  std::mutex mutex;
  std::condition_variable changed;
  bool quit = false, playing = false;
  std::optional<WordFilmSettings> start;
  std::optional<FilmSaveWish> save;
  CancelSource run;
  std::uint64_t trainings = 0;
  std::shared_ptr<const WordFilmState> state = std::make_shared<WordFilmState>();
  WordFilmSaved saved;
};

// The thread's side. `lock` is held outside of a training.
class WordFilm::Run {
 public:
  explicit Run(std::shared_ptr<Shared> shared) : s_(std::move(shared)), lock_(s_->mutex) {}

  void work() {
    for (;;) {
      s_->changed.wait(lock_, [&] { return s_->quit || s_->start || s_->save; });
      if (s_->quit) return;
      if (s_->start)
        train();
      else
        answer_save();
    }
  }

 private:
  void train() {
    WordFilmState state;
    state.settings = *std::exchange(s_->start, std::nullopt);
    state.training = ++s_->trainings;
    state.preparing = true;
    s_->run = CancelSource();
    const CancelToken cancel = s_->run.token();
    publish(state);
    lock_.unlock();
    FilmHooks hooks;
    hooks.show = [&](const WordFilmState& now) {
      const std::lock_guard held(lock_);
      publish(now);
    };
    hooks.progress = [&](const WordFilmState& now) {
      const std::lock_guard held(lock_);
      wait_for_turn(now);
    };
    const Status made = film(state, hooks, cancel);
    lock_.lock();
    if (!made.ok() && made.error().kind == ErrorKind::cancelled) return;
    state.preparing = false;
    if (!made.ok()) state.error = std::make_shared<const Error>(made.error());
    if (!s_->start) s_->playing = false;
    publish(state);
  }

  // Returns when the training may go on, or has been given up.
  void wait_for_turn(const WordFilmState& now) {
    using namespace std::chrono_literals;
    bool shown = false;
    for (;;) {
      if (s_->quit || s_->start) return;
      if (s_->save) {
        answer_save();
      } else if (!s_->playing) {
        if (!std::exchange(shown, true)) publish(now);
        s_->changed.wait(lock_, [&] { return s_->quit || s_->start || s_->save || s_->playing; });
      } else if (s_->busy && s_->busy()) {
        s_->changed.wait_for(lock_, 2ms, [&] { return s_->quit; });
      } else {
        if (shown || steady_seconds() - published_ > kShowEvery) publish(now);
        return;
      }
    }
  }

  void publish(WordFilmState now) {
    if (s_->start) return;  // what waits to begin is shown already
    published_ = steady_seconds();
    now.playing = s_->playing && !now.finished && !now.error;
    s_->state = std::make_shared<const WordFilmState>(std::move(now));
    wake();
  }

  void answer_save() {
    const FilmSaveWish wish = *std::exchange(s_->save, std::nullopt);
    const auto state = s_->state;
    lock_.unlock();
    WordFilmSaved saved;
    saved.folder = wish.folder / wish.name;
    if (const Status stored = store(*state, wish.index, wish.folder, wish.name); !stored.ok())
      saved.error = std::make_shared<const Error>(stored.error());
    lock_.lock();
    saved.number = s_->saved.number + 1;
    s_->saved = std::move(saved);
    wake();
  }

  // Not under the lock: who is woken may ask at once.
  void wake() {
    if (!s_->wake) return;
    lock_.unlock();
    s_->wake();
    lock_.lock();
  }

  std::shared_ptr<Shared> s_;
  std::unique_lock<std::mutex> lock_;
  double published_ = 0;
};

WordFilm::WordFilm(std::function<bool()> busy, std::function<void()> wake) : shared_(std::make_shared<Shared>()) {
  shared_->busy = std::move(busy);
  shared_->wake = std::move(wake);
}

WordFilm::~WordFilm() {
  wish([](Shared& s) {
    s.quit = true;
    s.run.cancel();
  });
  if (thread_.joinable()) thread_.join();
}

void WordFilm::wish(const std::function<void(Shared&)>& change) {
  {
    const std::lock_guard lock(shared_->mutex);
    change(*shared_);
  }
  shared_->changed.notify_all();
}

void WordFilm::start(const WordFilmSettings& settings, bool plays) {
  wish([&](Shared& s) {
    s.start = settings;
    s.playing = plays;
    s.run.cancel();
    auto waiting = std::make_shared<WordFilmState>();
    waiting->training = s.trainings + 1;
    waiting->settings = settings;
    waiting->preparing = true;
    waiting->playing = plays;
    s.state = std::move(waiting);
  });
  if (thread_.joinable()) return;
  thread_ = std::thread([shared = shared_] {
    become_background_thread();
    Run(shared).work();
  });
}

void WordFilm::play(bool on) {
  wish([&](Shared& s) { s.playing = on; });
}
std::shared_ptr<const WordFilmState> WordFilm::state() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->state;
}
bool WordFilm::pictured() {
  const auto now = state();
  if (!now->finished && !now->error && settled()) play(true);
  return now->finished || now->error;
}
void WordFilm::save(std::size_t index, const std::filesystem::path& folder, const std::string& name) {
  wish([&](Shared& s) { s.save = FilmSaveWish{index, folder, name}; });
}
WordFilmSaved WordFilm::saved() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->saved;
}

}  // namespace headlight
