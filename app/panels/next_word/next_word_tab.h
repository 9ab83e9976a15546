// The parts of the Next word view, drawn at ImGui's cursor, one per file.
#pragma once

#include <memory>

#include "app/figures/next_word/next_word_figures.h"
#include "app/gl/figure_view.h"
#include "app/panels/next_word/next_word_data.h"
#include "app/ui/widgets.h"
#include "app/views/base/context.h"
#include "app/views/base/heading.h"

namespace headlight::views {

// The view during one frame.
struct NextWordTab {
  Context& context;
  const ui::Look& look;
  const NextWordPlace& place;
  NextWordTransient& own;
  std::shared_ptr<const RankedScores> ranked;  // null: still being computed
  std::int32_t tracked = 0;                    // a token's id
};

// Makes the candidate the tracked one, or appends a candidate that is tracked already to the sentence.
// choose_candidate(tab, 262) is a click on the candidate with this id.
void choose_candidate(const NextWordTab& tab, std::int32_t token);
// Appends the token behind the position. A special token stands for no text and cannot be taken.
// if (can_take(tab, token)) take_token(tab, token);
bool can_take(const NextWordTab& tab, std::int32_t token);
void take_token(const NextWordTab& tab, std::int32_t token);

// "The next word after the" or, for a model that fills in, "What stands at [MASK]".
std::string next_word_title(const NextWordPlace& place);

// The parts, `width` points wide.
// draw_surprise(tab, 900) draws each token with the surprise that it was to the model.
void draw_surprise(const NextWordTab& tab, float width);
// `rows` is the number of listed candidates.
// draw_candidates(tab, 400, 10) lists the ten best.
void draw_candidates(const NextWordTab& tab, float width, std::size_t rows);
void draw_sampling(const NextWordTab& tab, float width);
// For a model that fills in: the token that is asked for, and a button that puts [MASK] in a word's place.
void draw_masked_place(const NextWordTab& tab);
void draw_taking(const NextWordTab& tab, float width);
// Starts or ends generating, and whether words are being made.
bool is_generating(const GeneratedWords& generated);
void turn_generating(Context& context, const NextWordPlace& place, GeneratedWords& generated);
// Temperature and generating, for the strip at the lower edge.
std::vector<Control> next_word_controls(Context& context);
void draw_comparison(const NextWordTab& tab, float width);
void draw_generated(const NextWordTab& tab, float width);
// `row_height` is the height in points of one layer.
// draw_lens(tab, 500, 24) draws a row of 24 points for each layer.
void draw_lens(const NextWordTab& tab, float width, float row_height = 30);
// draw_looks(tab, 400, 8) lists the eight heads that push the tracked token most.
void draw_looks(const NextWordTab& tab, float width, std::size_t rows);

// The same pictures for a file, without highlights under the mouse; a figure without items while nothing is ready.
// candidates_figure(context, place, 400) is 400 points wide.
figures::Figure surprise_figure(const Context& context, const NextWordPlace& place);
figures::Figure candidates_figure(const Context& context, const NextWordPlace& place, float width);
figures::Figure thinking_figure(const Context& context, const NextWordPlace& place, float width);
figures::Figure looks_figure(const Context& context, const NextWordPlace& place, float width);
// How two continuations diverge from layer to layer: the typed ones, or the two best candidates.
// odds_figure(context, place, 600) is 600 points wide.
figures::Figure odds_figure(const Context& context, const NextWordPlace& place, float width);
// The generated words, each with its chance and its attention. Twelve words are generated if there are none.
// generated_figure(context, place, 600) is 600 points wide.
figures::Figure generated_figure(const Context& context, const NextWordPlace& place, float width);
figures::Figure lens_figure(const Context& context, const NextWordPlace& place, float width);

}  // namespace headlight::views
