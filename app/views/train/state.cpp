#include "app/views/train/state.h"

namespace headlight {

StateKind train_state() { return state_kind<views::training::State>("train"); }

namespace views::training {

void State::fields(Fields& field) {
  field({"task", "train_task"}, task);
  field({"layers", "train_layers"}, layers, 1, 4);
  field({"heads", "train_heads"}, heads, 1, 8);
  field({"width", "train_width"}, width, 16, 128);
  field({"positions", "train_positions"}, positions);
  field({"compare", "train_compare"}, compare);
  field({.key = "rate", .former = "train_rate", .undone = kUndone}, rate, 1e-5, 0.1);
  field({"seed", "train_seed"}, seed, 0, 9007199254740991);
  field({"path", "train_path"}, path);
  field({"step", "train_step"}, step, -1);
  field({"run", "train_run"}, run, 0, 1);
  field({"layer", "train_layer"}, layer, 0, 3);
  field({"head", "train_head"}, head, 0, 7);
  field({"name", "train_name"}, name);
}

}  // namespace views::training
}  // namespace headlight
