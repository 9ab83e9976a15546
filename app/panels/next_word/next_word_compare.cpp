// Two continuations compared, and the words that were generated.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "app/figures/attention/layouts.h"
#include "app/figures/attention/word_axes.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/stack.h"
#include "app/figures/charts/curves.h"
#include "app/panels/next_word/next_word_tab.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/figure_menu.h"
#include "engine/insight/word_groups.h"
#include "engine/insight/word_joins.h"
#include "engine/text/display.h"
#include "imgui.h"
#include "imgui_internal.h"

namespace headlight::views {
namespace {

using figures::Font;

std::string signed_number(double value) {
  if (std::isnan(value)) return "nan";  // not "+nan"
  char text[32];
  std::snprintf(text, sizeof text, "%+.2f", value);
  return text;
}

// One line of text across the column, left and right.
void line_of(const NextWordTab& tab, const std::string& left, const std::string& right, float size, Font font,
             figures::Color color, float width) {
  const ui::Look& look = tab.look;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  look.figures.text(list, at, left, size, font, color, look.px(width / 2));
  const float wide = std::min(width / 2, look.figures.width(right, size, font));
  look.figures.text(list, {at.x + look.px(width - wide), at.y}, right, size, font, color, look.px(width / 2 + 1));
  ImGui::Dummy({look.px(width), look.px(look.figures.line_height(size, font))});
}

// The tokens of a field, or of the candidate that stands for an empty one.
TokenIds compared_ids(const Context& context, const NextWordPlace& place, const std::string& typed, std::size_t candidate) {
  if (!typed.empty()) return continuation_ids(place, typed);
  const auto ranked = ranked_of(context, place);  // the model's own, whatever layer the list is of
  if (ranked && candidate < ranked->candidates.size()) return {ranked->candidates[candidate].token};
  return {};
}

void draw_field(const NextWordTab& tab, const char* id, std::string& text, const std::string& hint, float width) {
  push_font(tab.context, Font::words, 15);
  ImGui::SetNextItemWidth(tab.look.px(width));
  ui::live_text_input((std::string("##") + id).c_str(), text, tab.look.figures.uncovered(hint).value_or("").c_str());
  ImGui::PopFont();
  ui::tooltip(tab.look, tr("A continuation of one or more words; empty: one of the two best candidates"));
  name_part(tab.context, std::string("next:") + id);
}

void draw_share(const NextWordTab& tab, double first, double second, float width) {
  const ui::Look& look = tab.look;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const double sum = first + second;
  const float high = look.px(8), all = look.px(width),
              cut = sum > 0 ? std::round(all * static_cast<float>(first / sum)) : all / 2;
  list.AddRectFilled(at, {at.x + cut, at.y + high}, gl::packed(look.theme.info), look.px(3));
  list.AddRectFilled({at.x + cut, at.y}, {at.x + all, at.y + high}, gl::packed(look.theme.hues[4]), look.px(3));
  ImGui::Dummy({all, high + look.px(4)});
}

figures::CurvesInput odds_input(const NextWordPlace& place, const LogitLens& lens, std::int32_t a, std::int32_t b) {
  figures::CurvesInput input;
  const std::int64_t at = place.position;
  figures::CurvesInput::Curve odds{fill(tr("above 0: {}, below: {}"), {place.word(a), place.word(b)}), {}, 1, false};
  for (std::int64_t row = 0; row < lens.rows(); ++row) odds.y.push_back(lens.logit(row, at, a) - lens.logit(row, at, b));
  input.curves.push_back(std::move(odds));
  input.curves.push_back({"0", std::vector<double>(static_cast<std::size_t>(lens.rows()), 0.0), 3, true});
  input.title = tr("Log-odds after each layer");
  input.x_axis = tr("layers passed (0: the embedding)");
  input.y_axis = tr("log-odds, nat");
  input.margin = 0;
  return input;
}

void draw_odds(const NextWordTab& tab, std::int32_t a, std::int32_t b, float width) {
  const auto lens = lens_of(tab.context, tab.place);
  if (!lens) return;
  figures::CurvesInput input = odds_input(tab.place, *lens, a, b);
  figures::Figure figure = figures::curves(input, width, 210, tab.context.theme, tab.context.measure);
  figure.background.a = 0;
  const gl::Hit hit = tab.context.figures.draw(figure, "odds");
  name_part(tab.context, "next:odds");
  if (hit.hovered)
    if (const std::int64_t at = figures::curve_point_at(figure, input, hit.at); at >= 0)
      ui::tooltip(tab.look, fill(tr("after {} layers: {} nat"),
                                 {std::to_string(at), signed_number(input.curves[0].y[static_cast<std::size_t>(at)])}));
  figure_menu(tab.context, "odds menu", hit, [&] {
    input.margin = 12;
    return figures::stacked({figures::curves(input, 640, 360, tab.context.theme, tab.context.measure)}, 0, 16);
  });
}

// "74" below a thousand, "1.2e+05" above.
std::string times_words(double log_odds) { return short_number(std::exp(std::abs(log_odds))); }

}  // namespace

void draw_comparison(const NextWordTab& tab, float width) {
  draw_heading(tab.look, tr("Two continuations compared"), "", width);
  NextWordView& view = tab.context.view.next_word;
  const auto hint = [&](std::size_t candidate) {
    return tab.ranked && candidate < tab.ranked->candidates.size() ? tab.place.word(tab.ranked->candidates[candidate].token)
                                                                   : std::string();
  };
  const float each = std::floor((width - 12) / 2);
  draw_field(tab, "first", view.first, hint(0), each);
  ImGui::SameLine(0, tab.look.px(12));
  draw_field(tab, "second", view.second, hint(1), each);
  if (!tab.ranked) return;
  std::string error;
  const auto a = continued_of(tab.context, tab.place, compared_ids(tab.context, tab.place, view.first, 0), &error);
  const auto b = continued_of(tab.context, tab.place, compared_ids(tab.context, tab.place, view.second, 1), &error);
  if (!a || !b) {
    ui::words(tab.look, error.empty() ? tr("computing …") : error, tab.look.theme.secondary, 14);
    return;
  }
  const double first = std::exp(a->log_probability), second = std::exp(b->log_probability);
  const double odds = a->log_probability - b->log_probability;
  line_of(tab, a->words, b->words, 13, Font::mono, tab.look.theme.secondary, width);
  line_of(tab, figures::percent(first), figures::percent(second), 22, Font::mono, tab.look.theme.text, width);
  draw_share(tab, first, second, width);
  const std::string& winner = odds >= 0 ? a->words : b->words;
  ui::words(tab.look, fill(tr("log-odds {} nat: {} is {} times as likely"), {signed_number(odds), winner, times_words(odds)}),
            tab.look.theme.text, 14);
  draw_odds(tab, a->tokens.front(), b->tokens.front(), width);
  if (a->tokens.size() > 1 || b->tokens.size() > 1)
    ui::words(tab.look, tr("The percentages are of all tokens (chain rule), the line is of each first token."),
              tab.look.theme.secondary, 13);
}

namespace {

// The pieces of each word together, also of one that goes on behind the sentence; row i is the generated token `first` + i.
void take_words_together(const NextWordPlace& place, const std::vector<GeneratedWords::Word>& words, std::size_t first,
                         figures::HeatmapInput& input) {
  const Sentence& sentence = place.sentence();
  const auto before = static_cast<std::size_t>(place.position) + 1;
  std::vector<bool> joins = joins_to_words(sentence, &place.tokenizer());
  joins.resize(before);
  std::vector<std::string> pieces, labels;
  for (std::size_t i = 0; i < before; ++i) pieces.push_back(sentence.tokens[i].piece);
  for (const GeneratedWords::Word& word : words) pieces.push_back(place.tokenizer().piece(word.token));
  // What is generated has no text yet: its pieces' own marks tell.
  const std::vector<bool> marked = joins_by_marks(pieces);
  joins.insert(joins.end(), marked.begin() + static_cast<std::ptrdiff_t>(before), marked.end());
  for (const std::string& piece : pieces) labels.push_back(text::display_text(without_word_mark(piece)));
  const auto from = static_cast<std::ptrdiff_t>(before + first);
  const WordAxes axes{word_groups({joins.begin() + from, joins.end()}, {labels.begin() + from, labels.end()}),
                      word_groups(joins, labels)};
  if (!axes.joins()) return;
  input.values = words_weights(input.values, input.mask, axes);
  input.mask = words_mask(input.mask, axes);
  input.row_labels = axes.rows.labels();
  input.column_labels = axes.columns.labels();
  input.key ^= 0x9e3779b97f4a7c15ull;
}

// A row of attention for each generated word, as they come; the last twelve. None: no row is ready.
std::optional<figures::HeatmapInput> new_rows_input(const Context& context, const NextWordPlace& place,
                                                    std::vector<GeneratedWords::Word> words) {
  constexpr std::size_t kMost = 12;
  // The end is no text, so that it looks nowhere.
  while (!words.empty() && place.tokenizer().vocabulary().is_special(words.back().token)) words.pop_back();
  if (words.empty()) return {};
  const std::size_t first = words.size() > kMost ? words.size() - kMost : 0;
  const auto shown = static_cast<std::int64_t>(words.size() - first);
  const std::int64_t before = place.position + 1, columns = before + static_cast<std::int64_t>(words.size());
  figures::HeatmapInput input;
  const auto& labels = place.sentence().labels;
  input.column_labels.assign(labels.begin(), labels.begin() + before);
  input.values = Tensor(DType::f32, {shown, columns}, {"query", "key"});
  input.mask = Tensor(DType::u8, {shown, columns}, {"query", "key"});
  input.key = 0x4e455752ull ^ (place.trace->generation() << 20);
  TokenIds added;
  std::int64_t ready = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    added.push_back(words[i].token);
    input.column_labels.push_back(place.word(words[i].token));
    if (i < first) continue;
    input.row_labels.push_back(place.word(words[i].token));
    const auto row = attention_of_added(context, place, added);
    const auto at = static_cast<std::int64_t>(i - first) * columns;
    for (std::size_t j = 0; row && j < row->size(); ++j) {
      input.values.data<float>()[at + static_cast<std::int64_t>(j)] = static_cast<float>((*row)[j]);
      input.mask.data<std::uint8_t>()[at + static_cast<std::int64_t>(j)] = 1;
    }
    ready += row ? 1 : 0;
    input.key = (input.key ^ static_cast<std::uint64_t>(words[i].token) ^ (row ? 1u << 30 : 0u)) * 1099511628211ull;
  }
  if (ready == 0) return {};
  if (context.view.words_together) take_words_together(place, words, first, input);
  const HeadRef head = shown_head(context, place);
  input.key ^= static_cast<std::uint64_t>(head.layer * 1024 + head.head) << 8;
  input.row_labels = figures::numbered(std::move(input.row_labels));
  input.column_labels = figures::numbered(std::move(input.column_labels));
  input.row_axis = input.column_axis = "";
  input.colormap = context.view.colormap;
  return input;
}

std::string new_rows_words(const Context& context, const NextWordPlace& place) {
  const HeadRef head = shown_head(context, place);
  return fill(tr("layer {}, head {}"), {std::to_string(head.layer), std::to_string(head.head)}) +
         (context.view.words_together ? std::string("; ") + tr("pieces of a word together") : "");
}

figures::Figure new_rows_figure(const Context& context, const NextWordPlace& place,
                                const std::vector<GeneratedWords::Word>& words, float width) {
  auto input = new_rows_input(context, place, words);
  if (!input) return {};
  input->title = std::string(tr("Where each looks")) + ": " + new_rows_words(context, place);
  input->row_axis = context.view.words_together ? figures::query_words_axis(false) : tr("query (attends)");
  input->column_axis = context.view.words_together ? figures::key_words_axis() : tr("key (is attended to)");
  return figures::heatmap(*input, width, 600, context.theme, context.measure);
}

void draw_new_rows(const NextWordTab& tab, float width) {
  const auto& words = tab.own.generated.words;
  auto input = new_rows_input(tab.context, tab.place, words);
  if (!input) return;
  ImGui::Dummy({0, tab.look.px(8)});
  draw_heading(tab.look, tr("Where each looks"), new_rows_words(tab.context, tab.place), width);
  input->legend = false;
  input->most_cell = 22;
  figures::Figure figure = figures::heatmap(*input, width, 60 + 24 * static_cast<float>(input->row_labels.size()),
                                            tab.context.theme, tab.context.measure);
  figure.background.a = 0;
  const gl::Hit hit = tab.context.figures.draw(figure, "new rows");
  name_part(tab.context, "next:new rows");
  figure_menu(tab.context, "new rows menu", hit, [&] { return new_rows_figure(tab.context, tab.place, words, 900); });
}

figures::GeneratedInput generated_input(const NextWordPlace& place, const std::vector<GeneratedWords::Word>& words) {
  figures::GeneratedInput input;
  for (const GeneratedWords::Word& word : words) input.words.push_back({place.word(word.token), word.chance});
  return input;
}

}  // namespace

void draw_generated(const NextWordTab& tab, float width) {
  const ui::Look& look = tab.look;
  GeneratedWords& generated = tab.own.generated;
  draw_heading(tab.look, tr("Generated"), tr("each word with the chance it had"), width);
  if (!generated.error.empty()) ui::words(look, generated.error, look.theme.wrong, 14);
  if (generated.words.empty()) {
    if (generated.error.empty())
      ui::words(look,
                generated.wanted > 0 ? tr("computing …") : tr("generate writes words here; keep puts them into the sentence."),
                look.theme.secondary, 14);
    return;
  }
  TokenIds ids;
  for (const GeneratedWords::Word& word : generated.words)
    if (!tab.place.tokenizer().vocabulary().is_special(word.token)) ids.push_back(word.token);
  figures::Figure figure =
      figures::generated_words(generated_input(tab.place, generated.words), width, tab.context.theme, tab.context.measure);
  figure.background.a = 0;
  tab.context.figures.draw(figure, "generated");
  name_part(tab.context, "next:generated");
  const bool running = generated.wanted > generated.words.size() && !generated.ended;
  // What is being made is seen, also where its place lies below the edge.
  if (running || generated.words.size() != generated.seen) ImGui::ScrollToItem(ImGuiScrollFlags_KeepVisibleEdgeY);
  generated.seen = generated.words.size();
  if (ui::button(look, ui::labelled(tr("one more"), "more").c_str(), 0, 34, false, !running && !generated.ended))
    generated.wanted = generated.words.size() + 1;
  ui::tooltip(look, tr("Generates one further word"));
  name_part(tab.context, "next:more");
  next_on_line(look, look.figures.width(tr("undo"), 14, Font::words) + 34, 8);
  if (ui::button(look, ui::labelled(tr("undo"), "undo").c_str(), 0, 34)) {
    generated.words.pop_back();
    generated.wanted = generated.words.size();
    generated.ended = false;
    generated.error.clear();
  }
  ui::tooltip(look, tr("Takes the last generated word away"));
  name_part(tab.context, "next:undo");
  next_on_line(look, look.figures.width(tr("keep in the sentence"), 14, Font::words) + 34, 8);
  if (ui::button(look, ui::labelled(tr("keep in the sentence"), "keep").c_str(), 0, 34, false,
                 !running && !ids.empty() && !tab.context.computing)) {
    tab.context.view.next_word.position = -1;
    tab.context.edit(continued_document(tab.context, tab.place, ids));
  }
  ui::tooltip(look, tr("Puts the generated words behind the sentence; Ctrl+Z takes them back"));
  name_part(tab.context, "next:keep");
  draw_new_rows(tab, width);
}

figures::Figure odds_figure(const Context& context, const NextWordPlace& place, float width) {
  const NextWordView& view = context.view.next_word;
  const auto lens = lens_of(context, place);
  const TokenIds a = compared_ids(context, place, view.first, 0), b = compared_ids(context, place, view.second, 1);
  if (!lens || a.empty() || b.empty()) return {};
  figures::CurvesInput input = odds_input(place, *lens, a.front(), b.front());
  input.margin = 12;
  return figures::curves(input, width, 360, context.theme, context.measure);
}

figures::Figure generated_figure(const Context& context, const NextWordPlace& place, float width) {
  constexpr std::size_t kWritten = 12;
  GeneratedWords own;  // where no window has generated any yet
  own.key = place.key();
  own.wanted = kWritten;
  const GeneratedWords* made = context.transient ? &context.transient->of<NextWordTransient>().generated : &own;
  if (made->words.empty() || made->key != place.key()) {
    for (std::size_t i = 0; i < kWritten; ++i) go_on_generating(context, place, own);
    made = &own;
  }
  if (made->words.empty()) return {};
  figures::GeneratedInput input = generated_input(place, made->words);
  std::vector<figures::Figure> parts{figures::generated_words(input, width, context.theme, context.measure)};
  if (figures::Figure rows = new_rows_figure(context, place, made->words, width); !rows.items.empty())
    parts.push_back(std::move(rows));
  figures::Figure all = figures::stacked(parts, 20, 0);
  all.title = tr("Generated");
  return all;
}

}  // namespace headlight::views
