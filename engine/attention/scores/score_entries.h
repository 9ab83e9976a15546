// The entries of the score registry, one a file.
#pragma once

#include "engine/attention/scores/score.h"

namespace headlight::scores {

Entry scaled_dot();
Entry dot();
Entry cosine();
Entry general();
Entry additive();
Entry location();

}  // namespace headlight::scores
