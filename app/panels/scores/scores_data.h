// What the Scores view shows of the chosen head: computed once for a trace and a choice, then read in every frame.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figures/scores/score_figures.h"
#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"
#include "engine/insight/asked_scores.h"

namespace headlight::panels {

// What lives from frame to frame.
struct ScoresHeld {
  bool marker = false;  // the marker of the scale is dragged
};

struct ScoresState {
  AttentionChoice choice;
  std::int64_t query = 0, keys = 0;
  bool one_text = true;                                 // queries and keys are tokens of the same text
  QkvRelation relation = QkvRelation::separate;         // the view's, or the one that there is
  std::shared_ptr<const AskedScores> asked;             // null: being computed, or an error
  const Error* error = nullptr;                         // valid in this frame
  std::shared_ptr<const ScaleCurves> curves;            // null: not yet
  std::shared_ptr<const std::vector<RelatedMap>> maps;  // null: not yet
  std::vector<ScoreRow> rows;                           // with the view's factor
  double factor = 0;                                    // that of scaled dot
  std::vector<std::string> query_labels, key_labels;
};
// `choice` has an attention with tokens.
ScoresState scores_state(const Context& context, const AttentionChoice& choice);

// As much as fits `height` points; the input's lines are laid out for it.
figures::ScoreCardsInput cards_input(const Context& context, const ScoresState& state, float width, float height);
// The card of scaled dot alone.
figures::ScoreCardsInput scaled_card_input(const Context& context, const ScoresState& state, float width, float height);
figures::ScalePlotInput scale_input(const ScoresState& state);
figures::RelationsInput relations_input(const Context& context, const ScoresState& state);

// A number of a card in words: how it comes about.
std::string told_score(const ScoresState& state, const ScoreRow& row, std::int64_t key);
std::string told_weight(const ScoresState& state, const ScoreRow& row, std::int64_t key);

}  // namespace headlight::panels
