// The parts of the Train view: its controls, and the pictures that screen and files share.
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

// What lives from frame to frame.
struct TrainTransient {
  std::string sentence;     // what the trainer looks at
  std::uint64_t saved = 0;  // the last result of saving that was answered
  std::string problem;      // why the last one failed
  double rate = 0;          // what the trainer was told last
  // Of these data, for the first screen.
  std::shared_ptr<const train::Data> rows_of;
  figures::ExampleRowsInput rows;
};

// The view while it is drawn.
struct TrainTab {
  Context& context;
  const ui::Look& look;
  LiveTrainer& live;
  std::shared_ptr<const LiveState> state;
  TrainTransient& own;
};

// The settings that the view asks for.
LiveSettings train_settings(const TrainView& view);

// Which run and checkpoint are shown; null: nothing is trained yet.
struct TrainShown {
  const LiveRun* run = nullptr;
  std::size_t run_index = 0, index = 0;  // index: of its checkpoints
  std::shared_ptr<const LiveCheckpoint> checkpoint;
  std::int64_t layer = 0, head = 0;
};
TrainShown train_shown(const TrainView& view, const LiveState& state);

// "induction", in the interface's language.
const char* train_task_label(const std::string& id);

// --- before the first step (train_start.cpp)
// Prepares what the settings ask for while nothing is trained: its data and its untrained model.
void keep_prepared(const TrainTab& tab);
void draw_train_examples(const TrainTab& tab, const TrainShown& shown, float width);
figures::Figure train_start_figure(const Context& context, const TrainShown& shown, float width);

// --- controls (train_controls.cpp)
void draw_train_settings(const TrainTab& tab);
void draw_train_player(const TrainTab& tab);
void draw_train_slider(const TrainTab& tab, float width);
void draw_train_saving(const TrainTab& tab, float width);
// Answers what the trainer said of saving: opens the model, or keeps the reason why not.
void answer_train_saving(const TrainTab& tab);

// Begins the training that the settings ask for, or pauses it, or goes on; stores the shown step as a model, and `open`s it.
// Without a trainer, or a step to store, nothing happens.
void play_training(Context& context);
void save_training(Context& context, bool open);

// --- pictures (train_pictures.cpp)
figures::LossChartInput train_loss_input(const TrainView& view, const LiveState& state);
// Up to six checkpoints of the shown head, side by side. `chosen` of them are listed in `indices`.
figures::GridInput train_film_input(const Context& context, const TrainShown& shown, std::vector<std::size_t>& indices);
figures::GridInput train_heads_input(const Context& context, const TrainShown& shown);
figures::AnswersInput train_answers_input(const TrainShown& shown);
std::string train_plateau_words(const train::Plateau& plateau);
// One of the pictures, for a file; without items where nothing is trained yet. Without a window's trainer it trains for itself.
enum class TrainPicture { losses, film, heads, answers };
figures::Figure train_picture(const Context& context, float width, TrainPicture which);
// Everything, for a file; without items where nothing is prepared yet.
figures::Figure train_figure(const Context& context, float width);

}  // namespace headlight::panels
