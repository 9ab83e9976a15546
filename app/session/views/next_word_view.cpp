#include "app/session/views/next_word_view.h"

namespace headlight {

const ViewSchema<NextWordView>& next_word_view_schema() {
  using View = NextWordView;
  static const ViewSchema<View> schema = {
      {"position", "next_position", &View::position, -1},
      {"temperature", "next_temperature", &View::temperature, 0.05, 5},
      {"top_k", "next_top_k", &View::top_k, 0, 10'000'000},
      {"top_p", "next_top_p", &View::top_p, 0, 1},
      {"sample", "next_sample", &View::sample},
      {"seed", "next_seed", &View::seed, 0, 9007199254740991},
      {"words", "next_words", &View::words, 1, 200},
      {"tracked", "next_tracked", &View::tracked},
      {"first", "next_first", &View::first},
      {"second", "next_second", &View::second},
      {"cross", "next_cross", &View::cross},
      {"layer", "next_layer", &View::layer, -1},
  };
  return schema;
}

}  // namespace headlight
