#include "app/session/live_trainer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "app/session/worker.h"
#include "engine/backends/backends.h"
#include "engine/core/background_thread.h"
#include "engine/train/training_run.h"

namespace headlight {
namespace {

constexpr double kPublishEvery = 0.1;  // seconds

struct SaveWish {
  std::size_t run = 0;
  std::int64_t step = 0;
  std::filesystem::path folder;
  std::string name;
  bool open = false;
};

// Drops every second of what was kept, from the second on, where it is more than `most`; true: it did.
template <class Item>
bool thinned(std::vector<Item>& kept, std::size_t most) {
  if (kept.size() <= most) return false;
  std::size_t to = 0;
  for (std::size_t from = 0; from < kept.size(); from += 2) kept[to++] = std::move(kept[from]);
  kept.resize(to);
  return true;
}

Status check_name(const std::filesystem::path& folder, const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
    return usage_error("'{}' is no name for a model", name).mend("give one of letters and digits, without a slash");
  std::error_code none;
  if (std::filesystem::exists(folder / name, none))
    return usage_error("there is a model of this name already").at((folder / name).string()).mend("choose another name");
  return {};
}

}  // namespace

// What both threads see.
struct LiveTrainer::Shared {
  std::function<bool()> busy;
  std::function<void()> wake;
  std::mutex mutex;
  std::condition_variable changed;
  bool quit = false, playing = false;
  int single = 0;
  std::optional<LiveSettings> start;
  std::optional<double> rate;
  std::optional<std::string> sentence;
  std::optional<SaveWish> save;
  CancelSource step;  // of what runs now
  std::shared_ptr<const LiveState> state = std::make_shared<LiveState>();
  LiveSaved saved;

  bool wanted() const { return quit || playing || single > 0 || start || rate || sentence || save; }
};

namespace {

// What the thread has for itself.
class LiveWork {
 public:
  explicit LiveWork(std::string sentence) : sentence_(std::move(sentence)) {}

  LiveState state;
  void begin(const LiveSettings& settings, const CancelToken& cancel);
  void set_rate(double rate) {
    for (auto& one : trainings_) one->set_rate(rate);
  }
  void look_at(std::string sentence, const CancelToken& cancel) {
    sentence_ = std::move(sentence);
    for (std::size_t i = 0; i < trainings_.size(); ++i) choose_sequence(i, cancel);
  }
  // One step of every run. False: nothing was done, since it was cancelled.
  bool advance(const CancelToken& cancel);
  LiveSaved save(const SaveWish& wish) const;
  bool ready() const { return !trainings_.empty() && !state.error; }

 private:
  Status prepare(const LiveSettings& settings, const CancelToken& cancel);
  Status measure(const CancelToken& cancel);
  void choose_sequence(std::size_t run, const CancelToken& cancel);
  Result<std::shared_ptr<const LiveCheckpoint>> look(std::size_t run, std::int64_t step, double held_out, NamedTensors parameters,
                                                     const CancelToken& cancel);
  void fail(const Error& error) {
    if (error.kind != ErrorKind::cancelled) state.error = std::make_shared<const Error>(error);
  }

  std::string sentence_;
  std::vector<std::unique_ptr<train::LiveTraining>> trainings_;
  std::vector<double> losses_;  // sums since the last point, by run
  std::int64_t counted_ = 0;
  std::int64_t point_every_ = 5, kept_every_ = 20;
  bool measured_ = false;  // the present step
  double seconds_a_step_ = 0;
  std::uint64_t readings_ = 0;
};

Status LiveWork::prepare(const LiveSettings& settings, const CancelToken& cancel) {
  HL_ASSIGN(const std::vector<LivePlan> plans, live_plans(settings));
  HL_ASSIGN(auto backend, backends::open("cpu"));
  for (const LivePlan& plan : plans) {
    HL_ASSIGN(auto made, train::LiveTraining::make(plan.config, plan.places, backend, cancel));
    LiveRun run;
    run.label = plan.label;
    run.config = made->config();
    run.data = made->shared_data();
    run.plateaus = made->known_plateaus();
    run.numbers = made->count();
    state.runs.push_back(std::move(run));
    trainings_.push_back(std::move(made));
    losses_.push_back(0);
    choose_sequence(trainings_.size() - 1, cancel);
  }
  return measure(cancel);
}

void LiveWork::begin(const LiveSettings& settings, const CancelToken& cancel) {
  trainings_.clear();
  losses_.clear();
  state = {};
  state.settings = settings;
  counted_ = 0;
  seconds_a_step_ = 0;
  point_every_ = 5;
  kept_every_ = 20;
  if (const Status made = prepare(settings, cancel); !made.ok()) {
    trainings_.clear();
    state.runs.clear();
    fail(made.error());
  }
}

Result<std::shared_ptr<const LiveCheckpoint>> LiveWork::look(std::size_t run, std::int64_t step, double held_out,
                                                             NamedTensors parameters, const CancelToken& cancel) {
  auto made = std::make_shared<LiveCheckpoint>();
  made->step = step;
  made->held_out = held_out;
  HL_ASSIGN(made->reading, trainings_[run]->read(parameters, state.runs[run].ids, cancel));
  made->parameters = std::move(parameters);
  made->id = (++readings_ << 8) + run;
  for (const Tensor& layer : made->reading.weights) {
    const std::int64_t n = layer.dim(1);
    for (std::int64_t h = 0; h < layer.dim(0); ++h) {
      const float* const map = layer.data<float>() + h * n * n;
      made->maps.push_back(Tensor::of(std::vector<float>(map, map + n * n), {n, n}, {"query", "key"}));
    }
  }
  return std::shared_ptr<const LiveCheckpoint>(made);
}

void LiveWork::choose_sequence(std::size_t run, const CancelToken& cancel) {
  LiveRun& own = state.runs[run];
  std::vector<std::int32_t> ids = trainings_[run]->ids_of(sentence_);
  own.typed = !ids.empty();
  if (ids.empty()) ids = trainings_[run]->held_out_row();
  if (ids == own.ids) return;
  own.ids = std::move(ids);
  for (auto& kept : own.checkpoints) {
    auto again = look(run, kept->step, kept->held_out, kept->parameters, cancel);
    if (!again) return fail(again.error());
    kept = *again;
  }
}

// The losses of this step, and a checkpoint where it is time for one.
Status LiveWork::measure(const CancelToken& cancel) {
  const std::int64_t step = trainings_[0]->steps();
  const bool keeps = step % kept_every_ == 0;
  std::vector<double> held_out;
  std::vector<std::shared_ptr<const LiveCheckpoint>> kept;
  for (std::size_t i = 0; i < trainings_.size(); ++i) {
    HL_ASSIGN(const double loss, trainings_[i]->held_out(cancel));
    held_out.push_back(loss);
    if (!keeps) continue;
    HL_ASSIGN(auto checkpoint, look(i, step, loss, trainings_[i]->parameters(), cancel));
    kept.push_back(std::move(checkpoint));
  }
  bool fewer_points = false, fewer_kept = false;
  for (std::size_t i = 0; i < trainings_.size(); ++i) {
    LiveRun& run = state.runs[i];
    const double training = counted_ > 0 ? losses_[i] / static_cast<double>(counted_) : held_out[i];
    run.points.push_back({step, training, held_out[i]});
    losses_[i] = 0;
    fewer_points = thinned(run.points, kLivePoints);
    if (!keeps) continue;
    run.checkpoints.push_back(kept[i]);
    fewer_kept = thinned(run.checkpoints, kLiveCheckpoints);
  }
  counted_ = 0;
  if (fewer_points) point_every_ *= 2;
  if (fewer_kept) kept_every_ *= 2;
  measured_ = true;
  return {};
}

bool LiveWork::advance(const CancelToken& cancel) {
  const double began = steady_seconds();
  const auto done = [&](const Status& status) {
    if (status.ok()) return true;
    fail(status.error());
    return state.error != nullptr;
  };
  // A cancelled step leaves the runs behind it one step back; they catch up here.
  const std::int64_t to = trainings_.back()->steps() + 1;
  const bool due = trainings_.back()->steps() % point_every_ == 0 || trainings_.back()->steps() % kept_every_ == 0;
  if (due && !measured_) return done(measure(cancel));
  for (std::size_t i = 0; i < trainings_.size(); ++i) {
    if (trainings_[i]->steps() >= to) continue;
    const Result<double> loss = trainings_[i]->step(cancel);
    if (!loss) return done(loss.error());
    losses_[i] += *loss;
    state.runs[i].step = trainings_[i]->steps();
  }
  ++counted_;
  measured_ = false;
  const double took = steady_seconds() - began;
  state.seconds += took;
  seconds_a_step_ = seconds_a_step_ == 0 ? took : 0.95 * seconds_a_step_ + 0.05 * took;
  state.steps_per_second = seconds_a_step_ > 0 ? 1 / seconds_a_step_ : 0;
  if (to % point_every_ == 0 || to % kept_every_ == 0) return done(measure(cancel));
  return true;
}

LiveSaved LiveWork::save(const SaveWish& wish) const {
  LiveSaved saved;
  saved.folder = wish.folder / wish.name;
  saved.open = wish.open;
  const auto store = [&]() -> Status {
    HL_TRY(check_name(wish.folder, wish.name));
    if (wish.run >= state.runs.size()) return usage_error("there is no training to save").mend("start one");
    const LiveRun& run = state.runs[wish.run];
    const auto kept =
        std::find_if(run.checkpoints.begin(), run.checkpoints.end(), [&](const auto& one) { return one->step == wish.step; });
    if (kept == run.checkpoints.end())
      return usage_error("step {} is not kept any more", wish.step).mend("choose another checkpoint");
    std::error_code error;
    std::filesystem::create_directories(wish.folder, error);
    if (error)
      return failure(ErrorKind::io, "this folder cannot be made: {}", Message::term(error.message()))
          .at(wish.folder.string())
          .mend("choose another place");
    train::Config config = run.config;
    config.name = wish.name;
    return train::save_parameters(saved.folder, config, *run.data, (*kept)->parameters);
  };
  if (const Status stored = store(); !stored.ok()) saved.error = std::make_shared<const Error>(stored.error());
  return saved;
}

}  // namespace

LiveTrainer::LiveTrainer(std::function<bool()> busy, std::function<void()> wake) : shared_(std::make_shared<Shared>()) {
  shared_->busy = std::move(busy);
  shared_->wake = std::move(wake);
}

LiveTrainer::~LiveTrainer() {
  wish([](Shared& s) {
    s.quit = true;
    s.step.cancel();
  });
  if (thread_.joinable()) thread_.join();
}

void LiveTrainer::wish(const std::function<void(Shared&)>& change) {
  {
    const std::lock_guard lock(shared_->mutex);
    change(*shared_);
  }
  shared_->changed.notify_all();
}

void LiveTrainer::play(bool on) {
  wish([&](Shared& s) { s.playing = on; });
}
void LiveTrainer::one_step() {
  wish([](Shared& s) { ++s.single; });
}
void LiveTrainer::set_rate(double rate) {
  wish([&](Shared& s) { s.rate = rate; });
}
void LiveTrainer::look_at(const std::string& sentence) {
  wish([&](Shared& s) { s.sentence = sentence; });
}
void LiveTrainer::make_way() {
  const std::lock_guard lock(shared_->mutex);
  if (!shared_->start) shared_->step.cancel();
}
void LiveTrainer::save(std::size_t run, std::int64_t step, const std::filesystem::path& folder, const std::string& name,
                       bool open) {
  wish([&](Shared& s) { s.save = SaveWish{run, step, folder, name, open}; });
}
std::shared_ptr<const LiveState> LiveTrainer::state() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->state;
}
LiveSaved LiveTrainer::saved() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->saved;
}

void LiveTrainer::start(const LiveSettings& settings, bool plays) {
  wish([&](Shared& s) {
    s.start = settings;
    s.playing = plays;
    s.single = 0;
    s.step.cancel();
    auto waiting = std::make_shared<LiveState>();
    waiting->settings = settings;
    waiting->preparing = true;
    waiting->playing = plays;
    s.state = std::move(waiting);
  });
  if (thread_.joinable()) return;
  thread_ = std::thread([s = shared_] {
    using namespace std::chrono_literals;
    become_background_thread();
    LiveWork work{{}};
    double published = 0;
    std::unique_lock lock(s->mutex);
    for (;;) {
      s->changed.wait(lock, [&] { return s->wanted(); });
      if (s->quit) return;
      if (s->busy && s->busy()) {
        s->changed.wait_for(lock, 2ms, [&] { return s->quit; });
        continue;
      }
      const auto begins = std::exchange(s->start, std::nullopt);
      const auto rate = std::exchange(s->rate, std::nullopt);
      const auto sentence = std::exchange(s->sentence, std::nullopt);
      const auto save = std::exchange(s->save, std::nullopt);
      const bool steps = s->playing || s->single > 0;
      s->step = CancelSource();
      // Only steps are given up for an edit: what was asked for once is done once.
      const CancelToken step = s->step.token(), never;
      lock.unlock();
      if (sentence) work.look_at(*sentence, never);
      if (begins) work.begin(*begins, never);
      if (rate) work.set_rate(*rate);
      bool done = false;
      if (steps && work.ready()) done = work.advance(step);
      std::optional<LiveSaved> saved;
      if (save) saved = work.save(*save);
      lock.lock();
      if (saved) {
        saved->number = s->saved.number + 1;
        s->saved = *saved;
      }
      if (done && s->single > 0) --s->single;
      if (!work.ready()) {
        s->single = 0;
        if (!s->start) s->playing = false;
      }
      const double now = steady_seconds();
      const bool calm = !s->playing && s->single == 0;
      if (s->start || (now - published < kPublishEvery && !calm && !begins && !saved && !sentence)) continue;
      published = now;
      work.state.playing = s->playing;
      s->state = std::make_shared<const LiveState>(work.state);
      lock.unlock();
      if (s->wake) s->wake();
      lock.lock();
    }
  });
}

}  // namespace headlight
