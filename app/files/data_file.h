// Writes values as data files: CSV with tokens as headers, NPY, NPZ. This file needs no figure library, so every build writes
// them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/npy.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight {

enum class DataKind { csv, npy, npz };
// The kind named by the file's ending, in upper or lower case; none for other endings.
std::optional<DataKind> data_kind(const std::filesystem::path& path);

struct DataTable {
  std::string name;  // the array's name in an .npz, usually its step's name
  Tensor values;     // any shape and type
  // For CSV: the labels of each axis (an empty list: numbers from 0) and the axes' names. The last axis goes across, the other
  // axes go down.
  std::vector<std::vector<std::string>> labels;
  Axes axes;
  // Labels that depend on the batch: [axis][batch][index]; empty: `labels` applies to every batch.
  std::vector<std::vector<std::vector<std::string>>> labels_by_batch;
};

// The table as CSV (RFC 4180): a header row, then one row for each index of all axes but the last. Fields with commas, quotes or
// line ends are quoted; numbers are written so that reading gives the same value.
std::string to_csv(const DataTable& table);
// The table as to_csv() writes it, but with tabs, as spreadsheets accept it from the clipboard.
std::string to_tsv(const DataTable& table);
// Writes one array; the kind follows from the file's name. An .npz also contains `document`, as the array document.json. A CSV
// contains `document` in its first line if `in_csv` is set. Errors: (usage) an unknown ending; those of writing a file.
// save_data("weights.csv", table, {}) writes a CSV without a document.
Status save_data(const std::filesystem::path& path, const DataTable& table, const std::string& document, bool in_csv = false);
// Writes several arrays in one .npz; labels.json holds the names of their axes and labels: {"name": {"axes": [...], "labels":
// [[...]]}}.
// save_npz("step.npz", {queries, keys}, document) writes two arrays, labels.json and document.json.
Status save_npz(const std::filesystem::path& path, const std::vector<DataTable>& tables, const std::string& document);

}  // namespace headlight
