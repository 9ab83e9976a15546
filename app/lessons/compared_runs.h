// The runs beside the shown one, for texts of a step with before(...) or written(...), computed in the background lane.
#pragma once

#include <memory>

#include "app/lessons/lesson.h"
#include "app/lessons/places.h"
#include "app/session/derived.h"

namespace headlight::lessons {

// The runs that the step's texts ask for and that are ready; the others are begun. `trace` is the shown one, or null.
// compared_runs(derived, trace, step).before is null for texts without before(...).
ComparedRuns compared_runs(Derived& derived, const std::shared_ptr<const Trace>& trace, const Step& step);

}  // namespace headlight::lessons
