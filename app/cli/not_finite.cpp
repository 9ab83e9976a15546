#include "app/cli/not_finite.h"

#include <cmath>
#include <cstdint>
#include <cstdio>

namespace headlight::cli {
namespace {

// "[batch 0, head 1, query 3, d 5]": the place of an element in C order.
std::string place_words(std::int64_t element, const Shape& shape, const Axes& axes) {
  std::string words;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const std::size_t from_end = shape.size() - axis;
    const std::string name = from_end <= axes.size() ? axes[axes.size() - from_end] : "axis " + std::to_string(axis) + ":";
    words = name + " " + std::to_string(element % shape[axis]) + (words.empty() ? "" : ", ") + words;
    element /= shape[axis];
  }
  return "[" + words + "]";
}

}  // namespace

void NotFinite::look(const std::string& name, const Tensor& array, const Axes& axes, bool minus_infinity_masks) {
  if (array.empty() || (array.dtype() != DType::f32 && array.dtype() != DType::f64)) return;
  const Tensor flat = array.compact();
  std::int64_t counts[3] = {}, first = -1;
  const char* const kinds[3] = {"NaN", "inf", "-inf"};
  std::size_t first_kind = 0;
  const auto count = [&](const auto* numbers) {
    for (std::int64_t i = 0; i < flat.count(); ++i) {
      if (std::isfinite(numbers[i])) continue;
      const std::size_t kind = std::isnan(numbers[i]) ? 0 : numbers[i] > 0 ? 1 : 2;
      if (kind == 2 && minus_infinity_masks) continue;
      ++counts[kind];
      if (first < 0) first = i, first_kind = kind;
    }
  };
  if (flat.dtype() == DType::f32)
    count(flat.data<float>());
  else
    count(flat.data<double>());
  if (first < 0) return;
  std::string list;
  int found = 0;
  for (std::size_t kind = 0; kind < 3; ++kind) {
    if (counts[kind] == 0) continue;
    list += (found++ > 0 ? ", " : "") + std::to_string(counts[kind]) + " " + kinds[kind];
  }
  found_.push_back("array '" + name + "' holds " + list + " among " + std::to_string(flat.count()) + " numbers, the first" +
                   (found > 1 ? std::string(", ") + kinds[first_kind] + "," : "") + " at " +
                   place_words(first, flat.shape(), axes));
}

void NotFinite::say(const std::string& command, const std::string& file) const {
  for (const std::string& one : found_)
    std::fprintf(stderr, "headlight %s: %s: %s\n", command.c_str(), file.c_str(), one.c_str());
}

Status NotFinite::check(const std::string& file, bool strict) const {
  if (found_.empty() || !strict) return {};
  std::string all;
  for (const std::string& one : found_) all += (all.empty() ? "" : ", ") + one;
  return invalid(Message(all)).at(file).mend("mend the numbers, or leave out --strict");
}

}  // namespace headlight::cli
