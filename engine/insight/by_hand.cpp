#include "engine/insight/by_hand.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace headlight::by_hand {
namespace {

std::string size_of(const Table& table) { return "[" + std::to_string(table.rows) + ", " + std::to_string(table.columns) + "]"; }

// `masked`: minus infinity is a masked cell.
Status check_numbers(const std::string& name, const Table& table, bool masked) {
  for (std::int64_t r = 0; r < table.rows; ++r)
    for (std::int64_t c = 0; c < table.columns; ++c)
      if (!std::isfinite(table.at(r, c)) && !(masked && table.at(r, c) < 0))
        return usage_error("row {}, column {} is no finite number", r, c).at(name).mend("give a number");
  return {};
}

Status check_table(const std::string& name, const Table& table) {
  if (table.rows < 1 || table.columns < 1 || table.rows > kMostRows || table.columns > kMostColumns)
    return usage_error("this table is {}", size_of(table))
        .at(name)
        .mend("by hand a table has 1 to {} rows and 1 to {} columns", kMostRows, kMostColumns);
  return {};
}

Table empty_table(std::int64_t rows, std::int64_t columns) {
  return {rows, columns, std::vector<double>(static_cast<std::size_t>(rows * columns))};
}

Result<Table> product(const Table& a, const std::string& a_name, const Table& b, const std::string& b_name) {
  if (a.columns != b.rows)
    return usage_error("it has {} rows and {} has {} columns", b.rows, a_name, a.columns).at(b_name).mend("make them equal");
  Table y = empty_table(a.rows, b.columns);
  for (std::int64_t r = 0; r < y.rows; ++r)
    for (std::int64_t c = 0; c < y.columns; ++c)
      for (std::int64_t i = 0; i < a.columns; ++i) y.at(r, c) += a.at(r, i) * b.at(i, c);
  return y;
}

Table transposed(const Table& a) {
  Table y = empty_table(a.columns, a.rows);
  for (std::int64_t r = 0; r < y.rows; ++r)
    for (std::int64_t c = 0; c < y.columns; ++c) y.at(r, c) = a.at(c, r);
  return y;
}

// One row of weights. At temperature 0 the keys with the largest score share; at infinity all visible ones.
void soften(Table& weights, std::int64_t row, const Worked& worked, double temperature) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (std::int64_t c = 0; c < weights.columns; ++c)
    if (worked.visible(row, c)) largest = std::max(largest, weights.at(row, c));
  for (std::int64_t c = 0; c < weights.columns; ++c) {
    const double below = weights.at(row, c) - largest;
    double& weight = weights.at(row, c);
    if (!worked.visible(row, c))
      weight = 0;
    else if (temperature == 0)
      weight = below == 0 ? 1 : 0;
    else
      weight = std::isinf(temperature) ? 1 : std::exp(below / temperature);
    sum += weight;
  }
  if (sum == 0) return;  // nothing may be seen
  for (std::int64_t c = 0; c < weights.columns; ++c) weights.at(row, c) /= sum;
}

}  // namespace

Result<Worked> work(const Case& hand, bool finite) {
  Worked worked;
  worked.hides_later = hand.hides_later;
  const bool given_scores = hand.inputs.contains("scores");
  const auto check = [&](const std::string& stage, const Table& table) {
    const bool masked = given_scores && (stage == "scores" || stage == "divided");
    return finite ? check_numbers(stage, table, masked) : Status();
  };
  const auto has = [&](const std::string& stage) { return worked.stages.contains(stage); };
  const auto of = [&](const std::string& stage) -> const Table& { return worked.stages.at(stage); };
  // A stage with the numbers that are held in it.
  const auto put = [&](const std::string& stage, Table table) -> Status {
    for (const Case::Held& held : hand.held) {
      if (held.stage != stage) continue;
      if (held.row < 0 || held.row >= table.rows || held.column < 0 || held.column >= table.columns || !std::isfinite(held.value))
        return usage_error("row {}, column {} cannot be held in {}", held.row, held.column, size_of(table))
            .at(stage)
            .mend("hold a finite number in a cell that is there");
      table.at(held.row, held.column) = held.value;
    }
    HL_TRY(check(stage, table));  // products of large numbers may have none
    worked.stages[stage] = std::move(table);
    return {};
  };

  for (const auto& [name, table] : hand.inputs) {
    HL_TRY(check_table(name, table));
    HL_TRY(check(name, table));
    worked.stages[name] = table;
  }
  if (given_scores) {
    const std::vector<double>& numbers = of("scores").numbers;
    worked.masked_scores = std::find(numbers.begin(), numbers.end(), -Worked::kInfinity) != numbers.end();
  }
  if (has("source"))
    for (const char* stage : {"k", "v"}) HL_TRY(put(stage, of("source")));
  const std::pair<const char*, const char*> projections[] = {{"q", "wq"}, {"k", "wk"}, {"v", "wv"}};
  for (const auto& [stage, matrix] : projections) {
    if (has(stage) || !has("x") || !has(matrix)) continue;
    HL_ASSIGN(Table made, product(of("x"), "x", of(matrix), matrix));
    HL_TRY(put(stage, std::move(made)));
  }

  if (!has("scores")) {
    if (!has("q") || !has("k"))
      return usage_error("there are no scores, and nothing to make them of")
          .at("scores")
          .mend("give scores, or q and k, or x with wq and wk, or q and source");
    if (of("q").columns != of("k").columns)
      return usage_error("it has {} columns and q has {}", of("k").columns, of("q").columns).at("k").mend("make them equal");
    HL_ASSIGN(Table scores, product(of("q"), "q", transposed(of("k")), "k"));
    HL_TRY(put("scores", std::move(scores)));
  }
  Table divided = of("scores");
  if (hand.divided && !has("k"))
    return usage_error("there is no k, by whose width the scores could be divided")
        .at("divided")
        .mend("give q and k, or leave it out");
  if (hand.divided)
    for (double& score : divided.numbers) score /= std::sqrt(static_cast<double>(of("k").columns));
  HL_TRY(put("divided", std::move(divided)));

  if (!(hand.temperature >= 0))
    return usage_error("the temperature is {}", std::to_string(hand.temperature))
        .at("temperature")
        .mend("give a number from 0 to infinity");
  Table weights = of("divided");
  for (std::int64_t row = 0; row < weights.rows; ++row) soften(weights, row, worked, hand.temperature);
  HL_TRY(put("weights", std::move(weights)));
  if (!has("v")) return worked;
  HL_ASSIGN(Table output, product(of("weights"), "weights", of("v"), "v"));
  HL_TRY(put("output", std::move(output)));
  return worked;
}

std::vector<std::array<std::int64_t, 2>> misprints(const Entry& entry, const std::string& stage, const Table& worked) {
  std::vector<std::array<std::int64_t, 2>> found;
  const auto printed = entry.printed.find(stage);
  if (printed == entry.printed.end()) return found;
  const bool same_size = printed->second.rows == worked.rows && printed->second.columns == worked.columns;
  const double unit = std::pow(10.0, -entry.digits);
  for (std::int64_t r = 0; r < worked.rows; ++r)
    for (std::int64_t c = 0; c < worked.columns; ++c)
      if (!same_size || std::llround(worked.at(r, c) / unit) != std::llround(printed->second.at(r, c) / unit))
        found.push_back({r, c});
  return found;
}

}  // namespace headlight::by_hand
