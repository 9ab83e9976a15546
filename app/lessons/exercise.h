// How near the window's state is to what a lesson's exercise asks for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/lessons/lesson.h"
#include "app/lessons/places.h"

namespace headlight::lessons {

// One condition of the goal in the shown state.
struct Nearness {
  std::string value, wanted;  // "0.42", "≥ 0.9"; a dash for a number that is not there
  bool holds = false;
  double distance = 0;       // from the wanted number; 0: it is reached; of texts 0 or 1
  std::optional<Error> why;  // if it has no value: the reason
};
// In the order of the goal.
// nearness(exercise, source)[0].holds: the first condition is met in source.trace.
std::vector<Nearness> nearness(const Exercise& exercise, const Source& source);
// Whether all conditions are met.
bool solved(const std::vector<Nearness>& goal);
// The part of the way that is gone, 0 to 1, from a state that was `begun` away; negative: unknown, and the wanted number's size
// stands for it.
// share_of({"0.5", "≥ 0.9", false, 0.4}, 0.8) is 0.5.
double share_of(const Nearness& now, double begun);

}  // namespace headlight::lessons
