#include "engine/pipeline/run_anywhere.h"

namespace headlight {

Result<std::shared_ptr<const Trace>> run_anywhere(const Document& document, const CancelToken& cancel, RunOptions options,
                                                  const OpenBackend& open) {
  const auto backend = open(document.backend);
  const bool is_device = document.backend.starts_with("cuda");
  if (!backend && (backend.error().kind != ErrorKind::unavailable || !is_device)) return backend.error();
  Error why;
  if (backend) {
    auto trace = run(document, **backend, cancel, options);
    const bool of_device =
        !trace && is_device && (trace.error().kind == ErrorKind::unavailable || trace.error().kind == ErrorKind::too_large);
    if (trace || !of_device) return trace;
    why = trace.error();
  } else {
    why = backend.error();
  }
  HL_ASSIGN(const std::shared_ptr<backends::Backend> cpu, open("cpu"));
  options.remark = why.whole();
  return run(document, *cpu, cancel, options);
}

}  // namespace headlight
