// The inspector: the column on the right, which explains one number.
#pragma once

#include "app/views/base/context.h"

namespace headlight::views {

void draw_inspector(const Context& context);

}  // namespace headlight::views
