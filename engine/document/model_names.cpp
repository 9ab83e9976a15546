#include "engine/document/model_names.h"

#include "engine/document/stored_model.h"

namespace headlight {

const Registry<ModelName>& model_names() {
  static const Registry<ModelName> names("model", [] {
    std::vector<ModelName> all = {{"sandbox", "sandbox",
                                   "x = x + attention(norm(x)); x = x + feed_forward(norm(x)); weights drawn by the seed",
                                   "Vaswani et al. 2017"}};
    for (const std::string& name : bundled_models())
      all.push_back({name, name, "the same, with weights that were trained", "assets/models/" + name + "/README.md"});
    return all;
  }());
  return names;
}

}  // namespace headlight
