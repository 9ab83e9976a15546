// Figures as files: PNG and PDF through Cairo and Pango, SVG by our own writer. Text stays text in SVG and PDF. The same figure
// gives the same bytes. Every file contains the document that made it (embedded.h reads it back).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/files/figure_style.h"
#include "engine/core/status.h"

namespace headlight::figures {

enum class FileKind { png, svg, pdf };
// The kind named by the file's ending, in upper or lower case; none for other endings.
std::optional<FileKind> file_kind(const std::filesystem::path& path);

inline constexpr int kLeastDpi = 72, kMostDpi = 1200;

struct FileOptions {
  // PNG: pixels per inch. A figure's point is 1/96 inch in all three kinds, so 96 gives one pixel per point
  int dpi = 192;
  std::string document;  // JSON to embed; empty: none
  // The unit in which the figure's size was chosen: SVG says it in that unit, PNG rounds it to the nearest pixel. none: in points
  Length::Unit unit = Length::none;
};

// Returns the file's bytes. Errors: dpi out of range, a picture with a side of more than 32,767 pixels, no memory for it.
Result<std::string> encode_figure(const Figure& figure, FileKind kind, const Theme& theme, const FileOptions& options);
// Several figures as the pages of one PDF; its title is the first one's.
Result<std::string> encode_pages(const std::vector<Figure>& pages, const Theme& theme, const FileOptions& options);
// Writes one figure into a file, completely or not at all; the kind follows from the name.
Status save_figure(const std::filesystem::path& path, const Figure& figure, const Theme& theme, const FileOptions& options);

}  // namespace headlight::figures
