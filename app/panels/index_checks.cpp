// Beside the Index lab's times: the errors of both ways against double, and the notebook's table measured here.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "app/figures/compose.h"
#include "app/figures/table.h"
#include "app/figures/timing_bars.h"
#include "app/gl/figure_view.h"
#include "app/panels/index_lab.h"
#include "app/text/device_words.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/window/style.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

std::string error_words(const char* name, const bench::ErrorFigures& e) {
  char text[96];
  std::snprintf(text, sizeof text, "%.1e, %.1e, %.1e", e.mean_abs, e.max_abs, e.relative);
  return fill(tr("{}: mean, largest, relative {}"), {name, text});
}

// A figure, or why there is none yet.
struct Answer {
  figures::Figure figure;
  std::string words;
};

Answer errors_of(const Context& context, float width, float height) {
  if (!context.sweep) return {{}, tr("Nothing is measured here; open the window")};
  const std::string problem = lab_problem(context.view);
  if (!problem.empty()) return {{}, problem};
  const LabChoice choice = lab_choices(context).front();
  const bench::Request request = lab_request(context, choice);
  constexpr double kMostInDouble = 4e9;
  const bench::LabSizes one{1, static_cast<double>(request.length), static_cast<double>(request.vocab),
                            static_cast<double>(request.d)};
  if (!request.backend) return {{}, fill(tr("{} has no index-based attention"), {choice.device})};
  if (bench::written_flops(one) >= kMostInDouble)
    return {{}, tr("Too large to check in double while you wait: choose a smaller d or l")};
  const std::string key =
      "lab/errors/" + choice.backend + "/" + lab_sizes_words(context.view) + (context.view.lab_padding ? "/pad" : "");
  const auto h = context.derived.later<bench::ErrorHistogram>(
      key, [request](const CancelToken& cancel) { return bench::error_histogram(request, cancel); });
  if (!h.value) return {{}, h.error ? spoken(*h.error) : std::string(tr("computing …"))};
  figures::ErrorBarsInput input;
  input.first.assign(h.value->index.begin(), h.value->index.end());
  input.second.assign(h.value->direct.begin(), h.value->direct.end());
  input.lowest = bench::ErrorHistogram::kLowest;
  input.per_decade = bench::ErrorHistogram::kPerDecade;
  input.first_label = tr("index first");
  input.second_label = tr("as written");
  input.axis = tr("absolute error of a number of the result");
  input.note = lab_name(choice);
  input.lines = {error_words(tr("index first"), h.value->index_errors), error_words(tr("as written"), h.value->direct_errors)};
  return {figures::error_bars(input, width, height, context.theme, context.measure), {}};
}

Answer notebook_of(const Context& context, float width) {
  if (!context.sweep) return {{}, tr("Nothing is measured here; open the window")};
  const LabChoice choice = lab_choices(context).front();
  bench::Request book = lab_request(context, choice);
  if (!book.backend) return {{}, fill(tr("{} has no index-based attention"), {choice.device})};
  const bench::Request notebook_sizes;
  book.words = notebook_sizes.words;
  book.length = notebook_sizes.length;
  book.vocab = notebook_sizes.vocab;
  book.d = notebook_sizes.d;
  book.heads = notebook_sizes.heads;
  book.pad_index = notebook_sizes.pad_index;
  const auto rows = context.derived.later<LabRows>(
      "lab/notebook/" + choice.backend, [book, edits = context.edits](const CancelToken& cancel) mutable -> Result<LabRows> {
        book.stage.clear();
        book.mode = "per-call";
        book.variants = {"q:index", "q:direct", "qk:index", "qk:direct", "layer:index", "layer:notebook"};
        book.effort = {0.3, 3, edits};
        HL_ASSIGN(std::vector<bench::Row> measured, bench::isdpa(book, cancel));
        return lab_rows_of(std::move(measured));
      });
  if (!rows.value) return {{}, rows.error ? spoken(*rows.error) : std::string(tr("measuring …"))};
  figures::TableInput input;
  input.columns = {{"", false, false},        {tr("notebook"), false, true}, {"", false, true},
                   {tr("here"), false, true}, {tr("index"), false, true},    {"", false, true}};
  const auto median = [&](const std::string& variant) {
    for (const bench::Row& row : rows.value->rows)
      if (row.variant == variant) return bench::percentile(row.samples, 0.5);
    return 0.0;
  };
  const auto number = [](std::string text, double value) { return figures::TableInput::Cell{std::move(text), {}, 0, value}; };
  const auto ratio = [&](double a, double b) {
    char text[24];
    std::snprintf(text, sizeof text, "%.1f×", b > 0 ? a / b : 0);
    return number(text, b > 0 ? a / b : 0);
  };
  figures::Data data;
  data.name = "notebook";
  data.axes = {"row", "figure"};
  data.labels = {
      {}, {"notebook, direct, s", "notebook, index, s", "notebook, ratio", "here, direct, s", "here, index, s", "here, ratio"}};
  data.values = Tensor(DType::f64, {static_cast<std::int64_t>(std::size(bench::kNotebook)), 6}, {}, true);
  double* numbers = data.values.data<double>();
  for (const bench::NotebookRow& row : bench::kNotebook) {
    const std::string id = row.id;
    const double direct = median(id + (id == "layer" ? ":notebook" : ":direct")), index = median(id + ":index");
    char theirs[48];
    std::snprintf(theirs, sizeof theirs, "%.2f/%.2f s", row.direct_s, row.index_s);
    input.rows.push_back({{tr(row.label)},
                          number(theirs, row.direct_s),
                          ratio(row.direct_s, row.index_s),
                          number(figures::time_text(direct), direct),
                          number(figures::time_text(index), index),
                          ratio(direct, index)});
    data.labels[0].emplace_back(row.id);
    const auto over = [](double a, double b) { return b > 0 ? a / b : 0; };
    for (const double value : {row.direct_s, row.index_s, over(row.direct_s, row.index_s), direct, index, over(direct, index)})
      *numbers++ = value;
  }
  input.note = fill(tr("notebook: 10,000 repetitions on its GPU, as written / index; here: one call on {}, the tables made in "
                       "every call"),
                    {device_words(book.backend->device().label)});
  Answer answer{figures::table(input, width, context.theme, context.measure), {}};
  answer.figure.title = tr("The notebook's table on this machine");
  answer.figure.data = {std::move(data)};
  return answer;
}

void draw_answer(Context& context, const window::Look& look, const char* id, Answer answer, float width,
                 const std::function<figures::Figure()>& paper) {
  if (answer.words.empty())
    draw_lab_figure(context, id, std::move(answer.figure), paper);
  else
    lab_words(context, look, answer.words, look.theme.secondary, 14, width);
}

}  // namespace

figures::Figure lab_errors_figure(const Context& context, float width, float height) {
  return errors_of(context, width, height).figure;
}
figures::Figure lab_notebook_figure(const Context& context, float width) { return notebook_of(context, width).figure; }

void draw_lab_errors(Context& context, const window::Look& look, float width, float height) {
  window::words(look, tr("Errors of the result against float64"), look.theme.text, window::kBody);
  draw_answer(context, look, "errors", errors_of(context, width, std::clamp(height - 30, 220.0f, 420.0f)), width,
              [&] { return lab_errors_figure(context, 720, 420); });
}

void draw_lab_notebook(Context& context, const window::Look& look, float width, float) {
  window::words(look, tr("The notebook's table on this machine"), look.theme.text, window::kBody);
  draw_answer(context, look, "notebook", notebook_of(context, width), width, [&] { return lab_notebook_figure(context, 720); });
}

}  // namespace headlight::panels
