// Changes of a case by hand: one number, a held one, and a table that is pasted.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/insight/by_hand.h"

namespace headlight::by_hand {
namespace {

auto held_at(const std::string& stage, std::int64_t row, std::int64_t column) {
  return [&stage, row, column](const Case::Held& one) { return one.stage == stage && one.row == row && one.column == column; };
}

// Where the next cell of a line ends: at a tab, a semicolon, a comma that a blank follows, or a blank.
std::vector<std::string> cells_of(std::string_view line) {
  const bool tabs = line.find('\t') != std::string_view::npos, semicolons = line.find(';') != std::string_view::npos;
  const std::string_view separators = tabs ? "\t" : semicolons ? ";" : " ,";
  std::vector<std::string> cells;
  std::string cell;
  for (const char c : line) {
    if (separators.find(c) == std::string_view::npos) {
      if (c != ' ' && c != '\r') cell += c;
      continue;
    }
    if (tabs || semicolons || !cell.empty()) cells.push_back(std::exchange(cell, {}));
  }
  if (tabs || semicolons || !cell.empty()) cells.push_back(cell);
  return cells;
}

}  // namespace

Result<double> number_from(std::string_view text, const std::string& where) {
  std::string trimmed(text);
  std::erase(trimmed, ' ');
  std::replace(trimmed.begin(), trimmed.end(), ',', '.');
  const char* begin = trimmed.c_str();
  if (*begin == '+') ++begin;
  const char* const end = trimmed.c_str() + trimmed.size();
  double value = 0;
  const auto [stop, problem] = std::from_chars(begin, end, value);
  if (problem != std::errc() || stop != end || begin == end)
    return usage_error("'" + std::string(text) + "' is no number", where, "give a number such as 1, -0.5 or 2e-3");
  if (!std::isfinite(value)) return usage_error("'" + std::string(text) + "' is no finite number", where, "give a finite number");
  return value;
}

Result<Table> table_from_text(std::string_view text, const std::string& where) {
  Table table;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::vector<std::string> cells = cells_of(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (cells.empty()) continue;
    const auto columns = static_cast<std::int64_t>(cells.size());
    if (table.rows == 0) table.columns = columns;
    if (columns != table.columns)
      return usage_error("row " + std::to_string(table.rows) + " has " + std::to_string(columns) + " numbers and row 0 has " +
                             std::to_string(table.columns),
                         where, "give every row as many");
    if (columns > kMostColumns || table.rows == kMostRows)
      return usage_error(
          "this is no table of at most " + std::to_string(kMostRows) + " rows and " + std::to_string(kMostColumns) + " columns",
          where, "paste fewer numbers");
    for (std::size_t c = 0; c < cells.size(); ++c) {
      HL_ASSIGN(const double value,
                number_from(cells[c], where + ", row " + std::to_string(table.rows) + ", column " + std::to_string(c)));
      table.numbers.push_back(value);
    }
    ++table.rows;
  }
  if (table.rows == 0) return usage_error("there is no number to paste", where, "copy a table of numbers first");
  return table;
}

bool is_held(const Case& hand, const std::string& stage, std::int64_t row, std::int64_t column) {
  return std::any_of(hand.held.begin(), hand.held.end(), held_at(stage, row, column));
}

Case released(Case hand, const std::string& stage, std::int64_t row, std::int64_t column) {
  std::erase_if(hand.held, held_at(stage, row, column));
  return hand;
}

Result<Case> with_number(const Case& hand, const std::string& stage, std::int64_t row, std::int64_t column, double value) {
  HL_ASSIGN(const Worked worked, work(hand));
  const auto shown = worked.stages.find(stage);
  if (shown == worked.stages.end() || row < 0 || row >= shown->second.rows || column < 0 || column >= shown->second.columns)
    return usage_error("there is no row " + std::to_string(row) + ", column " + std::to_string(column), stage,
                       "choose a cell that is there");
  Case changed = hand;
  const bool of_source = (stage == "k" || stage == "v") && hand.inputs.contains("source") && !hand.inputs.contains(stage);
  const auto input = changed.inputs.find(of_source ? "source" : stage);
  if (input != changed.inputs.end()) {
    input->second.at(row, column) = value;
  } else {
    changed = released(std::move(changed), stage, row, column);
    changed.held.push_back({stage, row, column, value});
  }
  HL_TRY(work(changed));
  return changed;
}

}  // namespace headlight::by_hand
