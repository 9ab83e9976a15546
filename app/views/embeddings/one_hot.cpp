// The Embeddings view's page on what an embedding is: a one-hot vector times the table is a look-up of one row.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "app/figures/base/stack.h"
#include "app/figures/embeddings/one_hot.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/attention_choice.h"
#include "app/views/embeddings/parts.h"
#include "imgui.h"

namespace headlight::views::word_vectors {
namespace {

using sheet::kAny;

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

void follow_row(const Scene& scene, const Sentence& sentence, const figures::OneHotInput& input, const gl::Hit& hit) {
  if (hit.hovered && hit.tag.kind == figures::Tag::cell) {
    const auto& row = input.rows[static_cast<std::size_t>(hit.tag.a)];
    say_at_mouse(scene,
                 fill(tr("row {}, dimension {}: {}"), {std::to_string(row.id), std::to_string(hit.tag.b),
                                                       short_number(row.numbers[static_cast<std::size_t>(hit.tag.b)])}),
                 "x W = Σᵢ xᵢ Wᵢ");
  } else if (hit.clicked && hit.tag.kind == figures::Tag::row) {
    const std::int64_t id = input.rows[static_cast<std::size_t>(hit.tag.a)].id;
    for (std::size_t i = 0; i < sentence.tokens.size(); ++i)
      if (sentence.tokens[i].id == id) scene.state<State>().token = static_cast<std::int64_t>(i);
  }
}

}  // namespace

sheet::Node one_hot_page(Sheet& sheet) {
  const Scene& scene = sheet.scene;
  const Context& context = scene.context;
  State& state = scene.state<State>();
  std::string error;
  const auto most = static_cast<std::size_t>(std::clamp((room_below(scene, 36) - 190) / 44, 3.0f, 14.0f));
  const auto input = std::make_shared<const figures::OneHotInput>(one_hot_input(context, most, true, &error));
  if (input->rows.empty()) return waiting(sheet, error);
  const Sentence& sentence = *chosen_sentence(context);
  const std::int64_t at = chosen_token(context, sentence, true), count = static_cast<std::int64_t>(sentence.tokens.size());
  const bool chip = hovered_token(*context.trace, shows_targets(context), context.view.batch, context.hover.now) == at;
  if (chip && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) state.token = at;
  std::vector<sheet::Node> all = {shown_everywhere(sheet.stepper(
      "one-hot-token", fill(tr("token {}: {}"), {std::to_string(at), sentence.labels[static_cast<std::size_t>(at)]}), at, count,
      tr("Another token of the sentence; a click on its chip chooses it, too"),
      [&state](std::int64_t to) { state.token = to; }))};
  all.push_back(sheet.picture(
      {.id = "one-hot",
       .picture = [input](Size s, const Pen& pen) { return figures::one_hot_product(*input, s.w, pen.theme, pen.measure); },
       .hit = [&scene, &sentence, input](const Drawn& drawn) { follow_row(scene, sentence, *input, drawn.hit); },
       .paper = {860, 0},
       .on_paper = [&context](Size s, const Pen&) { return figure_of_one_hot(context, s.w, 0); }},
      {300, 900, kAny}));
  all.push_back(plain_words(
      sheet, "look-up",
      tr("A token is a vector of zeros with a single 1. Multiplied by the table, every row is taken zero times but one: the "
         "product is that row, so that programs look it up instead."),
      14, scene.pen.theme.secondary));
  sheet::Node page = Sheet::column("one-hot page", 8, std::move(all));
  page.scrolls = true;
  return page;
}

figures::Figure figure_of_one_hot(const Context& context, float width, float) {
  figures::OneHotInput input = one_hot_input(context, 8, false, nullptr);
  if (input.rows.empty()) return {};
  input.title = tr("One-hot times the embedding table is a row of it");
  return figures::stacked({figures::one_hot_product(input, width - 32, context.theme, context.measure)}, 0, 16);
}

}  // namespace headlight::views::word_vectors
