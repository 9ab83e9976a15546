// tiktoken: a token's bytes in base64 and its rank a line. The ranks are the order of the merges: each token of two bytes or more
// comes from the two tokens of lower rank that its bytes become before it. Which pattern cuts the words is not in the file: the
// user says it, or it is known by the file's name or size.
#include <algorithm>
#include <charconv>
#include <system_error>

#include "engine/core/base64.h"
#include "engine/text/byte_alphabet.h"
#include "engine/tokenizers/files/added_files.h"
#include "engine/tokenizers/files/format.h"
#include "engine/tokenizers/files/published.h"

namespace headlight::tokenizers {
namespace {

constexpr std::size_t kLongestMade = 1024;  // bytes; a longer token is found whole alone

using Ranks = StringMap<std::int64_t>;

// Merges the bytes of a token by tokens of lower rank than its own until no two neighbours are one: where the second of the two
// that are left begins; 0: there are not two.
std::size_t middle_of(std::string_view token, std::int64_t rank, const Ranks& ranks) {
  if (token.size() > kLongestMade) return 0;
  std::vector<std::size_t> ends(token.size() + 1);  // the places between the parts, the first and the last included
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = i;
  while (ends.size() > 3) {
    std::size_t best = 0;
    std::int64_t least = rank;
    for (std::size_t i = 1; i + 1 < ends.size(); ++i)
      if (const auto found = ranks.find(token.substr(ends[i - 1], ends[i + 1] - ends[i - 1]));
          found != ranks.end() && found->second < least) {
        least = found->second;
        best = i;
      }
    if (best == 0) break;
    ends.erase(ends.begin() + static_cast<std::ptrdiff_t>(best));
  }
  return ends.size() == 3 ? ends[1] : 0;
}

// What tiktoken knows of each of its encodings besides the ranks.
struct Named {
  const char* name;
  std::size_t size;  // how many ranks its file has
  Choice splitter;
  std::vector<std::pair<const char*, std::int64_t>> specials;
};
// tiktoken's pattern for o200k.
constexpr const char* kO200k =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
const std::vector<Named>& all_named() {
  static const std::vector<Named> all = {{"cl100k",
                                          100256,
                                          {"cl100k", {}},
                                          {{"<|endoftext|>", 100257},
                                           {"<|fim_prefix|>", 100258},
                                           {"<|fim_middle|>", 100259},
                                           {"<|fim_suffix|>", 100260},
                                           {"<|endofprompt|>", 100276}}},
                                         {"o200k",
                                          199998,
                                          {"pattern", {{"expression", std::string(kO200k)}}},
                                          {{"<|endoftext|>", 199999}, {"<|endofprompt|>", 200018}}},
                                         {"gpt2", 50256, {"gpt2", {}}, {{"<|endoftext|>", 50256}}},
                                         {"r50k", 50256, {"gpt2", {}}, {{"<|endoftext|>", 50256}}},
                                         {"p50k", 50280, {"gpt2", {}}, {{"<|endoftext|>", 50256}}}};
  return all;
}

// The name behind the last colon: "cl100k" of "mine.tiktoken:cl100k"; null: there is none.
const Named* said_in(const std::string& path) {
  const std::size_t colon = path.rfind(':');
  for (const Named& one : all_named())
    if (colon != std::string::npos && path.substr(colon + 1) == one.name) return &one;
  return nullptr;
}

// The encoding of a file: as the user says, as its name says, or that of as many ranks.
Result<const Named*> named(const std::filesystem::path& file, std::size_t ranks) {
  for (const Named& one : all_named())
    if (file.filename().string().find(one.name) != std::string::npos) return &one;
  for (const Named& one : all_named())
    if (ranks == one.size) return &one;
  return invalid("a file of ranks does not say how it cuts words, and neither its name nor its {} ranks are known", ranks)
      .at(file.string())
      .mend("say it behind a colon: {}:cl100k; known are gpt2, r50k, p50k, cl100k and o200k", file.string());
}

bool recognises_ranks(std::string_view beginning) {
  const std::string_view line = beginning.substr(0, beginning.find('\n'));
  const std::size_t space = line.find(' ');
  return space != std::string_view::npos && space > 0 && space + 1 < line.size() && line[space + 1] >= '0' &&
         line[space + 1] <= '9' && from_base64(line.substr(0, space)).has_value();
}

Result<std::shared_ptr<const Tokenizer>> load_ranks(const std::filesystem::path& path) {
  const Named* known = pattern_said(path) ? said_in(path.string()) : nullptr;
  const std::filesystem::path file = known ? std::filesystem::path(path.string().substr(0, path.string().rfind(':'))) : path;
  const std::string where = file.string();
  HL_ASSIGN(const std::vector<std::string> lines, lines_of(file));
  if (!known) {
    HL_ASSIGN(known,
              named(file, static_cast<std::size_t>(std::ranges::count_if(lines, [](const auto& one) { return !one.empty(); }))));
  }
  Ranks ranks;
  ranks.reserve(lines.size());
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
    const std::string_view token = tokens[id];
    if (const std::size_t middle = middle_of(token, static_cast<std::int64_t>(id), ranks))
      merges.emplace_back(text::to_byte_pieces(token.substr(0, middle)), text::to_byte_pieces(token.substr(middle)));
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
  plan.model.values["whole_words"] = true;
  return Tokenizer::make(plan, where);
}

}  // namespace

bool pattern_said(const std::filesystem::path& path) {
  std::error_code none;
  const std::string name = path.string();
  return said_in(name) && !std::filesystem::exists(path, none) &&
         std::filesystem::is_regular_file(name.substr(0, name.rfind(':')), none);
}

FormatEntry tiktoken_format() {
  return {"tiktoken",
          "tiktoken's ranks",
          "base64(token) rank, a line each",
          "OpenAI tiktoken",
          {"cl100k_base.tiktoken", "gpt2.tiktoken", "r50k_base.tiktoken", "p50k_base.tiktoken", "o200k_base.tiktoken"},
          recognises_ranks,
          load_ranks};
}

}  // namespace headlight::tokenizers
