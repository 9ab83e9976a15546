// The Masks tab: layers on the left; on the right their effect on the selected attention, which can be painted with the mouse or
// the keyboard.
#include <algorithm>
#include <iterator>

#include "app/figures/base/compose.h"
#include "app/gl/figure_view.h"
#include "app/panels/masks/mask_effect.h"
#include "app/panels/masks/mask_tab.h"
#include "app/panels/panels.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/next_word_lines.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

constexpr float kGap = 16;

const char* const kPages[] = {"paint", "shapes", "fill"};

int page_of(const ViewState& view) { return view.masks.page == "shapes" ? 1 : view.masks.page == "fill" ? 2 : 0; }

void draw_right(MaskTab& tab, float width, float height) {
  const ui::Look& look = tab.look;
  Context& context = tab.context;
  const float top = ImGui::GetCursorPosY();
  const int page = page_of(context.view);
  const bool presented = context.view.presentation;  // the palette has the controls
  const char* const pages[] = {tr("paint"), tr("shapes"), tr("-inf or -1e9")};
  const char* const help[] = {tr("The mask over the attention: paint and erase cells, before and after beside each other"),
                              tr("Each mask as the array it is, and how it is broadcast to the shape of the scores"),
                              tr("What replaces a masked score, and what softmax makes of it")};
  const char* const parts[] = {"", "masks:shapes", "masks:fill"};
  for (int i = 0; i < 3 && !presented; ++i) {
    if (i) ImGui::SameLine(0, look.px(4));
    if (ui::button(look, pages[i], button_width(look, pages[i], 28), 28, i == page)) context.view.masks.page = kPages[i];
    ui::tooltip(look, help[i]);
    if (i && i != page) name_part(context, parts[i]);  // names the tab as the way to a page that is not open
  }
  if (!presented) {
    ImGui::SameLine(0, look.px(20));
    if (ImGui::GetContentRegionAvail().x < look.px(250)) ImGui::NewLine();
    draw_attention_bar(context, look, tab.choice);
    ImGui::Dummy({0, look.px(2)});
  }
  const float room = std::max(80.0f, height - (ImGui::GetCursorPosY() - top) / look.scale);
  if (page == 1)
    draw_mask_shapes(tab, width);
  else if (page == 2)
    draw_mask_fill(tab, width, room);
  else
    draw_mask_canvas(tab, width, room);
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  MaskTab tab{context, look, choose_masked(context), nullptr};
  if (tab.choice.site) tab.count = mask_count(context, tab.choice);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = room.x / context.scale, height = room.y / context.scale;
  const float left = context.view.presentation ? 0 : std::clamp(width * 0.3f, 248.0f, 320.0f) + kGap;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (left > 0) {
    if (ImGui::BeginChild("layers", {look.px(left - kGap), room.y}, ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoBackground))
      draw_mask_layers(tab);
    ImGui::Dummy({0, 0});
    ImGui::EndChild();
    name_part(context, "masks:layers");
    ImGui::SameLine(0, look.px(kGap));
  }
  if (ImGui::BeginChild("picture", {0, room.y}, ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoBackground)) {
    if (!says_no_attention(context, look, tab.choice)) draw_right(tab, std::max(120.0f, width - left), height);
  }
  // The content ends at its last item, so that a page that just fits needs no scrollbar.
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() - ImGui::GetStyle().ItemSpacing.y);
  ImGui::Dummy({0, 0});
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

figures::Figure figure(const Context& context, float width, float height) {
  switch (page_of(context.view)) {
    case 1: return shapes_figure(context, width);
    case 2: return fill_figure(context, width, height);
    default: return canvas_figure(context, width, height);
  }
}

}  // namespace

figures::Figure canvas_figure(const Context& context, float width, float height) {
  const AttentionChoice choice = choose_masked(context);
  if (!choice.site) return {};
  figures::MaskPicturesInput input = canvas_input(context, choice);
  input.title =
      attention_title(choice) + ", " + (context.document.masks.empty() ? tr("no mask") : masks::to_text(context.document.masks));
  if (context.view.masks.shows == "all") height = std::min(height, 0.6f * width);
  figures::Figure next = mask_next(context, width);
  const float under = next.items.empty() ? 0 : next.height + 12;
  figures::Figure figure = figures::mask_pictures(input, width, height - under, context.theme, context.measure);
  if (under <= 0) return figure;
  figures::move(next, 0, figure.height + 12);
  std::move(next.items.begin(), next.items.end(), std::back_inserter(figure.items));
  std::move(next.data.begin(), next.data.end(), std::back_inserter(figure.data));
  figure.height += under;
  return figure;
}

figures::Figure mask_next(const Context& context, float width) {
  const auto input = next_word_lines(context, {tr("next word with these masks"), tr("with the model's own masks"), true});
  return input ? figures::next_lines(*input, width, context.theme, context.measure) : figures::Figure();
}

AttentionChoice choose_masked(const Context& context) {
  AttentionChoice choice = choose_attention(context);
  if (choice.words) choice.words = words_of(context, choice, false);
  return choice;
}

bool can_paint(const AttentionChoice& choice) {
  const masks::Entry* custom = masks::registry().find("custom");
  return choice.site && custom && masks::applies(*custom, choice.site->site);
}

void Flow::next(float width) {
  if (!first_) {
    ImGui::SameLine(0, look_.px(gap_));
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
  }
  first_ = false;
}

float button_width(const ui::Look& look, const char* label, float padding) {
  return look.figures.width(label, 14, figures::Font::words) * look.scale + look.px(padding);
}

float segmented_width(const ui::Look& look, const char* const* labels, int count) {
  float width = look.px(4.0f * static_cast<float>(count - 1));
  for (int i = 0; i < count; ++i) width += button_width(look, labels[i], 24);
  return width;
}

namespace {

std::vector<Control> strip_controls(Context& context) {
  const AttentionChoice choice = context.trace ? choose_attention(context) : AttentionChoice();
  if (!choice.site || choice.site->queries == 0 || context.view.masks.page == "shapes") return {};
  const std::vector<std::string> names = row_labels(context, choice);
  const std::int64_t row = std::min(context.view.masks.row, choice.site->queries - 1);
  std::string widest = tr("all");
  for (const std::string& name : names)
    if (context.measure.width(name, 14, figures::Font::words) > context.measure.width(widest, 14, figures::Font::words))
      widest = name;
  return {{.id = "row",
           .label = tr("row"),
           .why = tr("Line by line, as a decoder generates: what the next token may see"),
           .value = row < 0 ? std::string(tr("all")) : names[static_cast<std::size_t>(row)],
           .widest = widest,
           .at = row + 1,
           .count = choice.site->queries + 1,
           .step = [&view = context.view](std::int64_t to) { view.masks.row = to - 1; }}};
}

}  // namespace

Entry masks_panel() {
  Entry entry = {"masks",
                 "Masks",
                 "masked = mask ? scaled : -inf, then softmax",
                 "Vaswani et al. 2017, 3.2.3; Beltagy et al. 2020 (Longformer)",
                 draw,
                 figure};
  // The page that is painted on shows the weights in four ways.
  entry.pages.list = {
      {"before", tr_later("before"), tr_later("The weights without any mask, in any layer")},
      {"after", tr_later("after"), tr_later("The weights under the masks, which can be painted and erased with the mouse")},
      {"difference", tr_later("difference"), tr_later("With masks minus without: where the weight went")},
      {"all", tr_later("all three"), tr_later("Before, after and difference side by side")},
      {"shapes", tr_later("shapes"),
       tr_later("Each mask as the array it is, and how it is broadcast to the shape of the scores")},
      {"fill", tr_later("-inf or -1e9"), tr_later("What replaces a masked score, and what softmax makes of it")}};
  entry.pages.shown = [](const Context& context) {
    return page_of(context.view) == 0 ? context.view.masks.shows : context.view.masks.page;
  };
  entry.pages.show = [](ViewState& view, const std::string& value) {
    const bool page = value == "shapes" || value == "fill";
    view.masks.page = page ? value : "paint";
    if (!page) view.masks.shows = value;
  };
  entry.of_head = [](const ViewState&) { return true; };
  entry.controls = strip_controls;
  return entry;
}

}  // namespace headlight::panels
