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
  std::string version;  // the program's version, for citation
  CancelToken cancel;
  std::function<void(double)> progress = {};  // 0..1; may be null
  std::string file_name = "report.pdf";       // the report says how to open this file again; save_report() sets it
};

// The report's pages in the light theme. `trace` is the trace of session.document. The pages show no measured time, so that the
// same session gives the same report. Errors: cancelled, and those of reading the trace. A missing part (no tokens, no attention)
// is no error: the page names it.
// report_pages(trace, session, measure, {.version = "1.0"}) gives A4 pages; the first begins with the texts.
Result<std::vector<Figure>> report_pages(const Trace& trace, const Session& session, const TextMeasure& measure,
                                         const ReportOptions& options);

// Writes the report as a PDF that contains the session, completely or not at all. Errors: those of report_pages() and of writing.
// save_report("report.pdf", trace, session, {.version = "1.0"}) writes report.pdf.
Status save_report(const std::filesystem::path& path, const Trace& trace, const Session& session, const ReportOptions& options);

}  // namespace headlight::figures
