#include "app/window/shell/measure.h"

#include <algorithm>

#include "engine/backends/backends.h"
#include "engine/bench/benches.h"

namespace headlight::window {

std::optional<double> isdpa_ratio(const CancelToken& cancel) {
  const auto backend = backends::open("cpu");
  if (!backend.ok()) return std::nullopt;
  bench::Request request;
  request.backend = *backend;
  request.words = kMeasuredWords;
  request.length = kMeasuredLength;
  request.d = kMeasuredWidth;
  request.vocab = kMeasuredSymbols;
  request.mode = "per-call";
  request.stage = "layer";
  request.variants = {"layer:index", "layer:distinct", "layer:distinct-folded"};
  request.sets = 2;
  request.checked_words = 0;
  request.effort = {0.1, 3};
  const auto rows = bench::isdpa(request, cancel);
  if (!rows.ok()) return std::nullopt;
  double index = 0, written_out = 0;
  for (const bench::Row& row : *rows) {
    if (row.mode != "per-call" || !row.variant.starts_with("layer:")) continue;
    const double median = bench::percentile(row.samples, 0.5);
    if (row.variant == "layer:index")
      index = median;
    else if (median > 0)
      written_out = written_out > 0 ? std::min(written_out, median) : median;
  }
  if (index <= 0 || written_out <= 0) return std::nullopt;
  return written_out / index;
}

}  // namespace headlight::window
