// Checks for every layout: nothing is outside the figure, no two texts overlap, no text is smaller than 12, but labels of files,
// which have a least size of their own. Measured with the text of the files.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "app/export/figure_text.h"
#include "app/figures/base/axis_labels.h"
#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "tests/figures/figure_items.h"

namespace headlight::figures {

// The four corners of a text as drawn. `tight`: height of its letters as a share of the line's.
inline std::array<Point, 4> corners(const Text& t, float tight) {
  const std::string shown = measure().fitted(t.text, t.size, t.font, t.max_width);
  const float w = measure().width(shown, t.size, t.font), h = measure().line_height(t.size, t.font);
  const auto share = [](Align a) { return a == Align::start ? 0.0f : a == Align::middle ? 0.5f : 1.0f; };
  const float x = -share(t.horizontal) * w, y = -share(t.vertical) * h + h * (1 - tight) / 2;
  const float angle = t.rotation * 3.14159265f / 180, c = std::cos(angle), s = std::sin(angle);
  std::array<Point, 4> out;
  const Point local[] = {{x, y}, {x + w, y}, {x + w, y + h * tight}, {x, y + h * tight}};
  for (std::size_t i = 0; i < 4; ++i)
    out[i] = {t.at.x + local[i].x * c + local[i].y * s, t.at.y - local[i].x * s + local[i].y * c};
  return out;
}

// Two convex quadrilaterals are apart if the normal of some edge separates them.
inline bool apart(const std::array<Point, 4>& a, const std::array<Point, 4>& b) {
  for (const auto* q : {&a, &b}) {
    for (std::size_t i = 0; i < 4; ++i) {
      const Point p = (*q)[i], r = (*q)[(i + 1) % 4];
      const float nx = r.y - p.y, ny = p.x - r.x;
      const auto range = [&](const std::array<Point, 4>& k) {
        float low = std::numeric_limits<float>::max(), high = -low;
        for (const Point& v : k) {
          low = std::min(low, v.x * nx + v.y * ny);
          high = std::max(high, v.x * nx + v.y * ny);
        }
        return std::pair(low, high);
      };
      const auto [a0, a1] = range(a);
      const auto [b0, b1] = range(b);
      const float slack = 0.3f * std::hypot(nx, ny);  // a third of a point allows for rounding
      if (a1 <= b0 + slack || b1 <= a0 + slack) return true;
    }
  }
  return false;
}

inline void check(const Figure& figure, float box_width, float box_height, const std::string& what) {
  SCOPED_TRACE(what);
  EXPECT_LE(figure.width, box_width);
  EXPECT_LE(figure.height, box_height);
  std::vector<const Text*> texts;
  const auto is_label = [](const Text& t) { return t.tag.kind == Tag::row || t.tag.kind == Tag::column; };
  const bool file = std::any_of(figure.items.begin(), figure.items.end(), [](const Item& item) {
    const auto* t = std::get_if<Text>(&item);
    return t && (t->tag.part == Part::legend || t->tag.part == Part::caption);
  });
  const auto inside = [&](Box b) {
    return b.x >= 0 && b.y >= 0 && b.x + b.w <= figure.width + 0.01f && b.y + b.h <= figure.height + 0.01f;
  };
  for (const Item& item : figure.items) {
    if (const auto* t = std::get_if<Text>(&item)) {
      texts.push_back(t);
      EXPECT_GE(t->size, file && is_label(*t) ? kLeastInFiles : 12) << t->text;
      for (const Point& p : corners(*t, 0.85f)) {
        EXPECT_TRUE(p.x >= -0.5f && p.y >= -0.5f && p.x <= figure.width + 0.5f && p.y <= figure.height + 0.5f)
            << t->text << " reaches " << p.x << ", " << p.y << " of " << figure.width << " x " << figure.height;
      }
    } else if (const auto* c = std::get_if<Cells>(&item)) {
      EXPECT_TRUE(inside(c->box));
      EXPECT_GE(c->values.dim(0), c->from_row + c->rows);
      EXPECT_GE(c->values.dim(1), c->from_column + c->columns);
      EXPECT_TRUE(c->values.contiguous());
    } else if (const auto* bar = std::get_if<ColorBar>(&item)) {
      EXPECT_TRUE(inside(bar->box));
    } else if (const auto* photo = std::get_if<Photo>(&item)) {
      EXPECT_TRUE(inside(photo->box));
      EXPECT_TRUE(photo->rgba.contiguous());
    }
  }
  // Small labels are as close as their letters, from the top of an h to the bottom of a g, allow.
  const auto tight = [&](const Text& t) { return is_label(t) && t.size <= 12 ? 0.72f : 0.8f; };
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_TRUE(apart(corners(*texts[i], tight(*texts[i])), corners(*texts[j], tight(*texts[j]))))
          << "'" << texts[i]->text << "' lies over '" << texts[j]->text << "'";
}

}  // namespace headlight::figures
