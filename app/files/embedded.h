// The document that a figure carries inside itself, read back: PNG, animated or not (iTXt chunk "headlight"), SVG (<metadata>),
// PDF (keywords), GIF (a comment), NPZ (the member document.json).
// Needs no figure library, so that every build opens a figure.
#pragma once

#include <filesystem>
#include <string>

#include "engine/core/status.h"

namespace headlight {

// Before the base64 of the document in a PDF's keywords and in a GIF's comment.
inline constexpr const char* kDocumentMark = "headlight-document:";

// The JSON of the session (or of the document) that made the figure. not_found for a picture without one.
Result<std::string> embedded_document(const std::filesystem::path& path);
// Whether the file begins like a picture that embedded_document reads; the kind is told by content, not by name.
bool may_embed_document(const std::filesystem::path& path);

}  // namespace headlight
