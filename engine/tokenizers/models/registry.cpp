#include "engine/core/json.h"
#include "engine/tokenizers/models/model.h"

namespace headlight::tokenizers {

const Registry<ModelEntry>& model_registry() {
  static const Registry<ModelEntry> kinds("tokenizer",
                                          {characters_model(), words_model(), bpe_model(), wordpiece_model(), unigram_model()});
  return kinds;
}

Failure no_piece_for(std::string_view word) {
  return invalid("the vocabulary has no piece for '{}', and no unknown token", word).mend("give a text of its pieces");
}

Result<std::vector<std::string>> texts_in(const std::string& json, const std::string& where) {
  std::vector<std::string> texts;
  if (json.empty()) return texts;
  HL_ASSIGN(const Json list, Json::parse(json, where));
  for (const Json& one : list.elements()) {
    if (!one.is_string() || one.string().empty()) return invalid("the user's pieces are no list of texts").at(where);
    texts.push_back(one.string());
  }
  return texts;
}

}  // namespace headlight::tokenizers
