// Sorting that is compiled once. std::sort and std::stable_sort are compiled anew for every type and every order, which takes
// longer than most of the functions that call them. These give the places to one function, and move the elements by swaps.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "engine/core/function_ref.h"

namespace headlight {

// Sorts the places 0 .. count - 1. `before` compares the elements at two places, and is called while no element has moved; then
// `swap` exchanges the elements of two places until they stand in order. Elements that are equal stay as they stood.
void sort_places(std::size_t count, FunctionRef<bool(std::size_t, std::size_t)> before,
                 FunctionRef<void(std::size_t, std::size_t)> swap);

// Sorts a vector or array by `before`; elements that are equal stay as they stood. A comparison is a call, so loops over a corpus
// use std::sort. With names = {"b", "a"}, sort_stably(names) makes them {"a", "b"}, and sort_stably(names, std::greater<>())
// {"b", "a"}.
template <class List, class Before = std::less<>>
void sort_stably(List& list, const Before& before = {}) {
  sort_places(
      list.size(), [&](std::size_t a, std::size_t b) { return before(std::as_const(list)[a], std::as_const(list)[b]); },
      [&](std::size_t a, std::size_t b) { std::swap(list[a], list[b]); });
}

}  // namespace headlight
