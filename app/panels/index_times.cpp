// Times in the Index lab: the layer with and without an index at the sizes that are set, what they reach, and the honest ratio.
#include <algorithm>
#include <cmath>

#include "app/figures/timing_bars.h"
#include "app/gl/figure_view.h"
#include "app/panels/figure_menu.h"
#include "app/panels/index_lab.h"
#include "app/text/language.h"
#include "app/window/style.h"
#include "app/window/text_input.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

// Beyond this the layer without an index takes seconds a call: it is not measured while one waits.
constexpr double kMostWritten = 4e10;

bool measures_all(const ViewState& view) {
  return bench::written_flops({static_cast<double>(view.lab_words), static_cast<double>(view.lab_length),
                               static_cast<double>(view.lab_vocab), static_cast<double>(view.lab_d)}) <= kMostWritten;
}

// "W words  [-] 500 [+]": halves and doubles; the number can be typed.
void size_field(Context& context, const window::Look& look, const char* id, const char* label, const char* why,
                std::int64_t& value, std::int64_t most) {
  ImGui::PushID(id);
  ImGui::BeginGroup();
  window::caption(look, label);
  if (window::button(look, "-", look.px(28), 28, false, value > 1)) value = std::max<std::int64_t>(1, (value + 1) / 2);
  window::tooltip(look, tr("Half as many"));
  ImGui::SameLine(0, look.px(4));
  ImGui::SetNextItemWidth(look.px(66));
  push_font(context, Font::mono, 14);
  std::string& draft = context.transient->texts[std::string("index/") + id];
  std::int64_t& typing = context.transient->numbers[std::string("index/") + id];
  if (typing == 0) draft = std::to_string(value);
  if (window::text_input("##size", draft, nullptr, ImGuiInputTextFlags_CharsDecimal | ImGuiInputTextFlags_AutoSelectAll)) {
    char* end = nullptr;
    const long long typed = std::strtoll(draft.c_str(), &end, 10);
    if (end != draft.c_str() && typed >= 1 && typed <= most) value = typed;
  }
  typing = ImGui::IsItemActive() ? 1 : 0;
  ImGui::PopFont();
  window::tooltip(look, fill(tr("{}: 1 to {}"), {why, std::to_string(most)}));
  ImGui::SameLine(0, look.px(4));
  if (window::button(look, "+", look.px(28), 28, false, value < most)) value = std::min(most, value * 2);
  window::tooltip(look, tr("Twice as many"));
  ImGui::EndGroup();
  ImGui::PopID();
}

std::string error_text(const bench::Row& row) {
  if (!row.error) return {};
  char text[24];
  std::snprintf(text, sizeof text, "%.1e", row.error->mean_abs);
  return text;
}

void add_reach(const ViewState& view, const LabRows& measured, figures::TimingBarsInput& input);

figures::TimingBarsInput bars_input(const Context& context, const LabRows& measured) {
  const ViewState& view = context.view;
  figures::TimingBarsInput input;
  input.logarithmic = view.lab_log;
  using Kind = figures::TimingBarsInput::Bar::Kind;
  for (const bench::Row& row : measured.rows) {
    const bool index = row.variant == "layer:index";
    if ((row.mode == "cached") != view.lab_cached) continue;
    if (row.samples.empty()) continue;
    figures::TimingBarsInput::Bar bar;
    bar.label = lab_label(row.variant);
    bar.precision = row.precision;
    bar.median = bench::percentile(row.samples, 0.5);
    bar.p10 = bench::percentile(row.samples, 0.1);
    bar.p90 = bench::percentile(row.samples, 0.9);
    bar.error = error_text(row);
    bar.kind = index ? Kind::subject : row.variant == "layer:notebook" ? Kind::plain : Kind::rival;
    input.bars.push_back(std::move(bar));
  }
  std::stable_sort(input.bars.begin(), input.bars.end(), [](const auto& a, const auto& b) { return a.median < b.median; });
  std::size_t runs = 0;
  for (const bench::Row& row : measured.rows) runs = std::max(runs, row.samples.size());
  input.note =
      fill(tr("median, 10th to 90th percentile of up to {} runs in turns, inputs rotated, {}; error: mean against float64"),
           {std::to_string(runs), view.lab_log ? tr("logarithmic") : tr("linear")});
  add_reach(view, measured, input);
  return input;
}

// What the index's time is made of, and what it reaches of the machine's ceilings.
void add_reach(const ViewState& view, const LabRows& measured, figures::TimingBarsInput& input) {
  const bench::Row *made = nullptr, *kept = nullptr;
  for (const bench::Row& row : measured.rows) {
    if (row.variant != "layer:index" || row.samples.empty()) continue;
    (row.mode == "cached" ? kept : made) = &row;
  }
  if (!made || !kept) return;
  const double all = bench::percentile(made->samples, 0.5), rest = bench::percentile(kept->samples, 0.5);
  if (!view.lab_cached && all > rest) {
    input.parts_label = tr("where the time goes");
    input.parts = {{tr("tables"), all - rest}, {tr("look-up, softmax, output"), rest}};
  }
  const bench::Row& shown = view.lab_cached ? *kept : *made;
  const double seconds = view.lab_cached ? rest : all;
  if (shown.flops_ceiling <= 0 || shown.bytes_ceiling <= 0 || seconds <= 0) return;
  char text[200];
  std::snprintf(text, sizeof text, "%.0f GFLOP/s (%.0f %%), %.1f GB/s (%.0f %%)", shown.flops / seconds * 1e-9,
                100 * shown.flops / seconds / shown.flops_ceiling, shown.bytes / seconds * 1e-9,
                100 * shown.bytes / seconds / shown.bytes_ceiling);
  input.reached_label = tr("achieved");
  input.reached = text;
  std::snprintf(text, sizeof text, "%.0f GFLOP/s, %.0f GB/s", shown.flops_ceiling * 1e-9, shown.bytes_ceiling * 1e-9);
  input.note += "; ";
  input.note += fill(tr("achieved: operations counted and bytes that must be moved, in brackets the share of what a large matrix "
                        "product and copying reach here: {}"),
                     {text});
}

void draw_ratio(Context& context, const window::Look& look, const LabRows& measured, float width) {
  const ViewState& view = context.view;
  const LabTimes times = lab_times(view, measured);
  if (times.index <= 0) return;
  const auto ratio = [&](double other) {
    char text[24];
    std::snprintf(text, sizeof text, other / times.index >= 20 ? "%.0f×" : "%.1f×", other / times.index);
    return std::string(text);
  };
  if (times.fastest <= 0) {
    if (!measures_all(view))
      lab_words(context, look, tr("The layer without an index takes seconds a call at these sizes: not measured while you wait"),
                look.theme.secondary, 14, width);
    return;
  }
  const bool wins = times.fastest >= times.index;
  lab_words(
      context, look,
      fill(wins ? tr("ISDPA is {} as fast as the fastest way without an index ({}), {} as fast as the notebook's steps")
                : tr("ISDPA loses here: {} of the speed of the fastest way without an index ({}), {} of the notebook's steps"),
           {ratio(times.fastest), times.fastest_label, ratio(times.notebook)}),
      wins ? look.theme.good : look.theme.wrong, window::kBody, width);
}

}  // namespace

std::string lab_label(const std::string& variant) {
  if (variant == "layer:index") return "ISDPA";
  if (variant == "layer:notebook") return tr("SDPA as in the notebook");
  if (variant == "layer:fused") return tr("SDPA fused");
  if (variant == "layer:pooled") return tr("SDPA pooled first");
  if (variant == "layer:folded") return tr("SDPA folded, pooled");
  if (variant == "layer:distinct") return tr("SDPA distinct rows");
  if (variant == "layer:distinct-folded") return tr("SDPA distinct, folded");
  return variant;
}

LabTimes lab_times(const ViewState& view, const LabRows& measured) {
  LabTimes times;
  for (const bench::Row& row : measured.rows) {
    if (row.samples.empty() || (row.mode == "cached") != view.lab_cached) continue;
    const double median = bench::percentile(row.samples, 0.5);
    if (row.variant == "layer:index") {
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

LabAnswer lab_rows(Context& context) {
  const ViewState& view = context.view;
  const bench::Request base = lab_request(context);
  LabAnswer answer;
  if (!context.sweep || !base.backend || !lab_problem(view).empty()) return answer;
  const std::string key = base.backend->device().id + "/" + lab_sizes_words(view) + (view.lab_padding ? "/pad" : "");
  const auto measure = [base, edits = context.edits](const std::vector<std::string>& variants, double seconds, int rounds,
                                                     bool all) {
    return [=](const CancelToken& cancel) -> Result<LabRows> {
      bench::Request request = base;
      request.variants = variants;
      request.effort = {seconds, rounds, edits};
      // The first answer comes at once: two sets of inputs, and no reference in double.
      request.sets = 2;
      request.checked_words = all ? bench::words_to_check(base) : 0;
      request.ceilings = all;
      LabRows made;
      made.all = all;
      HL_ASSIGN(made.rows, bench::isdpa(request, cancel));
      return made;
    };
  };
  // What was shown last stays until there is something newer: asked for under its own key, it is only looked up.
  std::string* const shown = context.transient ? &context.transient->texts["index/shown rows"] : nullptr;
  const auto found = [&](const std::string& at, const std::shared_ptr<const LabRows>& rows) {
    answer.rows = rows;
    if (shown) *shown = at;
  };
  const std::string first_key = "lab/index/" + key;
  const auto first = context.derived.later<LabRows>(first_key, measure({"layer:index"}, 0.02, 2, false));
  if (first.error) answer.error = first.error->sentence();
  if (first.value) found(first_key, first.value);
  if (first.value && measures_all(view)) {
    const std::string mode = view.lab_cached ? " cached" : " per-call", all_key = "lab/all/" + key + mode;
    std::vector<std::string> variants{"layer:index"};
    for (const char* way : {"notebook", "fused", "pooled", "folded", "distinct", "distinct-folded"})
      variants.push_back(std::string("layer:") + way + mode);
    const auto everything = context.derived.later<LabRows>(all_key, measure(variants, 0.6, 3, true));
    if (everything.error) answer.error = everything.error->sentence();
    if (everything.value) found(all_key, everything.value);
    answer.measuring = !everything.value && !everything.error;
    answer.complete = everything.value != nullptr;
  }
  if (!first.value && !first.error) {
    answer.measuring = answer.old = true;
    if (shown && !shown->empty()) {
      const auto gone = [](const CancelToken&) -> Result<LabRows> { return cancelled(); };
      answer.rows = context.derived.later<LabRows>(*shown, gone).value;
    }
  }
  return answer;
}

void draw_lab_times(Context& context, const window::Look& look, float width) {
  ViewState& view = context.view;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string title = std::string(tr("One layer")) + ", " + lab_sizes_words(view);
  context.figures.text(*ImGui::GetWindowDrawList(), at, title, window::kHeading, Font::words_bold, look.theme.text,
                       look.px(width));
  // Beside the title where there is room, else below it.
  const float title_width = context.measure.width(title, window::kHeading, Font::words_bold) + 28;
  constexpr float kControls = 330;
  if (title_width + kControls <= width) {
    ImGui::SetCursorScreenPos({at.x + look.px(title_width), at.y - look.px(6)});
  } else {
    ImGui::Dummy({look.px(width), look.px(28)});
  }
  const char* const modes[] = {tr("per call"), tr("cached")};
  const char* const why[] = {tr("The weights change: the tables are made in every call, as in the notebook's loop"),
                             tr("The weights are fixed, for every way alike: the tables are made once and kept, and the ways "
                                "without an index keep their "
                                "folded weights and projected rows")};
  if (const int mode = window::segmented(look, "mode", modes, 2, view.lab_cached ? 1 : 0, why); mode >= 0)
    view.lab_cached = mode == 1;
  name_part(context, "index:mode");
  ImGui::SameLine(0, look.px(16));
  window::toggle(look, (std::string(tr("logarithmic")) + "##log").c_str(), &view.lab_log);
  window::tooltip(look, tr("A bar twice as long is then not twice the time: every power of ten has the same length"));

  ImGui::Dummy({look.px(width), look.px(2)});

  struct Size {
    const char *id, *label, *why;
    std::int64_t ViewState::*member;
    std::int64_t most;
  };
  const Size fields[] = {
      {"words", tr("words W"), tr("Words in the batch"), &ViewState::lab_words, 1 << 16},
      {"length", tr("length l"), tr("Symbols a word, padding included"), &ViewState::lab_length, 512},
      {"vocab", tr("symbols n"), tr("Symbols in the vocabulary"), &ViewState::lab_vocab, 1 << 16},
      {"d", tr("width d"), tr("Numbers a symbol's vector has"), &ViewState::lab_d, 4096},
      {"heads", tr("heads h"), tr("Heads that share d; each has tables of its own"), &ViewState::lab_heads, 64},
  };
  // All five in one line where they fit, a little closer if need be.
  constexpr float kWidest = 148, kNarrowest = 134, kFieldHeight = 56;
  const float kField = std::clamp(width / 5, kNarrowest, kWidest);
  const ImVec2 start = ImGui::GetCursorPos();
  const int columns = std::max(1, static_cast<int>(width / kField));
  for (int i = 0; i < 5; ++i) {
    const int line = i / columns;
    ImGui::SetCursorPos({start.x + look.px(kField) * static_cast<float>(i % columns),
                         start.y + look.px(kFieldHeight) * static_cast<float>(line)});
    size_field(context, look, fields[i].id, fields[i].label, fields[i].why, view.*fields[i].member, fields[i].most);
  }
  const int lines = (4 + columns) / columns;
  ImGui::SetCursorPos({start.x, start.y + look.px(kFieldHeight) * static_cast<float>(lines)});
  ImGui::Dummy({0, 0});
  name_part(context, "index:sizes");

  const std::string problem = lab_problem(view);
  if (!problem.empty()) {
    window::words(look, problem, look.theme.wrong, 14);
    return;
  }
  if (!context.sweep) {
    window::words(look, tr("Nothing can be measured here"), look.theme.secondary, 14);
    return;
  }
  const LabAnswer answer = lab_rows(context);
  if (!answer.error.empty()) window::words(look, answer.error, look.theme.wrong, 14);
  if (!answer.rows) {
    if (answer.error.empty()) window::words(look, tr("measuring …"), look.theme.secondary, 14);
    return;
  }
  const LabRows& rows = *answer.rows;
  if (!answer.old) draw_ratio(context, look, rows, width);
  const figures::TimingBarsInput input = bars_input(context, rows);
  figures::Figure figure = figures::timing_bars(input, width, context.theme, context.measure);
  figure.background.a = 0;
  if (answer.old) ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 0.5f);
  const gl::Hit hit = context.figures.draw(figure, "bars");
  if (answer.old) ImGui::PopStyleVar();
  name_part(context, "index:times");
  figure_menu(context, "bars menu", hit, [&] {
    figures::Figure out = figures::timing_bars(input, 860, context.theme, context.measure);
    out.background = context.theme.background;
    return out;
  });
  if (answer.measuring)
    window::words(look, answer.old ? tr("measuring …") : tr("measuring the ways without an index …"), look.theme.secondary, 14);
}

figures::Figure lab_times_figure(const Context& context, float width) {
  Context copy = context;
  const LabAnswer answer = lab_rows(copy);
  if (!answer.rows) return {};
  return figures::timing_bars(bars_input(context, *answer.rows), width, context.theme, context.measure);
}

}  // namespace headlight::panels
