// Rows of a benchmark as JSON and as a table.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "app/cli/bench.h"
#include "app/cli/output.h"
#include "engine/core/json.h"

namespace headlight::cli {
namespace {

double median(const bench::Row& row) { return bench::percentile(row.samples, 0.5); }

template <class... Values>
std::string format(const char* how, Values... values) {
  char text[512];
  std::snprintf(text, sizeof(text), how, values...);
  return text;
}

std::string error_of(const bench::Row& row) {
  return row.error ? format("%9.1e %9.1e %9.1e", row.error->mean_abs, row.error->max_abs, row.error->relative) : "";
}

// Units for times and counts, chosen so that the smallest number of a table still has digits.
struct Unit {
  const char* name;
  double per;  // how many of it make a second, or one operation
};
Unit time_unit(double smallest) { return smallest < 1e-4 ? Unit{"us", 1e6} : Unit{"ms", 1e3}; }
Unit work_unit(double smallest) {
  return smallest < 1e4 ? Unit{"kFLOP", 1e-3} : smallest < 1e7 ? Unit{"MFLOP", 1e-6} : Unit{"GFLOP", 1e-9};
}

std::string stage_of(const bench::Row& row) { return row.variant.substr(0, row.variant.find(':')); }
bool is_every_query(const bench::Row& row) { return row.variant.ends_with("-unpooled"); }

// Whether the device replayed recorded work: "replayed", "launched" kernel by kernel, or the share that was replayed.
std::string how_launched(const bench::Row& row) {
  if (!row.replayed) return "";
  return *row.replayed >= 1 ? "replayed" : *row.replayed <= 0 ? "launched" : format("%.0f%%", 100 * *row.replayed);
}

// How the index compares in this mode with the fastest method without an index, and with the notebook's steps.
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
  const double others = median(*fastest) / median(*index);
  std::string text = mode + ": the index takes " + duration(median(*index));
  text += others >= 1
              ? format(", the fastest way without one (%s) %.2f times as long", fastest->variant.substr(6).c_str(), others)
              : format(" and loses: the fastest way without one (%s) takes %s, the index %.2f times as long",
                       fastest->variant.substr(6).c_str(), duration(median(*fastest)).c_str(), 1 / others);
  if (notebook) text += format(", the notebook's steps %.1f times", median(*notebook) / median(*index));
  return text + "\n";
}

// Times in addition to the device's own time.
std::string around(const std::vector<bench::Row>& rows) {
  for (const bench::Row& row : rows) {
    if (row.variant != "layer:index" || row.launch + row.upload + row.download <= 0) continue;
    return format(
        "times are the device's own, its clock started behind a gate when all work was queued; around a call of the index, each "
        "until the device is done: launching %.1f us, the words' indices to the device, their range looked at %.1f us, the "
        "result back %.1f us\n",
        row.launch * 1e6, row.upload * 1e6, row.download * 1e6);
  }
  return {};
}

// The parts of a run. They were measured separately and need not add up to the run.
std::string parts(const std::vector<bench::Row>& rows) {
  std::string text;
  for (const bench::Row& row : rows) {
    if (!row.parts) continue;
    text += format("of it on %s: arrays there %.1f us, %d steps %.1f us by its own clock, results back %.1f us\n",
                   row.backend.c_str(), row.parts->upload * 1e6, static_cast<int>(row.parts->steps), row.parts->compute * 1e6,
                   row.parts->download * 1e6);
    if (row.parts->steps_on_host > 0)
      text += format("%d steps of the trace by plain loops on the host, for which %s has no way of its own: %s\n",
                     static_cast<int>(row.parts->steps_on_host), row.backend.c_str(), row.parts->operations_on_host.c_str());
  }
  return text;
}

// Which of the device's kernels computed which row, if it has several.
std::string kernels(const std::vector<bench::Row>& rows) {
  std::string text;
  for (const bench::Row& row : rows)
    if (!row.kernel.empty()) text += (text.empty() ? "last step by: " : ", ") + row.variant + " " + row.kernel;
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string json_of(const std::vector<bench::Row>& rows) {
  Json all = Json::array();
  for (const bench::Row& row : rows) {
    Json one;
    one["what"] = row.what;
    one["variant"] = row.variant;
    one["mode"] = row.mode;
    one["backend"] = row.backend;
    one["device"] = row.device;
    one["precision"] = row.precision;
    if (!row.kernel.empty()) one["kernel"] = row.kernel;
    one["sizes"] = Json::object();
    for (const auto& [name, value] : row.sizes) one["sizes"][name] = value;
    one["median_s"] = median(row);
    one["p10_s"] = bench::percentile(row.samples, 0.10);
    one["p90_s"] = bench::percentile(row.samples, 0.90);
    one["p99_s"] = bench::percentile(row.samples, 0.99);
    one["runs"] = row.samples.size();
    one["flops"] = std::llround(row.flops);
    one["bytes"] = std::llround(row.bytes);
    if (row.cells) one["cells"] = std::llround(*row.cells);
    if (row.exponent) one["exponent"] = *row.exponent;
    if (row.replayed) one["replayed"] = *row.replayed;
    if (row.flops_ceiling > 0 && row.bytes_ceiling > 0 && median(row) > 0) {
      one["achieved"] = Json::object({{"flops_per_s", row.flops / median(row)},
                                      {"of_matrix_ceiling", row.flops / median(row) / row.flops_ceiling},
                                      {"bytes_per_s", row.bytes / median(row)},
                                      {"of_copy_ceiling", row.bytes / median(row) / row.bytes_ceiling}});
      one["ceilings"] = Json::object({{"flops_per_s", row.flops_ceiling}, {"bytes_per_s", row.bytes_ceiling}});
    }
    if (row.launch + row.upload + row.download > 0)
      one["around"] = Json::object({{"launch_s", row.launch}, {"upload_s", row.upload}, {"download_s", row.download}});
    if (row.parts)
      one["parts"] = Json::object({{"upload_s", row.parts->upload},
                                   {"compute_s", row.parts->compute},
                                   {"download_s", row.parts->download},
                                   {"steps", row.parts->steps},
                                   {"steps_on_host", row.parts->steps_on_host},
                                   {"operations_on_host", row.parts->operations_on_host}});
    if (row.error) {
      one["error"] =
          Json::object({{"mean_abs", row.error->mean_abs}, {"max_abs", row.error->max_abs}, {"relative", row.error->relative}});
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
  const bool on_device = std::any_of(rows.begin(), rows.end(), [](const bench::Row& row) { return row.replayed.has_value(); });
  double shortest = 1, least = 1e12;
  for (const bench::Row& row : rows) {
    shortest = std::min(shortest, median(row));
    least = std::min(least, row.flops);
  }
  const Unit time = time_unit(shortest), work = work_unit(least);
  const auto took = [&](double seconds) { return format(time.per > 1e3 ? " %9.2f" : " %9.3f", seconds * time.per); };
  text += "\n" + format("%-24s %-8s %9s %9s %9s", "variant", "mode", (std::string("median ") + time.name).c_str(), "p10", "p90");
  text += flops ? format(" %5s %9s %8s %5s %7s %5s %8s", "runs", work.name, "GFLOP/s", "%", "GB/s", "%", "ratio")
                : format(" %9s %6s", "p99", "runs");
  if (on_device) text += format(" %-8s", "graph");
  if (errors) text += format(" %9s %9s %9s", "mean err", "max err", "relative");
  text += "\n";
  // A ratio is relative to the first row of the same stage and mode ("layer" of "layer:fused").
  std::map<std::string, double> first;
  const auto share = [](double rate, double ceiling) {
    return ceiling > 0 ? format(" %5.1f", 100 * rate / ceiling) : format(" %5s", "-");
  };
  for (const bench::Row& row : rows) {
    const double m = median(row);
    const double base = first.try_emplace(stage_of(row) + row.mode + (is_every_query(row) ? "*" : ""), m).first->second;
    text += format("%-24s %-8s", row.variant.c_str(), row.mode.c_str()) + took(m) + took(bench::percentile(row.samples, 0.1)) +
            took(bench::percentile(row.samples, 0.9));
    if (flops) {
      const double operations = m > 0 ? row.flops / m : 0, bytes = m > 0 ? row.bytes / m : 0;
      text += format(" %5zu %9.3f %8.1f", row.samples.size(), row.flops * work.per, operations * 1e-9) +
              share(operations, row.flops_ceiling) + format(" %7.1f", bytes * 1e-9) + share(bytes, row.bytes_ceiling) +
              format(" %7.2fx", base > 0 ? m / base : 0.0);
    } else {
      text += took(bench::percentile(row.samples, 0.99)) + format(" %6zu", row.samples.size());
    }
    if (on_device) text += format(" %-8s", how_launched(row).c_str());
    if (errors) text += " " + error_of(row);
    text += "\n";
  }
  for (const char* mode : {"per-call", "cached"}) text += headline(rows, mode);
  text += around(rows);
  text += kernels(rows);
  text += parts(rows);
  if (on_device) text += "graph: whether the samples replayed recorded work in one launch, or launched kernel by kernel\n";
  if (errors)
    text +=
        "errors: against double, as written, over the first words; ratio: time over that of the first row of stage and mode\n";
  if (const bench::Row& row = rows.front(); row.flops_ceiling > 0)
    text += format(
        "%%: of what this device reaches in a large matrix product (%.0f GFLOP/s) and in copying (%.1f GB/s): the fastest tenth "
        "of "
        "their runs, in turns with the rows\n",
        row.flops_ceiling * 1e-9, row.bytes_ceiling * 1e-9);
  return text;
}

}  // namespace headlight::cli
