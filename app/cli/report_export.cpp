#include "app/cli/report_export.h"

#include <charconv>
#include <filesystem>
#include <memory>

#include "app/cli/backend_option.h"
#include "app/cli/interrupt.h"
#include "app/cli/not_finite.h"
#include "engine/pipeline/run.h"
#include "headlight_version.h"
#ifdef HEADLIGHT_APP
#include "app/export/report.h"
#endif

namespace headlight::cli {

Status write_report(const ReportRequest& request, [[maybe_unused]] const FigureOptions& figure,
                    [[maybe_unused]] const DocumentOptions& document) {
  const std::filesystem::path path = request.out;
  if (path.extension() != ".pdf") return usage_error("a report is a PDF").at(request.out).mend("end the name with .pdf");
#ifdef HEADLIGHT_APP
  HL_ASSIGN(const FigureStyle style, figure.read(request.out));
  if (!(style == FigureStyle()))
    return usage_error("a report has a form of its own").at(request.out).mend("leave out the options of figures");
  HL_ASSIGN(Session session, document.read_batch());
  if (request.sentence) session.view.batch = *request.sentence;
  if (request.layer) session.view.layer = *request.layer;
  session.view.words_together |= request.words;
  std::int64_t head = -1;
  if (!request.head.empty() && request.head != "all") {
    std::from_chars(request.head.data(), request.head.data() + request.head.size(), head);
    if (head < 0) return usage_error("'{}' is no head", request.head).at("--head").mend("give a number from 0");
    session.view.head = head;
  }
  HL_ASSIGN(const std::shared_ptr<backends::Backend> backend, open_backend(session.document.backend));
  figures::ReportOptions report;
  report.version = HEADLIGHT_VERSION;
  report.cancel = interrupt_token();
  HL_ASSIGN(const std::shared_ptr<const Trace> trace, run(session.document, *backend, report.cancel));
  NotFinite not_finite;
  HL_TRY(not_finite.look_at(*trace, {}, report.cancel));
  HL_TRY(not_finite.check(request.out, request.strict));
  not_finite.say("export", {});
  return figures::save_report(path, *trace, session, report);
#else
  return failure(ErrorKind::unavailable, "this build has no figure libraries (Cairo, Pango), so it writes no reports")
      .at(request.out)
      .mend("build with HEADLIGHT_APP=ON");
#endif
}

}  // namespace headlight::cli
