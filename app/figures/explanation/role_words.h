// The names and colours of the heads' roles, the same wherever a role is named.
#pragma once

#include <cstdint>
#include <string>

#include "app/figures/base/theme.h"
#include "engine/insight/head_patterns.h"

namespace headlight {

// English words, translated where they are shown.
struct RoleWords {
  const char* id;       // a filter of the Heads view: "role:adjective"
  const char* name;     // "adjective to noun"
  const char* does;     // "{} joins adjectives to their noun:"
  const char* measure;  // its definition, with the score: "{0} of a noun's weight falls on its adjectives, over {1} texts"
  const char* missing;  // a sentence's note that it has no place for this role; null: every sentence has one
  int hue;              // index into Theme::hues
};
const RoleWords& words_of(HeadPattern pattern);
// hue_of(HeadPattern::adjective, theme) is theme.hues[words_of(HeadPattern::adjective).hue].
figures::Color hue_of(HeadPattern pattern, const figures::Theme& theme);
// The role that a filter of the Heads view asks for; null if it asks for something else.
const HeadPattern* role_of_filter(const std::string& filter);

// Words about a role, followed by a sentence that warns of taking the name for an explanation.
std::string with_warning(const std::string& words);

}  // namespace headlight
