// bert: vocab.txt as BERT was published with, a piece a line; the line's number is its id. Whether capitals and accents are taken
// away stands in tokenizer_config.json beside it ("do_lower_case"); without that file they are where no piece has a capital.
#include "engine/tokenizers/files/added_files.h"
#include "engine/tokenizers/files/format.h"
#include "engine/tokenizers/files/published.h"

namespace headlight::tokenizers {
namespace {

bool recognises_bert_vocabulary(std::string_view beginning) {
  return beginning.starts_with("[PAD]") || beginning.find("\n[UNK]") != std::string_view::npos ||
         beginning.find("\n[unused") != std::string_view::npos;
}

Result<std::shared_ptr<const Tokenizer>> load_bert_vocabulary(const std::filesystem::path& file) {
  HL_ASSIGN(std::vector<std::string> pieces, lines_of(file));
  while (!pieces.empty() && pieces.back().empty()) pieces.pop_back();
  if (pieces.empty()) return invalid("this vocabulary is empty").at(file.string()).mend("give a file with a piece a line");
  HL_ASSIGN(Vocabulary vocabulary, Vocabulary::of(std::move(pieces), file.string()));
  HL_ASSIGN(const Json config, json_beside(file.parent_path(), "tokenizer_config.json"));
  BertOptions options;
  options.lower = config["do_lower_case"].is_boolean() ? config["do_lower_case"].boolean() : !has_capital(vocabulary);
  options.strip_accents = config["strip_accents"].is_boolean() ? config["strip_accents"].boolean() : options.lower;
  if (config["tokenize_chinese_chars"].is_boolean()) options.ideographs = config["tokenize_chinese_chars"].boolean();
  for (const char* name : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) set_special_by_name(vocabulary, name);
  if (vocabulary.special(Role::unknown) < 0)
    return invalid("the vocabulary lacks [UNK]").at(file.string()).mend("it stands for words that cannot be covered: add it");
  TokenizerPlan plan = bert_plan(std::move(vocabulary), options);
  AddedList added(plan);
  HL_TRY(added.add_beside(file.parent_path()));
  added.add_known();
  added.finish();
  return Tokenizer::make(plan, file.string());
}

}  // namespace

FormatEntry bert_format() {
  return {"bert",        "BERT's vocab.txt",         "a piece a line",    "Devlin et al. 2018",
          {"vocab.txt"}, recognises_bert_vocabulary, load_bert_vocabulary};
}

}  // namespace headlight::tokenizers
