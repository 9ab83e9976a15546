#include "engine/insight/prediction_change.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/sorting.h"
#include "engine/insight/head_effects.h"
#include "engine/insight/residual_stream.h"

namespace headlight {
namespace {

Result<std::vector<double>> shares_at(const Trace& trace, std::int64_t position) {
  HL_ASSIGN(const Tensor row, rows_of(trace, trace.name_at("", Role::logits), 0, 0, position, 1));
  std::vector<double> shares = as_doubles(row);
  const double largest = *std::max_element(shares.begin(), shares.end());
  double sum = 0;
  for (double& one : shares) sum += one = std::exp(one - largest);
  for (double& one : shares) one /= sum;
  return shares;
}

}  // namespace

Result<PredictionChange> prediction_change(const Trace& before, const Trace& now, std::optional<std::int64_t> position,
                                           std::size_t count) {
  PredictionChange out;
  HL_ASSIGN(out.position, predicted_position(now, position));
  HL_ASSIGN(const std::int32_t best, most_probable(before, out.position));
  HL_ASSIGN(const TokenOutlook was, token_outlook(before, out.position, best));
  HL_ASSIGN(const TokenOutlook is, token_outlook(now, out.position, best));
  out.loss_before = was.loss;
  out.loss_now = is.loss;
  HL_ASSIGN(const std::vector<double> a, shares_at(before, out.position));
  HL_ASSIGN(const std::vector<double> b, shares_at(now, out.position));
  if (a.size() != b.size())
    return invalid("the two traces predict from different vocabularies").mend("compare one model with itself");
  std::vector<std::size_t> order(a.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto most = [&](std::size_t t) { return std::max(a[t], b[t]); };
  const auto listed = static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  std::partial_sort(order.begin(), order.begin() + listed, order.end(),
                    [&](std::size_t x, std::size_t y) { return most(x) != most(y) ? most(x) > most(y) : x < y; });
  order.resize(static_cast<std::size_t>(listed));
  sort_stably(order, [&](std::size_t x, std::size_t y) { return a[x] > a[y]; });
  const auto& sentence = now.targets().empty() ? now.texts()[0] : now.targets()[0];
  const auto tokenizer = now.targets().empty() ? now.tokenizer() : now.target_tokenizer();
  out.behind = sentence.labels[static_cast<std::size_t>(out.position)];
  out.others_before = out.others_now = 1;
  for (const std::size_t token : order) {
    out.words.push_back(
        {static_cast<std::int32_t>(token), tokenizer->display_text(static_cast<std::int32_t>(token)), a[token], b[token]});
    out.others_before -= a[token];
    out.others_now -= b[token];
  }
  return out;
}

}  // namespace headlight
