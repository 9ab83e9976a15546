// Runs beside the shown one, for a step's text that says before(...) or written(...): computed in the background lane.
#pragma once

#include <memory>

#include "app/lessons/lesson.h"
#include "app/lessons/places.h"
#include "app/session/derived.h"

namespace headlight::lessons {

// What the step's texts ask for and is there already; the rest is begun. `trace`: the shown one, or null.
ComparedRuns compared_runs(Derived& derived, const std::shared_ptr<const Trace>& trace, const Step& step);

}  // namespace headlight::lessons
