// Reads the document that a figure contains: PNG, animated or not (iTXt chunk "headlight"), SVG (<metadata>), PDF (keywords), GIF
// (a comment), NPZ (the array document.json), CSV (a first line "# headlight-document:"), a page (a script element). This file
// needs no figure library, so every build can open a figure.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/core/status.h"

namespace headlight {

// Precedes the base64 of the document in a PDF's keywords and in a GIF's comment.
inline constexpr const char* kDocumentMark = "headlight-document:";

// The JSON of the session (or document) that made the figure. Errors: (not_found) a file without a document; (invalid) a damaged
// one.
Result<std::string> embedded_document(const std::filesystem::path& path);
// Whether the file begins like a kind of file that embedded_document() reads. The content decides, not the name.
bool may_embed_document(const std::filesystem::path& path);

// The CSV with its document in a first line, which numpy.loadtxt and pandas.read_csv(comment="#") skip.
// csv_with_document("a,b\n", "{}") gives "# headlight-document:e30=\na,b\n".
std::string csv_with_document(const std::string& csv, const std::string& document);
// The error for a file that carries no document, by its bytes: a plain CSV, an .npy, arrays of any other format. It says what the
// file is and how its arrays are drawn.
Error no_document_in(std::string_view bytes, const std::filesystem::path& path);

}  // namespace headlight
