#include "engine/document/given_matrix.h"

#include <charconv>
#include <cmath>

namespace headlight {
namespace {

constexpr std::size_t kMostNumbers = 65536;
constexpr Phrase<0> kForm = "write it as layer.0.wq=1 0/0 1, or embedding[word]=1 0";

// "layer.0.wq" or "embedding[attention]".
Status read_name(std::string_view text, GivenMatrix& given) {
  const std::size_t bracket = text.find('[');
  given.name = std::string(text.substr(0, bracket));
  if (given.name.empty()) return usage_error("a matrix is given without a name").mend(kForm);
  if (bracket == std::string_view::npos) return {};
  const std::string_view token = text.substr(bracket + 1);
  if (token.size() < 2 || !token.ends_with(']')) return usage_error("'{}' names no token", text).mend(kForm);
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
      return usage_error("'{}' in the matrix {} is no number", std::string(at, space), given.name).mend(kForm);
    if (given.values.size() == kMostNumbers)
      return usage_error("the matrix {} has more than 65536 numbers", given.name).mend("give a smaller one");
    given.values.push_back(value);
    at = space;
  }
  const auto columns = static_cast<std::int64_t>(given.values.size() - before);
  if (columns == 0) return usage_error("row {} of {} is empty", given.rows, given.name).mend(kForm);
  if (given.rows > 0 && columns != given.columns)
    return usage_error("row {} of {} has {} numbers, row 0 has {}", given.rows, given.name, columns, given.columns)
        .mend("give rows of equal length");
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
  if (equals == std::string_view::npos) return usage_error("'{}' gives no matrix", text).mend(kForm);
  HL_TRY(read_name(text.substr(0, equals), given));
  for (std::string_view rows = text.substr(equals + 1);;) {
    const std::size_t slash = rows.find('/');
    HL_TRY(read_row(rows.substr(0, slash), given));
    if (slash == std::string_view::npos) break;
    rows = rows.substr(slash + 1);
  }
  if (!given.token.empty() && given.rows != 1)
    return usage_error("one row is wanted for the token '{}', {} were given", given.token, given.rows).mend(kForm);
  return given;
}

}  // namespace headlight
