// `headlight export --out view.html`: a page that any browser opens, of a document's sentences or of arrays of any origin.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/document_options.h"
#include "app/cli/figure_options.h"
#include "engine/core/status.h"

namespace headlight::cli {

// Whether a file of this name is a page: .html or .htm.
bool is_page(const std::filesystem::path& path);

// What the command's options choose; an empty text means that nothing was chosen.
struct PageRequest {
  std::filesystem::path out;
  std::string what, in, array, head, view, range, word, colormap, language, numbers, budget, lesson;
  std::vector<std::string> labels;
  std::optional<std::int64_t> layer, sentence;  // shown first, as the head is
  bool strict = false;                          // NaN or infinity is an error
  bool words = false;                           // the pieces of a word are taken together at first
};

// With `lesson` its steps as a handout. Without `in` a run for each text of the document, and one for a session's pinned
// document. With `in` the arrays of an .npz or .npy: the one named `array`, else "encoder", "decoder" and "cross", else the only
// one or "weights". `labels` are files of tokens, a line each: of the rows, and of the columns where they differ; without them
// the file's own arrays of texts, "tokens" and "source_tokens". Says on stderr what is not finite. Errors: those of reading,
// computing and writing; (usage) an option that is not for a page; no such language, layer, head or sentence. write_page({.out =
// "view.html", .head = "3"}, figure, document)
Status write_page(const PageRequest& request, const FigureOptions& figure, const DocumentOptions& document);

}  // namespace headlight::cli
