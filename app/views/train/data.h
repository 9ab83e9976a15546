// What the Train view shows of its training: the chosen run and checkpoint, and as inputs of the layouts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/figures/charts/answers.h"
#include "app/figures/charts/example_rows.h"
#include "app/figures/charts/loss_chart.h"
#include "app/session/live_trainer.h"
#include "app/views/base/sheet.h"
#include "app/views/train/state.h"

namespace headlight::views::training {

// What lives from frame to frame.
struct Held {
  std::string sentence;     // the sentence that the trainer reads
  std::uint64_t saved = 0;  // the number of the last save whose result was handled
  std::string problem;      // why the last save failed; empty: it did not
  double rate = 0;          // the learning rate that the trainer was told last
};

// The settings that the view asks for.
LiveSettings settings_of(const State& state);
// "induction", in the interface's language.
const char* task_label(const std::string& id);

// The shown run and checkpoint; null: nothing has been trained.
struct Shown {
  const LiveRun* run = nullptr;
  std::size_t run_index = 0, index = 0;  // `index` is the checkpoint's
  std::shared_ptr<const LiveCheckpoint> checkpoint;
  std::int64_t layer = 0, head = 0;
};
// shown_of(state, live) takes the run's checkpoint nearest to state.step, or the last one if state.step is negative.
Shown shown_of(const State& state, const LiveState& live);
// "mine", or "induction-400" where the model to be saved has no name.
std::string chosen_name(const State& state, const LiveState& live, const Shown& shown);

// The view during one frame.
struct Frame {
  const Scene& scene;
  State& state;
  LiveTrainer* trainer = nullptr;  // null: in a file
  std::shared_ptr<const LiveState> live;
  std::shared_ptr<Held> held;
  Shown shown;

  const Context& context() const { return scene.context; }
  std::string sentence() const { return context().document.texts.empty() ? "" : context().document.texts.front(); }
  // Whether what is trained, or prepared, is what the settings ask for; the rate may change while a training runs.
  bool begun() const { return !live->runs.empty() || live->preparing; }
  bool same() const;
};
using Shared = std::shared_ptr<const Frame>;

// The window's training; of a command, which has no trainer, one of its own. Null: not there yet.
std::shared_ptr<const LiveState> shown_training(const Context& context, const State& state);

// loss_input(state, live) has a curve for each run.
figures::LossChartInput loss_input(const State& state, const LiveState& live);
// Up to six checkpoints of the shown head side by side. `indices` receives the indices of these checkpoints.
// film_input(context, shown, indices) always includes the shown checkpoint.
figures::GridInput film_input(const Context& context, const Shown& shown, std::vector<std::size_t>& indices);
// heads_input(context, shown) has a picture for each head of the shown checkpoint.
figures::GridInput heads_input(const Context& context, const Shown& shown);
figures::AnswersInput answers_input(const Shown& shown);
std::string plateau_words(const train::Plateau& plateau);
// Rows of the data that are held out.
figures::ExampleRowsInput example_rows_of(const LiveRun& run);

// What is done with the trainer.
void prepare(const Frame& frame);  // the data and the untrained model of the settings, while nothing is trained
void start(const Frame& frame);    // begins the training that the settings ask for
void play(const Frame& frame);     // pauses it or goes on, where it is the one that the settings ask for; else begins that
void save(const Frame& frame, bool open);  // stores the shown step as a model, which `open` opens
void answer_saving(const Frame& frame);    // takes the trainer's answer about saving

// --- parts of the sheet
sheet::Node settings_flow(Sheet& sheet, const Shared& frame);
sheet::Node player_flow(Sheet& sheet, const Shared& frame);
// The slider over the checkpoints, with the chart's time axis.
sheet::Node checkpoint_slider(Sheet& sheet, const Shared& frame);
std::vector<sheet::Node> saving_nodes(Sheet& sheet, const Shared& frame);
// Before the first step: what is to be learnt, drawn by the task itself.
sheet::Node examples_column(Sheet& sheet, const Shared& frame);

}  // namespace headlight::views::training
