// gpt2: the two files that GPT-2 was published with: pieces and their ids as JSON (vocab.json, at first encoder.json), and beside
// it the merges, a pair a line in the order of their ranks (merges.txt, at first vocab.bpe).
#include <system_error>

#include "engine/core/text_file.h"
#include "engine/tokenizers/files/added_files.h"
#include "engine/tokenizers/files/format.h"
#include "engine/tokenizers/files/published.h"

namespace headlight::tokenizers {
namespace {

// An object whose first member has a whole number as its value.
bool recognises_byte_pair(std::string_view beginning) {
  std::size_t at = beginning.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos || beginning[at] != '{') return false;
  at = beginning.find('"', at);
  for (at = at == std::string_view::npos ? at : at + 1; at < beginning.size() && beginning[at] != '"'; ++at)
    if (beginning[at] == '\\') ++at;
  if (at >= beginning.size()) return false;
  at = beginning.find_first_not_of(" \t\r\n:", at + 1);
  return at != std::string_view::npos && beginning[at] >= '0' && beginning[at] <= '9';
}

Result<std::shared_ptr<const Tokenizer>> load_byte_pair(const std::filesystem::path& file) {
  HL_ASSIGN(const std::string text, read_text_file(file, kMostPublished));
  HL_ASSIGN(const Json json, Json::parse(text, file.string(), Message("fetch the file again")));
  HL_ASSIGN(std::vector<std::string> pieces, pieces_by_id(json, file.string()));
  HL_ASSIGN(Vocabulary vocabulary, Vocabulary::of(std::move(pieces), file.string()));
  std::filesystem::path beside;
  std::error_code none;
  for (const char* name : {"merges.txt", "vocab.bpe"})
    if (beside.empty() && std::filesystem::is_regular_file(file.parent_path() / name, none)) beside = file.parent_path() / name;
  if (beside.empty())
    return not_found("this vocabulary has no merges beside it")
        .at(file.string())
        .mend("put its merges.txt (or vocab.bpe) into the same folder");
  HL_ASSIGN(const std::vector<std::string> lines, lines_of(beside));
  Merges merges;
  for (const std::string& line : lines) {
    if (line.empty() || line.starts_with("#version")) continue;
    HL_ASSIGN(auto merge, merge_of(line, merges.size(), beside.string()));
    merges.push_back(std::move(merge));
  }
  TokenizerPlan plan = byte_level_plan(std::move(vocabulary), std::move(merges), {"gpt2", {}});
  HL_ASSIGN(const Json config, json_beside(file.parent_path(), "tokenizer_config.json"));
  if (config["add_prefix_space"].boolean()) plan.splitters.insert(plan.splitters.begin(), {"prefix_space", {}});
  AddedList added(plan);
  HL_TRY(added.add_beside(file.parent_path()));
  added.add_known();
  added.finish();
  return Tokenizer::make(plan, file.string());
}

}  // namespace

FormatEntry gpt2_format() {
  return {"gpt2",
          "GPT-2's vocab.json and merges.txt",
          "{\"piece\": id}, and a merge a line",
          "Radford et al. 2019",
          {"vocab.json", "encoder.json"},
          recognises_byte_pair,
          load_byte_pair};
}

}  // namespace headlight::tokenizers
