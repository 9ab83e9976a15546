// What speaks for one word over another: the difference of their scores by layer, by head, and by the token that a head reads.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/figures/base/stack.h"
#include "app/text/language.h"
#include "app/views/base/attention_choice.h"
#include "app/views/why/parts.h"

namespace headlight::views::why {
namespace {

using Difference = std::shared_ptr<const LogitDifference>;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr std::size_t kMostHeads = 14;

std::string signed_number(const char* format, double v) {
  char text[32];
  std::snprintf(text, sizeof text, format, v);
  return text;
}

std::string two_decimals(double v) { return signed_number("%+.2f", v); }

figures::SignedBarsInput by_layer_input(const LogitDifference& difference) {
  figures::SignedBarsInput input;
  input.title = tr("By layer");
  input.mono = false;
  const std::vector<double> sums = difference.by_layer();
  for (std::size_t i = 0; i < sums.size(); ++i)
    input.rows.push_back({i == 0 ? tr("embedding") : fill(tr("layer {}"), {std::to_string(i - 1)}), sums[i], false, 0, ""});
  return input;
}

// What the other rows leave of the difference stands in the last one.
void add_rest(figures::SignedBarsInput& input, const LogitDifference& difference, std::string name) {
  double rest = difference.difference;
  for (const figures::SignedBarsInput::Row& row : input.rows) rest -= row.value;
  input.rows.push_back({std::move(name), rest, false, 0, ""});
  input.last_is_rest = true;
}

figures::SignedBarsInput by_source_input(const Place& place, const LogitDifference& difference) {
  figures::SignedBarsInput input;
  input.title = tr("By the token that heads read");
  const auto batch = static_cast<std::size_t>(place.batch);
  const auto add = [&](const std::vector<double>& sums, const std::vector<std::string>& labels, const std::string& behind) {
    for (std::size_t i = 0; i < std::min(sums.size(), labels.size()); ++i)
      input.rows.push_back({labels[i] + behind, sums[i], false, 0, ""});
  };
  add(difference.by_source(true), place.trace->texts()[batch].labels, std::string(" ") + tr("cross"));
  add(difference.by_source(), place.sentence().labels, "");
  add_rest(input, difference, tr("no head"));
  return input;
}

std::string head_name(const LogitDifference::Part& part) {
  std::string name = "L" + std::to_string(part.layer) + " H" + std::to_string(part.head);
  return part.place.ends_with("cross.") ? name + " " + tr("cross") : name;
}

// The largest heads; below each bar by how much the difference falls without the head.
figures::SignedBarsInput by_head_input(const LogitDifference& difference, const WithoutHeads* without, std::size_t most) {
  figures::SignedBarsInput input;
  input.title = tr("By head");
  for (const std::size_t i : largest_heads(difference, most)) {
    figures::SignedBarsInput::Row row{head_name(difference.parts[i]), difference.parts[i].logit, false, 0, ""};
    for (std::size_t n = 0; without && n < without->parts.size(); ++n)
      if (without->parts[n] == i) {
        row.has_second = true;
        row.second = difference.difference - without->differences[n];
      }
    input.rows.push_back(std::move(row));
  }
  add_rest(input, difference, tr("all the rest"));
  input.second_title = without ? fill(tr("Thin, of the first {}: by how much the difference falls without the head, with what "
                                         "later layers make of it."),
                                      {std::to_string(without->parts.size())})
                               : tr("taking heads out …");
  return input;
}

void follow_head(const Frame& frame, const LogitDifference& difference, const WithoutHeads* without, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.kind != figures::Tag::row) return;
  if (hit.tag.a < 0) {
    say_at_mouse(frame.scene, tr("the other heads, the embedding, the feed-forward parts and biases"));
    return;
  }
  const figures::SignedBarsInput input = by_head_input(difference, without, kMostHeads);
  const LogitDifference::Part& part =
      difference.parts[largest_heads(difference, kMostHeads)[static_cast<std::size_t>(hit.tag.a)]];
  frame.context().hover.next.layer = part.layer;
  frame.context().hover.next.head = part.head;
  const figures::SignedBarsInput::Row& row = input.rows[static_cast<std::size_t>(hit.tag.a)];
  say_at_mouse(frame.scene, row.has_second
                                ? fill(tr("adds {} directly; without the head the difference is {}; a click opens it in Heads"),
                                       {two_decimals(part.logit), two_decimals(difference.difference - row.second)})
                                : fill(tr("adds {} directly; a click opens it in Heads"), {two_decimals(part.logit)}));
  if (!hit.clicked) return;
  const auto most = std::max_element(part.by_source.begin(), part.by_source.end(),
                                     [](double one, double other) { return std::abs(one) < std::abs(other); });
  open_attention(frame.scene.view, part.place, part.head, frame.place.position,
                 part.by_source.empty() ? -1 : most - part.by_source.begin());
}

// One of the three columns; a column that finds no room beside the first comes below it.
Node column_of_bars(Sheet& sheet, Part part, figures::SignedBarsInput input, const BarsRoom& room, int rank) {
  const std::string id = part.id + " column";
  Node column = Sheet::column(id, 0, {bars(sheet, std::move(part), std::move(input), room, {221, 400, kAny})});
  column.scrolls = true;
  column.rank = rank;
  column.below = rank > 0;
  return column;
}

std::vector<std::string> remarks_of_sum(const LogitDifference& difference, const std::string& word, const std::string& over) {
  if (!difference.adds_up()) return {fill(tr("to the right: for “{}”, to the left: for “{}”"), {word, over})};
  return {fill(tr("each list adds up to it, checked; to the right: for “{}”, to the left: for “{}”"), {word, over}),
          tr("each list adds up to it, checked")};
}

BarsRoom every_row(const figures::SignedBarsInput& input) {
  return {.least = input.rows.size(), .most = input.rows.size(), .low = 15, .high = 24};
}

}  // namespace

Node difference_page(Sheet& sheet, const Shared& frame) {
  std::string error;
  const Difference difference = difference_of(frame->context(), frame->place, frame->asked.word, frame->asked.over, &error);
  if (!difference) return waiting(sheet, error);
  const auto without = without_heads_of(frame->context(), frame->place, difference, frame->asked.word, frame->asked.over);
  const std::string word = frame->word(), over = frame->over();
  figures::SignedBarsInput layers = by_layer_input(*difference), sources = by_source_input(frame->place, *difference);
  const BarsRoom of_layers = every_row(layers), of_sources = every_row(sources);
  const auto follow = [frame, difference, without](const Drawn& drawn) {
    follow_head(*frame, *difference, without.get(), drawn.hit);
  };
  const bool presented = sheet.scene.medium == sheet::Medium::presented;
  std::vector<Node> three;
  three.push_back(column_of_bars(sheet, {.id = "layers"}, std::move(layers), of_layers, 0));
  three.push_back(column_of_bars(sheet, {.id = "difference heads", .hit = follow},
                                 by_head_input(*difference, without.get(), kMostHeads),
                                 presented ? BarsRoom{.least = 4, .most = kMostHeads + 1, .low = 15, .high = 24}
                                           : BarsRoom{.least = kMostRemoved + 1, .most = kMostHeads + 1, .low = 22, .high = 24},
                                 2));
  three.push_back(column_of_bars(sheet, {.id = "sources"}, std::move(sources), of_sources, 1));
  std::vector<Node> all = {heading(sheet, "difference title",
                                   fill(tr("“{}” leads “{}” by {}"), {word, over, two_decimals(difference->difference)}),
                                   remarks_of_sum(*difference, word, over))};
  if (!difference->adds_up())
    all.push_back(remark(sheet, "difference rest",
                         fill(tr("the parts differ from it by {}"), {signed_number("%+.2g", difference->rest)}), 13,
                         sheet.scene.pen.theme.wrong));
  all.push_back(Sheet::row("three", 28, std::move(three)));
  return Sheet::column("difference page", {2, 8, 8}, std::move(all));
}

figures::Figure difference_figure(const Context& context, const Place& place, float width) {
  const auto words = words_behind(context, place);
  const Asked choice = asked_in(context, place, words.get());
  if (choice.over < 0) return {};
  const auto difference = difference_of(context, place, choice.word, choice.over, nullptr);
  if (!difference) return {};
  const auto without = without_heads_of(context, place, difference, choice.word, choice.over);
  figures::Figure all = figures::stacked(
      {figures::signed_bars(by_layer_input(*difference), width, context.theme, context.measure),
       figures::signed_bars(by_head_input(*difference, without.get(), 12), width, context.theme, context.measure),
       figures::signed_bars(by_source_input(place, *difference), width, context.theme, context.measure)},
      20, 0);
  all.title =
      fill(tr("“{}” leads “{}” by {}"), {place.word(choice.word), place.word(choice.over), two_decimals(difference->difference)});
  return figures::framed(all, all.title, 0, context.theme);
}

}  // namespace headlight::views::why
