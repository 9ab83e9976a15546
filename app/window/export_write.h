// A figure, or the numbers in it, as a file.
#pragma once

#include <filesystem>
#include <string>

#include "app/figures/figure.h"
#include "app/figures/theme.h"
#include "engine/core/status.h"

namespace headlight::window {

inline constexpr const char* kExportFormats[] = {"png", "svg", "pdf", "csv", "npy"};
inline constexpr int kExportFormatCount = 5;

// The format is the path's extension. Pictures carry `session` (JSON) inside themselves; csv and npy hold the values of the
// largest matrix shown. `dpi` is for png: 72 is one pixel a point.
Status write_figure(const std::filesystem::path& path, const figures::Figure& figure, const figures::Theme& theme,
                    const std::string& session, int dpi);
// The largest matrix shown, or null.
const figures::Cells* largest_cells(const figures::Figure& figure);

}  // namespace headlight::window
