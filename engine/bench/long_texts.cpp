// Methods for long texts over one head, nothing kept, and recurrent layers beside them: their times by the length of the text,
// what they count, and how far the methods' outputs are from full attention's.
#include <algorithm>
#include <cmath>
#include <map>

#include "engine/attention/long_texts/method.h"
#include "engine/bench/benches.h"
#include "engine/core/rng.h"
#include "engine/recurrence/channel.h"
#include "engine/recurrence/layer.h"

namespace headlight::bench {
namespace {

constexpr int kSets = 2;

Tensor normal(const Request& r, const char* name, int set, DType real) {
  const Rng rng(static_cast<std::uint64_t>(set + 1), name);
  Tensor t(DType::f64, {r.tokens, r.d}, {}, true);
  for (std::int64_t i = 0; i < r.tokens; ++i)
    for (std::int64_t c = 0; c < r.d; ++c)
      t.data<double>()[i * r.d + c] =
          static_cast<float>(rng.normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(c)));
  return t.as(real);
}

struct Prepared {
  const long_texts::Entry* entry = nullptr;
  std::shared_ptr<long_texts::Method> method;
  Tensor out;
};

bool is_asked_for(const Request& r, const std::string& variant) {
  return r.variants.empty() || std::find(r.variants.begin(), r.variants.end(), variant) != r.variants.end();
}

// rnn, lstm and ssm over the queries' rows: d numbers in, d units.
Status add_layers(const Request& r, const std::vector<long_texts::Rows>& sets, const CancelToken& cancel,
                  std::vector<Contender>& contenders) {
  const DType real = r.backend->dtype();
  for (const char* kind : {"rnn", "lstm", "ssm"}) {
    if (!is_asked_for(r, kind)) continue;
    recurrence::Settings settings;
    settings.kind = kind;
    settings.units = r.d;
    settings.states = kMeasuredStates;
    HL_ASSIGN(const recurrence::Network network, recurrence::draw(settings, r.d));
    const std::shared_ptr<recurrence::Layer> layer = recurrence::Layer::of(network, real);
    Row row = row_of(r, "long", kind, "per-call");
    row.sizes = {{"tokens", r.tokens}, {"d", r.d}};
    row.cells = 0;
    row.flops = layer->flops() * static_cast<double>(r.tokens);
    row.bytes = static_cast<double>(size_of(real)) * (layer->weights() + 2 * static_cast<double>(r.tokens * r.d));
    const auto out = std::make_shared<Tensor>(real, Shape{r.tokens, r.d});
    contenders.push_back({std::move(row), [&sets, layer, out, cancel](int round) {
                            return layer->run(sets[static_cast<std::size_t>(round % kSets)].q, *out, cancel);
                          }});
    contenders.back().warm_up = 1;
  }
  return {};
}

Result<std::vector<Row>> measured(const Request& r, bool with_layers, const CancelToken& cancel) {
  const DType real = r.backend->dtype();
  HL_TRY(check_fits(r, {{r.tokens, 8 * r.d}, {r.tokens, 1024}}));
  const long_texts::Task task{r.tokens, r.d, false, 1 / std::sqrt(static_cast<double>(r.d)), 1};
  std::vector<long_texts::Rows> sets;
  for (int set = 0; set < kSets; ++set)
    sets.push_back({normal(r, "long.q", set, real), normal(r, "long.k", set, real), normal(r, "long.v", set, real)});
  std::vector<Prepared> all;
  for (const long_texts::Entry& entry : long_texts::registry().entries()) {
    if (!is_asked_for(r, entry.id)) continue;
    if (!all.empty() && r.effort.over()) {
      all.push_back({&entry, nullptr, {}});
      continue;
    }
    HL_ASSIGN(auto method, long_texts::prepare(entry, *r.backend, entry.for_length(r.tokens), task));
    all.push_back({&entry, std::move(method), Tensor(real, {r.tokens, r.d})});
  }
  std::vector<Contender> contenders;
  for (Prepared& one : all) {
    Row row = row_of(r, "long", one.entry->id, "per-call");
    row.sizes = {{"tokens", r.tokens}, {"d", r.d}};
    if (!one.method) {
      contenders.push_back({std::move(row)});
      continue;
    }
    const operations::Cost cost = one.method->cost();
    row.flops = cost.flops;
    row.bytes = cost.bytes;
    row.cells = one.method->cells();
    contenders.push_back({std::move(row), [&, method = one.method.get(), out = &one.out](int round) {
                            return method->run(sets[static_cast<std::size_t>(round % kSets)], *out, cancel);
                          }});
    contenders.back().warm_up = 1;
  }
  const std::size_t methods = contenders.size();
  if (with_layers) HL_TRY(add_layers(r, sets, cancel, contenders));
  // The methods' outputs of the first set, beside full attention's.
  const long_texts::Entry& full = *long_texts::registry().find("full");
  HL_ASSIGN(const auto exact, long_texts::prepare(full, *r.backend, {}, task));
  Tensor expected(real, {r.tokens, r.d});
  if (!r.effort.over()) HL_TRY(exact->run(sets[0], expected, cancel));
  for (std::size_t i = 0; i < methods && !r.effort.over(); ++i) {
    if (!all[i].method) continue;
    HL_TRY(all[i].method->run(sets[0], all[i].out, cancel));
    contenders[i].row.error = errors_of(all[i].out, expected.as(DType::f64));
  }
  HL_ASSIGN(std::vector<Row> rows, measure(std::move(contenders), r.effort, cancel, r.progress));
  return rows;
}

}  // namespace

Result<std::vector<Row>> long_texts(const Request& r, const CancelToken& cancel) { return measured(r, false, cancel); }

Result<std::vector<Row>> long_texts_and_layers(const Request& r, const CancelToken& cancel) {
  return measured(r, r.d <= recurrence::kMostUnits, cancel);
}

Result<std::vector<Row>> scan_and_matrix(const Request& r, std::int64_t states, const CancelToken& cancel) {
  HL_TRY(check_fits(r, {{r.tokens, 2 * r.tokens}, {r.tokens, 6 * states}}));
  const auto channel = std::make_shared<recurrence::Channel>(recurrence::drawn_channel(r.tokens, states, 1));
  struct Outputs {
    std::vector<double> scan, matrix;
  };
  const auto outputs = std::make_shared<Outputs>();
  const auto contender = [&](const char* variant, std::function<Status(int)> run) {
    Row row = row_of(r, "scan", variant, "per-call");
    row.precision = name_of(DType::f64);
    row.sizes = {{"tokens", r.tokens}, {"states", states}};
    Contender one{std::move(row), std::move(run)};
    one.warm_up = 1;
    return one;
  };
  std::vector<Contender> contenders;
  contenders.push_back(contender("scan", [=](int) -> Status {
    HL_ASSIGN(outputs->scan, recurrence::scan(*channel, cancel));
    return {};
  }));
  contenders.push_back(contender("matrix", [=](int) -> Status {
    HL_ASSIGN(const Tensor matrix, recurrence::matrix_of(*channel, cancel));
    outputs->matrix = recurrence::matrix_times(matrix, channel->u);
    return {};
  }));
  // Of a step: every state decays (3), takes in (3) and is read (2). Of a cell: every state's exponential, two products and a
  // sum.
  const auto t = static_cast<double>(r.tokens), s = static_cast<double>(states);
  contenders[0].row.flops = t * (8 * s + 1);
  contenders[1].row.flops = t * (t + 1) / 2 * (5 * s + 4);
  HL_ASSIGN(std::vector<Row> rows, measure(std::move(contenders), r.effort, cancel, r.progress));
  rows.back().error = errors_of(Tensor::of(outputs->matrix, {r.tokens}), Tensor::of(outputs->scan, {r.tokens}));
  return rows;
}

void fit_exponents(std::vector<Row>& rows) {
  struct Sums {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  };
  std::map<std::string, Sums> by_variant;
  const auto length_of = [](const Row& row) { return row.sizes.empty() ? 0.0 : static_cast<double>(row.sizes.front().second); };
  for (const Row& row : rows) {
    const double seconds = percentile(row.samples, 0.5), length = length_of(row);
    if (seconds <= 0 || length < kFittedFrom) continue;
    Sums& s = by_variant[row.variant];
    const double x = std::log(length), y = std::log(seconds);
    s.n += 1;
    s.x += x;
    s.y += y;
    s.xx += x * x;
    s.xy += x * y;
  }
  for (Row& row : rows) {
    const Sums& s = by_variant[row.variant];
    const double spread = s.n * s.xx - s.x * s.x;
    if (s.n >= 2 && spread > 0) row.exponent = (s.n * s.xy - s.x * s.y) / spread;
  }
}

}  // namespace headlight::bench
