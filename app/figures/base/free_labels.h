// Helpers of pictures of points in a plane: a plane with equal axes, and names that do not cover each other.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "app/figures/base/compose.h"

namespace headlight::figures {

// Places numbers and names within `room` where they do not cover each other.
class FreeLabels {
 public:
  FreeLabels(const Composer& pen, Box room) : pen_(pen), room_(room) {}
  void keep_free(Box box) { taken_.push_back(box); }
  // Writes `words` with its middle at the first of `middles` where nothing is covered. If no such place is free and `near` is
  // given, the free place nearest to `near` is taken. If no place is free at all, the words are left out and false is returned.
  // put("the", 13, Font::words, color, {{50, 20}, {50, 40}}) tries the upper place first.
  bool put(const std::string& words, float size, Font font, Color color, const std::vector<Point>& middles,
           const Point* near = nullptr) {
    const float wide = std::min(pen_.measure.width(words, size, font) + 2, room_.w), high = size + 2;
    const auto box_at = [&](Point middle) { return Box{middle.x - wide / 2, middle.y - high / 2, wide, high}; };
    for (const Point& middle : middles)
      if (is_free(box_at(middle))) return write(words, size, font, color, box_at(middle));
    if (!near) return false;
    Box best;
    float least = std::numeric_limits<float>::infinity();
    for (float y = room_.y + high / 2; y <= room_.y + room_.h - high / 2; y += 6)
      for (float x = room_.x + wide / 2; x <= room_.x + room_.w - wide / 2; x += 6) {
        const float away = std::hypot(x - near->x, 2 * (y - near->y));
        if (away >= least || !is_free(box_at({x, y}))) continue;
        least = away;
        best = box_at({x, y});
      }
    return best.w > 0 && write(words, size, font, color, best);
  }

 private:
  bool write(const std::string& words, float size, Font font, Color color, Box box) {
    pen_.text(box.x + box.w / 2, box.y + box.h / 2, words, size, font, color, Align::middle, box.w + 1);
    taken_.push_back(box);
    return true;
  }
  bool is_free(const Box& box) const {
    if (box.x < room_.x || box.y < room_.y || box.x + box.w > room_.x + room_.w || box.y + box.h > room_.y + room_.h)
      return false;
    return std::none_of(taken_.begin(), taken_.end(), [&](const Box& other) {
      return box.x < other.x + other.w && other.x < box.x + box.w && box.y < other.y + other.h && other.y < box.y + box.h;
    });
  }
  const Composer& pen_;
  Box room_;
  std::vector<Box> taken_;
};

// Maps numbers to points of a figure, with the same scale on both axes; y grows upwards.
struct Plane {
  double left = 0, top = 0, scale = 1;
  float x = 0, y = 0;
  Point at(const std::array<double, 2>& p) const {
    return {x + static_cast<float>((p[0] - left) * scale), y + static_cast<float>((top - p[1]) * scale)};
  }
};

// The largest plane that shows all points of `lists` in `room`. plane_of({{{0, 0}, {2, 1}}}, {0, 0, 200, 200}) has a scale of
// 100.
inline Plane plane_of(const std::vector<std::vector<std::array<double, 2>>>& lists, Box room) {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  double low[2] = {kFar, kFar}, high[2] = {-kFar, -kFar};
  for (const auto& path : lists)
    for (const auto& point : path)
      for (std::size_t k = 0; k < 2; ++k) {
        low[k] = std::min(low[k], point[k]);
        high[k] = std::max(high[k], point[k]);
      }
  Plane plane;
  if (!(low[0] <= high[0])) return plane;
  const double wide = std::max(high[0] - low[0], 1e-9), tall = std::max(high[1] - low[1], 1e-9);
  plane.scale = std::min(room.w / wide, room.h / tall);
  plane.left = low[0];
  plane.top = high[1];
  plane.x = room.x + static_cast<float>((room.w - wide * plane.scale) / 2);
  plane.y = room.y + static_cast<float>((room.h - tall * plane.scale) / 2);
  return plane;
}

}  // namespace headlight::figures
