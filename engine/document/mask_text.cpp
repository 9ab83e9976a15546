#include "engine/document/mask_text.h"

namespace headlight {

std::string matrix_to_text(const masks::Matrix& matrix) {
  std::string text;
  text.reserve(static_cast<std::size_t>(matrix.queries * (matrix.keys + 1)));
  for (std::int64_t i = 0; i < matrix.queries; ++i) {
    if (i) text += '/';
    for (std::int64_t j = 0; j < matrix.keys; ++j)
      text += matrix.values[static_cast<std::size_t>(i * matrix.keys + j)] ? '1' : '0';
  }
  return text;
}

Result<masks::Matrix> matrix_from_text(std::string_view text) {
  constexpr std::int64_t kMost = 8192;
  masks::Matrix matrix;
  while (true) {
    const std::size_t slash = text.find('/');
    const std::string_view row = text.substr(0, slash);
    if (matrix.queries == 0) matrix.keys = static_cast<std::int64_t>(row.size());
    if (static_cast<std::int64_t>(row.size()) != matrix.keys || row.empty())
      return usage_error("row {} of the mask has {} cells, row 0 has {}", matrix.queries, row.size(), matrix.keys)
          .mend("give rows of equal length, such as 100/110/111");
    for (const char c : row) {
      if (c != '0' && c != '1')
        return usage_error("row {} of the mask has a character other than 0 and 1", matrix.queries)
            .mend("give 1 for may attend and 0 for may not, such as 100/110/111");
      matrix.values.push_back(c == '1');
    }
    if (++matrix.queries > kMost || matrix.keys > kMost)
      return usage_error("the mask has more than 8192 rows or columns").mend("give a smaller one; cells outside it may attend");
    if (slash == std::string_view::npos) return matrix;
    text = text.substr(slash + 1);
  }
}

}  // namespace headlight
