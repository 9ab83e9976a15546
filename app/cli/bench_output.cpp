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
  return row.error ? format("%9.1e %9.1e", row.error->mean_abs, row.error->max_abs) : "";
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
    one["sizes"] = nlohmann::ordered_json::object();
    for (const auto& [name, value] : row.sizes) one["sizes"][name] = value;
    one["median_s"] = median(row);
    one["p10_s"] = bench::percentile(row.samples, 0.10);
    one["p90_s"] = bench::percentile(row.samples, 0.90);
    one["p99_s"] = bench::percentile(row.samples, 0.99);
    one["runs"] = row.samples.size();
    one["flops"] = row.flops;
    one["bytes"] = row.bytes;
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
  text += "\n" + format("%-22s %-9s %10s %10s %10s %10s %6s", "variant", "mode", "median ms", "p10", "p90", "p99", "runs");
  if (flops) text += format(" %9s %8s %8s", "GFLOP", "GFLOP/s", "ratio");
  if (errors) text += format(" %9s %9s", "mean err", "max err");
  text += "\n";
  // A ratio is to the first row of the same stage ("layer" of "layer:fused"): how many times its time this one takes.
  std::map<std::string, double> first;
  for (const bench::Row& row : rows) {
    const double m = median(row);
    const double base = first.try_emplace(row.variant.substr(0, row.variant.find(':')), m).first->second;
    text += format("%-22s %-9s %10.3f %10.3f %10.3f %10.3f %6zu", row.variant.c_str(), row.mode.c_str(), m * 1e3,
                   bench::percentile(row.samples, 0.1) * 1e3, bench::percentile(row.samples, 0.9) * 1e3,
                   bench::percentile(row.samples, 0.99) * 1e3, row.samples.size());
    if (flops)
      text += format(" %9.3f %8.1f %7.2fx", row.flops * 1e-9, m > 0 ? row.flops / m * 1e-9 : 0.0, base > 0 ? m / base : 0.0);
    if (errors) text += " " + error_of(row);
    text += "\n";
  }
  if (errors)
    text += "errors: against double, as written, over the first words; ratio: time over that of the stage's first row\n";
  return text;
}

}  // namespace headlight::cli
