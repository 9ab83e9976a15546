// The candidates of one position, how they are drawn, and what takes them.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "app/text/language.h"
#include "app/ui/focus.h"
#include "app/views/next_word/parts.h"
#include "imgui.h"

namespace headlight::views::next_word {
namespace {

using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr std::size_t kMostRows = 12, kLeastRows = 7, kLeastPresented = 3;

std::string cut_words(const SamplingState& view, const DrawnShares& drawn) {
  if (!view.sample) return tr("greedy takes the best word");
  // Top-p cuts first where it leaves fewer.
  if (view.top_k > 0 && drawn.allowed == static_cast<std::size_t>(view.top_k))
    return fill(tr("top-k {} cuts here"), {std::to_string(view.top_k)});
  return fill(tr("top-p {} cuts here"), {two_decimals_of(view.top_p)});
}

SamplingOptions options_of(const Context& context, const Place& place) {
  return place.fills ? SamplingOptions{1, 0, 1} : sampling_of(context.view.sampling);
}

// `drawn` lists at least as many candidates as `rows`.
figures::CandidatesInput candidates_input(const Context& context, const Place& place, const RankedScores& ranked,
                                          const DrawnShares& drawn, std::size_t rows) {
  figures::CandidatesInput input;
  rows = std::min(rows, ranked.candidates.size());
  double model = 0, shares = 0;  // of the listed ones together
  for (std::size_t i = 0; i < rows; ++i) {
    const TokenCandidate& one = ranked.candidates[i];
    input.rows.push_back({place.word(one.token), one.probability, drawn.shares[i]});
    model += one.probability;
    shares += drawn.shares[i];
  }
  input.only_model = place.fills;
  input.allowed = drawn.allowed;
  if (drawn.allowed < ranked.candidates.size()) input.cut_words = cut_words(context.view.sampling, drawn);
  input.others = fill(tr("{} other words"), {std::to_string(ranked.candidates.size() - rows)});
  input.others_model = std::max(0.0, 1 - model);
  input.others_drawn = drawn.allowed > rows ? std::max(0.0, 1 - shares) : 0;
  return input;
}

figures::CandidatesInput input_for_file(const Context& context, const Place& place, const RankedScores& ranked,
                                        std::size_t rows) {
  return candidates_input(context, place, ranked, drawn_of(ranked, options_of(context, place), rows), rows);
}

// --- the list

using Drawing = std::shared_ptr<const DrawnShares>;

Drawing drawn_shares(const Frame& frame) {
  const SamplingOptions options = options_of(frame.context(), frame.place);
  return frame.scene.data<DrawnShares>(std::tuple(frame.ranked, options.temperature, options.top_k, options.top_p),
                                       [&] { return drawn_of(*frame.ranked, options, kMostRows); });
}

figures::Figure list_figure(const Frame& frame, const DrawnShares& drawn, std::size_t rows, float width, const Pen& pen) {
  figures::CandidatesInput input = candidates_input(frame.context(), frame.place, *frame.ranked, drawn, rows);
  for (std::size_t i = 0; i < input.rows.size(); ++i)
    if (frame.ranked->candidates[i].token == frame.tracked) input.tracked = static_cast<std::int64_t>(i);
  if (!frame.presented()) return figures::candidate_list(input, width, pen.theme, pen.measure);
  input.row_height = 30;
  input.only_model = true;  // nothing is drawn there, so that such a column says nothing
  input.cut_words.clear();
  input.others = tr("others");
  if (frame.place.fills) return figures::candidate_list(input, width, pen.theme, pen.measure);
  return figures::thinking({frame.place.tokenizer().decode(frame.place.ids()), input}, width, pen.theme, pen.measure);
}

// The heights of lists, by width and number of rows.
struct ListHeights {
  mutable std::map<std::pair<float, std::size_t>, float> known;
};

// The candidate under the mouse stands as a ghost behind the sentence, and Tab takes it.
void offer_ghost(const Frame& frame, std::int32_t token) {
  const Context& context = frame.context();
  if (!can_take(context, frame.place, token)) return;
  if (!frame.place.fills && frame.place.position + 1 == frame.place.tokens() && context.transient) {
    const Document next = continued_document(context, frame.place, {token});
    const auto& texts = frame.place.trace->targets().empty() ? next.texts : next.targets;
    context.transient->of<OfferedText>() = {
        texts[static_cast<std::size_t>(frame.place.batch)].substr(frame.place.sentence().text.size()), context.view.tab};
  }
  ui::take_key(ImGuiKey_Tab, "ghost");  // it would also go to the next control
  if (ImGui::IsKeyPressed(ImGuiKey_Tab, false)) take_token(context, frame.place, token);
}

// A click makes the candidate the tracked one; one that is tracked already is taken.
void choose_candidate(const Frame& frame, std::int32_t token) {
  const std::string& piece = frame.place.tokenizer().piece(token);
  if (frame.state.tracked == piece)
    take_token(frame.context(), frame.place, token);
  else
    frame.state.tracked = piece;
}

// The arrow keys follow another candidate of the list, Enter takes it.
void walk_candidates(const Frame& frame, std::int64_t rows) {
  const auto& candidates = frame.ranked->candidates;
  const std::int64_t step = ImGui::IsKeyPressed(ImGuiKey_DownArrow) ? 1 : ImGui::IsKeyPressed(ImGuiKey_UpArrow) ? -1 : 0;
  if (step != 0 && rows > 0) {
    std::int64_t now = -1;
    for (std::int64_t i = 0; i < rows; ++i)
      if (candidates[static_cast<std::size_t>(i)].token == frame.tracked) now = i;
    const std::int64_t to = std::clamp<std::int64_t>(now + step, 0, rows - 1);
    frame.state.tracked = frame.place.tokenizer().piece(candidates[static_cast<std::size_t>(to)].token);
  }
  if (ImGui::IsKeyPressed(ImGuiKey_Enter, false)) take_token(frame.context(), frame.place, frame.tracked);
}

void follow_candidates(const Frame& frame, const Drawn& drawn) {
  const gl::Hit& hit = drawn.hit;
  if (hit.hovered && hit.tag.kind == figures::Tag::row && hit.tag.a >= 0) {
    const std::int32_t token = frame.ranked->candidates[static_cast<std::size_t>(hit.tag.a)].token;
    frame.own->pointed = token;
    if (hit.clicked) choose_candidate(frame, token);
    offer_ghost(frame, token);
    const std::string word = frame.place.word(token);
    say_at_mouse(
        frame.scene,
        can_take(frame.context(), frame.place, token)
            ? fill(frame.place.fills ? tr("A click follows {} through the layers; another, or Tab, puts it there")
                                     : tr("A click follows {} through the layers; another, or Tab, puts it behind the sentence"),
                   {word})
            : fill(tr("{} is a special token and stands for no text"), {word}));
  }
  if (hit.focused) walk_candidates(frame, drawn.figure.data.front().values.count());
}

// As many as stand in the room with the cards above and the controls around them.
std::size_t most_rows(const Frame& frame) {
  constexpr float kRow = 28, kAround = 373, kAroundFilling = 270;
  if (frame.presented()) return kMostRows;
  const float rows = (frame.scene.room.h - (frame.place.fills ? kAroundFilling : kAround)) / kRow;
  return static_cast<std::size_t>(std::clamp(rows, static_cast<float>(kLeastRows), static_cast<float>(kMostRows)));
}

Node list(Sheet& sheet, const Shared& frame) {
  if (!frame->ranked) return waiting(sheet, "no candidates");
  const Drawing drawn = drawn_shares(*frame);
  const auto heights = sheet.scene.data<ListHeights>(
      std::tuple(frame->ranked, drawn, frame->presented(), sheet.scene.context.scale, spoken_language()),
      [] { return ListHeights(); });
  const auto height = [frame, drawn, heights, pen = sheet.scene.pen](float width, std::size_t rows) {
    const auto [found, fresh] = heights->known.try_emplace({width, rows});
    if (fresh) found->second = list_figure(*frame, *drawn, rows, width, pen).height;
    return found->second;
  };
  const std::size_t most = std::min(most_rows(*frame), frame->ranked->candidates.size()),
                    least = std::min(most, frame->presented() ? kLeastPresented : kLeastRows);
  return sheet.picture(
      {.id = "candidates",
       .picture =
           [frame, drawn, height, most, least](Size s, const Pen& pen) {
             std::size_t rows = most;
             while (rows > least && height(s.w, rows) > s.h + 0.5f) --rows;
             return list_figure(*frame, *drawn, rows, s.w, pen);
           },
       .of = sheet.scene.made_of<struct CandidatesOf>(frame->ranked, drawn, frame->tracked, frame->presented()),
       .hit = [frame](const Drawn& at) { follow_candidates(*frame, at); },
       .focusable = true,
       .paper = {640, 0},
       .on_paper = [frame](Size s, const Pen&) { return candidates_figure(frame->context(), frame->place, s.w); }},
      {240, 240, kAny}, [height, most, least](float width) {
        const float whole = height(width, most);
        return Span{height(width, least), whole, whole};
      });
}

// --- the controls

// That the list is not the model's own, and the way back.
void add_source(Sheet& sheet, const Shared& frame, Nodes& all) {
  const auto lens = lens_of(frame->context(), frame->place);
  const std::int64_t layer = lens ? shown_layer(frame->context(), *lens) : -1;
  if (layer < 0) return;
  all.push_back(Sheet::row(
      "source", 10,
      {sheet.button({.id = "all layers",
                     .label = tr("all layers"),
                     .why = tr("The list of the whole model again"),
                     .press = [frame] { frame->state.layer = -1; },
                     .high = 28}),
       sheet.words("source words",
                   fill(tr("what it would say after {} of {} layers"), {std::to_string(layer), std::to_string(lens->rows() - 1)}),
                   14, sheet.scene.pen.theme.selected)}));
}

const char* temperature_words() {
  return tr("Below 1 the best word gets more of the chance, above 1 all get more alike; Ctrl+click types a number");
}
void set_temperature(SamplingState& sampling, double to) {
  sampling.temperature = std::round(to * 100) / 100;
  sampling.sample = true;
}

Node sampling_controls(Sheet& sheet, const Shared& frame) {
  SamplingState& view = frame->sampling();
  const auto top_p = static_cast<std::int64_t>(std::lround(view.top_p * 20));
  Nodes all = {
      sheet.label("temperature name", tr("temperature"), 13, sheet.scene.pen.theme.secondary),
      sheet.track({.id = "temperature",
                   .value = two_decimals_of(view.temperature),
                   .now = view.temperature,
                   .least = 0.05,
                   .most = 5,
                   .set = [&view](double to) { set_temperature(view, to); },
                   .why = temperature_words(),
                   .formula = tr("softmax(logits / T)"),
                   .wide = {60, 130, 240},
                   .number = 40}),
      sheet.choice("how", {tr("greedy"), tr("sample")}, view.sample ? 1 : 0,
                   {tr("The best word each time"), tr("A word is drawn by its chance; the seed decides the draws")},
                   [&view](int chosen) { view.sample = chosen == 1; }),
      sheet.stepper("seed", fill(tr("seed {}"), {std::to_string(view.seed)}), view.seed, std::int64_t{1} << 40,
                    tr("Another seed draws other words; the same seed draws the same ones"),
                    [&view](std::int64_t to) { view.seed = to; }),
      sheet.stepper("top-k", view.top_k ? fill(tr("top-k {}"), {std::to_string(view.top_k)}) : std::string(tr("top-k all")),
                    view.top_k, 1000, tr("Only the best k words can be drawn; 0: all"),
                    [&view](std::int64_t to) { view.top_k = to; }),
      sheet.stepper("top-p", fill(tr("top-p {}"), {two_decimals_of(view.top_p)}), top_p, 21,
                    tr("Only the fewest best words can be drawn that together have this chance; 1: all"),
                    [&view](std::int64_t to) { view.top_p = static_cast<double>(to) / 20; })};
  return Sheet::flow("sampling", 12, std::move(all));
}

// For a model that fills in: the token that is asked for, and a button that puts [MASK] in a word's place.
void add_masked_place(Sheet& sheet, const Shared& frame, Nodes& all) {
  const Place& place = frame->place;
  const figures::Theme& theme = sheet.scene.pen.theme;
  all.push_back(sheet.stepper("position", fill(tr("token {}: {}"), {std::to_string(place.position), place.label()}),
                              place.position, place.tokens(), tr("Another token of the sentence"),
                              [frame](std::int64_t to) { frame->state.position = to; }));
  if (const char* const good = good_for_filling(frame->context().trace->document().model))
    all.push_back(sheet.words("good", tr(good), 13, theme.secondary));
  if (place.masked()) return;
  all.push_back(sheet.button({.id = "mask",
                              .label = tr("Put [MASK] there"),
                              .why = tr("The model then has to say what stands there, from the words on both sides"),
                              .press =
                                  [frame] {
                                    frame->state.position = frame->place.position;
                                    const std::int32_t mask = frame->place.tokenizer().special(tokenizers::Role::mask);
                                    frame->context().edit(filled_document(frame->context(), frame->place, mask));
                                  },
                              .enabled = !frame->context().computing}));
  all.push_back(sheet.words("unmasked",
                            tr("The model sees this word. Hide it behind [MASK], or type [MASK] into the sentence, and it has to "
                               "guess."),
                            14, theme.secondary));
}

const char* generate_words() {
  return tr("The model goes on word by word, each computed with the keys and values of those before it");
}

Node taking(Sheet& sheet, const Shared& frame) {
  constexpr float kButton = 34;
  const Context& context = frame->context();
  const Place& place = frame->place;
  const bool running = is_generating(frame->own->generated);
  Nodes all = {sheet.button({.id = "take",
                             .label = tr("take it"),
                             .on = true,
                             .why = fill(place.fills ? tr("Puts {} in its place; Ctrl+Z brings back what stood there")
                                         : place.position + 1 == place.tokens()
                                             ? tr("Puts {} behind the sentence; Ctrl+Z takes it back")
                                             : tr("The sentence goes on with {} here; Ctrl+Z brings back what stood behind it"),
                                         {place.word(frame->tracked)}),
                             .press = [frame] { take_token(frame->context(), frame->place, frame->tracked); },
                             .enabled = frame->ranked != nullptr && can_take(context, place, frame->tracked),
                             .wide = {88, 112, 112},
                             .high = kButton})};
  if (place.fills) return Sheet::flow("taking", 8, std::move(all));  // a text that is filled in does not go on
  all.push_back(sheet.button({.id = "generate",
                              .label = running ? tr("stop") : tr("generate"),
                              .why = generate_words(),
                              .press = [frame] { turn_generating(frame->context(), frame->place, frame->own->generated); },
                              .enabled = frame->ranked != nullptr && !context.computing,
                              .wide = {88, 112, 112},
                              .high = kButton}));
  all.push_back(sheet.stepper("words", fill(tr("{} words"), {std::to_string(frame->state.words)}), frame->state.words - 1, 200,
                              tr("How many words are generated at once"),
                              [frame](std::int64_t to) { frame->state.words = to + 1; }));
  return Sheet::flow("taking", 8, std::move(all));
}

}  // namespace

std::string title_of(const Place& place) {
  return fill(place.fills ? tr("What stands at {}") : tr("The next word after {}"), {place.label()});
}

bool can_take(const Context& context, const Place& place, std::int32_t token) {
  return !context.computing && !place.tokenizer().vocabulary().is_special(token);
}

void take_token(const Context& context, const Place& place, std::int32_t token) {
  if (!can_take(context, place, token)) return;
  State& state = state_of(context);
  state.position = -1;
  state.tracked.clear();
  if (!place.fills) {
    context.edit(continued_document(context, place, {token}));
    return;
  }
  // The next mask is asked for, or the same place where there is no other.
  const auto& tokens = place.sentence().tokens;
  const std::int32_t mask = place.tokenizer().special(tokenizers::Role::mask);
  const auto masks = std::count_if(tokens.begin(), tokens.end(), [mask](const auto& one) { return one.id == mask; });
  if (masks <= (place.masked() ? 1 : 0)) state.position = place.position;
  context.edit(filled_document(context, place, token));
}

Nodes list_nodes(Sheet& sheet, const Shared& frame) {
  Nodes all = {heading(sheet, "list title", title_of(frame->place))};
  if (!frame->presented()) {
    add_source(sheet, frame, all);
    if (frame->place.fills)
      add_masked_place(sheet, frame, all);
    else
      all.push_back(sampling_controls(sheet, frame));
  }
  all.push_back(list(sheet, frame));
  const Parts* const parts = frame->context().parts;
  if (!frame->presented() || (parts && parts->is_spoken_of("next:take"))) all.push_back(taking(sheet, frame));
  return all;
}

std::vector<Control> strip_controls(Context& context) {
  const auto place = place_in(context);
  if (!place || place->fills || !context.transient) return {};
  State& state = state_of(context);
  SamplingState& sampling = context.view.sampling;
  GeneratedWords& generated = context.transient->of<Held>().generated;
  const bool running = is_generating(generated);
  return {{.id = "temperature",
           .label = tr("temperature"),
           .why = temperature_words(),
           .value = two_decimals_of(sampling.temperature),
           .widest = two_decimals_of(5),
           .now = sampling.temperature,
           .least = 0.05,
           .most = 5,
           .slide = [&sampling](double to) { set_temperature(sampling, to); }},
          {.id = "how",
           .label = tr("sample"),
           .why = tr("A word is drawn by its chance; the seed decides the draws"),
           .press = [&sampling] { sampling.sample = !sampling.sample; },
           .on = sampling.sample},
          {.id = "words",
           .label = tr("words"),
           .why = tr("How many words are generated at once"),
           .value = std::to_string(state.words),
           .widest = "200",
           .at = state.words - 1,
           .count = 200,
           .step = [&state](std::int64_t to) { state.words = to + 1; }},
          {.id = "generate",
           .label = running ? tr("stop") : tr("generate"),
           .why = generate_words(),
           .press = [&context, place, &generated] { turn_generating(context, *place, generated); },
           .on = running,
           .enabled = !context.computing,
           .widest = tr("generate")}};
}

figures::Figure candidates_figure(const Context& context, const Place& place, float width) {
  const auto ranked = ranked_of(context, place);
  if (!ranked) return {};
  figures::CandidatesInput input = input_for_file(context, place, *ranked, 12);
  input.title = title_of(place);
  return figures::candidate_list(input, width, context.theme, context.measure);
}

figures::Figure thinking_figure(const Context& context, const Place& place, float width) {
  const auto ranked = place.fills ? nullptr : ranked_of(context, place);
  if (!ranked) return {};
  const figures::ThinkingInput input{place.tokenizer().decode(place.ids()), input_for_file(context, place, *ranked, 8)};
  return figures::thinking(input, width, context.theme, context.measure);
}

}  // namespace headlight::views::next_word
