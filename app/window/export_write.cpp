#include "app/window/export_write.h"

#include "app/export/data_file.h"
#include "app/export/figure_file.h"

namespace headlight::window {

const figures::Cells* largest_cells(const figures::Figure& figure) {
  const figures::Cells* largest = nullptr;
  for (const figures::Item& item : figure.items)
    if (const auto* cells = std::get_if<figures::Cells>(&item))
      if (!cells->values.empty() && (!largest || cells->rows * cells->columns > largest->rows * largest->columns))
        largest = cells;
  return largest;
}

namespace {

// The tick labels of an axis, which carry the number of the row or column they name.
std::vector<std::string> labels_of(const figures::Figure& figure, figures::Tag::Kind kind, std::int64_t first,
                                   std::int64_t count) {
  std::vector<std::string> labels(static_cast<std::size_t>(count));
  std::size_t found = 0;
  for (const figures::Item& item : figure.items) {
    const auto* text = std::get_if<figures::Text>(&item);
    if (!text || text->tag.kind != kind) continue;
    const std::int64_t at = text->tag.a - first;
    if (at < 0 || at >= count) continue;
    labels[static_cast<std::size_t>(at)] = text->text;
    ++found;
  }
  // Where labels were left out for want of room, numbers name all of them.
  return found == labels.size() ? labels : std::vector<std::string>{};
}

}  // namespace

Status write_figure(const std::filesystem::path& path, const figures::Figure& figure, const figures::Theme& theme,
                    const std::string& session, int dpi) {
  if (!data_kind(path)) return figures::save_figure(path, figure, theme, {dpi, session});
  const figures::Cells* cells = largest_cells(figure);
  if (!cells) return invalid("this picture shows no matrix", path.string(), "choose png, svg or pdf");
  DataTable table;
  table.name = "values";
  table.values = cells->values;
  table.axes = {"row", "column"};
  table.labels = {labels_of(figure, figures::Tag::row, cells->tag.a, cells->rows),
                  labels_of(figure, figures::Tag::column, cells->tag.b, cells->columns)};
  return save_data(path, table, session);
}

}  // namespace headlight::window
