// Rows of a benchmark as JSON and as a table.
#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/bench.h"

namespace headlight::cli {
namespace {

double median(const bench::Row& row) { return bench::percentile(row.samples, 0.5); }

template <class... Values>
std::string format(const char* how, Values... values) {
  char text[256];
  std::snprintf(text, sizeof(text), how, values...);
  return text;
}

std::string error_of(const bench::Row& row) {
  return row.error ? format("%9.1e %9.1e %9.1e", row.error->mean_abs, row.error->max_abs, row.error->relative) : "";
}

std::string stage_of(const bench::Row& row) { return row.variant.substr(0, row.variant.find(':')); }
bool is_every_query(const bench::Row& row) { return row.variant.ends_with("-unpooled"); }

// How the index compares in this mode: with the fastest way that needs none, and with the notebook's steps.
std::string headline(const std::vector<bench::Row>& rows, const std::string& mode) {
  const bench::Row *index = nullptr, *fastest = nullptr, *notebook = nullptr;
  for (const bench::Row& row : rows) {
    if (row.what != "isdpa" || row.mode != mode || stage_of(row) != "layer" || is_every_query(row) || median(row) <= 0) continue;
    if (row.variant == "layer:index") {
      index = &row;
      continue;
    }
    if (row.variant == "layer:notebook") notebook = &row;
    if (!fastest || median(row) < median(*fastest)) fastest = &row;
  }
  if (!index || !fastest) return {};
  std::string text = format("%s: the index takes %.3f ms, the fastest way without one (%s) %.2f times as long", mode.c_str(),
                            median(*index) * 1e3, fastest->variant.substr(6).c_str(), median(*fastest) / median(*index));
  if (notebook) text += format(", the notebook's steps %.1f times", median(*notebook) / median(*index));
  return text + "\n";
}

// What comes on top of the device's own time.
std::string around(const std::vector<bench::Row>& rows) {
  for (const bench::Row& row : rows) {
    if (row.variant != "layer:index" || row.launch + row.upload + row.download <= 0) continue;
    return format(
        "times are the device's own; around a call of the index: launching and waiting %.1f us, the words' indices to the "
        "device %.1f us, the result back %.1f us\n",
        row.launch * 1e6, row.upload * 1e6, row.download * 1e6);
  }
  return {};
}

// What a run is made of. The parts were measured apart from it and need not add up to it.
std::string parts(const std::vector<bench::Row>& rows) {
  std::string text;
  for (const bench::Row& row : rows) {
    if (!row.parts) continue;
    text += format("of it on %s: arrays there %.1f us, %d steps %.1f us by its own clock, results back %.1f us\n",
                   row.backend.c_str(), row.parts->upload * 1e6, static_cast<int>(row.parts->steps), row.parts->compute * 1e6,
                   row.parts->download * 1e6);
  }
  return text;
}

// Which of the device's kernels served which row, where it has several.
std::string kernels(const std::vector<bench::Row>& rows) {
  std::string text;
  for (const bench::Row& row : rows)
    if (!row.kernel.empty()) text += (text.empty() ? "last step by: " : ", ") + row.variant + " " + row.kernel;
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string json_of(const std::vector<bench::Row>& rows) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const bench::Row& row : rows) {
    nlohmann::ordered_json one;
    one["what"] = row.what;
    one["variant"] = row.variant;
    one["mode"] = row.mode;
    one["backend"] = row.backend;
    one["device"] = row.device;
    one["precision"] = row.precision;
    if (!row.kernel.empty()) one["kernel"] = row.kernel;
    one["sizes"] = nlohmann::ordered_json::object();
    for (const auto& [name, value] : row.sizes) one["sizes"][name] = value;
    one["median_s"] = median(row);
    one["p10_s"] = bench::percentile(row.samples, 0.10);
    one["p90_s"] = bench::percentile(row.samples, 0.90);
    one["p99_s"] = bench::percentile(row.samples, 0.99);
    one["runs"] = row.samples.size();
    one["flops"] = row.flops;
    one["bytes"] = row.bytes;
    if (row.flops_ceiling > 0 && row.bytes_ceiling > 0 && median(row) > 0) {
      one["achieved"] = {{"flops_per_s", row.flops / median(row)},
                         {"of_matrix_ceiling", row.flops / median(row) / row.flops_ceiling},
                         {"bytes_per_s", row.bytes / median(row)},
                         {"of_copy_ceiling", row.bytes / median(row) / row.bytes_ceiling}};
      one["ceilings"] = {{"flops_per_s", row.flops_ceiling}, {"bytes_per_s", row.bytes_ceiling}};
    }
    if (row.launch + row.upload + row.download > 0)
      one["around"] = {{"launch_s", row.launch}, {"upload_s", row.upload}, {"download_s", row.download}};
    if (row.parts)
      one["parts"] = {{"upload_s", row.parts->upload},
                      {"compute_s", row.parts->compute},
                      {"download_s", row.parts->download},
                      {"steps", row.parts->steps}};
    if (row.error) {
      one["error"] = {{"mean_abs", row.error->mean_abs}, {"max_abs", row.error->max_abs}, {"relative", row.error->relative}};
    } else {
      one["error"] = nullptr;
    }
    all.push_back(std::move(one));
  }
  return all.dump(2) + "\n";
}

std::string table_of(const std::vector<bench::Row>& rows) {
  if (rows.empty()) return {};
  std::string text =
      rows.front().what + " on " + rows.front().device + (rows.front().precision.empty() ? "" : ", " + rows.front().precision);
  for (const auto& [name, value] : rows.front().sizes) text += ", " + name + " " + std::to_string(value);
  const bool errors = std::any_of(rows.begin(), rows.end(), [](const bench::Row& row) { return row.error.has_value(); });
  const bool flops = std::any_of(rows.begin(), rows.end(), [](const bench::Row& row) { return row.flops > 0; });
  const auto ms = [](double seconds) { return format(" %9.3f", seconds * 1e3); };
  text += "\n" + format("%-24s %-8s %9s %9s %9s", "variant", "mode", "median ms", "p10", "p90");
  text += flops ? format(" %5s %8s %8s %5s %7s %5s %8s", "runs", "GFLOP", "GFLOP/s", "%", "GB/s", "%", "ratio")
                : format(" %9s %6s", "p99", "runs");
  if (errors) text += format(" %9s %9s %9s", "mean err", "max err", "relative");
  text += "\n";
  // A ratio is to the first row of the same stage and mode ("layer" of "layer:fused"): how many times its time this one takes.
  std::map<std::string, double> first;
  const auto share = [](double rate, double ceiling) {
    return ceiling > 0 ? format(" %5.1f", 100 * rate / ceiling) : format(" %5s", "-");
  };
  for (const bench::Row& row : rows) {
    const double m = median(row);
    const double base = first.try_emplace(stage_of(row) + row.mode + (is_every_query(row) ? "*" : ""), m).first->second;
    text += format("%-24s %-8s", row.variant.c_str(), row.mode.c_str()) + ms(m) + ms(bench::percentile(row.samples, 0.1)) +
            ms(bench::percentile(row.samples, 0.9));
    if (flops) {
      const double operations = m > 0 ? row.flops / m : 0, bytes = m > 0 ? row.bytes / m : 0;
      text += format(" %5zu %8.3f %8.1f", row.samples.size(), row.flops * 1e-9, operations * 1e-9) +
              share(operations, row.flops_ceiling) + format(" %7.1f", bytes * 1e-9) + share(bytes, row.bytes_ceiling) +
              format(" %7.2fx", base > 0 ? m / base : 0.0);
    } else {
      text += ms(bench::percentile(row.samples, 0.99)) + format(" %6zu", row.samples.size());
    }
    if (errors) text += " " + error_of(row);
    text += "\n";
  }
  for (const char* mode : {"per-call", "cached"}) text += headline(rows, mode);
  text += around(rows);
  text += kernels(rows);
  text += parts(rows);
  if (errors)
    text +=
        "errors: against double, as written, over the first words; ratio: time over that of the first row of stage and mode\n";
  if (const bench::Row& row = rows.front(); row.flops_ceiling > 0)
    text += format("%%: of what this device reaches in a large matrix product (%.0f GFLOP/s) and in copying (%.1f GB/s)\n",
                   row.flops_ceiling * 1e-9, row.bytes_ceiling * 1e-9);
  return text;
}

}  // namespace headlight::cli
