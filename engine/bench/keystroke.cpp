// From an edit to a published trace: the work of the window's worker after each keystroke, with its step cache.
#include "engine/bench/sandbox.h"

namespace headlight::bench {

Result<std::vector<Row>> keystroke(const Request& r, const CancelToken& cancel) {
  HL_ASSIGN(const std::shared_ptr<Sandbox> sandbox, Sandbox::make(r, r.backend, cancel));
  // Each in turn changes the sentence that the one before it has left.
  const std::pair<const char*, Sandbox::Place> places[] = {
      {"first word", Sandbox::Place::first}, {"middle word", Sandbox::Place::middle}, {"last word", Sandbox::Place::last}};
  std::vector<Contender> contenders;
  for (const auto& [variant, place] : places) {
    Contender contender{row_of(r, "keystroke", variant, "publish"),
                        [sandbox, place = place, &cancel](int) { return sandbox->edit(cancel, place); }};
    contender.row.sizes = sandbox->sizes();
    contenders.push_back(std::move(contender));
  }
  return measure(std::move(contenders), r.effort, cancel, r.progress);
}

}  // namespace headlight::bench
