#include "app/session/views/sampling_view.h"

namespace headlight {

const ViewSchema<SamplingView>& sampling_view_schema() {
  using View = SamplingView;
  static const ViewSchema<View> schema = {
      {"temperature", "next_temperature", &View::temperature, 0.05, 5},
      {"top_k", "next_top_k", &View::top_k, 0, 10'000'000},
      {"top_p", "next_top_p", &View::top_p, 0, 1},
      {"sample", "next_sample", &View::sample},
      {"seed", "next_seed", &View::seed, 0, 9007199254740991},
  };
  return schema;
}

}  // namespace headlight
