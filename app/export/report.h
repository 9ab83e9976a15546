// The report: everything that a session shows, on A4 pages: the sentence and its settings in words, its tokens under every
// tokenizer, all heads, the chosen heads large with their numbers, the masks, and one attention weight written out.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/session/session.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight::figures {

struct ReportOptions {
  std::string version;  // of the program, for citation
  CancelToken cancel;
  std::function<void(double)> progress = {};  // 0..1; may be null
  std::string file_name = "report.pdf";       // by which the report says how it is opened again; save_report() sets its own
};

// `trace` belongs to session.document. Nothing measured is on the pages: the same session gives the same report. The pages use
// the light theme. Errors: cancelled, and those of reading the trace. Missing parts (no tokens, no attention) are not errors: the
// page says so.
Result<std::vector<Figure>> report_pages(const Trace& trace, const Session& session, const TextMeasure& measure,
                                         const ReportOptions& options);

// Writes a PDF that contains the session, completely or not at all.
Status save_report(const std::filesystem::path& path, const Trace& trace, const Session& session, const ReportOptions& options);

}  // namespace headlight::figures
