// From a published trace to the routes of its answer: what the view Why this word computes after every edit.
#include "engine/bench/sandbox.h"
#include "engine/insight/information_routes.h"

namespace headlight::bench {

Result<std::vector<Row>> routes(const Request& r, const CancelToken& cancel) {
  constexpr double kThreshold = 0.04;  // the window's
  HL_ASSIGN(const std::shared_ptr<Sandbox> sandbox, Sandbox::make(r, r.backend, cancel));
  Contender edit{row_of(r, "routes", "edit", "publish"), [sandbox, &cancel](int) { return sandbox->edit(cancel); }};
  Contender routes{row_of(r, "routes", "routes", "shares"), [sandbox, &cancel](int) -> Status {
                     HL_ASSIGN(const InformationShares shares,
                               information_shares(sandbox->published(), 0, sandbox->backend(), cancel));
                     const RouteVector last = last_vector(shares, shares.stacks.back().positions - 1);
                     (void)information_routes(shares, last, kThreshold, false);
                     return {};
                   }};
  edit.row.sizes = routes.row.sizes = sandbox->sizes();
  std::vector<Contender> contenders;
  contenders.push_back(std::move(edit));
  contenders.push_back(std::move(routes));
  return measure(std::move(contenders), r.effort, cancel, r.progress);
}

}  // namespace headlight::bench
