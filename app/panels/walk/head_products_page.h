// Q's grid of heads times Kᵀ's, of the present trace: which number meets which, and the same as a loop over the heads.
#pragma once

#include "app/panels/walk/walk_scene.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// At ImGui's cursor.
void draw_head_products(Context& context, const ui::Look& look, const WalkScene& scene, float width, float height);
// For paper; without items where there is no such product.
figures::Figure head_products_paper(const Context& context, const WalkScene& scene, float width, float height);

}  // namespace headlight::panels
