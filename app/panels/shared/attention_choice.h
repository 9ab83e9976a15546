// Which attention is shown: the ViewState's site, sentence, layer and head, limited to what the trace has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

struct AttentionChoice {
  const AttentionSite* site = nullptr;       // null: the trace has no attention (no layers, no tokens)
  std::vector<const AttentionSite*> layers;  // the same kind in every layer, in order
  struct Kind {
    std::string id, label;  // ViewState::site, "encoder"
  };
  std::vector<Kind> kinds;  // those that the trace has
  std::string kind;
  std::int64_t batch = 0, head = 0;
  std::string prefix() const { return site ? site->prefix : std::string(); }
};
AttentionChoice choose_attention(const Context& context);

// The tokens of the chosen sentence on one side, padded with "[PAD]" to the length of the trace's arrays, and numbered if a token
// occurs more than once.
std::vector<std::string> row_labels(const Trace& trace, const AttentionChoice& choice);
std::vector<std::string> column_labels(const Trace& trace, const AttentionChoice& choice);
// The same, computed once per trace and stored.
std::vector<std::string> row_labels(const Context& context, const AttentionChoice& choice);
std::vector<std::string> column_labels(const Context& context, const AttentionChoice& choice);

// The token of that sentence, among the targets or the texts, that the mouse is on anywhere in the window; -1: none.
std::int64_t hovered_token(const Trace& trace, bool of_targets, std::int64_t batch, const Hot& hot);

// If there is no attention to show, says why in place of a picture. False: there is one.
bool says_no_attention(const Context& context, const ui::Look& look, const AttentionChoice& choice);

// What ViewState::shown names: the scores, the masked scores, or, by every other word, the weights.
Role shown_role(const ViewState& view);

// The mask of one head of one sentence, u8 [queries, keys]; empty if everything may attend.
Tensor site_mask(const AttentionSite& site, std::int64_t batch, std::int64_t head);

}  // namespace headlight::panels
