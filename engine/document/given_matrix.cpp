#include "engine/document/given_matrix.h"

#include <charconv>
#include <cmath>

namespace headlight {
namespace {

constexpr std::size_t kMostNumbers = 65536;
constexpr const char* kForm = "write it as layer.0.wq=1 0/0 1, or embedding[word]=1 0";

// "layer.0.wq" or "embedding[attention]".
Status read_name(std::string_view text, GivenMatrix& given) {
  const std::size_t bracket = text.find('[');
  given.name = std::string(text.substr(0, bracket));
  if (given.name.empty()) return usage_error("a matrix is given without a name", {}, kForm);
  if (bracket == std::string_view::npos) return {};
  const std::string_view token = text.substr(bracket + 1);
  if (token.size() < 2 || !token.ends_with(']')) return usage_error("'" + std::string(text) + "' names no token", {}, kForm);
  given.token = std::string(token.substr(0, token.size() - 1));
  return {};
}

// The numbers of one row, divided by spaces.
Status read_row(std::string_view text, GivenMatrix& given) {
  const std::size_t before = given.values.size();
  const char *at = text.data(), *const end = at + text.size();
  while (true) {
    while (at != end && *at == ' ') ++at;
    if (at == end) break;
    const char* space = at;
    while (space != end && *space != ' ') ++space;
    float value = 0;
    const auto read = std::from_chars(at, space, value);
    if (read.ec != std::errc{} || read.ptr != space || !std::isfinite(value))
      return usage_error("'" + std::string(at, space) + "' in the matrix " + given.name + " is no number", {}, kForm);
    if (given.values.size() == kMostNumbers)
      return usage_error("the matrix " + given.name + " has more than 65536 numbers", {}, "give a smaller one");
    given.values.push_back(value);
    at = space;
  }
  const auto columns = static_cast<std::int64_t>(given.values.size() - before);
  if (columns == 0) return usage_error("row " + std::to_string(given.rows) + " of " + given.name + " is empty", {}, kForm);
  if (given.rows > 0 && columns != given.columns)
    return usage_error("row " + std::to_string(given.rows) + " of " + given.name + " has " + std::to_string(columns) +
                           " numbers, row 0 has " + std::to_string(given.columns),
                       {}, "give rows of equal length");
  given.columns = columns;
  ++given.rows;
  return {};
}

}  // namespace

std::string to_text(const GivenMatrix& given) {
  std::string text = given.name;
  if (!given.token.empty()) text += "[" + given.token + "]";
  char separator = '=';
  char digits[32];
  for (std::size_t i = 0; i < given.values.size(); ++i) {
    if (i > 0) separator = static_cast<std::int64_t>(i) % given.columns == 0 ? '/' : ' ';
    text += separator;
    const auto end = std::to_chars(digits, digits + sizeof digits, given.values[i]).ptr;
    text.append(digits, end);
  }
  return text;
}

Result<GivenMatrix> given_matrix_from_text(std::string_view text) {
  GivenMatrix given;
  // The numbers have no '=', a token may.
  const std::size_t equals = text.rfind('=');
  if (equals == std::string_view::npos) return usage_error("'" + std::string(text) + "' gives no matrix", {}, kForm);
  HL_TRY(read_name(text.substr(0, equals), given));
  for (std::string_view rows = text.substr(equals + 1);;) {
    const std::size_t slash = rows.find('/');
    HL_TRY(read_row(rows.substr(0, slash), given));
    if (slash == std::string_view::npos) break;
    rows = rows.substr(slash + 1);
  }
  if (!given.token.empty() && given.rows != 1)
    return usage_error("one row is wanted for the token '" + given.token + "', " + std::to_string(given.rows) + " were given", {},
                       kForm);
  return given;
}

}  // namespace headlight
