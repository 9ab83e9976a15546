#include "app/panels/values/values_scale.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "app/figures/base/stack.h"
#include "app/gl/figure_view.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/values/values_figures.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "engine/core/one_nan.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

// Changing the weights may move the strongest cell to another row; the shown row must stay.
void keep_row(Context& context, const RowSum& row) {
  if (context.view.pinned_row < 0) pin_row(context, row);
}

void edit_temperature(Context& context, const RowSum& row, double value) {
  keep_row(context, row);
  Document document = context.document;
  document.temperature = value;
  context.edit(std::move(document));
}

void edit_scale(Context& context, const RowSum& row, const std::string& value) {
  keep_row(context, row);
  Document document = context.document;
  document.scale = value;
  context.edit(std::move(document));
}

// Rounded as the slider shows it, so that the document contains the number that is displayed.
double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", one_nan(value));
  return std::strtod(text, nullptr);
}

void draw_controls(Context& context, const ui::Look& look, const RowSum& row, float width) {
  const Document& document = context.document;
  const float reset = 34, number = 84, track = look.px(width - reset - number - 16);

  ui::caption(look, tr("temperature T: softmax(score / T)"));
  double temperature = document.temperature;
  if (number_slider(look, "##temperature", &temperature, 0.05, 20, true, track))
    edit_temperature(context, row, rounded(temperature));
  ui::tooltip(look,
              tr("Below 1 the row sharpens until one key gets everything, above 1 it flattens. Recomputes everything as "
                 "you drag; Ctrl+click types a number."),
              tr("weights = softmax(score / T)"));
  name_part(context, "values:temperature");
  slider_number(look, "T = " + short_number(document.temperature), number);
  if (ui::button(look, "1##temperature", look.px(reset), 28, false, document.temperature != 1)) edit_temperature(context, row, 1);
  ui::tooltip(look, tr("Back to T = 1"));

  ui::caption(look, tr("scale: what q·k is multiplied by before softmax"));
  const std::string root = "1/√" + std::to_string(row.d_k);
  const char* const labels[] = {root.c_str(), "1", tr("own")};
  const bool own = document.scale != "sqrt" && document.scale != "none";
  const int clicked = ui::segmented(look, "scale", labels, 3,
                                    own                        ? 2
                                    : document.scale == "none" ? 1
                                                               : 0,
                                    tr("What the scores are multiplied by before softmax: take 1 and see the weights sharpen"));
  ui::tooltip(look, tr("1/√d_k keeps the spread of the scores near 1 however long the vectors are; 1 leaves them as they are"));
  name_part(context, "values:scale buttons");
  if (clicked == 0) edit_scale(context, row, "sqrt");
  if (clicked == 1) edit_scale(context, row, "none");
  const auto as_text = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", one_nan(value));
    return std::string(text);
  };
  if (clicked == 2 && !own) edit_scale(context, row, as_text(scale_of(document, row.d_k)));
  if (own) {
    double scale = scale_of(document, row.d_k);
    if (number_slider(look, "##scale", &scale, 0.01, 4, true, track)) edit_scale(context, row, as_text(scale));
    ui::tooltip(look, tr("The number that every score is multiplied by; Ctrl+click types one"));
    slider_number(look, "× " + short_number(scale), number);
    ImGui::NewLine();
  }
}

}  // namespace

void draw_scale(Context& context, const ui::Look& look, const AttentionChoice& choice, const RowSum& row, float width) {
  const ImVec2 title = ImGui::GetCursorScreenPos();
  const float line = context.measure.line_height(16, Font::words_bold);
  context.figures.text(*ImGui::GetWindowDrawList(), title, tr("Scale and temperature"), 16, Font::words_bold, look.theme.text);
  ImGui::Dummy({look.px(width), look.px(line + 2)});
  draw_controls(context, look, row, width);
  if (row.parts.empty()) return;
  ImGui::Dummy({0, look.px(2)});
  figures::CurvesInput input = scale_input(context, choice, row);
  const Hot& hot = context.hover.now;
  for (std::size_t i = 0; i < row.parts.size(); ++i)
    if (row.parts[i].key == hot.column) input.hot = static_cast<std::int64_t>(i);
  figures::Figure figure = figures::curves(input, width, 210, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "softmax");
  name_part(context, "values:scale");
  if (hit.hovered) {
    const std::int64_t at = figures::curve_point_at(figure, input, hit.at);
    if (at >= 0 && at < static_cast<std::int64_t>(row.parts.size())) {
      const auto i = static_cast<std::size_t>(at);
      const RowSum::Part& part = row.parts[i];
      context.hover.next.row = row.query;
      context.hover.next.column = part.key;
      context.hover.next.value = {context.trace->name_at(row.prefix, Role::weights), {row.batch, row.head, row.query, part.key}};
      ui::tooltip(look, fill(tr("{}: q·k = {}; weight {} at scale 1, {} at 1/√d_k, {} as chosen"),
                             {input.x_words.empty() ? std::to_string(part.key) : input.x_words[i], short_number(part.score),
                              short_number(input.curves[0].y[i]), short_number(input.curves[1].y[i]),
                              short_number(input.curves[2].y[i])}));
    }
  }
  figure_menu(context, "softmax menu", hit, [&] {
    input.hot = -1;
    input.margin = 12;
    return figures::curves(input, 720, 420, context.theme, context.measure);
  });

  const std::string d = std::to_string(row.d_k);
  const bool additive = choice.site && !choice.site->score_vector.empty();  // then a score is no product
  if (!additive)
    ui::words(look,
              fill(tr("q·k adds up {} products. If the components of q and k are independent with mean 0 and variance 1, its "
                      "variance is d_k = {}: the longer the vectors, the further apart the scores, until softmax gives one key "
                      "everything and hardly learns. 1/√{} brings the variance back to 1 (Vaswani et al. 2017, footnote 4)."),
                   {d, d, d}),
              look.theme.secondary, 14);
  if (!std::isnan(row.score_variance)) {
    const double scale = choice.site->scale;
    ui::words(look,
              fill(additive ? tr("In this head the variance of the scores is {}, after scaling {}.")
                            : tr("In this head the variance of q·k is {}, after scaling {}."),
                   {short_number(row.score_variance), short_number(row.score_variance * scale * scale)}),
              look.theme.text, 14);
  }
}

}  // namespace headlight::panels
