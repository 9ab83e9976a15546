// The logit lens, and where the token looks: both with the same columns.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/attention_choice.h"
#include "app/views/next_word/parts.h"
#include "engine/insight/word_groups.h"

namespace headlight::views::next_word {
namespace {

using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr float kLeastWide = 250;

figures::LensInput lens_input(const Context& context, const Place& place, const LogitLens& lens, std::int32_t tracked,
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

void follow_lens(const Frame& frame, const LogitLens& lens, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.kind != figures::Tag::cell_area || hit.row < 0 || hit.column < 0 || hit.row >= lens.rows() ||
      hit.column >= lens.positions())
    return;
  const std::int32_t token = lens.token.data<std::int32_t>()[hit.row * lens.positions() + hit.column];
  say_at_mouse(frame.scene,
               fill(tr("after {} layers, behind {}: {} with {}; a click follows it and lists what this layer would say"),
                    {std::to_string(hit.row), frame.place.sentence().labels[static_cast<std::size_t>(hit.column)],
                     frame.place.word(token), figures::percent(lens.probability.at({hit.row, hit.column}))}));
  if (!hit.clicked) return;
  frame.state.position = hit.column + 1 == frame.place.tokens() ? -1 : hit.column;
  frame.state.layer = hit.row + 1 == lens.rows() ? -1 : hit.row;
  frame.state.tracked = frame.place.tokenizer().piece(token);
}

void open_head(const Frame& frame, const HeadPush& head) {
  const auto most = std::max_element(head.weights.begin(), head.weights.end());
  open_attention(frame.scene.view, head.prefix, head.head, frame.place.position,
                 head.weights.empty() ? -1 : most - head.weights.begin());
}

figures::LooksInput looks_input(const Context& context, const Place& place, const HeadPushes& pushes, float width,
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

void follow_looks(const Frame& frame, const HeadPushes& pushes, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.kind != figures::Tag::row || hit.tag.a < 0) return;
  const HeadPush& head = pushes.heads[static_cast<std::size_t>(hit.tag.a)];
  frame.context().hover.next.layer = head.layer;
  frame.context().hover.next.head = head.head;
  say_at_mouse(frame.scene, fill(tr("layer {}, head {} adds {} to the logit of {}; a click opens it in Heads"),
                                 {std::to_string(head.layer), std::to_string(head.head), short_number(head.push),
                                  frame.place.word(frame.tracked)}));
  if (hit.clicked) open_head(frame, head);
}

// As many heads as there is room for.
Node looks_picture(Sheet& sheet, const Shared& frame, const std::shared_ptr<const HeadPushes>& pushes) {
  constexpr std::size_t kLeast = 5, kMost = 8;
  const std::size_t most = std::min(kMost, pushes->heads.size()), least = std::min(kLeast, most);
  const auto height = [](std::size_t rows) {
    return figures::kLooksNames + figures::kLooksRow * static_cast<float>(rows) + figures::kLooksBelow;
  };
  const Hot& hot = frame->context().hover.now;
  const auto draw = [frame, pushes, least, most, height, layer = hot.layer, head = hot.head](Size s, const Pen& pen) {
    std::size_t rows = most;
    while (rows > least && height(rows) > s.h + 0.5f) --rows;
    figures::LooksInput input = looks_input(frame->context(), frame->place, *pushes, s.w, rows);
    for (std::size_t i = 0; i < input.rows.size(); ++i)
      if (pushes->heads[i].layer == layer && pushes->heads[i].head == head) input.hot = static_cast<std::int64_t>(i);
    return figures::looks_table(input, s.w, pen.theme, pen.measure);
  };
  return sheet.picture(
      {.id = "looks",
       .picture = draw,
       .of = sheet.scene.made_of<struct LooksOf>(pushes, hot.layer, hot.head, frame->context().view.words_together),
       .hit = [frame, pushes](const Drawn& drawn) { follow_looks(*frame, *pushes, drawn.hit); },
       .paper = {760, 0},
       .on_paper = [frame](Size s, const Pen&) { return looks_figure(frame->context(), frame->place, s.w); }},
      {kLeastWide, kLeastWide, kAny}, Span{height(least), height(most), height(most)});
}

// What the heads and all other parts add up to.
std::string sum_words(const HeadPushes& pushes) {
  const double heads = pushes.logit - pushes.embedding - pushes.feed_forward - pushes.others;
  return fill(tr("logit {} = embedding {} + feed-forward {} + heads {} + rest {}"),
              {two_decimals_of(pushes.logit), two_decimals_of(pushes.embedding), two_decimals_of(pushes.feed_forward),
               two_decimals_of(heads), two_decimals_of(pushes.others)});
}

}  // namespace

Nodes lens_nodes(Sheet& sheet, const Shared& frame) {
  Nodes all = {heading(sheet, "lens title", tr("Logit lens"), {tr("the top word after each layer, 0: the embedding")})};
  const auto lens = lens_of(frame->context(), frame->place);
  if (!lens || !frame->ranked) {
    all.push_back(waiting(sheet, "no lens"));
    return all;
  }
  const auto rows = static_cast<float>(lens->rows());
  const auto draw = [frame, lens, rows](Size s, const Pen& pen) {
    figures::LensInput input = lens_input(frame->context(), frame->place, *lens, frame->tracked, s.w);
    input.row_height = std::min(30.0f, (s.h - figures::kLensAround) / rows);
    return figures::lens_map(input, s.w, pen.theme, pen.measure);
  };
  // All layers are seen at once on a projector: the last one is what the model says.
  const float least = figures::kLensAround + rows * (frame->presented() ? 18 : 24), whole = figures::kLensAround + rows * 30;
  all.push_back(sheet.picture(
      {.id = "lens",
       .picture = draw,
       .of = sheet.scene.made_of<struct LensOf>(lens, frame->place.position, frame->tracked, shown_layer(frame->context(), *lens),
                                                frame->context().view.colormap),
       .hit = [frame, lens](const Drawn& drawn) { follow_lens(*frame, *lens, drawn.hit); },
       .paper = {720, 0},
       .on_paper = [frame](Size s, const Pen&) { return lens_figure(frame->context(), frame->place, s.w); }},
      {kLeastWide, kLeastWide, kAny}, Span{least, whole, whole}));
  return all;
}

Nodes looks_nodes(Sheet& sheet, const Shared& frame) {
  std::string quiet;
  if (frame->ranked)
    quiet = fill(tr("heads by their push to {}"), {frame->place.word(frame->tracked)}) +
            (frame->context().view.words_together ? std::string("; ") + tr("pieces of a word together") : "");
  Nodes all = {heading(sheet, "looks title", fill(tr("Where {} looks"), {frame->place.label()}), {std::move(quiet)})};
  if (!frame->place.trace->targets().empty())
    all.push_back(sheet.choice("kind", {tr("own words"), tr("source")}, frame->state.cross ? 1 : 0,
                               {tr("Whether the heads look at the words written so far, or at those that are read")},
                               [frame](int chosen) { frame->state.cross = chosen == 1; }));
  std::string error;
  const auto pushes = frame->ranked ? pushes_of(frame->context(), frame->place, frame->tracked, &error) : nullptr;
  if (!pushes) {
    all.push_back(waiting(sheet, "no looks", error));
    return all;
  }
  all.push_back(looks_picture(sheet, frame, pushes));
  all.push_back(sheet.words("looks sum", sum_words(*pushes), 13, sheet.scene.pen.theme.secondary));
  return all;
}

figures::Figure looks_figure(const Context& context, const Place& place, float width) {
  const auto ranked = ranked_of(context, place);
  const auto pushes = ranked ? pushes_of(context, place, tracked_token(context, place, *ranked), nullptr) : nullptr;
  if (!pushes) return {};
  figures::LooksInput input = looks_input(context, place, *pushes, width, 12);
  input.title = fill(tr("Where {} looks"), {place.label()});
  return figures::looks_table(input, width, context.theme, context.measure);
}

figures::Figure lens_figure(const Context& context, const Place& place, float width) {
  const auto lens = lens_of(context, place);
  const auto ranked = ranked_of(context, place);
  if (!lens || !ranked) return {};
  figures::LensInput input = lens_input(context, place, *lens, tracked_token(context, place, *ranked), width);
  input.title = tr("Logit lens");
  return figures::lens_map(input, width, context.theme, context.measure);
}

}  // namespace headlight::views::next_word
