#include "engine/document/model_names.h"

namespace headlight {

const Registry<ModelName>& model_names() {
  static const Registry<ModelName> names(
      "model", {{"sandbox", "sandbox", "x = x + attention(norm(x)); x = x + feed_forward(norm(x)); weights drawn by the seed",
                 "Vaswani et al. 2017"}});
  return names;
}

}  // namespace headlight
