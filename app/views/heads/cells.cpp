// Cells of a head's map that are masked by hand, and those without a finite number, which the legend leads to.
#include "app/panels/shared/head_switches.h"
#include "app/text/language.h"
#include "app/views/heads/parts.h"
#include "engine/attention/masks/combined.h"
#include "imgui.h"

namespace headlight::views::heads {

bool mask_by_hand(const HeadsTab& tab, const Pane& pane, std::int64_t query, std::int64_t key) {
  const Context& context = tab.context;
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
  context.edit(panels::with_cell(context.document, *head, cell, !panels::is_masked(context.document, *head, cell)));
  return true;
}

void count_hit(const HeadsTab& tab, const Pane& pane, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.kind != figures::Tag::non_finite) return;
  ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ui::tooltip(tab.look, tr("A click selects the next such cell, also in the heads and layers after this one"));
  if (!hit.clicked) return;
  const Context& context = tab.context;
  ViewState& view = context.view;
  const auto kind = static_cast<figures::NonFinite>(hit.tag.a);
  const CellPlace after{pane.heads.front(), view.pinned_column < 0 ? -1 : view.pinned_row, view.pinned_column};
  std::optional<CellPlace> found;
  if (pane.kind == Pane::one) {
    found = next_non_finite(context, tab.choice, role_of(view, pane), kind, after);
  } else if (const auto picture = pane_picture(context, tab.choice, pane)) {
    const std::int64_t queries = tab.choice.site->queries, keys = tab.choice.site->keys, cells = queries * keys;
    const std::int64_t from = after.query < 0 ? 0 : after.query * keys + after.key + 1;
    for (std::int64_t i = 0; i < cells && !found; ++i) {
      const std::int64_t at = (from + i) % cells, query = at / keys, key = at % keys;
      const std::int64_t place = view.transposed ? key * queries + query : at;
      if (figures::non_finite(picture->values.data<float>()[place]) == kind) found = CellPlace{after.head, query, key};
    }
  }
  if (!found) return;
  view.layer = found->head.layer;
  view.head = found->head.head;
  view.pinned_row = found->query;
  view.pinned_column = found->key;
  const auto [rows, columns] = matrix_size(view, tab.choice);
  Zoom(view.zoom, view.pan_x, view.pan_y, rows, columns)
      .bring_into_sight(view.transposed ? found->key : found->query, view.transposed ? found->query : found->key);
}

}  // namespace headlight::views::heads
