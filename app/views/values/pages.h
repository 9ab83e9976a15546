// The pages of the Values view as parts of its sheet.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "app/views/base/attention_choice.h"
#include "app/views/base/sheet.h"
#include "app/views/values/state.h"

namespace headlight::views::values {

// What the view's functions share in a frame.
struct Frame {
  const Scene& scene;
  State& state;
  AttentionChoice choice;  // has an attention with tokens
  std::int64_t query = 0;

  const Context& context() const { return scene.context; }
  bool filed() const { return scene.medium == sheet::Medium::file; }
  // Of a picture beside nothing else; a file may be as narrow as it is asked to be.
  sheet::Span wide(float least, float wished) const { return {filed() ? 0 : least, wished, sheet::kAny}; }
};
using Shared = std::shared_ptr<const Frame>;

// One row of a head: what each key gives, their sum, and the effect of scale and temperature.
sheet::Node row_page(Sheet& sheet, const Shared& frame);
// All that a layer adds to a token, with the grid of one head beside it; the same sum as arrows in a plane; and the grid alone.
sheet::Node ledger_page(Sheet& sheet, const Shared& frame);
sheet::Node arrows_page(Sheet& sheet, const Shared& frame);
sheet::Node grid_page(Sheet& sheet, const Shared& frame);
// A head's value map, the sum over all heads beside Concat W_O, and two ways to combine heads of full width.
sheet::Node map_page(Sheet& sheet, const Shared& frame);
sheet::Node map_sum_page(Sheet& sheet, const Shared& frame);
sheet::Node combiners_page(Sheet& sheet, const Shared& frame);

// What stands in place of a page that is being computed, or cannot be; `error` is empty, or says why.
sheet::Node waiting(Sheet& sheet, const std::string& error);

// Heights of a picture by its width and its number of lines, kept as data of what it is made of.
struct Heights {
  mutable std::map<std::pair<float, int>, float> known;
  template <class Make>
  float at(float width, int lines, Make make) const {
    const auto [found, fresh] = known.try_emplace({width, lines}, 0.0f);
    if (fresh) found->second = make().height;
    return found->second;
  }
};

}  // namespace headlight::views::values
