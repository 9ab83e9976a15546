// What views read of a trace.
#pragma once

#include <string_view>
#include <vector>

#include "engine/models/step.h"

namespace headlight::views {

// The roles of the steps that a view needs: of attention that was read from arrays, a view that finds none of one of them says so
// in a sentence in place of its drawing. needs_of("values") is {Role::v}.
const std::vector<Role>& needs_of(std::string_view view);

}  // namespace headlight::views
