// What tests of figures look with: how text is measured, the dark theme, and the items of one kind.
#pragma once

#include <variant>
#include <vector>

#include "app/export/figure_text.h"
#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

inline const FigureText& measure() {
  static const FigureText text;
  return text;
}

inline const Theme& dark() { return *themes().find("dark"); }

template <class T>
std::vector<T> all(const Figure& figure) {
  std::vector<T> list;
  for (const Item& item : figure.items)
    if (const auto* one = std::get_if<T>(&item)) list.push_back(*one);
  return list;
}

}  // namespace headlight::figures
