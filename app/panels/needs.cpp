#include "app/panels/needs.h"

#include <map>

namespace headlight::views {

const std::vector<Role>& needs_of(std::string_view view) {
  static const std::map<std::string_view, std::vector<Role>> all = {
      {"walk", {Role::input}},
      {"scores", {Role::q, Role::k, Role::v}},
      {"positions", {Role::input}},
      {"values", {Role::v}},
      {"embeddings", {Role::embedding}},
      {"next", {Role::logits}},
      {"context", {Role::input}},
      {"why", {Role::logits}},
      {"long-texts", {Role::q, Role::k, Role::v}},
  };
  static const std::vector<Role> none;
  const auto found = all.find(view);
  return found == all.end() ? none : found->second;
}

}  // namespace headlight::views
