// The controls above and below the large picture of the Heads view.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>

#include "app/figures/base/theme.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/heads/parts.h"
#include "app/views/heads/query_names.h"
#include "imgui.h"

namespace headlight::views::heads {
namespace {

using Node = Sheet::Node;

constexpr float kNarrow = 760, kFolded = 183;
constexpr const char *kPages = "views", *kMore = "more";

// One of a few choices: its id in the ViewState, its text on the button, its tooltip.
struct Mode {
  const char* id;
  const char* label;
  const char* why;
};
constexpr Mode kShown[] = {
    {"scores", tr_later("scores"), tr_later("q·k of every query with every key, before scale and mask")},
    {"masked_scores", tr_later("masked"), tr_later("The scaled scores after the mask, as the softmax gets them")},
    {"weights", tr_later("weights"), tr_later("What the softmax makes of them: each query's weights sum to 1")},
};
constexpr Mode kRowWords[] = {
    {"written", tr_later("written"),
     tr_later("A row has the name of the word that its query writes: the next one of the target")},
    {"read", tr_later("read"), tr_later("A row has the name of the word that its query has read last")},
};
constexpr Mode kTogether[] = {
    {"side", tr_later("side by side"), tr_later("Each pinned head in a picture of its own")},
    {"overlay", tr_later("overlaid"), tr_later("All pinned heads in one picture, each in its hue")},
    {"mean", tr_later("mean"), tr_later("The mean of the pinned heads")},
    {"max", tr_later("largest"), tr_later("The largest weight that one of the pinned heads has in each cell")},
    {"rollout", tr_later("rollout"),
     tr_later("How much of each token arrives through all layers up to this one, taking the residual to carry one half "
              "(Abnar & Zuidema 2020)")},
};
constexpr Mode kRanges[] = {
    {"fixed", tr_later("0..1"), tr_later("Colours from 0 to 1 always: pictures can be compared")},
    {"own", tr_later("0..max"),
     tr_later("Colours from 0 to the largest weight shown, for long texts whose weights are all small")},
    {"row", tr_later("row"), tr_later("Each query by its own largest weight: where does it look most?")},
    {"log", tr_later("log"), tr_later("Powers of ten from 0.0001 to 1: small weights become visible")},
};

const Mode& mode_of(std::span<const Mode> modes, const std::string& id) {
  for (const Mode& mode : modes)
    if (id == mode.id) return mode;
  return modes.front();
}

// A mode as buttons side by side, or as a menu where there is no room for these.
Node buttons_of(Sheet& sheet, const char* id, std::span<const Mode> modes, std::string& chosen) {
  std::vector<std::string> labels, why;
  int selected = 0;
  for (const Mode& mode : modes) {
    if (chosen == mode.id) selected = static_cast<int>(labels.size());
    labels.emplace_back(tr(mode.label));
    why.emplace_back(tr(mode.why));
  }
  return sheet.choice(id, std::move(labels), selected, std::move(why),
                      [&chosen, modes](int clicked) { chosen = modes[static_cast<std::size_t>(clicked)].id; });
}
Node menu_of(Sheet& sheet, const char* id, std::string label, std::span<const Mode> modes, std::string& chosen) {
  const Mode& now = mode_of(modes, chosen);
  return sheet.menu({id, std::move(label), tr(now.label), tr(now.why), [&chosen, modes] {
                       for (const Mode& mode : modes)
                         if (ImGui::MenuItem(tr(mode.label), nullptr, chosen == mode.id)) chosen = mode.id;
                     }});
}
float width_of(const Node& node) { return node.forms[0].wide.wished; }

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
  return text;
}

std::size_t count_of(const HeadsTab& tab) {
  return shown_heads(tab.context.view, static_cast<std::int64_t>(tab.choice.layers.size()), tab.choice.site->heads).size();
}
bool several(const HeadsTab& tab) { return count_of(tab) > 1; }

// Whether the weights are those of a softmax, and the zoom of the picture.
void add_sums(std::vector<Node>& all, Sheet& sheet, const HeadsTab& tab, const Pane& pane) {
  const Context& context = tab.context;
  const ViewState& view = context.view;
  const figures::Theme& theme = context.theme;
  if (pane.kind == Pane::one) {
    if (const auto s = statistics(context, tab.choice, *tab.choice.site, tab.choice.head)) {
      char sum[32];
      if (std::isnan(s->worst_row_sum))
        std::snprintf(sum, sizeof sum, "NaN");
      else
        std::snprintf(sum, sizeof sum, "%.6f", s->worst_row_sum);
      all.push_back(sheet.label(
          "sums", fill(view.transposed && own(view).picture != "neuron" ? tr("columns sum to {}") : tr("rows sum to {}"), {sum}),
          ui::kSmall, std::abs(s->worst_row_sum - 1) < 5e-6 ? theme.good : theme.wrong,
          tr("The row whose sum is farthest from 1: a softmax makes every query's weights sum to 1")));
    }
  }
  if (view.zoom > 1 && own(view).picture != "neuron") {
    char zoom[32];
    std::snprintf(zoom, sizeof zoom, "%.1f", view.zoom);
    all.push_back(sheet.label("zoom", fill(tr("zoom {} ×, double click for the whole"), {zoom}), ui::kSmall, theme.secondary));
  }
}

// Words in place of pieces, in pictures of weights.
Node words_button(Sheet& sheet, const HeadsTab& tab) {
  ViewState& view = tab.context.view;
  const bool joins = words_of(tab.context, tab.choice) != nullptr;
  return sheet.button({.id = "words",
                       .label = tr("words"),
                       .on = view.words_together,
                       .why = joins ? tr(kWordsTogether) : tr("Every word of this sentence is one piece"),
                       .press = [&view] { view.words_together = !view.words_together; },
                       .enabled = joins || view.words_together,
                       .wide = 24 + std::ceil(tab.context.measure.width(tr("words"), 14, figures::Font::words)),
                       .high = ui::kPillHeight});
}

// Keys or queries as rows; what names the rows of cross-attention; all layers at once. With several heads the header shows how
// they are combined.
void add_turns(std::vector<Node>& all, Sheet& sheet, const HeadsTab& tab, const std::vector<Pane>& panes, float high) {
  ViewState& view = tab.context.view;
  if (own(view).picture == "neuron") return;
  // As wide as the buttons of a choice.
  const auto narrow = [&](const char* words) {
    return 24 + std::ceil(tab.context.measure.width(words, 14, figures::Font::words));
  };
  all.push_back(sheet.button({.id = "transpose",
                              .label = tr("transpose"),
                              .on = view.transposed,
                              .why = view.transposed ? tr("Rows are keys now: put the queries down again")
                                                     : tr("Put the keys down and the queries across, as many books do"),
                              .press =
                                  [&view] {
                                    view.transposed = !view.transposed;
                                    std::swap(view.pan_x, view.pan_y);
                                  },
                              .wide = narrow(tr("transpose")),
                              .high = high}));
  if (writes_words(tab.choice)) {
    all.push_back(sheet.label("row = word", tr("row = word"), ui::kSmall, tab.context.theme.secondary));
    all.push_back(buttons_of(sheet, "row-word", kRowWords, view.row_word));
  }
  const bool self = tab.choice.site->rows_are_targets == tab.choice.site->columns_are_targets;
  if (!self || several(tab)) return;
  const bool rollout = panes.front().kind == Pane::rollout;
  const Mode& all_layers = mode_of(kTogether, "rollout");
  const auto turn = [&view, rollout] { own(view).together = rollout ? "side" : "rollout"; };
  all.push_back(sheet.button({.id = "rollout",
                              .label = tr(all_layers.label),
                              .on = rollout,
                              .why = tr(all_layers.why),
                              .press = turn,
                              .wide = narrow(tr(all_layers.label)),
                              .high = high}));
}

// How several heads are combined; rollout, the last, needs layers that attend to the same sentence.
std::span<const Mode> together_of(const HeadsTab& tab) {
  const bool self = tab.choice.site->rows_are_targets == tab.choice.site->columns_are_targets;
  return std::span<const Mode>(kTogether).first(std::size(kTogether) - (self ? 0 : 1));
}

void add_pages(std::vector<Node>& all, Sheet& sheet, const HeadsTab& tab, std::int64_t pages) {
  if (pages < 2 || !tab.context.transient) return;
  std::int64_t& page = tab.context.transient->of<HeadsTransient>().page;
  all.push_back(sheet.stepper("page", fill(tr("page {} of {}"), {std::to_string(page + 1), std::to_string(pages)}), page, pages,
                              tr("Other pinned heads"), [&page](std::int64_t to) { page = to; }));
}

// Whether one can choose between scores, masked scores and weights: the neuron view shows all of them, and arcs and rollout exist
// for weights only.
bool chooses_step(const ViewState& view, const std::vector<Pane>& panes) {
  return own(view).picture != "neuron" && own(view).picture != "arcs" && panes.front().kind != Pane::rollout;
}

Node title_of(Sheet& sheet, const HeadsTab& tab, const std::string& title) {
  return sheet.label("title", title, ui::kHeading, tab.context.theme.text, {}, figures::Font::words_bold);
}

void draw_more(const HeadsTab& tab, const std::vector<Pane>& panes, const ui::Look& look) {
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(), screen = ImGui::GetMainViewport()->Size;
  const float wide = std::min(look.px(340), screen.x - look.px(16));
  if (ImGui::IsPopupOpen(kMore)) {
    // Below the button or above it, where there is more room: it opens inside the window.
    const bool above = low.y > screen.y - high.y;
    ImGui::SetNextWindowPos(
        {std::max(look.px(8), std::min(low.x, screen.x - wide - look.px(8))), above ? low.y - look.px(4) : high.y + look.px(4)},
        ImGuiCond_Always, {0, above ? 1.0f : 0.0f});
    ImGui::SetNextWindowSizeConstraints({wide, 0}, {wide, (above ? low.y : screen.y - high.y) - look.px(12)});
  }
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(16), look.px(12)));
  const bool open = ImGui::BeginPopup(kMore);
  ImGui::PopStyleVar();
  if (!open) return;
  const float inside = ImGui::GetContentRegionAvail().x / look.scale;
  draw_heads_scale(tab, panes, inside, false);
  Sheet sheet(tab.scene);
  std::vector<Node> all = order_nodes(sheet, tab);
  all.insert(all.begin(), words_button(sheet, tab));
  draw_flow(sheet, "heads", std::move(all), inside);
  ImGui::EndPopup();
}

// The button that opens the controls of colours, thumbnails and turning, which have no room of their own.
Node more_of(Sheet& sheet, const HeadsTab& tab, const std::vector<Pane>& panes) {
  const float wide = std::ceil(tab.context.measure.width(tr("more"), 14, figures::Font::words)) + 32;
  return sheet.by_hand({.id = "more",
                        .draw =
                            [&tab, &panes](const ui::Look& look, Size room) {
                              if (ui::button(look, ui::labelled(tr("more"), "heads more").c_str(), look.px(room.w), room.h,
                                             ImGui::IsPopupOpen(kMore)))
                                ImGui::OpenPopup(kMore);
                              draw_more(tab, panes, look);
                            },
                        .explains = tr("Colours and their range, transposing, rollout, sorting and filtering of the heads")},
                       wide, ui::kPillHeight);
}

}  // namespace

void draw_heads_header(const HeadsTab& tab, const std::vector<Pane>& panes, std::int64_t pages, float width, bool titled) {
  ViewState& view = tab.context.view;
  Sheet sheet(tab.scene);
  const bool together = several(tab) && own(view).picture != "neuron";
  std::vector<Node> all;
  if (together && width < kNarrow)
    all.push_back(
        menu_of(sheet, "together", fill(tr("{} heads"), {std::to_string(count_of(tab))}), together_of(tab), own(view).together));
  else if (titled || panes.size() > 1)
    all.push_back(title_of(
        sheet, tab, panes.size() == 1 ? panes.front().title : fill(tr("{} heads side by side"), {std::to_string(panes.size())})));
  // Buttons that can disappear come after those that stay, so that a button does not move away from under the mouse that pressed
  // it.
  float used = all.empty() ? 0 : width_of(all.front()) + 12;
  all.push_back(page_choice(sheet, heads_view(), kPages));
  used += width_of(all.back()) + 12;
  // Of the thumbnails, too, so that it stands here whatever the large picture is; as high as a menu, so that the row never
  // changes.
  Node words = words_button(sheet, tab);
  const float wide = width_of(words) + 12;
  const bool has_words = used + width_of(menu_of(sheet, "shown", "", kShown, view.shown)) + wide <= width;
  if (chooses_step(view, panes)) {
    if (view.shown != "scores" && view.shown != "masked_scores") view.shown = "weights";
    Node buttons = buttons_of(sheet, "shown", kShown, view.shown);
    // A menu if the row is too short for all buttons: a second row would take room from the picture.
    all.push_back(used + width_of(buttons) + (has_words ? wide : 0) <= width ? std::move(buttons)
                                                                             : menu_of(sheet, "shown", "", kShown, view.shown));
  }
  if (has_words) all.push_back(std::move(words));
  if (together && width >= kNarrow) all.push_back(buttons_of(sheet, "together", together_of(tab), own(view).together));
  add_pages(all, sheet, tab, pages);
  draw_flow(sheet, "heads", std::move(all), width);
}

float draw_heads_folded(const HeadsTab& tab, const std::vector<Pane>& panes, std::int64_t pages, float width, bool titled) {
  ViewState& view = tab.context.view;
  Sheet sheet(tab.scene);
  std::vector<Node> all;
  if (titled && panes.size() == 1) all.push_back(title_of(sheet, tab, panes.front().title));
  // Buttons, where there is room for them beside two menus.
  Node buttons = page_choice(sheet, heads_view(), kPages);
  all.push_back(!titled && width_of(buttons) <= width - kFolded ? std::move(buttons) : page_menu(sheet, heads_view(), kPages));
  if (chooses_step(view, panes)) {
    if (view.shown != "scores" && view.shown != "masked_scores") view.shown = "weights";
    all.push_back(menu_of(sheet, "shown", "", kShown, view.shown));
  }
  if (several(tab) && own(view).picture != "neuron")
    all.push_back(menu_of(sheet, "together", "", together_of(tab), own(view).together));
  all.push_back(more_of(sheet, tab, panes));
  add_pages(all, sheet, tab, pages);
  const float used = draw_flow(sheet, "heads", std::move(all), width);
  return used > 0 ? used + 12 : 0;
}

void draw_heads_scale(const HeadsTab& tab, const std::vector<Pane>& panes, float width, bool column, bool sums) {
  const AttentionChoice& choice = tab.choice;
  ViewState& view = tab.context.view;
  Sheet sheet(tab.scene);
  std::vector<Node> all;
  const std::string& picture = own(view).picture;
  if (picture != "neuron" && role_of(view, panes.front()) == Role::weights) {
    all.push_back(column ? menu_of(sheet, "range", "", kRanges, view.range) : buttons_of(sheet, "range", kRanges, view.range));
    if (picture == "heatmap")
      all.push_back(sheet.menu(
          {"colours", "", colormap_of(view), tr("Maps that colour-blind readers and grey printers can tell apart"), [&view] {
             for (const figures::Colormap& map : figures::colormaps().entries())
               if (!map.is_signed && ImGui::MenuItem(map.label.c_str(), nullptr, map.id == colormap_of(view)))
                 view.colormap = map.id;
           }}));
  }
  const auto [rows, columns] = matrix_size(view, choice);
  if (picture != "neuron" && picture != "arcs" && std::max(rows, columns) > 72)
    all.push_back(sheet.menu(
        {"reduction", tr("small cells"), view.reduction == "mean" ? tr("mean") : tr("largest"),
         tr("What stands for cells smaller than a pixel, or for several that share a dot: the largest keeps every strong weight "
            "visible, the mean shows how much there is"),
         [&view] {
           if (ImGui::MenuItem(tr("largest"), nullptr, view.reduction != "mean")) view.reduction = "max";
           if (ImGui::MenuItem(tr("mean"), nullptr, view.reduction == "mean")) view.reduction = "mean";
         }}));
  if (picture == "arcs") {
    double& share = own(view).arc_share;
    all.push_back(sheet.menu({"share", tr("arcs of"), share <= 0 ? std::string(tr("as many as fit")) : percent(share),
                              tr("How much of each query's weight its arcs hold, the strongest first"), [&share] {
                                if (ImGui::MenuItem(tr("as many as fit"), nullptr, share <= 0)) share = 0;
                                for (const double one : {1.0, 0.95, 0.9, 0.8, 0.7, 0.5, 0.3})
                                  if (ImGui::MenuItem(percent(one).c_str(), nullptr, std::abs(share - one) < 1e-9)) share = one;
                              }}));
  }
  add_turns(all, sheet, tab, panes, column ? ui::kPillHeight : 28);
  if (sums) add_sums(all, sheet, tab, panes.front());
  if (!all.empty()) draw_flow(sheet, "heads", std::move(all), width);
}

}  // namespace headlight::views::heads
