// SpecialTokens: the ids of a vocabulary that stand for no text, and their roles. They are data of each tokenizer: a role may
// have any id or none.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight::tokenizers {

// other: a special token that Headlight has no use for, such as the mark of a conversation's turn.
enum class Role { pad, unknown, begin, end, separator, classify, mask, other };
inline constexpr std::array kRoles = {Role::pad,       Role::unknown,  Role::begin, Role::end,
                                      Role::separator, Role::classify, Role::mask,  Role::other};
const char* name_of(Role role);                  // "pad", ...
Result<Role> role_named(std::string_view name);  // the inverse; error (not_found) for any other name

struct SpecialToken {
  Role role = Role::other;
  std::int32_t id = 0;
  bool operator==(const SpecialToken&) const = default;
};

// The special tokens of the vocabularies we train: their first ids, in this order.
struct TrainedSpecial {
  Role role;
  const char* name;
};
inline constexpr std::array kTrainedSpecials = {TrainedSpecial{Role::pad, "[PAD]"}, TrainedSpecial{Role::unknown, "[UNK]"},
                                                TrainedSpecial{Role::begin, "[BOS]"}, TrainedSpecial{Role::end, "[EOS]"}};

class SpecialTokens {
 public:
  // One token may have several roles. A role other than `other` has one token, the first that is added: after add(Role::pad, 0),
  // add(Role::pad, 7) does nothing.
  void add(Role role, std::int32_t id);
  std::int32_t id(Role role) const;  // -1: there is none
  bool contains(std::int32_t id) const;
  const std::vector<SpecialToken>& all() const { return all_; }  // in the order of addition

 private:
  std::vector<SpecialToken> all_;
  std::vector<std::int32_t> ids_;  // ascending, each once
};

}  // namespace headlight::tokenizers
