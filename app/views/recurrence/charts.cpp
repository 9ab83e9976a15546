// The charts of the Recurrence view: influence by distance, gradients by steps back, losses while learning, the matrix of a state
// space, and the times of its two ways.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/derived_value.h"
#include "app/views/recurrence/data.h"
#include "engine/backends/backends.h"
#include "engine/bench/benches.h"
#include "engine/insight/residual_stream.h"
#include "engine/recurrence/side_by_side.h"

namespace headlight::views::recurrent {
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kGradientSteps = 100;
constexpr std::int64_t kChartAtOnce = 1 << 19;
constexpr double kMeasuredSeconds = 0.3;  // of both ways at one length

// The hues of the kinds in every chart; attention has the bracket's blue.
int hue_of_kind(const std::string& kind) { return kind == "rnn" ? 4 : kind == "lstm" ? 2 : kind == "esn" ? 5 : 6; }
constexpr int kAttentionHue = 1;

std::shared_ptr<const std::vector<double>> influence_of(const Context& context, const Reading& state,
                                                        const recurrence::Learner& learner) {
  const std::string& kind = learner.network().settings.kind;
  if (state.net && state.net->network.settings.kind == kind && state.learner && state.learner->steps() == learner.steps())
    return std::make_shared<const std::vector<double>>(state.net->influence);
  const std::int64_t units = learner.network().settings.units, symbols = learner.network().symbols;
  const std::function<Result<std::vector<double>>(const CancelToken&)> make =
      [network = learner.network(), tokens = state.text.symbols](const CancelToken& cancel) -> Result<std::vector<double>> {
    HL_ASSIGN(const recurrence::Unfolded unfolded, recurrence::unfold(network, tokens, cancel));
    return recurrence::influence(network, unfolded, static_cast<std::int64_t>(tokens.size()) - 1, cancel);
  };
  return derived_value<std::vector<double>>(context, DerivedKey("recurrence/influence", {state.key, kind, learner.steps()}),
                                            state.text.count() * units * units * (units + symbols), kChartAtOnce, make, nullptr);
}

// By distance from the last token instead of by place.
std::vector<double> turned(const std::vector<double>& by_place) { return {by_place.rbegin(), by_place.rend()}; }

}  // namespace

figures::CurvesInput reach_input(const Context& context, const Reading& state, bool* complete) {
  figures::CurvesInput input;
  input.title = tr("Influence on the last state");
  input.x_axis = tr("tokens back");
  input.y_axis = tr("‖∂h_T / ∂x_t‖");
  input.y_log = true;
  input.points = state.text.count() <= 40;
  for (std::int64_t t = 0; t < state.text.count(); ++t) input.x.push_back(static_cast<double>(t));
  for (const recurrence::Kind& kind : recurrence::kinds().entries()) {
    const auto learner = newest_learner(context, state, kind.id);
    const auto values = learner ? influence_of(context, state, *learner) : nullptr;
    if (complete) *complete = *complete && values;
    input.curves.push_back(
        {tr(kind.label.c_str()), values ? turned(*values) : std::vector<double>(), hue_of_kind(kind.id), false});
  }
  const std::int64_t last = state.text.count() - 1;
  const auto symbols = static_cast<std::int64_t>(state.text.names.size());
  const auto attention = context.derived.now<std::vector<double>>(
      DerivedKey("recurrence/attention influence", {state.key}), [&](const CancelToken&) -> Result<std::vector<double>> {
        return recurrence::attention_influence(state.text.symbols, symbols, context.view.own.of<State>().units,
                                               context.document.seed, last);
      });
  input.curves.push_back(
      {tr("attention (random)"), attention.value ? turned(*attention.value) : std::vector<double>(), kAttentionHue, true});
  input.hot = last - state.selected;
  input.note =
      state.learner && state.learner->steps() > 0
          ? fill(tr("learnt from this text in {} steps; attention has random weights"), {std::to_string(state.learner->steps())})
          : fill(tr("random weights, seed {}"), {std::to_string(context.document.seed)});
  return input;
}

std::string reach_words(const Reading& state, const figures::CurvesInput& input) {
  const auto back = static_cast<std::size_t>(std::max<std::int64_t>(0, input.hot));
  std::string words =
      fill(tr("{}, {} back:"), {state.text.labels[static_cast<std::size_t>(state.selected)], std::to_string(back)});
  for (const figures::CurvesInput::Curve& curve : input.curves)
    if (back < curve.y.size() && std::isfinite(curve.y[back]))
      words += " " + curve.label + " " + short_number(curve.y[back]) + ",";
  words.pop_back();
  return words;
}

std::string reach_sentence(const Reading& state) {
  const std::vector<double>& influence = state.net->influence;
  const std::int64_t last = state.text.count() - 1;
  const auto at = static_cast<std::size_t>(state.selected);
  if (last < 0 || at >= influence.size()) return {};
  const std::string& word = state.text.labels[at];
  if (state.selected == last)
    return fill(tr("{} is read last. Point at a word before it: how much of it does the last state still hold?"), {word});
  const double whole = influence[static_cast<std::size_t>(last)];
  if (!(whole > 0)) return {};
  return fill(
      tr("{0} is token {1} of {2}, read one after the other. A change of it still moves the last state {3} times as far as "
         "a change of the last token does; attention looks back in one step."),
      {word, std::to_string(state.selected + 1), std::to_string(last + 1), short_number(influence[at] / whole)});
}

figures::CurvesInput gradient_input(const Context& context, const Reading& state) {
  figures::CurvesInput input;
  const double times = context.view.own.of<State>().weights_times;
  input.title = tr("Vanishing, exploding");
  input.x_axis = tr("steps back");
  input.y_axis = tr("length");
  input.y_log = true;
  for (std::int64_t n = 0; n <= kGradientSteps; ++n) input.x.push_back(static_cast<double>(n));
  const auto symbols = static_cast<std::int64_t>(state.text.names.size());
  std::vector<double> scales = {1.0};
  if (times != 1.0) scales.push_back(times);
  for (const char* id : {"rnn", "lstm"})
    for (const double scale : scales) {
      recurrence::Settings settings;
      settings.kind = id;
      settings.units = context.view.own.of<State>().units;
      settings.seed = context.document.seed;
      settings.scale = scale;
      const auto lengths = context.derived.now<std::vector<double>>(
          DerivedKey("recurrence/gradient", {state.key, id, scale}),
          [&](const CancelToken& cancel) -> Result<std::vector<double>> {
            HL_ASSIGN(const recurrence::Network network, recurrence::draw(settings, symbols));
            return recurrence::gradient_lengths(network, kGradientSteps, cancel);
          });
      const std::string label = tr(recurrence::kinds().find(id)->label.c_str());
      std::vector<double> y;
      if (lengths.value) y = *lengths.value;
      // What no axis can hold is left out, as a length of zero is.
      for (double& one : y)
        if (one < 1e-30 || (one > 1e30 && std::isfinite(one))) one = 0;
      input.curves.push_back(
          {scale == 1.0 ? label : label + " × " + short_number(scale), std::move(y), hue_of_kind(id), scale != 1.0});
    }
  input.note = fill(tr("random weights and tokens, seed {}"), {std::to_string(context.document.seed)});
  return input;
}

namespace {

// Two attention layers that have learnt the text for `steps` steps, or the last known ones, which go on from there.
struct LastAttention {
  DerivedKey key;
  std::shared_ptr<const recurrence::AttentionLearner> learner;
};
std::shared_ptr<const recurrence::AttentionLearner> attention_of(const Context& context, const Reading& state, std::int64_t steps,
                                                                 bool* complete) {
  std::shared_ptr<const recurrence::AttentionLearner> from;
  LastAttention* const last = context.transient ? &context.transient->of<LastAttention>() : nullptr;
  if (last && last->key != state.key) *last = {state.key, nullptr};
  if (last) from = last->learner;
  const auto symbols = static_cast<std::int64_t>(state.text.names.size());
  const std::int64_t width = context.view.own.of<State>().units, count = state.text.count();
  const recurrence::AttentionSettings settings{width, false, context.document.seed};
  const std::function<Result<recurrence::AttentionLearner>(const CancelToken&)> make =
      [settings, symbols, steps, from,
       tokens = state.text.symbols](const CancelToken& cancel) -> Result<recurrence::AttentionLearner> {
    const auto go_on = [&](recurrence::AttentionLearner learner) -> Result<recurrence::AttentionLearner> {
      while (learner.steps() < steps) HL_TRY(learner.step(cancel));
      return learner;
    };
    if (from && from->steps() <= steps) return go_on(*from);
    HL_ASSIGN(const recurrence::AttentionNetwork network, recurrence::draw(settings, symbols));
    HL_ASSIGN(recurrence::AttentionLearner learner, recurrence::AttentionLearner::begin(network, tokens, kLearnRate, cancel));
    return go_on(std::move(learner));
  };
  // Of a step: eight products of every token's row, the cells, the guesses, and twice as much for the gradients.
  const std::int64_t work = 3 * count * width * (8 * width + 2 * count + symbols) * std::max<std::int64_t>(1, steps);
  auto learner = derived_value<recurrence::AttentionLearner>(context, DerivedKey("recurrence/attention", {state.key, steps}),
                                                             work, kChartAtOnce, make, nullptr);
  if (complete) *complete = *complete && learner;
  if (!learner) return from;
  if (last) last->learner = learner;
  return learner;
}

}  // namespace

figures::CurvesInput learning_input(const Context& context, const Reading& state, bool* complete) {
  figures::CurvesInput input;
  input.title = tr("Loss while learning this text");
  input.x_axis = tr("step");
  input.y_axis = tr("sum of the losses, nat");
  input.y_from_zero = true;
  const std::int64_t steps = std::max<std::int64_t>(context.view.own.of<State>().learnt, 1);
  for (std::int64_t n = 0; n <= steps; ++n) input.x.push_back(static_cast<double>(n));
  for (const recurrence::Kind& kind : recurrence::kinds().entries()) {
    const auto learner = newest_learner(context, state, kind.id, complete);
    std::vector<double> y;
    if (learner) {
      y = learner->losses();
      // An echo state network has learnt all it can after one step.
      if (y.size() > input.x.size() || (!kind.trains && !y.empty())) y.resize(input.x.size(), y.back());
    }
    input.curves.push_back({tr(kind.label.c_str()), std::move(y), hue_of_kind(kind.id), false});
  }
  const auto attention =
      attention_of(context, state, std::clamp<std::int64_t>(context.view.own.of<State>().learnt, 0, kMostLearnt), complete);
  std::vector<double> y;
  if (attention) y = attention->losses();
  y.resize(std::min(y.size(), input.x.size()));
  input.curves.push_back({tr("two attention layers"), std::move(y), kAttentionHue, false});
  input.note = tr("Adam; the echo state network by one ridge regression");
  return input;
}

UnrolledState unrolled_state(const Context& context, const Reading& state) {
  UnrolledState out;
  const auto learner = newest_learner(context, state, "ssm");
  if (!learner) return out;
  const std::int64_t channel = std::min(context.view.own.of<State>().channel, learner->network().settings.units - 1);
  struct Made {
    Tensor matrix;
    double apart = 0;
    std::uint64_t bytes() const { return matrix.bytes(); }
  };
  const std::function<Result<Made>(const CancelToken&)> make = [network = learner->network(), tokens = state.text.symbols,
                                                                channel](const CancelToken& cancel) -> Result<Made> {
    HL_ASSIGN(const recurrence::Unfolded unfolded, recurrence::unfold(network, tokens, cancel));
    HL_ASSIGN(const Tensor matrix, recurrence::unrolled(network, unfolded, channel));
    Made made;
    for (std::int64_t i = 0; i < matrix.dim(0); ++i) {
      double y = 0;
      for (std::int64_t j = 0; j <= i; ++j) y += matrix.at({i, j}) * unfolded.delta_input.at({j, channel});
      made.apart = std::max(made.apart, std::abs(y - unfolded.hidden().at({i, channel})));
    }
    made.matrix = matrix.as(DType::f32).compact();
    return made;
  };
  const std::int64_t n = state.text.count();
  const auto made = derived_value<Made>(context, DerivedKey("recurrence/matrix", {state.key, channel, learner->steps()}),
                                        n * n * learner->network().settings.states * 8, kChartAtOnce, make, &out.error);
  if (!made) return out;
  out.matrix = std::shared_ptr<const Tensor>(made, &made->matrix);
  out.apart = made->apart;
  return out;
}

figures::HeatmapInput unrolled_input(const Context& context, const Reading& state, const UnrolledState& unrolled) {
  figures::HeatmapInput input;
  const std::int64_t n = state.text.count();
  input.values = *unrolled.matrix;
  input.mask = Tensor(DType::u8, {n, n}, {"step", "input"});
  double most = 0;
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      input.mask.data<std::uint8_t>()[i * n + j] = j <= i;
      most = std::max(most, std::abs(unrolled.matrix->at({i, j})));
    }
  if (n <= 20) input.row_labels = input.column_labels = state.text.labels;
  input.row_axis = tr("step i");
  input.column_axis = tr("input j");
  input.row_name = "step";
  input.column_name = "input";
  input.data_name = "matrix";
  input.title = fill(tr("M, channel {}"), {std::to_string(context.view.own.of<State>().channel)});
  input.colormap = "signed";
  input.high = static_cast<float>(std::max(most, 1e-6));
  input.low = -input.high;
  input.fit = figures::CellFit::square;
  input.most_cell = 200;
  input.quantity = tr("weight");
  input.legend = false;
  std::uint64_t key = 14695981039346656037ull;
  for (const float v : input.values.values<float>())
    key = (key ^ static_cast<std::uint64_t>(std::llround(v * 1e6))) * 1099511628211ull;
  input.key = key | 1;
  input.hot_row = n - 1;
  input.hot_column = state.selected;
  return input;
}

figures::HeatmapInput beside_input(const Context& context, const Reading& state) {
  figures::HeatmapInput input;
  if (!context.trace || !state.text.of_document || state.text.all > state.text.count()) return input;
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site || choice.site->rows_are_targets != choice.site->columns_are_targets || choice.site->rows_are_targets)
    return input;
  const Result<Tensor> weights =
      rows_of(*context.trace, context.trace->name_at(choice.prefix(), Role::weights), 0, choice.head, 0, state.text.count());
  if (!weights.ok()) return input;
  const std::int64_t n = state.text.count();
  const Tensor values = weights->as(DType::f32).compact();
  if (values.count() != n * n) return input;
  input.values = Tensor::of(std::vector<float>(values.data<float>(), values.data<float>() + n * n), {n, n});
  input.mask = site_mask(*choice.site, 0, choice.head);
  if (n <= 20) input.row_labels = input.column_labels = state.text.labels;
  input.title = attention_title(choice);
  input.colormap = context.view.colormap.empty() ? "viridis" : context.view.colormap;
  input.fit = figures::CellFit::square;
  input.most_cell = 200;
  input.legend = false;
  input.quantity = tr("weight");
  input.row_axis = tr("query");
  input.column_axis = tr("key");
  input.key = static_cast<std::uint64_t>(context.trace->generation()) * 1099511628211ull +
              std::hash<std::string>()(choice.prefix()) + static_cast<std::uint64_t>(choice.head) * 31;
  input.hot_row = n - 1;
  input.hot_column = state.selected;
  return input;
}

namespace {

struct TwoTimes {
  double scan = 0, matrix = 0;  // seconds
  double apart = 0;             // the largest difference of their outputs
};

Result<TwoTimes> two_times(std::int64_t states, std::int64_t length, const std::function<std::uint64_t()>& edits,
                           const CancelToken& cancel) {
  bench::Request request;
  HL_ASSIGN(request.backend, backends::open("cpu"));
  request.tokens = length;
  request.effort.seconds = kMeasuredSeconds;
  request.effort.least_rounds = 1;
  request.effort.disturbances = edits;
  HL_ASSIGN(const std::vector<bench::Row> rows, bench::scan_and_matrix(request, states, cancel));
  return TwoTimes{bench::percentile(rows[0].samples, 0.5), bench::percentile(rows[1].samples, 0.5),
                  rows[1].error ? rows[1].error->max_abs : 0};
}

// The slope of log y over log x by least squares; NaN below two points.
double exponent_of(const std::vector<double>& x, const std::vector<double>& y) {
  double n = 0, sx = 0, sy = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(y[i] > 0)) continue;
    const double a = std::log(x[i]), b = std::log(y[i]);
    n += 1, sx += a, sy += b, xx += a * a, xy += a * b;
  }
  return n < 2 ? kNothing : (n * xy - sx * sy) / (n * xx - sx * sx);
}

}  // namespace

ScanTimes scan_times(const Context& context, const Reading& state, std::size_t lengths) {
  ScanTimes out;
  figures::CurvesInput& input = out.input;
  input.title = tr("One channel: the scan against its matrix");
  input.x_axis = tr("tokens in the text, L");
  input.y_axis = tr("seconds");
  input.x_log = input.y_log = input.points = true;
  std::vector<double> scan, matrix;
  double apart = 0;
  const std::int64_t states = context.view.own.of<State>().states;
  for (const std::int64_t length : kScanLengths) {
    input.x.push_back(static_cast<double>(length));
    std::shared_ptr<const TwoTimes> known;
    if (!out.measuring && input.x.size() <= lengths) {
      const auto answer = context.derived.later<TwoTimes>(DerivedKey("recurrence/times", {states, length}),
                                                          [states, length, edits = context.edits](const CancelToken& cancel) {
                                                            return two_times(states, length, edits, cancel);
                                                          });
      known = answer.value;
      out.measuring = !known && !answer.error;
    }
    out.done += known != nullptr;
    if (known) apart = std::max(apart, known->apart);
    scan.push_back(known ? known->scan : kNothing);
    matrix.push_back(known ? known->matrix : kNothing);
  }
  if (out.done == input.x.size())
    out.words = fill(tr("time: scan L^{}, matrix L^{}; outputs differ by {} at most"),
                     {figures::cell_number(exponent_of(input.x, scan)), figures::cell_number(exponent_of(input.x, matrix)),
                      short_number(apart)});
  input.curves.push_back({tr("scan, O(L)"), std::move(scan), 6, false, true});
  input.curves.push_back({tr("matrix, O(L²)"), std::move(matrix), 3, false, true});
  input.note = fill(tr("{} states, in double, plain loops, on this CPU"), {std::to_string(states)});
  (void)state;
  return out;
}

std::vector<figures::NetworkForm> form_list() {
  return {{tr("one to many"),
           tr("one input, a sequence out: a caption for a picture"),
           {true, false, false, false},
           {true, true, true, true}},
          {tr("many to one"),
           tr("a sequence in, one answer at its end: what a review thinks of a film"),
           {true, true, true, true},
           {false, false, false, true}},
          {tr("many to many, at once"),
           tr("an output at every input: the next word, a word's class; the network in this view"),
           {true, true, true, true},
           {true, true, true, true}},
          {tr("many to many, one after the other"),
           tr("an encoder reads all, a decoder then writes: translation before attention"),
           {true, true, true, false, false},
           {false, false, true, true, true}}};
}

}  // namespace headlight::views::recurrent
