// Cells of a head's map that are masked by hand, and those without a finite number, which the legend leads to.
#include "app/text/language.h"
#include "app/views/base/head_switches.h"
#include "app/views/heads/parts.h"
#include "app/views/heads/query_names.h"
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
  const bool masks = !is_masked(context.document, *head, {query, key});
  Document document = context.document;
  // Of words the cells of all their pieces.
  const AttentionWords* const words = shown_words(context.view, tab.choice);
  const auto pieces = [](const WordGroups& of, std::int64_t token) { return of.words[static_cast<std::size_t>(of.at(token))]; };
  const auto rows = words ? pieces(words->rows, query) : WordGroups::Word{query, query + 1, {}},
             columns = words ? pieces(words->columns, key) : WordGroups::Word{key, key + 1, {}};
  for (std::int64_t i = rows.begin; i < rows.end; ++i)
    for (std::int64_t j = columns.begin; j < columns.end; ++j)
      if (masks::allows(site.mask.mask, tab.choice.batch, ref.head, i, j)) document = with_cell(document, *head, {i, j}, masks);
  context.edit(std::move(document));
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
  const AttentionWords* const words = shown_words(view, tab.choice);
  const auto row_of = [&](std::int64_t query) { return words ? words->rows.at(query) : query; };
  const auto column_of = [&](std::int64_t key) { return words ? words->columns.at(key) : key; };
  std::optional<CellPlace> found;
  if (pane.kind == Pane::one) {
    found = next_non_finite(context, tab.choice, role_of(view, pane), kind, after);
  } else if (const auto picture = pane_picture(context, tab.choice, pane)) {
    const auto [rows, columns] = matrix_size(view, tab.choice);
    const std::int64_t queries = view.transposed ? columns : rows, keys = view.transposed ? rows : columns,
                       cells = queries * keys;
    const std::int64_t from = after.query < 0 ? 0 : row_of(after.query) * keys + column_of(after.key) + 1;
    for (std::int64_t i = 0; i < cells && !found; ++i) {
      const std::int64_t at = (from + i) % cells, query = at / keys, key = at % keys;
      const std::int64_t place = view.transposed ? key * queries + query : at;
      if (figures::non_finite(picture->values.data<float>()[place]) == kind)
        found = words ? CellPlace{after.head, words->rows.last_token(query), words->columns.last_token(key)}
                      : CellPlace{after.head, query, key};
    }
  }
  if (!found) return;
  view.layer = found->head.layer;
  view.head = found->head.head;
  view.pinned_row = found->query;
  view.pinned_column = found->key;
  const auto [rows, columns] = matrix_size(view, tab.choice);
  Zoom(view.zoom, view.pan_x, view.pan_y, rows, columns)
      .bring_into_sight(view.transposed ? column_of(found->key) : row_of(found->query),
                        view.transposed ? row_of(found->query) : column_of(found->key));
}

}  // namespace headlight::views::heads
