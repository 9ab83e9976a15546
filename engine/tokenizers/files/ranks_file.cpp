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
#include "engine/tokenizers/models/merge_table.h"

namespace headlight::tokenizers {
namespace {

constexpr std::size_t kLongestMade = 1024;  // bytes; a longer token is found whole alone

// The merges, token by token: a token's bytes are merged by those of lower ranks until two parts are left, which make it.
class RankMerges {
 public:
  // `pieces`: the tokens in the byte alphabet. Both must outlive this.
  RankMerges(const std::vector<std::string>& tokens, const std::vector<std::string>& pieces)
      : tokens_(tokens), pieces_(pieces), table_(MergeTable::with_room(tokens.size())) {
    std::fill(std::begin(bytes_), std::end(bytes_), -1);
    for (std::size_t id = 0; id < tokens.size(); ++id)
      if (tokens[id].size() == 1) bytes_[static_cast<unsigned char>(tokens[id][0])] = static_cast<std::int32_t>(id);
  }

  void add(std::size_t id, Merges& merges) {
    const std::string& token = tokens_[id];
    if (token.size() < 2 || token.size() > kLongestMade) return;
    parts_.clear();
    for (const char c : token) parts_.push_back({bytes_[static_cast<unsigned char>(c)], 1});
    if (!table_.replay(parts_, {}) || parts_.size() != 2) return;  // such a token is found whole alone
    table_.add(parts_[0].id, parts_[1].id, static_cast<std::int32_t>(id));
    const auto middle = static_cast<std::size_t>(parts_[0].length);
    merges.emplace_back(text_of(parts_[0].id, token.substr(0, middle)), text_of(parts_[1].id, token.substr(middle)));
  }

 private:
  // A byte that is no token has no id.
  std::string text_of(std::int32_t id, const std::string& bytes) const {
    return id >= 0 ? pieces_[static_cast<std::size_t>(id)] : text::to_byte_pieces(bytes);
  }

  const std::vector<std::string>&tokens_, &pieces_;
  MergeTable table_;
  std::int32_t bytes_[256];  // the token of each byte; -1: there is none
  std::vector<MergeTable::Part> parts_;
};

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

// The first line, counted from 1, whose token stands on an earlier line; 0: there is none.
std::size_t repeating_line(const std::vector<std::string>& tokens) {
  StringMap<std::size_t> seen;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (!tokens[i].empty() && !seen.emplace(tokens[i], i).second) return i + 1;
  return 0;
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
    tokens.push_back(*bytes);
  }
  std::vector<std::string> pieces;
  pieces.reserve(tokens.size());
  for (const std::string& token : tokens) pieces.push_back(text::to_byte_pieces(token));
  auto read = Vocabulary::of(std::move(pieces), where, true);
  if (!read) {
    if (const std::size_t line = repeating_line(tokens); line > 0)
      return invalid("line {} has the token of an earlier line", line).at(where).mend("fetch the file again");
    return std::move(read).failure();
  }
  Vocabulary vocabulary = std::move(read).value();
  Merges merges;
  merges.reserve(tokens.size());
  RankMerges rank_merges(tokens, vocabulary.pieces());
  for (std::size_t id = 0; id < tokens.size(); ++id) rank_merges.add(id, merges);
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
