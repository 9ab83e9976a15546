// The Masks view: layers on the left; on the right their effect on the selected attention, which can be painted with the mouse or
// the keyboard. Two pages more show the masks as arrays and what replaces a masked score.
#include "app/views/base/view.h"

#include <algorithm>

#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/attention_nodes.h"
#include "app/views/masks/parts.h"
#include "imgui.h"

namespace headlight::views {

const View& masks_view();

namespace masked {
namespace {

using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr float kGap = 16;

// Two rows of buttons, one for what the painted page shows. A button is named as the way to a page that is not open.
std::vector<Node> page_buttons(Sheet& sheet) {
  ViewState& view = sheet.scene.view;
  const View& masks = masks_view();
  const std::size_t now = masks.shown_page(sheet.scene.context);
  std::vector<Node> painted, others;
  for (std::size_t i = 0; i < masks.pages.size(); ++i) {
    const Page& page = masks.pages[i];
    const std::string value = masks.value_of(page);
    const bool other = value == "shapes" || value == "fill";
    // What the masks change is on three of the pages; the first of them stands for it.
    const bool effect = value == "difference" && (now == 1 || now > 3);
    std::string id = i == now ? value + " page" : value;
    if (effect) id = "effect";
    (other ? others : painted)
        .push_back(sheet.button({.id = id,
                                 .label = tr(page.label),
                                 .on = i == now,
                                 .why = tr(page.why),
                                 .press = [&view, &masks, i] { masks.show(view, i); },
                                 .high = 28}));
  }
  return {Sheet::row("painted pages", 4, std::move(painted)), Sheet::row("other pages", 4, std::move(others))};
}

Node layers(Sheet& sheet, const Shared& tab) {
  const float wide = std::clamp(sheet.scene.room.w * 0.3f, 248.0f, 320.0f);
  return sheet.by_hand({.id = "layers",
                        .draw =
                            [tab](const ui::Look& look, Size room) {
                              if (ImGui::BeginChild("layers", {look.px(room.w), look.px(room.h)}, ImGuiChildFlags_NavFlattened,
                                                    ImGuiWindowFlags_NoBackground))
                                draw_mask_layers(*tab);
                              ImGui::Dummy({0, 0});
                              ImGui::EndChild();
                            }},
                       {248, wide, wide}, {60, 60, kAny});
}

figures::Figure figure_of_page(const Context& context, float width, float height) {
  const std::string& page = own(context).page;
  return page == "shapes" ? shapes_figure(context, width)
         : page == "fill" ? fill_figure(context, width, height)
                          : canvas_figure(context, width, height);
}

Sheet sheet_of(const Scene& scene) {
  const Context& context = scene.context;
  Sheet sheet(scene);
  if (scene.medium == sheet::Medium::file) {
    sheet.root = sheet.picture(
        {.id = "picture", .picture = [&context](Size s, const Pen&) { return figure_of_page(context, s.w, s.h); }}, 0, Span(0));
    return sheet;
  }
  const auto tab = std::make_shared<MaskTab>(MaskTab{scene, context, look_of(scene), choose_masked(context), nullptr});
  if (tab->choice.site) tab->count = mask_count(context, tab->choice);
  Node right;
  if (auto notice = no_attention(sheet, tab->choice)) {
    right = Sheet::column("nothing", 0, {std::move(*notice)});
  } else {
    std::vector<Node> controls = page_buttons(sheet);
    for (Node& node : attention_nodes(sheet, tab->choice)) controls.push_back(std::move(node));
    const std::string& page = own(context).page;
    right = page == "shapes" ? shapes_page(sheet, tab, std::move(controls))
            : page == "fill" ? fill_page(sheet, tab, std::move(controls))
                             : canvas_page(sheet, tab, std::move(controls));
  }
  sheet.root = Sheet::row("masks", kGap, {layers(sheet, tab), std::move(right)});
  return sheet;
}

// The row up to which the mask is shown; -1, all rows at once, comes between the last and the first.
void step_row(Context& context, std::int64_t step) {
  const AttentionChoice choice = context.trace ? choose_attention(context) : AttentionChoice();
  if (!choice.site) return;
  const std::int64_t n = choice.site->queries + 1;
  own(context).row = (own(context).row + 1 + step + n) % n - 1;
}

std::vector<Control> strip_controls(Context& context) {
  const AttentionChoice choice = context.trace ? choose_attention(context) : AttentionChoice();
  if (!choice.site || choice.site->queries == 0 || own(context).page == "shapes") return {};
  const std::vector<std::string> names = row_labels(context, choice);
  const std::int64_t row = std::min(own(context).row, choice.site->queries - 1);
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
           .step = [&state = own(context)](std::int64_t to) { state.row = to - 1; }}};
}

}  // namespace

AttentionChoice choose_masked(const Context& context) {
  AttentionChoice choice = choose_attention(context);
  if (choice.words) choice.words = words_of(context, choice, false);
  return choice;
}

bool can_paint(const AttentionChoice& choice) {
  const masks::Entry* custom = masks::registry().find("custom");
  return choice.site && custom && masks::applies(*custom, choice.site->site);
}

float button_width(const ui::Look& look, const char* label, float padding) {
  return look.figures.width(label, 14, figures::Font::words) * look.scale + look.px(padding);
}

}  // namespace masked

const View& masks_view() {
  using namespace masked;
  static const View view = {
      .id = "masks",
      .label = tr_later("Masks"),
      .sees = tr_later("Which tokens each token may see, and what a mask changes"),
      .formula = "masked = mask ? scaled : -inf, then softmax",
      .source = "Vaswani et al. 2017, 3.2.3; Beltagy et al. 2020 (Longformer)",
      .group = "attention",
      .icon = "3,3 17,3 17,17 3,17 3,3; 3,3 17,17; 7.7,3 17,12.3; 12.3,3 17,7.7",
      // The page that is painted on shows the weights in four ways.
      .pages = {{"before", tr_later("before"), tr_later("The weights without any mask, in any layer"), false, nullptr,
                 "one head's weights without any mask"},
                {"", tr_later("after"), tr_later("The weights under the masks, which can be painted and erased with the mouse"),
                 true, ""},
                {"difference", tr_later("difference"), tr_later("With masks minus without: where the weight went"), true, nullptr,
                 "what the masks change in one head's weights"},
                {"all", tr_later("all three"), tr_later("Before, after and difference side by side"), true, nullptr,
                 "one head's weights before and under the masks, and the difference"},
                {"shapes", tr_later("shapes"),
                 tr_later("Each mask as the array it is, and how it is broadcast to the shape of the scores"), false, nullptr,
                 "each mask as an array, and broadcast to the scores"},
                {"fill", tr_later("-inf or -1e9"), tr_later("What replaces a masked score, and what softmax makes of it"), false,
                 nullptr, "one row of scores masked with -inf and with -1e9"}},
      .page = [](ViewState& v) -> std::string& { return v.own.of<State>().shown(); },
      .first = "after",
      .turn = [](ViewState& v, const std::string& page) { v.own.of<State>().show(page); },
      .sheet = sheet_of,
      .samples = {{"line-by-line", [](ViewState& v) { v.own.of<State>().row = 5; }}},
      .commands = {{"row_next", tr_later("Masks: one row on"),
                    tr_later("Line by line, as a decoder generates: what the next token may see"), nullptr, nullptr,
                    [](Context& context) { step_row(context, 1); }},
                   {"row_previous", tr_later("Masks: one row back"), tr_later("Line by line: what the token before may see"),
                    nullptr, nullptr, [](Context& context) { step_row(context, -1); }}},
      .filed = "picture",
      .of_head = [](const ViewState&) { return true; },
      .controls = strip_controls,
      .offers = {{Offers::masks, [](ViewState& v) { v.own.of<State>().page = "paint"; }}},
      .toured = {.masked = true, .staged = {{.id = "two", .two_sentences = true}}}};
  return view;
}

}  // namespace headlight::views
