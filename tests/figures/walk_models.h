// The models that the tests of the walk-through's pictures go through: every switch that changes which steps there are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "engine/document/document.h"
#include "engine/pipeline/trace.h"

namespace headlight::figures {

std::vector<Document> all_models();
// "norm pre, residual 1, ...".
std::string walk_words_of(const Document& d);
// The same trace without its losses, as of a model that says words. A copy of the steps without their numbers.
std::shared_ptr<const Trace> that_says_words(const Trace& trace);
// The traces of all models, and those of models that say words, of every shape of a layer.
std::vector<std::shared_ptr<const Trace>> all_traces();

// The distance of a point from a box; 0 inside.
float outside(const Box& b, Point p);

}  // namespace headlight::figures
