// The Embeddings view's second page: word vectors that are learnt from a text while one looks on.
#pragma once

#include "app/panels/shared/panel.h"
#include "app/session/word_film.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// The settings that the view asks for.
WordFilmSettings word_film_settings(const EmbeddingsView& view);

// The page, `width` x `height` points.
void draw_learnt_words(Context& context, const ui::Look& look, float width, float height);

// The plane of the shown checkpoint; where nothing is trained in a window, of a training of its own. Without items: there is
// none.
figures::Figure learnt_plane_figure(const Context& context, float width, float height);
// The losses, likewise.
figures::Figure learnt_loss_figure(const Context& context, float width, float height);

}  // namespace headlight::panels
