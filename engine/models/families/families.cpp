#include "engine/models/families/families.h"

#include "engine/document/stored_model.h"

namespace headlight::models {

const Registry<Family>& families() {
  static const Registry<Family> all("model", [] {
    std::vector<Family> list = {sandbox()};
    for (const ModelName& name : model_names().entries())
      if (name.id != list.front().id) list.push_back(stored(name));
    return list;
  }());
  return all;
}

Result<const Family*> family_of(const Document& document) {
  if (const Family* const named = families().find(document.model)) return named;
  static const Family in_a_folder = stored({"folder", "folder", "a model in a folder of its own", {}});
  HL_TRY(open_stored_model(document.model));
  return &in_a_folder;
}

}  // namespace headlight::models
