#include "app/views/base/view.h"

namespace headlight::views {

#define PANEL(name, group, icon)
#define VIEW(name) const View& name##_view();
#include "app/views/list.inc"
#undef VIEW

const std::vector<const View*>& views() {
#define VIEW(name) &name##_view(),
  static const std::vector<const View*> all = {
#include "app/views/list.inc"
  };
#undef VIEW
#undef PANEL
  return all;
}

}  // namespace headlight::views
