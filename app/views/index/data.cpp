// What the Index lab measures: the layer with and without an index at the sizes that are set, on every device and in every
// precision chosen, in the background while one looks.
#include "app/views/index/data.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "app/text/error_words.h"
#include "app/text/language.h"
#include "engine/backends/backends.h"
#include "engine/core/sorting.h"
#include "engine/operations/isdpa.h"

namespace headlight::views::lab {

bench::Request request_of(const Context& context, const Choice& choice) {
  const State& state = state_of(context);
  bench::Request request;
  using Opened = std::shared_ptr<backends::Backend>;
  const OpenBackend open = sweep_of(context) ? sweep_of(context)->machine().open : OpenBackend(backends::open);
  const auto opened =
      context.derived.now<Opened>(DerivedKey("lab/backend", {choice.backend}),
                                  [open, id = choice.backend](const CancelToken&) -> Result<Opened> { return open(id); });
  if (opened.value && (*opened.value)->supports(backends::Isdpa{1, 1, 1, 1})) request.backend = *opened.value;
  request.words = state.words;
  request.length = state.length;
  request.vocab = state.vocab;
  request.d = state.d;
  request.heads = state.heads;
  request.pad_index = state.padding ? 0 : -1;
  request.word_lengths = state.word_lengths;
  request.position_weights = state.own_positions;
  request.pooled = !state.every_query;
  request.stage = "layer";
  return request;
}

bench::LabSizes counted_sizes(const State& state) {
  bench::LabSizes sizes{static_cast<double>(state.words), static_cast<double>(state.length), static_cast<double>(state.vocab),
                        static_cast<double>(state.d)};
  sizes.heads = static_cast<double>(state.heads);
  sizes.pooled = !state.every_query;
  sizes.position_weights = state.own_positions;
  if (state.word_lengths) {
    bench::Request words;
    words.length = state.length;
    words.word_lengths = true;
    sizes.padding = bench::expected_padding(words);
  }
  return sizes;
}

namespace {

// "W = 500, l = 32, n = 64, d = 512"
std::string sizes_words(const State& state) {
  const std::string heads = state.heads > 1 ? ", h = " + std::to_string(state.heads) : std::string();
  return "W = " + std::to_string(state.words) + ", l = " + std::to_string(state.length) + ", n = " + std::to_string(state.vocab) +
         ", d = " + std::to_string(state.d) + heads;
}

}  // namespace

std::string key_of(const State& state) {
  return sizes_words(state) + (state.padding ? "/pad" : "") + (state.word_lengths ? "/lengths" : "") +
         (state.own_positions ? "/own positions" : "") + (state.every_query ? "/every query" : "");
}

std::string variant_of(const State& state, const std::string& way) {
  return "layer:" + way + (state.every_query ? "-unpooled" : "");
}

std::string problem_of(const State& state) {
  if (state.d % state.heads != 0)
    return fill(tr("d {} cannot be divided among {} heads: choose a number of heads that divides d"),
                {std::to_string(state.d), std::to_string(state.heads)});
  // Four sets of inputs are rotated, in double while they are made.
  const double numbers =
      4.0 * static_cast<double>(state.d) *
      (static_cast<double>(state.vocab) + static_cast<double>(state.length) + 3.0 * static_cast<double>(state.d));
  if (numbers > 3e8) return tr("These sizes take gigabytes only to set up: choose a smaller vocabulary or d");
  return {};
}

double patience_of(const std::string& backend) { return backend.starts_with("cuda") ? 2e12 : 4e10; }

std::vector<std::string> ways_of(const State& state, const std::string& backend) {
  // A device that has no fused attention kernel measures no "attention".
  const double most = patience_of(backend);
  const bench::LabSizes sizes = counted_sizes(state);
  const double written = bench::written_flops(sizes), shortcut = bench::shortcut_flops(sizes, state.cached);
  std::vector<std::string> ways;
  if (state.own_positions) {
    // The other ways need one weight for symbols and positions.
    if (written <= most && !state.every_query) ways = {"notebook", "fused", "pooled"};
    if (written <= most && state.every_query) ways = {"fused"};
    return ways;
  }
  if (state.every_query) {
    // Nothing is pooled, so nothing is pooled early and no weights are folded.
    for (const char* way : {"fused", "attention"})
      if (written <= most) ways.emplace_back(way);
    if (2 * shortcut <= most) ways.emplace_back("distinct");
    return ways;
  }
  for (const char* way : {"notebook", "fused", "attention", "pooled"})
    if (written <= most) ways.emplace_back(way);
  if (written <= 3 * most && state.heads == 1) ways.emplace_back("folded");
  for (const char* way : {"distinct", "distinct-folded"})
    if (2 * shortcut <= most && (state.heads == 1 || std::string_view(way) == "distinct")) ways.emplace_back(way);
  return ways;
}

std::string label_of(const std::string& name) {
  constexpr std::string_view kKept = "-unpooled";
  std::string variant = name.ends_with(kKept) ? name.substr(0, name.size() - kKept.size()) : name;
  if (variant == "layer:index") return "ISDPA";
  if (variant == "layer:notebook") return tr("SDPA as in the notebook");
  if (variant == "layer:fused") return tr("SDPA fused");
  if (variant == "layer:attention") return tr("SDPA by attention kernel");
  if (variant == "layer:pooled") return tr("SDPA pooled first");
  if (variant == "layer:folded") return tr("SDPA folded, pooled");
  if (variant == "layer:distinct") return tr("SDPA distinct rows");
  if (variant == "layer:distinct-folded") return tr("SDPA distinct, folded");
  return variant;
}

Times times_of(const State& state, const Rows& measured) {
  Times times;
  for (const bench::Row& row : measured.rows) {
    if (row.samples.empty() || (row.mode == "cached") != state.cached || row.variant == "layer:index-scores") continue;
    const double median = bench::percentile(row.samples, 0.5);
    if (row.variant.starts_with("layer:index")) {
      times.index = median;
      continue;
    }
    if (row.variant == "layer:notebook") times.notebook = median;
    if (times.fastest <= 0 || median < times.fastest) {
      times.fastest = median;
      times.fastest_label = label_of(row.variant);
    }
  }
  return times;
}

std::string factor_text(double a, double b) {
  char text[32];
  const double factor = b > 0 ? a / b : 0;
  std::snprintf(text, sizeof text, factor >= 20 ? "%.0f" : factor >= 0.1 ? "%.1f" : "%.2g", factor);
  return text;
}
std::string ratio_text(double a, double b) { return factor_text(a, b) + "×"; }

Rows rows_of(std::vector<bench::Row> measured) {
  constexpr int kPercentiles = 100;
  Rows made;
  made.rows = std::move(measured);
  for (bench::Row& row : made.rows) {
    made.runs = std::max(made.runs, row.samples.size());
    if (row.samples.size() <= kPercentiles + 1) continue;
    sort_stably(row.samples);
    std::vector<double> kept;
    for (int i = 0; i <= kPercentiles; ++i) {
      const double at = static_cast<double>(row.samples.size() - 1) * i / kPercentiles;
      const auto below = static_cast<std::size_t>(at);
      const std::size_t above = std::min(below + 1, row.samples.size() - 1);
      kept.push_back(row.samples[below] + (at - static_cast<double>(below)) * (row.samples[above] - row.samples[below]));
    }
    row.samples = std::move(kept);
  }
  return made;
}

bool Answer::any() const {
  return std::any_of(parts.begin(), parts.end(), [](const Measured& part) { return part.rows != nullptr; });
}

namespace {

// What is measured at a time.
struct Task {
  std::vector<std::string> variants;
  double seconds = 0;
  int rounds = 0;
  bool all = false;
};

// The rows of one choice; adds to what the answer says of all.
Measured part_of(const Context& context, const Choice& choice, Answer& answer) {
  const State& state = state_of(context);
  const bench::Request base = request_of(context, choice);
  Measured part{choice, nullptr};
  if (!base.backend) {
    answer.error = fill(tr("{} has no index-based attention"), {choice.device});
    return part;
  }
  const std::string sizes = key_of(state), index = variant_of(state, "index");
  const auto measure = [base, edits = context.edits, patience = sweep_of(context)->machine().patience](const Task& task) {
    return [=](const CancelToken& cancel) -> Result<Rows> {
      bench::Request request = base;
      request.variants = task.variants;
      request.effort = {task.seconds * patience, task.rounds, edits};
      // The first answer comes at once: two sets of inputs, and no reference in double.
      request.sets = 2;
      request.checked_words = task.all ? bench::words_to_check(base) : 0;
      request.ceilings = task.all;
      HL_ASSIGN(std::vector<bench::Row> measured, bench::isdpa(request, cancel));
      Rows made = rows_of(std::move(measured));
      made.all = task.all;
      return made;
    };
  };
  // What was shown last stays until there is something newer: asked for under its own key, it is only looked up.
  DerivedKey* const shown = context.transient ? &context.transient->of<Held>().shown_rows[choice.backend] : nullptr;
  const auto found = [&](const DerivedKey& at, const std::shared_ptr<const Rows>& rows) {
    part.rows = rows;
    if (shown) *shown = at;
  };
  const DerivedKey first_key("lab/index", {choice.backend, sizes});
  const auto first = context.derived.later<Rows>(first_key, measure({{index}, 0.02, 2, false}));
  if (first.error) answer.error = spoken(*first.error);
  if (first.value) found(first_key, first.value);
  if (const std::vector<std::string> ways = ways_of(state, choice.backend); first.value && !ways.empty()) {
    const std::string mode = state.cached ? " cached" : " per-call";
    const DerivedKey all_key("lab/all", {choice.backend, sizes, mode});
    Task everything{{index}, 0.6, 3, true};
    if (!state.every_query) everything.variants.emplace_back("layer:index-scores cached");
    for (const std::string& way : ways) everything.variants.push_back(variant_of(state, way) + mode);
    const auto all = context.derived.later<Rows>(all_key, measure(everything));
    if (all.error) answer.error = spoken(*all.error);
    if (all.value) found(all_key, all.value);
    answer.measuring = answer.measuring || (!all.value && !all.error);
  }
  if (!first.value && !first.error) {
    answer.measuring = answer.old = true;
    if (shown && !shown->empty()) {
      const auto gone = [](const CancelToken&) -> Result<Rows> { return cancelled(); };
      part.rows = context.derived.later<Rows>(*shown, gone).value;
    }
  }
  return part;
}

}  // namespace

Answer answer_of(const Context& context) {
  Answer answer;
  if (!sweep_of(context) || !problem_of(state_of(context)).empty()) return answer;
  for (const Choice& choice : choices_of(context)) answer.parts.push_back(part_of(context, choice, answer));
  return answer;
}

}  // namespace headlight::views::lab
