// The plane of the Context view: the word's paths, or the queries and keys of one head in the selected sentence.
#include <algorithm>

#include "app/figures/base/stack.h"
#include "app/panels/context/context_tab.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/text/language.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

void draw_space(const ContextTab& tab, float width, float height) {
  if (tab.choice.layer < 1) {
    ui::words(tab.look, tr("0 is the embedding: no head has asked or answered yet. Pass a layer to see its queries and keys."),
              tab.look.theme.secondary, 14);
    return;
  }
  std::string error;
  const auto space = context_space(tab.context, tab.shown, tab.choice, &error);
  if (!space) {
    ui::words(tab.look, error.empty() ? tr("computing …") : error, tab.look.theme.secondary, 14);
    return;
  }
  const figures::QueryKeyInput input = figures::query_key_of(*tab.shown.compared, *space, tab.choice);
  figures::Figure figure = figures::query_key_plane(input, width, height, tab.look.theme, tab.context.measure);
  figure.background.a = 0;
  const gl::Hit hit = tab.context.figures.draw(figure, "space");
  name_part(tab.context, "context:space");
  const std::string& selected = input.names[static_cast<std::size_t>(input.query)];
  if (hit.hovered && hit.tag.kind == figures::Tag::row) {
    tab.own.hot_source_next = hit.tag.a;
    if (hit.clicked) tab.context.view.context.query = hit.tag.a;
    ui::tooltip(tab.look, fill(tr("the query of {}; a click shows its strongest keys"),
                               {input.names[static_cast<std::size_t>(hit.tag.a)]}));
  }
  if (hit.hovered && hit.tag.kind == figures::Tag::column) {
    tab.own.hot_source_next = hit.tag.a;
    const auto j = static_cast<std::size_t>(hit.tag.a);
    ui::tooltip(tab.look, j < input.hidden.size() && input.hidden[j]
                              ? fill(tr("the key of {}: masked for {}"), {input.names[j], selected})
                              : fill(tr("the key of {}: {} of the weight of {}"),
                                     {input.names[j], short_number(input.weights[j]), selected}));
  }
  figure_menu(tab.context, "space menu", hit, [&] {
    figures::QueryKeyInput quiet = input;
    quiet.hot = -1;
    return figures::stacked({figures::query_key_plane(quiet, 760, 480, tab.look.theme, tab.context.measure)}, 0, 16);
  });
}

}  // namespace

void draw_context_plane(const ContextTab& tab, float width, float height) {
  ContextView& view = tab.context.view.context;
  const bool space = view.plane == "queries";
  const char* const labels[] = {tr("paths"), tr("queries and keys")};
  const char* const why[] = {tr("The word's vector after every layer, of all sentences in one plane"),
                             tr("Queries and keys of one head in the selected sentence: a query points at its strongest keys")};
  const int clicked = ui::segmented(tab.look, "plane", labels, 2, space ? 1 : 0, why);
  if (clicked >= 0) view.plane = clicked == 1 ? "queries" : "paths";
  name_part(tab.context, "context:plane");
  if (!space) {
    draw_context_paths(tab, width, height);
    return;
  }
  const WordInText& text = *tab.shown.compared->texts[static_cast<std::size_t>(tab.choice.sentence)];
  if (const AttentionSite* const site = figures::site_of(text, tab.choice.layer)) {
    const std::string words = fill(tr("head {}"), {std::to_string(tab.choice.head)});
    next_on_line(tab.look, tab.look.figures.width(words, 14, Font::words) + 2 * 26 + 18, 12);
    const std::int64_t to =
        stepper(tab.look, "head", words, tab.choice.head, site->heads, tr("Whose queries and keys are shown"));
    if (to >= 0) view.head = to;
    name_part(tab.context, "context:head");
  }
  draw_space(tab, width, height);
}

}  // namespace headlight::panels
