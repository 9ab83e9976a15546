// The checks of the Index lab: the errors of both methods against double, and the notebook's table measured here.
#include <cstdio>
#include <limits>
#include <utility>

#include "app/figures/charts/table.h"
#include "app/text/device_words.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/views/index/data.h"

namespace headlight::views::lab {
namespace {

std::string error_words(const char* name, const bench::ErrorFigures& e) {
  char text[96];
  std::snprintf(text, sizeof text, "%.1e, %.1e, %.1e", e.mean_abs, e.max_abs, e.relative);
  return fill(tr("{}: mean, largest, relative {}"), {name, text});
}

figures::TableInput::Cell text_cell(std::string text, double value) { return {std::move(text), {}, 0, value}; }

std::string error_text(double error) {
  char text[24];
  std::snprintf(text, sizeof text, "%.1e", error);
  // In the notebook's notation: "6.4e-6".
  std::string words = text;
  if (const std::size_t zero = words.find("e-0"); zero != std::string::npos) words.erase(zero + 2, 1);
  return words;
}

}  // namespace

Found<figures::ErrorBarsInput> errors_of(const Context& context) {
  if (!sweep_of(context)) return {nullptr, tr("Nothing is measured here; open the window")};
  const std::string problem = problem_of(state_of(context));
  if (!problem.empty()) return {nullptr, problem};
  const Choice choice = shown_choice(context);
  const bench::Request request = request_of(context, choice);
  constexpr double kMostInDouble = 4e9;
  const bench::LabSizes one{1, static_cast<double>(request.length), static_cast<double>(request.vocab),
                            static_cast<double>(request.d)};
  if (!request.backend) return {nullptr, fill(tr("{} has no index-based attention"), {choice.device})};
  if (bench::written_flops(one) >= kMostInDouble)
    return {nullptr, tr("Too large to check in double while you wait: choose a smaller d or l")};
  const DerivedKey key("lab/errors", {choice.backend, key_of(state_of(context))});
  const auto h = context.derived.later<bench::ErrorHistogram>(
      key, [request](const CancelToken& cancel) { return bench::error_histogram(request, cancel); });
  if (!h.value) return {nullptr, h.error ? spoken(*h.error) : std::string(tr("computing …"))};
  figures::ErrorBarsInput input;
  input.first.assign(h.value->index.begin(), h.value->index.end());
  input.second.assign(h.value->direct.begin(), h.value->direct.end());
  input.lowest = bench::ErrorHistogram::kLowest;
  input.per_decade = bench::ErrorHistogram::kPerDecade;
  input.first_label = tr("index first");
  input.second_label = tr("as written");
  input.axis = tr("absolute error of a number of the result");
  input.note = name_of(choice);
  input.lines = {error_words(tr("index first"), h.value->index_errors), error_words(tr("as written"), h.value->direct_errors)};
  return {std::make_shared<const figures::ErrorBarsInput>(std::move(input)), {}};
}

Found<NotebookHere> notebook_of(const Context& context) {
  if (!sweep_of(context)) return {nullptr, tr("Nothing is measured here; open the window")};
  const Choice choice = shown_choice(context);
  bench::Request book = request_of(context, choice);
  if (!book.backend) return {nullptr, fill(tr("{} has no index-based attention"), {choice.device})};
  const auto backend = book.backend;
  book = {};
  book.backend = backend;
  const auto made = context.derived.later<NotebookHere>(
      DerivedKey("lab/notebook", {choice.backend}),
      [book, edits = context.edits, device = backend->device().label,
       patience = sweep_of(context)->machine().patience](const CancelToken& cancel) mutable -> Result<NotebookHere> {
        book.mode = "per-call";
        book.variants = {"q:index", "q:direct", "qk:index", "qk:direct", "layer:index", "layer:notebook"};
        book.effort = {0.3 * patience, 3, edits};
        HL_ASSIGN(std::vector<bench::Row> measured, bench::isdpa(book, cancel));
        HL_ASSIGN(const bench::StageDifferences between, bench::stage_differences(book, cancel));
        return NotebookHere{rows_of(std::move(measured)), between, device};
      });
  if (!made.value) return {nullptr, made.error ? spoken(*made.error) : std::string(tr("measuring …"))};
  return {made.value, {}};
}

figures::Figure table_of(const NotebookHere& made, float width, const figures::Theme& theme,
                         const figures::TextMeasure& measure) {
  const auto row_of = [&](const std::string& variant) -> const bench::Row* {
    for (const bench::Row& row : made.times.rows)
      if (row.variant == variant && !row.samples.empty()) return &row;
    return nullptr;
  };
  const auto median = [](const bench::Row* row) { return row ? bench::percentile(row->samples, 0.5) : 0.0; };
  // All times of a table in the same unit.
  const bench::Row* const slowest = row_of("layer:notebook");
  const bool milli = median(slowest) >= 1e-3;
  const auto time = [&](double seconds) {
    char text[24];
    const double value = seconds * (milli ? 1e3 : 1e6);
    std::snprintf(text, sizeof text, value < 999.5 ? "%.3g" : "%.0f", value);
    return text_cell(text, seconds);
  };
  figures::TableInput input;
  input.columns = {{fill(tr("{} a call"), {milli ? "ms" : "µs"}), false, false},
                   {tr("as written"), false, true},
                   {tr("index first"), false, true},
                   {tr("speed-up"), false, true},
                   {tr("difference"), false, true},
                   {tr("error"), false, true}};
  figures::Data data;
  data.name = "notebook";
  data.axes = {"row", "figure"};
  data.labels = {{},
                 {"as written, s a call", "index first, s a call", "speed-up", "mean |index first - as written|",
                  "mean |index first - float64|"}};
  std::vector<double> numbers;
  const auto add = [&](const std::string& name, double direct, double index, double difference, double error, bool misprint) {
    const double speed = index > 0 ? direct / index : 0;
    input.rows.push_back({{name},
                          time(direct),
                          time(index),
                          text_cell(ratio_text(direct, index), speed),
                          text_cell(error_text(difference) + (misprint ? "*" : ""), difference),
                          text_cell(error > 0 ? error_text(error) : std::string("–"), error)});
    if (misprint) input.rows.back()[4].tone = figures::TableInput::Tone::wrong;
    input.rows.back()[0].tone = error > 0 ? figures::TableInput::Tone::plain : figures::TableInput::Tone::quiet;
    data.labels[0].push_back(name);
    for (const double value : {direct, index, speed, difference, error > 0 ? error : std::numeric_limits<double>::quiet_NaN()})
      numbers.push_back(value);
  };
  const bench::StageDifferences& between = made.between;
  for (const bench::NotebookRow& row : bench::kNotebook) {
    const std::string id = row.id;
    const bool layer = id == "layer";
    const std::string stage = id == "qk" ? "QKᵀ, V" : tr(row.label);
    add(fill(tr("{}, notebook"), {stage}), row.direct_s / bench::kNotebookRepetitions, row.index_s / bench::kNotebookRepetitions,
        row.error, 0, layer);
    const bench::Row* const index = row_of(id + ":index");
    add(fill(tr("{}, here"), {stage}), median(row_of(id + (layer ? ":notebook" : ":direct"))), median(index),
        layer        ? between.layer
        : id == "qk" ? between.qk
                     : between.q,
        index && index->error ? index->error->mean_abs : 0, false);
  }
  data.values = Tensor::of(numbers, {static_cast<std::int64_t>(data.labels[0].size()), 5});
  const bench::Request sizes;
  input.note =
      fill(tr("Here: {}, medians of one call, the tables made in every call. Notebook: its GPU's time for 10,000 calls, "
              "divided by them. W = {}, l = {}, n = {}, d = {}, float32. Difference: mean between both ways; error: mean of "
              "index first against float64."),
           {device_words(made.device), std::to_string(sizes.words), std::to_string(sizes.length), std::to_string(sizes.vocab),
            std::to_string(sizes.d)}) +
      " " +
      fill(tr("* The notebook prints the figure of QKᵀ once more, by mistake: of the layer's result the difference is {}."),
           {error_text(between.layer)}) +
      " " +
      tr("It also writes W_M^Q where W_P^K is meant, and timed without a warm-up or a wait for the GPU, with gradients "
         "recorded.");
  figures::Figure figure = figures::table(input, width, theme, measure);
  figure.title = tr("The notebook's table on this machine");
  figure.data = {std::move(data)};
  return figure;
}

figures::Figure errors_figure(const Context& context, float width, float height) {
  const auto found = errors_of(context);
  return found.input ? figures::error_bars(*found.input, width, height, context.theme, context.measure) : figures::Figure{};
}
figures::Figure notebook_figure(const Context& context, float width, float) {
  const auto found = notebook_of(context);
  return found.input ? table_of(*found.input, width, context.theme, context.measure) : figures::Figure{};
}

}  // namespace headlight::views::lab
