// `headlight bench`: one entry for each measurement.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/bench/benches.h"
#include "engine/core/registry.h"

namespace headlight::cli {

struct BenchEntry {
  std::string id, label, formula, source;
  bench::Request defaults;           // the default sizes
  std::vector<std::string> options;  // the names of its sizes: "words", "length", "vocab", "d", "heads", "tokens", "layers"
  Result<std::vector<bench::Row>> (*run)(const bench::Request&, const CancelToken&);
  bool needs_backend = true;
  std::string sweep = {};  // the sweep unless another one is asked for: "tokens=64..8192"
};
const Registry<BenchEntry>& benches();

// The rows as JSON, and as a table with the ratio of each row to the first of its stage.
std::string json_of(const std::vector<bench::Row>& rows);
std::string table_of(const std::vector<bench::Row>& rows);

// For methods over many lengths: a line a method, a column a length, the fitted exponent (bench_long.cpp).
std::string long_table_of(const std::vector<bench::Row>& rows);

// Times frames of the window (app/cli/bench_frame.cpp). Error in a build without a window.
// bench_frame(request, cancel) has a row for each tab and an empty window.
Result<std::vector<bench::Row>> bench_frame(const bench::Request& request, const CancelToken& cancel);
// Times from an edit to its trace (mode "publish") and, in a real window, to its picture (mode "picture"). Without a display the
// second time is skipped, with a line on stderr.
// bench_keystroke(request, cancel) edits a text of request.tokens tokens.
Result<std::vector<bench::Row>> bench_keystroke(const bench::Request& request, const CancelToken& cancel);

class Arguments;
// Declares `bench tokenizers`, which has options of its own (bench_tokenizers.cpp), and runs as what is then chosen.
void define_bench_tokenizers(Arguments& arguments, const std::shared_ptr<std::function<int()>>& chosen);

}  // namespace headlight::cli
