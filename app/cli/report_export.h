// `headlight export --what report`: everything about a session on the pages of a PDF.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/cli/document_options.h"
#include "app/cli/figure_options.h"
#include "engine/core/status.h"

namespace headlight::cli {

struct ReportRequest {
  std::string out, head;  // head: empty or "all" for the session's
  std::optional<std::int64_t> layer, sentence;
  bool strict = false;  // NaN or infinity is an error
  bool words = false;   // the pieces of a word are taken together
};

// Errors: those of reading, computing and writing; (usage) another kind of file, a choice of looks, a head that is no number.
// write_report({.out = "report.pdf", .head = "3"}, figure, document)
Status write_report(const ReportRequest& request, const FigureOptions& figure, const DocumentOptions& document);

}  // namespace headlight::cli
