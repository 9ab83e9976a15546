#include "engine/tokenizers/models/model.h"

namespace headlight::tokenizers {

const Registry<ModelEntry>& model_registry() {
  static const Registry<ModelEntry> kinds("tokenizer", {characters_model(), words_model(), bpe_model(), wordpiece_model()});
  return kinds;
}

}  // namespace headlight::tokenizers
