// Changes of a case by hand: one number, a held one, and a table that is pasted.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/insight/by_hand.h"

namespace headlight::by_hand {
namespace {

auto held_at(const std::string& stage, std::int64_t row, std::int64_t column) {
  return [&stage, row, column](const Case::Held& one) { return one.stage == stage && one.row == row && one.column == column; };
}

std::string_view trimmed(std::string_view text) {
  const std::string_view blanks = " \r";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

// What parts the cells of a line: a tab, else a semicolon; else a comma, unless a digit follows one in a line with blanks, as in
// "1,5 2,5", where it is the decimal point; else blanks.
char separator_of(std::string_view line) {
  for (const char mark : {'\t', ';'})
    if (line.find(mark) != std::string_view::npos) return mark;
  if (line.find(',') == std::string_view::npos) return ' ';
  if (line.find(' ') == std::string_view::npos) return ',';
  for (std::size_t i = 0; i + 1 < line.size(); ++i)
    if (line[i] == ',' && line[i + 1] != ' ') return ' ';
  return ',';
}

// Only blanks may stand together: any other two separators have an empty cell between them, which is no number.
std::vector<std::string> cells_of(std::string_view line) {
  line = trimmed(line);
  std::vector<std::string> cells;
  const char mark = separator_of(line);
  while (!line.empty()) {
    const std::size_t end = line.find(mark);
    const std::string_view cell = trimmed(line.substr(0, end));
    if (mark != ' ' || !cell.empty()) cells.emplace_back(cell);
    if (end == std::string_view::npos) return cells;
    line.remove_prefix(end + 1);
    if (line.empty() && mark != ' ') cells.emplace_back();
  }
  return cells;
}

// "2,5" as "2.5". "1,000" may be meant as a thousand or as one: it is left, and is no number then.
std::string with_point(std::string_view text) {
  std::string all(text);
  const std::size_t comma = all.find(',');
  if (comma != std::string::npos && all.find_first_of(".,", comma + 1) == std::string::npos && all.size() - comma != 4)
    all[comma] = '.';
  return all;
}

}  // namespace

Result<double> number_from(std::string_view text, const std::string& where) {
  const std::string plain = with_point(trimmed(text));
  const char* begin = plain.c_str();
  if (*begin == '+' && begin[1] != '-') ++begin;
  const char* const end = plain.c_str() + plain.size();
  double value = 0;
  const auto [stop, problem] = std::from_chars(begin, end, value);
  if (problem != std::errc() || stop != end || begin == end)
    return usage_error("'{}' is no number", text).at(where).mend("give a number such as 1, -0.5 or 2e-3");
  if (!std::isfinite(value)) return usage_error("'{}' is no finite number", text).at(where).mend("give a finite number");
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
      return usage_error("row {} has length {} and row 0 has length {}", table.rows, columns, table.columns)
          .at(where)
          .mend("give every row as many");
    if (columns > kMostColumns || table.rows == kMostRows)
      return usage_error("this is no table of at most {} rows and {} columns", kMostRows, kMostColumns)
          .at(where)
          .mend("paste fewer numbers");
    for (std::size_t c = 0; c < cells.size(); ++c) {
      HL_ASSIGN(const double value,
                number_from(cells[c], where + ", row " + std::to_string(table.rows) + ", column " + std::to_string(c)));
      table.numbers.push_back(value);
    }
    ++table.rows;
  }
  if (table.rows == 0) return usage_error("there is no number to paste").at(where).mend("copy a table of numbers first");
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
    return usage_error("there is no row {}, column {}", row, column).at(stage).mend("choose a cell that is there");
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
