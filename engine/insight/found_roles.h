// The roles that heads of a stored model were found to have. `headlight heads --out` measures them and writes the file heads.json
// in the model's folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/document/stored_model.h"
#include "engine/insight/head_scores.h"

namespace headlight {

inline constexpr const char* kModelHeadsFile = "heads.json";

// The least score at which a pattern is a head's role, where `chance` is what the score is by chance (HeadScores::chance): a
// share of the weight, half of all and more than by chance; a share of marked pairs, half of them and a quarter more than by
// chance. least_score(HeadPattern::subject, 0.4) is 0.65.
double least_score(HeadPattern pattern, std::optional<double> chance = {});

struct HeadRole {
  HeadPattern pattern = HeadPattern::previous;
  double score = 0;
};
// The pattern whose score is farthest above chance, as a share of what is left above chance, among the patterns that reach their
// least score; of equal ones the first. Where no chance is known it counts as none. None: the head has no found role.
std::optional<HeadRole> found_role(const PatternScores& scores, const PatternScores& chance = {});

// The head to show a newcomer first. Among the heads with a found role it is the one whose role says most about language:
// alignment, then adjective, pronoun, subject, object, determiner, induction, pair, same, pieces, previous, next,
// previous_punctuation, punctuation, sentence, first. Among equal roles the highest score decides.
// Null: no head has a role.
const HeadScores* telling_head(const MeasuredHeads& measured);

// A checksum of a model's weights. heads.json names it, so that scores of other weights are refused. Of our own models it is the
// CRC-32 of the file; of published ones, whose files are large, that of TensorFile::identity(): the names, types and shapes of
// all tensors, and the first and last bytes of each. Errors: the file's.
Result<std::uint32_t> weights_checksum(const StoredModel& model);

// heads.json: {"headlight": {"version": 1, "weights": CRC-32 of model.safetensors in hexadecimal digits, "corpus": the name of
// the measured file, "texts": their number, "marked": that of texts with marked pairs}, "heads": [{"site", "layer", "head",
// "scores": {pattern: 0..1 or null, ...}, "chance": {pattern: 0..1, ...}}, ...]}, with every head of the model once. A model of
// pairs also has "links": [[source token, target token, probability], ...]. Older files lack "marked", "chance" and the patterns
// that need marks, and are read all the same.
// measured_heads_to_json(measured, 255): "weights" is "000000ff".
std::string measured_heads_to_json(const MeasuredHeads& measured, std::uint32_t weights);
// Errors, naming `where`: no such JSON, a newer version, a value that is missing or out of its range, a head that the model
// lacks, that stands twice or that is missing; other weights.
// measured_heads_from_json(text, "heads.json", model, *weights_checksum(model)) reads the text of measured_heads_to_json().
Result<MeasuredHeads> measured_heads_from_json(std::string_view json, const std::string& where, const StoredModel& model,
                                               std::uint32_t weights);

// Reads heads.json in the model's folder, and the file of weights for its checksum; null: the folder has no heads.json. Errors:
// those of the files and of measured_heads_from_json().
Result<std::shared_ptr<const MeasuredHeads>> open_measured_heads(const StoredModel& model);

}  // namespace headlight
