#include "engine/pipeline/other_patterns.h"

#include <limits>

namespace headlight {

Status take_patterns(models::ModelPlan& plan, const Document& document, backends::Backend& backend, const CancelToken& cancel,
                     const RunOptions& options) {
  for (const Intervention& one : document.interventions) {
    if (one.kind != Intervention::Kind::pattern) continue;
    const std::string where = to_text(one.at);
    if (document.texts.size() > 1)
      return usage_error("the pattern of another sentence is for one text, and there are {}", document.texts.size())
          .at(where)
          .mend("give one text");
    Document other = document;
    other.interventions.clear();
    const bool for_target = one.at.side == "decoder." && !one.at.cross;
    (for_target ? other.targets : other.texts) = {one.sentence};
    RunOptions how = options;
    how.kept_weights = std::numeric_limits<std::uint64_t>::max();
    const auto trace = run(other, backend, cancel, how);
    if (!trace) return failure(trace.error().kind, trace.error().what).at(where).mend(trace.error().mend);
    for (std::int64_t head = 0; head < document.heads; ++head) {
      if (!one.at.covers_head(one.at.prefix(), head)) continue;
      Trace::Tile tile;
      tile.head = head;
      HL_ASSIGN(const Tensor weights, (*trace)->tile(one.at.prefix() + "weights", tile));
      HL_TRY(models::set_pattern(plan, one, head, weights));
    }
  }
  return {};
}

}  // namespace headlight
