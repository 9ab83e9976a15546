// The Tokens tab: the sentence split by every tokenizer, aligned by character, and below it a tokenizer in training.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/figures/tokens/token_rows.h"
#include "app/gl/figure_view.h"
#include "app/panels/panels.h"
#include "app/panels/tokens/lecture_words.h"
#include "app/panels/tokens/training_view.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/widgets.h"
#include "engine/document/stored_model.h"
#include "engine/text/display.h"
#include "engine/text/graphemes.h"
#include "engine/text/grouped_number.h"
#include "engine/tokenizers/files/open.h"
#include "engine/tokenizers/mask_words.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/tokenizers/training/training.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

// The most bytes shown: the document tokenizes a longer text completely, but only its beginning is drawn here.
constexpr std::size_t kShownBytes = 6000, kAtOnce = 2000;
constexpr float kLowTab = 660;             // points of height; below that the rows are closer, so that the training is visible
constexpr float kLeastWithNumbers = 0.8f;  // scale of the rows below which the numbers beside them go
constexpr float kLeastFactor = 0.75f, kMostFactor = 1.3f;  // scale of the rows in presentation mode
constexpr float kButton = 48;                              // a button and the space around it
constexpr float kTrainingPresented = 340;                  // points below the rows that the training needs in presentation mode

std::string time_text(double seconds) {
  char text[32];
  if (seconds < 1e-3)
    std::snprintf(text, sizeof text, "%.1f µs", seconds * 1e6);
  else
    std::snprintf(text, sizeof text, "%.1f ms", seconds * 1e3);
  return text;
}

// The median of five runs, because a single one is mostly noise.
double time_of(const tokenizers::Tokenizer& tokenizer, std::string_view text) {
  std::vector<double> seconds;
  for (int run = 0; run < 5; ++run) {
    const auto began = std::chrono::steady_clock::now();
    const auto tokens = tokenizer.encode(text);
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
    if (!tokens.ok() || seconds.back() > 0.01) return seconds.back();
  }
  std::nth_element(seconds.begin(), seconds.begin() + 2, seconds.end());
  return seconds[2];
}

using TokenizerResult = Result<std::shared_ptr<const tokenizers::Tokenizer>>;

// `masks`: "[MASK]" is the mask, as in a model that fills it in.
// `kind`: of the four that the lecture speaks of; empty: none of them.
Result<figures::TokenRow> cut(const TokenizerResult& opened, const std::string& kind, const std::string& label,
                              std::string_view text, bool masks, const CancelToken& cancel) {
  if (!opened) return opened.error();
  const auto& tokenizer = *opened;
  HL_ASSIGN(const auto tokens, masks ? tokenizers::encode_with_masks(*tokenizer, text, cancel) : tokenizer->encode(text, cancel));
  const tokenizers::Measured measured = tokenizers::measure(*tokenizer, text, tokens);
  figures::TokenRow row;
  row.name = label;
  row.count = fill(measured.tokens == 1 ? tr("{} token") : tr("{} tokens"), {text::grouped_number(measured.tokens)});
  for (const auto& token : tokens) {
    const bool unknown = tokenizer->unknown_id() >= 0 && token.id == tokenizer->unknown_id() && !token.added;
    const std::string shown = unknown ? text::display_text(text.substr(static_cast<std::size_t>(token.start),
                                                                       static_cast<std::size_t>(token.end - token.start)))
                                      : tokenizer->display_text(token.id);
    row.pieces.push_back({shown, unknown ? "[UNK]" : std::to_string(token.id), token.start, token.end, unknown, token.added});
  }
  char number[32];
  std::snprintf(number, sizeof number, "%.2f", measured.bytes_per_token);
  row.numbers = {text::grouped_number(tokenizer->vocabulary_size()), number, time_text(time_of(*tokenizer, text))};
  row.note = lecture_note(kind, *tokenizer, measured);
  row.verdict_good = measured.unknown == 0;
  if (measured.unknown == 0) {
    row.verdict =
        measured.partial > 0 ? fill(tr("no unknowns, {} partial"), {std::to_string(measured.partial)}) : tr("no unknowns");
  } else {
    row.verdict = fill(tr("unknown {}"), {std::to_string(measured.unknown)});
    if (!measured.unknown_words.empty())
      row.verdict +=
          " (" + text::display_text(measured.unknown_words.front()) + (measured.unknown_words.size() > 1 ? ", …)" : ")");
  }
  return row;
}

// Everything that the rows show, for one text and one document's tokenizer.
Result<figures::TokenRowsInput> rows_of(const std::string& whole, const Document& document, const CancelToken& cancel) {
  const std::string& own = document.tokenizer;
  figures::TokenRowsInput input;
  std::string_view text = whole;
  if (text.size() > kShownBytes) {
    std::int64_t end = 0;
    while (end < static_cast<std::int64_t>(kShownBytes)) end = text::grapheme_end(text, end);
    text = text.substr(0, static_cast<std::size_t>(end));
    input.note = fill(tr("the first {} of {} bytes"),
                      {text::grouped_number(end), text::grouped_number(static_cast<std::int64_t>(whole.size()))});
  }
  text::for_each_grapheme(text, [&](std::int64_t start, std::int64_t end) {
    input.characters.push_back(
        {text::display_text(text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start))), start, end});
  });
  input.plain = document.plain;
  input.columns = {tr("vocab"), tr("bytes/tok"), tr("time")};
  bool known = false;
  for (const auto& entry : tokenizers::registry().entries()) {
    HL_ASSIGN(figures::TokenRow row, cut(tokenizers::open(entry.id), entry.id, tr(entry.label.c_str()), text, false, cancel));
    row.current = entry.id == own;
    known = known || row.current;
    input.rows.push_back(std::move(row));
  }
  if (!known) {
    auto row =
        cut(open_tokenizer(document), {}, tokenizers::short_name(own), text, fills_in(document) && !document.plain, cancel);
    if (row.ok()) {
      row->current = true;
      input.rows.push_back(std::move(row).value());
    }
  }
  return input;
}

const std::string* shown_text(const Context& context) {
  const auto& texts = context.document.texts;
  if (texts.empty()) return nullptr;
  return &texts[static_cast<std::size_t>(
      std::clamp<std::int64_t>(context.view.batch, 0, static_cast<std::int64_t>(texts.size()) - 1))];
}

Derived::Answer<figures::TokenRowsInput> find_rows(const Context& context, const std::string& text) {
  DerivedKey key("tokens/rows", {context.document.model, context.document.tokenizer, context.document.plain, text});
  // A vocabulary that is trained again may have the same name.
  for (const auto& trained : trained_in_use(context.document)) key.of(trained);
  const auto make = [text, document = context.document](const CancelToken& cancel) { return rows_of(text, document, cancel); };
  return text.size() <= kAtOnce ? context.derived.now<figures::TokenRowsInput>(key, make)
                                : context.derived.later<figures::TokenRowsInput>(key, make);
}

// The highlighted byte range: of a chip or of another row, or of the hovered row or column of the attention.
figures::TokenLight light_of(const Context& context) {
  const Hot& hot = context.hover.now;
  return hot.in_target ? figures::TokenLight{} : figures::TokenLight{hot.byte_start, hot.byte_end};
}

void hover(Context& context, const figures::TokenRowsInput& input, const gl::Hit& hit) {
  if (hit.tag.kind != figures::Tag::token) return;
  std::int64_t start = 0, end = 0;
  if (hit.tag.a < 0) {
    if (hit.tag.b >= static_cast<std::int64_t>(input.characters.size())) return;
    start = input.characters[static_cast<std::size_t>(hit.tag.b)].start;
    end = input.characters[static_cast<std::size_t>(hit.tag.b)].end;
  } else {
    if (hit.tag.a >= static_cast<std::int64_t>(input.rows.size())) return;
    const auto& row = input.rows[static_cast<std::size_t>(hit.tag.a)];
    if (hit.tag.b >= static_cast<std::int64_t>(row.pieces.size())) return;
    start = row.pieces[static_cast<std::size_t>(hit.tag.b)].start;
    end = row.pieces[static_cast<std::size_t>(hit.tag.b)].end;
  }
  context.hover.next.byte_start = start;
  context.hover.next.byte_end = end;
  context.hover.next.in_target = false;
  // The document's own token at that place, for the inspector.
  if (!context.trace || context.trace->texts().empty()) return;
  const auto texts = context.trace->texts();
  const auto& tokens = texts[static_cast<std::size_t>(
                                 std::clamp<std::int64_t>(context.view.batch, 0, static_cast<std::int64_t>(texts.size()) - 1))]
                           .tokens;
  for (std::size_t i = 0; i < tokens.size() && context.hover.next.token < 0; ++i)
    if (tokens[i].start < end && tokens[i].end > start) context.hover.next.token = static_cast<std::int64_t>(i);
}

// Pointing at a row's name or numbers compares them with the lecture's words.
void explain_row(const ui::Look& look, const figures::TokenRowsInput& input, const gl::Hit& hit) {
  if (hit.hovered && hit.tag.kind == figures::Tag::row && hit.tag.a >= 0 &&
      hit.tag.a < static_cast<std::int64_t>(input.rows.size()))
    ui::tooltip(look, input.rows[static_cast<std::size_t>(hit.tag.a)].note);
}

// How the rows stand in a room of some width: their scale, and whether the numbers are beside them. Beside a lesson they become
// smaller, and then the numbers go, before a part of the sentence is out of sight; a longer one scrolls.
struct RowsFit {
  float factor = 1;
  bool table = true;
  figures::CharacterPlaces places;  // in points before they are scaled
};
RowsFit fit_rows(const figures::TokenRowsInput& input, float width, const figures::TextMeasure& measure) {
  const float numbers = figures::token_table_width(input) + 4;
  const auto room_at = [&](float factor, bool table) {
    return std::max(80.0f, width / factor - figures::kNamesWidth - (table ? numbers : 0.0f));
  };
  const figures::CharacterPlaces least = figures::place_characters(input, 0, measure);
  for (const bool table : {true, false}) {
    const float needs = figures::kNamesWidth + (table ? numbers : 0.0f) + least.width();
    const float factor = std::min(1.0f, width / needs);
    if (factor < (table ? kLeastWithNumbers : kLeastFactor)) continue;
    return {factor, table, figures::place_characters(input, room_at(factor, table), measure)};
  }
  return {1, true, figures::place_characters(input, room_at(1, true), measure)};
}

void draw_legend(Context& context, const figures::TokenRowsInput& input) {
  const figures::Figure legend =
      figures::token_legend(input, ImGui::GetContentRegionAvail().x / context.scale, context.theme, context.measure);
  if (legend.height <= 0) return;
  context.figures.draw(legend, "legend");
  name_part(context, "tokens:legend");
}

void draw_rows(Context& context, const ui::Look& look, const figures::TokenRowsInput& input) {
  const float width = ImGui::GetContentRegionAvail().x / context.scale;
  const RowsFit fit = fit_rows(input, width, context.measure);
  const float names = figures::kNamesWidth * fit.factor, table = fit.table ? figures::token_table_width(input) * fit.factor : 0,
              room = std::max(80.0f, width - names - (fit.table ? table + 4 * fit.factor : 0.0f));
  const float pitch = ImGui::GetContentRegionAvail().y < look.px(kLowTab) ? figures::kTokenPitchLow : figures::kTokenPitch;
  const float height = figures::token_rows_height(input, pitch) * fit.factor;
  const ImVec2 start = ImGui::GetCursorPos();
  const auto draw_part = [&](figures::Figure part, const char* id) {
    return context.figures.draw(fit.factor < 1 ? figures::scaled(std::move(part), fit.factor) : std::move(part), id);
  };
  explain_row(look, input, draw_part(figures::token_names(input, context.theme, context.measure, pitch), "names"));
  name_part(context, "tokens:names");
  ImGui::SetCursorPos({start.x + look.px(names), start.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const bool scrolls = fit.places.width() * fit.factor > room + 0.5f;
  const float scrollbar = scrolls ? ImGui::GetStyle().ScrollbarSize : 0.0f;
  if (ImGui::BeginChild(
          "body", {look.px(room), look.px(height) + scrollbar}, ImGuiChildFlags_NavFlattened,
          ImGuiWindowFlags_NoBackground | (scrolls ? ImGuiWindowFlags_HorizontalScrollbar
                                                   : ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse))) {
    const float from = ImGui::GetScrollX() / context.scale / fit.factor;
    hover(context, input,
          draw_part(figures::token_body(input, fit.places, light_of(context), from, from + room / fit.factor, context.theme,
                                        context.measure, pitch),
                    "rows"));
  }
  ImGui::EndChild();
  if (scrolls) name_part(context, "tokens:scrolls");
  ImGui::PopStyleVar();
  if (fit.table) {
    ImGui::SetCursorPos({start.x + look.px(width - table), start.y});
    explain_row(look, input, draw_part(figures::token_table(input, context.theme, context.measure, pitch), "table"));
    name_part(context, "tokens:table");
  }
  ImGui::SetCursorPos({start.x, start.y + look.px(height) + scrollbar});
  draw_legend(context, input);
  if (!input.note.empty()) ui::words(look, input.note, look.theme.secondary);
}

// In presentation mode: the rows alone, as large as they fit.
void draw_rows_presented(Context& context, const figures::TokenRowsInput& input) {
  const ImVec2 avail = ImGui::GetContentRegionAvail();
  const float width = avail.x / context.scale - 4, all = avail.y / context.scale - 4;
  const float high = figures::token_rows_height(input);
  // The training is below the rows if these then are not smaller than in the normal window.
  const float height = all - kTrainingPresented >= high ? all - kTrainingPresented : all;
  // The rows are larger for a short sentence, smaller for a long one; a still longer text is scrolled with the wheel.
  float factor = std::clamp(height / high, kLeastFactor, kMostFactor);
  figures::CharacterPlaces places;
  for (int round = 0; round < 4; ++round) {
    places = figures::place_characters(input, width / factor - figures::kNamesWidth, context.measure);
    const float needs = places.width() + figures::kNamesWidth;
    if (needs * factor <= width || factor <= kLeastFactor) break;
    factor = std::max(kLeastFactor, width / needs);
  }
  const ImVec2 start = ImGui::GetCursorPos();
  context.figures.draw(figures::scaled(figures::token_names(input, context.theme, context.measure), factor), "names");
  ImGui::SetCursorPos({start.x + factor * figures::kNamesWidth * context.scale, start.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (ImGui::BeginChild("body", {0, high * factor * context.scale + 2}, ImGuiChildFlags_NavFlattened,
                        ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoBackground)) {
    const float from = ImGui::GetScrollX() / context.scale / factor;
    const figures::Figure body =
        figures::token_body(input, places, light_of(context), from, from + width / factor, context.theme, context.measure);
    hover(context, input, context.figures.draw(figures::scaled(body, factor), "rows"));
    // The wheel scrolls horizontally even without Shift, because nothing else scrolls.
    if (ImGui::IsWindowHovered() && ImGui::GetIO().MouseWheel != 0)
      ImGui::SetScrollX(ImGui::GetScrollX() - ImGui::GetIO().MouseWheel * 60 * context.scale);
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  draw_legend(context, input);
}

// In presentation mode, if there is no room for both: a button that leads to the other one.
void draw_other(Context& context, const ui::Look& look, const char* words, const char* other) {
  ImGui::Dummy({0, look.px(6)});
  if (ui::button(look, words, 0, 32)) context.view.tokens.picture = other;
  ui::tooltip(look, tr("The other picture of this view (F7)"));
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  const std::string* text = shown_text(context);
  if (context.view.presentation && context.view.tokens.picture == "training") {
    draw_training(context);
    if (ImGui::GetContentRegionAvail().y >= look.px(kButton)) draw_other(context, look, tr("the four tokenizers"), "rows");
    return;
  }
  if (!text || text->empty()) {
    ui::words(look, tr("Type a sentence: it is cut here by every tokenizer."), look.theme.secondary, 15);
    ImGui::Dummy({0, look.px(8)});
  } else if (const auto rows = find_rows(context, *text)) {
    const ImVec2 low = ImGui::GetCursorScreenPos();
    const float right = low.x + ImGui::GetContentRegionAvail().x;
    if (context.view.presentation)
      draw_rows_presented(context, *rows.value);
    else
      draw_rows(context, look, *rows.value);
    if (context.parts) context.parts->add("tokens:rows", low.x, low.y, right, ImGui::GetCursorScreenPos().y);
  } else if (rows.error) {
    ui::words(look, spoken_in_window(*rows.error), look.theme.wrong, 15);
  } else {
    ui::words(look, tr("cutting the text …"), look.theme.secondary, 15);
  }
  if (context.view.presentation && ImGui::GetContentRegionAvail().y < look.px(kTrainingPresented)) {
    if (ImGui::GetContentRegionAvail().y >= look.px(kButton))
      draw_other(context, look, tr("watch a tokenizer being trained"), "training");
    return;
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine({at.x, at.y + look.px(4)}, {at.x + ImGui::GetContentRegionAvail().x, at.y + look.px(4)},
                                      gl::packed(look.theme.line));
  ImGui::Dummy({0, look.px(12)});
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float right = low.x + ImGui::GetContentRegionAvail().x;
  draw_training(context);
  if (context.parts) context.parts->add("tokens:training", low.x, low.y, right, ImGui::GetCursorScreenPos().y);
}

figures::Figure figure(const Context& context, float width, float) {
  const std::string* text = shown_text(context);
  if (!text || text->empty()) return {};
  const auto rows = find_rows(context, *text);
  return rows ? figures::token_rows(*rows.value, width, context.theme, context.measure) : figures::Figure{};
}

}  // namespace

Entry tokens_panel() {
  return {"tokens", "Tokens", "text → pieces → ids, four ways", "Sennrich et al. 2016; Schuster and Nakajima 2012", draw,
          figure,   true};
}

}  // namespace headlight::panels
