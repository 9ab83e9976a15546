// The numbers that a figure shows, as CSV, NPY or NPZ files and as text for the clipboard.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/files/data_file.h"
#include "engine/core/status.h"

namespace headlight::figures {

// The tables in figure.data or, if there are none, the largest matrix that the figure shows. The list is empty if the figure
// shows no matrix either.
std::vector<DataTable> tables_of(const Figure& figure);

// The table's name, axes and sizes in words: "weights, query × key, 8 × 8".
std::string words_of(const DataTable& table);

// Writes a file whose kind follows from its name. CSV and NPY hold one array, tables[chosen]; NPZ holds all arrays and the
// document. Errors: no numbers, an index out of range, and those of writing a file.
// save_tables("weights.csv", tables, 0, {}) writes the first table as CSV.
Status save_tables(const std::filesystem::path& path, const std::vector<DataTable>& tables, std::size_t chosen,
                   const std::string& document);

// Every array as lines, with tabs between its labels and numbers; several arrays follow each other, each under its name.
std::string to_text(const std::vector<DataTable>& tables);

}  // namespace headlight::figures
