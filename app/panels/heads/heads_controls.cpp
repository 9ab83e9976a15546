// The controls above and below the large picture of the Heads tab.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>

#include "app/figures/base/theme.h"
#include "app/panels/heads/heads_tab.h"
#include "app/panels/heads/query_names.h"
#include "app/panels/shared/menu.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kNarrow = 760, kFolded = 183;
constexpr float kControlsRow = 34, kRowGap = 8, kButton = 28;  // the lower buttons are centred in their row

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
constexpr Mode kViews[] = {
    {"heatmap", tr_later("map"), tr_later("A coloured cell for each query and key")},
    {"dots", tr_later("dots"), tr_later("A grid of dots: a dot's area is the weight")},
    {"arcs", tr_later("arcs"), tr_later("Two columns of tokens, joined by arcs as wide and strong as the weight")},
    {"neuron", tr_later("q·k"), tr_later("One query dimension by dimension: q, k, their products, the sum, the weight")},
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

// Groups of controls in a line, centred vertically; a group that does not fit begins a new line.
class Flow {
 public:
  Flow(const ui::Look& look, float width) : look_(look), left_(ImGui::GetCursorPosX()), width_(look.px(width)) {}
  void next(float wide, float high = kButton) {
    if (x_ > 0 && x_ + wide > width_) {
      x_ = 0;
      y_ += look_.px(kControlsRow + kRowGap);
    }
    if (!begun_) top_ = ImGui::GetCursorPosY();
    begun_ = true;
    ImGui::SetCursorPos({left_ + x_, top_ + y_ + look_.px((kControlsRow - high) / 2)});
    x_ += wide + look_.px(12);
  }
  float used() const { return y_ > 0 ? 0 : x_; }  // width of the single line in pixels; 0: there are several lines
  void end() {
    ImGui::SetCursorPos({left_, begun_ ? top_ + y_ + look_.px(kControlsRow) : ImGui::GetCursorPosY()});
    ImGui::Dummy({0, 0});
  }

 private:
  const ui::Look& look_;
  float left_, width_, x_ = 0, y_ = 0, top_ = 0;
  bool begun_ = false;
};

template <std::size_t n>
float modes_width(const ui::Look& look, const Mode (&modes)[n], std::size_t count) {
  float width = 0;
  for (std::size_t i = 0; i < count; ++i)
    width += look.figures.width(tr(modes[i].label), 14, Font::words) * look.scale + look.px(24) + (i ? look.px(4) : 0);
  return width;
}

template <std::size_t n>
void draw_modes(const ui::Look& look, Flow& flow, const char* id, const Mode (&modes)[n], std::string& chosen,
                std::size_t count = n) {
  flow.next(modes_width(look, modes, count));
  const char* labels[n];
  const char* why[n];
  int selected = 0;
  for (std::size_t i = 0; i < count; ++i) {
    labels[i] = tr(modes[i].label);
    why[i] = tr(modes[i].why);
    if (chosen == modes[i].id) selected = static_cast<int>(i);
  }
  const int clicked = ui::segmented(look, id, labels, static_cast<int>(count), selected, why);
  if (clicked >= 0) chosen = modes[clicked].id;
}

// A small button that opens a menu of a few values: "viridis ⌄".
template <class Items>
void draw_menu(Context& context, const ui::Look& look, Flow& flow, const char* id, const char* label, const std::string& value,
               const char* why, Items items) {
  flow.next(ui::pill_width(look, label, value), ui::kPillHeight);
  if (ui::pill(look, id, label, value, 0, ImGui::IsPopupOpen(id))) ImGui::OpenPopup(id);
  ui::tooltip(look, why);
  if (!begin_menu(context, look, id, true)) return;
  items();
  end_menu();
}

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
  return text;
}

bool several(const HeadsTab& tab) {
  return shown_heads(tab.context.view, static_cast<std::int64_t>(tab.choice.layers.size()), tab.choice.site->heads).size() > 1;
}

// Whether the weights are those of a softmax, and the zoom of the picture.
void draw_sums(const HeadsTab& tab, const Pane& pane, Flow& flow) {
  Context& context = tab.context;
  const ui::Look& look = tab.look;
  const AttentionChoice& choice = tab.choice;
  const ViewState& view = context.view;
  const auto line = [&](const std::string& words, figures::Color color) {
    flow.next(look.figures.width(words, ui::kSmall, Font::words) * look.scale + 2);
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + look.px(6));
    ui::words(look, words, color);
  };
  if (pane.kind == Pane::one) {
    if (const auto s = statistics(context, choice, *choice.site, choice.head)) {
      char sum[32];
      if (std::isnan(s->worst_row_sum))
        std::snprintf(sum, sizeof sum, "NaN");
      else
        std::snprintf(sum, sizeof sum, "%.6f", s->worst_row_sum);
      line(fill(view.transposed && view.heads.picture != "neuron" ? tr("columns sum to {}") : tr("rows sum to {}"), {sum}),
           std::abs(s->worst_row_sum - 1) < 5e-6 ? look.theme.good : look.theme.wrong);
      ui::tooltip(look, tr("The row whose sum is farthest from 1: a softmax makes every query's weights sum to 1"));
    }
  }
  if (view.zoom > 1 && view.heads.picture != "neuron") {
    char zoom[32];
    std::snprintf(zoom, sizeof zoom, "%.1f", view.zoom);
    line(fill(tr("zoom {} ×, double click for the whole"), {zoom}), look.theme.secondary);
  }
}

// What names the rows of cross-attention.
void draw_row_words(const HeadsTab& tab, Flow& flow, float high) {
  const ui::Look& look = tab.look;
  const char* const label = tr("row = word");
  const float wide = look.figures.width(label, ui::kSmall, Font::words) * look.scale;
  flow.next(wide, high);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + look.px((high - look.figures.line_height(ui::kSmall, Font::words)) / 2));
  ui::words(look, label, look.theme.secondary, ui::kSmall);
  draw_modes(look, flow, "row word", kRowWords, tab.context.view.heads.row_word);
  name_part(tab.context, "heads:row-word");
}

const Mode& mode_of(std::span<const Mode> modes, const std::string& id) {
  for (const Mode& mode : modes)
    if (id == mode.id) return mode;
  return modes.front();
}

// Keys or queries as rows; all layers at once. With several heads the header shows how they are combined.
void draw_turns(const HeadsTab& tab, const std::vector<Pane>& panes, Flow& flow, float high) {
  Context& context = tab.context;
  const ui::Look& look = tab.look;
  ViewState& view = context.view;
  if (view.heads.picture == "neuron") return;
  const char* transpose = tr("transpose");
  const float transpose_wide = look.figures.width(transpose, 14, Font::words) * look.scale + look.px(24);
  flow.next(transpose_wide, high);
  if (ui::button(look, ui::labelled(transpose, "transpose").c_str(), transpose_wide, high, view.transposed)) {
    view.transposed = !view.transposed;
    std::swap(view.pan_x, view.pan_y);
  }
  ui::tooltip(look, view.transposed ? tr("Rows are keys now: put the queries down again")
                                    : tr("Put the keys down and the queries across, as many books do"));
  if (writes_words(tab.choice)) draw_row_words(tab, flow, high);
  const bool self = tab.choice.site->rows_are_targets == tab.choice.site->columns_are_targets;
  if (!self || several(tab)) return;
  const Mode& all_layers = mode_of(kTogether, "rollout");
  const char* words = tr(all_layers.label);
  const bool rollout = panes.front().kind == Pane::rollout;
  const float rollout_wide = look.figures.width(words, 14, Font::words) * look.scale + look.px(24);
  flow.next(rollout_wide, high);
  if (ui::button(look, ui::labelled(words, "rollout").c_str(), rollout_wide, high, rollout))
    view.heads.together = rollout ? "side" : "rollout";
  ui::tooltip(look, tr(all_layers.why));
}

// The modes as a menu, if there is no room for buttons side by side.
void draw_modes_menu(const HeadsTab& tab, Flow& flow, const char* id, const char* label, std::span<const Mode> modes,
                     std::string& chosen) {
  const Mode& now = mode_of(modes, chosen);
  draw_menu(tab.context, tab.look, flow, id, label, tr(now.label), tr(now.why), [&] {
    for (const Mode& mode : modes)
      if (ImGui::MenuItem(tr(mode.label), nullptr, chosen == mode.id)) chosen = mode.id;
  });
}

// How several heads are combined; rollout, the last, needs layers that attend to the same sentence.
std::span<const Mode> together_of(const HeadsTab& tab) {
  const bool self = tab.choice.site->rows_are_targets == tab.choice.site->columns_are_targets;
  return std::span<const Mode>(kTogether).first(std::size(kTogether) - (self ? 0 : 1));
}

void draw_pages(const HeadsTab& tab, std::int64_t pages, Flow& flow) {
  Context& context = tab.context;
  const ui::Look& look = tab.look;
  if (pages < 2 || !context.transient) return;
  std::int64_t& page = context.transient->of<HeadsTransient>().page;
  const std::string words = fill(tr("page {} of {}"), {std::to_string(page + 1), std::to_string(pages)});
  flow.next(look.px(80) + look.figures.width(words, ui::kSmall, Font::words) * look.scale);
  if (ui::button(look, "<##page", look.px(28), 28, false, page > 0)) --page;
  ui::tooltip(look, tr("The heads before"));
  ImGui::SameLine(0, look.px(8));
  const float y = ImGui::GetCursorPosY();
  ImGui::SetCursorPosY(y + look.px(6));
  ui::words(look, words, look.theme.secondary);
  ImGui::SameLine(0, look.px(8));
  ImGui::SetCursorPosY(y);
  if (ui::button(look, ">##page", look.px(28), 28, false, page + 1 < pages)) ++page;
  ui::tooltip(look, tr("The next heads"));
}

// Whether one can choose between scores, masked scores and weights: the neuron view shows all of them, and arcs and rollout exist
// for weights only.
bool chooses_step(const ViewState& view, const std::vector<Pane>& panes) {
  return view.heads.picture != "neuron" && view.heads.picture != "arcs" && panes.front().kind != Pane::rollout;
}

}  // namespace

void draw_heads_header(const HeadsTab& tab, const std::vector<Pane>& panes, std::int64_t pages, float width, bool titled) {
  Context& context = tab.context;
  const ui::Look& look = tab.look;
  ViewState& view = context.view;
  const bool together = several(tab) && view.heads.picture != "neuron";
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float start = ImGui::GetCursorPosX();
  Flow flow(look, width);
  if (together && width < kNarrow) {
    const auto count = shown_heads(view, static_cast<std::int64_t>(tab.choice.layers.size()), tab.choice.site->heads).size();
    draw_modes_menu(tab, flow, "together", fill(tr("{} heads"), {std::to_string(count)}).c_str(), together_of(tab),
                    view.heads.together);
  } else if (titled || panes.size() > 1) {
    const std::string title =
        panes.size() == 1 ? panes.front().title : fill(tr("{} heads side by side"), {std::to_string(panes.size())});
    const float wide = std::min(context.measure.width(title, ui::kHeading, Font::words_bold), width);
    context.figures.text(*ImGui::GetWindowDrawList(), {at.x, at.y + look.px(6)}, title, ui::kHeading, Font::words_bold,
                         look.theme.text, look.px(width));
    flow.next(look.px(wide + 8));
  }
  const float first = flow.used();  // width of what precedes the buttons
  // Buttons that can disappear come after those that stay, so that a button does not move away from under the mouse that pressed
  // it.
  draw_modes(look, flow, "views", kViews, view.heads.picture);
  if (context.parts) context.parts->add("heads:views", at.x, at.y, at.x + look.px(width), ImGui::GetItemRectMax().y);
  if (chooses_step(view, panes)) {
    if (view.shown != "scores" && view.shown != "masked_scores") view.shown = "weights";
    // A menu if the row is too short for all buttons: a second row would take room from the picture.
    const float all = modes_width(look, kShown, std::size(kShown)) + modes_width(look, kViews, std::size(kViews)) + look.px(12);
    if (first + all <= look.px(width))
      draw_modes(look, flow, "shown", kShown, view.shown);
    else
      draw_modes_menu(tab, flow, "shown", "", kShown, view.shown);
  }
  if (together && width >= kNarrow) draw_modes(look, flow, "together", kTogether, view.heads.together, together_of(tab).size());
  draw_pages(tab, pages, flow);
  flow.end();
  ImGui::SetCursorPosX(start);
}

float draw_heads_folded(const HeadsTab& tab, const std::vector<Pane>& panes, std::int64_t pages, float width, bool titled) {
  constexpr const char* kMore = "heads more";
  Context& context = tab.context;
  const ui::Look& look = tab.look;
  ViewState& view = context.view;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float start = ImGui::GetCursorPosX();
  Flow flow(look, width);
  if (titled && panes.size() == 1) {
    const std::string& title = panes.front().title;
    const float wide = std::min(context.measure.width(title, ui::kHeading, Font::words_bold), width);
    context.figures.text(*ImGui::GetWindowDrawList(), {at.x, at.y + look.px(6)}, title, ui::kHeading, Font::words_bold,
                         look.theme.text, look.px(width));
    flow.next(look.px(wide + 4));
  }
  // Buttons, where there is room for them beside two menus.
  if (!titled && modes_width(look, kViews, std::size(kViews)) <= look.px(width - kFolded))
    draw_modes(look, flow, "views", kViews, view.heads.picture);
  else
    draw_modes_menu(tab, flow, "views", "", kViews, view.heads.picture);
  if (context.parts) context.parts->add("heads:views", at.x, at.y, ImGui::GetItemRectMax().x, ImGui::GetItemRectMax().y);
  if (chooses_step(view, panes)) {
    if (view.shown != "scores" && view.shown != "masked_scores") view.shown = "weights";
    draw_modes_menu(tab, flow, "shown", "", kShown, view.shown);
  }
  if (several(tab) && view.heads.picture != "neuron")
    draw_modes_menu(tab, flow, "together", "", together_of(tab), view.heads.together);
  flow.next(look.figures.width(tr("more"), 14, Font::words) * look.scale + look.px(32), ui::kPillHeight);
  if (ui::button(look, ui::labelled(tr("more"), "heads more").c_str(), 0, ui::kPillHeight, ImGui::IsPopupOpen(kMore)))
    ImGui::OpenPopup(kMore);
  name_part(context, "heads:more");
  ui::tooltip(look, tr("Colours and their range, transposing, rollout, sorting and filtering of the heads"));
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(), screen = ImGui::GetMainViewport()->Size;
  const float wide = std::min(look.px(340), screen.x - look.px(16));
  ImGui::SetNextWindowPos({std::max(look.px(8), std::min(low.x, screen.x - wide - look.px(8))), high.y + look.px(4)});
  ImGui::SetNextWindowSizeConstraints({wide, 0}, {wide, std::max(look.px(120), screen.y - high.y - look.px(12))});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(look.px(16), look.px(12)));
  const bool open = ImGui::BeginPopup(kMore);
  ImGui::PopStyleVar();
  if (open) {
    const float inside = ImGui::GetContentRegionAvail().x / context.scale;
    draw_heads_scale(tab, panes, inside, false);
    draw_heads_order(tab, inside);
    ImGui::EndPopup();
  }
  draw_pages(tab, pages, flow);
  const float used = flow.used();
  flow.end();
  ImGui::SetCursorPosX(start);
  return used / context.scale;
}

void draw_heads_scale(const HeadsTab& tab, const std::vector<Pane>& panes, float width, bool column, bool sums) {
  Context& context = tab.context;
  const ui::Look& look = tab.look;
  const AttentionChoice& choice = tab.choice;
  ViewState& view = context.view;
  Flow flow(look, width);
  const bool weights = view.heads.picture != "neuron" && role_of(view, panes.front()) == Role::weights;
  if (weights) {
    if (column)
      draw_modes_menu(tab, flow, "range", "", kRanges, view.range);
    else
      draw_modes(look, flow, "range", kRanges, view.range);
    if (view.heads.picture == "heatmap")
      draw_menu(context, look, flow, "colours", "", colormap_of(view),
                tr("Maps that colour-blind readers and grey printers can tell apart"), [&] {
                  for (const figures::Colormap& map : figures::colormaps().entries())
                    if (!map.is_signed && ImGui::MenuItem(map.label.c_str(), nullptr, map.id == colormap_of(view)))
                      view.colormap = map.id;
                });
  }
  const std::int64_t longest = std::max(choice.site->queries, choice.site->keys);
  if (view.heads.picture != "neuron" && view.heads.picture != "arcs" && longest > 72)
    draw_menu(
        context, look, flow, "reduction", tr("small cells"), view.reduction == "mean" ? tr("mean") : tr("largest"),
        tr("What stands for cells smaller than a pixel, or for several that share a dot: the largest keeps every strong weight "
           "visible, the mean shows how much there is"),
        [&] {
          if (ImGui::MenuItem(tr("largest"), nullptr, view.reduction != "mean")) view.reduction = "max";
          if (ImGui::MenuItem(tr("mean"), nullptr, view.reduction == "mean")) view.reduction = "mean";
        });
  if (view.heads.picture == "arcs")
    draw_menu(context, look, flow, "share", tr("arcs of"),
              view.heads.arc_share <= 0 ? std::string(tr("as many as fit")) : percent(view.heads.arc_share),
              tr("How much of each query's weight its arcs hold, the strongest first"), [&] {
                if (ImGui::MenuItem(tr("as many as fit"), nullptr, view.heads.arc_share <= 0)) view.heads.arc_share = 0;
                for (const double share : {1.0, 0.95, 0.9, 0.8, 0.7, 0.5, 0.3})
                  if (ImGui::MenuItem(percent(share).c_str(), nullptr, std::abs(view.heads.arc_share - share) < 1e-9))
                    view.heads.arc_share = share;
              });
  draw_turns(tab, panes, flow, column ? ui::kPillHeight : kButton);
  if (sums) draw_sums(tab, panes.front(), flow);
  flow.end();
}

}  // namespace headlight::panels
