// LiveTrainer: trains small models on background threads while the window shows how they learn. Edits come first: a step that an
// edit meets is given up and done again later. The shell owns it; the Train view draws it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/session/live_settings.h"
#include "engine/core/cancel.h"
#include "engine/train/live_training.h"

namespace headlight {

struct LivePoint {
  std::int64_t step = 0;
  double training = 0, held_out = 0;  // nats a label; training: mean since the point before
};

// What is kept of one step.
struct LiveCheckpoint {
  std::int64_t step = 0;
  double held_out = 0;
  NamedTensors parameters;
  train::SequenceReading reading;  // of LiveRun::ids
  std::vector<Tensor> maps;        // by layer * heads + head, f32 [query, key]
  std::uint64_t id = 0;            // another one for every reading
};

struct LiveRun {
  std::string label;
  train::Config config;
  std::shared_ptr<const train::Data> data;
  std::vector<train::Plateau> plateaus;
  std::int64_t step = 0, numbers = 0;                              // numbers: of all parameters
  std::vector<LivePoint> points;                                   // at most 400; every second one is dropped where they get more
  std::vector<std::shared_ptr<const LiveCheckpoint>> checkpoints;  // at most 25, likewise; the first is step 0
  std::vector<std::int32_t> ids;                                   // the sequence that is looked at
  bool typed = false;                                              // it is the sentence; false: a held-out row
};

struct LiveState {
  LiveSettings settings;
  std::vector<LiveRun> runs;  // one or two, of the same steps
  bool playing = false;
  bool preparing = false;
  double seconds = 0, steps_per_second = 0;  // computing, and at present
  std::shared_ptr<const Error> error;        // why it stopped, or why it was not begun

  // The models are there, and no step was made or is being made.
  bool untrained() const { return !runs.empty() && runs.front().step == 0 && !playing && !preparing; }
};

// A checkpoint that was stored as a model, or why it was not.
struct LiveSaved {
  std::uint64_t number = 0;  // 1, 2, ...
  std::filesystem::path folder;
  bool open = false;  // it is to be opened in Heads
  std::shared_ptr<const Error> error;
};

class LiveTrainer {
 public:
  // `busy`: the interactive worker computes. `wake` is called when there is something new, at most ten times a second.
  explicit LiveTrainer(std::function<bool()> busy = {}, std::function<void()> wake = {});
  ~LiveTrainer();  // stops and joins
  LiveTrainer(const LiveTrainer&) = delete;
  LiveTrainer& operator=(const LiveTrainer&) = delete;

  // Begins anew. Without `plays` it stops before the first step, with the losses and the heads of the untrained model.
  void start(const LiveSettings& settings, bool plays = true);
  void play(bool on);
  void one_step();
  void set_rate(double rate);
  void look_at(const std::string& sentence);  // the sequence, where the run knows its tokens
  void make_way();                            // an edit comes: the running step is given up
  // Stores checkpoint `step` of run `run` as a model: `name` in `folder`. Errors (saved()): a name that is no folder's, or is
  // taken; the disk's.
  void save(std::size_t run, std::int64_t step, const std::filesystem::path& folder, const std::string& name, bool open);

  std::shared_ptr<const LiveState> state() const;  // never null
  LiveSaved saved() const;                         // the last one; number 0: none

 private:
  struct Shared;
  void wish(const std::function<void(Shared&)>& change);
  std::shared_ptr<Shared> shared_;
  std::thread thread_;  // from the first start() on
};

// How many checkpoints are kept, and how many points of a curve.
inline constexpr std::size_t kLiveCheckpoints = 25, kLivePoints = 400;

}  // namespace headlight
