// The heads of any model, measured on the bundled text: once, and then read from the user's cache folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/document/stored_model.h"
#include "engine/insight/head_scores.h"

namespace headlight {

// The file of a model's scores in the cache folder ($XDG_CACHE_HOME/headlight/heads, or ~/.cache/headlight/heads): its name is
// made of the weights' checksum, so that a copy of the model elsewhere finds it and other weights do not. Errors: those of
// weights_checksum().
Result<std::filesystem::path> cached_heads_file(const StoredModel& model);
// The scores in that file. Errors: there is none; the file's; those of measured_heads_from_json().
Result<MeasuredHeads> cached_heads(const StoredModel& model);

// Scores every head on the first sentences of the bundled text and on those with marked pairs, and writes the file. A file that
// cannot be written is no error: the scores are then measured again the next time. Errors: a model that reads two texts, for
// which there is no bundled text (unavailable); those of score_heads(); cancelled. `progress` is called before each sentence.
// measure_heads(*model, cancel)->heads has a score for each head.
Result<MeasuredHeads> measure_heads(const std::shared_ptr<const StoredModel>& model, const CancelToken& cancel,
                                    const std::function<void(std::int64_t done, std::int64_t total)>& progress = {});

}  // namespace headlight
