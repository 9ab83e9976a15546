// LayerNorm (Ba et al. 2016): y = gamma (x - mean) / sqrt(variance + epsilon) + beta over the last axis, biased variance.
// RMSNorm (Zhang and Sennrich 2019), which has no beta: y = gamma x / sqrt(mean of x^2 + epsilon).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "engine/backends/base/backend.h"
#include "engine/insight/operation_words.h"
#include "engine/operations/layer_norm.h"
#include "engine/operations/rms_norm.h"

namespace headlight::explaining {
namespace {

double epsilon_of(const Question& ask) {
  const operations::Operation* const operation = ask.trace.operation(ask.at.step);
  if (operation) {
    if (const auto* norm = operation->get_if<operations::RmsNorm>()) return norm->epsilon;
    if (const auto* norm = operation->get_if<operations::LayerNorm>()) return norm->epsilon;
  }
  return operations::LayerNorm{}.epsilon;
}

// "1e-5" and "10^{-5}".
std::pair<std::string, std::string> epsilon_words(double epsilon) {
  const int power = static_cast<int>(std::lround(std::log10(epsilon)));
  if (epsilon > 0 && std::abs(epsilon / std::pow(10.0, power) - 1) < 1e-6)
    return {"1e" + std::to_string(power), "10^{" + std::to_string(power) + "}"};
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", epsilon);
  return {text, text};
}

Result<Answer> write_norm(const Question& ask) {
  const std::string *from = ask.input(0), *gamma_name = ask.input(0, true), *beta_name = ask.input(1, true);
  if (!from || !gamma_name) return invalid("this step names no input and gamma").at(ask.at.step);
  const bool rms = ask.step.computed_by.is<operations::RmsNorm>();
  const double epsilon = epsilon_of(ask);
  const int last = static_cast<int>(ask.step.shape.size()) - 1;  // also of rows of q and k in their heads
  const std::int64_t c = ask.index(last);
  ValueAddress first{*from, ask.at.index}, own = first;
  first.index.back() = 0;
  const ValueAddress gamma_at{*gamma_name, {c}}, beta_at{beta_name ? *beta_name : std::string(), {c}};
  HL_ASSIGN(const std::vector<double> x, read_along(ask.trace, first, last));
  HL_ASSIGN(const double gamma, read(ask.trace, gamma_at));
  double beta = 0;
  if (beta_name) {
    HL_ASSIGN(beta, read(ask.trace, beta_at));
  }
  const auto n = static_cast<double>(x.size());
  double mean = 0, variance = 0, largest = 0;
  for (const double v : x) {
    mean += rms ? 0 : v / n;
    largest = std::max(largest, std::abs(v));
  }
  for (const double v : x) variance += (v - mean) * (v - mean) / n;
  const double deviation = std::sqrt(variance + epsilon), value = x[static_cast<std::size_t>(c)];
  const double standard = (value - mean) / deviation;
  Answer answer;
  answer.computed = gamma * standard + beta;
  // The mean of n numbers of magnitude up to `largest` has an error of n u largest, and so has each difference; their deviation
  // likewise.
  answer.tolerance = ask.unit * (n + 8) * (std::abs(gamma) * (largest / deviation + std::abs(standard)) + std::abs(beta));

  const auto [small, small_tex] = epsilon_words(epsilon);
  ExplainSection numbers{"with its numbers", {}};
  ExplainLine bars;
  bars.kind = ExplainLine::Kind::bars;
  bars.values = x;
  bars.axis = "c";
  bars.first = first;
  bars.running = last;
  numbers.lines.push_back(say(Tone::quiet, "the {} numbers of x at this position", {whole(static_cast<std::int64_t>(x.size()))}));
  numbers.lines.push_back(std::move(bars));
  if (rms) {
    numbers.lines.push_back(formula({sign("mean square = Σ_c x[c]²/d = ", "\\tfrac1d \\sum_c x_c^2 = "), number(variance)}));
    numbers.lines.push_back(
        formula({sign("√(mean square + " + small + ") = ", "\\sqrt{\\tfrac1d \\sum_c x_c^2 + " + small_tex + "} = "),
                 number(deviation)}));
    numbers.lines.push_back(formula({number(value, own), sign(" ÷ ", " / "), number(deviation), sign(" = "), number(standard)}));
    numbers.lines.push_back(
        formula({sign("gamma ", "\\gamma\\ "), number(gamma, gamma_at), sign(" · ", " \\cdot "), factor(standard)}));
  } else {
    numbers.lines.push_back(formula({sign("mean = Σ_c x[c]/d = ", "\\mu = \\tfrac1d \\sum_c x_c = "), number(mean)}));
    numbers.lines.push_back(
        formula({sign("variance = Σ_c (x[c]-mean)²/d = ", "\\sigma^2 = \\tfrac1d \\sum_c (x_c - \\mu)^2 = "), number(variance)}));
    numbers.lines.push_back(
        formula({sign("√(variance + " + small + ") = ", "\\sqrt{\\sigma^2 + " + small_tex + "} = "), number(deviation)}));
    numbers.lines.push_back(formula({sign("(", "("), number(value, own), sign(" - "), factor(mean), sign(") ÷ ", ") / "),
                                     number(deviation), sign(" = "), number(standard)}));
    std::vector<ExplainSpan> shifted{sign("gamma ", "\\gamma\\ "), number(gamma, gamma_at), sign(" · ", " \\cdot "),
                                     factor(standard)};
    if (beta_name) {
      shifted.push_back(sign(" + beta ", " + \\beta\\ "));
      shifted.push_back(factor(beta, beta_at));
    }
    numbers.lines.push_back(formula(std::move(shifted)));
  }
  numbers.lines.push_back(formula({sign("= "), number(answer.computed)}));
  const std::string x_name = own_name(*from);
  const ExplainSpan written = rms ? sign("y = gamma · x / √(mean of x² + " + small + ")",
                                         "y = \\gamma\\,\\frac{x}{\\sqrt{\\tfrac1d \\sum_c x_c^2 + " + small_tex + "}}")
                                  : sign("y = gamma · (x - mean) / √(variance + " + small + ") + beta",
                                         "y = \\gamma\\,\\frac{x - \\mu}{\\sqrt{\\sigma^2 + " + small_tex + "}} + \\beta");
  answer.sections = {{"formula",
                      {formula({written}), say(Tone::quiet, "x = {}, position {}, dimension {}",
                                               {name(x_name), whole(ask.index(last - 1)), whole(c)})}},
                     std::move(numbers)};
  if (rms)
    answer.sections[0].lines.push_back(
        say(Tone::quiet, "RMSNorm divides by the root of the mean square; no mean is taken off, and nothing is added"));
  if (const auto stored = stored_number(ask.trace, gamma_at); stored && stored->added != 0)
    answer.sections[0].lines.push_back(
        formula({sign("gamma = 1 + w, w = ", "\\gamma = 1 + w,\\ w = "), number(gamma - stored->added, gamma_at)}));
  return answer;
}

}  // namespace

const OperationWords layer_norm_words{write_norm};
const OperationWords rms_norm_words{write_norm};

}  // namespace headlight::explaining
