// The roles of the shown heads, from the model's heads.json, and what the selected head does with the present sentence.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/views/base/attention_choice.h"
#include "app/views/heads/saying.h"
#include "engine/insight/found_roles.h"

namespace headlight::views::heads {

// The measured roles of all heads of the shown kind of attention, by layer * heads + head; empty if no head was measured.
struct HeadRoles {
  std::int64_t texts = 0, marked = 0;  // the numbers of measured texts, and of those with marked pairs
  std::vector<PatternScores> scores, chance;
  std::vector<std::optional<HeadRole>> roles;
  std::shared_ptr<const WordAlignment> alignment;  // which word translates which; null: unknown

  bool measured() const { return !scores.empty(); }
  // The texts that a pattern was measured on.
  std::int64_t texts_of(HeadPattern pattern) const { return needs_marks(pattern) ? marked : texts; }
  std::int64_t named() const;  // the number of heads with a role
  // The roles that occur with their numbers of heads, the most frequent first.
  std::vector<std::pair<HeadPattern, std::int64_t>> counts() const;
};
// The roles, read in the background when the model is first shown; null until then. The sandbox has no roles. The heads of a
// model without the file are measured in the background (role_finder.h); it has no roles until then, and nor has one where
// nothing may be measured. A model whose file is refused has none either, and `error` then says why. head_roles(context,
// choice)->roles[1 * 4 + 2] is the role of head 2 in layer 1 of a model with four heads.
std::shared_ptr<const HeadRoles> head_roles(const Context& context, const AttentionChoice& choice, const Error** error = nullptr);
// "measuring what the heads do: 12 of 60 sentences", in the window's language; empty while nothing is being measured.
std::string measuring_words(const Context& context);

// A head in the present sentence.
struct HeadHere {
  PatternScores scores;
  Saying saying, brief;  // what the head does, said of at most two rows, and of one
};
// Null while it is being made, and for random weights, whose patterns mean nothing.
// head_here(context, choice, {1, 2}, *roles)->saying describes head 2 of layer 1 in the typed sentence.
std::shared_ptr<const HeadHere> head_here(const Context& context, const AttentionChoice& choice, HeadRef head,
                                          const HeadRoles& roles);

}  // namespace headlight::views::heads
