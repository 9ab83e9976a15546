// What the tests of the walk-through's pictures share.
#pragma once

#include "app/figures/base/figure.h"
#include "engine/document/document.h"
#include "tests/figures/layout_check.h"

namespace headlight::figures {

// Two layers of three heads over three words.
inline Document base() {
  Document d;
  d.texts = {"man bites dog"};
  d.d_model = 24;
  d.heads = 3;
  d.layers = 2;
  return d;
}

inline bool overlap(const Box& a, const Box& b) {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
inline bool inside(const Box& outer, const Box& b) {
  return b.x >= outer.x - 0.01f && b.y >= outer.y - 0.01f && b.x + b.w <= outer.x + outer.w + 0.01f &&
         b.y + b.h <= outer.y + outer.h + 0.01f;
}

}  // namespace headlight::figures
