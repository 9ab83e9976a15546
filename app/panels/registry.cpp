#include "app/panels/panels.h"

namespace headlight::panels {

// Each panel's file defines one of these; the tabs are in this order.

const Registry<Entry>& registry() {
  static const Registry<Entry> panels("panel", {
                                                   walk_panel(),
                                                   heads_panel(),
                                                   masks_panel(),
                                                   tokens_panel(),
                                                   positions_panel(),
                                                   values_panel(),
                                                   compare_panel(),
                                                   index_panel(),
                                               });
  return panels;
}

}  // namespace headlight::panels
