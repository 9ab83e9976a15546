// The words that were generated, and where each of them looks.
#include <optional>
#include <utility>

#include "app/figures/attention/layouts.h"
#include "app/figures/attention/word_axes.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/stack.h"
#include "app/text/language.h"
#include "app/ui/focus.h"
#include "app/views/next_word/parts.h"
#include "engine/insight/word_groups.h"
#include "engine/insight/word_joins.h"
#include "engine/text/display.h"
#include "imgui.h"

namespace headlight::views::next_word {
namespace {

using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;
using Words = std::vector<GeneratedWords::Word>;

// The pieces of each word together, also of one that goes on behind the sentence; row i is the generated token `first` + i.
void take_words_together(const Place& place, const Words& words, std::size_t first, figures::HeatmapInput& input) {
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
std::optional<figures::HeatmapInput> new_rows_input(const Context& context, const Place& place, Words words) {
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

std::string new_rows_words(const Context& context, const Place& place) {
  const HeadRef head = shown_head(context, place);
  return fill(tr("layer {}, head {}"), {std::to_string(head.layer), std::to_string(head.head)}) +
         (context.view.words_together ? std::string("; ") + tr("pieces of a word together") : "");
}

figures::Figure new_rows_figure(const Context& context, const Place& place, const Words& words, float width) {
  auto input = new_rows_input(context, place, words);
  if (!input) return {};
  input->title = std::string(tr("Where each looks")) + ": " + new_rows_words(context, place);
  input->row_axis = context.view.words_together ? figures::query_words_axis(false) : tr("query (attends)");
  input->column_axis = context.view.words_together ? figures::key_words_axis() : tr("key (is attended to)");
  return figures::heatmap(*input, width, 600, context.theme, context.measure);
}

figures::GeneratedInput generated_input(const Place& place, const Words& words) {
  figures::GeneratedInput input;
  for (const GeneratedWords::Word& word : words) input.words.push_back({place.word(word.token), word.chance});
  return input;
}

// The words. On a projector, where nothing scrolls, the last lines of them.
Node words_picture(Sheet& sheet, const Shared& frame) {
  const auto input = std::make_shared<const figures::GeneratedInput>(generated_input(frame->place, frame->own->generated.words));
  const auto draw = [input](Size s, const Pen& pen) {
    return figures::generated_words(*input, s.w, s.h, pen.theme, pen.measure);
  };
  return sheet.picture(
      {.id = "generated",
       .picture = draw,
       .hit =
           [frame](const Drawn&) {
             // What is being made is seen, also where its place lies below the edge.
             GeneratedWords& generated = frame->own->generated;
             if (is_generating(generated) || generated.words.size() != generated.seen) ui::scroll_to_item();
             generated.seen = generated.words.size();
           },
       .paper = {760, 0},
       .on_paper = [frame](Size s, const Pen&) { return generated_figure(frame->context(), frame->place, s.w); }},
      {200, 200, kAny}, [draw, pen = sheet.scene.pen, presented = frame->presented()](float width) {
        const float whole = draw({width, 0}, pen).height, line = draw({width, 1}, pen).height;
        return Span{presented ? line : whole, whole, whole};
      });
}

Node generated_buttons(Sheet& sheet, const Shared& frame) {
  constexpr float kHigh = 34;
  const GeneratedWords& generated = frame->own->generated;
  const bool running = is_generating(generated);
  TokenIds ids;
  for (const GeneratedWords::Word& word : generated.words)
    if (!frame->place.tokenizer().vocabulary().is_special(word.token)) ids.push_back(word.token);
  const bool can_keep = !running && !ids.empty() && !frame->context().computing;
  Nodes all = {sheet.button({.id = "more",
                             .label = tr("one more"),
                             .why = tr("Generates one further word"),
                             .press = [frame] { frame->own->generated.wanted = frame->own->generated.words.size() + 1; },
                             .enabled = !running && !generated.ended,
                             .high = kHigh}),
               sheet.button({.id = "undo",
                             .label = tr("undo"),
                             .why = tr("Takes the last generated word away"),
                             .press =
                                 [frame] {
                                   GeneratedWords& kept = frame->own->generated;
                                   kept.words.pop_back();
                                   kept.wanted = kept.words.size();
                                   kept.ended = false;
                                   kept.error.clear();
                                 },
                             .high = kHigh}),
               sheet.button({.id = "keep",
                             .label = tr("keep in the sentence"),
                             .why = tr("Puts the generated words behind the sentence; Ctrl+Z takes them back"),
                             .press =
                                 [frame, ids] {
                                   frame->state.position = -1;
                                   frame->context().edit(continued_document(frame->context(), frame->place, ids));
                                 },
                             .enabled = can_keep,
                             .high = kHigh})};
  for (Node& node : all) node.presented = true;
  return Sheet::flow("generated buttons", 8, std::move(all));
}

void add_new_rows(Sheet& sheet, const Shared& frame, Nodes& all) {
  auto made = new_rows_input(frame->context(), frame->place, frame->own->generated.words);
  if (!made) return;
  made->legend = false;
  made->most_cell = 22;
  const float high = 60 + 24 * static_cast<float>(made->row_labels.size());
  const auto input = std::make_shared<const figures::HeatmapInput>(std::move(*made));
  Node rows = sheet.picture(
      {.id = "new rows",
       .picture = [input](Size s, const Pen& pen) { return figures::heatmap(*input, s.w, s.h, pen.theme, pen.measure); },
       .paper = {900, 0},
       .on_paper = [frame](
                       Size s,
                       const Pen&) { return new_rows_figure(frame->context(), frame->place, frame->own->generated.words, s.w); }},
      {200, 200, kAny}, Span{high, high, high});
  Node column =
      Sheet::column("new rows column", {2, 8, 8},
                    {heading(sheet, "new rows title", tr("Where each looks"), {new_rows_words(frame->context(), frame->place)}),
                     std::move(rows)});
  if (frame->presented()) column.rank = 4;
  all.push_back(std::move(column));
}

}  // namespace

Nodes generated_nodes(Sheet& sheet, const Shared& frame) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  const GeneratedWords& generated = frame->own->generated;
  Nodes all = {heading(sheet, "generated title", tr("Generated"), {tr("each word with the chance it had")})};
  if (!generated.error.empty()) all.push_back(remark(sheet, "generated error", generated.error, 14, theme.wrong));
  if (generated.words.empty()) {
    if (generated.error.empty())
      all.push_back(
          remark(sheet, "none generated",
                 generated.wanted > 0 ? tr("computing …") : tr("generate writes words here; keep puts them into the sentence."),
                 14, theme.secondary));
    return all;
  }
  all.push_back(words_picture(sheet, frame));
  all.push_back(generated_buttons(sheet, frame));
  if (frame->presented()) all.back().rank = 3;
  add_new_rows(sheet, frame, all);
  return all;
}

figures::Figure generated_figure(const Context& context, const Place& place, float width) {
  constexpr std::size_t kWritten = 12;
  GeneratedWords own;  // where no window has generated any yet
  own.key = place.key();
  own.wanted = kWritten;
  const GeneratedWords* made = context.transient ? &context.transient->of<Held>().generated : &own;
  if (made->words.empty() || made->key != place.key()) {
    for (std::size_t i = 0; i < kWritten; ++i) go_on_generating(context, place, own);
    made = &own;
  }
  if (made->words.empty()) return {};
  std::vector<figures::Figure> parts{
      figures::generated_words(generated_input(place, made->words), width, 0, context.theme, context.measure)};
  if (figures::Figure rows = new_rows_figure(context, place, made->words, width); !rows.items.empty())
    parts.push_back(std::move(rows));
  figures::Figure all = figures::stacked(parts, 20, 0);
  all.title = tr("Generated");
  return all;
}

}  // namespace headlight::views::next_word
