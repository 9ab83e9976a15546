// The parts of the Embeddings view's sheet, and its pictures for files.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/figures/embeddings/embedding_figures.h"
#include "app/views/base/sheet.h"
#include "app/views/embeddings/data.h"

namespace headlight::views::word_vectors {

// A line of words that a presentation has too.
sheet::Node plain_words(Sheet& sheet, const char* id, std::string text, float size, figures::Color color);
// The name of a column.
sheet::Node heading(Sheet& sheet, const char* id, std::string text);
// A field whose text is used while it is typed. It is for every medium but files.
sheet::Node live_field(Sheet& sheet, const char* id, std::string* text, std::string hint, std::string why, sheet::Span wide,
                       float size = 15);
// Why there is nothing to show: an error's sentence, or that it is being computed.
sheet::Node waiting(Sheet& sheet, const std::string& error);
// How many points of height are left below what stands above a page, in a room that has them all.
float room_below(const Scene& scene, float above);

// The pages. The first stands on the model's table.
sheet::Node model_page(Sheet& sheet, const SharedSpace& shared);
sheet::Node one_hot_page(Sheet& sheet);
sheet::Node learn_page(Sheet& sheet);

// Pictures for files, without items while there is nothing to show. figure_of_sum(context, 600) is 600 points wide.
figures::Figure figure_of_sum(const Context& context, float width);
figures::Figure figure_of_differences(const Context& context, float width);
figures::Figure figure_of_token(const Context& context, float width);
figures::Figure figure_of_one_hot(const Context& context, float width, float height);
// The plane and the losses of the shown checkpoint. Where no window trains, of a training made for this picture.
figures::Figure figure_of_plane(const Context& context, float width, float height);
figures::Figure figure_of_losses(const Context& context, float width, float height);

}  // namespace headlight::views::word_vectors
