// The parts of the Context view, drawn at ImGui's cursor, one per file.
#pragma once

#include <string>

#include "app/panels/context/context_data.h"
#include "app/panels/shared/heading.h"
#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// The view during one frame.
struct ContextTab {
  Context& context;
  const ui::Look& look;
  const ContextState& state;  // of the typed sentences
  const ContextState& shown;  // the last compared state; null `compared`: none yet
  const figures::ContextChoice& choice;
  ContextTransient& own;
};

// The parts, `width` points wide.
// draw_context_controls(tab, 600);
void draw_context_controls(const ContextTab& tab, float width);
// `fields` makes each sentence a text field.
// draw_context_sentences(tab, 600, true);
void draw_context_sentences(const ContextTab& tab, float width, bool fields);
// The paths, or the queries and keys of one head; `height` is that of the picture below the choice.
// draw_context_plane(tab, 600, 400);
void draw_context_plane(const ContextTab& tab, float width, float height);
void draw_context_paths(const ContextTab& tab, float width, float height);
void draw_context_probes(const ContextTab& tab, float width, float height);
void draw_context_pairs(const ContextTab& tab, float width, float height);
// draw_context_added(tab, 600, 6) lists the six heads that added most.
void draw_context_added(const ContextTab& tab, float width, std::size_t most_heads);

}  // namespace headlight::panels
