// The name and place of a box in the walk-through, by the role of its step: the only table of these words. A role that is not in
// the table has no words: the box has the step's own name and stands behind its inputs.
#pragma once

#include <string_view>

#include "app/views/walk/graph_picture.h"

namespace headlight::figures {

struct WalkRole {
  WalkBox::Kind kind = WalkBox::Kind::step;
  Role role = Role::other;  // for boxes of Kind::step
  const char* id = "";      // WalkBox::id, which views store, if it is not the step's own name
  // The words on the box, at its dot, and behind "Step 7: "; translated by tr(). A box without a title has the step's own name.
  const char *title = nullptr, *stop = nullptr, *heading = nullptr;
  std::optional<WalkBox::Part> part;  // empty: the part of the box before it
  Role shown_in = Role::other;        // the step is shown in a later box of this role, if there is one; other: in its own box
};

// The table's line for a kind and role; null: the role has no words.
// walk_role(WalkBox::Kind::step, Role::embedding)->id is "embedding".
const WalkRole* walk_role(WalkBox::Kind kind, Role role);

// The place in the usual order of a layer, of a box or of an id that a view has stored; -1: unknown.
std::ptrdiff_t walk_rank(const WalkBox& box);
std::ptrdiff_t walk_rank(std::string_view id);

}  // namespace headlight::figures
