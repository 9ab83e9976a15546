// A tokenizer's training as pictures: one step, and all of them as a film.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/figures/tokens/training_step.h"
#include "app/session/trainer.h"

namespace headlight::panels {

std::string training_kind(const std::string& kind);  // its label in the person's language

// One or two sentences with the real numbers: why step `step` (1..) chose what it chose; empty: there is no such step.
std::string why_chosen(const tokenizers::Film& film, std::int64_t step);

// What step `step` (0: before the first) shows.
figures::TrainingStepInput training_input(const TrainingResult& result, std::int64_t step);

// The whole training: each merge is first announced, then its parts come together. Long trainings are thinned to 240 steps,
// which are then shown one a picture.
figures::Animation training_film(std::shared_ptr<const TrainingResult> result, const figures::Theme& theme);

}  // namespace headlight::panels
