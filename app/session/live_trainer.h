// LiveTrainer: trains small models on background threads while the window shows how they learn. Edits come first: an edit stops a
// running step, and the step is done again later. It is the Train view's job.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/session/job.h"
#include "app/session/live_settings.h"
#include "engine/core/cancel.h"
#include "engine/train/live_training.h"

namespace headlight {

struct LivePoint {
  std::int64_t step = 0;
  double training = 0, held_out = 0;  // nats a label; training: mean since the previous point
};

// The stored state of one step.
struct LiveCheckpoint {
  std::int64_t step = 0;
  double held_out = 0;
  NamedTensors parameters;
  train::SequenceReading reading;  // of LiveRun::ids
  std::vector<Tensor> maps;        // by layer * heads + head, f32 [query, key]
  std::uint64_t id = 0;            // differs for every reading
};

struct LiveRun {
  std::string label;
  train::Config config;
  std::shared_ptr<const train::Data> data;
  std::vector<train::Plateau> plateaus;
  std::int64_t step = 0, numbers = 0;  // `numbers` counts all parameters
  std::vector<LivePoint> points;       // at most kLivePoints; every second one is dropped when there are more
  std::vector<std::shared_ptr<const LiveCheckpoint>> checkpoints;  // at most kLiveCheckpoints, likewise; the first is step 0
  std::vector<std::int32_t> ids;                                   // the sequence that is read
  bool typed = false;                                              // `ids` are the typed sentence; false: a held-out row
};

struct LiveState {
  LiveSettings settings;
  std::vector<LiveRun> runs;  // one or two, with equal steps
  bool playing = false;
  bool preparing = false;
  double seconds = 0, steps_per_second = 0;  // the time spent computing, and the present speed
  std::shared_ptr<const Error> error;        // why the training stopped or could not begin

  // The models exist, and no step has been made or is being made.
  bool untrained() const { return !runs.empty() && runs.front().step == 0 && !playing && !preparing; }
};

// A checkpoint that was stored as a model, or the reason why it was not.
struct LiveSaved {
  std::uint64_t number = 0;  // 1, 2, ...
  std::filesystem::path folder;
  bool open = false;  // Heads opens the model
  std::shared_ptr<const Error> error;
};

class LiveTrainer final : public Job {
 public:
  // `busy` says whether the interactive worker is computing. `wake` is called when there is something new, at most ten times a
  // second.
  explicit LiveTrainer(std::function<bool()> busy = {}, std::function<void()> wake = {});
  ~LiveTrainer() override;  // stops and joins

  // Begins a new training. Without `plays` it stops before the first step, with the losses and heads of the untrained models.
  // start({"copy", 1, 2, 32}, false) prepares a model of one layer with two heads, 32 wide.
  void start(const LiveSettings& settings, bool plays = true);
  void play(bool on);
  void one_step();
  void set_rate(double rate);
  void look_at(const std::string& sentence);  // the sequence to read, in a run whose vocabulary has its tokens
  void make_way() override;                   // an edit comes: the running step stops
  // Stores checkpoint `step` of run `run` as the model `folder`/`name`; `open` is passed on to LiveSaved. Errors, in saved(): a
  // name that is no folder's or is taken; the disk's.
  // save(0, 400, models, "copy-400", true) stores step 400 of the first run.
  void save(std::size_t run, std::int64_t step, const std::filesystem::path& folder, const std::string& name, bool open);

  std::shared_ptr<const LiveState> state() const;  // never null
  LiveSaved saved() const;                         // the last save; number 0: none
  bool settled() const override { return !state()->preparing; }
  std::uint64_t models_saved() const override { return saved().number; }

 private:
  struct Shared;
  void wish(const std::function<void(Shared&)>& change);
  std::shared_ptr<Shared> shared_;
  std::thread thread_;  // from the first start() on
};

// The largest number of checkpoints, and of points of a curve.
inline constexpr std::size_t kLiveCheckpoints = 25, kLivePoints = 400;

}  // namespace headlight
