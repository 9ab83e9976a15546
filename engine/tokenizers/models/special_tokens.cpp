#include "engine/tokenizers/models/special_tokens.h"

#include <algorithm>
#include <string>

namespace headlight::tokenizers {

const char* name_of(Role role) {
  switch (role) {
    case Role::pad: return "pad";
    case Role::unknown: return "unknown";
    case Role::begin: return "begin";
    case Role::end: return "end";
    case Role::separator: return "separator";
    case Role::classify: return "classify";
    case Role::mask: return "mask";
    case Role::other: return "other";
  }
  return "";
}

Result<Role> role_named(std::string_view name) {
  std::string known;
  for (const Role role : kRoles) {
    if (name == name_of(role)) return role;
    known += (known.empty() ? "" : ", ") + std::string(name_of(role));
  }
  return not_found("there is no role '{}' for a special token", name).mend("known are {}", known);
}

void SpecialTokens::add(Role role, std::int32_t id) {
  if (role != Role::other && this->id(role) >= 0) return;
  all_.push_back({role, id});
  const auto at = std::lower_bound(ids_.begin(), ids_.end(), id);
  if (at == ids_.end() || *at != id) ids_.insert(at, id);
}

std::int32_t SpecialTokens::id(Role role) const {
  for (const SpecialToken& token : all_)
    if (token.role == role) return token.id;
  return -1;
}

bool SpecialTokens::contains(std::int32_t id) const { return std::binary_search(ids_.begin(), ids_.end(), id); }

}  // namespace headlight::tokenizers
