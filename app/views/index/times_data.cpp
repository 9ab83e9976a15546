// The bars of the Index lab: the layer with and without an index, the parts of the index's time, its share of the machine's
// ceilings, and the ratio to the fastest rival.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "app/text/language.h"
#include "app/views/index/data.h"
#include "engine/core/sorting.h"

namespace headlight::views::lab {
namespace {

using Kind = figures::TimingBarsInput::Bar::Kind;

std::string short_precision(const std::string& precision) {
  return precision == "float32" ? "f32" : precision == "float64" ? "f64" : precision;
}

std::string times_error_text(const bench::Row& row) {
  if (!row.error) return {};
  char text[24];
  std::snprintf(text, sizeof text, "%.1e", row.error->mean_abs);
  return text;
}

// A choice's index rows in both modes, and the index without its last step.
struct IndexRows {
  const bench::Row *made = nullptr, *kept = nullptr, *scores = nullptr;
};
IndexRows index_rows(const Rows& measured) {
  IndexRows found;
  for (const bench::Row& row : measured.rows) {
    if (row.samples.empty()) continue;
    if (row.variant == "layer:index-scores") found.scores = &row;
    if (row.variant == "layer:index" || row.variant == "layer:index-unpooled")
      (row.mode == "cached" ? found.kept : found.made) = &row;
  }
  return found;
}

// Adds the parts of the index's time, and its share of the machine's ceilings.
void add_reach(const State& state, const Measured& part, bool of_several, figures::TimingBarsInput& input) {
  const auto [made, kept, scores] = index_rows(*part.rows);
  if (!made || !kept) return;
  const double all = bench::percentile(made->samples, 0.5), rest = bench::percentile(kept->samples, 0.5);
  const double looked_up = scores ? bench::percentile(scores->samples, 0.5) : 0;
  const bench::Row& shown = state.cached ? *kept : *made;
  input.parts_label = of_several ? fill(tr("where the time goes, {}"), {name_of(part.choice)}) : tr("where the time goes");
  if (!state.cached && all > rest) input.parts.push_back({tr("tables"), all - rest});
  if (looked_up > 0 && looked_up < rest) {
    input.parts.push_back({tr("look-up, softmax"), looked_up});
    input.parts.push_back({tr("output"), rest - looked_up});
  } else {
    input.parts.push_back({tr("look-up, softmax, output"), rest});
  }
  // Times that a device adds around its own time.
  if (shown.launch > 0) input.parts.push_back({tr("launch"), shown.launch});
  if (shown.upload + shown.download > 0) input.parts.push_back({tr("transfers"), shown.upload + shown.download});
  const double seconds = state.cached ? rest : all;
  if (shown.flops_ceiling <= 0 || shown.bytes_ceiling <= 0 || seconds <= 0) return;
  char text[200];
  std::snprintf(text, sizeof text, "%.0f GFLOP/s (%.0f %%), %.1f GB/s (%.0f %%)", shown.flops / seconds * 1e-9,
                100 * shown.flops / seconds / shown.flops_ceiling, shown.bytes / seconds * 1e-9,
                100 * shown.bytes / seconds / shown.bytes_ceiling);
  input.reached_label = tr("achieved");
  input.reached = text;
  std::snprintf(text, sizeof text, "%.0f GFLOP/s, %.0f GB/s", shown.flops_ceiling * 1e-9, shown.bytes_ceiling * 1e-9);
  input.reached_note = fill(tr("of the {} that a large product and copying reach"), {text});
}

// How a device's row was started, which determines the launch time: recorded work replayed, kernels launched one by one, or both
// in turn. Empty if nothing is launched.
std::string launch_words(const bench::Row& row) {
  if (!row.replayed) return {};
  if (*row.replayed >= 0.99) return tr("replayed");
  if (*row.replayed <= 0.01) return tr("launched");
  char share[16];
  std::snprintf(share, sizeof share, "%.0f %%", 100 * *row.replayed);
  return fill(tr("{} replayed"), {share});
}

// How much padding there is and what happens to it, which is the same for every bar; empty: it is a symbol like any other.
std::string padding_words(const State& state) {
  if (!state.padding && !state.word_lengths) return {};
  bench::Request words;
  words.vocab = state.vocab;
  words.length = state.length;
  words.word_lengths = state.word_lengths;
  char share[16];
  std::snprintf(share, sizeof share, "%.0f %%", 100 * bench::expected_padding(words));
  if (!state.padding) return fill(tr("{} of all symbols are padding, which takes part"), {share});
  if (state.word_lengths) return fill(tr("padding, {} of all symbols, masked in every way"), {share});
  return fill(tr("symbol 0 masked in every way: of words drawn at random only {}, so little changes"), {share});
}

figures::TimingBarsInput bars_input(const Context& context, const Answer& answer) {
  const State& state = state_of(context);
  figures::TimingBarsInput input;
  input.logarithmic = state.log;
  const bool several = std::any_of(answer.parts.begin(), answer.parts.end(),
                                   [&](const Measured& p) { return p.choice.device != answer.parts.front().choice.device; });
  std::size_t runs = 0;
  bool on_device = false;
  const Measured* quickest = nullptr;
  for (const Measured& part : answer.parts) {
    if (!part.rows) continue;
    const double index = times_of(state, *part.rows).index;
    if (index > 0 && (!quickest || index < times_of(state, *quickest->rows).index)) quickest = &part;
    runs = std::max(runs, part.rows->runs);
    for (const bench::Row& row : part.rows->rows) {
      on_device = on_device || row.launch > 0;
      if ((row.mode == "cached") != state.cached || row.samples.empty() || row.variant == "layer:index-scores") continue;
      figures::TimingBarsInput::Bar bar;
      bar.label = label_of(row.variant);
      bar.precision = several ? part.choice.device + " " + short_precision(row.precision) : short_precision(row.precision);
      if (const std::string started = launch_words(row); !started.empty()) bar.precision += " " + started;
      bar.median = bench::percentile(row.samples, 0.5);
      bar.p10 = bench::percentile(row.samples, 0.1);
      bar.p90 = bench::percentile(row.samples, 0.9);
      bar.error = times_error_text(row);
      bar.kind = row.variant.starts_with("layer:index") ? Kind::subject
                 : row.variant == "layer:notebook"      ? Kind::plain
                                                        : Kind::rival;
      if (bar.kind != Kind::subject && index > 0) bar.factor = ratio_text(bar.median, index);
      input.bars.push_back(std::move(bar));
    }
  }
  for (const Measured& part : answer.parts)
    for (const std::string& way : ways_of(state, part.choice.backend)) {
      const std::string label = label_of(variant_of(state, way));
      if (std::find(input.labels_to_come.begin(), input.labels_to_come.end(), label) == input.labels_to_come.end())
        input.labels_to_come.push_back(label);
    }
  sort_stably(input.bars, [](const auto& a, const auto& b) { return a.median < b.median; });
  input.note = fill(tr("median and 10th to 90th percentile of up to {} runs in turns; error: mean against float64"),
                    {std::to_string(runs)});
  if (const std::string words = padding_words(state); !words.empty()) input.note += "; " + words;
  if (state.own_positions)
    input.note += std::string("; ") + tr("positions by W_P: without the ways by distinct rows and folded weights");
  if (on_device) input.note += std::string("; ") + tr("a GPU's times are its own clock's, launches and transfers apart below");
  if (quickest) add_reach(state, *quickest, answer.parts.size() > 1, input);
  return input;
}

// Before anything is measured, or if nothing is: the operations that the methods need.
figures::TimingBarsInput counted_input(const Context& context, const std::string& note) {
  const State& state = state_of(context);
  const bench::LabSizes sizes = counted_sizes(state);
  figures::TimingBarsInput input;
  input.logarithmic = state.log;
  input.unit = figures::TimingBarsInput::Unit::operations;
  const auto add = [&](const char* variant, double operations, Kind kind) {
    figures::TimingBarsInput::Bar bar;
    bar.label = label_of(variant);
    bar.median = operations;
    bar.kind = kind;
    input.bars.push_back(std::move(bar));
  };
  add("layer:index", bench::index_flops(sizes, state.cached), Kind::subject);
  const bool own = state.own_positions, every = state.every_query;
  if (!own || !every)
    add(own                        ? "layer:pooled"
        : every || state.heads > 1 ? "layer:distinct"
                                   : "layer:distinct-folded",
        bench::shortcut_flops(sizes, state.cached), Kind::rival);
  add(state.every_query ? "layer:fused" : "layer:notebook", bench::written_flops(sizes), Kind::plain);
  input.note = note;
  return input;
}

}  // namespace

figures::TimingBarsInput bars_of(const Context& context, const Answer& answer) {
  if (answer.any()) return bars_input(context, answer);
  const char* const note = !sweep_of(context) ? tr("operations counted; times are measured live in the window")
                           : answer.measuring ? tr("operations counted; measuring …")
                                              : tr("operations counted");
  return counted_input(context, note);
}

figures::Figure times_figure(const Context& context, float width, float) {
  if (!problem_of(state_of(context)).empty()) return {};
  return figures::timing_bars(bars_of(context, answer_of(context)), width, context.theme, context.measure);
}

}  // namespace headlight::views::lab
