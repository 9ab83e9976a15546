// Values as data files: CSV with tokens as headers, NPY, NPZ. No figure library: every build has them.
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
// By the name's ending, whatever its case; none for another ending.
std::optional<DataKind> data_kind(const std::filesystem::path& path);

struct DataTable {
  std::string name;  // the array's name in an .npz: the step's
  Tensor values;     // any shape and type
  // For CSV. Labels of each axis (empty: numbers from 0) and their names; the last axis goes across, the others down.
  std::vector<std::vector<std::string>> labels;
  Axes axes;
  // Labels of an axis that differ along the axis "batch": [axis][batch][index], empty where `labels` holds for all.
  std::vector<std::vector<std::vector<std::string>>> labels_by_batch;
};

// RFC 4180: a header row, then one row for each index of all axes but the last; fields with commas, quotes or line ends are
// quoted, numbers written so that they read back to the same value.
std::string to_csv(const DataTable& table);
// The same with tabs, as a spreadsheet takes it from the clipboard.
std::string to_tsv(const DataTable& table);
// The kind follows from the name; an .npz also carries `document` as document.json.
Status save_data(const std::filesystem::path& path, const DataTable& table, const std::string& document);
// Several arrays in one .npz, the names of their axes and labels as labels.json: {"name": {"axes": [...], "labels": [[...]]}}.
Status save_npz(const std::filesystem::path& path, const std::vector<DataTable>& tables, const std::string& document);

}  // namespace headlight
