// Whether order matters: the same words in two orders, with positions and without.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "app/figures/base/stack.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/positions/parts.h"

namespace headlight::views::placed {
namespace {

using Node = sheet::Node;

constexpr float kWidestTable = 640;

Node words_to_order(Sheet& sheet, const Context& context, const Error* error) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  if (error) return words_of(sheet, "order words", spoken(*error), 14, theme.wrong);
  if (context.trace && is_reordered(*context.trace)) return computing(sheet, "order words");
  return words_of(sheet, "order words",
                  tr("The same words in two orders: do their vectors come out the same? Two sentences of the same tokens are "
                     "compared here with positions and without."),
                  14, theme.secondary);
}

Node order_answer(Sheet& sheet, const OrderEffects& effects) {
  auto input = std::make_shared<figures::TableInput>(order_table(effects));
  const bool bag = effects.without.largest < 1e-4 * std::max(1e-9, effects.without.words.front().length);
  input->note =
      bag ? tr("Without positions attention sees a bag of words: both sentences give the same set of vectors, so nothing "
               "behind it can tell who bites whom. With positions each word's vector depends on where it stands.")
          : tr("A mask tells order as well: even without positions a word's vector depends on what stands before it.");
  return sheet.picture(
      {.id = "order table",
       .picture = [input](Size s, const Pen& pen) { return figures::table(*input, s.w, pen.theme, pen.measure); },
       .paper = {kWidestTable, 0},
       .on_paper =
           [input](Size s, const Pen& pen) {
             return figures::stacked({figures::table(*input, s.w, pen.theme, pen.measure)}, 0, 16);
           }},
      {200, kWidestTable, kWidestTable});
}

}  // namespace

sheet::Node order_question(Sheet& sheet, const Shared& frame) {
  const Context& context = frame->context();
  Node title = sheet.label("order title", tr("Does order matter?"), ui::kHeading, sheet.scene.pen.theme.text, {},
                           figures::Font::words_bold);
  title.forms[0].wide = title.forms[0].wide.wished;
  std::vector<Node> line = {
      std::move(title),
      sheet.button({.id = "order",
                    .label = tr("man bites dog / dog bites man"),
                    .why = tr("Makes these two sentences the document: the same words in another order, without a mask. Ctrl+Z "
                              "brings yours back."),
                    .press = [frame] {
                      frame->context().edit(reordered_example(frame->context().document));
                      frame->scene.view.batch = 0;
                    }})};
  for (Node& one : line) one.presented = true;
  const Error* error = nullptr;
  const auto effects = order_effects(context, &error);
  Node column = Sheet::column("order column", 4,
                              {Sheet::flow("order line", 16, std::move(line)),
                               effects && !error ? order_answer(sheet, *effects) : words_to_order(sheet, context, error)});
  column.wide = {0, kWidestTable, kWidestTable};
  return column;
}

figures::Figure order_figure(const Context& context, float width, float) {
  const auto effects = order_effects(context, nullptr);
  if (!effects) return {};
  return figures::stacked({figures::table(order_table(*effects), std::min(width, kWidestTable), context.theme, context.measure)},
                          0, 16);
}

}  // namespace headlight::views::placed
