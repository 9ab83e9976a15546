// The roles of the heads that are shown, from the model's heads.json, and what the selected head does with the present sentence.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/panels/heads/head_saying.h"
#include "app/panels/shared/attention_choice.h"
#include "engine/insight/found_roles.h"

namespace headlight::panels {

// Of all heads of the shown kind of attention, by layer * heads + head; empty where nothing was measured.
struct HeadRoles {
  std::int64_t texts = 0;  // that were measured
  std::vector<PatternScores> scores;
  std::vector<std::optional<HeadRole>> roles;
  std::shared_ptr<const WordAlignment> alignment;  // which word translates which; null: not known

  bool measured() const { return !scores.empty(); }
  std::int64_t named() const;  // how many have a role
  // The roles that occur, the most frequent first, with their numbers of heads.
  std::vector<std::pair<HeadPattern, std::int64_t>> counts() const;
};
// Read in the background when the model is first shown. Null: not yet known. The sandbox has no roles, nor does a model without
// the file, or with a file that is refused: then `error` says why.
std::shared_ptr<const HeadRoles> head_roles(const Context& context, const AttentionChoice& choice, const Error** error = nullptr);

// A head in the present sentence.
struct HeadHere {
  PatternScores scores;
  Saying saying, brief;  // with two rows, and with one
};
// Null while it is being made, or for random weights, whose patterns mean nothing.
std::shared_ptr<const HeadHere> head_here(const Context& context, const AttentionChoice& choice, HeadRef head,
                                          const HeadRoles& roles);

}  // namespace headlight::panels
