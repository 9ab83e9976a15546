// The Embeddings view's second page: word vectors that are learnt from a text while the person watches.
#pragma once

#include "app/panels/shared/panel.h"
#include "app/session/word_film.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// The settings that the view asks for.
WordFilmSettings word_film_settings(const EmbeddingsView& view);

// The page, `width` x `height` points.
// draw_learnt_words(context, look, 900, 500);
void draw_learnt_words(Context& context, const ui::Look& look, float width, float height);

// The plane of the shown checkpoint. Without a training in a window, the plane of a training made for this picture. Without items
// if there is none.
// learnt_plane_figure(context, 600, 500) is 600 points wide.
figures::Figure learnt_plane_figure(const Context& context, float width, float height);
// The losses of the same training.
// learnt_loss_figure(context, 600, 300) is 600 points wide.
figures::Figure learnt_loss_figure(const Context& context, float width, float height);

}  // namespace headlight::panels
