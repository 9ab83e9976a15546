// The data of the page of learnt word vectors: the shown words, their paths through the plane, and the pictures' inputs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/charts/curves.h"
#include "app/figures/embeddings/word_plane.h"
#include "app/session/word_film.h"
#include "app/views/base/context.h"
#include "app/views/embeddings/data.h"
#include "engine/insight/vector_paths.h"

namespace headlight::views::word_vectors {

// The shown checkpoint; without a space if there is none yet.
struct LearntShown {
  std::size_t index = 0;
  SharedSpace shared;
};
// learnt_shown(context, state).index is the index of the view's checkpoint in state.checkpoints.
LearntShown learnt_shown(const Context& context, const WordFilmState& state);

// The tokens of the plane's words: the view's words that the text has, or some of the text's frequent words.
// plane_words(view, *shared.space) gives the ids of "king" and "queen" if the view names these two.
std::vector<std::int32_t> plane_words(const State& view, const EmbeddingSpace& space);
// The token whose nearest tokens are listed; -1 if the text does not have the view's word.
// learnt_word(view, *shared.space) is the id of view's word.
std::int32_t learnt_word(const State& view, const EmbeddingSpace& space);

// The paths that were shown last. They stay until the paths with another checkpoint are computed.
struct LearntHeld {
  std::uint64_t training = 0;
  std::vector<std::int32_t> words;
  std::shared_ptr<const VectorPaths> paths;
};
// Without words while the paths are being computed.
// learnt_plane_input(context, state, shown, &held) shows the plane at the shown checkpoint.
figures::WordPlaneInput learnt_plane_input(const Context& context, const WordFilmState& state, const LearntShown& shown,
                                           LearntHeld* held);
// learnt_loss_input(state, shown) marks the shown checkpoint on the curve.
figures::CurvesInput learnt_loss_input(const WordFilmState& state, const LearntShown& shown);
// epochs_words(state, 25) is "2.5 of 20 epochs" for 10 places an epoch and 20 epochs.
std::string epochs_words(const WordFilmState& state, std::int64_t done);

// The training that the view asks for.
WordFilmSettings word_film_settings(const State& state);

}  // namespace headlight::views::word_vectors
