// Side by side: the rows with their ribbons, the stages before the model, and the pointed token written out in a column.
#include <algorithm>

#include "app/figures/base/compose.h"
#include "app/gl/figure_view.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/tokens/rows_pointed.h"
#include "app/panels/tokens/tokens_tab.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "engine/text/display.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kLeastWithNumbers = 0.8f;                  // scale of the rows below which the numbers beside them go
constexpr float kLeastFactor = 0.75f, kMostFactor = 1.3f;  // scale of the rows in presentation mode
constexpr float kStory = 320, kBesideGap = 24, kLeastRows = 560, kHead = 46;

using Composed = std::shared_ptr<const figures::TokenRowsInput>;

DerivedKey composed_key(DerivedKey::Tag tag, const Context& context, const TokenRowsData& rows, std::size_t row) {
  DerivedKey key = token_set_key(tag, context);
  key.add(rows.text).add(row).add(context.view.tokens.second).add(context.view.tokens.columns);
  for (const NamedTokenizer& one : rows.set) key.add(anatomy_of(context, one) != nullptr);
  return key;
}

// The rows with the stages of the pointed token's tokenizer.
Composed with_stages(const Context& context, const TokenRowsData& rows, std::size_t row, bool all) {
  const auto answer = context.derived.now<figures::TokenRowsInput>(composed_key("tokens/composed", context, rows, row).add(all),
                                                                   [&](const CancelToken&) -> Result<figures::TokenRowsInput> {
                                                                     figures::TokenRowsInput input = rows.input;
                                                                     input.stages = token_stages(context, rows, row, all);
                                                                     input.by_bytes = context.view.tokens.columns == "bytes";
                                                                     return input;
                                                                   });
  return answer.value;
}

std::shared_ptr<const figures::TokenStory> story(const Context& context, const TokenRowsData& rows, TokenPlace at) {
  return context.derived
      .now<figures::TokenStory>(
          composed_key("tokens/story", context, rows, at.row).add(at.token),
          [&](const CancelToken&) -> Result<figures::TokenStory> { return token_story_of(context, rows, at); })
      .value;
}

// The highlighted byte range: of a chip, of a token of the rows, or of the hovered row or column of the attention; else the pin.
figures::TokenLight light_of(const Context& context) {
  const Hot& hot = context.hover.now;
  if (hot.byte_start >= 0) return hot.in_target ? figures::TokenLight{} : figures::TokenLight{hot.byte_start, hot.byte_end};
  const TokensView& view = context.view.tokens;
  return view.pinned.empty() ? figures::TokenLight{} : figures::TokenLight{view.pinned_start, view.pinned_end};
}

void follow(Context& context, const TokenRowsData& rows, const gl::Hit& hit) {
  PointedToken none;
  PointedToken& pointed = context.transient ? context.transient->of<PointedToken>() : none;
  pointed = {};
  const figures::TokenRowsInput& input = rows.input;
  if (hit.tag.kind != figures::Tag::token) {
    if (hit.clicked) context.view.tokens.pinned.clear();
    return;
  }
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
    pointed = {hit.tag.a, hit.tag.b};
    if (hit.clicked) {
      TokensView& view = context.view.tokens;
      const std::string& name = rows.set[static_cast<std::size_t>(hit.tag.a)].name;
      const bool same = view.pinned == name && view.pinned_start == start && view.pinned_end == end;
      view.pinned = same ? "" : name;
      view.pinned_start = same ? -1 : start;
      view.pinned_end = same ? -1 : end;
    }
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

// Pointing at a row's name or numbers compares them with the lecture's words; a click makes it the second of the stages.
void explain_row(Context& context, const ui::Look& look, const TokenRowsData& rows, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.kind != figures::Tag::row || hit.tag.a < 0 ||
      hit.tag.a >= static_cast<std::int64_t>(rows.set.size()))
    return;
  const auto at = static_cast<std::size_t>(hit.tag.a);
  const std::string& note = rows.input.rows[at].note;
  ui::tooltip(look, note.empty() ? rows.set[at].name : note);
  if (hit.clicked) context.view.tokens.second = rows.set[at].name;
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

void draw_legend(Context& context, const figures::TokenRowsInput& input, float width) {
  const figures::Figure legend = figures::token_legend(input, width, context.theme, context.measure);
  if (legend.height <= 0) return;
  context.figures.draw(legend, "legend");
  name_part(context, "tokens:legend");
}

void draw_rows(Context& context, const ui::Look& look, const TokenRowsData& rows, const figures::TokenRowsInput& input,
               float width, float height_left) {
  const RowsFit fit = fit_rows(input, width, context.measure);
  const float names = figures::kNamesWidth * fit.factor, table = fit.table ? figures::token_table_width(input) * fit.factor : 0,
              room = std::max(80.0f, width - names - (fit.table ? table + 4 * fit.factor : 0.0f));
  // The ribbons take what the chips leave.
  const auto count = static_cast<float>(std::max<std::size_t>(1, input.rows.size()));
  const float at_least = figures::token_rows_height(input, figures::kTokenPitchLow) + 40;
  const float pitch = std::clamp(figures::kTokenPitchLow + (height_left / fit.factor - at_least) / count, figures::kTokenPitchLow,
                                 figures::kTokenPitchMost);
  const float height = figures::token_rows_height(input, pitch) * fit.factor;
  const ImVec2 start = ImGui::GetCursorPos();
  const auto draw_part = [&](figures::Figure part, const char* id) {
    return context.figures.draw(fit.factor < 1 ? figures::scaled(std::move(part), fit.factor) : std::move(part), id);
  };
  explain_row(context, look, rows, draw_part(figures::token_names(input, context.theme, context.measure, pitch), "names"));
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
    const gl::Hit hit = draw_part(figures::token_body(input, fit.places, light_of(context), from, from + room / fit.factor,
                                                      context.theme, context.measure, pitch),
                                  "rows");
    follow(context, rows, hit);
    figure_menu(context, "rows menu", hit, [&] { return figure_of_rows(context, 1100, 700); });
  }
  ImGui::EndChild();
  if (scrolls) name_part(context, "tokens:scrolls");
  ImGui::PopStyleVar();
  if (fit.table) {
    ImGui::SetCursorPos({start.x + look.px(width - table), start.y});
    explain_row(context, look, rows, draw_part(figures::token_table(input, context.theme, context.measure, pitch), "table"));
    name_part(context, "tokens:table");
  }
  ImGui::SetCursorPos({start.x, start.y + look.px(height) + scrollbar});
  draw_legend(context, input, width);
  if (!input.note.empty()) ui::words(look, input.note, look.theme.secondary);
}

// In presentation mode: the rows alone, as large as they fit.
void draw_presented(Context& context, const TokenRowsData& rows) {
  const figures::TokenRowsInput& input = rows.input;
  const ImVec2 avail = ImGui::GetContentRegionAvail();
  const float width = avail.x / context.scale - 4, height = avail.y / context.scale - 4;
  const float high = figures::token_rows_height(input);
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
    follow(context, rows, context.figures.draw(figures::scaled(body, factor), "rows"));
    // The wheel scrolls horizontally even without Shift, because nothing else scrolls.
    if (ImGui::IsWindowHovered() && ImGui::GetIO().MouseWheel != 0)
      ImGui::SetScrollX(ImGui::GetScrollX() - ImGui::GetIO().MouseWheel * 60 * context.scale);
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  draw_legend(context, input, width);
}

// "is 1 token in GPT-2", ", 2 in cl100k": the pointed token's characters in every row, its own first.
std::vector<std::string> tokens_in_words(const TokenRowsData& rows, TokenPlace at) {
  const auto& token = rows.tokens[at.row][at.token];
  std::vector<std::string> words;
  const auto add = [&](std::size_t row) {
    std::int64_t pieces = 0;
    for (const auto& piece : rows.input.rows[row].pieces) pieces += piece.start < token.end && piece.end > token.start;
    const char* const text = !words.empty() ? tr(", {0} in {1}")
                             : pieces == 1  ? tr("is {0} token in {1}")
                                            : tr("is {0} tokens in {1}");
    words.push_back(fill(text, {std::to_string(pieces), rows.set[row].label}));
  };
  add(at.row);
  for (std::size_t row = 0; row < rows.set.size(); ++row)
    if (row != at.row && rows.set[row].tokenizer) add(row);
  return words;
}

figures::Figure heading(const Context& context, const TokenRowsData& rows, TokenPlace at, float width) {
  const auto& token = rows.tokens[at.row][at.token];
  figures::Figure figure;
  figure.width = width;
  figure.height = kHead;
  const figures::Composer pen{figure, context.theme, context.measure};
  std::string piece = text::display_text(std::string_view(rows.text).substr(static_cast<std::size_t>(token.start),
                                                                            static_cast<std::size_t>(token.end - token.start)));
  while (piece.starts_with("·") && piece.size() > 2) piece.erase(0, 2);
  const float wide = std::min(context.measure.width(piece, 17, Font::words_bold), 0.5f * width);
  pen.text(0, 12, piece, 17, Font::words_bold, context.theme.selected, figures::Align::start, wide + 1);
  // Whole comparisons are left out at the end where they do not fit.
  const std::vector<std::string> words = tokens_in_words(rows, at);
  std::string fits;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string longer = fits + words[i];
    const char* const more = i + 1 < words.size() ? " …" : "";
    if (wide + 8 + context.measure.width(longer + more, 17, Font::words_bold) > width) {
      if (i > 0) fits += " …";
      break;
    }
    fits = longer;
  }
  pen.text(wide + 8, 12, fits, 17, Font::words_bold, context.theme.text);
  pen.text(
      0, 33,
      figures::first_that_fits({tr("A ribbon follows the same characters down; a dark needle is a cut that only one of the two "
                                   "rows makes. A click pins a token."),
                                tr("A ribbon follows the same characters; a needle is a cut that one row makes."), ""},
                               width, 13, Font::words, context.measure),
      13, Font::words, context.theme.secondary);
  return figure;
}

}  // namespace

void draw_rows_page(Context& context, const ui::Look& look) {
  const std::string* text = token_text(context);
  if (!text || text->empty()) {
    ui::words(look, tr("Type a sentence: it is cut here by every tokenizer."), look.theme.secondary, 15);
    return;
  }
  const auto answer = token_rows_data(context);
  if (!answer) {
    ui::words(look, answer.error ? spoken_in_window(*answer.error) : tr("cutting the text …"),
              answer.error ? look.theme.wrong : look.theme.secondary, 15);
    return;
  }
  const TokenRowsData& rows = *answer.value;
  const auto at = shown_token(context, rows);
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const auto name_rows = [&](float right) {
    if (context.parts) context.parts->add("tokens:rows", low.x, low.y, right, ImGui::GetCursorScreenPos().y);
  };
  if (context.view.presentation) {
    draw_presented(context, rows);
    name_rows(low.x + ImGui::GetContentRegionAvail().x);
    return;
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = room.x / context.scale;
  const bool beside = at && width >= kLeastRows + kBesideGap + kStory;
  const float left = beside ? width - kBesideGap - kStory - 8 : width;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (ImGui::BeginChild("side by side", {look.px(left), room.y}, ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoBackground)) {
    const float inner = ImGui::GetContentRegionAvail().x / context.scale;
    if (at && room.y >= look.px(360)) {
      context.figures.draw(heading(context, rows, *at, inner), "heading");
      name_part(context, "tokens:saying");
    }
    const float high = ImGui::GetContentRegionAvail().y / context.scale;
    const auto composed = with_stages(context, rows, at ? at->row : 0, high > 500);
    draw_rows(context, look, rows, composed ? *composed : rows.input, inner, high - 8);
    name_rows(low.x + look.px(left));
  }
  ImGui::EndChild();
  if (beside) {
    ImGui::SameLine(0, look.px(kBesideGap));
    if (ImGui::BeginChild("token", {0, room.y}, ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoBackground)) {
      if (const auto told = story(context, rows, *at)) {
        figures::TokenStory lit = *told;
        const figures::TokenLight light = light_of(context);
        lit.joins.light = lit.tries.light = lit.lattice.light = light;
        const gl::Hit hit = context.figures.draw(
            figures::token_story(lit, ImGui::GetContentRegionAvail().x / context.scale - 2, context.theme, context.measure),
            "story");
        name_part(context, "tokens:story");
        figure_menu(context, "story menu", hit, [&] { return figure_of_token(context, 360, 600); });
      }
    }
    ImGui::EndChild();
  }
  ImGui::PopStyleVar();
}

figures::Figure figure_of_rows(const Context& context, float width, float) {
  const std::string* text = token_text(context);
  const auto rows = text && !text->empty() ? token_rows_data(context) : TokenRowsAnswer{};
  if (!rows) return {};
  const auto at = shown_token(context, *rows.value);
  const auto composed = with_stages(context, *rows.value, at ? at->row : 0, true);
  return figures::token_rows(composed ? *composed : rows.value->input, width, context.theme, context.measure);
}

figures::Figure figure_of_token(const Context& context, float width, float) {
  const std::string* text = token_text(context);
  const auto rows = text && !text->empty() ? token_rows_data(context) : TokenRowsAnswer{};
  const auto at = rows ? shown_token(context, *rows.value) : std::nullopt;
  if (!at) return {};
  return figures::framed(figures::token_story(token_story_of(context, *rows.value, *at), std::clamp(width - 32, 300.0f, 520.0f),
                                              context.theme, context.measure),
                         "", 16, context.theme);
}

}  // namespace headlight::panels
