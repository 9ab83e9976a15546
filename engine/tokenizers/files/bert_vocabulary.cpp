// bert: vocab.txt as BERT was published with, a piece a line; the line's number is its id. Whether capitals and accents are taken
// away stands in tokenizer_config.json beside it ("do_lower_case"); without that file they are where no piece has a capital.
#include <algorithm>
#include <optional>
#include <system_error>

#include "engine/core/text_file.h"
#include "engine/text/unicode.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/files/format.h"
#include "engine/tokenizers/files/published.h"

namespace headlight::tokenizers {
namespace {

bool has_capital(const Vocabulary& vocabulary) {
  for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
    bool found = false;
    const std::string& piece = vocabulary.piece(id);
    if (vocabulary.is_special(id) || piece.front() == '[') continue;
    text::for_each_code_point(piece, [&](std::int64_t, const text::CodePoint& point) {
      found |= point.valid && text::to_lower(point.value) != point.value;
    });
    if (found) return true;
  }
  return false;
}

// What tokenizer_config.json in the folder says; nothing: it does not.
Result<std::optional<bool>> said_to_be_lower(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "tokenizer_config.json";
  std::error_code none;
  if (!std::filesystem::is_regular_file(file, none)) return std::optional<bool>();
  HL_ASSIGN(const std::string text, read_text_file(file, kMostPublished));
  HL_ASSIGN(const Json config, Json::parse(text, file.string(), Message("fetch the file again")));
  const Json& lower = config["do_lower_case"];
  return lower.is_boolean() ? std::optional<bool>(lower.boolean()) : std::optional<bool>();
}

bool recognises_bert_vocabulary(std::string_view beginning) {
  return beginning.starts_with("[PAD]") || beginning.find("\n[UNK]") != std::string_view::npos ||
         beginning.find("\n[unused") != std::string_view::npos;
}

Result<std::shared_ptr<const Tokenizer>> load_bert_vocabulary(const std::filesystem::path& file) {
  HL_ASSIGN(std::vector<std::string> pieces, lines_of(file));
  while (!pieces.empty() && pieces.back().empty()) pieces.pop_back();
  if (pieces.empty()) return invalid("this vocabulary is empty").at(file.string()).mend("give a file with a piece a line");
  HL_ASSIGN(Vocabulary vocabulary, Vocabulary::of(std::move(pieces), file.string()));
  for (const char* name : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}) set_special_by_name(vocabulary, name);
  HL_ASSIGN(const std::optional<bool> said, said_to_be_lower(file.parent_path()));
  const bool lower = said.value_or(!has_capital(vocabulary));
  return Tokenizer::make(bert_plan(std::move(vocabulary), lower), file.string());
}

}  // namespace

FormatEntry bert_format() {
  return {"bert",        "BERT's vocab.txt",         "a piece a line",    "Devlin et al. 2018",
          {"vocab.txt"}, recognises_bert_vocabulary, load_bert_vocabulary};
}

}  // namespace headlight::tokenizers
