// The shown attention: the ViewState's site, sentence, layer and head, limited to what the trace has.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/text/language.h"
#include "app/ui/widgets.h"
#include "app/views/base/context.h"
#include "engine/insight/word_groups.h"

namespace headlight::views {

// The words of an attention's axes with their names, numbered like those of tokens.
struct AttentionWords : WordAxes {
  std::vector<std::string> row_labels, column_labels;
};

struct AttentionChoice {
  const AttentionSite* site = nullptr;       // null: the trace has no attention (no layers, no tokens)
  std::vector<const AttentionSite*> layers;  // the same kind in every layer, in order
  struct Kind {
    std::string id, label;  // ViewState::site, "encoder"
  };
  std::vector<Kind> kinds;  // the kinds that the trace has
  std::string kind;         // the chosen kind's id
  std::int64_t batch = 0, head = 0;
  // Null: the view shows pieces, or every word is one piece.
  std::shared_ptr<const AttentionWords> words;
  std::string prefix() const { return site ? site->prefix : std::string(); }
};
// The attention that the view asks for; the trace's nearest layer, head and sentence replace numbers that it does not have.
AttentionChoice choose_attention(const Context& context);

// The words of the chosen attention, whether the view shows them or not; null: every word is one piece.
// `written`: of cross-attention, the rows are the words that its queries write; as the view asks for where it is not given.
std::shared_ptr<const AttentionWords> words_of(const Context& context, const AttentionChoice& choice);
std::shared_ptr<const AttentionWords> words_of(const Context& context, const AttentionChoice& choice, bool written);
// What the switch between words and pieces does.
inline constexpr const char* kWordsTogether =
    tr_later("The pieces of a word as one: the sum of the weights to them, the mean of those from them");

// Opens one head as a large map with a cell pinned; -1: no row, or no column. `prefix` is AttentionSite::prefix.
// open_attention(view, "decoder.layer.2.cross.", 3, 5, 1) shows head 3 of layer 2's cross-attention, with query 5 and key 1
// pinned.
void open_attention(ViewState& view, const std::string& prefix, std::int64_t head, std::int64_t row, std::int64_t column);

// The tokens of the chosen sentence on one side, padded with "[PAD]" to the length of the trace's arrays. A token that occurs
// more than once is numbered.
// row_labels(trace, choice) names the queries and column_labels(trace, choice) names the keys of choice.site.
std::vector<std::string> row_labels(const Trace& trace, const AttentionChoice& choice);
std::vector<std::string> column_labels(const Trace& trace, const AttentionChoice& choice);
// The same labels, made once per trace and stored.
std::vector<std::string> row_labels(const Context& context, const AttentionChoice& choice);
std::vector<std::string> column_labels(const Context& context, const AttentionChoice& choice);

// The token of sentence `batch` that the mouse is on anywhere in the window; -1: none. `of_targets` chooses the second sentences.
// hovered_token(trace, false, 0, context.hover.now) is 3 while the mouse is on the fourth token of the first text.
std::int64_t hovered_token(const Trace& trace, bool of_targets, std::int64_t batch, const Hot& hot);

// The query of the head's strongest cell; 0 while it is looked for.
std::int64_t strongest_query(const Context& context, const AttentionChoice& choice);
// The query that a view of one row shows: that of the chip under the mouse, or of the hovered cell if `follows_cells`; else the
// pinned one; else that of the head's strongest cell. chosen_query(context, choice) is 2 while the mouse is on the third chip.
std::int64_t chosen_query(const Context& context, const AttentionChoice& choice, bool follows_cells = true);

// Where query heads share heads of keys and values: the head among `count` that query head `head` reads; `head` itself where each
// has its own. head_among(site, 7, 3) is 2 of 9 heads over 3.
inline std::int64_t head_among(const AttentionSite& site, std::int64_t head, std::int64_t count) {
  return count < site.heads ? head * count / site.heads : head;
}
// "heads 6 to 8 share key head 2", in the window's language; empty where each head has its own.
std::string shared_key_words(const AttentionSite& site, std::int64_t head);

// Writes a sentence in place of a picture that has no attention to show. Returns false, and writes nothing, if there is
// attention.
// if (says_no_attention(context, look, choice)) return; begins a view's drawing.
bool says_no_attention(const Context& context, const ui::Look& look, const AttentionChoice& choice);

// The role that ViewState::shown names: scores, masked_scores, or weights for every other word.
Role shown_role(const ViewState& view);

// The mask of one head of one sentence, u8 [queries, keys]: 1 where a query may attend. Empty if the attention has no mask.
// site_mask(site, 0, 2) is the mask of head 2 in the first sentence.
Tensor site_mask(const AttentionSite& site, std::int64_t batch, std::int64_t head);

}  // namespace headlight::views
