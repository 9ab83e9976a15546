#include "app/session/views/counting_view.h"

namespace headlight {

const ViewSchema<CountingView>& counting_view_schema() {
  using View = CountingView;
  constexpr double kMost = 1099511627776.0, kMostRepeats = 1048576.0;
  static const ViewSchema<View> schema = {
      {"base", "counting_base", &View::base},
      {"d_model", "counting_d_model", &View::d_model, 0, kMost},
      {"heads", "counting_heads", &View::heads, 0, kMostRepeats},
      {"layers", "counting_layers", &View::layers, 0, kMostRepeats},
      {"d_k", "counting_d_k", &View::d_k, 0, kMost},
      {"neurons", "counting_neurons", &View::neurons, 0, kMost},
      {"vocabulary", "counting_vocabulary", &View::vocabulary, 0, kMost},
      {"context", "counting_context", &View::context, 0, kMost},
      {"unembedding", "counting_unembedding", &View::unembedding},
      {"line", "counting_line", &View::line},
      {"numbers", "counting_numbers", &View::numbers},
  };
  return schema;
}

}  // namespace headlight
