// The panels, one per file; app/views/list.inc lists them in order.
#pragma once

#include "app/panels/shared/panel.h"

namespace headlight::panels {

Entry positions_panel();
Entry next_word_panel();
Entry index_panel();
Entry patches_panel();

}  // namespace headlight::panels
