// The parts of the Context view, drawn at ImGui's cursor: each in its file.
#pragma once

#include <string>

#include "app/panels/context/context_data.h"
#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// The view while it is drawn.
struct ContextTab {
  Context& context;
  const ui::Look& look;
  const ContextState& state;  // of what is typed
  const ContextState& shown;  // the last one that was compared; without `compared`: none yet
  const figures::ContextChoice& choice;
  ContextTransient& own;
};

void context_heading(const ContextTab& tab, const std::string& words, const std::string& quiet, float width);

void draw_context_controls(const ContextTab& tab, float width);
// `fields`: each sentence can be typed into.
void draw_context_sentences(const ContextTab& tab, float width, bool fields);
// The paths, or the queries and keys of one head; `height` of the picture below the choice.
void draw_context_plane(const ContextTab& tab, float width, float height);
void draw_context_paths(const ContextTab& tab, float width, float height);
void draw_context_probes(const ContextTab& tab, float width, float height);
void draw_context_pairs(const ContextTab& tab, float width, float height);
void draw_context_added(const ContextTab& tab, float width, std::size_t most_heads);

}  // namespace headlight::panels
