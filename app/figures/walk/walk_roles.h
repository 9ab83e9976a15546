// What the walk-through calls a box and where it stands, by the role of its step: the one table of its words. A role that is not
// in it has no words of its own: the step is called by its own name and stands behind what it is made from.
#pragma once

#include <string_view>

#include "app/figures/walk/walk_graph.h"

namespace headlight::figures {

struct WalkRole {
  WalkBox::Kind kind = WalkBox::Kind::step;
  Role role = Role::other;  // of boxes of Kind::step
  const char* id = "";      // WalkBox::id where the step's own name is not it: views store it
  // On the box, at its dot, and behind "Step 7: "; translated by tr(). Without a title the box is called by the step's own name.
  const char *title = nullptr, *stop = nullptr, *heading = nullptr;
  std::optional<WalkBox::Part> part;  // empty: the part of the box before it
  Role shown_in = Role::other;        // the step is shown in the box of this role, if there is one behind it; other: in its own
};

// Null: the role has no words.
const WalkRole* walk_role(WalkBox::Kind kind, Role role);

// The place of a box in the usual order of a layer; -1: unknown. By a box, and by an id that a view has stored.
std::ptrdiff_t walk_rank(const WalkBox& box);
std::ptrdiff_t walk_rank(std::string_view id);

}  // namespace headlight::figures
