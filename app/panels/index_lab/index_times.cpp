// Times in the Index lab: bars of the layer with and without an index, the parts of the index's time, its share of the machine's
// ceilings, and the ratio to the fastest rival.
#include <algorithm>
#include <cmath>

#include "app/figures/charts/timing_bars.h"
#include "app/gl/figure_view.h"
#include "app/panels/index_lab/index_lab.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "imgui.h"

namespace headlight::views {
namespace {

using figures::Font;
using Kind = figures::TimingBarsInput::Bar::Kind;

constexpr float kButton = 24, kNumber = 52, kField = 2 * kButton + kNumber + 8;

// "W [-] 500 [+]": buttons halve and double; the number can be typed.
void size_field(Context& context, const ui::Look& look, const char* id, const std::string& label, const char* why,
                std::int64_t& value, std::int64_t most) {
  ImGui::PushID(id);
  ImGui::BeginGroup();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float wide = context.measure.width(label, 13, Font::words) + 6;
  context.figures.text(*ImGui::GetWindowDrawList(), {at.x, at.y + look.px(6)}, label, 13, Font::words, look.theme.secondary);
  ImGui::Dummy({look.px(wide), look.px(28)});
  ImGui::SameLine(0, 0);
  if (ui::button(look, "-", look.px(kButton), 28, false, value > 1)) value = std::max<std::int64_t>(1, (value + 1) / 2);
  ui::tooltip(look, tr("Half as many"));
  ImGui::SameLine(0, look.px(4));
  ImGui::SetNextItemWidth(look.px(kNumber));
  push_font(context, Font::mono, 14);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(5), ImGui::GetStyle().FramePadding.y});
  auto& [draft, typing] = context.transient->of<IndexLabTransient>().sizes[id];
  if (!typing) draft = std::to_string(value);
  if (ui::text_input("##size", draft, nullptr, ImGuiInputTextFlags_CharsDecimal | ImGuiInputTextFlags_AutoSelectAll)) {
    char* end = nullptr;
    const long long typed = std::strtoll(draft.c_str(), &end, 10);
    if (end != draft.c_str() && typed >= 1 && typed <= most) value = typed;
  }
  typing = ImGui::IsItemActive();
  ImGui::PopStyleVar();
  ImGui::PopFont();
  ui::tooltip(look, fill(tr("{}: 1 to {}"), {why, std::to_string(most)}));
  ImGui::SameLine(0, look.px(4));
  if (ui::button(look, "+", look.px(kButton), 28, false, value < most)) value = std::min(most, value * 2);
  ui::tooltip(look, tr("Twice as many"));
  ImGui::EndGroup();
  ImGui::PopID();
}

void draw_sizes(Context& context, const ui::Look& look, float width) {
  ViewState& view = context.view;
  struct Size {
    const char *id, *letter, *label, *why;
    std::int64_t IndexLabView::*member;
    std::int64_t most;
  };
  const Size fields[] = {
      {"words", "W", tr("words W"), tr("Words in the batch"), &IndexLabView::words, 1 << 16},
      {"length", "l", tr("length l"), tr("Symbols a word, padding included"), &IndexLabView::length, 512},
      {"vocab", "n", tr("symbols n"), tr("Symbols in the vocabulary"), &IndexLabView::vocab, 1 << 16},
      {"d", "d", tr("width d"), tr("Numbers a symbol's vector has"), &IndexLabView::d, 4096},
      {"heads", "h", tr("heads h"), tr("Heads that share d; each has tables of its own"), &IndexLabView::heads, 64},
  };
  constexpr float kBetweenFields = 8;
  const auto wide = [&](const char* label) { return context.measure.width(label, 13, Font::words) + 6 + kField; };
  float spelled = -kBetweenFields;
  for (const Size& field : fields) spelled += wide(field.label) + kBetweenFields;
  ImGui::BeginGroup();
  LabFlow flow(look, width);
  for (const Size& field : fields) {
    const char* const label = spelled <= width ? field.label : field.letter;
    flow.next(wide(label), kBetweenFields);
    size_field(context, look, field.id, label, field.why, view.index_lab.*field.member, field.most);
  }
  ImGui::EndGroup();
  name_part(context, "index:sizes");
}

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
IndexRows index_rows(const LabRows& measured) {
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
void add_reach(const ViewState& view, const LabPart& part, bool of_several, figures::TimingBarsInput& input) {
  const auto [made, kept, scores] = index_rows(*part.rows);
  if (!made || !kept) return;
  const double all = bench::percentile(made->samples, 0.5), rest = bench::percentile(kept->samples, 0.5);
  const double looked_up = scores ? bench::percentile(scores->samples, 0.5) : 0;
  const bench::Row& shown = view.index_lab.cached ? *kept : *made;
  input.parts_label = of_several ? fill(tr("where the time goes, {}"), {lab_name(part.choice)}) : tr("where the time goes");
  if (!view.index_lab.cached && all > rest) input.parts.push_back({tr("tables"), all - rest});
  if (looked_up > 0 && looked_up < rest) {
    input.parts.push_back({tr("look-up, softmax"), looked_up});
    input.parts.push_back({tr("output"), rest - looked_up});
  } else {
    input.parts.push_back({tr("look-up, softmax, output"), rest});
  }
  // Times that a device adds around its own time.
  if (shown.launch > 0) input.parts.push_back({tr("launch"), shown.launch});
  if (shown.upload + shown.download > 0) input.parts.push_back({tr("transfers"), shown.upload + shown.download});
  const double seconds = view.index_lab.cached ? rest : all;
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
std::string padding_words(const ViewState& view) {
  if (!view.index_lab.padding && !view.index_lab.word_lengths) return {};
  bench::Request words;
  words.vocab = view.index_lab.vocab;
  words.length = view.index_lab.length;
  words.word_lengths = view.index_lab.word_lengths;
  char share[16];
  std::snprintf(share, sizeof share, "%.0f %%", 100 * bench::expected_padding(words));
  if (!view.index_lab.padding) return fill(tr("{} of all symbols are padding, which takes part"), {share});
  if (view.index_lab.word_lengths) return fill(tr("padding, {} of all symbols, masked in every way"), {share});
  return fill(tr("symbol 0 masked in every way: of words drawn at random only {}, so little changes"), {share});
}

figures::TimingBarsInput bars_input(const Context& context, const LabAnswer& answer) {
  const ViewState& view = context.view;
  figures::TimingBarsInput input;
  input.logarithmic = view.index_lab.log;
  const bool several = std::any_of(answer.parts.begin(), answer.parts.end(),
                                   [&](const LabPart& p) { return p.choice.device != answer.parts.front().choice.device; });
  std::size_t runs = 0;
  bool on_device = false;
  const LabPart* quickest = nullptr;
  for (const LabPart& part : answer.parts) {
    if (!part.rows) continue;
    const double index = lab_times(view, *part.rows).index;
    if (index > 0 && (!quickest || index < lab_times(view, *quickest->rows).index)) quickest = &part;
    runs = std::max(runs, part.rows->runs);
    for (const bench::Row& row : part.rows->rows) {
      on_device = on_device || row.launch > 0;
      if ((row.mode == "cached") != view.index_lab.cached || row.samples.empty() || row.variant == "layer:index-scores") continue;
      figures::TimingBarsInput::Bar bar;
      bar.label = lab_label(row.variant);
      bar.precision = several ? part.choice.device + " " + short_precision(row.precision) : short_precision(row.precision);
      if (const std::string state = launch_words(row); !state.empty()) bar.precision += " " + state;
      bar.median = bench::percentile(row.samples, 0.5);
      bar.p10 = bench::percentile(row.samples, 0.1);
      bar.p90 = bench::percentile(row.samples, 0.9);
      bar.error = times_error_text(row);
      bar.kind = row.variant.starts_with("layer:index") ? Kind::subject
                 : row.variant == "layer:notebook"      ? Kind::plain
                                                        : Kind::rival;
      if (bar.kind != Kind::subject && index > 0) bar.factor = lab_ratio(bar.median, index);
      input.bars.push_back(std::move(bar));
    }
  }
  for (const LabPart& part : answer.parts)
    for (const std::string& way : lab_ways(view, part.choice.backend)) {
      const std::string label = lab_label(lab_variant(view, way));
      if (std::find(input.labels_to_come.begin(), input.labels_to_come.end(), label) == input.labels_to_come.end())
        input.labels_to_come.push_back(label);
    }
  std::stable_sort(input.bars.begin(), input.bars.end(), [](const auto& a, const auto& b) { return a.median < b.median; });
  input.note = fill(tr("median and 10th to 90th percentile of up to {} runs in turns; error: mean against float64"),
                    {std::to_string(runs)});
  if (const std::string words = padding_words(view); !words.empty()) input.note += "; " + words;
  if (view.index_lab.own_positions)
    input.note += std::string("; ") + tr("positions by W_P: without the ways by distinct rows and folded weights");
  if (on_device) input.note += std::string("; ") + tr("a GPU's times are its own clock's, launches and transfers apart below");
  if (quickest) add_reach(view, *quickest, answer.parts.size() > 1, input);
  return input;
}

// Before anything is measured, or if nothing is: the operations that the methods need.
figures::TimingBarsInput counted_input(const Context& context, const std::string& note) {
  const ViewState& view = context.view;
  const bench::LabSizes sizes = lab_counted(view);
  figures::TimingBarsInput input;
  input.logarithmic = view.index_lab.log;
  input.unit = figures::TimingBarsInput::Unit::operations;
  const auto add = [&](const char* variant, double operations, Kind kind) {
    figures::TimingBarsInput::Bar bar;
    bar.label = lab_label(variant);
    bar.median = operations;
    bar.kind = kind;
    input.bars.push_back(std::move(bar));
  };
  add("layer:index", bench::index_flops(sizes, view.index_lab.cached), Kind::subject);
  const bool own = view.index_lab.own_positions, every = view.index_lab.every_query;
  if (!own || !every)
    add(own                                 ? "layer:pooled"
        : every || view.index_lab.heads > 1 ? "layer:distinct"
                                            : "layer:distinct-folded",
        bench::shortcut_flops(sizes, view.index_lab.cached), Kind::rival);
  add(view.index_lab.every_query ? "layer:fused" : "layer:notebook", bench::written_flops(sizes), Kind::plain);
  input.note = note;
  return input;
}

// Switches for what is computed and how it is drawn.
void draw_switches(Context& context, const ui::Look& look, float width) {
  ViewState& view = context.view;
  struct Switch {
    const char *id, *label, *why;
    bool IndexLabView::*member;
  };
  const Switch switches[] = {
      {"every query", tr("every query's output"),
       tr("Every query's output is kept, as in an ordinary layer; else, as in the notebook, their mean alone. V must be made "
          "then, "
          "and the index gains less"),
       &IndexLabView::every_query},
      {"own positions", tr("position weights W_P"),
       tr("On: the positions are multiplied by weights of their own, W_P, in every bar, in the word's four terms and in the "
          "table. "
          "Off: by those of the symbols, W_P = W_M, as the notebook does to check itself. The ways by distinct rows and by "
          "folded "
          "weights need one matrix for both and are left out then. (isdpa takes them as PWQ, PWK, PWV)"),
       &IndexLabView::own_positions},
      {"padding", tr("padding masked"),
       tr("In every bar, and in the word above: keys that are symbol 0, padding, get weight 0, and queries that are leave the "
          "mean. "
          "The notebook masks nothing. (bench isdpa --pad-index 0)"),
       &IndexLabView::padding},
      {"lengths", tr("words as in a text"),
       tr("The words measured have as many symbols as the words of an English text, 4 on average, and padding up to l; else "
          "every place has any symbol, as in the notebook"),
       &IndexLabView::word_lengths},
      {"log", tr("logarithmic"), tr("A bar twice as long is then not twice the time: every power of ten has the same length"),
       &IndexLabView::log},
  };
  ImGui::BeginGroup();
  LabFlow flow(look, width);
  for (const Switch& one : switches) {
    const std::string label = one.label;
    flow.next(42 + context.measure.width(label, 14, Font::words));
    ui::toggle(look, (label + "##lab " + one.id).c_str(), &(view.index_lab.*one.member));
    ui::tooltip(look, one.why);
  }
  ImGui::EndGroup();
  name_part(context, "index:switches");
}

figures::TimingBarsInput shown_input(const Context& context, const LabAnswer& answer) {
  if (answer.any()) return bars_input(context, answer);
  const char* const note = !sweep_of(context) ? tr("operations counted; times are measured live in the window")
                           : answer.measuring ? tr("operations counted; measuring …")
                                              : tr("operations counted");
  return counted_input(context, note);
}

void draw_ratio(Context& context, const ui::Look& look, const LabPart& part, bool named, float width) {
  const ViewState& view = context.view;
  const LabTimes times = lab_times(view, *part.rows);
  if (times.index <= 0 || times.fastest <= 0) return;
  const auto ratio = [&](double other) { return lab_ratio(other, times.index); };
  // The status bar shows the same number.
  if (context.transient && part.choice.backend == lab_shown(context).backend)
    context.transient->lab = {lab_factor(times.fastest, times.index), std::to_string(view.index_lab.words)};
  const bool wins = times.fastest >= times.index;
  const std::string sentence =
      times.notebook <= 0
          ? fill(wins ? tr("ISDPA is {} as fast as the fastest way without an index ({})")
                      : tr("ISDPA loses here: {} of the speed of the fastest way without an index ({})"),
                 {ratio(times.fastest), times.fastest_label})
          : fill(wins ? tr("ISDPA is {} as fast as the fastest way without an index ({}), {} as fast as the notebook's steps")
                      : tr("ISDPA loses here: {} of the speed of the fastest way without an index ({}), {} of the notebook's "
                           "steps"),
                 {ratio(times.fastest), times.fastest_label, ratio(times.notebook)});
  // Shorter if the words take more than a line.
  const std::string brief =
      times.notebook <= 0 ? fill(tr("ISDPA: {} the fastest without an index ({})"), {ratio(times.fastest), times.fastest_label})
                          : fill(tr("ISDPA: {} the fastest without an index ({}), {} the notebook's steps"),
                                 {ratio(times.fastest), times.fastest_label, ratio(times.notebook)});
  const auto whole = [&](const std::string& words) { return named ? fill(tr("{}: {}"), {lab_name(part.choice), words}) : words; };
  const bool short_room = context.measure.width(whole(sentence), 14, Font::words) > width;
  lab_words(context, look, whole(short_room ? brief : sentence), wins ? look.theme.good : look.theme.wrong, 14, width);
}

}  // namespace

void draw_lab_times(Context& context, const ui::Look& look, float width, float height) {
  ViewState& view = context.view;
  const float top = ImGui::GetCursorPosY();
  LabFlow flow(look, width);
  const std::string title = tr("One layer");
  const float title_width = context.measure.width(title, ui::kHeading, Font::words_bold);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  flow.next(title_width + 4);
  context.figures.text(*ImGui::GetWindowDrawList(), {at.x, at.y + look.px(3)}, title, ui::kHeading, Font::words_bold,
                       look.theme.text);
  ImGui::Dummy({look.px(title_width + 4), look.px(28)});
  const std::vector<const char*> modes{tr("per call"), tr("cached")};
  const char* const why[] = {tr("The weights change: the tables are made in every call, as in the notebook's loop"),
                             tr("The weights are fixed, for every way alike: the tables are made once and kept, and the ways "
                                "without an index keep their "
                                "folded weights and projected rows")};
  flow.next(lab_segments_width(context, modes));
  ImGui::BeginGroup();
  if (const int mode = ui::segmented(look, "mode", modes.data(), 2, view.index_lab.cached ? 1 : 0, why); mode >= 0)
    view.index_lab.cached = mode == 1;
  ImGui::EndGroup();
  name_part(context, "index:mode");
  draw_lab_devices(context, look, flow);
  draw_sizes(context, look, width);
  draw_switches(context, look, width);

  const std::string problem = lab_problem(view);
  if (!problem.empty()) {
    ui::words(look, problem, look.theme.wrong, 14);
    return;
  }
  const LabAnswer answer = lab_rows(context);
  if (!answer.error.empty()) ui::words(look, answer.error, look.theme.wrong, 14);
  if (!answer.old)
    for (const LabPart& part : answer.parts)
      if (part.rows) draw_ratio(context, look, part, answer.parts.size() > 1, width);
  // The methods for the slowest chosen device: a GPU computes fifty times as much in the same time.
  std::vector<std::string> ways = lab_ways(view, answer.parts.empty() ? "cpu" : answer.parts.front().choice.backend);
  for (const LabPart& part : answer.parts)
    if (std::vector<std::string> of_this = lab_ways(view, part.choice.backend); of_this.size() < ways.size())
      ways = std::move(of_this);
  const bool lacks =
      ways.empty() || (!view.index_lab.every_query && std::find(ways.begin(), ways.end(), "notebook") == ways.end());
  if (sweep_of(context) && lacks)
    lab_words(context, look,
              ways.empty() ? tr("The layer without an index takes long at these sizes: not measured while you wait")
                           : tr("The notebook's steps take long at these sizes: not measured while you wait"),
              look.theme.secondary, 14, width);
  const float left = height - (ImGui::GetCursorPosY() - top) / context.scale - (answer.measuring ? 24 : 0);
  TimesRoom room = TimesRoom::whole;
  if (lab_times_figure(context, width).height > left) room = TimesRoom::close;
  // In presentation mode nothing should have to be scrolled: the bars are the main content.
  if (view.presentation && lab_times_figure(context, width, room).height > left) room = TimesRoom::bars;
  if (answer.old) ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 0.5f);
  draw_lab_figure(context, "times", lab_times_figure(context, width, room), [&] { return lab_times_figure(context, 860); });
  if (answer.old) ImGui::PopStyleVar();
  if (answer.measuring && answer.any())
    ui::words(look, answer.old ? tr("measuring …") : tr("measuring the ways without an index …"), look.theme.secondary, 14);
}

figures::Figure lab_times_figure(const Context& context, float width, TimesRoom room) {
  if (!lab_problem(context.view).empty()) return {};
  figures::TimingBarsInput input = shown_input(context, lab_rows(context));
  input.row = room == TimesRoom::whole ? 28.0f : 22.0f;
  if (room == TimesRoom::bars) {
    input.parts.clear();
    input.reached.clear();
    input.reached_note.clear();
  }
  return figures::timing_bars(input, width, context.theme, context.measure);
}

}  // namespace headlight::views
