#include "app/session/views/long_texts_view.h"

namespace headlight {

const ViewSchema<LongTextsView>& long_texts_view_schema() {
  using View = LongTextsView;
  constexpr double kMost = 1048576.0;
  static const ViewSchema<View> schema = {
      {"method", "long_method", &View::method},
      {"page", "long_page", &View::page},
      {"cost", "long_cost", &View::cost},
      {"causal", "long_causal", &View::causal},
      {"parts", "long_parts", &View::parts},
      {"step", "long_step", &View::step, 0, 63},
      {"window", "long_window", &View::window, -1, kMost},
      {"dilation", "long_dilation", &View::dilation, -1, kMost},
      {"global", "long_global", &View::global_tokens, -1, kMost},
      {"block", "long_block", &View::block, -1, kMost},
      {"devices", "long_devices", &View::devices, -1, 64},
      {"span", "long_span", &View::span, -1, kMost},
      {"ramp", "long_ramp", &View::ramp, -1, kMost},
      {"buckets", "long_buckets", &View::buckets, -1, 65536},
      {"rank", "long_rank", &View::rank, -1, kMost},
      {"similarity", "long_similarity", &View::similarity},
  };
  return schema;
}

}  // namespace headlight
