#include "app/cli/recurrence_runs.h"

#include <algorithm>
#include <cstdio>

#include "app/cli/output.h"
#include "engine/backends/backends.h"
#include "engine/bench/benches.h"
#include "engine/core/json.h"

namespace headlight::cli {
namespace {

constexpr std::int64_t kFirstLength = 64, kLastLength = 4096;
constexpr double kSecondsALength = 0.3;

template <class... Values>
std::string recurrence_runs_format(const char* how, Values... values) {
  char text[256];
  std::snprintf(text, sizeof text, how, values...);
  return text;
}

bool is_shown(std::int64_t step, std::int64_t steps) { return step == steps || (step & (step - 1)) == 0; }

}  // namespace

Result<std::string> scan_times(std::int64_t states, bool json, const CancelToken& cancel) {
  bench::Request request;
  HL_ASSIGN(request.backend, backends::open("cpu"));
  request.effort.seconds = kSecondsALength;
  request.effort.least_rounds = 1;
  std::vector<bench::Row> rows;
  for (request.tokens = kFirstLength; request.tokens <= kLastLength; request.tokens *= 2) {
    HL_ASSIGN(const std::vector<bench::Row> of_length, bench::scan_and_matrix(request, states, cancel));
    rows.insert(rows.end(), of_length.begin(), of_length.end());
  }
  bench::fit_exponents(rows);
  double apart = 0;
  for (const bench::Row& row : rows) apart = std::max(apart, row.error ? row.error->max_abs : 0);
  if (json) {
    Json lines = Json::array();
    for (const bench::Row& row : rows)
      lines.push_back(Json::object({{"variant", row.variant},
                                    {"tokens", row.sizes.front().second},
                                    {"states", states},
                                    {"seconds", bench::percentile(row.samples, 0.5)},
                                    {"flops", row.flops},
                                    {"exponent", row.exponent.value_or(0)}}));
    return Json::object({{"times", std::move(lines)}, {"difference", apart}}).dump() + "\n";
  }
  std::string text = "one channel of " + std::to_string(states) +
                     " states, in double: the recurrence step by step, and y = M u\n" + "  steps         scan       matrix\n";
  for (std::size_t i = 0; i + 1 < rows.size(); i += 2)
    text += recurrence_runs_format("%7lld %12s %12s\n", static_cast<long long>(rows[i].sizes.front().second),
                                   duration(bench::percentile(rows[i].samples, 0.5)).c_str(),
                                   duration(bench::percentile(rows[i + 1].samples, 0.5)).c_str());
  return text +
         recurrence_runs_format(
             "exponent of the length, from %.0f steps on: scan %.2f, matrix %.2f; largest difference of their outputs %.2g\n",
             bench::kFittedFrom, rows[0].exponent.value_or(0), rows[1].exponent.value_or(0), apart);
}

Result<std::string> compared_learning(const recurrence::SideBySideSettings& settings, const std::vector<std::string>& labels,
                                      const std::vector<std::int64_t>& symbols, std::int64_t steps, bool json,
                                      const CancelToken& cancel) {
  const std::int64_t different = *std::max_element(symbols.begin(), symbols.end()) + 1;
  HL_ASSIGN(recurrence::SideBySide training, recurrence::SideBySide::begin(settings, symbols, different, cancel));
  for (std::int64_t step = 0; step < steps; ++step) HL_TRY(training.step(cancel));
  const std::vector<recurrence::LearningCurve> curves = training.curves();
  if (json) {
    Json lines = Json::array();
    for (std::size_t i = 0; i < curves.size(); ++i)
      lines.push_back(Json::object({{"id", curves[i].id},
                                    {"label", curves[i].label},
                                    {"parameters", curves[i].parameters},
                                    {"losses", Json(curves[i].losses)},
                                    {"right", training.right(i)}}));
    return Json::object({{"tokens", Json(labels)}, {"steps", steps}, {"asked", training.asked()}, {"curves", std::move(lines)}})
               .dump() +
           "\n";
  }
  std::string text = std::to_string(labels.size()) + " tokens, " + std::to_string(different) + " different, " +
                     std::to_string(settings.units) + " units, Adam at a rate of " + recurrence_runs_format("%g", settings.rate) +
                     ", seed " + std::to_string(settings.seed) + "\nsum of the losses, nat\n   step";
  for (const recurrence::LearningCurve& curve : curves) text += recurrence_runs_format("  %27s", curve.label.c_str());
  text += "\n";
  for (std::int64_t step = 0; step <= steps; ++step) {
    if (!is_shown(step, steps)) continue;
    text += recurrence_runs_format("%7lld", static_cast<long long>(step));
    for (const recurrence::LearningCurve& curve : curves)
      text += recurrence_runs_format("  %27.4f", curve.losses[static_cast<std::size_t>(step)]);
    text += "\n";
  }
  text += "numbers";
  for (const recurrence::LearningCurve& curve : curves)
    text += recurrence_runs_format("  %27lld", static_cast<long long>(curve.parameters));
  text += "\nright  ";
  for (std::size_t i = 0; i < curves.size(); ++i)
    text +=
        recurrence_runs_format("  %27s", (std::to_string(training.right(i)) + " of " + std::to_string(training.asked())).c_str());
  return text + "\nright: tokens that are expected as the most probable ones\n";
}

}  // namespace headlight::cli
