// What the page of learnt word vectors shows of a training: which words, their ways through the plane, and the pictures' inputs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/charts/curves.h"
#include "app/figures/embeddings/word_plane.h"
#include "app/panels/embeddings/embeddings_data.h"
#include "app/panels/shared/panel.h"
#include "app/session/word_film.h"
#include "engine/insight/vector_paths.h"

namespace headlight::panels {

// Which checkpoint is shown; without a space: there is none yet.
struct LearntShown {
  std::size_t index = 0;
  SharedSpace shared;
};
LearntShown learnt_shown(const Context& context, const WordFilmState& state);

// The words of the plane, by their tokens: those that the view names and the text has, or some that the text has often.
std::vector<std::int32_t> plane_words(const EmbeddingsView& view, const EmbeddingSpace& space);
// The token whose nearest are listed; -1: the named word is none of the text's.
std::int32_t learnt_word(const EmbeddingsView& view, const EmbeddingSpace& space);

// The ways that were shown last: they stay until those with another checkpoint are computed.
struct LearntHeld {
  std::uint64_t training = 0;
  std::vector<std::int32_t> words;
  std::shared_ptr<const VectorPaths> paths;
};
// Without words: the ways are still being computed.
figures::WordPlaneInput learnt_plane_input(const Context& context, const WordFilmState& state, const LearntShown& shown,
                                           LearntHeld* held);
figures::CurvesInput learnt_loss_input(const WordFilmState& state, const LearntShown& shown);
// "12.5 of 20 epochs"
std::string epochs_words(const WordFilmState& state, std::int64_t done);

}  // namespace headlight::panels
