// Good sentences to begin with, in assets/examples.json: a list of {"id", "label", "why", "document", "view"}. Document and view
// hold only the differences from the defaults.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/session.h"

namespace headlight::window {

struct Example {
  std::string id, label, why;  // label and why are translated by tr()
  Session session;
  bool shows_tab = false;  // the view names a tab; otherwise the user's tab stays
};

// Errors name `where`, the example and the key.
// examples_from_json(bytes, "assets/examples.json")
Result<std::vector<Example>> examples_from_json(std::string_view json, const std::string& where);
Result<std::vector<Example>> load_examples();  // the bundled ones

}  // namespace headlight::window
