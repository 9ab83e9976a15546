// The numbers that a figure shows: as CSV, NPY or NPZ files, and as text for the clipboard.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/files/data_file.h"
#include "engine/core/status.h"

namespace headlight::figures {

// What the layout put into figure.data; of a figure without any, the largest matrix it shows. Empty: it shows no numbers.
std::vector<DataTable> tables_of(const Figure& figure);

// "weights, query x key, 8 x 8"
std::string words_of(const DataTable& table);

// CSV and NPY hold one array, tables[chosen]; NPZ holds all of them and the document. The kind follows from the name.
// Errors: no numbers, an index out of range, what writing a file meets.
Status save_tables(const std::filesystem::path& path, const std::vector<DataTable>& tables, std::size_t chosen,
                   const std::string& document);

// Every array with tabs between its numbers and labels, one after the other under their names if there are several.
std::string to_text(const std::vector<DataTable>& tables);

}  // namespace headlight::figures
