// The Context view: one word in two to six sentences, from one vector at the beginning to as many as there are sentences.
#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/stack.h"
#include "app/panels/context/context_tab.h"
#include "app/panels/panels.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kGap = 24, kLeastTwo = 730, kProbes = 116;

// A column that grows with what is in it.
template <class Draw>
void column(const char* id, const ui::Look& look, float width, Draw draw) {
  const ImGuiWindowFlags quiet =
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground;
  if (ImGui::BeginChild(id, {look.px(width), 0}, ImGuiChildFlags_NavFlattened | ImGuiChildFlags_AutoResizeY, quiet)) draw();
  ImGui::EndChild();
}

float used_since(float top, const ui::Look& look) { return (ImGui::GetCursorScreenPos().y - top) / look.scale; }

// Why nothing is compared, where the sentences do not say it themselves.
bool says_waiting(const ContextTab& tab) {
  if (tab.shown.compared) return false;
  const bool wrong = std::any_of(tab.state.sentences.begin(), tab.state.sentences.end(),
                                 [](const ContextState::Sentence& one) { return !one.error.empty(); });
  ui::words(tab.look, wrong ? tr("At least two sentences must have the word.") : tr("computing …"), tab.look.theme.secondary, 14);
  return true;
}

void draw_left(const ContextTab& tab, float width, float height) {
  const float top = ImGui::GetCursorScreenPos().y;
  draw_context_controls(tab, width);
  draw_context_sentences(tab, width, true);
  if (says_waiting(tab)) return;
  const float left = height - used_since(top, tab.look) - kProbes - 92;
  draw_context_plane(tab, width, std::clamp(left, 200.0f, 620.0f));
  draw_context_probes(tab, width, kProbes);
}

void draw_right(const ContextTab& tab, float width, float height) {
  if (!tab.shown.compared) return;
  const float top = ImGui::GetCursorScreenPos().y;
  draw_context_pairs(tab, width, height > 700 ? 230.0f : 190.0f);
  const float left = height - used_since(top, tab.look) - 160;
  draw_context_added(tab, width, static_cast<std::size_t>(std::clamp(left / 26, 4.0f, 16.0f)));
}

// On a projector the sentences are read, not typed.
void draw_presented(const ContextTab& tab, float width, float height) {
  const bool two = width >= 640;
  const float right = two ? std::floor((width - kGap) * 0.44f) : width, left = two ? width - right - kGap : width;
  column("left", tab.look, left, [&] {
    const float top = ImGui::GetCursorScreenPos().y;
    draw_context_controls(tab, left);
    draw_context_sentences(tab, left, false);
    if (says_waiting(tab)) return;
    draw_context_plane(tab, left, std::clamp(height - used_since(top, tab.look) - 50, 180.0f, 620.0f));
  });
  if (!tab.shown.compared) return;
  if (two) ImGui::SameLine(0, tab.look.px(kGap));
  column("right", tab.look, right, [&] {
    const float top = ImGui::GetCursorScreenPos().y;
    draw_context_pairs(tab, right, 176);
    const float rest = height - used_since(top, tab.look) - 130;
    draw_context_added(tab, right, static_cast<std::size_t>(std::clamp(rest / 26, 3.0f, 12.0f)));
  });
}

// One layer more every 0.8 seconds, until all are passed.
void go_on_playing(Context& context, ContextTransient& own, const ContextState& shown) {
  constexpr double kStep = 0.8;
  if (own.playing_since < 0 || !shown.compared) return;
  const auto last = static_cast<std::int64_t>(shown.compared->layers.size()) - 1;
  const auto steps = static_cast<std::int64_t>((context.now - own.playing_since) / kStep);
  const std::int64_t layer = std::min(last, own.playing_from + steps);
  context.view.context.layer = layer;
  if (layer == last) {
    own.playing_since = -1;
    return;
  }
  if (context.frame_in) context.frame_in(kStep * static_cast<double>(steps + 1) - (context.now - own.playing_since));
}

// Goes to the head that was clicked, when the trace is of its sentence. Another sentence typed meanwhile wins.
void go_on_opening(Context& context, ContextTransient::Opening& opening) {
  if (opening.head < 0) return;
  if (context.document.texts.empty() || context.document.texts.front() != opening.text || context.error) opening = {};
  if (opening.head < 0 || context.computing || !context.trace || context.trace->texts().empty() ||
      context.trace->texts().front().text != opening.text)
    return;
  ViewState& view = context.view;
  view.tab = "heads";
  view.batch = 0;
  view.site = opening.site;
  view.layer = opening.layer;
  view.head = opening.head;
  view.chosen_heads.clear();
  view.pinned_row = opening.row;
  view.pinned_column = -1;
  opening = {};
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  Transient none;  // tests and exports have no transient state
  auto& own = (context.transient ? *context.transient : none).of<ContextTransient>();
  own.lit = std::exchange(own.lit_next, {});
  own.hot_source = std::exchange(own.hot_source_next, -1);
  own.hot_head = std::exchange(own.hot_head_next, -1);
  const ContextState state = context_state(context);
  if (state.compared) own.last = state;
  // Of other sentences nothing is shown where those that are typed can no longer be compared.
  const bool waiting = std::any_of(state.sentences.begin(), state.sentences.end(),
                                   [](const ContextState::Sentence& one) { return !one.found && one.error.empty(); }) ||
                       state.shown.size() >= 2;
  if (!state.compared && !waiting) own.last = {};
  go_on_playing(context, own, own.last);
  go_on_opening(context, own.opening);
  figures::ContextChoice choice = context_choice(context, own.last);
  choice.lit = own.lit;
  choice.hot_source = own.hot_source;
  choice.hot_head = own.hot_head;
  const ContextTab tab{context, look, state, own.last, choice, own};
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = std::floor(room.x / context.scale - 14), height = room.y / context.scale;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (context.view.presentation) {
    draw_presented(tab, width, height);
  } else if (width >= kLeastTwo) {
    const float right = std::floor((width - kGap) * 0.42f), left = width - right - kGap;
    column("left", look, left, [&] { draw_left(tab, left, height); });
    ImGui::SameLine(0, look.px(kGap));
    column("right", look, right, [&] { draw_right(tab, right, height); });
  } else {
    column("left", look, width, [&] { draw_left(tab, width, height); });
    column("right", look, width, [&] { draw_right(tab, width, height); });
  }
  ImGui::PopStyleVar();
}

figures::Figure figure_of_context(const Context& context, float width, float) {
  const ContextState state = context_state(context);
  if (!state.compared) return {};
  const figures::ContextChoice choice = context_choice(context, state);
  const auto added = context_added(context, state, choice, nullptr);
  const auto space = context.view.context.plane == "queries" ? context_space(context, state, choice, nullptr) : nullptr;
  return figures::context_figure(*state.compared, state.probes, added.get(), space.get(), choice, std::max(560.0f, width - 32),
                                 context.theme, context.measure);
}

// One of the view's pictures for a file; `draw` makes it from what was compared.
template <class Draw>
figures::Figure picture_of(const Context& context, float width, Draw draw) {
  const ContextState state = context_state(context);
  if (!state.compared) return {};
  const figures::Figure figure = draw(state, context_choice(context, state), std::max(420.0f, width - 32));
  return figure.items.empty() ? figure : figures::stacked({figure}, 0, 16);
}

figures::Figure paths_picture(const Context& context, float width, float height) {
  return picture_of(context, width, [&](const ContextState& state, const figures::ContextChoice& choice, float inner) {
    return figures::context_paths(figures::paths_of(*state.compared, choice), inner, std::min(height - 32, inner * 0.62f),
                                  context.theme, context.measure);
  });
}

figures::Figure queries_picture(const Context& context, float width, float height) {
  return picture_of(context, width, [&](const ContextState& state, const figures::ContextChoice& choice, float inner) {
    const auto space = context_space(context, state, choice, nullptr);
    return space ? figures::query_key_plane(figures::query_key_of(*state.compared, *space, choice), inner,
                                            std::min(height - 32, inner * 0.62f), context.theme, context.measure)
                 : figures::Figure{};
  });
}

template <bool cosine>
figures::Figure pairs_picture(const Context& context, float width, float) {
  return picture_of(context, width, [&](const ContextState& state, figures::ContextChoice choice, float inner) {
    choice.cosine = cosine;
    return figures::pair_curves(figures::curves_of(*state.compared, choice), inner, inner * 0.5f, context.theme, context.measure);
  });
}

template <bool cosine>
figures::Figure matrix_picture(const Context& context, float width, float height) {
  return picture_of(context, width, [&](const ContextState& state, figures::ContextChoice choice, float inner) {
    choice.cosine = cosine;
    return figures::pair_matrix(figures::matrix_of(*state.compared, choice), std::min(inner, 560.0f), std::min(height, 560.0f),
                                context.theme, context.measure);
  });
}

figures::Figure probes_picture(const Context& context, float width, float) {
  return picture_of(context, width, [&](const ContextState& state, const figures::ContextChoice& choice, float inner) {
    if (state.probes.empty()) return figures::Figure{};
    const auto input = figures::probes_of(*state.compared, state.probes, choice);
    return figures::framed(figures::probe_bars(input, inner, 220, context.theme, context.measure), tr("Cosine with probe words"),
                           0, context.theme);
  });
}

figures::Figure added_picture(const Context& context, float width, float) {
  return picture_of(context, width, [&](const ContextState& state, figures::ContextChoice choice, float inner) {
    const auto added = context_added(context, state, choice, nullptr);
    if (!added) return figures::Figure{};
    choice.most_heads = 96;
    return figures::attention_added_bars(figures::titled_added_of(*state.compared, *added, choice), inner, context.theme,
                                         context.measure);
  });
}

}  // namespace

Entry context_panel() {
  Entry entry = {"context",         "Context", "E_i' = E_i + ΔE_i, layer by layer", "Pearson 1901; Ethayarajh 2019", draw,
                 figure_of_context, true};
  entry.pages =
      pages_in([](ViewState& view) -> std::string& { return view.context.plane; },
               {{"paths", tr_later("paths"), tr_later("The word's vector after every layer, of all sentences in one plane")},
                {"queries", tr_later("queries and keys"),
                 tr_later("Queries and keys of one head in the selected sentence: a query points at its strongest keys")}});
  entry.pictures = {{"context", "one word in several texts: everything on one page", figure_of_context},
                    {"context-paths", "the word's paths through the layers", paths_picture},
                    {"context-queries", "queries and keys of one head in one plane", queries_picture},
                    {"context-distances", "the distances of the word's vectors by layer", pairs_picture<false>},
                    {"context-cosines", "their cosines by layer", pairs_picture<true>},
                    {"context-distance-matrix", "the distances after one layer", matrix_picture<false>},
                    {"context-cosine-matrix", "the cosines after one layer", matrix_picture<true>},
                    {"context-probes", "cosines with probe words", probes_picture},
                    {"context-added", "what one layer's attention added, by head and source token", added_picture}};
  return entry;
}

}  // namespace headlight::panels
