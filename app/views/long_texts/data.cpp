#include "app/views/long_texts/data.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/legend.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/derived_value.h"
#include "engine/attention/masks/combined.h"
#include "engine/backends/backends.h"
#include "engine/insight/residual_stream.h"
#include "engine/text/grouped_number.h"

namespace headlight::views::long_range {
namespace {

constexpr std::int64_t kNamedTokens = 24;      // along the maps; longer texts have numbers there
constexpr std::int64_t kLongAtOnce = 1 << 18;  // products of one method; more are made in the background

// One head's rows in double, and full attention over them.
struct LongHead {
  long_texts::Rows rows;
  long_texts::Pattern full;
  Tensor output;  // f64 [L, d]
  std::uint64_t bytes() const { return full.weights.bytes() + full.computed.bytes() + 4 * output.bytes(); }
};

Tensor cut(const Tensor& rows, std::int64_t count) { return rows.as(DType::f64).compact().slice(0, 0, count).compact(); }

Result<LongHead> head_of(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                         const long_texts::Task& task) {
  const std::int64_t key_head = head / std::max<std::int64_t>(1, site.heads / site.kv_heads);
  HL_ASSIGN(const Tensor q, rows_of(trace, site.q, batch, head, 0, task.tokens));
  HL_ASSIGN(const Tensor k, rows_of(trace, site.k, batch, key_head, 0, task.tokens));
  HL_ASSIGN(const Tensor v, rows_of(trace, site.v, batch, key_head, 0, task.tokens));
  LongHead made;
  made.rows = {cut(q, task.tokens), cut(k, task.tokens), cut(v, task.tokens)};
  HL_ASSIGN(made.full, long_texts::pattern(*long_texts::registry().find("full"), {}, task, made.rows));
  made.output = long_texts::output_of(made.full, made.rows.v);
  return made;
}

void measure_difference(const Tensor& out, const Tensor& expected, LongShown& shown) {
  const Tensor wide = out.as(DType::f64).compact();
  double squared = 0, reference = 0;
  for (std::int64_t i = 0; i < wide.count(); ++i) {
    const double should = expected.data<double>()[i], by = std::abs(wide.data<double>()[i] - should);
    shown.max_diff = std::max(shown.max_diff, by);
    shown.mean_diff += by;
    squared += by * by;
    reference += should * should;
  }
  shown.mean_diff /= static_cast<double>(std::max<std::int64_t>(1, wide.count()));
  shown.relative = reference > 0 ? std::sqrt(squared / reference) : 0;
}

void compare_weights(const long_texts::Pattern& pattern, const long_texts::Pattern& full, LongShown& shown) {
  const std::int64_t n = pattern.weights.dim(0);
  shown.weights = pattern.weights.as(DType::f32).compact();
  shown.apart = Tensor(DType::f32, {n, n}, {"query", "key"}, true);
  shown.shades = Tensor(DType::f32, {n, n}, {"query", "key"}, true);
  const double *own = pattern.weights.data<double>(), *all = full.weights.data<double>();
  const std::uint8_t* const computed = pattern.computed.data<std::uint8_t>();
  double cells = 0;
  for (std::int64_t i = 0; i < n * n; ++i) {
    const double by = own[i] - all[i];
    shown.apart.data<float>()[i] = static_cast<float>(by);
    shown.shades.data<float>()[i] = static_cast<float>(std::sqrt(std::max(0.0, own[i])));
    shown.largest = std::max(shown.largest, own[i]);
    shown.farthest = std::max(shown.farthest, std::abs(by));
    cells += computed[i];
    if (!computed[i]) shown.left_out += all[i];
  }
  shown.left_out /= static_cast<double>(std::max<std::int64_t>(1, n));
  if (cells > 0) shown.computed = pattern.computed;
}

Result<LongShown> shown_of(const long_texts::Entry& entry, const Values& values, const long_texts::Task& task,
                           const LongHead& head, const CancelToken& cancel) {
  LongShown shown;
  HL_ASSIGN(const long_texts::Pattern pattern, long_texts::pattern(entry, values, task, head.rows));
  if (cancel.cancelled()) return cancelled();
  compare_weights(pattern, head.full, shown);
  shown.part_of = pattern.part_of;
  // The method itself, on the CPU: it skips what the pattern skips.
  HL_ASSIGN(const auto backend, backends::open("cpu"));
  HL_ASSIGN(const auto method, long_texts::prepare(entry, *backend, values, task));
  const DType real = backend->dtype();
  const long_texts::Rows rows{head.rows.q.as(real).compact(), head.rows.k.as(real).compact(), head.rows.v.as(real).compact()};
  Tensor out(real, {task.tokens, task.d});
  HL_TRY(method->run(rows, out, cancel));
  measure_difference(out, head.output, shown);
  shown.cost = method->cost();
  shown.computed_cells = method->cells();
  if (!shown.computed.empty()) {
    shown.computed_cells = 0;
    for (std::int64_t i = 0; i < shown.computed.count(); ++i) shown.computed_cells += shown.computed.data<std::uint8_t>()[i];
  }
  return shown;
}

// Whether the model's mask hides every later key and nothing else matters: its upper triangle.
bool is_causal(const AttentionSite& site, const AttentionChoice& choice, std::int64_t tokens) {
  if (site.mask.mask.empty() || tokens < 2) return false;
  for (std::int64_t i = 0; i + 1 < tokens; ++i)
    if (masks::allows(site.mask.mask, choice.batch, choice.head, i, i + 1)) return false;
  return !masks::allows(site.mask.mask, choice.batch, choice.head, 0, tokens - 1);
}

void add_values(DerivedKey& key, const Values& values) {
  for (const auto& [name, value] : values) {
    key.add(name);
    if (const auto* number = std::get_if<std::int64_t>(&value)) key.add(*number);
    if (const auto* words = std::get_if<std::string>(&value)) key.add(*words);
  }
}

DerivedKey head_key(const Context& context, const LongState& state) {
  return DerivedKey("long/head", {context.trace->generation(), state.choice.prefix(), state.choice.batch, state.choice.head,
                                  state.tokens, state.task.causal});
}

// Why the shown attention is none of these methods'; empty: it is.
std::string unfit(const AttentionSite& site) {
  if (site.rows_are_targets != site.columns_are_targets)
    return tr("These methods are for a text that attends to itself: choose the encoder's or the decoder's own attention.");
  if (!site.score_vector.empty())
    return tr("These methods multiply q and k: additive scores have none of them. Choose another score.");
  return {};
}

}  // namespace

const std::array<LongKnob, 9>& long_knobs() {
  using V = State;
  static const std::array<LongKnob, 9> knobs = {{{"window", &V::window},
                                                 {"dilation", &V::dilation},
                                                 {"global", &V::global_tokens},
                                                 {"block", &V::block},
                                                 {"devices", &V::devices},
                                                 {"span", &V::span},
                                                 {"ramp", &V::ramp},
                                                 {"buckets", &V::buckets},
                                                 {"rank", &V::rank}}};
  return knobs;
}

Values long_values(const State& view, const long_texts::Entry& entry) {
  Values values;
  for (const Parameter& parameter : entry.parameters) {
    values[parameter.id] = parameter.fallback;
    if (parameter.kind == Parameter::Kind::choice) {
      const auto& known = parameter.choices;
      if (std::find(known.begin(), known.end(), view.similarity) != known.end()) values[parameter.id] = view.similarity;
      continue;
    }
    for (const LongKnob& knob : long_knobs())
      if (knob.id == parameter.id && view.*knob.own >= 0) values[parameter.id] = view.*knob.own;
  }
  return values;
}

LongState long_state(const Context& context, const AttentionChoice& choice) {
  LongState state;
  state.choice = choice;
  const auto& entries = long_texts::registry().entries();
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i].id == context.view.own.of<State>().method) state.chosen = i;
  const AttentionSite& site = *choice.site;
  state.words = unfit(site);
  if (!state.words.empty()) return state;
  const Trace& trace = *context.trace;
  const auto sentences = site.rows_are_targets ? trace.targets() : trace.texts();
  if (choice.batch < static_cast<std::int64_t>(sentences.size()))
    state.all_tokens = static_cast<std::int64_t>(sentences[static_cast<std::size_t>(choice.batch)].tokens.size());
  state.tokens = std::min(state.all_tokens, kMostLongTokens);
  if (state.tokens == 0) {
    state.words = tr("There is nothing to attend to yet: type a sentence.");
    return state;
  }
  state.labels = row_labels(context, choice);
  state.labels.resize(static_cast<std::size_t>(state.tokens));
  const std::string& causal = context.view.own.of<State>().causal;
  state.task = {state.tokens, site.d_k, causal == "on" || (causal != "off" && is_causal(site, choice, state.tokens)), site.scale,
                trace.document().seed};
  const DerivedKey key = head_key(context, state);
  const std::int64_t work = state.tokens * state.tokens * state.task.d;
  const auto held = context.trace;
  const std::function<Result<LongHead>(const CancelToken&)> make_head =
      [held, place = site, choice_batch = choice.batch, choice_head = choice.head, task = state.task](const CancelToken&) {
        return head_of(*held, place, choice_batch, choice_head, task);
      };
  const auto head = derived_value<LongHead>(context, key, work, kLongAtOnce, make_head, &state.words);
  state.results.resize(entries.size());
  for (std::size_t i = 0; head && i < entries.size(); ++i) {
    const Values values = long_values(context.view.own.of<State>(), entries[i]);
    DerivedKey own_key("long/shown", {key, entries[i].id});
    add_values(own_key, values);
    const std::function<Result<LongShown>(const CancelToken&)> make = [&entry = entries[i], values, task = state.task, head,
                                                                       own_key](const CancelToken& cancel) -> Result<LongShown> {
      HL_ASSIGN(LongShown shown, shown_of(entry, values, task, *head, cancel));
      shown.key = own_key.hash() << 1;  // the picture beside it has the next number
      return shown;
    };
    state.results[i].shown = derived_value<LongShown>(context, own_key, work, kLongAtOnce, make, &state.results[i].refused);
  }
  return state;
}

namespace {

std::string share_words(double share) {
  char text[16];
  std::snprintf(text, sizeof text, share >= 0.9995 || share == 0 ? "%.0f %%" : "%.1f %%", 100 * share);
  return text;
}

std::string difference_words(double by) {
  if (by == 0) return "0";
  char text[16];
  if (by >= 5e-4) return figures::cell_number(by, 3);
  std::snprintf(text, sizeof text, "%.0e", by);
  return text;
}

std::string colormap_of_view(const ViewState& view) { return view.colormap.empty() ? "viridis" : view.colormap; }

// The largest weight over all methods: their pictures have one scale.
float common_high(const LongState& state) {
  double largest = 0;
  for (const LongResult& result : state.results)
    if (result.shown) largest = std::max(largest, result.shown->largest);
  return largest > 0 ? static_cast<float>(std::min(1.0, largest)) : 1.0f;
}

}  // namespace

figures::LongTilesInput long_tiles_input(const Context& context, const LongState& state) {
  figures::LongTilesInput input;
  input.groups = {tr("exact: every cell, the same output"), tr("sparse: fewer cells"), tr("low rank: fewer numbers")};
  input.selected = static_cast<std::int64_t>(state.chosen);
  input.colormap = colormap_of_view(context.view);
  input.title = tr("Who may look at whom");
  const auto& entries = long_texts::registry().entries();
  const double all = static_cast<double>(state.tokens) * static_cast<double>(state.tokens);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    figures::LongTile& tile = input.tiles.emplace_back();
    tile.label = tr(entries[i].label.c_str());
    tile.group = static_cast<int>(entries[i].group);
    tile.formed = entries[i].formed;
    if (i >= state.results.size()) continue;
    const LongResult& result = state.results[i];
    if (!result.refused.empty()) tile.refused = tr("refused");
    if (!result.shown) continue;
    if (entries[i].id == "ring")
      tile.devices = long_texts::whole(long_values(context.view.own.of<State>(), entries[i]), "devices");
    tile.weights = result.shown->weights;
    tile.shades = result.shown->shades;
    tile.computed = result.shown->computed;
    tile.high = std::sqrt(common_high(state));
    tile.key = result.shown->key;
    tile.cells = share_words(result.shown->computed_cells / all);
    tile.apart = difference_words(result.shown->max_diff);
    tile.exact = result.shown->max_diff < 1e-5;
  }
  return input;
}

figures::HeatmapInput long_map_input(const Context& context, const LongState& state, bool apart) {
  figures::HeatmapInput input;
  const LongShown& shown = *state.result().shown;
  if (state.tokens <= kNamedTokens) input.row_labels = input.column_labels = state.labels;
  input.row_axis.clear();
  input.column_axis = tr("row looks at column");
  input.values = apart ? shown.apart : shown.shades;
  input.numbers = apart ? shown.apart : shown.weights;
  if (!apart) input.mask = shown.computed;
  input.legend = false;
  input.most_cell = 200;
  input.fit = figures::CellFit::square;
  input.key = shown.key + (apart ? 1 : 0);
  input.title = apart                  ? tr("weights minus those of full attention")
                : state.entry().formed ? tr("weights")
                                       : tr("weights that the output implies");
  input.data_name = apart ? "difference" : "weights";
  input.quantity = tr("weight");
  input.colormap = apart ? "signed" : colormap_of_view(context.view);
  input.high = apart ? static_cast<float>(std::max(shown.farthest, 1e-6)) : std::sqrt(common_high(state));
  input.low = apart ? -input.high : 0;
  input.note = random_note(*context.trace, context.trace->name_at(state.choice.prefix(), Role::weights));
  const std::int64_t hot =
      hovered_token(*context.trace, state.choice.site->rows_are_targets, state.choice.batch, context.hover.now);
  input.hot_row = context.hover.now.row >= 0 ? context.hover.now.row : hot >= 0 ? hot : context.view.pinned_row;
  input.hot_column = context.hover.now.column >= 0 ? context.hover.now.column : hot >= 0 ? hot : context.view.pinned_column;
  if (input.hot_row >= state.tokens) input.hot_row = -1;
  if (input.hot_column >= state.tokens) input.hot_column = -1;
  return input;
}

figures::Figure long_legend(const Context& context, const LongState& state, bool apart, float width) {
  constexpr float kSize = 13, kMiddle = 9, kBar = 56;
  figures::Figure figure;
  figure.width = width;
  figure.height = 18;
  figure.background = context.theme.background;
  const figures::Composer pen{figure, context.theme, context.measure};
  float x = 0;
  const auto words = [&](const std::string& text, figures::Font font) {
    const float wide = context.measure.width(text, kSize, font);
    if (x + wide > width) return;
    pen.text(x, kMiddle, text, kSize, font, context.theme.secondary);
    x += wide + 6;
  };
  const auto bar = [&](const std::string& low, const std::string& colormap, const std::string& high) {
    words(low, figures::Font::mono);
    figure.add(figures::ColorBar{{x, kMiddle - 5, kBar, 10}, colormap, false, {}});
    x += kBar + 6;
    words(high, figures::Font::mono);
  };
  bar("0", colormap_of_view(context.view), figures::cell_number(common_high(state)));
  words(tr("root scale"), figures::Font::words);
  if (!state.result().shown->computed.empty()) {
    x += 10;
    figure.add(figures::hatched({x, kMiddle - 6, 12, 12}));
    x += 18;
    words(tr("not computed"), figures::Font::words);
  }
  if (!apart) return figure;
  const double farthest = std::max(state.result().shown->farthest, 1e-6);
  const std::string end = farthest < 0.1 ? difference_words(farthest) : figures::cell_number(farthest);
  x = std::max(x + 14, std::round(width / 2) + 8);
  if (x + kBar + 2 * context.measure.width("-" + end, kSize, figures::Font::mono) + 20 <= width) bar("-" + end, "signed", end);
  return figure;
}

std::vector<figures::PartRow> long_part_rows(const Context& context, const LongState& state) {
  std::vector<figures::PartRow> rows;
  const LongResult& result = state.result();
  if (!result.shown || result.shown->part_of.empty()) return rows;
  const bool ring = state.entry().id == "ring";
  const Values values = long_values(context.view.own.of<State>(), state.entry());
  const std::int64_t count = long_texts::whole(values, ring ? "devices" : "buckets");
  const std::int64_t step = count > 0 ? context.view.own.of<State>().step % count : 0;
  for (std::int64_t part = 0; part < count; ++part) {
    figures::PartRow& row = rows.emplace_back();
    row.hue = static_cast<int>(part);
    row.name = ring ? fill(tr("device {}, keys of {}"), {std::to_string(part), std::to_string((part - step + count) % count)})
                    : fill(tr("bucket {}"), {std::to_string(part)});
    for (std::size_t i = 0; i < result.shown->part_of.size(); ++i)
      if (result.shown->part_of[i] == part) row.members.push_back(state.labels[i]);
  }
  return rows;
}

std::vector<std::string> long_words(const LongState& state) {
  std::vector<std::string> words;
  if (!state.result().shown) return words;
  const LongShown& shown = *state.result().shown;
  const std::int64_t all = state.tokens * state.tokens;
  if (state.entry().id == "linear" && shown.computed_cells == 0)
    words.push_back(fill(tr("0 of {} cells: no weight is ever formed"), {text::grouped_number(all)}));
  else
    words.push_back(
        fill(state.entry().group == long_texts::Group::low_rank ? tr("{} numbers in place of {} cells") : tr("{} of {} cells"),
             {text::grouped_number(std::llround(shown.computed_cells)), text::grouped_number(all)}));
  words.push_back(fill(tr("output: max Δ {}, mean {}, relative {}"),
                       {difference_words(shown.max_diff), difference_words(shown.mean_diff), difference_words(shown.relative)}));
  words.push_back(fill(tr("{} operations, {} bytes"), {text::grouped_number(std::llround(shown.cost.flops)),
                                                       text::grouped_number(std::llround(shown.cost.bytes))}));
  if (!shown.computed.empty() && shown.left_out > 5e-7)
    words.push_back(fill(tr("weight left out, mean over the rows: {}"), {difference_words(shown.left_out)}));
  if (state.task.causal && !state.entry().has_causal)
    words.push_back(tr("It mixes all keys first: a query is not kept from later ones."));
  if (state.all_tokens > state.tokens)
    words.push_back(
        fill(tr("the first {} of {} tokens"), {text::grouped_number(state.tokens), text::grouped_number(state.all_tokens)}));
  return words;
}

}  // namespace headlight::views::long_range
