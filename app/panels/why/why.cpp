// The view Why this word: the routes by which information came from the tokens to a predicted word, and what speaks for it over
// another one.
#include <algorithm>
#include <cmath>

#include "app/figures/base/stack.h"
#include "app/panels/panels.h"
#include "app/panels/shared/growing_column.h"
#include "app/panels/why/why_tab.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kWhyGap = 24, kLeastBeside = 780;

void draw_beside(const WhyTab& tab, float width, float height) {
  const float top = ImGui::GetCursorScreenPos().y;
  const auto left = [&] { return height - (ImGui::GetCursorScreenPos().y - top) / tab.look.scale; };
  const float below = tab.words ? (height > 620 ? 250.0f : 170.0f) : 0.0f;
  draw_why_chosen(tab, width, std::max(190.0f, height - below));
  if (!tab.words) return;
  if (left() > 240) draw_why_lens(tab, width);
  if (left() > 60) draw_why_candidates(tab, width, static_cast<std::size_t>(std::clamp((left() - 34) / 24, 2.0f, 8.0f)));
}

// One layer more every 0.15 seconds, from the embedding to the answer.
void go_on_playing(Context& context, WhyTransient& own, std::int64_t levels) {
  constexpr double kStep = 0.15;
  if (own.playing_since < 0) return;
  const auto steps = static_cast<std::int64_t>((context.now - own.playing_since) / kStep);
  if (context.still || steps > levels) {
    own.playing_since = -1;
    return;
  }
  if (context.frame_in) context.frame_in(kStep * static_cast<double>(steps + 1) - (context.now - own.playing_since));
}

void draw_parts(const WhyTab& tab, float width, float height) {
  const float top = ImGui::GetCursorScreenPos().y;
  if (!tab.context.view.presentation) draw_why_controls(tab, width);
  const float left = height - (ImGui::GetCursorScreenPos().y - top) / tab.look.scale;
  if (tab.context.view.why.page == "composition") {
    draw_why_composition(tab, width, left);
    return;
  }
  if (tab.context.view.why.page == "patching" && tab.choice.over >= 0) {
    draw_why_patching(tab, width, left);
    return;
  }
  if (tab.context.view.why.page == "difference" && tab.choice.over >= 0) {
    draw_why_difference(tab, width, left);
    return;
  }
  const bool beside = width >= kLeastBeside;
  // On a projector the picture has all the room that there is.
  if (tab.context.view.presentation && !beside) {
    draw_route_graph(tab, width, left);
    return;
  }
  const float right = beside ? std::floor((width - kWhyGap) * 0.36f) : width, wide = beside ? width - right - kWhyGap : width;
  growing_column("routes", tab.look, wide, [&] { draw_route_graph(tab, wide, beside ? left : std::max(300.0f, left * 0.7f)); });
  if (beside) ImGui::SameLine(0, tab.look.px(kWhyGap));
  growing_column("chosen", tab.look, right, [&] { draw_beside(tab, right, beside ? left : 420.0f); });
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  const auto place = why_place(context);
  if (!place) {
    ui::words(look,
              context.error       ? ""
              : context.computing ? tr("computing …")
                                  : tr("Nothing is computed yet."),
              look.theme.secondary, 15);
    return;
  }
  Transient none;  // tests and exports have no transient state
  auto& own = (context.transient ? *context.transient : none).of<WhyTransient>();
  own.hot_edge = std::exchange(own.hot_next, -1);
  own.hot_vector = std::exchange(own.hot_vector_next, -1);
  std::string error;
  std::shared_ptr<const InformationShares> shares = shares_of(context, *place, &error);
  WhyPlace shown_place = *place;
  if (shares) {
    own.shares = shares;
    own.trace = place->trace;
  } else if (error.empty() && own.shares && own.trace) {  // the last picture stays until the new one is ready
    shares = own.shares;
    shown_place.trace = own.trace;
    shown_place.batch = std::min(shown_place.batch, static_cast<std::int64_t>(own.trace->texts().size()) - 1);
    shown_place.position = std::min(shown_place.position, static_cast<std::int64_t>(shown_place.sentence().tokens.size()) - 1);
  }
  if (!shares) {
    ui::words(look, error.empty() ? tr("computing …") : error, error.empty() ? look.theme.secondary : look.theme.wrong, 15);
    return;
  }
  const auto words = why_words(context, shown_place);
  const ShownRoutes shown = shown_routes(context, shown_place, *shares);
  go_on_playing(context, own, last_vector(*shares, 0).level);
  const WhyTab tab{context, look, shown_place, *shares, shown, own, words, why_choice(context, shown_place, words.get())};
  const ImVec2 room = ImGui::GetContentRegionAvail();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  draw_parts(tab, std::floor(room.x / context.scale - 14), room.y / context.scale);
  ImGui::PopStyleVar();
}

figures::Figure figure_of_routes(const Context& context, float width, float height) {
  const auto place = why_place(context);
  if (!place) return {};
  const figures::Figure figure = routes_figure(context, *place, width - 32, std::max(260.0f, height - 32));
  return figure.items.empty() ? figure : figures::stacked({figure}, 0, 16);
}

figures::Figure figure_of_difference(const Context& context, float width, float) {
  const auto place = why_place(context);
  if (!place) return {};
  const figures::Figure figure = difference_figure(context, *place, width - 32);
  return figure.items.empty() ? figure : figures::stacked({figure}, 0, 16);
}

figures::Figure figure_of_patching(const Context& context, float width, float height) {
  const auto place = why_place(context);
  if (!place) return {};
  const figures::Figure figure = patching_figure(context, *place, width - 32, std::max(260.0f, height - 32));
  return figure.items.empty() ? figure : figures::stacked({figure}, 0, 16);
}

figures::Figure figure_of_composition(const Context& context, float width, float height) {
  const auto place = why_place(context);
  if (!place) return {};
  const figures::Figure figure = composition_figure(context, *place, width - 32, std::max(260.0f, height - 32));
  return figure.items.empty() ? figure : figures::stacked({figure}, 0, 16);
}

figures::Figure figure_of_page(const Context& context, float width, float height) {
  if (context.view.why.page == "patching") return figure_of_patching(context, width, height);
  if (context.view.why.page == "composition") return figure_of_composition(context, width, height);
  return context.view.why.page == "difference" ? figure_of_difference(context, width, height)
                                               : figure_of_routes(context, width, height);
}

}  // namespace

Entry why_panel() {
  Entry entry = {"why",
                 "Why this word",
                 "share(z_k) = max(0, |z|₁ − |z − z_k|₁) / Σ",
                 "Ferrando and Voita, Information Flow Routes, 2024; Elhage et al. 2021; Wang et al. 2022",
                 draw,
                 figure_of_page};
  entry.full_width = true;
  entry.job = [](const JobHost& host) -> std::unique_ptr<Job> { return std::make_unique<Patcher>(host.busy, host.wake); };
  entry.pages = pages_in(
      [](ViewState& view) -> std::string& { return view.why.page; },
      {{"routes", tr_later("routes"), tr_later("Which words, by which layers, fed the predicted word")},
       {"difference", tr_later("over another"),
        tr_later(
            "What speaks for one word over another: every layer's, head's and token's part of the difference of their scores")},
       {"patching", tr_later("changed sentence"),
        tr_later("Which parts bring the word back when the model reads a sentence with another answer")},
       {"composition", tr_later("heads to heads"), tr_later("Which heads read what earlier heads write")}});
  entry.controls = [](Context& context) -> std::vector<Control> {
    if (context.view.why.page != "routes" || !context.transient) return {};
    auto& own = context.transient->of<WhyTransient>();
    return {{.id = "play",
             .label = tr("play"),
             .why = tr("Builds the picture from the words up"),
             .press = [&own, now = context.now] { own.playing_since = now; }}};
  };
  entry.pictures = {{"why", "the routes from a word back to the tokens it came from", figure_of_routes},
                    {"why-difference", "what speaks for a word over another one", figure_of_difference},
                    {"why-patching", "what brings a word back in a changed sentence", figure_of_patching},
                    {"why-heads", "which heads read what earlier heads write", figure_of_composition}};
  return entry;
}

}  // namespace headlight::panels
