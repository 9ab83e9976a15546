#include "app/views/positions/data.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "engine/attention/positions/position_entries.h"
#include "engine/operations/rotary.h"

namespace headlight::views::placed {

namespace {

constexpr double kPi = 3.14159265358979323846;

// A key of everything that the table depends on.
DerivedKey key_of(DerivedKey::Tag tag, const Context& context) {
  const Document& d = context.document;
  return DerivedKey(tag, {d.position, d.d_model, d.heads, d.seed, position_count(context)});
}

// The name of the table that the model of the trace was trained with; empty: its positions are computed or drawn.
std::string trained_table(const Context& context) {
  if (!context.trace || context.trace->document().model != context.document.model) return {};
  for (const Step& step : context.trace->steps())
    if (step.role == Role::position && !step.inputs.empty()) return step.inputs.front();
  return {};
}

std::string note_of(const Context& context) {
  const positions::Entry* entry = position_entry(context.document);
  return entry && entry->random && trained_table(context).empty()
             ? fill(tr("random table, seed {}: untrained"), {std::to_string(context.document.seed)})
             : "";
}

PositionTable measured(const Tensor& values, const DerivedKey& key) {
  PositionTable table;
  table.values = values.as(DType::f32).compact();
  for (const float v : table.values.values<float>()) table.largest = std::max(table.largest, static_cast<double>(std::abs(v)));
  table.key = key.hash();
  return table;
}

// The first rows of the table `name`, as many as there are up to position_count().
std::shared_ptr<const PositionTable> trained_positions(const Context& context, const std::string& name) {
  const DerivedKey key = key_of("positions/trained", context).add(context.trace->generation());
  return context.derived
      .later<PositionTable>(key,
                            [trace = context.trace, name, key,
                             count = position_count(context)](const CancelToken& cancel) -> Result<PositionTable> {
                              HL_ASSIGN(const Tensor all, trace->values(name, cancel));
                              return measured(all.slice(0, 0, std::min(count, all.dim(0))).compact(), key);
                            })
      .value;
}

// What the pair (1, 0) of each pair of dimensions turns into at each position.
std::shared_ptr<const PositionTable> turned_positions(const Context& context) {
  operations::Rotary op = rotation_of(context);
  op.rows = op.length = position_count(context);
  op.first = 0;
  DerivedKey key = key_of("positions/turned", context).add(op.d_k).add(op.turned).add(op.base).add(op.magnitude);
  for (const double frequency : op.frequencies) key.add(frequency);
  return context.derived
      .now<PositionTable>(key,
                          [key, op](const CancelToken&) {
                            std::vector<float> values;
                            for (const operations::Turn& turn : operations::turns_of(op)) {
                              values.push_back(turn.cosine);
                              values.push_back(turn.sine);
                            }
                            return Result<PositionTable>(measured(Tensor::of(values, {op.length, 2 * op.pairs()}), key));
                          })
      .value;
}

}  // namespace

std::int64_t position_count(const Context& context) {
  const positions::Entry* entry = position_entry(context.document);
  const bool pairs = entry && entry->where == positions::Where::relative;  // read with the sentence's own words beside them
  if (state_of(context).count > 0 && !pairs) return std::clamp<std::int64_t>(state_of(context).count, 2, kMostPositions);
  std::int64_t longest = 0;
  if (context.trace)
    for (const auto& text : context.trace->texts()) longest = std::max(longest, static_cast<std::int64_t>(text.tokens.size()));
  // A code of digits is shown as long as the text's own has it: the lecture's table of 8 positions, or the next power of two.
  if (entry && entry->used)
    return static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::clamp<std::int64_t>(longest, 8, kMostPositions))));
  if (pairs) return std::clamp<std::int64_t>(longest, 2, kMostPositions);
  return std::clamp<std::int64_t>(longest, 64, kMostPositions);
}

double wavelength(std::int64_t dimension, std::int64_t width) {
  const std::int64_t pair = dimension / 2;
  return 2 * kPi * std::pow(10000.0, 2.0 * static_cast<double>(pair) / static_cast<double>(width));
}

double wavelength_of(const Context& context, std::int64_t dimension) {
  if (!turns_pairs(context.document)) return wavelength(dimension, code_width(context));
  return 2 * kPi / std::max(operations::angle_of(rotation_of(context), 1, dimension / 2), 1e-300);
}

operations::Rotary rotation_of(const Context& context) {
  const Document& d = context.document;
  if (context.trace && context.trace->document().model == d.model && context.trace->document().position == d.position)
    for (const AttentionSite& site : context.trace->sites())
      if (const operations::Operation* const own = context.trace->operation(site.prefix + "q_rotated"))
        if (const auto* const op = own->get_if<operations::Rotary>()) return *op;
  operations::Rotary op;
  op.rows = op.length = 1;
  op.d_k = std::max<std::int64_t>(2, head_width(d) / 2 * 2);
  op.halves = splits_pairs(d);
  return op;
}

std::vector<std::string> position_pictures(const Document& document) {
  const positions::Entry* entry = position_entry(document);
  if (!entry) return {};
  if (entry->where == positions::Where::rotates) return {"turning", "heatmap", "curves", "distance", "effect"};
  if (entry->where == positions::Where::scores) return {"heatmap", "curves", "effect"};
  if (entry->where == positions::Where::relative) return {"distances", "rows", "scores", "effect"};
  return {"heatmap", "curves", "distance", "effect"};
}

std::string large_picture(const Context& context) {
  const std::vector<std::string> all = position_pictures(context.document);
  if (all.empty()) return {};
  return std::find(all.begin(), all.end(), state_of(context).picture) != all.end() ? state_of(context).picture : all[0];
}

bool has_bias(const Document& document) {
  const positions::Entry* entry = position_entry(document);
  return entry && entry->where == positions::Where::scores;
}

bool has_relative_positions(const Document& document) {
  const positions::Entry* const entry = positions::registry().find(document.position);
  return entry && entry->where == positions::Where::relative;
}

bool turns_pairs(const Document& document) {
  const positions::Entry* entry = position_entry(document);
  return entry && entry->where == positions::Where::rotates;
}

std::int64_t code_width(const Context& context) {
  const Document& document = context.document;
  const positions::Entry* entry = position_entry(document);
  if (entry && entry->used) return entry->used(position_count(context), document.d_model);
  return turns_pairs(document) ? 2 * rotation_of(context).pairs() : document.d_model;
}

bool splits_pairs(const Document& document) { return document.position == positions::kRotarySplit; }

bool is_wave(const Document& document) { return document.position == "sinusoidal" || turns_pairs(document); }

bool is_cosine(const Document& document, std::int64_t dimension) {
  return (dimension % 2 == 1) == (document.position == "sinusoidal");
}

std::vector<std::int64_t> position_dims(const Context& context) {
  const std::int64_t d = code_width(context);
  std::vector<std::int64_t> dims;
  for (const std::int64_t dim : state_of(context).dimensions)
    if (dim >= 0 && dim < d) dims.push_back(dim);
  if (!dims.empty()) return dims;
  if (const positions::Entry* entry = position_entry(context.document); entry && entry->used) {
    for (std::int64_t dim = 0; dim < std::min<std::int64_t>(d, 4); ++dim) dims.push_back(dim);
    return dims;
  }
  // From the fastest dimension to one that hardly changes within a sentence. Where q and k turn, the last one says which pair is
  // shown turning: one that goes round about once in a sentence.
  const bool turns = turns_pairs(context.document);
  const std::int64_t slow = d / 12 * 6, brisk = d / 12 * 2;
  for (const std::int64_t dim : {std::int64_t{0}, turns ? slow : brisk, d / 12 * 4, turns ? brisk : slow})
    if (dim < d && std::find(dims.begin(), dims.end(), dim) == dims.end()) dims.push_back(dim);
  return dims;
}

const positions::Entry* position_entry(const Document& document) {
  const positions::Entry* entry = positions::registry().find(document.position);
  return entry && (entry->make || entry->bias || entry->where == positions::Where::rotates ||
                   entry->where == positions::Where::relative)
             ? entry
             : nullptr;
}

std::shared_ptr<const PositionTable> position_table(const Context& context) {
  const positions::Entry* entry = position_entry(context.document);
  if (!entry || entry->where == positions::Where::scores || entry->where == positions::Where::relative) return nullptr;
  if (entry->where == positions::Where::rotates) return turned_positions(context);
  const std::string trained = trained_table(context);
  if (!trained.empty()) return trained_positions(context, trained);
  const DerivedKey key = key_of("positions/table", context);
  return context.derived
      .later<PositionTable>(
          key,
          [entry, key, count = position_count(context), shown = code_width(context), d = context.document.d_model,
           seed = context.document.seed](const CancelToken&) -> Result<PositionTable> {
            return measured(entry->make(count, d, seed).slice(1, 0, shown).compact(), key);
          })
      .value;
}

std::shared_ptr<const PositionProducts> position_products(const Context& context) {
  const auto table = position_table(context);
  if (!table) return nullptr;
  const DerivedKey key = key_of("positions/products", context).add(table->key);
  return context.derived
      .later<PositionProducts>(key,
                               [table, key](const CancelToken& cancel) -> Result<PositionProducts> {
                                 const std::int64_t n = table->values.dim(0), d = table->values.dim(1);
                                 const float* rows = table->values.data<float>();
                                 PositionProducts out;
                                 out.values = Tensor(DType::f32, {n, n}, {"position", "position"}, true);
                                 out.key = key.hash();
                                 const auto size = static_cast<std::size_t>(n);
                                 out.mean.assign(size, 0);
                                 out.least.assign(size, INFINITY);
                                 out.most.assign(size, -INFINITY);
                                 for (std::int64_t i = 0; i < n; ++i) {
                                   if (cancel.cancelled()) return cancelled();
                                   for (std::int64_t j = 0; j <= i; ++j) {
                                     double dot = 0;
                                     for (std::int64_t c = 0; c < d; ++c)
                                       dot += static_cast<double>(rows[i * d + c]) * static_cast<double>(rows[j * d + c]);
                                     out.values.data<float>()[i * n + j] = out.values.data<float>()[j * n + i] =
                                         static_cast<float>(dot);
                                     out.largest = std::max(out.largest, std::abs(dot));
                                     const auto apart = static_cast<std::size_t>(i - j);
                                     out.mean[apart] += dot / static_cast<double>(n - (i - j));
                                     out.least[apart] = std::min(out.least[apart], dot);
                                     out.most[apart] = std::max(out.most[apart], dot);
                                   }
                                 }
                                 return out;
                               })
      .value;
}

figures::HeatmapInput table_input(const Context& context, const PositionTable& table) {
  figures::HeatmapInput input;
  input.values = table.values;
  input.title = turns_pairs(context.document) ? tr("Cosine and sine of each pair") : tr("The code of each position");
  input.row_axis = tr("position");
  input.column_axis = tr("dimension (click: its curve)");
  input.row_name = "position";
  input.column_name = "dimension";
  input.data_name = "position";
  input.colormap = "signed";
  input.high = static_cast<float>(is_wave(context.document) ? 1.0 : std::max(table.largest, 1e-6));
  input.low = -input.high;
  input.range_words = tr("value, symmetric about 0");
  input.note = note_of(context);
  input.key = table.key;
  const std::int64_t row = context.hover.now.row;
  input.hot_row = row >= 0 && row < table.values.dim(0) ? row : -1;
  return input;
}

figures::CurvesInput dims_input(const Context& context, const PositionTable& table) {
  figures::CurvesInput input;
  input.title = tr("Some dimensions over the position");
  input.x_axis = tr("position");
  input.y_axis = tr("value");
  const std::int64_t n = table.values.dim(0), d = table.values.dim(1);
  const bool waves = is_wave(context.document);
  input.points = n <= 80;
  for (const std::int64_t dim : position_dims(context)) {
    if (dim >= d) continue;
    figures::CurvesInput::Curve curve;
    for (std::int64_t i = 0; i < n; ++i) curve.y.push_back(static_cast<double>(table.values.data<float>()[i * d + dim]));
    const std::string number = std::to_string(dim);
    curve.label = waves ? fill(tr("{} {}: wavelength {}"), {number, is_cosine(context.document, dim) ? "cos" : "sin",
                                                            short_number(wavelength_of(context, dim))})
                        : fill(tr("dimension {}"), {number});
    input.curves.push_back(std::move(curve));
  }
  if (waves) {
    input.y_low = -1;
    input.y_high = 1;
  }
  const std::int64_t row = context.hover.now.row;
  input.hot = row >= 0 && row < n ? row : -1;
  return input;
}

figures::HeatmapInput products_input(const Context& context, const PositionProducts& products) {
  figures::HeatmapInput input;
  input.values = products.values;
  input.title = tr("Dot products of positions");
  input.row_axis = tr("position i");
  input.column_axis = tr("position j");
  input.row_name = "i";
  input.column_name = "j";
  input.data_name = "position_products";
  input.colormap = "signed";
  input.high = static_cast<float>(std::max(products.largest, 1e-6));
  input.low = -input.high;
  input.range_words = tr("p_i · p_j, symmetric about 0");
  input.note = note_of(context);
  input.key = products.key;
  return input;
}

figures::CurvesInput distance_input(const Context& context, const PositionProducts& products) {
  figures::CurvesInput input;
  input.title = tr("Dot product by distance");
  input.x_axis = tr("distance |i - j|");
  input.y_axis = "p_i · p_j";
  const bool exact = is_wave(context.document);
  input.curves.push_back({exact ? tr("any pair that far apart: Σ cos(w |i - j|)") : tr("mean of all pairs that far apart"),
                          products.mean, 1, false});
  if (!exact) {
    input.curves.push_back({tr("smallest"), products.least, 2, true});
    input.curves.push_back({tr("largest"), products.most, 4, true});
  }
  const Hot& hot = context.hover.now;
  if (hot.row >= 0 && hot.column >= 0 && hot.value.step.empty()) {
    const std::int64_t apart = std::abs(hot.row - hot.column);
    if (apart < products.values.dim(0)) input.hot = apart;
  }
  return input;
}

std::shared_ptr<const OrderEffects> order_effects(const Context& context, const Error** error) {
  if (error) *error = nullptr;
  if (!context.trace || !is_reordered(*context.trace)) return nullptr;
  const DerivedKey key("positions/order", {context.trace->generation()});
  const auto effects = context.derived.later<OrderEffects>(
      key, [document = context.trace->document()](const CancelToken& cancel) -> Result<OrderEffects> {
        OrderEffects both;
        both.with_id = document.position == "none" ? "sinusoidal" : document.position;
        HL_ASSIGN(both.without, order_effect_with(document, "none", cancel));
        HL_ASSIGN(both.with, order_effect_with(document, both.with_id, cancel));
        return both;
      });
  if (error) *error = effects.error;
  return effects.value;
}

figures::TableInput order_table(const OrderEffects& effects) {
  using Tone = figures::TableInput::Tone;
  figures::TableInput input;
  input.title = tr("How far apart a word's two vectors end");
  const positions::Entry* entry = positions::registry().find(effects.with_id);
  input.columns = {{tr("word"), true, false},
                   {tr("its places"), false, false},
                   {tr("without positions"), false, true},
                   {fill(tr("with {}"), {entry ? tr(entry->label.c_str()) : effects.with_id}), false, true}};
  const double largest = std::max(effects.without.largest, effects.with.largest);
  const auto cell = [&](const OrderEffect::Word& word) {
    // Differences from rounding sums in another order do not count.
    const bool same = word.distance < 1e-4 * word.length;
    figures::TableInput::Cell out;
    out.text = same ? "0" : short_number(word.distance);
    out.tone = same ? Tone::good : Tone::plain;
    out.bar = same || largest <= 0 ? 0 : word.distance / largest;
    out.value = word.distance;
    return out;
  };
  for (std::size_t i = 0; i < effects.without.words.size() && i < effects.with.words.size(); ++i) {
    const auto& word = effects.without.words[i];
    input.rows.push_back({{word.label, Tone::plain, 0, 0},
                          {std::to_string(word.first) + " → " + std::to_string(word.second), Tone::quiet, 0, 0},
                          cell(word),
                          cell(effects.with.words[i])});
  }
  return input;
}

figures::NumberSumInput added_numbers(const Context& context, std::int64_t token) {
  constexpr std::int64_t kAdded = 4;
  figures::NumberSumInput input;
  const positions::Entry* const entry = position_entry(context.document);
  if (!entry || !entry->make || !context.trace || context.trace->texts().empty()) return input;
  const Trace& trace = *context.trace;
  const std::string place = trace.targets().empty() ? "" : "encoder.";
  const Step *word = trace.step_at(place, Role::embedding), *position = trace.step_at(place, Role::position),
             *sum = trace.step_at(place, Role::input);
  const auto batch = std::clamp<std::int64_t>(context.view.batch, 0, static_cast<std::int64_t>(trace.texts().size()) - 1);
  const Sentence& sentence = trace.texts()[static_cast<std::size_t>(batch)];
  if (!word || !position || !sum || sentence.labels.empty()) return input;
  const std::int64_t at = std::clamp<std::int64_t>(token, 0, static_cast<std::int64_t>(sentence.labels.size()) - 1);
  const std::int64_t d = sum->shape.empty() ? 0 : sum->shape.back(), count = std::min(kAdded, d);
  const auto numbers = [&](const Step& step) {
    std::vector<double> out;
    // A table of positions has no sentences.
    const bool table = step.shape.size() == 2;
    const Result<Tensor> values =
        table ? trace.values(step.name) : trace.tile(step.name, {std::min(batch, step.shape.front() - 1), 0, at, 1, 0, count});
    const std::int64_t row = table ? at : 0;
    for (std::int64_t k = 0; values.ok() && k < count && row < values->dim(0); ++k) out.push_back(values->at({row, k}));
    return out;
  };
  const std::vector<double> e = numbers(*word), p = numbers(*position), x = numbers(*sum);
  if (e.empty() || e.size() != p.size() || e.size() != x.size()) return input;
  for (std::size_t k = 0; k < e.size(); ++k)
    if (!(std::abs(e[k] + p[k] - x[k]) <= 1e-3 * std::max(1.0, std::abs(x[k])))) return input;
  input.parts = {{fill(tr("the word {}"), {sentence.labels[static_cast<std::size_t>(at)]}), e},
                 {fill(tr("its place, {}"), {std::to_string(at)}), p},
                 {tr("what the model reads"), x}};
  if (d > count) input.rest = fill(tr("and so on, {} numbers"), {std::to_string(d)});
  return input;
}

}  // namespace headlight::views::placed
