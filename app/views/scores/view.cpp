// The Scores view: one token asks all, and six scores answer side by side; below them why the scores are divided by a root, and
// what the relation of Q, K and V means. Each of the two has a page of its own, too; a fourth shows Bahdanau's step.
#include "app/views/base/view.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/attention_nodes.h"
#include "app/views/base/next_word_lines.h"
#include "app/views/scores/bahdanau_data.h"
#include "app/views/scores/data.h"
#include "engine/core/one_nan.h"
#include "imgui.h"

namespace headlight::views {

const View& scores_view();

namespace scored {
namespace {

using figures::Tag;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr float kLeastHalf = 430, kFiled = 900;

// What the view's functions share in a frame.
struct Frame {
  const Scene& scene;
  State& state;
  Asked asked;
};
using Shared = std::shared_ptr<const Frame>;

// The token asks from now on; what it looks at most is pinned with it, so that the inspector shows the same row.
void let_ask(const Frame& frame, std::int64_t query) {
  const Asked& asked = frame.asked;
  if (query < 0 || query >= static_cast<std::int64_t>(asked.query_labels.size())) return;
  ViewState& view = frame.scene.view;
  view.pinned_row = query;
  view.pinned_column = 0;
  const AttentionChoice& choice = asked.choice;
  const Trace& trace = *frame.scene.context.trace;
  const auto row =
      trace.tile(trace.name_at(choice.prefix(), Role::weights), {choice.batch, choice.head, query, 1, 0, asked.keys});
  for (std::int64_t key = 1; row.ok() && key < asked.keys; ++key)
    if (row->at({0, key}) > row->at({0, view.pinned_column})) view.pinned_column = key;
  view.inspector.step.clear();
  view.inspector.index.clear();
}

void light(const Frame& frame, std::int64_t query, std::int64_t key) {
  frame.scene.context.hover.next.row = query;
  frame.scene.context.hover.next.column = key;
}

// --- controls

Node step_controls(Sheet& sheet, std::int64_t step, std::int64_t steps) {
  ViewState& view = sheet.scene.view;
  // Bahdanau's step has its own network: of the model's layers and heads it reads nothing but the tokens.
  return Sheet::flow("controls", 16,
                     {page_choice(sheet, scores_view()),
                      sheet.stepper("step", fill(tr("step {} of {}"), {std::to_string(step), std::to_string(steps)}), step, steps,
                                    tr("Another word that is written"), [&view](std::int64_t to) {
                                      view.pinned_row = to;
                                      view.pinned_column = 0;
                                    })});
}

Node controls(Sheet& sheet, const Shared& frame) {
  const Asked& asked = frame->asked;
  std::vector<Node> all = {page_choice(sheet, scores_view())};
  for (Node& node : attention_nodes(sheet, asked.choice)) all.push_back(std::move(node));
  all.push_back(sheet.stepper(
      "query", fill(tr("query {}: {}"), {std::to_string(asked.query), asked.query_labels[static_cast<std::size_t>(asked.query)]}),
      asked.query, static_cast<std::int64_t>(asked.query_labels.size()), tr("Another token that asks"),
      [frame](std::int64_t to) { let_ask(*frame, to); }));
  if (!asked.choice.site->mask.mask.empty())
    all.push_back(sheet.toggle("mask", tr("mask"), &frame->state.masked,
                               tr("Off: the query asks every token. On: only those that the model's mask lets it see.")));
  return Sheet::flow("controls", 16, std::move(all));
}

// --- the cards

void follow_number(const Frame& frame, const figures::ScoreCardsInput& input, const gl::Hit& hit) {
  const Asked& asked = frame.asked;
  const std::int64_t key = hit.tag.a;
  const auto card = static_cast<std::size_t>(hit.tag.b / 2);
  if (card >= input.rows.size() || key < 0 || key >= asked.keys) return;
  light(frame, asked.query, key);
  const ScoreRow& row = input.rows[card];
  const std::string head = fill(tr("{} asks {}, {}"), {input.asker, input.labels[static_cast<std::size_t>(key)],
                                                       tr(compared_scores().find(row.id)->label.c_str())});
  say_at_mouse(frame.scene, head,
               !asked.asked->question.sees(static_cast<std::size_t>(key)) ? tr("masked: it is not asked, and its weight is 0")
               : hit.tag.b % 2 == 1                                       ? told_weight(asked, row, key)
                                                                          : told_score(asked, row, key));
  if (!hit.clicked) return;
  frame.scene.view.pinned_row = asked.query;
  frame.scene.view.pinned_column = key;
}

void follow_cards(const Frame& frame, const figures::ScoreCardsInput& input, const gl::Hit& hit) {
  if (!hit.hovered) return;
  const auto at = static_cast<std::size_t>(std::max<std::int64_t>(0, hit.tag.a));
  if (hit.tag.kind == Tag::cell) follow_number(frame, input, hit);
  if (hit.tag.kind == Tag::row && hit.tag.a < frame.asked.keys) {
    light(frame, frame.asked.query, hit.tag.a);
    if (frame.asked.one_text) {
      say_at_mouse(frame.scene, fill(tr("A click lets {} ask"), {input.labels[at]}));
      if (hit.clicked) let_ask(frame, hit.tag.a);
    }
  }
  if (hit.tag.kind == Tag::link && at < input.rows.size()) {
    const ComparedScore& kind = *compared_scores().find(input.rows[at].id);
    const std::string own =
        input.rows[at].drawn ? " " + fill(tr("Its weights are random, seed {}."), {std::to_string(input.seed)}) : std::string();
    say_at_mouse(frame.scene,
                 fill(tr("{}: {}. The bars reach {} at most."),
                      {tr(kind.label.c_str()), tr(kind.meaning.c_str()), figures::score_number(input.rows[at].largest)}) +
                     own,
                 kind.formula + "   " + kind.source);
  }
  if (hit.tag.kind == Tag::bar && at < input.rows.size())
    say_at_mouse(frame.scene, tr("How spread out the row is: 0 when one key gets all, ln n when all n keys get the same"),
                 "H = - Σ w ln w = " + short_number(input.rows[at].entropy));
}

// All six, or the card of scaled dot alone. As high as its lines, which stand as close as the height asks for.
Node cards(Sheet& sheet, const Shared& frame, Span wide, bool all) {
  const bool quiet = sheet.scene.medium == sheet::Medium::file;
  using Sizes = std::map<std::pair<float, float>, figures::ScoreCardsInput>;
  const auto input_at = [frame, all, quiet, made = std::make_shared<Sizes>()](float width,
                                                                              float height) -> const figures::ScoreCardsInput& {
    const auto [at, fresh] = made->try_emplace({width, height});
    if (!fresh) return at->second;
    const Context& context = frame->scene.context;
    at->second =
        all ? cards_input(context, frame->asked, width, height) : scaled_card_input(context, frame->asked, width, height);
    if (quiet) at->second.hot = -1;
    return at->second;
  };
  const auto high_at = [frame, input_at](float width) {
    const figures::ScoreCardsInput& input = input_at(width, kFiled);
    const auto shown = static_cast<std::int64_t>(input.shown.size());
    return figures::score_cards_frame(input) +
           static_cast<float>(figures::score_lines(input, shown + (shown < frame->asked.keys ? 1 : 0))) * input.pitch;
  };
  Part part{.id = "cards",
            .picture =
                [input_at](Size s, const Pen& pen) {
                  return figures::score_cards(input_at(s.w, s.h > 0 ? s.h : kFiled), s.w, pen.theme, pen.measure);
                },
            .hit = [frame, input_at](const Drawn& d) { follow_cards(*frame, input_at(d.figure.width / d.type, kFiled), d.hit); },
            .paper = {1060, 0},
            .framed = true};
  if (quiet) return sheet.picture(std::move(part), wide);
  Node node = sheet.picture(std::move(part), wide, [all, high_at](float width) {
    const float wished = all ? std::max(250.0f, high_at(width)) : 420;
    return Span{all ? 250.0f : 140.0f, wished, all ? wished : kAny};
  });
  if (all) node.forms.push_back({wide, [high_at](float width) { return Span{100, std::max(100.0f, high_at(width)), kAny}; }});
  return node;
}

// --- the scale

// The marker: a click or a drag puts it somewhere, and beside 1/√d and 1 it snaps to them.
void use_plot(const Frame& frame, const figures::ScalePlotInput& input, const Drawn& drawn) {
  const gl::Hit& hit = drawn.hit;
  const figures::Figure& figure = drawn.figure;
  const Asked& asked = frame.asked;
  double& factor = frame.state.factor;
  const auto put = [&](double to) {
    const bool at_model = figures::factors_apart(figure, input, to, asked.asked->model_factor) < 5;
    factor = at_model ? 0 : figures::factors_apart(figure, input, to, 1) < 5 ? 1 : to;
  };
  const bool in_plot = hit.hovered && hit.tag.kind == Tag::column;
  const auto held = own_transient<Held>(frame.scene);
  if (in_plot && hit.clicked) held->marker = true;
  if (held->marker && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) held->marker = false;
  if (held->marker && hit.hovered) put(figures::factor_at(figure, input, hit.at, true));
  if (hit.hovered && hit.double_clicked) {
    factor = 0;
    held->marker = false;
  }
  if (in_plot) {
    const ScoreQuestion& question = asked.asked->question;
    const double at = figures::factor_at(figure, input, hit.at, false);
    const double norm = jacobian_norms(asked.asked->dots, question.visible, question.temperature, {at}).front();
    say_at_mouse(frame.scene,
                 fill(tr("at factor {} the norm is {}: drag the marker, double click for the model's own"),
                      {short_number(at), short_number(norm)}),
                 "‖diag(p) - p pᵀ‖,  p = softmax(factor · s·h)");
  }
  if (!hit.focused) return;
  if (ImGui::IsKeyPressed(ImGuiKey_RightArrow)) put(std::min(10.0, asked.factor * 1.1));
  if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) put(std::max(0.01, asked.factor / 1.1));
  if (ImGui::IsKeyPressed(ImGuiKey_Home)) factor = 0;
}

Node plot(Sheet& sheet, const Shared& frame, Span high) {
  const auto input = std::make_shared<const figures::ScalePlotInput>(scale_input(frame->asked));
  return sheet.picture(
      {.id = "scale",
       .picture = [input](Size s, const Pen& pen) { return figures::scale_plot(*input, s.w, s.h, pen.theme, pen.measure); },
       .hit = [frame, input](const Drawn& drawn) { use_plot(*frame, *input, drawn); },
       .focusable = true,
       .paper = {640, 320},
       .framed = true},
      {kLeastHalf, 600, kAny}, high);
}

// --- the relations

void use_relations(const Frame& frame, const figures::RelationsInput& input, const gl::Hit& hit) {
  const auto choose = [&](std::size_t which) {
    if (which < input.maps.size() && input.maps[which].possible) frame.state.relation = name_of(input.maps[which].relation);
  };
  std::size_t now = 0;
  for (std::size_t i = 0; i < input.maps.size(); ++i)
    if (input.maps[i].relation == input.chosen) now = i;
  if (hit.hovered && hit.tag.kind == Tag::link) {
    const auto which = static_cast<std::size_t>(hit.tag.a);
    if (hit.clicked) choose(which);
    if (which < input.maps.size())
      say_at_mouse(frame.scene, input.meanings[which],
                   input.maps[which].possible && input.maps[which].asymmetry > 0
                       ? fill(tr("scores differ both ways by up to {}"), {short_number(input.maps[which].asymmetry)})
                       : std::string());
  }
  if (hit.hovered && hit.tag.kind == Tag::cell_area && hit.row >= 0) {
    const RelatedMap& map = input.maps[now];
    const bool square = map.scores.dim(0) == map.scores.dim(1);
    const std::int64_t query = map.from + hit.row, key = (square ? map.from : 0) + hit.column;
    if (query < static_cast<std::int64_t>(input.queries.size()) && key < frame.asked.keys) {
      light(frame, query, key);
      const std::string &a = input.queries[static_cast<std::size_t>(query)], &b = input.keys[static_cast<std::size_t>(key)];
      std::string words = fill(tr("{} asks {}: {}"), {a, b, short_number(map.scores.at({hit.row, hit.column}))});
      if (square && hit.row != hit.column)
        words += "\n" + fill(tr("{} asks {}: {}"), {b, a, short_number(map.scores.at({hit.column, hit.row}))});
      say_at_mouse(frame.scene, words);
    }
  }
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_DownArrow)) choose(now + 1);
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_UpArrow) && now > 0) choose(now - 1);
}

// None while the maps are being computed.
std::vector<Node> relations(Sheet& sheet, const Shared& frame, Span wide, Span high) {
  const auto input = std::make_shared<const figures::RelationsInput>(relations_input(sheet.scene.context, frame->asked));
  if (input->maps.empty()) return {};
  return {sheet.picture(
      {.id = "relations",
       .picture = [input](Size s, const Pen& pen) { return figures::relation_rows(*input, s.w, s.h, pen.theme, pen.measure); },
       .hit = [frame, input](const Drawn& drawn) { use_relations(*frame, *input, drawn.hit); },
       .focusable = true,
       .paper = {760, 300},
       .framed = true},
      wide, high)};
}

// --- Bahdanau's step

void use_step(const Frame& frame, const figures::SheetInput& input, const gl::Hit& hit) {
  const figures::SheetPlace place = hit.hovered ? figures::place_of_tag(hit.tag) : figures::SheetPlace{};
  if (place.quantity < 0) return;
  const BahdanauNumber number = number_at(frame.scene.context, frame.asked.choice, input.step, place);
  if (number.formula.empty()) return;
  char value[40];
  std::snprintf(value, sizeof value, " = %.6g", one_nan(number.value));
  say_at_mouse(frame.scene, tr("A click writes out how this number comes about"), number.formula + value);
  if (hit.clicked) own_transient<BahdanauHeld>(frame.scene)->shown = place;
}

Node step_page(Sheet& sheet, const Shared& frame) {
  const Context& context = sheet.scene.context;
  const bool filed = sheet.scene.medium == sheet::Medium::file;
  const std::int64_t steps = steps_of(context, frame->asked.choice);
  const std::int64_t step = std::clamp<std::int64_t>(frame->asked.query, 0, std::max<std::int64_t>(0, steps - 1));
  figures::SheetInput made = sheet_input(context, frame->asked.choice, step);
  if (filed) made.hot = -1;
  const auto input = std::make_shared<const figures::SheetInput>(std::move(made));
  std::vector<Node> all = {step_controls(sheet, step, steps)};
  if (input->source.empty()) {
    all.push_back(sheet.notice(tr("computing …"), sheet.scene.pen.theme.secondary));
    return Sheet::column("scores", {2, 6, 6}, std::move(all));
  }
  Node picture = sheet.picture({.id = "bahdanau",
                                .picture =
                                    [input](Size s, const Pen& pen) {
                                      return figures::bahdanau_sheet(*input, s.w, s.h > 0 ? s.h : 640, pen.theme, pen.measure);
                                    },
                                .hit = [frame, input](const Drawn& drawn) { use_step(*frame, *input, drawn.hit); },
                                .focusable = true,
                                .paper = {1060, 640},
                                .framed = true},
                               {300, kFiled, kAny}, filed ? Span(640) : Span{360, 640, kAny});
  Node column = Sheet::column("step sheet", 0, {std::move(picture)});
  column.scrolls = true;
  all.push_back(std::move(column));
  return Sheet::column("scores", {2, 6, 6}, std::move(all));
}

// --- the next word

// Below the scores stands what the model says with the score that it has; none where it says nothing.
std::vector<Node> next_word(Sheet& sheet) {
  auto made = next_word_lines(sheet.scene.context, {tr("next word as the model is set now"), tr("as it was trained")});
  if (!made) return {};
  const auto input = std::make_shared<const figures::NextLinesInput>(std::move(*made));
  const float high = figures::kNextLine * static_cast<float>(input->rows.size());
  Node node = sheet.picture(
      {.id = "next",
       .picture = [input](Size s, const Pen& pen) { return figures::next_lines(*input, s.w, pen.theme, pen.measure); },
       .explains = tr("The next word, which all these scores are on the way to"),
       .paper = {860, 0},
       .framed = true,
       .fits_itself = true},
      {300, kFiled, kAny}, Span(high));
  node.rank = 3;
  return {std::move(node)};
}

// --- the pages

Node six_page(Sheet& sheet, const Shared& frame) {
  std::vector<Node> halves = {plot(sheet, frame, {140, 340, 340})};
  for (Node& node : relations(sheet, frame, {kLeastHalf, 600, kAny}, {140, 340, 340})) {
    node.rank = 2;
    halves.push_back(std::move(node));
  }
  Node below = Sheet::row("below", 28, std::move(halves));
  below.rank = 1;
  below.presented = below.filed = false;
  return Sheet::column("six", {6, 8, 8}, {cards(sheet, frame, {300, kFiled, kAny}, true), std::move(below)});
}

Node scale_page(Sheet& sheet, const Shared& frame) {
  const bool filed = sheet.scene.medium == sheet::Medium::file;
  Node card = cards(sheet, frame, {200, 330, 380}, false);
  card.rank = 1;
  card.filed = false;
  return Sheet::row("one score", 28, {plot(sheet, frame, filed ? Span(420) : Span{140, 420, kAny}), std::move(card)});
}

Node relation_page(Sheet& sheet, const Shared& frame) {
  const bool filed = sheet.scene.medium == sheet::Medium::file;
  return Sheet::column("relation", 0, relations(sheet, frame, {300, kFiled, kAny}, filed ? Span(400) : Span{140, 620, 620}));
}

Sheet sheet_of(const Scene& scene) {
  const Context& context = scene.context;
  State& state = scene.state<State>();
  Sheet sheet(scene);
  const AttentionChoice choice = choose_attention(context);
  if (auto notice = no_attention(sheet, choice)) {
    sheet.root = std::move(*notice);
    return sheet;
  }
  const auto frame = std::make_shared<const Frame>(Frame{scene, state, asked_data(context, state, choice)});
  const Asked& asked = frame->asked;
  const figures::Theme& theme = scene.pen.theme;
  if (asked.keys == 0 || asked.query_labels.empty()) {
    sheet.root = sheet.notice(tr("There is nothing to attend to yet: type a sentence."), theme.secondary);
    return sheet;
  }
  // A click on a chip lets its token ask.
  const std::int64_t chip = hovered_token(*context.trace, choice.site->rows_are_targets, choice.batch, context.hover.now);
  if (scene.medium != sheet::Medium::file && chip >= 0 && chip != asked.query && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    let_ask(*frame, chip);
  if (state.page == "bahdanau") {
    sheet.root = step_page(sheet, frame);
    return sheet;
  }
  std::vector<Node> all = {controls(sheet, frame)};
  if (!asked.asked)
    all.push_back(sheet.notice(asked.error ? spoken_in_window(*asked.error) : tr("computing …"),
                               asked.error ? theme.wrong : theme.secondary));
  else
    all.push_back(state.page == "scale"      ? scale_page(sheet, frame)
                  : state.page == "relation" ? relation_page(sheet, frame)
                                             : six_page(sheet, frame));
  if (asked.asked)
    for (Node& node : next_word(sheet)) all.push_back(std::move(node));
  sheet.root = Sheet::column("scores", {2, 6, 6}, std::move(all));
  return sheet;
}

}  // namespace
}  // namespace scored

const View& scores_view() {
  using namespace scored;
  static const View view = {
      .id = "scores",
      .label = tr_later("Scores"),
      .sees = tr_later("One token's question to all others, scored in six ways side by side"),
      .formula = "softmax(score(s, h))",
      .source = "Bahdanau et al. 2015; Luong et al. 2015",
      .group = "attention",
      .icon = "10,3 10,17; 10,5 17,5; 10,8.5 5,8.5; 10,12 14,12; 10,15.5 7.5,15.5",
      .pages = {{"", tr_later("six scores"), tr_later("One query, all keys, six ways to score side by side"), true,
                 "scores-compared", "six scores of one query over all keys, their weights and entropies"},
                {"scale", tr_later("why √d"), tr_later("How much the weights still move, by what the scores are multiplied with"),
                 false, "scores-scale", "how much one row's weights still move, by the scale of its scores"},
                {"relation", tr_later("Q, K, V"), tr_later("One map for all three, two, or three: what each means and costs"),
                 false, "scores-relations", "Q = K = V, K = V, or all different: one head's scores and their cost"},
                {"bahdanau", tr_later("Bahdanau's step"),
                 tr_later("A decoder's step with every number: alignment, context, state, next word"), true, "bahdanau-step",
                 "one step of Bahdanau's decoder with every number"}},
      .page = [](ViewState& v) -> std::string& { return v.own.of<State>().page; },
      .first = "six",
      .sheet = sheet_of,
      .needs = {Role::q, Role::k, Role::v},
      .full_width = true,
      .least_file = kFiled,
      .of_head = [](const ViewState& v) { return v.own.of<State>().page != "bahdanau"; }};
  return view;
}

}  // namespace headlight::views
