// Values as data files: CSV with tokens as headers, NPY, NPZ. Needs no figure library, so every build has them.
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
  std::string name;  // name of the array in an .npz: the step's
  Tensor values;     // any shape and type
  // For CSV: the labels of each axis (empty: numbers from 0) and the axes' names. The last axis goes across, the others down.
  std::vector<std::vector<std::string>> labels;
  Axes axes;
  // Labels that depend on the batch: [axis][batch][index]; empty if `labels` applies to all.
  std::vector<std::vector<std::vector<std::string>>> labels_by_batch;
};

// RFC 4180: a header row, then one row for each index of all axes but the last. Fields with commas, quotes or line ends are
// quoted; numbers are written so that reading gives the same value.
std::string to_csv(const DataTable& table);
// The same with tabs, as spreadsheets accept it from the clipboard.
std::string to_tsv(const DataTable& table);
// The kind follows from the name. An .npz also contains `document`, as the array document.json; a CSV does in its first line, if
// `in_csv` is set.
Status save_data(const std::filesystem::path& path, const DataTable& table, const std::string& document, bool in_csv = false);
// Several arrays in one .npz; the names of their axes and labels are in labels.json: {"name": {"axes": [...], "labels":
// [[...]]}}.
Status save_npz(const std::filesystem::path& path, const std::vector<DataTable>& tables, const std::string& document);

}  // namespace headlight
