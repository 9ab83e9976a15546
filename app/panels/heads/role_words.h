// The roles of heads in words and colours, the same wherever they are named.
#pragma once

#include <cstdint>
#include <string>

#include "app/figures/base/theme.h"
#include "engine/insight/head_patterns.h"

namespace headlight::panels {

// English; translated where it is shown.
struct RoleWords {
  const char* id;       // of HeadsView::filter: "role:adjective"
  const char* name;     // "adjective to noun"
  const char* does;     // "{} joins adjectives to their noun:"
  const char* measure;  // "{0} of a noun's weight falls on its adjectives, over {1} texts"
  const char* missing;  // what a sentence says that has no such place; null: every one has
  int hue;              // index into Theme::hues
};
const RoleWords& words_of(HeadPattern pattern);
figures::Color hue_of(HeadPattern pattern, const figures::Theme& theme);
// The role that HeadsView::filter asks for; null: it asks for another thing.
const HeadPattern* role_of_filter(const std::string& filter);

// Words about a role, and behind them what a name does not say.
std::string with_warning(const std::string& words);

}  // namespace headlight::panels
