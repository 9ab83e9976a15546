// What brings the answer back in a changed sentence: every part of the drawn
// graph, and every head, put back alone.
#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/next_word/next_word_figures.h"
#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/shared/growing_column.h"
#include "app/panels/why/patcher.h"
#include "app/panels/why/why_tab.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/text_input.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

// The words of a text with the places where they begin.
std::vector<std::pair<std::size_t, std::string>> words_of(const std::string& text) {
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

std::string plain_word(const WhyPlace& place, std::int32_t token) {
  std::string text = token < 0 ? std::string() : place.tokenizer().decode({token});
  while (text.starts_with(' ')) text.erase(0, 1);
  return text;
}

const std::string& clean_text(const WhyPlace& place) {
  return place.trace->document().texts[static_cast<std::size_t>(place.batch)];
}

DerivedKey key_of_patching(const WhyTab& tab, const std::string& changed) {
  const WhyView& view = tab.context.view.why;
  return DerivedKey("why/patching",
                    {tab.place.key(), tab.choice.word, tab.choice.over, view.threshold, view.without_first, changed});
}

Patcher::Request request_of(const WhyPlace& place, const std::shared_ptr<const InformationShares>& shares,
                            const InformationRoutes& routes, const WhyChoice& choice, const std::string& changed) {
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

figures::SignedBarsInput heads_input(const WhyPlace& place, const PatchEffects& effects, std::size_t most) {
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

void draw_effect(const WhyTab& tab, const PatchEffects& effects, double difference) {
  ui::tooltip(tab.look, fill(tr("put back alone: {0} instead of {1}, {2} of the way to {3}"),
                             {two_decimals_of(difference), two_decimals_of(effects.changed),
                              figures::percent(effects.share(difference)), two_decimals_of(effects.clean)}));
}

// The picture for files.
figures::Figure paper_graph(const Context& context, const WhyPlace& place, const InformationShares& shares,
                            const ShownRoutes& shown, const WhyWords* words, const PatchEffects& effects, float width,
                            float height) {
  figures::RouteGraphInput input = graph_input(context, place, shares, shown, words);
  const WhyChoice choice = why_choice(context, place, words);
  input.chosen_edge = input.chosen_vector = -1;
  color(input, effects);
  input.title = fill(tr("What brings {} back"), {place.word(choice.word)});
  figures::Figure figure = figures::route_graph(input, width, height, context.theme, context.measure);
  figure.remarks.push_back(fill(tr("changed sentence: {}"), {changed_sentence(context, place, choice)}));
  return figure;
}

void draw_graph(const WhyTab& tab, const PatchEffects* effects, float width, float height) {
  Context& context = tab.context;
  figures::RouteGraphInput input = graph_input(context, tab.place, tab.shares, tab.shown, tab.words.get());
  input.chosen_edge = input.chosen_vector = -1;
  input.hot_edge = tab.own.hot_edge;
  input.hot_vector = tab.own.hot_vector;
  if (effects) color(input, *effects);
  figures::Figure figure = figures::route_graph(input, width, std::max(220.0f, height), context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "patched routes");
  name_part(context, "why:patched");
  if (!effects) return;
  figure_menu(context, "patched routes menu", hit,
              [&] { return paper_graph(context, tab.place, tab.shares, tab.shown, tab.words.get(), *effects, 900, 560); });
  if (!hit.hovered) return;
  const auto at = static_cast<std::size_t>(std::max<std::int64_t>(0, hit.tag.a));
  if (hit.tag.kind == figures::Tag::link && at < effects->edges.size()) {
    tab.own.hot_next = hit.tag.a;
    draw_effect(tab, *effects, effects->edges[at]);
    const InformationRoutes::Edge& edge = tab.shown.routes.edges[at];
    if (hit.clicked) open_in_heads(context.view, tab.shares.attentions[edge.attention].prefix, 0, edge.query, edge.key);
  }
  if (hit.tag.kind == figures::Tag::token && at < effects->vectors.size()) {
    tab.own.hot_vector_next = hit.tag.a;
    draw_effect(tab, *effects, effects->vectors[at]);
  }
}

void draw_heads(const WhyTab& tab, const PatchEffects& effects, float width, float height) {
  const auto most = static_cast<std::size_t>(std::clamp((height - 90) / 24, 4.0f, 14.0f));
  const figures::SignedBarsInput input = heads_input(tab.place, effects, most);
  figures::Figure figure = figures::signed_bars(input, width, tab.look.theme, tab.context.measure);
  figure.background.a = 0;
  const gl::Hit hit = tab.context.figures.draw(figure, "patched heads");
  name_part(tab.context, "why:patched heads");
  figure_menu(tab.context, "patched heads menu", hit, [&] {
    return figures::framed(figures::signed_bars(input, 420, tab.look.theme, tab.context.measure), "", 12, tab.look.theme);
  });
  if (!hit.hovered || hit.tag.kind != figures::Tag::row) return;
  const PatchEffects::Head& head = effects.heads[effects.strongest_heads()[static_cast<std::size_t>(hit.tag.a)]];
  draw_effect(tab, effects, head.difference);
  if (hit.clicked)
    open_in_heads(tab.context.view, head.prefix, head.head, std::max<std::int64_t>(0, place_of_most(effects, head)), -1);
}

}  // namespace

std::string suggested_change(const WhyPlace& place, const WhyChoice& choice) {
  const std::string word = plain_word(place, choice.word), over = plain_word(place, choice.over), &text = clean_text(place);
  if (word.empty() || over.empty()) return {};
  std::string changed;
  std::size_t end = 0;
  bool of_word = false, of_over = false;
  for (const auto& [at, one] : words_of(text)) {
    if (one != word && one != over) continue;
    of_word |= one == word;
    of_over |= one == over;
    changed += text.substr(end, at - end) + (one == word ? over : word);
    end = at + one.size();
  }
  return of_word && of_over ? changed + text.substr(end) : std::string();
}

std::string changed_sentence(const Context& context, const WhyPlace& place, const WhyChoice& choice) {
  const std::string& own = context.view.why.changed;
  return own.empty() ? suggested_change(place, choice) : own;
}

std::int32_t other_in_text(const WhyPlace& place, const WhyWords& words, std::int32_t word) {
  const auto in_text = words_of(clean_text(place));
  for (const TokenCandidate& one : words.best)
    if (const std::string plain = plain_word(place, one.token);
        one.token != word && std::any_of(in_text.begin(), in_text.end(), [&](const auto& at) { return at.second == plain; }))
      return one.token;
  return -1;
}

void draw_changed_field(const WhyTab& tab, float width) {
  const std::string suggested = suggested_change(tab.place, tab.choice);
  ImGui::AlignTextToFramePadding();
  ui::words(tab.look, tr("changed"), tab.look.theme.secondary, 14);
  ImGui::SameLine(0, tab.look.px(8));
  push_font(tab.context, Font::words, 15);
  ImGui::SetNextItemWidth(tab.look.px(std::max(160.0f, width - tab.look.figures.width(tr("changed"), 14, Font::words) - 12)));
  ui::live_text_input("##changed", tab.context.view.why.changed,
                      suggested.empty() ? tr("a sentence of as many tokens, with another answer") : suggested.c_str());
  ImGui::PopFont();
  name_part(tab.context, "why:changed");
  ui::tooltip(tab.look, tr("The sentence that the model reads while one part of it is "
                           "put back to what it is in the shown sentence"));
}

void draw_why_patching(const WhyTab& tab, float width, float height) {
  const float top = ImGui::GetCursorScreenPos().y;
  const auto left = [&] { return height - (ImGui::GetCursorScreenPos().y - top) / tab.look.scale; };
  if (!tab.context.view.presentation) draw_changed_field(tab, width);
  const std::string changed = changed_sentence(tab.context, tab.place, tab.choice);
  const std::string word = tab.place.word(tab.choice.word), over = tab.place.word(tab.choice.over);
  Patcher::Answer answer;
  std::string error;
  if (!changed.empty()) answer = patching_of(tab, changed, &error);
  const PatchEffects* const effects = answer.effects.get();
  const std::string heading = !effects ? fill(tr("What brings {} back"), {word})
                                       : fill(tr("{} over {}: {} here, {} changed"),
                                              {word, over, two_decimals_of(effects->clean), two_decimals_of(effects->changed)});
  std::string quiet;
  if (answer.running)
    quiet = answer.total == 0 ? tr("computing …")
                              : fill(tr("{} of {} runs"), {std::to_string(answer.done), std::to_string(answer.total)});
  draw_heading(tab.look, heading, quiet, width);
  if (changed.empty() || !error.empty())
    ui::words(tab.look,
              changed.empty() ? tr("Write a changed sentence of as many tokens, "
                                   "behind which another word is right.")
                              : error,
              changed.empty() ? tab.look.theme.secondary : tab.look.theme.wrong, 15);
  const bool beside = width >= 720;
  const float list = beside ? std::floor(width * 0.34f) : width, graph = beside ? width - list - 24 : width;
  const std::vector<std::string> method =
      figures::wrap(tr("The model reads the changed sentence; one part alone is put back to what it is here, and everything "
                       "behind it is computed. "
                       "Colour: the part of the difference that comes back. (Wang et al. 2022; Goldowsky-Dill et al. 2023)"),
                    graph, 13, Font::words, tab.context.measure);
  const float foot = 12 + 24 * static_cast<float>(method.size());
  growing_column("patched graph", tab.look, graph, [&] {
    draw_graph(tab, effects, graph, (beside ? left() : left() * 0.6f) - foot);
    for (const std::string& line : method) ui::words(tab.look, line, tab.look.theme.secondary, 13);
  });
  if (beside) ImGui::SameLine(0, tab.look.px(24));
  if (effects) growing_column("patched list", tab.look, list, [&] { draw_heads(tab, *effects, list, beside ? left() : 320.0f); });
}

Patcher::Answer patching_of(const WhyTab& tab, const std::string& changed, std::string* error) {
  const auto shares = shares_of(tab.context, tab.place, nullptr);
  Patcher* const patcher = job_of<Patcher>(tab.context, "why");
  if (!shares || shares.get() != &tab.shares || !patcher) return {};
  const auto request = [&] { return request_of(tab.place, shares, tab.shown.routes, tab.choice, changed); };
  Patcher::Answer answer = patcher->of(key_of_patching(tab, changed).bytes(), request);
  if (answer.error) *error = spoken_in_window(*answer.error);
  return answer;
}

figures::Figure patching_figure(const Context& context, const WhyPlace& place, float width, float height) {
  const auto shares = shares_of(context, place, nullptr);
  const auto words = why_words(context, place);
  if (!shares || !words) return {};
  const ShownRoutes shown = shown_routes(context, place, *shares);
  const WhyChoice choice = why_choice(context, place, words.get());
  const std::string changed = changed_sentence(context, place, choice);
  if (changed.empty() || choice.over < 0) return {};
  const auto effects = context.derived.later<PatchEffects>(
      DerivedKey("why/patched",
                 {place.key(), choice.word, choice.over, context.view.why.threshold, context.view.why.without_first, changed}),
      [=, routes = shown.routes](const CancelToken& cancel) {
        return patched(request_of(place, shares, routes, choice, changed), cancel);
      });
  return effects ? paper_graph(context, place, *shares, shown, words.get(), *effects.value, width, height) : figures::Figure();
}

}  // namespace headlight::panels
