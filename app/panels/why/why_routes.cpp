// The controls and the graph of the view Why this word.
#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/next_word/next_word_figures.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/shared/menu.h"
#include "app/panels/why/why_tab.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

// A pill that opens the list of the best words; `other` is left out.
void draw_word_choice(const WhyTab& tab, const char* id, const char* label, std::int32_t token, std::int32_t other,
                      std::string& piece) {
  Context& context = tab.context;
  const std::string value = tab.place.word(token), popup = std::string(id) + " words";
  if (ui::pill(tab.look, id, label, value, 0, ImGui::IsPopupOpen(popup.c_str()))) ImGui::OpenPopup(popup.c_str());
  ui::tooltip(tab.look, tr("One of the words that the model finds most probable here"));
  name_part(context, std::string("why:") + id);
  if (!begin_menu(context, tab.look, popup.c_str(), true)) return;
  for (const TokenCandidate& one : tab.words->best) {
    if (one.token == other) continue;
    const std::string words =
        tab.place.word(one.token) + "   " + figures::percent(one.probability) + "###" + std::to_string(one.token);
    if (ImGui::MenuItem(words.c_str(), nullptr, one.token == token)) piece = tab.place.tokenizer().piece(one.token);
  }
  end_menu();
}

void draw_position(const WhyTab& tab) {
  const auto tokens = static_cast<std::int64_t>(tab.place.sentence().tokens.size());
  const std::string words = fill(tr("behind {}"), {tab.place.label()});
  next_on_line(tab.look, tab.look.figures.width(words, 14, Font::mono) + 70);
  const std::int64_t to =
      stepper(tab.look, "position", words, tab.place.position, tokens, tr("The token whose last vector is followed back"));
  if (to >= 0) tab.context.view.why.position = to;
  name_part(tab.context, "why:position");
}

std::string edge_words(const WhyTab& tab, const InformationRoutes::Edge& edge) {
  const InformationShares::Attention& attention = tab.shares.attentions[edge.attention];
  return fill(tr("layer {}: {} of {} comes from {}"),
              {std::to_string(attention.layer), figures::percent(static_cast<double>(edge.share)),
               label_of(tab.place, tab.shares, edge.to), label_of(tab.place, tab.shares, edge.from)});
}

}  // namespace

void draw_why_controls(const WhyTab& tab, float width) {
  (void)width;
  WhyView& view = tab.context.view.why;
  const ui::Look& look = tab.look;
  std::vector<const char*> labels = {tr("routes")}, pages = {"routes"},
                           why = {tr("Which words, by which layers, fed the predicted word")};
  if (tab.choice.over >= 0) {
    labels.push_back(tr("over another"));
    pages.push_back("difference");
    why.push_back(
        tr("What speaks for one word over another: every layer's, head's and token's part of the difference of their scores"));
  }
  if (tab.choice.over >= 0) {
    labels.push_back(tr("changed sentence"));
    pages.push_back("patching");
    why.push_back(tr("Which parts bring the word back when the model reads a sentence with another answer"));
  }
  labels.push_back(tr("heads to heads"));
  pages.push_back("composition");
  why.push_back(tr("Which heads read what earlier heads write"));
  const auto at = std::find(pages.begin(), pages.end(), view.page);
  const int shown = at == pages.end() ? 0 : static_cast<int>(at - pages.begin());
  const int clicked = ui::segmented(look, "page", labels.data(), static_cast<int>(labels.size()), shown, why.data());
  if (clicked >= 0) view.page = pages[static_cast<std::size_t>(clicked)];
  name_part(tab.context, "why:page");
  if (view.page == "composition") return;
  if (tab.choice.over >= 0) {
    next_on_line(look, ui::pill_width(look, tr("word"), tab.place.word(tab.choice.word)) / look.scale);
    draw_word_choice(tab, "word", tr("word"), tab.choice.word, -1, view.word);
    if (view.page == "difference" || view.page == "patching") {
      next_on_line(look, ui::pill_width(look, tr("over"), tab.place.word(tab.choice.over)) / look.scale, 8);
      draw_word_choice(tab, "over", tr("over"), tab.choice.over, tab.choice.word, view.over);
    }
  }
  draw_position(tab);
  if (view.page == "difference" && tab.choice.over >= 0) return;
  const std::string label = tr("shares above");
  next_on_line(look, look.figures.width(label, 14, Font::words) + 164, 10);
  ImGui::AlignTextToFramePadding();
  ImGui::AlignTextToFramePadding();
  ui::words(look, label, look.theme.secondary, 14);
  ImGui::SameLine(0, look.px(8));
  number_slider(look, "##threshold", &view.threshold, 0.002, 0.5, true, look.px(90));
  ui::tooltip(look, tr("Only what has at least this share of a vector is followed"));
  name_part(tab.context, "why:threshold");
  slider_number(look, figures::percent(view.threshold), 50);
  next_on_line(look, look.figures.width(tr("no first token"), 14, Font::words) + 46, 10);
  ui::toggle(look, ui::labelled(tr("no first token"), "without first").c_str(), &view.without_first);
  ui::tooltip(look, tr("Leaves out what the first token hands on: heads look there when they look nowhere"));
  name_part(tab.context, "why:first");
  next_on_line(look, look.figures.width(tr("attention only"), 14, Font::words) + 46, 10);
  bool alone = !view.verticals;
  if (ui::toggle(look, ui::labelled(tr("attention only"), "attention only").c_str(), &alone)) view.verticals = !alone;
  ui::tooltip(look, tr("Leaves out the lines from layer to layer of one token"));
  name_part(tab.context, "why:attention");
  next_on_line(look, 60, 10);
  if (ui::button(look, ui::labelled(tr("play"), "play").c_str(), 0, 30)) tab.own.playing_since = tab.context.now;
  ui::tooltip(look, tr("Builds the picture from the words up"));
  name_part(tab.context, "why:play");
}

void draw_route_graph(const WhyTab& tab, float width, float height) {
  Context& context = tab.context;
  const std::string count = std::to_string(tab.shown.routes.edges.size()),
                    heading = tab.words ? tr("From the answer back to the words") : tr("From the vector back to the words");
  std::vector<std::string> quiet = {
      fill(tr("a line is what one token hands to another; its width is its share; {} lines"), {count}),
      fill(tr("{} lines"), {count})};
  if (context.view.why.without_first)
    quiet.front() = fill(
        tr("{} lines, without {} from the first token, of up to {}"),
        {count, std::to_string(tab.shown.routes.hidden), figures::percent(static_cast<double>(tab.shown.routes.hidden_most))});
  const float top = ImGui::GetCursorScreenPos().y;
  const float beside = width - tab.look.figures.width(heading, ui::kHeading, Font::words_bold) - 14;
  draw_heading(tab.look, heading, figures::first_that_fits(quiet, beside, ui::kSmall, Font::words, context.measure), width);
  figures::RouteGraphInput input = graph_input(context, tab.place, tab.shares, tab.shown, tab.words.get());
  input.hot_edge = tab.own.hot_edge;
  input.hot_vector = tab.own.hot_vector;
  if (tab.own.playing_since >= 0) input.shown_level = static_cast<std::int64_t>((context.now - tab.own.playing_since) / 0.15);
  const float left = height - (ImGui::GetCursorScreenPos().y - top) / tab.look.scale - 26;
  figures::Figure figure = figures::route_graph(input, width, std::max(240.0f, left), context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "routes");
  name_part(context, "why:routes");
  if (hit.hovered && hit.tag.kind == figures::Tag::link && hit.tag.a < static_cast<std::int64_t>(tab.shown.routes.edges.size())) {
    const InformationRoutes::Edge& edge = tab.shown.routes.edges[static_cast<std::size_t>(hit.tag.a)];
    tab.own.hot_next = hit.tag.a;
    context.hover.next.row = edge.query;
    context.hover.next.column = edge.key;
    ui::tooltip(tab.look, edge_words(tab, edge));
    if (hit.clicked) {
      WhyView& view = context.view.why;
      const InformationShares::Attention& attention = tab.shares.attentions[edge.attention];
      view.layer = attention.layer;
      view.cross = attention.is_cross();
      view.query = edge.query;
      view.key = edge.key;
      view.level = view.at = -1;
    }
  }
  if (hit.hovered && hit.tag.kind == figures::Tag::token &&
      hit.tag.a < static_cast<std::int64_t>(tab.shown.routes.vectors.size())) {
    const InformationRoutes::Vector& one = tab.shown.routes.vectors[static_cast<std::size_t>(hit.tag.a)];
    tab.own.hot_vector_next = hit.tag.a;
    ui::tooltip(tab.look, one.at.level == 0 ? fill(tr("the embedding of {}"), {label_of(tab.place, tab.shares, one.at)})
                                            : fill(tr("{} after {} layers; a click tells what it is made of"),
                                                   {label_of(tab.place, tab.shares, one.at), std::to_string(one.at.level)}));
    if (hit.clicked) {
      context.view.why.level = one.at.level;
      context.view.why.at = column_of(tab.place, tab.shares, one.at);
    }
  }
  figure_menu(context, "routes menu", hit, [&] { return routes_figure(context, tab.place, 900, 560); });
  const std::string sums = tab.shares.adds_up()
                               ? tr("the shares of every vector add up to 1")
                               : fill(tr("the parts differ from the vectors by up to {}"), {short_number(tab.shares.difference)});
  ui::words(tab.look, sums, tab.shares.adds_up() ? tab.look.theme.secondary : tab.look.theme.wrong, 13);
}

figures::Figure routes_figure(const Context& context, const WhyPlace& place, float width, float height) {
  const auto shares = shares_of(context, place, nullptr);
  if (!shares) return {};
  const auto words = why_words(context, place);
  const ShownRoutes shown = shown_routes(context, place, *shares);
  figures::RouteGraphInput input = graph_input(context, place, *shares, shown, words.get());
  input.chosen_edge = input.chosen_vector = -1;
  input.title = words ? tr("From the answer back to the words") : tr("From the vector back to the words");
  figures::Figure figure = figures::route_graph(input, width, height, context.theme, context.measure);
  if (context.view.why.without_first)
    figure.remarks.push_back(
        fill(tr("{} lines from the first token are left out, of up to {}"),
             {std::to_string(shown.routes.hidden), figures::percent(static_cast<double>(shown.routes.hidden_most))}));
  return figure;
}

}  // namespace headlight::panels
