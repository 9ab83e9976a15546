#include "engine/tokenizers/files/trained.h"

#include "engine/tokenizers/files/headlight_file.h"

namespace headlight::tokenizers {

std::shared_ptr<const Trained> make_trained(std::string name, std::shared_ptr<const Tokenizer> tokenizer) {
  std::string json = to_json(*tokenizer);
  return std::make_shared<const Trained>(Trained{std::move(name), std::move(tokenizer), std::move(json)});
}

Result<std::shared_ptr<const Trained>> trained_from_json(std::string name, std::string_view json, const std::string& where) {
  HL_ASSIGN(auto tokenizer, tokenizer_from_json(json, where));
  return make_trained(std::move(name), std::move(tokenizer));
}

}  // namespace headlight::tokenizers
