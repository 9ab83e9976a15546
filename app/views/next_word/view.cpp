// The view Next word: what a trained model says comes next, where that comes from, and how it goes on.
#include "app/views/base/view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figures/base/compose.h"
#include "app/figures/base/stack.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/next_word/parts.h"
#include "engine/document/stored_model.h"
#include "imgui.h"

namespace headlight::views {
namespace next_word {
namespace {

using figures::Font;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr float kGap = 24;
constexpr const char* kOffered = "stories";  // the model that the view offers where the present one predicts nothing

Node column_of(const char* id, Nodes nodes) { return Sheet::column(id, {4, 8, 8}, std::move(nodes)); }
void append(Nodes& all, Nodes more) {
  for (Node& node : more) all.push_back(std::move(node));
}

// --- where nothing is predicted

std::string why_nothing(const Context& context) {
  if (!context.trace || context.trace->texts().empty())
    return context.error ? "" : context.computing ? tr("computing …") : tr("Nothing is computed yet.");
  if (context.document.model != "sandbox" && context.trace->document().model != "sandbox" &&
      std::any_of(context.trace->steps().begin(), context.trace->steps().end(),
                  [](const Step& step) { return step.role == Role::logits; }))
    return tr(
        "Without a causal mask every token sees those behind it, so there is no next word to predict. The model stories "
        "predicts the next word.");
  return tr("This model was not trained to predict the next word. The model stories was.");
}

// Why there is nothing to predict, and the button that mends it.
Node nothing(Sheet& sheet) {
  const Context& context = sheet.scene.context;
  Nodes all = {sheet.notice(why_nothing(context), sheet.scene.pen.theme.secondary)};
  if (!context.trace || context.trace->texts().empty()) return std::move(all.front());
  const auto model = open_stored_model(kOffered);
  all.push_back(sheet.button({.id = "model",
                              .label = tr("Take the model stories"),
                              .on = true,
                              .why = model.ok() ? tr("The sentence stays; the model, its tokenizer and its sizes change. Ctrl+Z "
                                                     "brings the present model back.")
                                                : tr("The bundled models are not installed"),
                              .press =
                                  [&context] {
                                    const auto offered = open_stored_model(kOffered);
                                    if (!offered.ok()) return;
                                    Document document = context.document;
                                    use_model(document, **offered);
                                    document.targets.clear();
                                    context.edit(std::move(document));
                                  },
                              .enabled = model.ok(),
                              .high = 34}));
  all.back().presented = true;
  return Sheet::column("nothing", 10, std::move(all));
}

// --- the arrangements

// A column's width, whatever its parts wish.
Span exactly(float least, float wide) {
  const float width = std::max(least, std::floor(wide));
  return {least, width, width};
}
Node scrolling(Node column) {
  column.scrolls = true;
  return column;
}
// The list as high as it is, whatever stands beside it: its buttons stay where they are while that is being computed.
Node steady(Node list) {
  for (Node& child : list.children)
    if (child.id == "candidates")
      child.forms[0].high = [high = child.forms[0].high](float width) { return Span(high(width).most); };
  return list;
}
// The first arrangement that the room is wide enough for.
Node widest(Nodes arrangements) {
  Node node = Sheet::either(std::move(arrangements));
  node.rank = 1;
  return node;
}

// A model that fills in predicts nothing that follows: its list, the lens, and where the token looks.
Node filling(Sheet& sheet, const Shared& frame) {
  const float width = sheet.scene.room.w - kScrollBar - kGap;
  Node list = column_of("list", list_nodes(sheet, frame));
  Nodes seen = lens_nodes(sheet, frame);
  append(seen, looks_nodes(sheet, frame));
  Node right = column_of("right", std::move(seen));
  Node one = Sheet::column("one", 10, {steady(list), right});
  list.wide = exactly(280, width * 0.42f);
  right.wide = exactly(320, width * 0.58f);
  return widest({Sheet::row("two", kGap, {scrolling(std::move(list)), scrolling(std::move(right))}), scrolling(std::move(one))});
}

// With room for three columns the cards stand above two of them, else above all; then the page scrolls as a whole.
Node arranged(Sheet& sheet, const Shared& frame) {
  const float width = sheet.scene.room.w - kScrollBar - kGap;
  Node cards = column_of("cards column", cards_nodes(sheet, frame)), list = column_of("list", list_nodes(sheet, frame));
  // What was generated stands first once there is any.
  const GeneratedWords& generated = frame->own->generated;
  const bool any = generated.wanted > 0 || !generated.words.empty();
  Nodes goes_on = any ? generated_nodes(sheet, frame) : comparison_nodes(sheet, frame);
  append(goes_on, any ? comparison_nodes(sheet, frame) : generated_nodes(sheet, frame));
  Node middle = column_of("middle", std::move(goes_on));
  Nodes seen = lens_nodes(sheet, frame);
  append(seen, looks_nodes(sheet, frame));
  Node right = column_of("right", std::move(seen));

  Node one = Sheet::column("one", 10, {cards, steady(list), right, middle});
  list.wide = right.wide = exactly(300, width / 2);
  Node two = Sheet::column("two", 10, {cards, Sheet::row("two columns", kGap, {steady(list), right}), middle});

  right.wide = exactly(370, width * 0.40f);
  const float left = width - right.wide.wished;
  list.wide = exactly(300, (left - kGap) * 0.54f);
  middle.wide = exactly(280, left - kGap - list.wide.wished);
  Node main =
      Sheet::column("left", 10, {std::move(cards), Sheet::row("list and middle", kGap, {std::move(list), std::move(middle)})});
  return widest({Sheet::row("three", kGap, {scrolling(std::move(main)), scrolling(std::move(right))}), scrolling(std::move(two)),
                 scrolling(std::move(one))});
}

// The list, which has the sentence beside it, and the lens where there is room; below it the cards, or what was generated.
Node presented(Sheet& sheet, const Shared& frame) {
  const bool fills = frame->place.fills;
  const float width = sheet.scene.room.w - kGap, of_list = std::max(260.0f, std::floor(width * (fills ? 0.5f : 0.58f)));
  Node list = column_of("list", list_nodes(sheet, frame)), lens = column_of("lens column", lens_nodes(sheet, frame));
  list.wide = {260, of_list, kAny};
  lens.wide = exactly(260, width - of_list);
  lens.rank = 2;
  Node above = Sheet::row("above", kGap, {std::move(list), std::move(lens)});
  if (fills) return above;
  const GeneratedWords& generated = frame->own->generated;
  const bool any = generated.wanted > 0 || !generated.words.empty();
  Node below = column_of("below", any ? generated_nodes(sheet, frame) : cards_nodes(sheet, frame));
  if (any)
    above.rank = 1;  // what is being made is seen in any room
  else
    below.rank = 3;
  return Sheet::column("presented", {4, 10, 10}, {std::move(above), std::move(below)});
}

// --- files

figures::Figure whole_figure(const Context& context, float width) {
  const auto place = place_in(context);
  if (!place) return {};
  const float inner = width - 32;
  std::vector<figures::Figure> parts;
  for (figures::Figure& part : std::vector<figures::Figure>{
           cards_figure(context, *place, inner), candidates_figure(context, *place, inner), lens_figure(context, *place, inner)})
    if (!part.items.empty()) parts.push_back(std::move(part));
  if (parts.empty()) return {};
  figures::Figure all = figures::stacked(parts, 20, 16);
  all.title = title_of(*place);
  return all;
}

using MakePicture = figures::Figure (*)(const Context&, const Place&, float);
template <MakePicture make, int most = 0>
figures::Figure picture_of(const Context& context, float width, float) {
  const auto place = place_in(context);
  if (!place) return {};
  const figures::Figure figure = make(context, *place, (most > 0 ? std::min(width, static_cast<float>(most)) : width) - 32);
  return figure.items.empty() ? figure : figures::stacked({figure}, 0, 16);
}

// --- the view

Sheet sheet_of(const Scene& scene) {
  const Context& context = scene.context;
  Sheet sheet(scene);
  if (scene.medium == sheet::Medium::file) {
    (void)sheet.picture({.id = "file", .on_paper = [&context](Size s, const Pen&) { return whole_figure(context, s.w); }},
                        Span{0, 0, kAny});
    return sheet;
  }
  if (context.transient) context.transient->of<OfferedText>() = {};  // set again by what is under the mouse, like `pointed`
  const auto place = place_in(context);
  if (!place) {
    sheet.root = nothing(sheet);
    return sheet;
  }
  const auto own = own_transient<Held>(scene);
  const auto ranked = shown_ranked_of(context, *place);
  const auto frame = std::make_shared<const Frame>(
      Frame{scene, scene.state<State>(), *place, own, ranked, ranked ? tracked_token(context, *place, *ranked) : 0});
  own->pointed = -1;
  go_on_generating(context, *place, own->generated);
  sheet.root = frame->presented() ? presented(sheet, frame) : place->fills ? filling(sheet, frame) : arranged(sheet, frame);
  return sheet;
}

// Puts the word that is followed behind the sentence: the best one, where none was clicked.
void take_followed(Context& context) {
  const auto place = place_in(context);
  const auto ranked = place && !place->fills ? shown_ranked_of(context, *place) : nullptr;
  if (ranked) take_token(context, *place, tracked_token(context, *place, *ranked));
}

}  // namespace

Node waiting(Sheet& sheet, const std::string& id, const std::string& error) {
  return remark(sheet, id, error.empty() ? tr("computing …") : error, 14, sheet.scene.pen.theme.secondary);
}

}  // namespace next_word

const View& next_word_view() {
  using namespace next_word;
  static const View view = {
      .id = "next",
      .label = tr_later("Next word"),
      .sees = tr_later("Which word the model expects next, and why"),
      .formula = "p(w_n+1 | w_1 .. w_n) = softmax(logits / T)",
      .source = "Bengio et al. 2003; logit lens: nostalgebraist 2020; Elhage et al. 2021",
      .group = "meaning",
      .icon = "2,10 12,10; 8.5,6.5 12,10 8.5,13.5; 15,5 18,5 18,15 15,15 15,5",
      .pages = {{"", "", ""}},
      .sheet = sheet_of,
      .needs = {Role::logits},
      .full_width = true,
      .samples = {{"greedy", [](ViewState& v) { v.sampling.sample = false; }}},
      .commands = {{"take", tr_later("Take the next word"),
                    tr_later("Puts the most probable word, or the one that is followed, behind the sentence"), nullptr,
                    [](const ViewState& v) { return v.tab == "next"; }, take_followed}},
      .filed = "file",
      .pictures = {{"what-follows", "what really follows at every position, and how surprised the model is",
                    picture_of<cards_figure>},
                   {"next-words", "the candidates for the next token of one position", picture_of<candidates_figure, 760>},
                   {"thinking", "the sentence, and the candidates beside it, for slides", picture_of<thinking_figure>},
                   {"lens", "the logit lens: the top token after every layer", picture_of<lens_figure>},
                   {"odds", "two continuations: how they part from layer to layer", picture_of<odds_figure, 760>},
                   {"generated", "generated words with their chances, and where each looks", picture_of<generated_figure>},
                   {"looks", "where one token looks, and each head's push to a candidate", picture_of<looks_figure>}},
      .token = [](ViewState& v) -> std::int64_t& { return v.own.of<State>().position; },
      .hides = figures::Hides::predictions,
      .controls = strip_controls,
      .toured = {.model = "stories"}};
  return view;
}

}  // namespace headlight::views
