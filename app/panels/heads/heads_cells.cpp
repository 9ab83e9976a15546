// Cells of a head's map that are masked by hand.
#include "app/panels/heads/heads_tab.h"
#include "app/panels/shared/head_switches.h"
#include "app/text/language.h"
#include "engine/attention/masks/combined.h"
#include "imgui.h"

namespace headlight::panels {

bool mask_by_hand(const HeadsTab& tab, const Pane& pane, std::int64_t query, std::int64_t key) {
  Context& context = tab.context;
  if (!ImGui::GetIO().KeyShift || context.view.inspector.shows != "what if" || pane.kind != Pane::one || !context.edit)
    return false;
  const HeadRef ref = pane.heads.front();
  const AttentionSite& site = *tab.choice.layers[static_cast<std::size_t>(ref.layer)];
  const auto head = address_from_text(site.prefix + "head." + std::to_string(ref.head));
  if (!head) return false;
  if (!masks::allows(site.mask.mask, tab.choice.batch, ref.head, query, key)) {
    context.say(tr("The mask forbids this cell already"));
    return true;
  }
  const Intervention::Cell cell{query, key};
  context.edit(with_cell(context.document, *head, cell, !is_masked(context.document, *head, cell)));
  return true;
}

}  // namespace headlight::panels
