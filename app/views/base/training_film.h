// A tokenizer's training as pictures: one step, and a film of all steps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/figures/tokens/training_step.h"
#include "app/session/trainer.h"

namespace headlight::views {

std::string training_kind(const std::string& kind);  // its label in the window's language

// One or two sentences with the real numbers that say why step `step` (from 1) chose its pair; empty if there is no such step.
// why_chosen(film, 1) is about the first merge.
std::string why_chosen(const tokenizers::Film& film, std::int64_t step);

// The picture of step `step`; 0 is the state before the first step.
// training_input(result, 0).why says how large the alphabet is.
figures::TrainingStepInput training_input(const TrainingResult& result, std::int64_t step);

// The whole training: each merge is first announced, then its parts come together. A training of more than 240 steps is reduced
// to 240, with one picture each.
// training_film(result, theme).frames is at most 241 for a training of more than 240 steps.
figures::Animation training_film(std::shared_ptr<const TrainingResult> result, const figures::Theme& theme);

}  // namespace headlight::views
