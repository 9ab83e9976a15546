// The Index lab beside its times: one word's terms and the table they are looked up in, the map, the errors, the notebook.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>

#include "app/figures/base/compose.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "app/views/base/attention_bar.h"
#include "app/views/index/parts.h"
#include "imgui.h"

namespace headlight::views::lab {
namespace {

using figures::Font;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

// --- one word

constexpr float kLeastTerms = 150;  // height of the terms

using Terms = std::shared_ptr<const bench::WordTerms>;

// A field for the word, and a switch for its padding.
Node word_field(Sheet& sheet, const Shared& frame) {
  State& state = frame->state;
  const auto draw = [frame](const ui::Look& look, Size room) {
    ImGui::SetNextItemWidth(look.px(room.w));
    push_font(frame->context(), Font::mono, ui::kToken);
    ui::live_text_input("##word", frame->state.word, tr("type a word"));
    ImGui::PopFont();
  };
  std::vector<Node> both = {
      sheet.label("word name", tr("word"), 14, sheet.scene.pen.theme.secondary),
      sheet.by_hand({.id = "word",
                     .draw = draw,
                     .explains = fill(tr("Up to {} characters are pictured, padded to at least {}. a..z are "
                                         "symbols 1..26, padding is 0: the notebook's alphabet of 64"),
                                      {std::to_string(kMostPictured), std::to_string(kLeastPictured)})},
                    112, 30)};
  std::vector<Node> all = {
      Sheet::row("word line", 8, std::move(both)),
      sheet.toggle(
          "padding", tr("padding masked"), &state.padding,
          tr("The notebook masks nothing: padding takes part like any symbol. Masked, keys that are padding get weight 0 "
             "and queries that are padding leave the mean. It holds for the word and for every bar of the times alike"))};
  return shown_everywhere(Sheet::flow("word controls", 14, std::move(all)));
}

// Lines of text about the word, in their colours.
std::vector<Node> words_about(Sheet& sheet, const Frame& frame, const bench::WordTerms& t) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  const std::int64_t l = static_cast<std::int64_t>(t.word.ids.size()), n = bench::kAlphabet;
  const auto by = [](std::int64_t a, std::int64_t b) { return std::to_string(a) + "×" + std::to_string(b); };
  std::string ids;
  for (const std::int32_t id : t.word.ids) ids += (ids.empty() ? "[" : ", ") + std::to_string(id);
  ids += "]";
  const auto error = [](double e) {
    char text[24];
    std::snprintf(text, sizeof text, e == 0 ? "0" : "%.1e", e);
    return std::string(text);
  };
  return {remark(sheet, "looked up", tr("Looked up, never multiplied"), ui::kBody, theme.text, 2),
          remark(sheet, "tables", fill(tr("4 tables: {}, {}, {}, {}"), {by(n, n), by(n, l), by(l, n), by(l, l)}), 14,
                 theme.secondary, 3),
          remark(sheet, "weights",
                 frame.state.own_positions ? tr("symbols by W_M, positions by weights of their own, W_P")
                                           : tr("symbols and positions by the same weights, W_P = W_M"),
                 14, theme.secondary, 4),
          remark(sheet, "indices", fill(tr("indices {}"), {ids}), 14, theme.secondary, 3),
          remark(sheet, "between", fill(tr("mean |index - direct| {} (float32)"), {error(t.mean_between)}), 14, theme.good, 3),
          remark(sheet, "mean errors",
                 fill(tr("mean error against float64: index {}, direct {}"), {error(t.mean_index), error(t.mean_direct)}), 14,
                 theme.good, 4)};
}

void follow_terms(const Frame& frame, const Drawn& drawn, const bench::WordTerms& terms, const figures::IndexTermsInput& input) {
  const auto l = static_cast<std::int64_t>(terms.word.ids.size());
  const gl::Hit& hit = drawn.hit;
  frame.held->hot_cell = 0;
  if (!hit.hovered || hit.tag.kind != figures::Tag::cell_area || hit.row < 0) return;
  if (hit.row == l) {
    const double mean = static_cast<double>(input.pooled.data<float>()[hit.column]);
    say_at_mouse(frame.scene,
                 fill(tr("key {} at place {}: mean weight {} over the queries; the result is the sum of such means times V"),
                      {terms.word.labels[static_cast<std::size_t>(hit.column)], std::to_string(hit.column), short_number(mean)}),
                 "result = Σⱼ meanᵢ(softmax(QKᵀ / √d)[i, j]) V[j]");
    return;
  }
  frame.held->hot_cell = hit.row * l + hit.column + 1;
  const double weight = static_cast<double>(input.weights.data<float>()[hit.row * l + hit.column]);
  say_at_mouse(frame.scene, fill(tr("{}; weight {}"), {cell_words(terms, hit.row, hit.column), short_number(weight)}),
               "QKᵀ[i, j] = MM[Iᵢ, Iⱼ] + MP[Iᵢ, j] + PM[i, Iⱼ] + PP[i, j]");
}

Node terms_picture(Sheet& sheet, const Shared& frame, const Terms& terms, float high) {
  constexpr float kTitled = 960, kUnbounded = 4096;  // titles fit at 960 points
  const Held& held = *frame->held;
  const std::int64_t lit = held.hot_cell > 0 ? held.hot_cell : frame->state.page == "table" ? held.hot_in_table : 0;
  const auto input =
      sheet.scene.data<figures::IndexTermsInput>(std::tuple(terms, lit, frame->state.padding, frame->state.d, spoken_language()),
                                                 [&] { return terms_input(frame->state, terms, lit); });
  const auto picture = [input, presented = frame->presented()](Size s, const Pen& pen) {
    const float factor = presented ? std::min(1.0f, s.w / kTitled) : 1.0f;
    return figures::scaled(figures::index_terms(*input, s.w / factor, s.h / factor, pen.theme, pen.measure), factor);
  };
  const auto span = [picture, high, fixed = frame->arrangement == Arrangement::whole, pen = sheet.scene.pen](float width) {
    // The picture has a least height of its own, below which it would stand over what follows.
    const float own = picture({width, kUnbounded}, pen).height, least = picture({width, kLeastTerms}, pen).height;
    return fixed ? Span(std::clamp(picture({width, std::max(kLeastTerms, high)}, pen).height, std::min(least, own), own))
                 : Span{std::min(least, own), std::clamp(high, std::min(least, own), own), own};
  };
  return sheet.picture({.id = "terms",
                        .picture = picture,
                        .of = input,
                        .hit = [frame, terms, input](const Drawn& drawn) { follow_terms(*frame, drawn, *terms, *input); },
                        .paper = {1100, 320},
                        .on_paper = [frame](Size s, const Pen&) { return word_figure(frame->context(), s.w, s.h); }},
                       {160, 600, kAny}, span);
}

// --- the table

void follow_table(const Frame& frame, const Drawn& drawn, const Terms& terms, const figures::LookupTableInput& input) {
  const gl::Hit& hit = drawn.hit;
  std::int64_t& own = frame.held->hot_in_table = 0;
  if (!hit.hovered || hit.tag.kind != figures::Tag::cell_area || hit.row < 0) return;
  // The first position of the word that looks up this row, as query or key; -1: none.
  const std::int64_t n = input.symbols;
  const auto place_of = [&](std::int64_t i) -> std::int64_t {
    if (i >= n) return i - n;
    for (std::size_t k = 0; k < input.ids.size(); ++k)
      if (input.ids[k] == i) return static_cast<std::int64_t>(k);
    return -1;
  };
  const std::int64_t query = place_of(hit.row), key = place_of(hit.column);
  const auto label = [&](std::int64_t i, std::int64_t place) {
    return i >= n ? fill(tr("place {}"), {std::to_string(i - n)})
                  : fill(tr("symbol {}"), {place >= 0 ? input.labels[static_cast<std::size_t>(place)] : std::to_string(i)});
  };
  const double value = static_cast<double>(input.table.data<float>()[hit.row * input.table.dim(1) + hit.column]);
  const std::string cell = fill(tr("query {}, key {}: {}"), {label(hit.row, query), label(hit.column, key), short_number(value)});
  if (query >= 0 && key >= 0) {
    own = query * input.positions + key + 1;
    say_at_mouse(frame.scene, fill(tr("{}. Looked up: {}"), {cell, cell_words(*terms, query, key)}));
  } else {
    say_at_mouse(frame.scene, fill(tr("{}. This word does not look it up"), {cell}));
  }
}

std::vector<Node> table_page(Sheet& sheet, const Shared& frame) {
  const Terms terms = terms_of(frame->context());
  if (!terms) return {sheet.notice(tr("computing …"), sheet.scene.pen.theme.secondary)};
  const Held& held = *frame->held;
  const std::int64_t lit = held.hot_cell > 0 ? held.hot_cell : held.hot_in_table;
  const auto input = sheet.scene.data<figures::LookupTableInput>(std::tuple(terms, lit, spoken_language()),
                                                                 [&] { return table_input(terms, lit); });
  return {sheet.picture(
      {.id = "table",
       .picture = [input](Size s, const Pen& pen) { return figures::lookup_table(*input, s.w, s.h, pen.theme, pen.measure); },
       .of = input,
       .hit = [frame, terms, input](const Drawn& drawn) { follow_table(*frame, drawn, terms, *input); },
       .paper = {800, 760},
       .on_paper = [frame](Size s, const Pen&) { return table_figure(frame->context(), s.w, s.h > 0 ? s.h : 760); }},
      {160, 500, kAny}, {220, 560, kAny})};
}

// --- the map

// Chooses the size of an axis. If the other axis has it, the two swap.
Node axis_choice(Sheet& sheet, const char* id, const char* label, std::string& chosen, std::string& other) {
  int selected = 0;
  std::vector<std::string> letters;
  for (const Axis& axis : axes()) {
    if (chosen == axis.id) selected = static_cast<int>(letters.size());
    letters.emplace_back(axis.letter);
  }
  std::vector<Node> both = {
      sheet.label(std::string(id) + " name", label, 13, sheet.scene.pen.theme.secondary),
      sheet.choice(id, std::move(letters), selected, {tr("Which size runs along this axis; the others stay as they are set")},
                   [&chosen, &other](int clicked) {
                     const std::string now = axes()[static_cast<std::size_t>(clicked)].id;
                     if (other == now) other = chosen;
                     chosen = now;
                   })};
  return Sheet::row(std::string(id) + " line", 6, std::move(both));
}

// Its width is that of 100 %, so that nothing moves while it counts up.
Node measure_button(Sheet& sheet, const Frame& frame, const Map& map) {
  Sweep* const sweep = sweep_of(frame.context());
  const auto width = [&](const std::string& words) { return sheet.scene.pen.measure.width(words, 14, Font::words); };
  const float wide = std::ceil(std::max(width(fill(tr("Stop, {}"), {"100 %"})), width(tr("Measure")))) + 20;
  if (sweep->running()) {
    char percent[16];
    std::snprintf(percent, sizeof percent, "%.0f %%", 100 * sweep->progress());
    return sheet.button({.id = "measure",
                         .label = fill(tr("Stop, {}"), {percent}),
                         .on = true,
                         .why = tr("Stops measuring; what is measured stays"),
                         .press = [sweep] { sweep->cancel(); },
                         .wide = wide,
                         .high = 28});
  }
  const std::vector<SweepPoint> points = points_to_measure(map);
  return sheet.button(
      {.id = "measure",
       .label = tr("Measure"),
       .why = fill(tr("Times {} points of this map in the background; edits come first"), {std::to_string(points.size())}),
       .press = [sweep, points] { sweep->start(points); },
       .wide = wide,
       .high = 28});
}

Node map_controls(Sheet& sheet, const Shared& frame, const Map& map) {
  State& state = frame->state;
  std::vector<Node> all = {
      axis_choice(sheet, "across", tr("across"), state.across, state.up),
      axis_choice(sheet, "up", tr("up"), state.up, state.across),
      sheet.choice("against", {tr("fastest"), tr("as written")}, state.against == "written" ? 1 : 0,
                   {tr("Against the best way that needs no index: each distinct row once, weights folded, pooled early"),
                    tr("Against the layer as it is usually written")},
                   [&state](int clicked) { state.against = clicked == 1 ? "written" : "fastest"; })};
  if (sweep_of(frame->context())) all.push_back(measure_button(sheet, *frame, map));
  return shown_everywhere(Sheet::flow("map controls", 8, std::move(all)));
}

void follow_map(const Frame& frame, const Drawn& drawn, const Map& map) {
  const gl::Hit& hit = drawn.hit;
  if (!hit.hovered || hit.tag.kind != figures::Tag::cell_area) return;
  const auto i = static_cast<std::size_t>(hit.tag.a) * map.input.across.size() + static_cast<std::size_t>(hit.tag.b);
  const SweepPoint& p = map.points[i];
  const auto times = [](double win) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g×", win);
    return std::string(text);
  };
  const std::string sizes = "W = " + std::to_string(p.words) + ", l = " + std::to_string(p.length) +
                            ", n = " + std::to_string(p.vocab) + ", d = " + std::to_string(p.d);
  const double measured = map.input.measured[i], model = map.input.model[i];
  say_at_mouse(frame.scene,
               measured > 0
                   ? fill(tr("{}: measured {}, counted {}. Click sets these sizes"), {sizes, times(measured), times(model)})
                   : fill(tr("{}: counted {}, not measured. Click sets these sizes"), {sizes, times(model)}),
               counted_words(frame.state, p));
  if (!hit.clicked) return;
  frame.state.words = p.words;
  frame.state.length = p.length;
  frame.state.vocab = p.vocab;
  frame.state.d = p.d;
}

std::vector<Node> map_page(Sheet& sheet, const Shared& frame) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  const Context& context = frame->context();
  const auto map = std::make_shared<const Map>(map_of(context));
  measure_first(context, *map);
  std::vector<Node> all = {map_controls(sheet, frame, *map)};
  all.back().rank = 1;
  all.push_back(sheet.picture(
      {.id = "map",
       .picture = [map](Size s, const Pen& pen) { return figures::win_map(map->input, s.w, s.h, pen.theme, pen.measure); },
       .hit = [frame, map](const Drawn& drawn) { follow_map(*frame, drawn, *map); },
       .paper = {760, 720},
       .on_paper = [frame](Size s, const Pen&) { return map_figure(frame->context(), s.w, s.h); }},
      {160, 500, kAny}, {frame->presented() ? 190.0f : 225.0f, 480, 640}));
  if (const Sweep* const sweep = sweep_of(context))
    if (const auto error = sweep->error()) all.push_back(remark(sheet, "map error", spoken(*error), 14, theme.wrong));
  all.push_back(remark(sheet, "sentence",
                       tr("It loses for a handful of words (the tables cost more than they save), for large vocabularies (the "
                          "tables outgrow the cache) and when every query's output is kept; it applies to a first layer without "
                          "LayerNorm before Q and K."),
                       13, theme.secondary, 2));
  return all;
}

// --- the checks

std::vector<Node> errors_page(Sheet& sheet, const Shared& frame) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  std::vector<Node> all = {remark(sheet, "errors name", tr("Errors of the result against float64"), ui::kBody, theme.text, 1)};
  const auto found = errors_of(frame->context());
  if (!found.input) {
    all.push_back(remark(sheet, "no errors", found.words, 14, theme.secondary));
    return all;
  }
  all.push_back(sheet.picture(
      {.id = "errors",
       .picture = [input = found.input](Size s,
                                        const Pen& pen) { return figures::error_bars(*input, s.w, s.h, pen.theme, pen.measure); },
       .paper = {720, 420},
       .on_paper = [frame](Size s, const Pen&) { return errors_figure(frame->context(), s.w, s.h); }},
      {160, 500, kAny}, {frame->presented() ? 160.0f : 220.0f, 420, 420}));
  return all;
}

std::vector<Node> notebook_page(Sheet& sheet, const Shared& frame) {
  constexpr float kSmallest = 0.6f;  // of its type, where a presentation has not the room
  const figures::Theme& theme = sheet.scene.pen.theme;
  std::vector<Node> all = {remark(sheet, "notebook name", tr("The notebook's table on this machine"), ui::kBody, theme.text, 1)};
  const auto found = notebook_of(frame->context());
  if (!found.input) {
    all.push_back(remark(sheet, "no notebook", found.words, 14, theme.secondary));
    return all;
  }
  const auto own = [made = found.input](float width, const Pen& pen) { return table_of(*made, width, pen.theme, pen.measure); };
  const auto picture = [own](Size s, const Pen& pen) {
    figures::Figure whole = own(s.w, pen);
    if (s.h <= 0 || whole.height <= s.h + 0.5f) return whole;
    const float factor = s.h / whole.height;
    return figures::scaled(own(s.w / factor, pen), factor);
  };
  const float least = frame->presented() ? kSmallest : 1;
  all.push_back(sheet.picture({.id = "notebook", .picture = picture, .of = found.input, .paper = {720, 0}}, {160, 600, kAny},
                              [own, least, pen = sheet.scene.pen](float width) {
                                const float high = own(width, pen).height;
                                return Span{least * high, high, high};
                              }));
  return all;
}

// Which of several choices the map, the errors and the table show.
Node shown_buttons(Sheet& sheet, const Shared& frame, const std::vector<Choice>& choices) {
  return group(sheet, "shown", 4, [&](Sheet& inner) {
    const std::string shown = shown_choice(frame->context()).backend;
    std::vector<Node> all;
    for (const Choice& choice : choices)
      all.push_back(inner.button(
          {.id = "shown " + choice.backend,
           .label = name_of(choice),
           .on = choice.backend == shown,
           .why = fill(tr("Shows the map, the errors and the notebook's table of {}; the bars show all that are chosen"),
                       {name_of(choice)}),
           .press = [&state = frame->state, id = choice.backend] { state.shown = id; },
           .high = 28}));
    return all;
  });
}

}  // namespace

sheet::Node word_section(Sheet& sheet, const Shared& frame, float high) {
  constexpr float kBesides = 1100, kLow = 320, kWords = 328, kApart = 24;
  const Terms terms = terms_of(frame->context());
  Node field = word_field(sheet, frame);
  if (!terms) {
    std::vector<Node> all = {std::move(field), sheet.notice(tr("computing …"), sheet.scene.pen.theme.secondary)};
    return Sheet::column("word column", 5, std::move(all));
  }
  std::vector<Node> words = words_about(sheet, *frame, *terms);
  // In a wide and low room the words are beside the terms; else above and below.
  if (frame->width >= kBesides && high < kLow && !frame->presented()) {
    words.insert(words.begin(), std::move(field));
    std::vector<Node> both = {terms_picture(sheet, frame, terms, high), Sheet::column("about the word", 5, std::move(words))};
    both.back().wide = kWords;
    return Sheet::row("word line", kApart, std::move(both));
  }
  float below = 30;  // of these, the room for the controls
  for (const Node& line : words) below += 5 + line.forms[0].high(frame->width).wished;
  std::vector<Node> all = {std::move(field), terms_picture(sheet, frame, terms, std::max(kLeastTerms, high - below))};
  for (Node& line : words) all.push_back(std::move(line));
  return Sheet::column("word column", 5, std::move(all));
}

sheet::Node side_page(Sheet& sheet, const Shared& frame, const std::string& page) {
  std::vector<Node> all;
  if (const std::vector<Choice> choices = choices_of(frame->context()); page != "table" && choices.size() > 1)
    all.push_back(shown_buttons(sheet, frame, choices));
  std::vector<Node> rest = page == "table"    ? table_page(sheet, frame)
                           : page == "errors" ? errors_page(sheet, frame)
                           : page == "map"    ? map_page(sheet, frame)
                                              : notebook_page(sheet, frame);
  for (Node& node : rest) all.push_back(std::move(node));
  return Sheet::column("page", 5, std::move(all));
}

}  // namespace headlight::views::lab
