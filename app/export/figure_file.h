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
  // The unit in which the figure's size was chosen. SVG states its size in this unit; PNG rounds the size to the nearest pixel.
  // none: no size was chosen, so SVG states points and PNG rounds up
  Length::Unit unit = Length::none;
};

// Returns the file's bytes. Errors: a figure without width or height, a dpi out of range, those of rasterise(), too little
// memory.
// encode_figure(figure, FileKind::png, theme, {.dpi = 96}) of a figure of 200 x 100 points gives a PNG of 200 x 100 pixels.
Result<std::string> encode_figure(const Figure& figure, FileKind kind, const Theme& theme, const FileOptions& options);
// Several figures as the pages of one PDF, which takes its title from the first page. Errors: no pages, too little memory.
// encode_pages({first, second}, theme, {}) gives a PDF of two pages.
Result<std::string> encode_pages(const std::vector<Figure>& pages, const Theme& theme, const FileOptions& options);
// Writes one figure into a file, completely or not at all; the kind follows from the name. Errors: those of encode_figure() and
// of writing a file; (usage) an unknown ending.
// save_figure("weights.svg", figure, theme, {}) writes an SVG.
Status save_figure(const std::filesystem::path& path, const Figure& figure, const Theme& theme, const FileOptions& options);

}  // namespace headlight::figures
