#include "app/panels/embeddings/one_hot_page.h"

#include <algorithm>
#include <set>

#include "app/figures/base/stack.h"
#include "app/figures/embeddings/one_hot.h"
#include "app/gl/figure_view.h"
#include "app/panels/embeddings/embeddings_data.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

// The table's first two rows, those around the token's, and those of the sentence's other tokens, `most` at most. Without rows:
// there is no table.
figures::OneHotInput one_hot_input(const Context& context, std::size_t most, bool follows_chips, std::string* error) {
  figures::OneHotInput input;
  if (!context.trace) return input;
  const SharedSpace shared = space_of(context, error);
  const Sentence* const sentence = chosen_sentence(context);
  if (!shared.space || !sentence || sentence->tokens.empty()) return input;
  const EmbeddingSpace& space = *shared.space;
  const std::int64_t at = chosen_token(context, *sentence, follows_chips);
  const std::int64_t id = sentence->tokens[static_cast<std::size_t>(at)].id;
  input.vocabulary = space.tokens();
  input.dimensions = space.dimensions();
  if (id < 0 || id >= input.vocabulary) return input;
  std::set<std::int64_t> ids = {id};
  for (const std::int64_t near : {std::int64_t{0}, id - 1, id + 1, std::int64_t{1}})
    if (near >= 0 && near < input.vocabulary && ids.size() < most) ids.insert(near);
  for (const auto& token : sentence->tokens)
    if (token.id >= 0 && token.id < input.vocabulary && ids.size() < most) ids.insert(token.id);
  for (const std::int64_t row : ids) {
    if (row == id) input.chosen = input.rows.size();
    const auto token = static_cast<std::int32_t>(row);
    input.rows.push_back({row, space.tokenizer->display_text(token), row_of_token(space, token)});
  }
  return input;
}

}  // namespace

void draw_one_hot(Context& context, const ui::Look& look, float width, float height) {
  std::string error;
  const auto most = static_cast<std::size_t>(std::clamp((height - 190) / 44, 3.0f, 14.0f));
  const figures::OneHotInput input = one_hot_input(context, most, true, &error);
  if (input.rows.empty()) {
    ui::words(look, error.empty() ? tr("computing …") : error, error.empty() ? look.theme.secondary : look.theme.wrong, 15);
    return;
  }
  const Sentence& sentence = *chosen_sentence(context);
  const bool targets = shows_targets(context);
  const std::int64_t at = chosen_token(context, sentence, true), count = static_cast<std::int64_t>(sentence.tokens.size());
  const bool chip = hovered_token(*context.trace, targets, context.view.batch, context.hover.now) == at;
  if (chip && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) context.view.embeddings.token = at;
  const std::int64_t to =
      stepper(look, "token", fill(tr("token {}: {}"), {std::to_string(at), sentence.labels[static_cast<std::size_t>(at)]}), at,
              count, tr("Another token of the sentence; a click on its chip chooses it, too"));
  name_part(context, "embeddings:one-hot-token");
  if (to >= 0) context.view.embeddings.token = to;
  ImGui::Dummy({0, look.px(4)});
  figures::Figure figure = figures::one_hot_product(input, width, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "one-hot");
  name_part(context, "embeddings:one-hot");
  figure_menu(context, "one-hot menu", hit, [&] { return one_hot_figure(context, 860, 600); });
  if (hit.hovered && hit.tag.kind == figures::Tag::cell) {
    const auto& row = input.rows[static_cast<std::size_t>(hit.tag.a)];
    ui::tooltip(look,
                fill(tr("row {}, dimension {}: {}"), {std::to_string(row.id), std::to_string(hit.tag.b),
                                                      short_number(row.numbers[static_cast<std::size_t>(hit.tag.b)])}),
                "x W = Σᵢ xᵢ Wᵢ");
  } else if (hit.hovered && hit.tag.kind == figures::Tag::row) {
    const std::int64_t id = input.rows[static_cast<std::size_t>(hit.tag.a)].id;
    for (std::size_t i = 0; i < sentence.tokens.size(); ++i)
      if (hit.clicked && sentence.tokens[i].id == id) context.view.embeddings.token = static_cast<std::int64_t>(i);
  }
  ImGui::Dummy({0, look.px(4)});
  ui::words(
      look,
      tr("A token is a vector of zeros with a single 1. Multiplied by the table, every row is taken zero times but one: the "
         "product is that row, so that programs look it up instead."),
      look.theme.secondary, 14);
}

figures::Figure one_hot_figure(const Context& context, float width, float) {
  figures::OneHotInput input = one_hot_input(context, 8, false, nullptr);
  if (input.rows.empty()) return {};
  input.title = tr("One-hot times the embedding table is a row of it");
  return figures::stacked({figures::one_hot_product(input, width - 32, context.theme, context.measure)}, 0, 16);
}

}  // namespace headlight::panels
