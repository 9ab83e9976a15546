// The token chips under the pickers: one hue per token, at most two rows; with a second sentence one row each.
#include "app/window/shell/chips.h"

#include <algorithm>

#include "app/figures/base/mirror.h"
#include "app/figures/tokens/chip_rows.h"
#include "app/gl/figure_view.h"
#include "app/session/translator.h"
#include "app/text/direction.h"
#include "app/text/language.h"
#include "app/ui/widgets.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/mask_edit.h"
#include "app/views/base/menu.h"
#include "app/views/base/view.h"
#include "imgui.h"

namespace headlight::window {
namespace {

// More chips than fit into two rows are not created; of a longer sentence they are the last ones.
constexpr std::size_t kMost = 400;

bool lit(const views::Context& context, const views::AttentionChoice& choice, const tokenizers::Token& token, std::int64_t index,
         bool target) {
  const views::Hot& hot = context.hover.now;
  if (hot.byte_start >= 0) return hot.in_target == target && token.start < hot.byte_end && token.end > hot.byte_start;
  if (!choice.site) return false;
  const bool any = hot.row >= 0 || hot.column >= 0;
  const std::int64_t row = any ? hot.row : context.view.pinned_row, column = any ? hot.column : context.view.pinned_column;
  return (choice.site->rows_are_targets == target && row == index) ||
         (choice.site->columns_are_targets == target && column == index);
}

figures::ChipRowsInput chips_of(const views::Context& context, const views::AttentionChoice& choice, const Sentence& sentence,
                                bool target) {
  figures::ChipRowsInput input;
  const auto tokenizer = target ? context.trace->target_tokenizer() : context.trace->tokenizer();
  const std::int32_t unknown = tokenizer ? tokenizer->unknown_id() : -1;
  const std::size_t count = std::min(kMost, sentence.tokens.size());
  input.chips.reserve(count);
  for (std::size_t i = sentence.tokens.size() - count; i < sentence.tokens.size(); ++i) {
    const auto& token = sentence.tokens[i];
    figures::Chip chip;
    chip.text = i < sentence.labels.size() ? sentence.labels[i] : token.piece;
    if (tokenizer) chip.id = std::to_string(token.id);
    chip.hue = static_cast<int>(i % 12);
    chip.added = token.added;
    chip.unknown = token.id == unknown && unknown >= 0 && !token.added;
    chip.hot = lit(context, choice, token, static_cast<std::int64_t>(i), target);
    input.chips.push_back(std::move(chip));
  }
  input.total = static_cast<std::int64_t>(sentence.tokens.size());
  input.line = target ? 1 : 0;
  return input;
}

constexpr float kBetween = 6, kSlimBetween = 4;

// One thin line if the picture needs the height: in presentation mode, and in a window that is low for its scale.
bool slim(const views::Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  return context.view.presentation || ui::is_low(look);
}

struct Lines {
  std::vector<figures::ChipRowsInput> rows;
  std::vector<bool> turned;  // the row's sentence runs from right to left, and so do its tokens
};
figures::Figure line_figure(const views::Context& context, const Lines& lines, std::size_t row, float width) {
  figures::Figure figure = figures::chip_rows(lines.rows[row], width, context.theme, context.measure);
  return lines.turned[row] ? figures::mirrored(std::move(figure)) : figure;
}

Lines lines_of(const views::Context& context) {
  Lines lines;
  if (!context.trace || context.trace->texts().empty()) return lines;
  const views::AttentionChoice choice = views::choose_attention(context);
  const auto texts = context.trace->texts(), targets = context.trace->targets();
  const auto batch =
      static_cast<std::size_t>(std::clamp<std::int64_t>(context.view.batch, 0, static_cast<std::int64_t>(texts.size()) - 1));
  lines.rows.push_back(chips_of(context, choice, texts[batch], false));
  if (batch < targets.size()) {
    lines.rows.push_back(chips_of(context, choice, targets[batch], true));
    const SentenceLanguages languages = languages_of(context.trace->document());
    lines.rows[0].lead = languages.text.empty() ? tr("source") : languages.text;
    lines.rows[1].lead = languages.target.empty() ? tr("target") : languages.target;
    lines.rows[0].rows = lines.rows[1].rows = 1;
  }
  for (std::size_t i = 0; i < lines.rows.size(); ++i) {
    figures::ChipRowsInput& row = lines.rows[i];
    row.slim = slim(context);
    if (row.slim) row.rows = 1;
    lines.turned.push_back(reads_right_to_left(i == 0 ? texts[batch].text : targets[batch].text));
    if (lines.turned.back()) row.lead += (row.lead.empty() ? "" : ", ") + std::string(tr("from right to left"));
  }
  return lines;
}

// A token of one of the sentences.
struct ChipPlace {
  std::int64_t token = -1;
  bool target = false;
};

// A click: the open view shows this token, as its query, as its key where the queries are of the other sentence, or as the place
// that it predicts from. A second click lets go.
void select_token(views::Context& context, const views::AttentionChoice& choice, const ChipPlace& chip) {
  ViewState& view = context.view;
  const auto put = [&](std::int64_t& field) { field = field == chip.token ? -1 : chip.token; };
  const views::View* const open = views::registry().find(view.tab);
  if (open && open->token && (open->target || !chip.target)) {
    if (open->target && std::exchange(open->target(view), chip.target) != chip.target) open->token(view) = -1;
    return put(open->token(view));
  }
  if (!choice.site) return;
  view.inspector.step.clear();
  view.inspector.index.clear();
  if (choice.site->rows_are_targets == chip.target) {
    const bool again = view.pinned_row == chip.token && view.pinned_column < 0;
    view.pinned_row = again ? -1 : chip.token;
    view.pinned_column = -1;
  } else if (choice.site->columns_are_targets == chip.target) {
    put(view.pinned_column);
  }
}

// The painted mask with all queries kept from this key, or let look at it again.
Document masked_key(const Document& document, const views::AttentionChoice& choice, std::int64_t key, bool allow) {
  const views::CellRange column[] = {{0, key, choice.site->queries, 1}};
  return views::painted(document, choice.site->queries, choice.site->keys, column, allow);
}
bool is_masked_key(const Document& document, const views::AttentionChoice& choice, std::int64_t key) {
  const auto& mask = document.custom_mask;
  if (!mask || !views::layer_of(document, "custom") || key >= mask->keys) return false;
  for (std::int64_t query = 0; query < std::min(mask->queries, choice.site->queries); ++query)
    if (mask->values[static_cast<std::size_t>(query * mask->keys + key)]) return false;
  return true;
}

// What can be done with a token, under the right mouse button.
void draw_chip_menu(views::Context& context, const ui::Look& look, const views::AttentionChoice& choice, const ChipPlace& chip) {
  if (!views::begin_menu(context, look, "chip menu", false)) return;
  const auto sentences = chip.target ? context.trace->targets() : context.trace->texts();
  const auto batch = static_cast<std::size_t>(choice.batch);
  if (batch < sentences.size() && chip.token >= 0 && chip.token < static_cast<std::int64_t>(sentences[batch].tokens.size())) {
    const auto at = static_cast<std::size_t>(chip.token);
    const auto& sentence = sentences[batch];
    const std::string name = at < sentence.labels.size() ? sentence.labels[at] : sentence.tokens[at].piece;
    const bool is_key = choice.site && choice.site->columns_are_targets == chip.target && chip.token < choice.site->keys;
    const bool is_query = choice.site && choice.site->rows_are_targets == chip.target && chip.token < choice.site->queries;
    if (ImGui::MenuItem(fill(tr("Copy {}"), {name}).c_str())) ImGui::SetClipboardText(name.c_str());
    const bool masked = is_key && is_masked_key(context.document, choice, chip.token);
    if (ImGui::MenuItem(masked ? tr("Let the others look at it again") : tr("Mask it: nobody looks at it"), nullptr, false,
                        is_key && !context.computing))
      context.edit(masked_key(context.document, choice, chip.token, masked));
    for (const views::View& view : views::registry().entries())
      for (const views::TokenCommand& command : view.token_commands)
        if (ImGui::MenuItem(tr(command.label), nullptr, false, is_query || !command.of_query)) {
          context.view.tab = view.id;
          command.run(context.view, chip.token, chip.target);
        }
  }
  views::end_menu();
}

float between(const views::Context& context) { return slim(context) ? kSlimBetween : kBetween; }

}  // namespace

float chips_height(const views::Context& context, float width) {
  const Lines lines = lines_of(context);
  float height = 0;
  for (std::size_t i = 0; i < lines.rows.size(); ++i) height += line_figure(context, lines, i, width).height + between(context);
  return std::max((slim(context) ? figures::kSlimChip : figures::kChipHeight) + between(context), height);
}

void draw_chips(views::Context& context) {
  const Lines lines = lines_of(context);
  const float width = ImGui::GetContentRegionAvail().x / context.scale;
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  if (lines.rows.empty() || lines.rows[0].chips.empty()) {
    const auto& texts = context.document.texts;
    const bool empty = std::all_of(texts.begin(), texts.end(), [](const std::string& text) { return text.empty(); });
    if (!context.computing && (empty || !context.error))  // else another error is shown below, and there are no tokens
      ui::words(look, tr("no tokens: the sentence is empty"), look.theme.secondary);
    return;
  }
  const ImVec2 start = ImGui::GetCursorPos();
  const views::AttentionChoice choice = views::choose_attention(context);
  ChipPlace none, &asked = context.transient ? context.transient->of<ChipPlace>() : none;
  float y = start.y;
  for (std::size_t i = 0; i < lines.rows.size(); ++i) {
    const figures::Figure figure = line_figure(context, lines, i, width);
    ImGui::SetCursorPos({start.x, y});
    const gl::Hit hit = context.figures.draw(figure, i == 0 ? "chips" : "target chips");
    // A lesson can mark single chips: their positions are the figure's boxes.
    if (context.parts) {
      const ImVec2 origin = ImGui::GetItemRectMin();
      for (const auto& item : figure.items)
        if (const auto* box = std::get_if<figures::Rectangle>(&item); box && box->tag.kind == figures::Tag::token)
          context.parts->add((box->tag.b == 1 ? "target chip:" : "chip:") + std::to_string(box->tag.a),
                             origin.x + look.px(box->box.x), origin.y + look.px(box->box.y),
                             origin.x + look.px(box->box.x + box->box.w), origin.y + look.px(box->box.y + box->box.h));
      views::name_part(context, i == 0 ? "chips" : "target chips");
    }
    y += look.px(figure.height + between(context));
    if (hit.tag.kind != figures::Tag::token) continue;
    const bool target = hit.tag.b == 1;
    const auto sentences = target ? context.trace->targets() : context.trace->texts();
    const auto batch = static_cast<std::size_t>(
        std::clamp<std::int64_t>(context.view.batch, 0, static_cast<std::int64_t>(sentences.size()) - 1));
    const auto& tokens = sentences[batch].tokens;
    if (hit.tag.a < 0 || hit.tag.a >= static_cast<std::int64_t>(tokens.size())) continue;
    const auto& token = tokens[static_cast<std::size_t>(hit.tag.a)];
    context.hover.next.byte_start = token.start;
    context.hover.next.byte_end = std::max(token.end, token.start + (token.end == token.start ? 0 : 1));
    context.hover.next.in_target = target;
    context.hover.next.token = hit.tag.a;
    ui::tooltip(look, tr("Click: the view shows this token. Right click: copy, mask, nearest words, where it looks."));
    if (hit.clicked) select_token(context, choice, {hit.tag.a, target});
    if (hit.right_clicked) {
      asked = {hit.tag.a, target};
      ImGui::OpenPopup("chip menu");
    }
  }
  draw_chip_menu(context, look, choice, asked);
}

}  // namespace headlight::window
