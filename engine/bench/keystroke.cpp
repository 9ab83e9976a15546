// From an edit to a published trace: the work of the window's worker after each keystroke, with its step cache.
#include "engine/bench/sandbox.h"

namespace headlight::bench {

Result<std::vector<Row>> keystroke(const Request& r, const CancelToken& cancel) {
  HL_ASSIGN(const std::shared_ptr<Sandbox> sandbox, Sandbox::make(r, r.backend, cancel));
  Contender contender{row_of(r, "keystroke", "edit", "publish"), [sandbox, &cancel](int) { return sandbox->edit(cancel); }};
  contender.row.sizes = sandbox->sizes();
  std::vector<Contender> contenders;
  contenders.push_back(std::move(contender));
  return measure(std::move(contenders), r.effort, cancel, r.progress);
}

}  // namespace headlight::bench
