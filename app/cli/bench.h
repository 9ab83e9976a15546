// `headlight bench`: one entry per measurement.
#pragma once

#include <string>
#include <vector>

#include "engine/bench/benches.h"
#include "engine/core/registry.h"

namespace headlight::cli {

struct BenchEntry {
  std::string id, label, formula, source;
  bench::Request defaults;           // of the sizes
  std::vector<std::string> options;  // the sizes it has: "words", "length", "vocab", "d", "heads", "tokens", "layers"
  Result<std::vector<bench::Row>> (*run)(const bench::Request&, const CancelToken&);
  bool needs_backend = true;
  std::string sweep = {};  // measured if no other is asked for: "tokens=64..8192"
};
const Registry<BenchEntry>& benches();

// The rows as JSON, and as a table for people with the ratio of each row to the first of its stage.
std::string json_of(const std::vector<bench::Row>& rows);
std::string table_of(const std::vector<bench::Row>& rows);

// Of methods over many lengths: a line a method, a column a length, the fitted exponent (bench_long.cpp).
std::string long_table_of(const std::vector<bench::Row>& rows);

// Frames of the window (app/cli/bench_frame.cpp); an error in a build without a window.
Result<std::vector<bench::Row>> bench_frame(const bench::Request& request, const CancelToken& cancel);
// The time from an edit to its trace (mode "publish"), and in a real window to its picture (mode "picture"); without a display
// the second is skipped, with a line on stderr.
Result<std::vector<bench::Row>> bench_keystroke(const bench::Request& request, const CancelToken& cancel);

}  // namespace headlight::cli
