#include "app/cli/traced.h"

#include "app/cli/backend_option.h"
#include "app/cli/not_finite.h"
#include "app/cli/progress.h"
#include "app/cli/remarks.h"
#include "engine/pipeline/run.h"

namespace headlight::cli {

Result<std::shared_ptr<const Trace>> traced(const std::string& command, const DocumentOptions& options, bool strict,
                                            const CancelToken& cancel) {
  HL_ASSIGN(const Session session, options.read_batch());
  HL_ASSIGN(const auto backend, open_backend(session.document.backend));
  auto waiting = std::make_unique<Waiting>("computing");
  HL_ASSIGN(std::shared_ptr<const Trace> trace, run(session.document, *backend, cancel));
  waiting.reset();
  print_remarks(*trace);
  NotFinite not_finite;
  HL_TRY(not_finite.look_at(*trace, {}, cancel));
  HL_TRY(not_finite.look_for_cause(*trace, cancel));
  HL_TRY(not_finite.check({}, strict));
  not_finite.say(command, {});
  return trace;
}

}  // namespace headlight::cli
