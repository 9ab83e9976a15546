// The parts of the view Why this word, drawn at ImGui's cursor, one per file.
#pragma once

#include <memory>
#include <string>

#include "app/panels/shared/heading.h"
#include "app/panels/shared/panel.h"
#include "app/panels/why/patcher.h"
#include "app/panels/why/why_data.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// The view during one frame.
struct WhyTab {
  Context& context;
  const ui::Look& look;
  const WhyPlace& place;
  const InformationShares& shares;
  const ShownRoutes& shown;
  WhyTransient& own;
  std::shared_ptr<const WhyWords> words;  // null: the model predicts none, or they are being computed
  WhyChoice choice;
};

// The parts, `width` points wide.
void draw_why_controls(const WhyTab& tab, float width);
// draw_route_graph(tab, 700, 560)
void draw_route_graph(const WhyTab& tab, float width, float height);
// What is chosen: an edge with its heads and its map, or a vector with its word; `height` is what it may take.
void draw_why_chosen(const WhyTab& tab, float width, float height);
// How probable the word is behind the last layers, and what it could have been instead.
void draw_why_lens(const WhyTab& tab, float width);
void draw_why_candidates(const WhyTab& tab, float width, std::size_t most);
// What speaks for one word over the other: by layer, by head, by the token that is read.
void draw_why_difference(const WhyTab& tab, float width, float height);
// Which heads read what earlier heads write, in the whole model.
void draw_why_composition(const WhyTab& tab, float width, float height);

// What brings the word back in a changed sentence.
void draw_why_patching(const WhyTab& tab, float width, float height);
Patcher::Answer patching_of(const WhyTab& tab, const std::string& changed, std::string* error);
// The sentence with the two words exchanged; empty where it has not both.
// suggested_change(place, choice) of Mary over John: "When John and Mary …, Mary gave a drink to".
std::string suggested_change(const WhyPlace& place, const WhyChoice& choice);
// What the person wrote, or else what is suggested.
std::string changed_sentence(const Context& context, const WhyPlace& place, const WhyChoice& choice);

// The same pictures for files; a figure without items while nothing is ready.
// routes_figure(context, *place, 900, 600)
figures::Figure routes_figure(const Context& context, const WhyPlace& place, float width, float height);
figures::Figure difference_figure(const Context& context, const WhyPlace& place, float width);
figures::Figure patching_figure(const Context& context, const WhyPlace& place, float width, float height);
figures::Figure composition_figure(const Context& context, const WhyPlace& place, float width, float height);

}  // namespace headlight::panels
