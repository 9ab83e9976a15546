// What brings the answer back in a changed sentence: every part of the drawn
// graph, and every head, put back alone.
#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/text_input.h"
#include "app/views/base/attention_choice.h"
#include "app/views/why/parts.h"
#include "imgui.h"

namespace headlight::views::why {
namespace {

using Effects = std::shared_ptr<const PatchEffects>;
using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

using figures::Font;

// The words of a text with the places where they begin.
std::vector<std::pair<std::size_t, std::string>> text_words(const std::string& text) {
  std::vector<std::pair<std::size_t, std::string>> words;
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || (c & 0x80) || c == '\''; };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_letter(text[end])) ++end;
    if (end > i) words.emplace_back(i, text.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  return words;
}

std::string plain_word(const Place& place, std::int32_t token) {
  std::string text = token < 0 ? std::string() : place.tokenizer().decode({token});
  while (text.starts_with(' ')) text.erase(0, 1);
  return text;
}

const std::string& clean_text(const Place& place) { return place.trace->document().texts[static_cast<std::size_t>(place.batch)]; }

DerivedKey key_of_patching(const char* what, const Context& context, const Place& place, const Asked& asked,
                           const std::string& changed) {
  const State& state = state_of(context);
  return DerivedKey(what, {place.key(), asked.word, asked.over, state.threshold, state.without_first, changed});
}

Patcher::Request request_of(const Place& place, const std::shared_ptr<const InformationShares>& shares,
                            const InformationRoutes& routes, const Asked& choice, const std::string& changed) {
  Patcher::Request request;
  request.document = place.trace->document();
  const auto batch = static_cast<std::size_t>(place.batch);
  request.document.texts = {request.document.texts[batch]};
  if (!request.document.targets.empty()) request.document.targets = {request.document.targets[batch]};
  request.question = {changed, place.position, choice.word, choice.over};
  request.shares = shares;
  request.routes = routes;
  return request;
}

void color(figures::RouteGraphInput& input, const PatchEffects& effects) {
  for (std::size_t i = 0; i < std::min(input.edges.size(), effects.edges.size()); ++i)
    input.edges[i].effect = static_cast<float>(effects.share(effects.edges[i]));
  for (std::size_t i = 0; i < std::min(input.vectors.size(), effects.vectors.size()); ++i)
    input.vectors[i].effect = static_cast<float>(effects.share(effects.vectors[i]));
  input.by_effect = true;
}

std::string name_of(const PatchEffects::Head& head) {
  // As published work writes it: beside its bar there is room for little more.
  const std::string name = "L" + std::to_string(head.layer) + " H" + std::to_string(head.head);
  return head.prefix.ends_with("cross.") ? name + " " + tr("cross") : name;
}

// Where a head's output alone does most; -1: it was not asked.
std::int64_t place_of_most(const PatchEffects& effects, const PatchEffects::Head& head) {
  const auto most = std::max_element(head.by_position.begin(), head.by_position.end(), [&](double a, double b) {
    return std::abs(a - effects.changed) < std::abs(b - effects.changed);
  });
  return most == head.by_position.end() ? -1 : most - head.by_position.begin();
}

figures::SignedBarsInput heads_input(const Place& place, const PatchEffects& effects, std::size_t most) {
  figures::SignedBarsInput bars;
  bars.title = tr("By head");
  bars.mono = false;
  const std::vector<std::size_t> order = effects.strongest_heads();
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
    const PatchEffects::Head& head = effects.heads[order[i]];
    const std::int64_t at = place_of_most(effects, head);
    std::string name = name_of(head);
    if (at >= 0) name += ", " + place.sentence().labels[static_cast<std::size_t>(at)];
    const double share = effects.share(head.difference);
    bars.rows.push_back({name, share, false, 0, (share < 0 ? "−" : "") + figures::percent(std::abs(share))});
  }
  bars.second_title =
      tr("A head's output put back at every token; behind its "
         "name the token where it alone does most.");
  return bars;
}

std::string two_decimals_of(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.2f", v);
  return text;
}

void say_effect(const Frame& frame, const PatchEffects& effects, double difference) {
  say_at_mouse(frame.scene, fill(tr("put back alone: {0} instead of {1}, {2} of the way to {3}"),
                                 {two_decimals_of(difference), two_decimals_of(effects.changed),
                                  figures::percent(effects.share(difference)), two_decimals_of(effects.clean)}));
}

// The picture for files.
figures::Figure paper_graph(const Context& context, const Place& place, const InformationShares& shares, const ShownRoutes& shown,
                            const Words* words, const PatchEffects& effects, float width, float height) {
  figures::RouteGraphInput input = graph_input(context, place, shares, shown, words);
  const Asked choice = asked_in(context, place, words);
  input.chosen_edge = input.chosen_vector = -1;
  color(input, effects);
  input.title = fill(tr("What brings {} back"), {place.word(choice.word)});
  figures::Figure figure = figures::route_graph(input, width, height, context.theme, context.measure);
  figure.remarks.push_back(fill(tr("changed sentence: {}"), {changed_sentence(context, place, choice)}));
  return figure;
}

void follow_part(const Frame& frame, const PatchEffects& effects, const gl::Hit& hit) {
  if (!hit.hovered) return;
  const auto at = static_cast<std::size_t>(std::max<std::int64_t>(0, hit.tag.a));
  if (hit.tag.kind == figures::Tag::link && at < effects.edges.size()) {
    frame.own->hot_next = hit.tag.a;
    say_effect(frame, effects, effects.edges[at]);
    const InformationRoutes::Edge& edge = frame.shown.routes.edges[at];
    if (hit.clicked) open_attention(frame.scene.view, frame.shares->attentions[edge.attention].prefix, 0, edge.query, edge.key);
  }
  if (hit.tag.kind == figures::Tag::token && at < effects.vectors.size()) {
    frame.own->hot_vector_next = hit.tag.a;
    say_effect(frame, effects, effects.vectors[at]);
  }
}

Node graph_of_effects(Sheet& sheet, const Shared& frame, const Effects& effects) {
  Part part{.id = "patched",
            .picture =
                [frame, effects](Size s, const Pen& pen) {
                  figures::RouteGraphInput input =
                      graph_input(frame->context(), frame->place, *frame->shares, frame->shown, frame->words.get());
                  input.chosen_edge = input.chosen_vector = -1;
                  input.hot_edge = frame->own->hot_edge;
                  input.hot_vector = frame->own->hot_vector;
                  if (effects) color(input, *effects);
                  return figures::route_graph(input, s.w, s.h, pen.theme, pen.measure);
                },
            .of = graph_key<struct PatchedOf>(*frame, effects),
            .hit =
                [frame, effects](const Drawn& drawn) {
                  if (effects) follow_part(*frame, *effects, drawn.hit);
                },
            .paper = {900, 560}};
  if (effects)
    part.on_paper = [frame, effects](Size s, const Pen&) {
      return paper_graph(frame->context(), frame->place, *frame->shares, frame->shown, frame->words.get(), *effects, s.w, 560);
    };
  return sheet.picture(std::move(part), {400, 560, kAny}, {200, 420, kAny});
}

Node heads_of_effects(Sheet& sheet, const Shared& frame, const Effects& effects, Span wide) {
  constexpr std::size_t kMost = 14;
  const auto follow = [frame, effects](const Drawn& drawn) {
    if (!drawn.hit.hovered || drawn.hit.tag.kind != figures::Tag::row) return;
    const PatchEffects::Head& head = effects->heads[effects->strongest_heads()[static_cast<std::size_t>(drawn.hit.tag.a)]];
    say_effect(*frame, *effects, head.difference);
    if (drawn.hit.clicked)
      open_attention(frame->scene.view, head.prefix, head.head, std::max<std::int64_t>(0, place_of_most(*effects, head)), -1);
  };
  return bars(sheet, {.id = "patched heads", .hit = follow}, heads_input(frame->place, *effects, kMost),
              {.least = 4, .most = kMost, .low = 24, .high = 24}, wide);
}

// A quiet name, and the field in the rest of the line.
Node changed_field(Sheet& sheet, const Shared& frame) {
  const std::string suggested = suggested_change(frame->place, frame->asked);
  Part part{
      .id = "changed",
      .draw =
          [frame, hint = suggested.empty() ? std::string(tr("a sentence of as many tokens, with another answer")) : suggested](
              const ui::Look& look, Size room) {
            constexpr float kBetween = 8;
            const float name = look.figures.width(tr("changed"), 14, Font::words) + kBetween;
            const ImVec2 at = ImGui::GetCursorScreenPos();
            const float line = look.figures.line_height(14, Font::words);
            look.figures.text(*ImGui::GetWindowDrawList(), {at.x, at.y + std::round(look.px((room.h - line) / 2))}, tr("changed"),
                              14, Font::words, look.theme.secondary);
            ImGui::SetCursorScreenPos({at.x + look.px(name), at.y});
            push_font(frame->context(), Font::words, 15);
            ImGui::SetNextItemWidth(look.px(room.w - name));
            ui::live_text_input("##changed", frame->state.changed, hint.c_str());
            ImGui::PopFont();
          },
      .explains = tr("The sentence that the model reads while one part of it is put back to what it is in the shown sentence")};
  return sheet.by_hand(std::move(part), {160, 1200, kAny}, 30);
}

std::string title_of(const Frame& frame, const PatchEffects* effects) {
  if (!effects) return fill(tr("What brings {} back"), {frame.word()});
  return fill(tr("{} over {}: {} here, {} changed"),
              {frame.word(), frame.over(), two_decimals_of(effects->clean), two_decimals_of(effects->changed)});
}

std::string runs_of(const Patcher::Answer& answer) {
  if (!answer.running) return {};
  return answer.total == 0 ? std::string(tr("computing …"))
                           : fill(tr("{} of {} runs"), {std::to_string(answer.done), std::to_string(answer.total)});
}

}  // namespace

std::string suggested_change(const Place& place, const Asked& choice) {
  const std::string word = plain_word(place, choice.word), over = plain_word(place, choice.over), &text = clean_text(place);
  if (word.empty() || over.empty()) return {};
  std::string changed;
  std::size_t end = 0;
  bool of_word = false, of_over = false;
  for (const auto& [at, one] : text_words(text)) {
    if (one != word && one != over) continue;
    of_word |= one == word;
    of_over |= one == over;
    changed += text.substr(end, at - end) + (one == word ? over : word);
    end = at + one.size();
  }
  return of_word && of_over ? changed + text.substr(end) : std::string();
}

std::string changed_sentence(const Context& context, const Place& place, const Asked& choice) {
  const std::string& own = state_of(context).changed;
  return own.empty() ? suggested_change(place, choice) : own;
}

std::int32_t other_in_text(const Place& place, const Words& words, std::int32_t word) {
  const auto in_text = text_words(clean_text(place));
  for (const TokenCandidate& one : words.best)
    if (const std::string plain = plain_word(place, one.token);
        one.token != word && std::any_of(in_text.begin(), in_text.end(), [&](const auto& at) { return at.second == plain; }))
      return one.token;
  return -1;
}

Node patching_page(Sheet& sheet, const Shared& frame) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  const std::string changed = changed_sentence(frame->context(), frame->place, frame->asked);
  Patcher::Answer answer;
  std::string error;
  if (!changed.empty()) answer = patching_of(*frame, changed, &error);
  std::vector<Node> all = {changed_field(sheet, frame),
                           heading(sheet, "patching title", title_of(*frame, answer.effects.get()), {runs_of(answer)})};
  if (changed.empty())
    all.push_back(remark(sheet, "no sentence",
                         tr("Write a changed sentence of as many tokens, behind which another word is right."), 15,
                         theme.secondary));
  else if (!error.empty())
    all.push_back(remark(sheet, "patching error", error, 15, theme.wrong));
  Node graph = Sheet::column(
      "patched column", {2, 8, 8},
      {graph_of_effects(sheet, frame, answer.effects),
       remark(
           sheet, "method",
           tr("The model reads the changed sentence; one part alone is put back to what it is here, and everything behind it "
              "is computed. Colour: the part of the difference that comes back. (Wang et al. 2022; Goldowsky-Dill et al. 2023)"),
           13, theme.secondary, 5)});
  graph.scrolls = true;
  std::vector<Node> both = {std::move(graph)};
  if (answer.effects) {
    const float list = std::floor(std::max(720.0f, sheet.scene.room.w) * 0.34f);
    both.push_back(heads_of_effects(sheet, frame, answer.effects, {245, list, list}));
    both.back().rank = 1;
    both.back().below = true;
  }
  all.push_back(Sheet::row("patched and heads", 24, std::move(both)));
  return Sheet::column("patching page", {2, 8, 8}, std::move(all));
}

Patcher::Answer patching_of(const Frame& frame, const std::string& changed, std::string* error) {
  const auto shares = shares_of(frame.context(), frame.place, nullptr);
  Patcher* const patcher = job_of<Patcher>(frame.context(), "why");
  if (!shares || shares != frame.shares || !patcher) return {};
  const auto request = [&] { return request_of(frame.place, shares, frame.shown.routes, frame.asked, changed); };
  const DerivedKey key = key_of_patching("why/patching", frame.context(), frame.place, frame.asked, changed);
  Patcher::Answer answer = patcher->of(key.bytes(), request);
  if (answer.error) *error = spoken_in_window(*answer.error);
  return answer;
}

figures::Figure patching_figure(const Context& context, const Place& place, float width, float height) {
  const auto shares = shares_of(context, place, nullptr);
  const auto words = words_behind(context, place);
  if (!shares || !words) return {};
  const ShownRoutes shown = shown_routes(context, place, *shares);
  const Asked choice = asked_in(context, place, words.get());
  const std::string changed = changed_sentence(context, place, choice);
  if (changed.empty() || choice.over < 0) return {};
  const auto effects = context.derived.later<PatchEffects>(
      key_of_patching("why/patched", context, place, choice, changed), [=, routes = shown.routes](const CancelToken& cancel) {
        return patched(request_of(place, shares, routes, choice, changed), cancel);
      });
  return effects ? paper_graph(context, place, *shares, shown, words.get(), *effects.value, width, height) : figures::Figure();
}

}  // namespace headlight::views::why
