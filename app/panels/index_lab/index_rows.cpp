// What the Index lab measures: the layer with and without an index at the sizes that are set, on every device and in every
// precision chosen, in the background while one looks.
#include <algorithm>
#include <utility>

#include "app/panels/index_lab/index_lab.h"
#include "app/session/index_sweep.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "engine/backends/backends.h"
#include "engine/operations/isdpa.h"

namespace headlight::views {

bench::Request lab_request(const Context& context, const LabChoice& choice) {
  const ViewState& view = context.view;
  bench::Request request;
  using Opened = std::shared_ptr<backends::Backend>;
  const OpenBackend open = sweep_of(context) ? sweep_of(context)->machine().open : OpenBackend(backends::open);
  const auto opened =
      context.derived.now<Opened>(DerivedKey("lab/backend", {choice.backend}),
                                  [open, id = choice.backend](const CancelToken&) -> Result<Opened> { return open(id); });
  if (opened.value && (*opened.value)->supports(backends::Isdpa{1, 1, 1, 1})) request.backend = *opened.value;
  request.words = view.index_lab.words;
  request.length = view.index_lab.length;
  request.vocab = view.index_lab.vocab;
  request.d = view.index_lab.d;
  request.heads = view.index_lab.heads;
  request.pad_index = view.index_lab.padding ? 0 : -1;
  request.word_lengths = view.index_lab.word_lengths;
  request.position_weights = view.index_lab.own_positions;
  request.pooled = !view.index_lab.every_query;
  request.stage = "layer";
  return request;
}

bench::LabSizes lab_counted(const ViewState& view) {
  bench::LabSizes sizes{static_cast<double>(view.index_lab.words), static_cast<double>(view.index_lab.length),
                        static_cast<double>(view.index_lab.vocab), static_cast<double>(view.index_lab.d)};
  sizes.heads = static_cast<double>(view.index_lab.heads);
  sizes.pooled = !view.index_lab.every_query;
  sizes.position_weights = view.index_lab.own_positions;
  if (view.index_lab.word_lengths) {
    bench::Request words;
    words.length = view.index_lab.length;
    words.word_lengths = true;
    sizes.padding = bench::expected_padding(words);
  }
  return sizes;
}

std::string lab_key(const ViewState& view) {
  return lab_sizes_words(view) + (view.index_lab.padding ? "/pad" : "") + (view.index_lab.word_lengths ? "/lengths" : "") +
         (view.index_lab.own_positions ? "/own positions" : "") + (view.index_lab.every_query ? "/every query" : "");
}

std::string lab_variant(const ViewState& view, const std::string& way) {
  return "layer:" + way + (view.index_lab.every_query ? "-unpooled" : "");
}

std::string lab_problem(const ViewState& view) {
  if (view.index_lab.d % view.index_lab.heads != 0)
    return fill(tr("d {} cannot be divided among {} heads: choose a number of heads that divides d"),
                {std::to_string(view.index_lab.d), std::to_string(view.index_lab.heads)});
  // Four sets of inputs are rotated, in double while they are made.
  const double numbers = 4.0 * static_cast<double>(view.index_lab.d) *
                         (static_cast<double>(view.index_lab.vocab) + static_cast<double>(view.index_lab.length) +
                          3.0 * static_cast<double>(view.index_lab.d));
  if (numbers > 3e8) return tr("These sizes take gigabytes only to set up: choose a smaller vocabulary or d");
  return {};
}

std::string lab_sizes_words(const ViewState& view) {
  const std::string heads = view.index_lab.heads > 1 ? ", h = " + std::to_string(view.index_lab.heads) : std::string();
  return "W = " + std::to_string(view.index_lab.words) + ", l = " + std::to_string(view.index_lab.length) +
         ", n = " + std::to_string(view.index_lab.vocab) + ", d = " + std::to_string(view.index_lab.d) + heads;
}

double lab_patience(const std::string& backend) { return backend.starts_with("cuda") ? 2e12 : 4e10; }

std::vector<std::string> lab_ways(const ViewState& view, const std::string& backend) {
  // A device that has no fused attention kernel measures no "attention".
  const double most = lab_patience(backend);
  const bench::LabSizes sizes = lab_counted(view);
  const double written = bench::written_flops(sizes), shortcut = bench::shortcut_flops(sizes, view.index_lab.cached);
  std::vector<std::string> ways;
  if (view.index_lab.own_positions) {
    // The other ways need one weight for symbols and positions.
    if (written <= most && !view.index_lab.every_query) ways = {"notebook", "fused", "pooled"};
    if (written <= most && view.index_lab.every_query) ways = {"fused"};
    return ways;
  }
  if (view.index_lab.every_query) {
    // Nothing is pooled, so nothing is pooled early and no weights are folded.
    for (const char* way : {"fused", "attention"})
      if (written <= most) ways.emplace_back(way);
    if (2 * shortcut <= most) ways.emplace_back("distinct");
    return ways;
  }
  for (const char* way : {"notebook", "fused", "attention", "pooled"})
    if (written <= most) ways.emplace_back(way);
  if (written <= 3 * most && view.index_lab.heads == 1) ways.emplace_back("folded");
  for (const char* way : {"distinct", "distinct-folded"})
    if (2 * shortcut <= most && (view.index_lab.heads == 1 || std::string_view(way) == "distinct")) ways.emplace_back(way);
  return ways;
}

std::string lab_label(const std::string& name) {
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

LabTimes lab_times(const ViewState& view, const LabRows& measured) {
  LabTimes times;
  for (const bench::Row& row : measured.rows) {
    if (row.samples.empty() || (row.mode == "cached") != view.index_lab.cached || row.variant == "layer:index-scores") continue;
    const double median = bench::percentile(row.samples, 0.5);
    if (row.variant.starts_with("layer:index")) {
      times.index = median;
      continue;
    }
    if (row.variant == "layer:notebook") times.notebook = median;
    if (times.fastest <= 0 || median < times.fastest) {
      times.fastest = median;
      times.fastest_label = lab_label(row.variant);
    }
  }
  return times;
}

LabRows lab_rows_of(std::vector<bench::Row> measured) {
  constexpr int kPercentiles = 100;
  LabRows made;
  made.rows = std::move(measured);
  for (bench::Row& row : made.rows) {
    made.runs = std::max(made.runs, row.samples.size());
    if (row.samples.size() <= kPercentiles + 1) continue;
    std::sort(row.samples.begin(), row.samples.end());
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

bool LabAnswer::any() const {
  return std::any_of(parts.begin(), parts.end(), [](const LabPart& part) { return part.rows != nullptr; });
}

namespace {

// What one job measures.
struct Job {
  std::vector<std::string> variants;
  double seconds = 0;
  int rounds = 0;
  bool all = false;
};

// The rows of one choice; adds to what the answer says of all.
LabPart rows_of(const Context& context, const LabChoice& choice, LabAnswer& answer) {
  const ViewState& view = context.view;
  const bench::Request base = lab_request(context, choice);
  LabPart part{choice, nullptr};
  if (!base.backend) {
    answer.error = fill(tr("{} has no index-based attention"), {choice.device});
    return part;
  }
  const std::string sizes = lab_key(view), index = lab_variant(view, "index");
  const auto measure = [base, edits = context.edits, patience = sweep_of(context)->machine().patience](const Job& job) {
    return [=](const CancelToken& cancel) -> Result<LabRows> {
      bench::Request request = base;
      request.variants = job.variants;
      request.effort = {job.seconds * patience, job.rounds, edits};
      // The first answer comes at once: two sets of inputs, and no reference in double.
      request.sets = 2;
      request.checked_words = job.all ? bench::words_to_check(base) : 0;
      request.ceilings = job.all;
      HL_ASSIGN(std::vector<bench::Row> measured, bench::isdpa(request, cancel));
      LabRows made = lab_rows_of(std::move(measured));
      made.all = job.all;
      return made;
    };
  };
  // What was shown last stays until there is something newer: asked for under its own key, it is only looked up.
  DerivedKey* const shown = context.transient ? &context.transient->of<IndexLabTransient>().shown_rows[choice.backend] : nullptr;
  const auto found = [&](const DerivedKey& at, const std::shared_ptr<const LabRows>& rows) {
    part.rows = rows;
    if (shown) *shown = at;
  };
  const DerivedKey first_key("lab/index", {choice.backend, sizes});
  const auto first = context.derived.later<LabRows>(first_key, measure({{index}, 0.02, 2, false}));
  if (first.error) answer.error = spoken(*first.error);
  if (first.value) found(first_key, first.value);
  if (const std::vector<std::string> ways = lab_ways(view, choice.backend); first.value && !ways.empty()) {
    const std::string mode = view.index_lab.cached ? " cached" : " per-call";
    const DerivedKey all_key("lab/all", {choice.backend, sizes, mode});
    Job everything{{index}, 0.6, 3, true};
    if (!view.index_lab.every_query) everything.variants.emplace_back("layer:index-scores cached");
    for (const std::string& way : ways) everything.variants.push_back(lab_variant(view, way) + mode);
    const auto all = context.derived.later<LabRows>(all_key, measure(everything));
    if (all.error) answer.error = spoken(*all.error);
    if (all.value) found(all_key, all.value);
    answer.measuring = answer.measuring || (!all.value && !all.error);
  }
  if (!first.value && !first.error) {
    answer.measuring = answer.old = true;
    if (shown && !shown->empty()) {
      const auto gone = [](const CancelToken&) -> Result<LabRows> { return cancelled(); };
      part.rows = context.derived.later<LabRows>(*shown, gone).value;
    }
  }
  return part;
}

}  // namespace

LabAnswer lab_rows(const Context& context) {
  LabAnswer answer;
  if (!sweep_of(context) || !lab_problem(context.view).empty()) return answer;
  for (const LabChoice& choice : lab_choices(context)) answer.parts.push_back(rows_of(context, choice, answer));
  return answer;
}

}  // namespace headlight::views
