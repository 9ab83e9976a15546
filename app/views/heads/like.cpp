// Which heads look like this? Cells of the map that were chosen, and all heads in the order of the weight that they give these.
#include <algorithm>
#include <cmath>

#include "app/text/language.h"
#include "app/views/heads/parts.h"
#include "app/views/heads/query_names.h"
#include "engine/insight/heads_at_cells.h"
#include "imgui.h"

namespace headlight::views::heads {

std::vector<MapCell> chosen_cells(const ViewState& view) {
  std::vector<MapCell> cells;
  for (const std::string& text : own(view).cells)
    if (const auto cell = cell_from_text(text)) cells.push_back(*cell);
  return cells;
}

namespace {

// heads_at_cells() between the words that the cells are pieces of.
Result<std::vector<HeadAtCells>> heads_at_words(const Trace& trace, const std::vector<AttentionSite>& sites, std::int64_t batch,
                                                const std::vector<MapCell>& cells, const AttentionWords& words,
                                                const CancelToken& cancel) {
  std::vector<HeadAtCells> all;
  for (const AttentionSite& site : sites)
    for (std::int64_t head = 0; head < site.heads; ++head) {
      if (cancel.cancelled()) return cancelled();
      HL_ASSIGN(const Tensor tile, trace.tile(trace.name_at(site.prefix, Role::weights), {batch, head}));
      const Tensor mask = site_mask(site, batch, head), may = words_mask(mask, words);
      const Tensor weights = words_weights(tile, mask, words);
      double sum = 0;
      int count = 0;
      for (const MapCell& cell : cells) {
        const std::int64_t row = words.rows.at(cell.query), column = words.columns.at(cell.key);
        if (row < 0 || column < 0 || (!may.empty() && may.at({row, column}) == 0)) continue;
        sum += weights.at({row, column});
        ++count;
      }
      all.push_back({site.prefix, site.layer, head, count > 0 ? std::optional(sum / count) : std::nullopt});
    }
  return all;
}

}  // namespace

std::shared_ptr<const std::vector<HeadAtCells>> heads_like(const Context& context, const AttentionChoice& choice) {
  const std::vector<MapCell> cells = chosen_cells(context.view);
  if (cells.empty()) return nullptr;
  DerivedKey key("heads/like", {context.trace->generation(), choice.kind, choice.batch});
  for (const MapCell& cell : cells) key.add(cell.query).add(cell.key);
  key.add(choice.words != nullptr).add(choice.words && names_written(context, choice));
  std::vector<AttentionSite> sites;
  for (const AttentionSite* site : choice.layers) sites.push_back(*site);
  return context.derived
      .later<std::vector<HeadAtCells>>(key,
                                       [trace = context.trace, sites = std::move(sites), batch = choice.batch,
                                        words = choice.words, cells](const CancelToken& cancel) {
                                         return words ? heads_at_words(*trace, sites, batch, cells, *words, cancel)
                                                      : heads_at_cells(*trace, sites, batch, cells, cancel);
                                       })
      .value;
}

bool choose_cell(const HeadsTab& tab, std::int64_t query, std::int64_t key) {
  const ImGuiIO& io = ImGui::GetIO();
  if (!io.KeyCtrl && !io.KeyShift) return false;
  std::vector<std::string>& cells = own(tab.context.view).cells;
  const std::string cell = text_of_cell({query, key});
  // Of a sentence before, a cell may be none of the map's.
  const AttentionSite& site = *tab.choice.site;
  std::erase_if(cells, [&](const std::string& text) {
    const auto at = cell_from_text(text);
    return !at || at->query >= site.queries || at->key >= site.keys;
  });
  if (std::erase(cells, cell) == 0) cells.push_back(cell);
  if (cells.empty() && own(tab.context.view).order == "cells") own(tab.context.view).order = "model";
  return true;
}

void offer_heads_like(const HeadsTab& tab, std::int64_t query, std::int64_t key) {
  State& state = own(tab.context.view);
  const bool cell = query >= 0 && key >= 0, several = state.cells.size() > 1;
  if (!cell && state.cells.empty()) return;
  const std::string words = several ? fill(tr("Which heads look like these {} cells?"), {std::to_string(state.cells.size())})
                                    : std::string(tr("Which heads look like this?"));
  if (ImGui::MenuItem(ui::labelled(words.c_str(), "like").c_str())) {
    if (!several && cell) state.cells = {text_of_cell({query, key})};
    state.order = "cells";
  }
  ui::tooltip(tab.look, tr("Sorts all heads by the weight they give this cell; a click with Ctrl chooses several"));
  if (state.order == "cells" && ImGui::MenuItem(tr("The heads by layer again"))) {
    state.order = "model";
    state.cells.clear();
  }
}

void mark_chosen_cells(const HeadsTab& tab, const figures::Box& plot, const PaneWindow& window, ImVec2 origin) {
  const ViewState& view = tab.context.view;
  if (own(view).picture != "heatmap" && own(view).picture != "dots") return;
  const float wide = plot.w / static_cast<float>(std::max<std::int64_t>(1, window.columns)),
              high = plot.h / static_cast<float>(std::max<std::int64_t>(1, window.rows));
  const AttentionWords* const words = shown_words(view, tab.choice);
  for (MapCell cell : chosen_cells(view)) {
    if (words) cell = {words->rows.at(cell.query), words->columns.at(cell.key)};
    const std::int64_t row = (view.transposed ? cell.key : cell.query) - window.first_row,
                       column = (view.transposed ? cell.query : cell.key) - window.first_column;
    if (row < 0 || row >= window.rows || column < 0 || column >= window.columns) continue;
    const float x = plot.x + static_cast<float>(column) * wide, y = plot.y + static_cast<float>(row) * high;
    const float scale = tab.look.scale;
    ImGui::GetWindowDrawList()->AddRect({origin.x + x * scale, origin.y + y * scale},
                                        {origin.x + (x + wide) * scale, origin.y + (y + high) * scale},
                                        gl::packed(tab.look.theme.info), 0, 0, std::max(2.0f, 2 * scale));
  }
}

}  // namespace headlight::views::heads
