// The table of `headlight bench long`.
#include <algorithm>
#include <cstdio>

#include "app/cli/bench.h"
#include "app/cli/output.h"

namespace headlight::cli {
namespace {

template <class... Values>
std::string bench_long_format(const char* how, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, how, values...);
  return text;
}

std::int64_t tokens_of(const bench::Row& row) { return row.sizes.empty() ? 0 : row.sizes.front().second; }

const bench::Row* find(const std::vector<bench::Row>& rows, const std::string& variant, std::int64_t tokens) {
  for (const bench::Row& row : rows)
    if (row.variant == variant && tokens_of(row) == tokens) return &row;
  return nullptr;
}

}  // namespace

std::string long_table_of(const std::vector<bench::Row>& rows) {
  if (rows.empty()) return {};
  std::vector<std::string> variants;
  std::vector<std::int64_t> lengths;
  for (const bench::Row& row : rows) {
    if (std::find(variants.begin(), variants.end(), row.variant) == variants.end()) variants.push_back(row.variant);
    if (std::find(lengths.begin(), lengths.end(), tokens_of(row)) == lengths.end()) lengths.push_back(tokens_of(row));
  }
  const bench::Row& first = rows.front();
  const std::int64_t d = first.sizes.size() > 1 ? first.sizes[1].second : 0;
  std::string text = "one head, d " + std::to_string(d) + ", on " + first.device + ", " + first.precision +
                     ": median time by the length of the text\n" + bench_long_format("%-11s", "variant");
  for (const std::int64_t length : lengths) text += bench_long_format(" %9lld", static_cast<long long>(length));
  text += bench_long_format(" %9s %12s %9s %9s\n", "exponent", "cells", "max diff", "relative");
  for (const std::string& variant : variants) {
    text += bench_long_format("%-11s", variant.c_str());
    const bench::Row* last = nullptr;
    for (const std::int64_t length : lengths) {
      const bench::Row* row = find(rows, variant, length);
      text += bench_long_format(" %9s", row ? duration(bench::percentile(row->samples, 0.5)).c_str() : "-");
      if (row) last = row;
    }
    text += last->exponent ? bench_long_format(" %9.2f", *last->exponent) : bench_long_format(" %9s", "-");
    text += bench_long_format(" %12.0f", last->cells.value_or(0));
    if (last->error) text += bench_long_format(" %9.2g %9.2g", last->error->max_abs, last->error->relative);
    text += "\n";
  }
  const bool with_layers = std::find(variants.begin(), variants.end(), "rnn") != variants.end();
  return text +
         bench_long_format(
             "exponent: of the length, from %.0f tokens on; cells that softmax reads, and the difference from full attention: at "
             "%lld tokens, of random rows\n",
             bench::kFittedFrom, static_cast<long long>(lengths.back())) +
         (with_layers ? "rnn, lstm and ssm read the rows one after another, and have no such cells\n"
                      : "rnn, lstm and ssm are measured up to a width of 256\n");
}

}  // namespace headlight::cli
