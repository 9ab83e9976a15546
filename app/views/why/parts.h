// The pages of the view Why this word as parts of its sheet, one per file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/views/base/sheet.h"
#include "app/views/base/titles.h"
#include "app/views/why/data.h"
#include "app/views/why/patcher.h"
#include "app/views/why/state.h"

namespace headlight::views::why {

// What the view's functions share in a frame.
struct Frame {
  const Scene& scene;
  State& state;
  Place place;
  std::shared_ptr<const InformationShares> shares;
  ShownRoutes shown;
  std::shared_ptr<const Words> words;  // null: the model predicts none, or they are being computed
  Asked asked;
  std::shared_ptr<Own> own;

  const Context& context() const { return scene.context; }
  std::string word() const { return place.word(asked.word); }
  std::string over() const { return place.word(asked.over); }
};
using Shared = std::shared_ptr<const Frame>;

// The graph of routes, and beside it what is chosen: an edge with its heads and its map, or a vector with its word.
sheet::Node routes_page(Sheet& sheet, const Shared& frame);
sheet::Node chosen_column(Sheet& sheet, const Shared& frame, sheet::Span wide);
// What speaks for one word over the other: by layer, by head, by the token that is read.
sheet::Node difference_page(Sheet& sheet, const Shared& frame);
// What brings the word back in a changed sentence.
sheet::Node patching_page(Sheet& sheet, const Shared& frame);
// Which heads read what earlier heads write, in the whole model.
sheet::Node composition_page(Sheet& sheet, const Shared& frame);

// What stands in place of a page that is being computed, or cannot be; `error` is empty, or says why.
sheet::Node waiting(Sheet& sheet, const std::string& error);
// The same with how far it is, in `words`.
sheet::Node waiting(Sheet& sheet, const std::string& error, const std::string& words);
// "computing … 12 of 30 attentions, 1.3 MB at a time".
std::string sharing_words(const Progress& progress, std::uint64_t bytes);
// Bars, as many of the rows and as high as there is room for.
struct BarsRoom {
  std::size_t least = 1, most = 1;  // rows
  float low = 22, high = 24;        // of a row, in points
};
sheet::Node bars(Sheet& sheet, Part part, figures::SignedBarsInput input, const BarsRoom& room, sheet::Span wide);

// The graph's lines under the mouse, and what changes its picture. `kind` is a type of the picture's own.
template <class Kind, class... More>
std::shared_ptr<const void> graph_key(const Frame& frame, More... more) {
  const State& state = frame.state;
  return frame.scene.made_of<Kind>(frame.shares, frame.words, frame.place.position, frame.asked.word, state.threshold,
                                   state.without_first, state.verticals, frame.own->hot_edge, frame.own->hot_vector, more...);
}

// The sentence with the two words exchanged; empty where it has not both.
// suggested_change(place, asked) of Mary over John: "When John and Mary …, Mary gave a drink to".
std::string suggested_change(const Place& place, const Asked& asked);
// What the person wrote, or else what is suggested.
std::string changed_sentence(const Context& context, const Place& place, const Asked& asked);
Patcher::Answer patching_of(const Frame& frame, const std::string& changed, std::string* error);

// The pictures for files; without items while nothing is ready.
// routes_figure(context, place, 900, 600)
figures::Figure routes_figure(const Context& context, const Place& place, float width, float height);
figures::Figure difference_figure(const Context& context, const Place& place, float width);
figures::Figure patching_figure(const Context& context, const Place& place, float width, float height);
figures::Figure composition_figure(const Context& context, const Place& place, float width, float height);

}  // namespace headlight::views::why
