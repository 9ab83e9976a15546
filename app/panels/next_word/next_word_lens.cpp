// The logit lens, and where the token looks: both with the same columns.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/panels/next_word/next_word_tab.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/figure_menu.h"
#include "engine/insight/word_groups.h"
#include "imgui.h"

namespace headlight::views {
namespace {

figures::LensInput lens_input(const Context& context, const NextWordPlace& place, const LogitLens& lens, std::int32_t tracked,
                              float width) {
  figures::LensInput input;
  input.positions = place.sentence().labels;
  const figures::ShownColumns shown = figures::shown_columns(lens.positions(), place.position, width);
  input.first = shown.first;
  input.count = shown.count;
  const std::int32_t* token = lens.token.data<std::int32_t>();
  for (std::int64_t row = 0; row < lens.rows(); ++row) {
    std::vector<std::string>& words = input.words.emplace_back(static_cast<std::size_t>(lens.positions()));
    for (std::int64_t i = shown.first; i < shown.first + shown.count; ++i)
      words[static_cast<std::size_t>(i)] = place.word(token[row * lens.positions() + i]);
    input.chance.push_back(std::exp(lens.log_probability(row, place.position, tracked)));
  }
  input.probability = lens.probability;
  input.current = place.position;
  input.source = shown_layer(context, lens);
  input.tracked = place.word(tracked);
  input.colormap = context.view.colormap;
  input.key = 0x4c454e53ull ^ (place.trace->generation() << 16) ^ static_cast<std::uint64_t>(place.batch);
  return input;
}

std::string lens_quiet_words() { return tr("the top word after each layer, 0: the embedding"); }

void open_head(Context& context, const NextWordPlace& place, const HeadPush& head) {
  const auto most = std::max_element(head.weights.begin(), head.weights.end());
  open_in_heads(context.view, head.prefix, head.head, place.position, head.weights.empty() ? -1 : most - head.weights.begin());
}

figures::LooksInput looks_input(const Context& context, const NextWordPlace& place, const HeadPushes& pushes, float width,
                                std::size_t rows) {
  figures::LooksInput input;
  const bool cross = !pushes.heads.empty() && pushes.heads.front().prefix.ends_with("cross.");
  const Sentence& keys = cross ? place.trace->texts()[static_cast<std::size_t>(place.batch)] : place.sentence();
  input.tokens = keys.labels;
  const auto tokens = static_cast<std::int64_t>(input.tokens.size());
  std::int64_t position = cross ? tokens - 1 : place.position;
  // The weights to a word's pieces added up; there is one query, so that no rows are averaged.
  WordAxes words;
  if (context.view.words_together) {
    words.columns = word_groups(keys, cross ? place.trace->tokenizer().get() : &place.tokenizer(), tokens);
    words.rows = word_groups(std::vector<bool>{false}, {});
    input.tokens = words.columns.labels();
    position = words.columns.at(position);
  }
  const auto count = static_cast<std::int64_t>(input.tokens.size());
  const figures::ShownColumns shown = figures::shown_columns(count, position, width);
  input.first = shown.first;
  input.count = shown.count;
  input.current = cross ? -1 : position;
  input.push_title = tr("logit");
  for (std::size_t i = 0; i < std::min(rows, pushes.heads.size()); ++i) {
    const HeadPush& head = pushes.heads[i];
    figures::LooksInput::Row row;
    row.name = "L" + std::to_string(head.layer) + " H" + std::to_string(head.head);
    row.weights = head.weights;
    row.weights.resize(static_cast<std::size_t>(tokens), 0.0);  // a shorter sentence's padding is left out
    if (words.columns.size() > 0) {
      const Tensor sums = words_weights(Tensor::of(row.weights, {1, tokens}), {}, words);
      row.weights.assign(sums.data<double>(), sums.data<double>() + sums.count());
    }
    row.push = head.push;
    input.largest = std::max(input.largest, std::abs(head.push));
    input.rows.push_back(std::move(row));
  }
  return input;
}

}  // namespace

void draw_lens(const NextWordTab& tab, float width, float row_height) {
  draw_heading(tab.look, tr("Logit lens"), lens_quiet_words(), width);
  const auto lens = lens_of(tab.context, tab.place);
  if (!lens || !tab.ranked) {
    ui::words(tab.look, tr("computing …"), tab.look.theme.secondary, 14);
    return;
  }
  figures::LensInput input = lens_input(tab.context, tab.place, *lens, tab.tracked, width);
  input.row_height = row_height;
  figures::Figure figure = figures::lens_map(input, width, tab.context.theme, tab.context.measure);
  figure.background.a = 0;
  const gl::Hit hit = tab.context.figures.draw(figure, "lens");
  name_part(tab.context, "next:lens");
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0 && hit.column >= 0 && hit.row < lens->rows() &&
      hit.column < lens->positions()) {
    const auto at = hit.row * lens->positions() + hit.column;
    const std::int32_t token = lens->token.data<std::int32_t>()[at];
    ui::tooltip(tab.look,
                fill(tr("after {} layers, behind {}: {} with {}; a click follows it and lists what this layer would say"),
                     {std::to_string(hit.row), tab.place.sentence().labels[static_cast<std::size_t>(hit.column)],
                      tab.place.word(token), figures::percent(lens->probability.at({hit.row, hit.column}))}));
    if (hit.clicked) {
      tab.context.view.next_word.position = hit.column + 1 == tab.place.tokens() ? -1 : hit.column;
      tab.context.view.next_word.layer = hit.row + 1 == lens->rows() ? -1 : hit.row;
      tab.context.view.next_word.tracked = tab.place.tokenizer().piece(token);
    }
  }
  figure_menu(tab.context, "lens menu", hit, [&] { return lens_figure(tab.context, tab.place, 720); });
}

void draw_looks(const NextWordTab& tab, float width, std::size_t rows) {
  draw_heading(tab.look, fill(tr("Where {} looks"), {tab.place.label()}),
               tab.ranked ? fill(tr("heads by their push to {}"), {tab.place.word(tab.tracked)}) +
                                (tab.context.view.words_together ? std::string("; ") + tr("pieces of a word together") : "")
                          : std::string(),
               width);
  if (!tab.place.trace->targets().empty()) {
    const char* const labels[] = {tr("own words"), tr("source")};
    const int clicked = ui::segmented(tab.look, "kind", labels, 2, tab.context.view.next_word.cross ? 1 : 0,
                                      tr("Whether the heads look at the words written so far, or at those that are read"));
    if (clicked >= 0) tab.context.view.next_word.cross = clicked == 1;
  }
  std::string error;
  const auto pushes = tab.ranked ? pushes_of(tab.context, tab.place, tab.tracked, &error) : nullptr;
  if (!pushes) {
    ui::words(tab.look, error.empty() ? tr("computing …") : error, tab.look.theme.secondary, 14);
    return;
  }
  figures::LooksInput input = looks_input(tab.context, tab.place, *pushes, width, rows);
  const Hot& hot = tab.context.hover.now;
  for (std::size_t i = 0; i < input.rows.size(); ++i)
    if (pushes->heads[i].layer == hot.layer && pushes->heads[i].head == hot.head) input.hot = static_cast<std::int64_t>(i);
  figures::Figure figure = figures::looks_table(input, width, tab.context.theme, tab.context.measure);
  figure.background.a = 0;
  const gl::Hit hit = tab.context.figures.draw(figure, "looks");
  name_part(tab.context, "next:looks");
  if (hit.hovered && hit.tag.kind == figures::Tag::row && hit.tag.a >= 0) {
    const HeadPush& head = pushes->heads[static_cast<std::size_t>(hit.tag.a)];
    tab.context.hover.next.layer = head.layer;
    tab.context.hover.next.head = head.head;
    ui::tooltip(tab.look, fill(tr("layer {}, head {} adds {} to the logit of {}; a click opens it in Heads"),
                               {std::to_string(head.layer), std::to_string(head.head), short_number(head.push),
                                tab.place.word(tab.tracked)}));
    if (hit.clicked) open_head(tab.context, tab.place, head);
  }
  figure_menu(tab.context, "looks menu", hit, [&] { return looks_figure(tab.context, tab.place, 760); });
  const auto number = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", value);
    return std::string(text);
  };
  const double heads = pushes->logit - pushes->embedding - pushes->feed_forward - pushes->others;
  ui::words(tab.look,
            fill(tr("logit {} = embedding {} + feed-forward {} + heads {} + rest {}"),
                 {number(pushes->logit), number(pushes->embedding), number(pushes->feed_forward), number(heads),
                  number(pushes->others)}),
            tab.look.theme.secondary, 13);
}

figures::Figure looks_figure(const Context& context, const NextWordPlace& place, float width) {
  const auto ranked = ranked_of(context, place);
  const auto pushes = ranked ? pushes_of(context, place, tracked_token(context, place, *ranked), nullptr) : nullptr;
  if (!pushes) return {};
  figures::LooksInput input = looks_input(context, place, *pushes, width, 12);
  input.title = fill(tr("Where {} looks"), {place.label()});
  return figures::looks_table(input, width, context.theme, context.measure);
}

figures::Figure lens_figure(const Context& context, const NextWordPlace& place, float width) {
  const auto lens = lens_of(context, place);
  const auto ranked = ranked_of(context, place);
  if (!lens || !ranked) return {};
  figures::LensInput input = lens_input(context, place, *lens, tracked_token(context, place, *ranked), width);
  input.title = tr("Logit lens");
  return figures::lens_map(input, width, context.theme, context.measure);
}

}  // namespace headlight::views
