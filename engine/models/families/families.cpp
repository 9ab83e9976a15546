#include "engine/models/families/families.h"

namespace headlight::models {

const Registry<Family>& families() {
  static const Registry<Family> all("model", {sandbox()});
  return all;
}

}  // namespace headlight::models
