// The parts of the Next word view, drawn at ImGui's cursor: each in its file.
#pragma once

#include <memory>

#include "app/figures/next_word/next_word_figures.h"
#include "app/gl/figure_view.h"
#include "app/panels/next_word/next_word_data.h"
#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// The view while it is drawn.
struct NextWordTab {
  Context& context;
  const ui::Look& look;
  const NextWordPlace& place;
  NextWordTransient& own;
  std::shared_ptr<const RankedScores> ranked;  // null: not ready yet
  std::int32_t tracked = 0;                    // a token
};

// A heading, and quiet words behind it where they fit.
void next_word_heading(const NextWordTab& tab, const std::string& words, const std::string& quiet, float width);
// The candidate becomes the tracked one; if it is that already, it is appended to the sentence.
void choose_candidate(const NextWordTab& tab, std::int32_t token);
// Appends the token behind the position. A special token stands for no text and cannot be taken.
bool can_take(const NextWordTab& tab, std::int32_t token);
void take_token(const NextWordTab& tab, std::int32_t token);

// "The next word after the", or of a model that fills in "What stands at [MASK]".
std::string next_word_title(const NextWordPlace& place);

void draw_surprise(const NextWordTab& tab, float width);
// `rows`: how many candidates are listed.
void draw_candidates(const NextWordTab& tab, float width, std::size_t rows);
void draw_sampling(const NextWordTab& tab, float width);
// Of a model that fills in: which token is asked for, and [MASK] in the place of a word.
void draw_masked_place(const NextWordTab& tab);
void draw_taking(const NextWordTab& tab, float width);
void draw_comparison(const NextWordTab& tab, float width);
void draw_generated(const NextWordTab& tab, float width);
// `row_height` of one layer.
void draw_lens(const NextWordTab& tab, float width, float row_height = 30);
void draw_looks(const NextWordTab& tab, float width, std::size_t rows);

// The same pictures for a file, without what the mouse lights; without items where nothing is ready.
figures::Figure surprise_figure(const Context& context, const NextWordPlace& place);
figures::Figure candidates_figure(const Context& context, const NextWordPlace& place, float width);
figures::Figure thinking_figure(const Context& context, const NextWordPlace& place, float width);
figures::Figure looks_figure(const Context& context, const NextWordPlace& place, float width);
// How two continuations part from layer to layer: those that were typed, or the two best candidates.
figures::Figure odds_figure(const Context& context, const NextWordPlace& place, float width);
// The words that were generated, each with its chance, and where each looks; where none were, twelve are.
figures::Figure generated_figure(const Context& context, const NextWordPlace& place, float width);
figures::Figure lens_figure(const Context& context, const NextWordPlace& place, float width);

}  // namespace headlight::panels
