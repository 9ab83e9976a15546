// tiktoken: a token's bytes in base64 and its rank a line. The ranks are the order of the merges: each token of two bytes or more
// comes from the two tokens of lower rank that its bytes become before it. Which pattern cuts the words is not in the file; it is
// known by the file's name.
#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "engine/core/base64.h"
#include "engine/text/byte_alphabet.h"
#include "engine/tokenizers/files/added_files.h"
#include "engine/tokenizers/files/format.h"
#include "engine/tokenizers/files/published.h"

namespace headlight::tokenizers {
namespace {

using Ranks = std::unordered_map<std::string, std::int64_t>;

// Merges the bytes of a token by tokens of lower rank than its own until no two neighbours are one: the two that are left.
std::vector<std::string> parts_below(const std::string& token, std::int64_t rank, const Ranks& ranks) {
  std::vector<std::string> parts;
  for (const char byte : token) parts.emplace_back(1, byte);
  while (parts.size() > 2) {
    std::size_t best = parts.size();
    std::int64_t least = rank;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i)
      if (const auto found = ranks.find(parts[i] + parts[i + 1]); found != ranks.end() && found->second < least) {
        least = found->second;
        best = i;
      }
    if (best == parts.size()) break;
    parts[best] += parts[best + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
  return parts;
}

// What tiktoken knows of a file of ranks by its name: the splitter and the special tokens.
struct Named {
  const char *name, *splitter;
  std::vector<std::pair<const char*, std::int64_t>> specials;
};
const std::vector<Named>& all_named() {
  static const std::vector<Named> all = {{"cl100k",
                                          "cl100k",
                                          {{"<|endoftext|>", 100257},
                                           {"<|fim_prefix|>", 100258},
                                           {"<|fim_middle|>", 100259},
                                           {"<|fim_suffix|>", 100260},
                                           {"<|endofprompt|>", 100276}}},
                                         {"gpt2", "gpt2", {{"<|endoftext|>", 50256}}},
                                         {"r50k", "gpt2", {{"<|endoftext|>", 50256}}},
                                         {"p50k", "gpt2", {{"<|endoftext|>", 50256}}}};
  return all;
}

Result<const Named*> named(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  for (const Named& one : all_named())
    if (name.find(one.name) != std::string::npos) return &one;
  if (name.find("o200k") != std::string::npos)
    return invalid("these are the ranks of o200k, and how o200k cuts words is not known here")
        .at(file.string())
        .mend("give the tokenizer.json of a model that has them");
  return invalid("a file of ranks does not say how it cuts words, and its name is not known")
      .at(file.string())
      .mend("if they are the ranks of gpt2, r50k, p50k or cl100k, put that into its name; those of others are not read here");
}

bool recognises_ranks(std::string_view beginning) {
  const std::string_view line = beginning.substr(0, beginning.find('\n'));
  const std::size_t space = line.find(' ');
  return space != std::string_view::npos && space > 0 && space + 1 < line.size() && line[space + 1] >= '0' &&
         line[space + 1] <= '9' && from_base64(line.substr(0, space)).has_value();
}

Result<std::shared_ptr<const Tokenizer>> load_ranks(const std::filesystem::path& file) {
  const std::string where = file.string();
  HL_ASSIGN(const Named* const known, named(file));
  HL_ASSIGN(const std::vector<std::string> lines, lines_of(file));
  Ranks ranks;
  std::vector<std::string> tokens;
  for (const std::string& line : lines) {
    if (line.empty()) continue;
    const std::size_t space = line.find(' ');
    std::int64_t rank = -1;
    const auto bytes = space == std::string::npos ? std::nullopt : from_base64(std::string_view(line).substr(0, space));
    if (bytes) std::from_chars(line.data() + space + 1, line.data() + line.size(), rank);
    for (const auto& [content, id] : known->specials)  // p50k leaves the rank of its special token out
      if (rank == id + 1 && id == static_cast<std::int64_t>(tokens.size())) tokens.emplace_back();
    if (!bytes || bytes->empty() || rank != static_cast<std::int64_t>(tokens.size()))
      return invalid("line {} is not a token in base64 and the rank {}", tokens.size() + 1, tokens.size())
          .at(where)
          .mend("fetch the file again");
    if (!ranks.emplace(*bytes, rank).second)
      return invalid("line {} has the token of an earlier line", tokens.size() + 1).at(where).mend("fetch the file again");
    tokens.push_back(*bytes);
  }
  std::vector<std::string> pieces;
  Merges merges;
  for (std::size_t id = 0; id < tokens.size(); ++id) {
    pieces.push_back(text::to_byte_pieces(tokens[id]));
    if (tokens[id].size() < 2) continue;
    const std::vector<std::string> parts = parts_below(tokens[id], static_cast<std::int64_t>(id), ranks);
    if (parts.size() == 2) merges.emplace_back(text::to_byte_pieces(parts[0]), text::to_byte_pieces(parts[1]));
  }
  HL_ASSIGN(Vocabulary vocabulary, Vocabulary::of(std::move(pieces), where, true));
  TokenizerPlan plan = byte_level_plan(std::move(vocabulary), std::move(merges), known->splitter);
  AddedList added(plan);
  for (const auto& [content, id] : known->specials) {
    if (id > plan.vocabulary.size() + 32) continue;  // a shorter file of ranks has no such ids
    AddedToken token;
    token.content = content;
    token.special = true;
    HL_TRY(added.add(std::move(token), id));
  }
  added.finish();
  return Tokenizer::make(plan, where);
}

}  // namespace

FormatEntry tiktoken_format() {
  return {"tiktoken",
          "tiktoken's ranks",
          "base64(token) rank, a line each",
          "OpenAI tiktoken",
          {"cl100k_base.tiktoken", "gpt2.tiktoken", "r50k_base.tiktoken", "p50k_base.tiktoken"},
          recognises_ranks,
          load_ranks};
}

}  // namespace headlight::tokenizers
