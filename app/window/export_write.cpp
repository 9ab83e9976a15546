#include "app/window/export_write.h"

#include <cstdio>

#include "app/export/figure_file.h"
#include "engine/core/files.h"
#include "engine/core/npy.h"

namespace headlight::window {

const figures::Cells* largest_cells(const figures::Figure& figure) {
  const figures::Cells* largest = nullptr;
  for (const figures::Item& item : figure.items)
    if (const auto* cells = std::get_if<figures::Cells>(&item))
      if (!cells->values.empty() && (!largest || cells->rows * cells->columns > largest->rows * largest->columns)) largest = cells;
  return largest;
}

namespace {

std::string csv_of(const Tensor& values) {
  std::string text;
  char number[32];
  for (std::int64_t i = 0; i < values.dim(0); ++i) {
    for (std::int64_t j = 0; j < values.dim(1); ++j) {
      std::snprintf(number, sizeof number, "%s%.9g", j ? "," : "", values.at({i, j}));
      text += number;
    }
    text += "\n";
  }
  return text;
}

}  // namespace

Status write_figure(const std::filesystem::path& path, const figures::Figure& figure, const std::string& session, int dpi) {
  if (figures::file_kind(path)) return figures::save_figure(path, figure, figures::theme_of(figure), {dpi, session});
  const std::string extension = path.extension().string();
  const figures::Cells* cells = largest_cells(figure);
  if (!cells) return invalid("this picture shows no matrix", path.string(), "choose png, svg or pdf");
  return write_file(path, extension == ".npy" ? write_npy(cells->values) : csv_of(cells->values));
}

}  // namespace headlight::window
