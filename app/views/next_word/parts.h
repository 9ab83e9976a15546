// The parts of the view Next word, and its pictures for files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/views/base/sheet.h"
#include "app/views/base/titles.h"
#include "app/views/base/view.h"
#include "app/views/next_word/data.h"
#include "app/views/next_word/pictures.h"

namespace headlight::views::next_word {

constexpr float kScrollBar = 14;  // its width, in points

// What the view's functions share in a frame.
struct Frame {
  const Scene& scene;
  State& state;
  Place place;
  std::shared_ptr<Held> own;
  std::shared_ptr<const RankedScores> ranked;  // null: still being computed
  std::int32_t tracked = 0;                    // a token's id

  const Context& context() const { return scene.context; }
  SamplingState& sampling() const { return scene.view.sampling; }
  bool presented() const { return scene.medium == sheet::Medium::presented; }
};
using Shared = std::shared_ptr<const Frame>;
using Nodes = std::vector<sheet::Node>;

// "The next word after the" or, for a model that fills in, "What stands at [MASK]".
std::string title_of(const Place& place);
// Puts the token behind the position or, for a model that fills in, in its place. A special token stands for no text and cannot
// be taken.
bool can_take(const Context& context, const Place& place, std::int32_t token);
void take_token(const Context& context, const Place& place, std::int32_t token);

// The columns of the sheet, part by part; each begins with its heading.
Nodes cards_nodes(Sheet& sheet, const Shared& frame);       // each token with the surprise that it was to the model
Nodes list_nodes(Sheet& sheet, const Shared& frame);        // the candidates, how they are drawn, and what takes them
Nodes comparison_nodes(Sheet& sheet, const Shared& frame);  // two continuations
Nodes generated_nodes(Sheet& sheet, const Shared& frame);
Nodes lens_nodes(Sheet& sheet, const Shared& frame);
Nodes looks_nodes(Sheet& sheet, const Shared& frame);  // where the token looks, and the heads that push the tracked one most

sheet::Node waiting(Sheet& sheet, const std::string& id, const std::string& error = {});  // "computing …", or the error

// 0.5 as "0.50".
std::string two_decimals_of(double value);

// Temperature and generating, for the strip at the lower edge.
std::vector<Control> strip_controls(Context& context);

// The pictures for a file, without highlights under the mouse; a figure without items while nothing is ready.
figures::Figure cards_figure(const Context& context, const Place& place, float width);
figures::Figure candidates_figure(const Context& context, const Place& place, float width);
figures::Figure thinking_figure(const Context& context, const Place& place, float width);
figures::Figure lens_figure(const Context& context, const Place& place, float width);
figures::Figure looks_figure(const Context& context, const Place& place, float width);
// How two continuations part from layer to layer: the typed ones, or the two best candidates.
figures::Figure odds_figure(const Context& context, const Place& place, float width);
// The generated words, each with its chance and its attention. Twelve words are generated if there are none.
figures::Figure generated_figure(const Context& context, const Place& place, float width);

}  // namespace headlight::views::next_word
