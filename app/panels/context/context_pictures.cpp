// The pictures of the Context view, which share the current layer, the selected sentence and the lit pair.
#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/stack.h"
#include "app/panels/context/context_tab.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

std::string with_sign(double value, const char* format) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

void choose_layer(const ContextTab& tab, std::int64_t layer) {
  const auto last = static_cast<std::int64_t>(tab.shown.compared->layers.size()) - 1;
  tab.context.view.context.layer = std::clamp<std::int64_t>(layer, 0, last);
  tab.own.playing_since = -1;
}

// What a file shows of a picture: nothing that the mouse lights.
figures::ContextChoice quiet_choice(const ContextTab& tab) {
  figures::ContextChoice choice = tab.choice;
  choice.lit = {};
  choice.hot_source = choice.hot_head = -1;
  return choice;
}

// Lights a pair in all pictures and says both of its numbers.
void light_pair(const ContextTab& tab, std::int64_t a, std::int64_t b, std::int64_t layer) {
  if (a > b) std::swap(a, b);
  const WordContext& compared = *tab.shown.compared;
  const auto count = static_cast<std::int64_t>(compared.texts.size());
  if (a < 0 || a == b || b >= count) return;
  tab.own.lit_next = {a, b};
  const WordContext::Layer& at = compared.layers[static_cast<std::size_t>(layer)];
  const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
  ui::tooltip(tab.look, fill(tr("sentences {} and {} after {} layers: distance {}, cosine {}"),
                             {std::to_string(figures::typed_number(tab.choice.numbers, i) + 1),
                              std::to_string(figures::typed_number(tab.choice.numbers, j) + 1), std::to_string(layer),
                              short_number(at.distance[i][j]), with_sign(at.cosine[i][j], "%.3f")}));
}

void draw_curves(const ContextTab& tab, float width, float height) {
  figures::Figure figure = figures::pair_curves(figures::curves_of(*tab.shown.compared, tab.choice), width, height,
                                                tab.look.theme, tab.context.measure);
  figure.background.a = 0;
  const gl::Hit hit = tab.context.figures.draw(figure, "curves");
  name_part(tab.context, "context:curves");
  if (hit.hovered && hit.tag.kind == figures::Tag::cell) light_pair(tab, hit.tag.a, hit.tag.b, tab.choice.layer);
  if (hit.hovered && hit.tag.kind == figures::Tag::column && (hit.clicked || hit.dragging)) choose_layer(tab, hit.tag.a);
  figure_menu(tab.context, "curves menu", hit, [&] {
    return figures::stacked({figures::pair_curves(figures::curves_of(*tab.shown.compared, quiet_choice(tab)), 640, 360,
                                                  tab.look.theme, tab.context.measure)},
                            0, 16);
  });
}

void draw_matrix(const ContextTab& tab, float width, float height) {
  figures::Figure figure = figures::pair_matrix(figures::matrix_of(*tab.shown.compared, tab.choice), width, height,
                                                tab.look.theme, tab.context.measure);
  figure.background.a = 0;
  const gl::Hit hit = tab.context.figures.draw(figure, "matrix");
  name_part(tab.context, "context:matrix");
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area) light_pair(tab, hit.row, hit.column, tab.choice.layer);
  if (hit.clicked && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0) tab.context.view.context.sentence = hit.row;
  figure_menu(tab.context, "matrix menu", hit, [&] {
    return figures::stacked({figures::pair_matrix(figures::matrix_of(*tab.shown.compared, quiet_choice(tab)), 480, 460,
                                                  tab.look.theme, tab.context.measure)},
                            0, 16);
  });
}

figures::AddedInput titled_added(const ContextTab& tab, const AttentionAdded& added, figures::ContextChoice choice) {
  choice.most_heads = 96;
  return figures::titled_added_of(*tab.shown.compared, added, choice);
}

// The sentence becomes the typed one; once it is computed, the head is shown with the word's row.
void open_head(const ContextTab& tab, std::int64_t head) {
  const WordInText& text = *tab.shown.compared->texts[static_cast<std::size_t>(tab.choice.sentence)];
  tab.own.opening = {text.sentence().text, text.stack, tab.choice.layer - 1, head, text.row};
  Document document = tab.context.document;
  document.texts = {text.sentence().text};
  if (document.targets.size() > 1) document.targets.resize(1);
  if (!(document == tab.context.document)) tab.context.edit(std::move(document));
}

void point_at_added(const ContextTab& tab, const AttentionAdded& added, const gl::Hit& hit) {
  const WordInText& text = *tab.shown.compared->texts[static_cast<std::size_t>(tab.choice.sentence)];
  const std::int64_t head = hit.tag.kind == figures::Tag::row ? hit.tag.a : hit.tag.b;
  if (hit.tag.kind == figures::Tag::token) tab.own.hot_source_next = hit.tag.a;
  tab.own.hot_head_next = head;
  if (head < 0) {
    if (hit.tag.a >= 0)
      ui::tooltip(tab.look,
                  fill(tr("{} gave {} of {}"),
                       {text.sentence().labels[static_cast<std::size_t>(hit.tag.a)],
                        with_sign(added.by_source[static_cast<std::size_t>(hit.tag.a)], "%+.3g"), short_number(added.length)}));
    return;
  }
  const AttentionAdded::Head& one = added.heads[static_cast<std::size_t>(head)];
  ui::tooltip(tab.look, fill(tr("head {} adds a vector of length {}, {} of it along the sum; a click opens it in Heads"),
                             {std::to_string(head), short_number(one.length), with_sign(one.along, "%+.3g")}));
  if (hit.clicked) open_head(tab, head);
}

}  // namespace

void draw_context_paths(const ContextTab& tab, float width, float height) {
  const WordContext& compared = *tab.shown.compared;
  figures::Figure figure =
      figures::context_paths(figures::paths_of(compared, tab.choice), width, height, tab.look.theme, tab.context.measure);
  figure.background.a = 0;
  const gl::Hit hit = tab.context.figures.draw(figure, "paths");
  name_part(tab.context, "context:paths");
  if (hit.hovered && hit.tag.kind == figures::Tag::cell) light_pair(tab, hit.tag.a, hit.tag.b, tab.choice.layer);
  if (hit.hovered && hit.tag.kind == figures::Tag::bar) {
    if (hit.clicked) {
      choose_layer(tab, hit.tag.b);
      tab.context.view.context.sentence = hit.tag.a;
    }
    ui::tooltip(tab.look,
                fill(tr("sentence {} after {} layers; a click goes there"),
                     {std::to_string(figures::typed_number(tab.choice.numbers, static_cast<std::size_t>(hit.tag.a)) + 1),
                      std::to_string(hit.tag.b)}));
  }
  figure_menu(tab.context, "paths menu", hit, [&] {
    return figures::stacked(
        {figures::context_paths(figures::paths_of(compared, quiet_choice(tab)), 760, 460, tab.look.theme, tab.context.measure)},
        0, 16);
  });
}

void draw_context_probes(const ContextTab& tab, float width, float height) {
  const ui::Look& look = tab.look;
  const float top = ImGui::GetCursorPosY();
  const float field = std::min(260.0f, width * 0.45f);
  const std::string title = tr("Cosine with probe words");
  look.figures.text(*ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(), title, ui::kHeading, Font::words_bold,
                    look.theme.text, look.px(width - field - 12));
  ImGui::SetCursorPos({ImGui::GetCursorPosX() + look.px(width - field), top});
  push_font(tab.context, Font::words, 15);
  ImGui::SetNextItemWidth(look.px(field));
  std::string typed = tab.context.view.context.probes;
  for (std::size_t i = 0; tab.context.view.context.probes.empty() && i < tab.state.words.probes.size(); ++i)
    typed += (i > 0 ? ", " : "") + tab.state.words.probes[i];
  if (ui::live_text_input("##probes", typed, tr("probe words"))) tab.context.view.context.probes = std::move(typed);
  ImGui::PopFont();
  ui::tooltip(look,
              tr("Words divided by commas, six at most. The cosine is with their rows of the embedding table; where the model "
                 "also predicts with that table, it shows which word it expects behind this one."));
  name_part(tab.context, "context:probes");
  if (!tab.state.probe_error.empty()) {
    ui::words(look, tab.state.probe_error, look.theme.wrong, 14);
    return;
  }
  const figures::ProbesInput input = figures::probes_of(*tab.shown.compared, tab.shown.probes, tab.choice);
  figures::Figure figure = figures::probe_bars(input, width, height, look.theme, tab.context.measure);
  figure.background.a = 0;
  const gl::Hit hit = tab.context.figures.draw(figure, "probes");
  name_part(tab.context, "context:probe-bars");
  if (hit.hovered && hit.tag.kind == figures::Tag::column && (hit.clicked || hit.dragging)) choose_layer(tab, hit.tag.a);
  figure_menu(tab.context, "probes menu", hit, [&] {
    return figures::framed(figures::probe_bars(input, 760, 220, look.theme, tab.context.measure), tr("Cosine with probe words"),
                           16, look.theme);
  });
}

void draw_context_pairs(const ContextTab& tab, float width, float height) {
  const auto count = tab.shown.compared->texts.size();
  draw_heading(tab.look, fill(tr("How alike the {} vectors are"), {std::to_string(count)}), "", width);
  const char* const labels[] = {tr("distance"), tr("cosine")};
  const char* const why[] = {tr("The length of the difference of two vectors"),
                             tr("The cosine of their angle: 1 where they point the same way, whatever their lengths")};
  const int clicked = ui::segmented(tab.look, "measure", labels, 2, tab.choice.cosine ? 1 : 0, why);
  if (clicked >= 0) tab.context.view.context.measure = clicked == 1 ? "cosine" : "distance";
  name_part(tab.context, "context:measure");
  const float matrix = std::clamp(width * 0.36f, 110.0f, height);
  draw_curves(tab, width - matrix - 16, height);
  ImGui::SameLine(0, tab.look.px(16));
  draw_matrix(tab, matrix, height);
}

void draw_context_added(const ContextTab& tab, float width, std::size_t most_heads) {
  if (tab.choice.layer < 1) {
    draw_heading(tab.look, tr("What attention added"), "", width);
    ui::words(tab.look, tr("Nothing yet: 0 is the embedding, before any layer. Pass a layer to see what its attention adds."),
              tab.look.theme.secondary, 14);
    return;
  }
  std::string error;
  const auto added = context_added(tab.context, tab.shown, tab.choice, &error);
  if (!added) {
    ui::words(tab.look, error.empty() ? tr("computing …") : error, tab.look.theme.secondary, 14);
    return;
  }
  figures::ContextChoice choice = tab.choice;
  choice.most_heads = most_heads;
  figures::AddedInput input = figures::added_of(*tab.shown.compared, *added, choice);
  draw_heading(tab.look,
               fill(tr("What attention added, {} → {}"), {std::to_string(choice.layer - 1), std::to_string(choice.layer)}),
               fill(tr("sentence {}"),
                    {std::to_string(figures::typed_number(choice.numbers, static_cast<std::size_t>(choice.sentence)) + 1)}),
               width);
  figures::Figure figure = figures::attention_added_bars(input, width, tab.look.theme, tab.context.measure);
  figure.background.a = 0;
  const gl::Hit hit = tab.context.figures.draw(figure, "added");
  name_part(tab.context, "context:added");
  if (hit.hovered && (hit.tag.kind == figures::Tag::token || hit.tag.kind == figures::Tag::row)) point_at_added(tab, *added, hit);
  figure_menu(tab.context, "added menu", hit, [&] {
    return figures::stacked(
        {figures::attention_added_bars(titled_added(tab, *added, quiet_choice(tab)), 760, tab.look.theme, tab.context.measure)},
        0, 16);
  });
}

}  // namespace headlight::panels
