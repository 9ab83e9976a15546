// The panels, one per file; app/views/list.inc lists them in order.
#pragma once

#include "app/views/base/context.h"

namespace headlight::views {

Entry positions_panel();
Entry next_word_panel();
Entry index_panel();
Entry patches_panel();

}  // namespace headlight::views
