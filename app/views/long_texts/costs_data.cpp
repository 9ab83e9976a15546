// What each method costs by the length of the text: operations that are counted, or times that are measured here.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/widgets.h"
#include "app/views/long_texts/data.h"
#include "engine/backends/backends.h"
#include "engine/bench/benches.h"
#include "engine/recurrence/layer.h"
#include "engine/text/grouped_number.h"

namespace headlight::views::long_range {
namespace {

using Of = figures::LongCostsInput::Of;
constexpr int kLayerGroup = 3;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kMeasuredSeconds = 0.8;  // all methods at one length

// The layers that read one token after the other, whose lines the chart has besides those of the registry's methods.
constexpr std::array<const char*, 3> kLayers = {"rnn", "lstm", "ssm"};

struct CostsAt {
  std::vector<double> first, bytes;  // operations or seconds; by the registry's entries, then by kLayers
};

Result<std::unique_ptr<recurrence::Layer>> layer_of(const char* kind, std::int64_t d) {
  recurrence::Settings settings;
  settings.kind = kind;
  settings.units = d;
  settings.states = bench::kMeasuredStates;
  HL_ASSIGN(const recurrence::Network network, recurrence::draw(settings, d));
  return recurrence::Layer::of(network, DType::f32);
}

Result<CostsAt> operations_at(std::int64_t tokens, std::int64_t d, const CancelToken& cancel) {
  HL_ASSIGN(const auto backend, backends::open("cpu"));
  CostsAt costs;
  for (const long_texts::Entry& entry : long_texts::registry().entries()) {
    if (cancel.cancelled()) return cancelled();
    const long_texts::Task task{tokens, d, false, 1, 1};
    HL_ASSIGN(const auto method, long_texts::prepare(entry, *backend, entry.for_length(tokens), task));
    const operations::Cost cost = method->cost();
    costs.first.push_back(cost.flops);
    costs.bytes.push_back(cost.bytes);
  }
  for (const char* kind : kLayers) {
    if (d > recurrence::kMostUnits) break;
    HL_ASSIGN(const auto layer, layer_of(kind, d));
    const auto numbers = static_cast<double>(2 * tokens * d);
    costs.first.push_back(layer->flops() * static_cast<double>(tokens));
    costs.bytes.push_back(static_cast<double>(size_of(DType::f32)) * (layer->weights() + numbers));
  }
  return costs;
}

Result<CostsAt> times_at(std::int64_t tokens, std::int64_t d, const std::function<std::uint64_t()>& edits,
                         const CancelToken& cancel) {
  bench::Request request;
  HL_ASSIGN(request.backend, backends::open("cpu"));
  request.tokens = tokens;
  request.d = d;
  request.effort.seconds = kMeasuredSeconds;
  request.effort.least_rounds = 1;
  request.effort.disturbances = edits;
  HL_ASSIGN(const std::vector<bench::Row> rows, bench::long_texts_and_layers(request, cancel));
  CostsAt times;
  const auto take = [&](const std::string& id) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const bench::Row& one) { return one.variant == id; });
    times.first.push_back(row == rows.end() || row->samples.empty() ? kUnknown : bench::percentile(row->samples, 0.5));
  };
  for (const long_texts::Entry& entry : long_texts::registry().entries()) take(entry.id);
  for (const char* kind : kLayers) take(kind);
  return times;
}

// The slope of log y over log length, from 512 tokens on, as `headlight bench long` fits it.
void fit_lines(figures::LongCostsInput& input) {
  std::vector<bench::Row> rows;
  for (const auto& line : input.lines)
    for (std::size_t i = 0; i < input.lengths.size(); ++i) {
      if (!(line.y[i] > 0)) continue;
      bench::Row row;
      row.variant = line.id;
      row.sizes = {{"tokens", std::llround(input.lengths[i])}};
      row.samples = {line.y[i]};
      rows.push_back(std::move(row));
    }
  bench::fit_exponents(rows);
  for (auto& line : input.lines) {
    line.exponent = kUnknown;
    for (const bench::Row& row : rows)
      if (row.variant == line.id && row.exponent) line.exponent = *row.exponent;
  }
}

// y at `tokens` on a line between the measured lengths, both axes logarithmic; NaN outside them.
double between(const std::vector<double>& lengths, const std::vector<double>& y, double tokens) {
  for (std::size_t i = 1; i < lengths.size(); ++i) {
    if (tokens > lengths[i] || tokens < lengths[i - 1] || !(y[i] > 0) || !(y[i - 1] > 0)) continue;
    const double share = std::log(tokens / lengths[i - 1]) / std::log(lengths[i] / lengths[i - 1]);
    return y[i - 1] * std::pow(y[i] / y[i - 1], share);
  }
  return kUnknown;
}

// From which length on `line` lies below `full` to the end; 0: nowhere, or everywhere.
double crossing_of(const std::vector<double>& lengths, const std::vector<double>& full, const std::vector<double>& line) {
  for (std::size_t i = lengths.size(); i-- > 1;) {
    if (!(line[i] > 0) || !(full[i] > 0) || !(line[i - 1] > 0) || !(full[i - 1] > 0)) continue;
    const double now = std::log(line[i] / full[i]), before = std::log(line[i - 1] / full[i - 1]);
    if (now >= 0) return 0;
    if (before < 0) continue;
    return lengths[i - 1] * std::pow(lengths[i] / lengths[i - 1], before / (before - now));
  }
  return 0;
}

void add_guides(figures::LongCostsInput& input, double d) {
  // A multiply-add counts as two. Of times: at the rate at which full attention computes the longest text. Bytes have no such
  // lines: a method reads and writes fewer numbers than it multiplies.
  double each = 2;
  if (input.of == Of::bytes) return;
  if (input.of == Of::seconds) {
    const auto& full = input.lines.front().y;
    std::size_t last = full.size();
    while (last > 0 && !(full[last - 1] > 0)) --last;
    if (last == 0) return;
    each = full[last - 1] / (input.lengths[last - 1] * input.lengths[last - 1] * d);
  }
  const auto add = [&](const char* label, double of_length, double of_d) {
    auto& guide = input.guides.emplace_back();
    guide.label = label;
    for (const double length : input.lengths) guide.y.push_back(each * std::pow(length, of_length) * std::pow(d, of_d));
  };
  add("L² d", 2, 1);
  add("L d²", 1, 2);
  add("L d", 1, 1);
}

void add_words(figures::LongCostsInput& input, const LongState& state) {
  input.tokens = static_cast<double>(state.tokens);
  const std::string length = text::grouped_number(state.tokens);
  double least = 0;
  std::string fastest;
  for (const auto& line : input.lines) {
    const double here = between(input.lengths, line.y, input.tokens);
    if (!(here > 0) || (least > 0 && here >= least)) continue;
    least = here;
    fastest = line.label;
  }
  if (input.tokens < input.lengths.front())
    input.here = fill(tr("your text, L = {}, is shorter than these"), {length});
  else if (input.tokens > input.lengths.back())
    input.here = fill(tr("your text, L = {}, is longer than these →"), {length});
  else if (fastest.empty())
    input.here = fill(tr("your text, L = {}"), {length});
  else
    input.here = fill(input.of == Of::seconds ? tr("your text, L = {}: fastest {}") : tr("your text, L = {}: fewest {}"),
                      {length, fastest});
  const auto chosen = std::find_if(input.lines.begin(), input.lines.end(), [](const auto& line) { return line.selected; });
  if (chosen == input.lines.end()) return;
  input.crossing = crossing_of(input.lengths, input.lines.front().y, chosen->y);
  if (input.crossing > 0)
    input.crossing_words = fill(input.of == Of::seconds ? tr("faster than full from L = {}") : tr("fewer than full from L = {}"),
                                {text::grouped_number(std::llround(input.crossing))});
}

void name_costs(figures::LongCostsInput& input, std::int64_t d) {
  const bool seconds = input.of == Of::seconds, bytes = input.of == Of::bytes;
  input.title = seconds ? tr("Time against length") : bytes ? tr("Bytes against length") : tr("Operations against length");
  input.note = fill(seconds ? tr("one head, d = {}, nothing kept, on this CPU; dots measured, at the end: the exponent of L")
                    : bytes ? tr("one head, d = {}, read and written once, counted; at the end: the exponent of L")
                            : tr("one head, d = {}, counted; at the end: the exponent of L"),
                    {std::to_string(d)});
  input.x_axis = tr("tokens in the text, L");
  input.y_axis = seconds ? tr("time of one call") : bytes ? tr("bytes of one call") : tr("operations of one call");
}

}  // namespace

LongCosts long_costs(const Context& context, const LongState& state, Of of, std::size_t lengths) {
  LongCosts costs;
  figures::LongCostsInput& input = costs.input;
  input.of = of;
  const bool seconds = of == Of::seconds;
  const std::int64_t d = std::max<std::int64_t>(1, state.task.d);
  for (const long_texts::Entry& entry : long_texts::registry().entries())
    input.lines.push_back(
        {entry.id, tr(entry.label.c_str()), static_cast<int>(entry.group), {}, kUnknown, entry.id == state.entry().id});
  for (const char* kind : kLayers)
    if (d <= recurrence::kMostUnits)
      input.lines.push_back({kind, tr(recurrence::kinds().find(kind)->label.c_str()), kLayerGroup, {}, kUnknown, false});
  for (const std::int64_t length : kLongLengths) {
    input.lengths.push_back(static_cast<double>(length));
    const DerivedKey key("long/costs", {seconds, d, length});
    std::shared_ptr<const CostsAt> known;
    // Times are measured one length after the other, so that no two disturb each other and an edit waits for one at most.
    if (!costs.measuring && costs.error.empty() && (!seconds || input.lengths.size() <= lengths)) {
      const auto answer = context.derived.later<CostsAt>(
          key, [length, d, seconds, edits = context.edits](const CancelToken& cancel) -> Result<CostsAt> {
            return seconds ? times_at(length, d, edits, cancel) : operations_at(length, d, cancel);
          });
      known = answer.value;
      if (answer.error) costs.error = spoken_in_window(*answer.error);
      if (!known && !answer.error && seconds) costs.measuring = true;
    }
    costs.done += known != nullptr;
    for (std::size_t i = 0; i < input.lines.size(); ++i)
      input.lines[i].y.push_back(!known ? kUnknown : of == Of::bytes ? known->bytes[i] : known->first[i]);
  }
  fit_lines(input);
  add_guides(input, static_cast<double>(d));
  add_words(input, state);
  name_costs(input, d);
  return costs;
}

}  // namespace headlight::views::long_range
