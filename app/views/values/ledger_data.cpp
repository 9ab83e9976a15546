#include "app/views/values/ledger_data.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/derived_value.h"
#include "app/views/values/state.h"
#include "engine/core/one_nan.h"
#include "engine/core/sorting.h"
#include "engine/insight/explain.h"

namespace headlight::views::values {
namespace {

using Kind = LayerLedger::Kind;
constexpr std::int64_t kAtOnce = 1 << 18;  // numbers read within a frame; more are read in the background

DerivedKey ledger_key(DerivedKey::Tag tag, const Context& context, const LedgerPlace& place) {
  return DerivedKey(tag, {context.trace->generation(), place.choice.prefix(), place.choice.batch});
}

std::string norm_name(const Document& document) { return document.norm_kind == "rms" ? tr("RMSNorm") : tr("LayerNorm"); }

bool is_part(Kind kind) { return kind == Kind::head || kind == Kind::bias; }
bool is_total(Kind kind) { return kind == Kind::before || kind == Kind::attention || kind == Kind::after; }
bool is_cross(const LayerLedger::Row& row) { return row.prefix.ends_with("cross."); }

std::string sign_of(const LayerLedger::Row& row, bool begins) {
  switch (row.kind) {
    case Kind::embedding: return {};
    case Kind::before: return begins ? "" : "=";
    case Kind::dropped: return "−";
    case Kind::attention: return "Σ";
    case Kind::after: return "=";
    default: return "+";
  }
}

std::string name_of(const LayerLedger::Row& row, const Document& document) {
  switch (row.kind) {
    case Kind::embedding: return tr("token");
    case Kind::position: return tr("position");
    case Kind::before: return tr("E before");
    case Kind::dropped: return tr("no residual sum");
    case Kind::head: return fill(is_cross(row) ? tr("ΔE cross head {}") : tr("ΔE head {}"), {std::to_string(row.head)});
    case Kind::bias: return is_cross(row) ? tr("cross biases") : tr("biases");
    case Kind::attention: return is_cross(row) ? tr("ΔE cross-attention") : tr("ΔE attention");
    case Kind::feed_forward: return tr("feed-forward");
    case Kind::norm: return fill(tr("by {}"), {norm_name(document)});
    case Kind::after: return tr("E after");
  }
  return {};
}

// What stands where a head names the token it looked at.
std::string instead_of(const LayerLedger::Row& row) {
  if (row.kind == Kind::head) return tr("all keys masked");
  return row.kind == Kind::bias || row.kind == Kind::feed_forward || row.kind == Kind::norm ? tr("no other token") : "";
}

// "E before + 8 heads + biases + feed-forward = E after".
std::string check_words(const LayerLedger& ledger, const Document& document) {
  std::vector<std::string> parts;
  std::int64_t heads = 0;
  bool biases = false, fed = false, norms = false;
  bool keeps = true;
  for (const LayerLedger::Row& row : ledger.rows) {
    heads += row.kind == Kind::head ? 1 : 0;
    biases |= row.kind == Kind::bias;
    fed |= row.kind == Kind::feed_forward;
    norms |= row.kind == Kind::norm;
    if (row.kind == Kind::dropped) keeps = false;
  }
  if (keeps) parts.push_back(tr("E before"));
  if (keeps || !fed) parts.push_back(heads == 1 ? std::string(tr("1 head")) : fill(tr("{} heads"), {std::to_string(heads)}));
  if (biases && (keeps || !fed)) parts.push_back(tr("biases"));
  if (fed) parts.push_back(tr("feed-forward"));
  if (norms) parts.push_back(norm_name(document));
  std::string words;
  for (const std::string& part : parts) words += (words.empty() ? "" : " + ") + part;
  return words + " = " + tr("E after");
}

std::string label_at(const std::vector<std::string>& labels, std::int64_t index) {
  return index >= 0 && index < static_cast<std::int64_t>(labels.size()) ? labels[static_cast<std::size_t>(index)] : std::string();
}

}  // namespace

std::shared_ptr<const LayerLedger> ledger_of(const Context& context, const LedgerPlace& place, std::string* error) {
  const auto trace = context.trace;
  const std::int64_t d = trace->document().d_model;
  return derived_value<LayerLedger>(
      context, ledger_key("values/ledger", context, place).add(place.stack).add(place.query), d * d, kAtOnce,
      [trace, stack = place.stack, layer = place.layer(), batch = place.choice.batch,
       query = place.query](const CancelToken& cancel) { return layer_ledger(*trace, stack, layer, batch, query, cancel); },
      error);
}

std::shared_ptr<const WeightedValues> grid_of(const Context& context, const LedgerPlace& place, std::string* error) {
  const auto trace = context.trace;
  const State& state = context.view.own.of<State>();
  const AttentionSite& site = *place.choice.site;
  const std::int64_t d = trace->document().d_model;
  return derived_value<WeightedValues>(
      context, ledger_key("values/grid", context, place).add(place.choice.head).add(state.first).add(state.dimensions),
      d * d + site.queries * site.keys + site.queries * d, kAtOnce,
      [trace, prefix = site.prefix, batch = place.choice.batch, head = place.choice.head, first = state.first,
       count = state.dimensions](const CancelToken& cancel) -> Result<WeightedValues> {
        const AttentionSite* const own = find_site(*trace, prefix);
        return weighted_values(*trace, *own, batch, head, first, count, cancel);
      },
      error);
}

std::int64_t row_of_head(const LayerLedger& ledger, const std::string& prefix, std::int64_t head) {
  for (std::size_t i = 0; i < ledger.rows.size(); ++i)
    if (ledger.rows[i].kind == Kind::head && ledger.rows[i].prefix == prefix && ledger.rows[i].head == head)
      return static_cast<std::int64_t>(i);
  return -1;
}

figures::LedgerInput ledger_input(const Context& context, const LedgerPlace& place, const LayerLedger& ledger) {
  figures::LedgerInput input;
  const Trace& trace = *context.trace;
  const State& state = context.view.own.of<State>();
  double running = 0;
  input.total_range = input.part_range = 0;
  for (const LayerLedger::Row& row : ledger.rows) {
    figures::LedgerInput::Row line;
    line.sign = sign_of(row, input.rows.empty());
    line.name = name_of(row, trace.document());
    if (row.changed) line.name = fill(tr("{}, changed"), {line.name});
    line.total = is_total(row.kind);
    line.part = is_part(row.kind);
    line.rule = !input.rows.empty() && is_total(row.kind);
    if (!input.rows.empty() && is_total(ledger.rows[input.rows.size() - 1].kind)) line.rule = true;
    line.instead = instead_of(row);
    if (row.key >= 0) {
      AttentionChoice of_row = place.choice;
      of_row.site = find_site(trace, row.prefix);
      line.key = label_at(column_labels(context, of_row), row.key);
      line.hue = static_cast<int>(row.key % 12);
      line.weight = row.weight;
    }
    line.vector = {row.vector.begin(), row.vector.end()};
    line.length = row.length;
    line.cosine = row.cosine;
    line.running = row.running;
    line.before = is_total(row.kind) ? row.running : running;
    running = row.running;
    if (row.kind == Kind::before) input.start = row.length;
    float& range = line.part ? input.part_range : input.total_range;
    for (const float v : line.vector) range = std::max(range, std::abs(v));
    input.rows.push_back(std::move(line));
  }
  input.one_scale = state.one_scale;
  if (state.one_scale) input.total_range = std::max(input.total_range, input.part_range);
  const auto d = static_cast<std::int64_t>(ledger.rows.front().vector.size());
  input.first = std::clamp<std::int64_t>(state.first, 0, d - 1);
  input.count = std::clamp<std::int64_t>(state.dimensions, 1, d - input.first);
  char number[32];
  std::snprintf(number, sizeof number, "%.1e", one_nan(ledger.difference));
  input.good = ledger.adds_up();
  input.check = input.good ? check_words(ledger, trace.document())
                           : fill(tr("The rows do not add up within rounding to what {} computed."), {trace.backend_label()});
  input.difference = fill(tr("max difference {}"), {number});
  input.current = row_of_head(ledger, place.choice.prefix(), place.choice.head);
  input.note = random_note(trace, place.choice.prefix() + "q");
  return input;
}

figures::WeightedGridInput grid_input(const Context& context, const LedgerPlace& place, const LayerLedger& ledger,
                                      const WeightedValues& values) {
  figures::WeightedGridInput input;
  input.queries = row_labels(context, place.choice);
  input.keys = column_labels(context, place.choice);
  input.query_axis = tr("query");
  input.key_axis = tr("key (is attended to)");
  input.shown_queries.resize(input.queries.size());
  std::iota(input.shown_queries.begin(), input.shown_queries.end(), std::int64_t{0});
  input.shown_keys.resize(input.keys.size());
  std::iota(input.shown_keys.begin(), input.shown_keys.end(), std::int64_t{0});
  input.weights = values.weights;
  input.mask = site_mask(*place.choice.site, place.choice.batch, place.choice.head);
  input.values = values.values;
  input.by_distance = values.by_distance;
  input.clip = values.clip;
  input.sums = values.sums;
  input.before = values.before;
  input.changed = values.changed;
  input.first = values.first;
  const figures::LedgerInput whole = ledger_input(context, place, ledger);
  input.part_range = whole.one_scale ? whole.total_range : whole.part_range;
  input.total_range = whole.total_range;
  input.current = place.query;
  input.title = fill(tr("Head {}: weight × value"), {std::to_string(place.choice.head)});
  input.note = fill(tr("row = query, column = key; strip = weight × v W_O, {} to {}"),
                    {std::to_string(values.first), std::to_string(values.first + values.count - 1)});
  return input;
}

void fit_grid(figures::WeightedGridInput& input, const figures::GridRoom& room) {
  const auto queries = static_cast<std::int64_t>(input.queries.size()), keys = static_cast<std::int64_t>(input.keys.size());
  if (queries > room.rows) {
    const std::int64_t first = std::clamp<std::int64_t>(input.current - room.rows + 2, 0, queries - room.rows);
    input.shown_queries.resize(static_cast<std::size_t>(room.rows));
    std::iota(input.shown_queries.begin(), input.shown_queries.end(), first);
  }
  if (keys <= room.columns) return;
  // One column is kept for all the others together.
  const auto keep = static_cast<std::ptrdiff_t>(std::max<std::int64_t>(1, room.columns - 1));
  const auto weight = [&](std::int64_t key) { return input.weights.at({input.current, key}); };
  std::partial_sort(input.shown_keys.begin(), input.shown_keys.begin() + keep, input.shown_keys.end(),
                    [&](std::int64_t a, std::int64_t b) { return weight(a) != weight(b) ? weight(a) > weight(b) : a < b; });
  input.shown_keys.resize(static_cast<std::size_t>(keep));
  sort_stably(input.shown_keys);
}

std::int64_t shown_dimension(const Context& context, const LedgerPlace& place, const WeightedValues& values) {
  const std::int64_t dimension = context.view.own.of<State>().dimension, chosen = dimension - values.first;
  if (dimension >= 0 && chosen >= 0 && chosen < values.count) return chosen;
  std::int64_t best = 0;
  for (std::int64_t c = 0; c < values.count; ++c)
    if (std::abs(values.sums.at({place.query, c})) > std::abs(values.sums.at({place.query, best}))) best = c;
  return best;
}

figures::DimensionSumInput dimension_input(const Context& context, const LedgerPlace& place, const WeightedValues& values,
                                           std::int64_t dimension, std::size_t most) {
  figures::DimensionSumInput input;
  const std::vector<std::string> names = column_labels(context, place.choice);
  input.title = fill(tr("Dimension {} of {}"),
                     {std::to_string(values.first + dimension), label_at(row_labels(context, place.choice), place.query)});
  std::vector<std::int64_t> order;
  double weights = 0;
  const std::int64_t keys = values.weights.dim(1);
  for (std::int64_t key = 0; key < keys; ++key) {
    const double w = values.weights.at({place.query, key});
    weights += w;
    if (w > 0) order.push_back(key);
    input.sum += w * values.value(place.query, key, dimension);
  }
  sort_stably(order, [&](std::int64_t a, std::int64_t b) {
    return values.weights.at({place.query, a}) > values.weights.at({place.query, b});
  });
  for (std::size_t i = most; i < order.size(); ++i) {
    input.others += values.weights.at({place.query, order[i]}) * values.value(place.query, order[i], dimension);
    ++input.other_keys;
  }
  if (order.size() > most) order.resize(most);
  sort_stably(order);
  for (const std::int64_t key : order)
    input.rows.push_back({label_at(names, key), static_cast<int>(key % 12), values.weights.at({place.query, key}),
                          values.value(place.query, key, dimension)});
  char sum[32];
  std::snprintf(sum, sizeof sum, "%.6f", one_nan(weights));
  input.words = {values.changed
                     ? std::string(tr("an intervention puts another number in the ledger"))
                     : fill(tr("the same number stands in row ΔE head {} of the ledger"), {std::to_string(place.choice.head)}),
                 fill(tr("weights sum to {}"), {sum})};
  return input;
}

}  // namespace headlight::views::values
