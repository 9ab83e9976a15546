#include "app/files/data_file.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "app/files/embedded.h"
#include "engine/core/files.h"
#include "engine/core/json.h"
#include "engine/core/one_nan.h"

namespace headlight {
namespace {

std::string field(const std::string& text, char separator) {
  const bool plain = text.find_first_of("\"\r\n") == std::string::npos && text.find(separator) == std::string::npos;
  if (plain && (text.empty() || (text.front() != ' ' && text.back() != ' '))) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

template <class T>
std::string shortest(T value) {
  char text[48];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

std::string number(const Tensor& values, std::int64_t at) {
  switch (values.dtype()) {
    case DType::f32: return shortest(one_nan(values.data<float>()[at]));
    case DType::f64: return shortest(one_nan(values.data<double>()[at]));
    case DType::i32: return shortest(values.data<std::int32_t>()[at]);
    case DType::u8: return shortest(static_cast<int>(values.data<std::uint8_t>()[at]));
  }
  return {};
}

std::string separated(const DataTable& table, char separator) {
  const Tensor values = table.values.rank() == 0 ? table.values.compact().reshaped({1}) : table.values.compact();
  const auto rank = static_cast<std::size_t>(values.rank());
  const auto label = [&](std::size_t axis, std::int64_t i) {
    const bool named = axis < table.labels.size() && i < static_cast<std::int64_t>(table.labels[axis].size());
    return named ? table.labels[axis][static_cast<std::size_t>(i)] : std::to_string(i);
  };
  const auto batch_axis = static_cast<std::size_t>(std::find(table.axes.begin(), table.axes.end(), "batch") - table.axes.begin());
  // The label of a row: the token of its own sentence.
  const auto label_down = [&](std::size_t axis, const std::vector<std::int64_t>& at) {
    if (batch_axis < rank && axis < table.labels_by_batch.size()) {
      const auto& all = table.labels_by_batch[axis];
      const auto b = static_cast<std::size_t>(at[batch_axis]), i = static_cast<std::size_t>(at[axis]);
      if (b < all.size() && i < all[b].size()) return all[b][i];
    }
    return label(axis, at[axis]);
  };
  const auto axis_name = [&](std::size_t axis) {
    return axis < table.axes.size() ? table.axes[axis] : "axis" + std::to_string(axis);
  };
  const std::int64_t across = values.dim(-1), down = across == 0 ? 0 : values.count() / across;

  const std::string between(1, separator);
  std::string out;
  for (std::size_t axis = 0; axis + 1 < rank; ++axis) out += field(axis_name(axis), separator) + separator;
  for (std::int64_t j = 0; j < across; ++j) out += (j ? between : "") + field(label(rank - 1, j), separator);
  out += "\n";
  std::vector<std::int64_t> index(rank, 0);
  for (std::int64_t row = 0; row < down; ++row) {
    for (std::size_t axis = 0; axis + 1 < rank; ++axis) out += field(label_down(axis, index), separator) + separator;
    for (std::int64_t j = 0; j < across; ++j) out += (j ? between : "") + number(values, row * across + j);
    out += "\n";
    for (std::size_t axis = rank - 1; axis-- > 0;) {
      if (++index[axis] < values.dim(static_cast<int>(axis))) break;
      index[axis] = 0;
    }
  }
  return out;
}

std::vector<std::vector<std::string>> labels_in_full(const DataTable& table) {
  auto labels = table.labels;
  labels.resize(static_cast<std::size_t>(table.values.rank()));
  return labels;
}

}  // namespace

std::optional<DataKind> data_kind(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".csv") return DataKind::csv;
  if (ending == ".npy") return DataKind::npy;
  if (ending == ".npz") return DataKind::npz;
  return {};
}

std::string to_csv(const DataTable& table) { return separated(table, ','); }
std::string to_tsv(const DataTable& table) { return separated(table, '\t'); }

Status save_data(const std::filesystem::path& path, const DataTable& table, const std::string& document, bool in_csv) {
  const std::optional<DataKind> kind = data_kind(path);
  if (!kind)
    return usage_error("the ending of the name says no kind of data").at(path.string()).mend("end it with .csv, .npy or .npz");
  switch (*kind) {
    case DataKind::csv: {
      const std::string csv = to_csv(table);
      return write_file(path, in_csv && !document.empty() ? csv_with_document(csv, document) : csv);
    }
    case DataKind::npy: return write_file(path, write_npy(table.values));
    case DataKind::npz: break;
  }
  return save_npz(path, {table}, document);
}

Status save_npz(const std::filesystem::path& path, const std::vector<DataTable>& tables, const std::string& document) {
  HL_ASSIGN(NpzWriter writer, NpzWriter::create(path));
  Json labels = Json::object();
  bool named = false;
  for (const DataTable& table : tables) {
    HL_TRY(writer.add(table.name, table.values));
    labels[table.name] = Json::object({{"axes", table.axes}, {"labels", labels_in_full(table)}});
    named = named || !table.axes.empty() || !table.labels.empty();
  }
  if (named) HL_TRY(writer.add_text("labels.json", labels.dump(1)));
  if (!document.empty()) HL_TRY(writer.add_text("document.json", document));
  return writer.close();
}

}  // namespace headlight
