// Figures as files: PNG and PDF through Cairo and Pango, SVG written by us. Text stays text in SVG and PDF. The same figure
// gives the same bytes. Every file carries the document that made it (embedded.h reads it back).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/core/status.h"

namespace headlight::figures {

enum class FileKind { png, svg, pdf };
// By the name's ending, whatever its case; none for another ending.
std::optional<FileKind> file_kind(const std::filesystem::path& path);

inline constexpr int kLeastDpi = 72, kMostDpi = 1200;

struct FileOptions {
  int dpi = 192;         // PNG: pixels an inch. A figure's point is 1/96 inch in all three kinds: 96 is one pixel a point
  std::string document;  // JSON to embed; empty: none
};

// The file's bytes. Errors: dpi out of range, a picture larger than 32,767 pixels a side, no memory for it.
Result<std::string> encode_figure(const Figure& figure, FileKind kind, const Theme& theme, const FileOptions& options);
// Several figures as the pages of one PDF; its title is the first one's.
Result<std::string> encode_pages(const std::vector<Figure>& pages, const Theme& theme, const FileOptions& options);
// One figure into a file, whole or not at all; the kind follows from the name.
Status save_figure(const std::filesystem::path& path, const Figure& figure, const Theme& theme, const FileOptions& options);

}  // namespace headlight::figures
