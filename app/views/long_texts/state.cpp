#include "app/views/long_texts/state.h"

namespace headlight {

StateKind long_texts_state() { return state_kind<views::long_range::State>("long_texts"); }

namespace views::long_range {

void State::fields(Fields& field) {
  constexpr double kMost = 1048576.0;
  field({"method", "long_method"}, method);
  field({"page", "long_page"}, page);
  field({"cost", "long_cost"}, cost);
  field({"causal", "long_causal"}, causal);
  field({"parts", "long_parts"}, parts);
  field({"step", "long_step"}, step, 0, 63);
  field({"window", "long_window"}, window, -1, kMost);
  field({"dilation", "long_dilation"}, dilation, -1, kMost);
  field({"global", "long_global"}, global_tokens, -1, kMost);
  field({"block", "long_block"}, block, -1, kMost);
  field({"devices", "long_devices"}, devices, -1, 64);
  field({"span", "long_span"}, span, -1, kMost);
  field({"ramp", "long_ramp"}, ramp, -1, kMost);
  field({"buckets", "long_buckets"}, buckets, -1, 65536);
  field({"rank", "long_rank"}, rank, -1, kMost);
  field({"similarity", "long_similarity"}, similarity);
}

}  // namespace views::long_range
}  // namespace headlight
