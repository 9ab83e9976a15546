#include "engine/pipeline/pairs.h"

#include <algorithm>

namespace headlight {
namespace {

Result<TokenPair> read_pair(const Predictor& predictor, std::string_view line, const std::string& where,
                            const CancelToken& cancel) {
  const auto [source, target] = halves_of(line);
  if (source.empty() || target.empty())
    return invalid("this line is no pair").at(where).mend("give a text, a tab and its target on each line");
  const tokenizers::Tokenizer& output = predictor.output_tokenizer();
  HL_ASSIGN(const std::int32_t first, predictor.first_output());
  TokenPair pair;
  HL_ASSIGN(pair.source, predictor.source(source, where, cancel));
  HL_ASSIGN(const std::vector<tokenizers::Token> tokens, output.encode(target, cancel));
  pair.target = {first};
  for (const tokenizers::Token& token : tokens) pair.target.push_back(token.id);
  if (const std::int32_t end = output.special(tokenizers::Role::end); end >= 0) pair.target.push_back(end);
  if (const auto count = static_cast<std::int64_t>(pair.target.size()) - 1; count > predictor.model().length)
    return invalid("its target has {} tokens, and the model reads at most {}", count, predictor.model().length)
        .at(where)
        .mend("leave this line out");
  pair.bytes = static_cast<std::int64_t>(target.size());
  return pair;
}

}  // namespace

std::pair<std::string_view, std::string_view> halves_of(std::string_view line) {
  const std::size_t tab = line.find('\t');
  const std::string_view behind = tab == std::string_view::npos ? std::string_view() : line.substr(tab + 1);
  return {line.substr(0, tab), behind.substr(0, behind.find('\t'))};
}

std::vector<std::pair<std::int64_t, std::string_view>> numbered_lines(std::string_view text) {
  std::vector<std::pair<std::int64_t, std::string_view>> lines;
  std::int64_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++number;
    if (!line.empty()) lines.emplace_back(number, line);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

Result<std::vector<TokenPair>> read_pairs(const Predictor& predictor, std::string_view text, const std::string& where,
                                          const CancelToken& cancel) {
  std::vector<TokenPair> pairs;
  for (const auto& [number, line] : numbered_lines(text)) {
    HL_ASSIGN(TokenPair pair, read_pair(predictor, line, where + ":" + std::to_string(number), cancel));
    pairs.push_back(std::move(pair));
  }
  if (pairs.empty()) return invalid("there are no pairs in it").at(where).mend("give a text, a tab and its target on each line");
  return pairs;
}

}  // namespace headlight
