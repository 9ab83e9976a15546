#include "engine/tokenizers/files/published.h"

#include <map>

#include "engine/core/text_file.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

namespace headlight::tokenizers {

Result<std::vector<std::string>> lines_of(const std::filesystem::path& file) {
  HL_ASSIGN(const std::string text, read_text_file(file, kMostPublished));
  return lines_of_text(text);
}

Result<std::vector<std::string>> pieces_by_id(const Json& object, const std::string& where, bool gaps) {
  constexpr Phrase<0> mend = "fetch the file again";
  if (!object.is_object() || object.empty())
    return invalid("the vocabulary should be an object of pieces and their ids").at(where).mend(mend);
  std::size_t size = object.size();
  if (gaps)
    for (const auto& [piece, number] : object.members())
      if (const std::int64_t id = number.integer(); id >= static_cast<std::int64_t>(size) && id < kMostIds)
        size = static_cast<std::size_t>(id) + 1;
  std::vector<std::string> pieces(size);
  std::vector<bool> given(pieces.size(), false);
  for (const auto& [piece, number] : object.members()) {
    if (!number.is_integer()) return invalid("the piece '{}' has no whole number as its id", piece).at(where).mend(mend);
    const std::int64_t id = number.integer();
    if (id < 0 || id >= static_cast<std::int64_t>(pieces.size()))
      return invalid("the piece '{}' has the id {} of {} pieces", piece, id, pieces.size())
          .at(where)
          .mend("ids must be 0, 1, 2, ... without a gap");
    const auto at = static_cast<std::size_t>(id);
    if (given[at]) return invalid("the id {} belongs to '{}' and to '{}'", id, pieces[at], piece).at(where).mend(mend);
    pieces[at] = piece;
    given[at] = true;
  }
  return pieces;
}

Result<std::pair<std::string, std::string>> merge_of(std::string_view line, std::size_t number, const std::string& where) {
  const std::size_t space = line.find(' ');
  if (space == 0 || space == std::string_view::npos || space + 1 == line.size() ||
      line.find(' ', space + 1) != std::string_view::npos)
    return invalid("merge {} is not two pieces with a space between", number).at(where).mend("fetch the file again");
  return std::pair{std::string(line.substr(0, space)), std::string(line.substr(space + 1))};
}

Role role_by_name(std::string_view name) {
  static const std::map<std::string, Role, std::less<>> roles = {
      {"[PAD]", Role::pad},        {"<pad>", Role::pad},       {"[UNK]", Role::unknown}, {"<unk>", Role::unknown},
      {"[CLS]", Role::classify},   {"[SEP]", Role::separator}, {"[MASK]", Role::mask},   {"<mask>", Role::mask},
      {"<s>", Role::begin},        {"[BOS]", Role::begin},     {"</s>", Role::end},      {"[EOS]", Role::end},
      {"<|endoftext|>", Role::end}};
  const auto known = roles.find(name);
  return known == roles.end() ? Role::other : known->second;
}

void set_special_by_name(Vocabulary& vocabulary, const std::string& name, bool names_unknown) {
  const std::int32_t id = vocabulary.find(name);
  if (id < 0 || vocabulary.is_special(id)) return;
  const Role role = role_by_name(name);
  // A role has one token, and a second one of that name is special all the same.
  const bool is_taken = vocabulary.special(role) >= 0;
  vocabulary.set_special(is_taken || (!names_unknown && role == Role::unknown) ? Role::other : role, id);
}

TokenizerPlan byte_level_plan(Vocabulary vocabulary, Merges merges, Choice splitter) {
  TokenizerPlan plan;
  plan.splitters = {std::move(splitter)};
  plan.model = {"bpe", {{"alphabet", std::string("bytes")}}};
  plan.post_processor = bracket_template("", "");
  plan.decoders = {{"byte_level", {}}};
  plan.vocabulary = std::move(vocabulary);
  plan.merges = std::move(merges);
  return plan;
}

bool has_capital(const Vocabulary& vocabulary) {
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    bool found = false;
    const std::string& piece = vocabulary.piece(id);
    if (vocabulary.is_special(id) || piece.starts_with('[')) continue;
    text::for_each_code_point(piece, [&](std::int64_t, const text::CodePoint& point) {
      found |= point.valid && text::to_lower(point.value) != point.value;
    });
    if (found) return true;
  }
  return false;
}

std::vector<Choice> bert_normalizers(const BertOptions& options) {
  std::vector<Choice> stages;
  if (options.clean) stages.push_back({"clean_text", {}});
  if (options.ideographs) stages.push_back({"space_ideographs", {}});
  if (options.strip_accents) stages.insert(stages.end(), {{"nfd", {}}, {"strip_accents", {}}});
  if (options.lower) stages.push_back({"lowercase", {}});
  return stages;
}

TokenizerPlan bert_plan(Vocabulary vocabulary, const BertOptions& options) {
  TokenizerPlan plan;
  plan.normalizers = bert_normalizers(options);
  plan.splitters = {{"words", {{"ideographs", false}}}};
  plan.model = {"wordpiece", {}};
  const auto name = [&](Role role) { return vocabulary.piece(vocabulary.special(role)); };
  plan.post_processor = bracket_template(name(Role::classify), name(Role::separator));
  plan.decoders = {{"wordpiece", {{"spaces", std::string("tidied")}}}};
  plan.vocabulary = std::move(vocabulary);
  return plan;
}

}  // namespace headlight::tokenizers
