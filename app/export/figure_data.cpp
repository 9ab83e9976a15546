#include "app/export/figure_data.h"

#include <algorithm>

namespace headlight::figures {
namespace {

const Cells* largest_cells(const Figure& figure) {
  const Cells* largest = nullptr;
  for (const Item& item : figure.items)
    if (const auto* cells = std::get_if<Cells>(&item))
      if (!cells->values.empty() && (!largest || cells->rows * cells->columns > largest->rows * largest->columns))
        largest = cells;
  return largest;
}

// The tick labels of an axis; each label's tag holds the number of its row or column.
std::vector<std::string> labels_of(const Figure& figure, Tag::Kind kind, std::int64_t first, std::int64_t count) {
  std::vector<std::string> labels(static_cast<std::size_t>(count));
  std::size_t found = 0;
  for (const Item& item : figure.items) {
    const auto* text = std::get_if<Text>(&item);
    if (!text || text->tag.kind != kind) continue;
    const std::int64_t at = text->tag.a - first;
    if (at < 0 || at >= count) continue;
    labels[static_cast<std::size_t>(at)] = text->text;
    ++found;
  }
  // If some labels were left out for lack of room, numbers name all rows or columns.
  return found == labels.size() ? labels : std::vector<std::string>{};
}

Error no_numbers(const std::string& where) {
  return invalid("this picture shows no array of numbers").at(where).mend("choose png, svg or pdf");
}

}  // namespace

std::vector<DataTable> tables_of(const Figure& figure) {
  std::vector<DataTable> tables;
  for (const Data& data : figure.data)
    if (!data.values.empty()) tables.push_back({data.name, data.values, data.labels, data.axes});
  if (!tables.empty()) return tables;
  if (const Cells* cells = largest_cells(figure)) {
    tables.push_back(
        {"values",
         cells->values.slice(0, cells->from_row, cells->from_row + cells->rows)
             .slice(1, cells->from_column, cells->from_column + cells->columns),
         {labels_of(figure, Tag::row, cells->tag.a, cells->rows), labels_of(figure, Tag::column, cells->tag.b, cells->columns)},
         {"row", "column"}});
  }
  return tables;
}

std::string words_of(const DataTable& table) {
  std::string axes, sizes;
  for (int i = 0; i < table.values.rank(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (at < table.axes.size()) axes += (i ? " × " : "") + table.axes[at];
    sizes += (i ? " × " : "") + std::to_string(table.values.dim(i));
  }
  return table.name + (axes.empty() ? "" : ", " + axes) + ", " + sizes;
}

Status save_tables(const std::filesystem::path& path, const std::vector<DataTable>& tables, std::size_t chosen,
                   const std::string& document) {
  if (chosen >= tables.size()) return no_numbers(path.string());
  if (data_kind(path) == DataKind::npz) return save_npz(path, tables, document);
  return save_data(path, tables[chosen], document);
}

std::string to_text(const std::vector<DataTable>& tables) {
  if (tables.size() == 1) return to_tsv(tables.front());
  std::string out;
  for (const DataTable& table : tables) out += (out.empty() ? "" : "\n") + table.name + "\n" + to_tsv(table);
  return out;
}

}  // namespace headlight::figures
