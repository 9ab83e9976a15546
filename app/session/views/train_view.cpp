#include "app/session/views/train_view.h"

namespace headlight {

const ViewSchema<TrainView>& train_view_schema() {
  using View = TrainView;
  static const ViewSchema<View> schema = {
      {"task", "train_task", &View::task},
      {"layers", "train_layers", &View::layers, 1, 4},
      {"heads", "train_heads", &View::heads, 1, 8},
      {"width", "train_width", &View::width, 16, 128},
      {"positions", "train_positions", &View::positions},
      {"compare", "train_compare", &View::compare},
      {"rate", "train_rate", &View::rate, 1e-5, 0.1},
      {"seed", "train_seed", &View::seed, 0, 9007199254740991},
      {"path", "train_path", &View::path},
      {"step", "train_step", &View::step, -1},
      {"run", "train_run", &View::run, 0, 1},
      {"layer", "train_layer", &View::layer, 0, 3},
      {"head", "train_head", &View::head, 0, 7},
      {"name", "train_name", &View::name},
  };
  return schema;
}

}  // namespace headlight
