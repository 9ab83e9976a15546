// A tokenizer's training as pictures: one step, and a film of all steps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/figures/tokens/training_step.h"
#include "app/session/trainer.h"

namespace headlight::panels {

std::string training_kind(const std::string& kind);  // its label in the window's language

// One or two sentences with the real numbers: why step `step` (1..) chose its pair; empty: there is no such step.
std::string why_chosen(const tokenizers::Film& film, std::int64_t step);

// The picture of step `step` (0: before the first).
figures::TrainingStepInput training_input(const TrainingResult& result, std::int64_t step);

// The whole training: each merge is first announced, then its parts come together. Long trainings are reduced to 240 steps, each
// of which is then one picture.
figures::Animation training_film(std::shared_ptr<const TrainingResult> result, const figures::Theme& theme);

}  // namespace headlight::panels
