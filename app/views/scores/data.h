// The data of the Scores view for the chosen head, computed once per trace and choice and then read in every frame.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/views/base/attention_choice.h"
#include "app/views/base/context.h"
#include "app/views/scores/pictures.h"
#include "app/views/scores/state.h"
#include "engine/insight/asked_scores.h"

namespace headlight::views::scored {

// The view's state from frame to frame.
struct Held {
  bool marker = false;  // the mouse drags the scale's marker
};

struct Asked {
  AttentionChoice choice;
  std::int64_t query = 0, keys = 0;                     // the asking token; the number of keys
  bool one_text = true;                                 // queries and keys are tokens of the same text
  QkvRelation relation = QkvRelation::separate;         // the view's choice, limited to what the model's own projections allow
  std::shared_ptr<const AskedScores> asked;             // null: being computed, or an error
  const Error* error = nullptr;                         // valid in this frame
  std::shared_ptr<const ScaleCurves> curves;            // null: still being computed
  std::shared_ptr<const std::vector<RelatedMap>> maps;  // null: still being computed
  std::vector<ScoreRow> rows;                           // the scores' rows, computed with the view's factor
  double factor = 0;                                    // the factor of scaled dot
  bool own_factor = false, masked = false;              // the view's
  std::vector<std::string> query_labels, key_labels;
};
// The data for `choice`, which has an attention with tokens.
// asked_data(context, state, choice).query is the pinned row, else the row of the head's strongest cell.
Asked asked_data(const Context& context, const State& state, const AttentionChoice& choice);

// The cards of all scores, `width` points wide. Only as many keys have lines as fit `height` points.
// cards_input(context, state, 900, 500).shown are the keys with a line of their own.
// What the query asks for, in words, told by where its weights lie: "any adjectives in front of me?". Empty: it sees one key.
// question_of(context, asked) of a noun that looks at its adjectives.
std::string question_of(const Context& context, const Asked& state);
figures::ScoreCardsInput cards_input(const Context& context, const Asked& state, float width, float height);
// The card of scaled dot alone.
// scaled_card_input(context, state, 300, 500).rows has one row.
figures::ScoreCardsInput scaled_card_input(const Context& context, const Asked& state, float width, float height);
figures::ScalePlotInput scale_input(const Asked& state);
// relations_input(context, state) has a map for each of QkvRelation's values; `meanings` says why one is not possible.
figures::RelationsInput relations_input(const Context& context, const Asked& state);

// How a score or a weight on a card comes about, in words.
// told_score(state, state.rows[0], 3) explains the first score of key 3.
std::string told_score(const Asked& state, const ScoreRow& row, std::int64_t key);
std::string told_weight(const Asked& state, const ScoreRow& row, std::int64_t key);

}  // namespace headlight::views::scored
