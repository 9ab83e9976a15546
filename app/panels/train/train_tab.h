// The parts of the Train view: its controls, and the pictures for screen and files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/figures/attention/layouts.h"
#include "app/figures/charts/answers.h"
#include "app/figures/charts/example_rows.h"
#include "app/figures/charts/loss_chart.h"
#include "app/panels/shared/panel.h"
#include "app/session/live_trainer.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// The view's state from frame to frame.
struct TrainTransient {
  std::string sentence;     // the sentence that the trainer reads
  std::uint64_t saved = 0;  // the number of the last save whose result was handled
  std::string problem;      // why the last save failed; empty: it did not
  double rate = 0;          // the learning rate that the trainer was told last
  // The data whose first rows `rows` shows before the first step.
  std::shared_ptr<const train::Data> rows_of;
  figures::ExampleRowsInput rows;
};

// The view during one frame.
struct TrainTab {
  Context& context;
  const ui::Look& look;
  LiveTrainer& live;
  std::shared_ptr<const LiveState> state;
  TrainTransient& own;
};

// The settings that the view asks for.
LiveSettings train_settings(const TrainView& view);

// The shown run and checkpoint; null: nothing has been trained.
struct TrainShown {
  const LiveRun* run = nullptr;
  std::size_t run_index = 0, index = 0;  // `index` is the checkpoint's
  std::shared_ptr<const LiveCheckpoint> checkpoint;
  std::int64_t layer = 0, head = 0;
};
// train_shown(view, state) takes the run's checkpoint nearest to view.step, or the last one if view.step is negative.
TrainShown train_shown(const TrainView& view, const LiveState& state);

// "induction", in the interface's language.
const char* train_task_label(const std::string& id);

// --- before the first step (train_start.cpp)
// Prepares the data and the untrained model of the view's settings while nothing is trained.
void keep_prepared(const TrainTab& tab);
// draw_train_examples(tab, shown, 600) draws rows of the data 600 points wide; train_start_figure(context, shown, 600) is the
// same for a file.
void draw_train_examples(const TrainTab& tab, const TrainShown& shown, float width);
figures::Figure train_start_figure(const Context& context, const TrainShown& shown, float width);

// --- controls (train_controls.cpp)
void draw_train_settings(const TrainTab& tab);
void draw_train_player(const TrainTab& tab);
// draw_train_slider(tab, 400) draws the slider over the checkpoints 400 points wide.
void draw_train_slider(const TrainTab& tab, float width);
void draw_train_saving(const TrainTab& tab, float width);
// Handles the trainer's answer about saving: opens the model, or keeps the reason of a failure.
void answer_train_saving(const TrainTab& tab);

// Starts, pauses or continues the training that the settings ask for; and stores the shown step as a model, which `open` opens.
// Both do nothing without a trainer; save_training() does nothing without a trained step.
// save_training(context, true) stores the model and opens it.
void play_training(Context& context);
void save_training(Context& context, bool open);

// --- pictures (train_pictures.cpp)
// train_loss_input(view, state) has a curve for each run.
figures::LossChartInput train_loss_input(const TrainView& view, const LiveState& state);
// Up to six checkpoints of the shown head side by side. `indices` receives the indices of these checkpoints.
// train_film_input(context, shown, indices) always includes the shown checkpoint.
figures::GridInput train_film_input(const Context& context, const TrainShown& shown, std::vector<std::size_t>& indices);
// train_heads_input(context, shown) has a picture for each head of the shown checkpoint.
figures::GridInput train_heads_input(const Context& context, const TrainShown& shown);
figures::AnswersInput train_answers_input(const TrainShown& shown);
std::string train_plateau_words(const train::Plateau& plateau);
// One picture for a file; without items if nothing is trained. The command line has no trainer, so that this function trains a
// model.
// train_picture(context, 600, TrainPicture::losses) is the chart of losses, 600 points wide.
enum class TrainPicture { losses, film, heads, answers };
figures::Figure train_picture(const Context& context, float width, TrainPicture which);
// The whole view for a file; without items if nothing is prepared.
// train_figure(context, 900) is 900 points wide.
figures::Figure train_figure(const Context& context, float width);

}  // namespace headlight::panels
