// The token chips under the pickers: one hue per token, at most two rows; with a second sentence one row each.
#include <algorithm>

#include "app/figures/tokens/chip_rows.h"
#include "app/gl/figure_view.h"
#include "app/panels/shared/attention_choice.h"
#include "app/session/translator.h"
#include "app/text/language.h"
#include "app/ui/widgets.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

// More chips than fit into two rows are not created; of a longer sentence they are the last ones.
constexpr std::size_t kMost = 400;

bool lit(const Context& context, const AttentionChoice& choice, const tokenizers::Token& token, std::int64_t index, bool target) {
  const Hot& hot = context.hover.now;
  if (hot.byte_start >= 0) return hot.in_target == target && token.start < hot.byte_end && token.end > hot.byte_start;
  if (!choice.site) return false;
  const bool any = hot.row >= 0 || hot.column >= 0;
  const std::int64_t row = any ? hot.row : context.view.pinned_row, column = any ? hot.column : context.view.pinned_column;
  return (choice.site->rows_are_targets == target && row == index) ||
         (choice.site->columns_are_targets == target && column == index);
}

figures::ChipRowsInput chips_of(const Context& context, const AttentionChoice& choice, const Sentence& sentence, bool target) {
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
bool slim(const Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  return context.view.presentation || ui::is_low(look);
}

struct Lines {
  std::vector<figures::ChipRowsInput> rows;
};

Lines lines_of(const Context& context) {
  Lines lines;
  if (!context.trace || context.trace->texts().empty()) return lines;
  const AttentionChoice choice = choose_attention(context);
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
  for (figures::ChipRowsInput& row : lines.rows) {
    row.slim = slim(context);
    if (row.slim) row.rows = 1;
  }
  return lines;
}

float between(const Context& context) { return slim(context) ? kSlimBetween : kBetween; }

}  // namespace

float chips_height(const Context& context, float width) {
  const Lines lines = lines_of(context);
  float height = 0;
  for (const auto& row : lines.rows)
    height += figures::chip_rows(row, width, context.theme, context.measure).height + between(context);
  return std::max((slim(context) ? figures::kSlimChip : figures::kChipHeight) + between(context), height);
}

void draw_chips(Context& context) {
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
  float y = start.y;
  for (std::size_t i = 0; i < lines.rows.size(); ++i) {
    const figures::Figure figure = figures::chip_rows(lines.rows[i], width, context.theme, context.measure);
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
      name_part(context, i == 0 ? "chips" : "target chips");
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
  }
}

}  // namespace headlight::panels
