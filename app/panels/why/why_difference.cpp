// What speaks for one word over another: the difference of their scores by layer, by head, and by the token that a head reads.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/figures/base/stack.h"
#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/shared/growing_column.h"
#include "app/panels/why/why_tab.h"
#include "app/text/language.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

std::string two_decimals(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.2f", v);
  return text;
}

figures::SignedBarsInput by_layer_input(const LogitDifference& difference) {
  figures::SignedBarsInput input;
  input.title = tr("By layer");
  input.mono = false;
  const std::vector<double> sums = difference.by_layer();
  for (std::size_t i = 0; i < sums.size(); ++i)
    input.rows.push_back({i == 0 ? tr("embedding") : fill(tr("layer {}"), {std::to_string(i - 1)}), sums[i], false, 0, ""});
  return input;
}

figures::SignedBarsInput by_source_input(const WhyPlace& place, const LogitDifference& difference) {
  figures::SignedBarsInput input;
  input.title = tr("By the token that heads read");
  const std::vector<double> sums = difference.by_source();
  const auto& labels = place.sentence().labels;
  for (std::size_t i = 0; i < std::min(sums.size(), labels.size()); ++i) input.rows.push_back({labels[i], sums[i], false, 0, ""});
  return input;
}

std::string head_name(const LogitDifference::Part& part) {
  std::string name = "L" + std::to_string(part.layer) + " H" + std::to_string(part.head);
  return part.place.ends_with("cross.") ? name + " " + tr("cross") : name;
}

// The largest heads; below each bar by how much the difference falls without the head.
figures::SignedBarsInput by_head_input(const LogitDifference& difference, const WithoutHeads* without, std::size_t most) {
  figures::SignedBarsInput input;
  input.title = tr("By head");
  for (const std::size_t i : largest_heads(difference, most)) {
    figures::SignedBarsInput::Row row{head_name(difference.parts[i]), difference.parts[i].logit, false, 0, ""};
    for (std::size_t n = 0; without && n < without->parts.size(); ++n)
      if (without->parts[n] == i) {
        row.has_second = true;
        row.second = difference.difference - without->differences[n];
      }
    input.rows.push_back(std::move(row));
  }
  input.second_title = without ? fill(tr("Thin, of the first {}: by how much the difference falls without the head, with what "
                                         "later layers make of it."),
                                      {std::to_string(without->parts.size())})
                               : tr("taking heads out …");
  return input;
}

gl::Hit draw_bars(const WhyTab& tab, const figures::SignedBarsInput& input, float width, const char* id, const char* part) {
  figures::Figure figure = figures::signed_bars(input, width, tab.look.theme, tab.context.measure);
  figure.background.a = 0;
  const gl::Hit hit = tab.context.figures.draw(figure, id);
  name_part(tab.context, part);
  figure_menu(tab.context, (std::string(id) + " menu").c_str(), hit, [&] {
    return figures::framed(figures::signed_bars(input, 420, tab.look.theme, tab.context.measure), "", 12, tab.look.theme);
  });
  return hit;
}

// Rows as high as they fit, or a row height at which the first ones do.
float row_height(std::size_t rows, float height) {
  return std::clamp((height - 50) / static_cast<float>(std::max<std::size_t>(1, rows)), 15.0f, 24.0f);
}

}  // namespace

void draw_why_difference(const WhyTab& tab, float width, float height) {
  std::string error;
  const auto difference = difference_of(tab.context, tab.place, tab.choice.word, tab.choice.over, &error);
  if (!difference) {
    ui::words(tab.look, error.empty() ? tr("computing …") : error,
              error.empty() ? tab.look.theme.secondary : tab.look.theme.wrong, 15);
    return;
  }
  const std::string word = tab.place.word(tab.choice.word), over = tab.place.word(tab.choice.over);
  const float top = ImGui::GetCursorScreenPos().y;
  draw_heading(tab.look, fill(tr("{} leads {} by {}"), {word, over, two_decimals(difference->difference)}),
               fill(tr("the parts add up to it; to the right: for {}, to the left: for {}"), {word, over}), width);
  const float left = height - (ImGui::GetCursorScreenPos().y - top) / tab.look.scale;
  const bool three = width >= 720;
  const float gap = 28, column = three ? std::floor((width - 2 * gap) / 3) : width;
  figures::SignedBarsInput layers = by_layer_input(*difference), sources = by_source_input(tab.place, *difference);
  layers.row_height = row_height(layers.rows.size(), left);
  sources.row_height = row_height(sources.rows.size(), left);
  const auto without = without_heads_of(tab.context, tab.place, difference, tab.choice.word, tab.choice.over);
  figures::SignedBarsInput heads = by_head_input(*difference, without.get(), left > 420 ? 14 : kMostRemoved);
  heads.row_height = std::max(22.0f, row_height(heads.rows.size(), left - 40));
  growing_column("layers", tab.look, column, [&] { draw_bars(tab, layers, column, "by layer", "why:layers"); });
  if (three) ImGui::SameLine(0, tab.look.px(gap));
  growing_column("heads", tab.look, column, [&] {
    const std::vector<std::size_t> parts = largest_heads(*difference, heads.rows.size());
    const gl::Hit hit = draw_bars(tab, heads, column, "by head", "why:difference heads");
    if (!hit.hovered || hit.tag.kind != figures::Tag::row) return;
    const LogitDifference::Part& part = difference->parts[parts[static_cast<std::size_t>(hit.tag.a)]];
    tab.context.hover.next.layer = part.layer;
    tab.context.hover.next.head = part.head;
    const figures::SignedBarsInput::Row& row = heads.rows[static_cast<std::size_t>(hit.tag.a)];
    ui::tooltip(tab.look, row.has_second
                              ? fill(tr("adds {} directly; without the head the difference is {}; a click opens it in Heads"),
                                     {two_decimals(part.logit), two_decimals(difference->difference - row.second)})
                              : fill(tr("adds {} directly; a click opens it in Heads"), {two_decimals(part.logit)}));
    const auto most = std::max_element(part.by_source.begin(), part.by_source.end(),
                                       [](double one, double other) { return std::abs(one) < std::abs(other); });
    if (hit.clicked)
      open_in_heads(tab.context.view, part.place, part.head, tab.place.position,
                    part.by_source.empty() ? -1 : most - part.by_source.begin());
  });
  if (three) ImGui::SameLine(0, tab.look.px(gap));
  growing_column("sources", tab.look, column, [&] { draw_bars(tab, sources, column, "by source", "why:sources"); });
}

figures::Figure difference_figure(const Context& context, const WhyPlace& place, float width) {
  const auto words = why_words(context, place);
  const WhyChoice choice = why_choice(context, place, words.get());
  if (choice.over < 0) return {};
  const auto difference = difference_of(context, place, choice.word, choice.over, nullptr);
  if (!difference) return {};
  const auto without = without_heads_of(context, place, difference, choice.word, choice.over);
  figures::Figure all = figures::stacked(
      {figures::signed_bars(by_layer_input(*difference), width, context.theme, context.measure),
       figures::signed_bars(by_head_input(*difference, without.get(), 12), width, context.theme, context.measure),
       figures::signed_bars(by_source_input(place, *difference), width, context.theme, context.measure)},
      20, 0);
  all.title =
      fill(tr("{} leads {} by {}"), {place.word(choice.word), place.word(choice.over), two_decimals(difference->difference)});
  return figures::framed(all, all.title, 0, context.theme);
}

}  // namespace headlight::panels
