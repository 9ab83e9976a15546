#include "app/export/color_palette.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <unordered_map>

namespace headlight::figures {
namespace {

struct Counted {
  std::uint32_t color = 0;
  std::uint32_t count = 0;
  int channel(int axis) const { return static_cast<int>(color >> (16 - 8 * axis) & 255); }
};

// The weights of differences in red, green and blue, by how visible they are.
constexpr std::array<int, 3> kWeights{3, 5, 2};

struct BoxOfColors {
  std::size_t begin = 0, end = 0;
  double error = 0;  // weighted sum of squared distances of its pixels from its mean
  int axis = 0;      // the axis with the largest part of that error
  double mean = 0;   // mean along that axis
};

BoxOfColors box_of(const std::vector<Counted>& colors, std::size_t begin, std::size_t end) {
  BoxOfColors box{begin, end};
  double largest = -1;
  for (int axis = 0; axis < 3; ++axis) {
    double n = 0, sum = 0, squares = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const double x = colors[i].channel(axis), count = colors[i].count;
      n += count;
      sum += count * x;
      squares += count * x * x;
    }
    const double error = kWeights[static_cast<std::size_t>(axis)] * (squares - sum * sum / n);
    box.error += error;
    if (error > largest) {
      largest = error;
      box.axis = axis;
      box.mean = sum / n;
    }
  }
  return box;
}

std::uint32_t color_of(const std::vector<Counted>& colors, const BoxOfColors& box) {
  double n = 0;
  std::array<double, 3> sum{};
  const Counted* most = &colors[box.begin];
  for (std::size_t i = box.begin; i < box.end; ++i) {
    n += colors[i].count;
    for (int axis = 0; axis < 3; ++axis)
      sum[static_cast<std::size_t>(axis)] += static_cast<double>(colors[i].count) * colors[i].channel(axis);
    if (colors[i].count > most->count) most = &colors[i];
  }
  if (most->count > n / 2) return most->color;
  std::uint32_t color = 0;
  for (const double s : sum) color = color << 8 | static_cast<std::uint32_t>(std::lround(s / n));
  return color;
}

std::uint8_t nearest(const std::vector<std::uint32_t>& palette, std::uint32_t color) {
  int best = 0, least = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < palette.size(); ++i) {
    int distance = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const int shift = 16 - 8 * axis;
      const int d = static_cast<int>(palette[i] >> shift & 255) - static_cast<int>(color >> shift & 255);
      distance += kWeights[static_cast<std::size_t>(axis)] * d * d;
    }
    if (distance < least) {
      least = distance;
      best = static_cast<int>(i);
    }
  }
  return static_cast<std::uint8_t>(best);
}

std::vector<std::uint32_t> fewer(std::vector<Counted> colors, std::size_t most) {
  std::vector<BoxOfColors> boxes{box_of(colors, 0, colors.size())};
  while (boxes.size() < most) {
    const auto worst =
        std::max_element(boxes.begin(), boxes.end(), [](const auto& a, const auto& b) { return a.error < b.error; });
    if (worst->error <= 0) break;
    const BoxOfColors box = *worst;
    const auto middle = std::partition(colors.begin() + static_cast<std::ptrdiff_t>(box.begin),
                                       colors.begin() + static_cast<std::ptrdiff_t>(box.end),
                                       [&](const Counted& c) { return c.channel(box.axis) <= box.mean; });
    const auto cut = static_cast<std::size_t>(middle - colors.begin());
    if (cut == box.begin || cut == box.end) {  // because of rounding the box cannot be split
      worst->error = 0;
      continue;
    }
    *worst = box_of(colors, box.begin, cut);
    boxes.push_back(box_of(colors, cut, box.end));
  }
  std::vector<std::uint32_t> palette;
  for (const BoxOfColors& box : boxes) palette.push_back(color_of(colors, box));
  return palette;
}

}  // namespace

Indexed to_palette(const Pixels& pixels, int most) {
  Indexed out;
  const std::size_t count = pixels.rgba.size() / 4;
  std::unordered_map<std::uint32_t, std::uint32_t> place;  // index of a colour in `colors`
  std::vector<Counted> colors;
  std::vector<std::uint32_t> of_pixel(count);
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t last_color = kNone, last_place = 0;  // neighbouring pixels are often equal
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t* p = pixels.rgba.data() + i * 4;
    if (p[3] == 0) {
      of_pixel[i] = kNone;
      out.has_transparent = true;
      continue;
    }
    const std::uint32_t color = static_cast<std::uint32_t>(p[0]) << 16 | static_cast<std::uint32_t>(p[1]) << 8 | p[2];
    if (color != last_color) {
      const auto [at, fresh] = place.try_emplace(color, static_cast<std::uint32_t>(colors.size()));
      if (fresh) colors.push_back({color, 0});
      last_color = color;
      last_place = at->second;
    }
    ++colors[last_place].count;
    of_pixel[i] = last_place;
  }
  std::vector<std::uint8_t> index(colors.size());
  if (colors.size() <= static_cast<std::size_t>(most)) {
    for (std::size_t i = 0; i < colors.size(); ++i) {
      out.palette.push_back(colors[i].color);
      index[i] = static_cast<std::uint8_t>(i);
    }
  } else {
    out.palette = fewer(colors, static_cast<std::size_t>(most));
    for (std::size_t i = 0; i < colors.size(); ++i) index[i] = nearest(out.palette, colors[i].color);
  }
  if (out.palette.empty()) out.palette.push_back(0);
  out.indices.resize(count);
  for (std::size_t i = 0; i < count; ++i)
    out.indices[i] = of_pixel[i] == kNone ? static_cast<std::uint8_t>(out.palette.size()) : index[of_pixel[i]];
  return out;
}

}  // namespace headlight::figures
